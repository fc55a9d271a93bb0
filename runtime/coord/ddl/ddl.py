"""Definitions: CREATE, DROP, ALTER, COMMENT.

Each statement becomes catalog changes, made durable in one transaction; then shards are opened or closed and replicas
told.  A crash in between leaves at most shards that no item names, which the next start drops.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, assert_never

from ...errors import DependentObjectsExist, DuplicateObject
from ...expr.relation import Relation, dependencies
from ...persist.client import PersistClient
from ...repr.schema import Schema
from ...sql.plans import (
    AlterCluster,
    AlterRetention,
    AlterTable,
    ApplyReplacement,
    Comment,
    CreateCluster,
    CreateIndex,
    CreateMaterializedView,
    CreateSchema,
    CreateSink,
    CreateSource,
    CreateTable,
    CreateView,
    Drop,
    ItemKind,
    ObjectKind,
    Rename,
    Swap,
)
from ..catalog import (
    SYSTEM_SCHEMAS,
    Catalog,
    Change,
    Item,
    SchemaEntry,
)
from ..catalog_store import CatalogStore
from ..collections import Collections
from ..controller import Controller
from ..group_commit import GroupCommit
from ..key_lookup import Read
from ..oracle import Oracle
from ..reads import ActiveReads
from ..results import Command, Notice
from ..shared_indexes import OPTION as SHARES
from ..shared_indexes import indexes_for
from ..unique_keys import UniqueKeys
from ..views import expand
from .alter_table import alter_table, index_over
from .alterations import (
    comment_changes,
    rename_changes,
    retaining,
    retention_change,
    schema_entry,
    swap_changes,
)
from .catalog_changes import CatalogChanges, skipping
from .clusters import ClusterDefinitions
from .connectors import ConnectorDefinitions
from .dependents import depends, dropped_with, noun, refuse_unless_empty
from .replacements import Replacements, check_cycle, check_losable

Definition = (
    CreateSchema
    | CreateTable
    | CreateView
    | CreateMaterializedView
    | CreateIndex
    | CreateSource
    | CreateSink
    | CreateCluster
    | AlterCluster
    | AlterRetention
    | AlterTable
    | ApplyReplacement
    | Drop
    | Rename
    | Swap
    | Comment
)


class Ddl:
    """One statement at a time: `execute` holds a lock from planning's catalog to the durable change."""

    def __init__(
        self,
        persist: PersistClient,
        oracle: Oracle,
        catalog: Catalog,
        store: CatalogStore,
        collections: Collections,
        reads: ActiveReads,
        controller: Controller,
        commit: GroupCommit,
        epoch: int,
        slots: int,
        unique: UniqueKeys,
    ) -> None:
        self._catalog = catalog
        self._collections = collections
        self._controller = controller
        self._commit = commit
        self._unique = unique
        self._changes = CatalogChanges(
            persist, oracle, catalog, store, collections, reads, controller, commit, epoch, unique
        )
        self._clusters = ClusterDefinitions(catalog, controller, self._changes, slots)
        self._connectors = ConnectorDefinitions(
            persist, oracle, catalog, collections, controller, self._changes, epoch
        )
        self.replacements = Replacements(
            persist, oracle, catalog, collections, reads, controller, self._changes
        )
        self.lock = asyncio.Lock()

    def open(self, item: Item) -> None:
        """Makes the collection of an item known that is in the catalog since before this start."""
        self._changes.open(item)

    async def execute(self, plan: Definition, notices: list[Notice], read: Read) -> Command:
        """`read` is what rows are checked with, at the latest time."""
        match plan:
            case CreateSchema():
                return await self._create_schema(plan, notices)
            case CreateTable():
                return await self._create_table(plan, notices)
            case CreateView():
                return await self._create_view(plan, notices)
            case CreateMaterializedView():
                return await self._create_materialized_view(plan, notices)
            case CreateIndex():
                return await self._create_index(plan, notices)
            case CreateSource():
                return await self._connectors.create_source(plan, notices)
            case CreateSink():
                return await self._connectors.create_sink(plan, notices)
            case CreateCluster():
                return await self._clusters.create(plan, notices)
            case AlterCluster():
                return await self._clusters.alter(plan)
            case Drop():
                return await self._drop(plan, notices)
            case Rename():
                await self._changes.apply(rename_changes(self._catalog, plan))
                if plan.kind is ObjectKind.CLUSTER:
                    self._controller.rename_clusters({plan.target: plan.new_name})
                return Command(f"ALTER {plan.kind.value}")
            case AlterTable():
                return await self._alter_table(plan, notices, read)
            case AlterRetention():
                await self._changes.apply([retention_change(self._catalog, plan)])
                return Command(f"ALTER {plan.kind.value}")
            case Swap():
                await self._changes.apply(swap_changes(self._catalog, plan))
                if plan.kind is ObjectKind.CLUSTER:
                    self._controller.rename_clusters({plan.first: plan.second, plan.second: plan.first})
                return Command(f"ALTER {plan.kind.value}")
            case ApplyReplacement():
                return await self.replacements.apply(plan)
            case Comment():
                await self._changes.apply(comment_changes(self._catalog, plan))
                return Command("COMMENT")
            case _:
                assert_never(plan)

    # -- create --

    async def _create_schema(self, plan: CreateSchema, notices: list[Notice]) -> Command:
        if self._catalog.schema_exists(plan.name):
            if not plan.if_not_exists:
                raise DuplicateObject(f'schema "{plan.name}" already exists', sqlstate="42P06")
            notices.append(skipping(f'schema "{plan.name}" already exists', "42P06"))
            return Command("CREATE SCHEMA")
        await self._changes.apply([Change(None, SchemaEntry(plan.name, self._catalog.allocate_oid()))])
        return Command("CREATE SCHEMA")

    async def _create_table(self, plan: CreateTable, notices: list[Notice]) -> Command:
        """CREATE TABLE AS is finished by the session: it inserts the query's rows."""
        if self._changes.exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE TABLE" if plan.query is None else "CREATE TABLE AS")
        constraints = tuple(replace(c, oid=self._catalog.allocate_oid()) for c in plan.constraints)
        item = self._changes.item(
            ItemKind.TABLE,
            plan.name,
            plan.schema,
            defaults=plan.defaults,
            constraints=constraints,
            options=retaining({}, plan.retain_history_ms),
        )
        await self._changes.create_stored(item, [])
        return Command("CREATE TABLE" if plan.query is None else "SELECT 0")

    async def _create_view(self, plan: CreateView, notices: list[Notice]) -> Command:
        old = self._catalog.find(plan.name.schema, plan.name.name)
        if old is not None and plan.or_replace:
            return await self._replace_view(old, plan)
        if self._changes.exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE VIEW")
        item = self._changes.item(
            ItemKind.VIEW,
            plan.name,
            plan.schema,
            relation=plan.relation,
            definition_sql=plan.definition_sql,
            uses=tuple(sorted(plan.uses)),
            columns=tuple(sorted(plan.columns)),
            options={"named": True} if plan.named else {},
        )
        await self._changes.apply([Change(None, item)])
        return Command("CREATE VIEW")

    async def _replace_view(self, old: Item, plan: CreateView) -> Command:
        """As in PostgreSQL the columns stay; what is maintained from the old definition forbids a new one."""
        if old.kind is not ItemKind.VIEW:
            raise DuplicateObject(f'"{old.name}" is not a view', sqlstate="42809")
        dependents = self._catalog.dependents(old.id)
        if dependents:
            raise DependentObjectsExist(
                f"cannot replace view {old.name} because other objects depend on it",
                detail=depends(dependents, old),
                hint="Drop them first, or DROP ... CASCADE and create them anew.",
            )
        new = replace(
            old,
            schema=plan.schema,
            relation=plan.relation,
            definition_sql=plan.definition_sql,
            uses=tuple(sorted(plan.uses)),
            columns=tuple(sorted(plan.columns)),
            options={"named": True} if plan.named else {},
        )
        await self._changes.apply([Change(old, new)])
        return Command("CREATE VIEW")

    async def _create_materialized_view(self, plan: CreateMaterializedView, notices: list[Notice]) -> Command:
        tag = "CREATE MATERIALIZED VIEW" if plan.replaces is None else "CREATE REPLACEMENT MATERIALIZED VIEW"
        dropped: list[Item] = []
        old = self._catalog.find(plan.name.schema, plan.name.name)
        if old is not None and plan.or_replace:
            dropped = dropped_with(self._catalog, [old], cascade=False)
        elif self._changes.exists(plan.name, plan.if_not_exists, notices):
            return Command(tag)
        options = retaining(self._shares(plan.relation, plan.cluster), plan.retain_history_ms)
        if plan.assert_not_null:
            options["assert_not_null"] = list(plan.assert_not_null)
        if plan.named:
            options["named"] = True
        if plan.replaces is not None:
            view = self._catalog.get(plan.replaces)
            check_cycle(self._catalog, view, tuple(plan.uses))
            check_losable(self._catalog, view)
            options["replaces"] = plan.replaces
        item = self._changes.item(
            ItemKind.MATERIALIZED_VIEW,
            plan.name,
            plan.schema,
            cluster=plan.cluster,
            relation=plan.relation,
            definition_sql=plan.definition_sql,
            uses=tuple(sorted(plan.uses)),
            columns=tuple(sorted(plan.columns)),
            options=options,
        )
        await self._changes.create_stored(item, dropped)
        return Command(tag)

    async def _create_index(self, plan: CreateIndex, notices: list[Notice]) -> Command:
        if self._changes.exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE INDEX")
        options = self._shares(plan.relation, plan.cluster)
        if plan.texts:
            options |= {"key_texts": list(plan.texts), "key_columns": dict(plan.columns)}
        item = self._changes.item(
            ItemKind.INDEX,
            plan.name,
            Schema(()),
            cluster=plan.cluster,
            relation=plan.relation,
            uses=(plan.on,),
            keys=plan.keys,
            options=options,
        )
        await self._changes.apply([Change(None, item)])
        self._collections.add_unstored(item.id, item.name)
        self._controller.install(item)
        return Command("CREATE INDEX")

    async def _alter_table(self, plan: AlterTable, notices: list[Notice], read: Read) -> Command:
        async with self._commit.frozen(plan.id):
            changes = await alter_table(self._catalog, self._unique, plan, read)
            old, new = changes[-1].before, changes[-1].after
            assert isinstance(old, Item)
            assert isinstance(new, Item)
            if new.stored_shape == old.stored_shape:
                if [c.nullable for c in new.schema] != [c.nullable for c in old.schema]:
                    indexes = self._catalog.indexes_on(new.id)
                    changes = [*changes, *(Change(index, index_over(index, new)) for index in indexes)]
                await self._changes.apply(changes)
            else:
                await self._changes.apply_evolved(changes, new)
            for change in changes:
                if plan.cascade and change.after is None and isinstance(change.before, Item):
                    message = f"drop cascades to {noun(change.before)} {change.before.name}"
                    notices.append(Notice("NOTICE", message, "00000"))
        notices.extend(Notice("NOTICE", notice, "00000") for notice in plan.notices)
        return Command(f"ALTER {plan.kind.value}")

    def _shares(self, relation: Relation, cluster: str) -> dict[str, Any]:
        """The option that says which indexes a dataflow shares; none where there are none."""
        chosen = indexes_for(self._catalog, dependencies(expand(relation, self._catalog)), cluster)
        return {SHARES: chosen} if chosen else {}

    # -- drop --

    async def _drop(self, plan: Drop, notices: list[Notice]) -> Command:
        tag = Command(f"DROP {plan.kind.value}")
        for name in plan.missing:
            noun = "relation" if plan.kind not in (ObjectKind.SCHEMA, ObjectKind.CLUSTER) else plan.kind.value
            notices.append(skipping(f'{noun.lower()} "{name}" does not exist', "00000"))
        match plan.kind:
            case ObjectKind.SCHEMA:
                for name in plan.names:
                    await self._drop_schema(name, plan.cascade)
            case ObjectKind.CLUSTER:
                for name in plan.names:
                    await self._clusters.drop(name, plan.cascade)
            case _:
                roots = [self._catalog.get(id_) for id_ in plan.ids]
                await self._changes.apply(
                    [Change(item, None) for item in dropped_with(self._catalog, roots, plan.cascade)]
                )
        return tag

    async def _drop_schema(self, name: str, cascade: bool) -> None:
        if name in SYSTEM_SCHEMAS:
            raise DependentObjectsExist(f"cannot drop schema {name} because it is required by the system")
        entry = schema_entry(self._catalog, name)
        roots = [item for item in self._catalog.user_items() if item.schema_name == name]
        refuse_unless_empty(f"schema {name}", roots, cascade, f"depends on schema {name}")
        dropped = dropped_with(self._catalog, roots, cascade)
        await self._changes.apply([*(Change(item, None) for item in dropped), Change(entry, None)])

    async def drop_created(self, item: Item) -> None:
        """Takes back a table whose filling failed."""
        async with self.lock:
            await self._changes.apply([Change(item, None)])

    async def drop_temporary(self, schema: str) -> None:
        """The session that owned the temporary schema has ended."""
        roots = [item for item in self._catalog.user_items() if item.schema_name == schema]
        if roots:
            async with self.lock:
                await self._changes.apply(
                    [Change(item, None) for item in dropped_with(self._catalog, roots, cascade=True)]
                )
