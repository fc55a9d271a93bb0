"""CREATE, ALTER and DROP CLUSTER."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ...config import ClusterOptions
from ...errors import DuplicateObject, InvalidParameter
from ...sql.plans.definition_plans import AlterCluster, CreateCluster
from ...sql.syntax.role_statements import Securable
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry
from ..catalog.items import Running
from ..results.results import Command, Notice
from .catalog_changes import CatalogChanges
from .default_privileges import first_acl
from .definitions import skipping
from .dependents import dropped_with, refuse_unless_empty


class ClusterDefinitions:
    """`slots` is how many replicas there is room for; `on_cluster`: they are on executors of a cluster of Spark, whose cores a SIZE is of."""

    def __init__(self, catalog: Catalog, changes: CatalogChanges, slots: int, on_cluster: bool) -> None:
        self._catalog = catalog
        self._changes = changes
        self._slots = slots
        self._on_cluster = on_cluster

    async def create(self, plan: CreateCluster, owner: str, notices: list[Notice]) -> Command:
        notices.extend(self._notices(plan))
        if self._catalog.cluster(plan.name) is not None:
            if not plan.if_not_exists:
                raise DuplicateObject(f'cluster "{plan.name}" already exists', sqlstate="42710")
            notices.append(skipping(f'cluster "{plan.name}" already exists', "42710"))
            return Command("CREATE CLUSTER")
        entries = self._catalog.cluster_entries()
        self._check_slots(None, plan.options)
        number = max((int(entry.id[1:]) for entry in entries), default=0) + 1
        acl = first_acl(self._catalog, owner, Securable.CLUSTER)
        entry = ClusterEntry(f"c{number}", plan.name, dict(plan.options), owner, acl)
        await self._changes.apply([Change(None, entry)])
        return Command("CREATE CLUSTER")

    async def alter(self, plan: AlterCluster, notices: list[Notice]) -> Command:
        notices.extend(self._notices(plan))
        entry = self._cluster(plan.name)
        kept = {name: value for name, value in entry.options.items() if name not in plan.reset}
        changed = replace(entry, options={**kept, **plan.options})
        self._check_slots(entry, changed.options)
        await self._changes.apply([Change(entry, changed)])
        return Command("ALTER CLUSTER")

    async def drop(self, name: str, cascade: bool) -> None:
        entry = self._cluster(name)
        roots = [
            item for item in self._catalog.user_items() if isinstance(item, Running) and item.cluster == name
        ]
        refuse_unless_empty(f'cluster "{name}"', roots, cascade, "runs in it")
        gone = [Change(item, None) for item in dropped_with(self._catalog, roots, cascade)]
        await self._changes.apply([*gone, Change(entry, None)])

    def _notices(self, plan: CreateCluster | AlterCluster) -> Iterator[Notice]:
        for text in plan.notices:
            yield Notice("NOTICE", text)
        if "size" in plan.options and not self._on_cluster:
            size = plan.options["size"]
            yield Notice(
                "NOTICE",
                f"SIZE {size} means nothing on one machine: MEMORY LIMIT bounds a replica, WORKERS divides it",
            )

    def _check_slots(self, changed: ClusterEntry | None, options: Mapping[str, int]) -> None:
        others = [entry.options for entry in self._catalog.cluster_entries() if entry is not changed]
        check_room((*others, options), self._slots)

    def _cluster(self, name: str) -> ClusterEntry:
        entry = self._catalog.cluster(name)
        if entry is None:
            raise InvalidParameter(f'unknown cluster "{name}"', sqlstate="42704")
        return entry


def check_room(clusters: Iterable[Mapping[str, int]], slots: int) -> None:
    """53000 if clusters with these options have more replicas than Spark has slots for."""
    wanted = sum(ClusterOptions.from_mapping(options).replication_factor for options in clusters)
    if wanted > slots:
        raise InvalidParameter(
            f"that would be {wanted} replicas, and there is room for {slots}",
            sqlstate="53000",
            hint="Start the runtime with --set replica_slots=N; a spark_master of your own needs the cores.",
        )
