"""CREATE, ALTER and DROP CLUSTER."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from ...config import ClusterOptions
from ...errors import DuplicateObject, InvalidParameter, PtvcError
from ...sql.plans.definition_plans import AlterCluster, CreateCluster
from ...sql.syntax.definition_statements import Waiting
from ...sql.syntax.role_statements import Securable
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry
from ..catalog.items import Running
from ..controller.rescaling import HandOver, HandOvers
from ..results.results import Command, Notice
from .catalog_changes import CatalogChanges
from .default_privileges import first_acl
from .definitions import skipping
from .dependents import dropped_with, refuse_unless_empty


@dataclass(frozen=True, slots=True)
class _Altered:
    """What a plan has made of a cluster."""

    plan: AlterCluster
    before: ClusterEntry
    after: ClusterEntry


class ClusterDefinitions:
    """`hand_overs` has replicas of other options take the place of those that there are; `slots` is how many there is room for; `on_cluster`: they are on executors of a cluster of Spark, whose cores a SIZE is of."""

    def __init__(
        self,
        catalog: Catalog,
        changes: CatalogChanges,
        hand_overs: HandOvers,
        slots: int,
        on_cluster: bool,
    ) -> None:
        self._catalog = catalog
        self._changes = changes
        self._hand_overs = hand_overs
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

    async def alter(self, plan: AlterCluster, lock: asyncio.Lock, notices: list[Notice]) -> Command:
        """Under the `lock`, which what it waits for takes again."""
        notices.extend(self._notices(plan))
        entry = self._cluster(plan.name)
        kept = {name: value for name, value in entry.options.items() if name not in plan.reset}
        changed = replace(entry, options={**kept, **plan.options})
        self._check_slots(entry, changed.options)
        under_way = self._hand_overs.of(entry.id)
        await self._changes.apply([Change(entry, changed)])
        begun = self._hand_overs.of(entry.id)
        if begun is not None and begun is not under_way and begun.crowded:
            notices.append(
                Notice(
                    "NOTICE",
                    f"there is no room for more than {self._slots} replicas: those of the cluster have ended, and what is read in it waits for the new ones",
                )
            )
        if (waiting := plan.waiting) is None:
            return Command("ALTER CLUSTER")
        altered = _Altered(plan, entry, changed)
        return Command("ALTER CLUSTER", lambda: self._handed_over(altered, waiting, lock, notices))

    async def _handed_over(
        self, altered: _Altered, waiting: Waiting, lock: asyncio.Lock, notices: list[Notice]
    ) -> None:
        """Returns when the new replicas answer.  If that takes too long, the old ones end, or what was altered is as it was before.  Raises
        PtvcError then, and if the cluster is dropped meanwhile or is to have another shape."""
        seconds = waiting.timeout_ms / 1000
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                # An ALTER of other options begins a hand-over anew, to the same shape.
                while (under_way := self._under_way(altered)) is not None:
                    await under_way.over.wait()
            return
        async with lock:
            if self._under_way(altered) is None:
                return
            now = self._now(altered)
            if waiting.rolls_back:
                await self._changes.apply([Change(now, replace(now, options=_taken_back(altered, now)))])
                raise PtvcError(
                    f'the new replicas of cluster "{now.name}" were not ready within {seconds:g} s: it is as it was before',
                    sqlstate="57014",
                    hint="mz_internal.mz_cluster_replica_statuses says while they start what they wait for. Give it a longer TIMEOUT.",
                )
            self._hand_overs.force(now.name)
        notices.append(
            Notice(
                "NOTICE",
                f"the new replicas were not ready within {seconds:g} s: the others have ended, and what is read waits for them",
            )
        )

    def _under_way(self, altered: _Altered) -> HandOver | None:
        """The hand-over to what the cluster was altered to; None: it is over.  Raises PtvcError if it will never be."""
        now = self._now(altered)
        if self._shape(now) != self._shape(altered.after):
            raise PtvcError(
                f'another statement has changed the replicas of cluster "{now.name}" before these were ready',
                sqlstate="55000",
                hint="SHOW CREATE CLUSTER shows what it has now.",
            )
        return self._hand_overs.of(now.id)

    def _shape(self, cluster: ClusterEntry) -> tuple[object, ...]:
        """Of its replicas, as far as options say."""
        options = ClusterOptions.from_mapping(cluster.options)
        of_machines = (options.size, options.workers_per_machine) if self._on_cluster else ()
        return options.workers, *of_machines

    def _now(self, altered: _Altered) -> ClusterEntry:
        for entry in self._catalog.cluster_entries():
            if entry.id == altered.after.id:
                return entry
        raise PtvcError(
            f'cluster "{altered.after.name}" was dropped before its new replicas were ready', sqlstate="42704"
        )

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
        if "workers_per_machine" in plan.options and not self._on_cluster:
            yield Notice("NOTICE", "WORKERS PER MACHINE means nothing on one machine: all WORKERS are there")

    def _check_slots(self, changed: ClusterEntry | None, options: Mapping[str, int]) -> None:
        others = [entry.options for entry in self._catalog.cluster_entries() if entry is not changed]
        check_room((*others, options), self._slots)

    def _cluster(self, name: str) -> ClusterEntry:
        entry = self._catalog.cluster(name)
        if entry is None:
            raise InvalidParameter(f'unknown cluster "{name}"', sqlstate="42704")
        return entry


def _taken_back(altered: _Altered, now: ClusterEntry) -> dict[str, int]:
    """The options without what the plan has altered; others may have been altered since."""
    mine = altered.plan.options.keys() | altered.plan.reset
    others = {name: value for name, value in now.options.items() if name not in mine}
    return others | {name: value for name, value in altered.before.options.items() if name in mine}


def check_room(clusters: Iterable[Mapping[str, int]], slots: int) -> None:
    """53000 if clusters with these options have more replicas than Spark has slots for."""
    wanted = sum(ClusterOptions.from_mapping(options).replication_factor for options in clusters)
    if wanted > slots:
        raise InvalidParameter(
            f"that would be {wanted} replicas, and there is room for {slots}",
            sqlstate="53000",
            hint="Start the runtime with --set replica_slots=N; a spark_master of your own needs the cores.",
        )
