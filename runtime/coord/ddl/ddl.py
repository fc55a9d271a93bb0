"""Definitions: CREATE, DROP, ALTER, COMMENT.

Each statement becomes catalog changes, made durable in one transaction; then shards are opened or closed and replicas
informed.  A crash in between leaves at most shards that no item names, which the next start drops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path

from ...sql.plans.definition_plans import (
    AddWhere,
    AlterCluster,
    AlterTable,
    ApplyOffers,
    CreateCluster,
    CreateSink,
    CreateSource,
    CreateSourceTable,
    DefinitionPlan,
    Drop,
)
from ...sql.syntax.role_statements import PrivilegeDefinition, RoleDefinition
from ...sql.syntax.vocabulary import ObjectKind
from ...supervision import Supervisor
from ..audit.author import AUTHOR
from ..audit.log import AuditLog
from ..catalog.actor import Actor
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Item, Sink
from ..controller import Controller
from ..dml.key_lookup import Read
from ..results.results import Command, Notice
from ..storage.catalog_transactions import Append
from ..storage.storage import Storage
from .alter_table import Rows, alter_table, check_unique
from .catalog_changes import CatalogChanges
from .clusters import ClusterDefinitions
from .connections import Connections
from .connectors import ConnectorDefinitions
from .definitions import Definitions, Pure
from .dependents import dropped_with, noun
from .grants import PrivilegeDefinitions
from .replacements import Replacements
from .replication_slots import ReplicationSlots
from .roles import RoleDefinitions
from .secrets import resealed
from .sinks import settled
from .source_filters import Applied, SourceFilters

Definition = DefinitionPlan | PrivilegeDefinition | RoleDefinition


class Ddl:
    """One statement at a time: `execute` holds a lock from planning's catalog to the durable change."""

    def __init__(
        self,
        storage: Storage,
        catalog: Catalog,
        controller: Controller,
        slots: int,
        own: tuple[Path, ...],
        connections: Connections,
        supervisor: Supervisor,
        audit: AuditLog,
        *,
        on_cluster: bool,
    ) -> None:
        self._storage = storage
        self._oracle = storage.oracle
        self._catalog = catalog
        self._unique = storage.unique
        self._sinks = controller.sinks
        self.replacements = Replacements(storage, controller)
        self._changes = CatalogChanges(
            storage, catalog, controller, self.replacements, ReplicationSlots(connections, supervisor), audit
        )
        self._clusters = ClusterDefinitions(catalog, self._changes, controller.hand_overs, slots, on_cluster)
        self._connectors = ConnectorDefinitions(storage, self._changes, own)
        self.connections = connections
        self.lock = asyncio.Lock()

    async def execute(self, plan: Definition, notices: list[Notice], read: Read, actor: Actor) -> Command:
        """`read` is what rows are checked with, at the latest time; `actor` whose statement it is."""
        match plan:
            case CreateSource():
                return await self._connectors.create_source(plan, self._definitions(notices, actor))
            case CreateSourceTable():
                definitions = self._definitions(notices, actor)
                return await self._connectors.create_source_table(plan, definitions)
            case CreateSink():
                return await self._connectors.create_sink(plan, self._definitions(notices, actor))
            case CreateCluster():
                return await self._clusters.create(plan, actor.role.id, notices)
            case AlterCluster():
                return await self._clusters.alter(plan, self.lock, notices)
            case Drop(kind=ObjectKind.CLUSTER):
                return await self._drop_clusters(plan, notices)
            case AlterTable():
                rows = Rows(read, lambda _, new, key: check_unique(new, key, self._unique, read))
                async with self._storage.frozen(plan.id):
                    command, changes = await self._altered(plan, self._catalog, notices, rows)
                    await self._changes.apply(changes)
                return command
            case AddWhere():
                gone = await self._source_filters(read).add_where(plan)
                notices.append(_taken_back(gone))
                return Command(f"ALTER {plan.kind.value}")
            case ApplyOffers():
                applied = await self._source_filters(read).apply_offers(plan)
                notices.extend(_applied(applied))
                return Command(f"ALTER {plan.kind.value}")
            case _:
                command, changes = self._meant(plan, self._catalog, notices, actor)
                await self._changes.apply(changes)
                return command

    async def changes(
        self, plan: Definition, catalog: Catalog, notices: list[Notice], rows: Rows, actor: Actor
    ) -> tuple[Command, list[Change]]:
        """What the statement changes of a block's catalog; it is one of those that a block may have."""
        if isinstance(plan, AlterTable):
            return await self._altered(plan, catalog, notices, rows)
        assert isinstance(plan, Pure | PrivilegeDefinition)
        return self._meant(plan, catalog, notices, actor)

    def _meant(
        self,
        plan: Pure | PrivilegeDefinition | RoleDefinition,
        catalog: Catalog,
        notices: list[Notice],
        actor: Actor,
    ) -> tuple[Command, list[Change]]:
        """What statements are that change the catalog and nothing else."""
        if isinstance(plan, RoleDefinition):
            return RoleDefinitions(catalog).changes(plan, actor, notices)
        if isinstance(plan, PrivilegeDefinition):
            return PrivilegeDefinitions(catalog).changes(plan, actor, notices)
        keys = self.connections.keys
        return Definitions(catalog, self._oracle.read_time, actor.role.id, notices, keys).changes(plan)

    def _source_filters(self, read: Read) -> SourceFilters:
        return SourceFilters(self._catalog, self._storage, self._changes, read)

    def _definitions(self, notices: list[Notice], actor: Actor) -> Definitions:
        return Definitions(self._catalog, self._oracle.read_time, actor.role.id, notices)

    async def ready(self, changes: Iterable[Change]) -> None:
        """Returns when `commit` of a block's changes would not wait for hydration; without the lock."""
        if (release := self._changes.release(list(changes))) is not None:
            await self.replacements.ready(release.ids)

    async def commit(self, changes: Iterable[Change], append: Append) -> None:
        """Makes a block's changes durable, with its rows, and then so; the lock is held."""
        await self._changes.apply(changes, append)

    async def _altered(
        self, plan: AlterTable, catalog: Catalog, notices: list[Notice], rows: Rows
    ) -> tuple[Command, list[Change]]:
        changes = await alter_table(catalog, plan, rows)
        for change in changes:
            if plan.cascade and change.after is None and isinstance(change.before, Item):
                message = f"drop cascades to {noun(change.before)} {change.before.name}"
                notices.append(Notice("NOTICE", message, "00000"))
        notices.extend(Notice("NOTICE", notice, "00000") for notice in plan.notices)
        return Command(f"ALTER {plan.kind.value}"), changes

    async def _drop_clusters(self, plan: Drop, notices: list[Notice]) -> Command:
        notices.extend(Notice("NOTICE", text, "00000") for text in plan.notices)
        for name in plan.names:
            await self._clusters.drop(name, plan.cascade)
        return Command("DROP CLUSTER")

    async def reseal_secrets(self) -> None:
        """What older keys have sealed is sealed with the first one."""
        async with self.lock:
            await self._changes.apply(resealed(self._catalog, self.connections.keys))

    async def settle_sinks(self) -> bool:
        """Has sinks let go of what they have read before, where their targets show none of it any more.  Whether there were some."""
        if not any(True for _ in self._settled_sinks()):
            return False
        author = AUTHOR.set(None)  # also where it is done for a statement
        try:
            async with self.lock:
                changes = list(self._settled_sinks())
                sinks = [change.after for change in changes if isinstance(change.after, Sink)]
                # A restart finds them beyond it.
                await self._storage.record(lambda: self._sinks.positions(sinks))
                await self._changes.apply(changes)
        finally:
            AUTHOR.reset(author)
        return True

    async def settle_sinks_between(self) -> None:
        """As `settle_sinks`; not while another statement defines something."""
        if not self.lock.locked():
            await self.settle_sinks()

    def _settled_sinks(self) -> Iterator[Change]:
        for item in self._catalog.user_items():
            if isinstance(item, Sink) and (generation := self._sinks.left(item)) is not None:
                yield settled(item, generation)

    async def drop_left_behind(self, schemas: Collection[str]) -> None:
        """Drops what sessions have made in temporary schemas other than these: they ended, and it could not be dropped then."""
        found = {item.schema_name for item in self._catalog.user_items() if item.temporary}
        for schema in sorted(found.difference(schemas)):
            await self.drop_temporary(schema)

    async def drop_temporary(self, schema: str) -> None:
        """Drops what a session has made in its temporary schema."""
        if not self._catalog.has_objects_in(schema):
            return
        async with self.lock:
            if changes := temporary_dropped(self._catalog, schema):
                await self._changes.apply(changes)


def _taken_back(gone: int) -> Notice:
    return Notice("NOTICE", f"{gone} {'row was' if gone == 1 else 'rows were'} taken back")


def _applied(applied: Applied) -> Iterator[Notice]:
    """What was left out, and then what could not be."""
    for text in applied.texts:
        yield Notice("NOTICE", f"from now on: {text}")
    yield _taken_back(applied.gone) if applied.texts else Notice("NOTICE", "there is nothing to leave out")
    for refused in applied.refused:
        yield Notice("NOTICE", f"not applicable: {refused}")


def temporary_dropped(catalog: Catalog, schema: str) -> list[Change]:
    """What it takes to drop everything in a session's temporary schema."""
    roots = [item for item in catalog.user_items() if item.schema_name == schema]
    return [Change(item, None) for item in dropped_with(catalog, roots, cascade=True)] if roots else []
