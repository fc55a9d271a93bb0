"""Definitions: CREATE, DROP, ALTER, COMMENT.

Each statement becomes catalog changes, made durable in one transaction; then shards are opened or closed and replicas
told.  A crash in between leaves at most shards that no item names, which the next start drops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, assert_never

from ..config import ClusterOptions
from ..errors import DependentObjectsExist, DuplicateObject, InvalidParameter, UndefinedSchema, Unsupported
from ..expr.relation import Relation, dependencies
from ..persist.client import PersistClient, ShardId
from ..replica.egress import open_sink
from ..replica.ingest import open_source
from ..repr.schema import Schema
from ..sql.plans import (
    AlterCluster,
    AlterTable,
    Comment,
    CounterConnector,
    CreateCluster,
    CreateIndex,
    CreateMaterializedView,
    CreateSchema,
    CreateSink,
    CreateSource,
    CreateTable,
    CreateView,
    Drop,
    FileConnector,
    ItemKind,
    ObjectKind,
    QualifiedName,
    Rename,
    Swap,
)
from .alter_table import alter_table, index_over
from .alterations import comment_changes, rename_changes, schema_entry, swap_changes
from .catalog import (
    SYSTEM_SCHEMAS,
    Catalog,
    Change,
    ClusterEntry,
    Item,
    SchemaEntry,
)
from .catalog_store import CatalogStore
from .collections import HOLDER, Collections
from .controller import Controller
from .dependents import depends, dropped_with, noun, refuse_unless_empty
from .group_commit import GroupCommit
from .key_lookup import Read
from .oracle import Oracle
from .reads import ActiveReads
from .remap import REMAP_SCHEMA
from .results import Command, Notice
from .shared_indexes import OPTION as SHARES
from .shared_indexes import indexes_for
from .unique_keys import UniqueKeys
from .views import expand

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
    | AlterTable
    | Drop
    | Rename
    | Swap
    | Comment
)

STORED = (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.MATERIALIZED_VIEW)


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
        self._persist = persist
        self._oracle = oracle
        self._catalog = catalog
        self._store = store
        self._collections = collections
        self._reads = reads
        self._controller = controller
        self._commit = commit
        self._epoch = epoch
        self._slots = slots
        self._unique = unique
        self.lock = asyncio.Lock()

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
                return await self._create_source(plan, notices)
            case CreateSink():
                return await self._create_sink(plan, notices)
            case CreateCluster():
                return await self._create_cluster(plan, notices)
            case AlterCluster():
                return await self._alter_cluster(plan)
            case Drop():
                return await self._drop(plan, notices)
            case Rename():
                await self._apply(rename_changes(self._catalog, plan))
                return Command(f"ALTER {plan.kind.value}")
            case AlterTable():
                return await self._alter_table(plan, notices, read)
            case Swap():
                await self._apply(swap_changes(self._catalog, plan))
                return Command(f"ALTER {plan.kind.value}")
            case Comment():
                await self._apply(comment_changes(self._catalog, plan))
                return Command("COMMENT")
            case _:
                assert_never(plan)

    # -- create --

    async def _create_schema(self, plan: CreateSchema, notices: list[Notice]) -> Command:
        if self._catalog.schema_exists(plan.name):
            if not plan.if_not_exists:
                raise DuplicateObject(f'schema "{plan.name}" already exists', sqlstate="42P06")
            notices.append(_skipping(f'schema "{plan.name}" already exists', "42P06"))
            return Command("CREATE SCHEMA")
        await self._apply([Change(None, SchemaEntry(plan.name, self._catalog.allocate_oid()))])
        return Command("CREATE SCHEMA")

    async def _create_table(self, plan: CreateTable, notices: list[Notice]) -> Command:
        """CREATE TABLE AS is finished by the session: it inserts the query's rows."""
        if self._exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE TABLE" if plan.query is None else "CREATE TABLE AS")
        constraints = tuple(replace(c, oid=self._catalog.allocate_oid()) for c in plan.constraints)
        item = self._item(
            ItemKind.TABLE, plan.name, plan.schema, defaults=plan.defaults, constraints=constraints
        )
        await self._create_stored(item, [])
        return Command("CREATE TABLE" if plan.query is None else "SELECT 0")

    async def _create_view(self, plan: CreateView, notices: list[Notice]) -> Command:
        old = self._catalog.find(plan.name.schema, plan.name.name)
        if old is not None and plan.or_replace:
            return await self._replace_view(old, plan)
        if self._exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE VIEW")
        item = self._item(
            ItemKind.VIEW,
            plan.name,
            plan.schema,
            relation=plan.relation,
            definition_sql=plan.definition_sql,
            uses=tuple(sorted(plan.uses)),
            columns=tuple(sorted(plan.columns)),
        )
        await self._apply([Change(None, item)])
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
        )
        await self._apply([Change(old, new)])
        return Command("CREATE VIEW")

    async def _create_materialized_view(self, plan: CreateMaterializedView, notices: list[Notice]) -> Command:
        tag = "CREATE MATERIALIZED VIEW"
        dropped: list[Item] = []
        old = self._catalog.find(plan.name.schema, plan.name.name)
        if old is not None and plan.or_replace:
            dropped = dropped_with(self._catalog, [old], cascade=False)
        elif self._exists(plan.name, plan.if_not_exists, notices):
            return Command(tag)
        options = self._shares(plan.relation, plan.cluster)
        if plan.retain_history_ms is not None:
            options["retain_history_ms"] = plan.retain_history_ms
        item = self._item(
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
        await self._create_stored(item, dropped)
        return Command(tag)

    async def _create_index(self, plan: CreateIndex, notices: list[Notice]) -> Command:
        if self._exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE INDEX")
        item = self._item(
            ItemKind.INDEX,
            plan.name,
            Schema(()),
            cluster=plan.cluster,
            relation=plan.relation,
            uses=(plan.on,),
            keys=plan.keys,
            options=self._shares(plan.relation, plan.cluster),
        )
        await self._apply([Change(None, item)])
        self._collections.add_unstored(item.id, item.name)
        self._controller.install(item)
        return Command("CREATE INDEX")

    async def _create_source(self, plan: CreateSource, notices: list[Notice]) -> Command:
        if self._exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE SOURCE")
        connector, options = _connector(plan.connector)
        # Options and columns that do not go together are refused here; files are not touched yet.
        open_source(connector, options, plan.schema, plan.key, plan.envelope.value)
        item = self._item(
            ItemKind.SOURCE,
            plan.name,
            plan.schema,
            cluster=plan.cluster,
            create_sql=plan.create_sql,
            options={
                "label": plan.name.name,
                "connector": connector,
                "connector_options": options,
                "key": list(plan.key),
                "envelope": plan.envelope.value,
            },
        )
        await self._create_stored(replace(item, remap=f"{item.id}-remap"), [])
        return Command("CREATE SOURCE")

    async def _create_sink(self, plan: CreateSink, notices: list[Notice]) -> Command:
        if self._exists(plan.name, plan.if_not_exists, notices):
            return Command("CREATE SINK")
        if plan.from_id not in self._collections:
            raise Unsupported(
                "a sink reads a table, a source or a materialized view",
                hint="Make the view a materialized one.",
            )
        for other in self._catalog.user_items():
            if (
                other.kind is ItemKind.SINK
                and other.options["connector_options"]["path"] == plan.connector.path
            ):
                raise InvalidParameter(
                    f'sink "{other.name}" writes to "{plan.connector.path}" already',
                    hint="Give every sink a directory of its own.",
                )
        options = {"path": plan.connector.path, "format": plan.connector.format}
        open_sink("", options, plan.relation.schema, plan.envelope.value, plan.key)
        item = self._item(
            ItemKind.SINK,
            plan.name,
            plan.relation.schema,
            cluster=plan.cluster,
            create_sql=plan.create_sql,
            uses=(plan.from_id,),
            options={
                "connector": "file",
                "connector_options": options,
                "key": list(plan.key),
                "envelope": plan.envelope.value,
                "as_of": self._oracle.read_time,
            },
        )
        item = replace(item, remap=f"{item.id}-progress")
        assert item.remap is not None
        self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)
        await self._apply([Change(None, item)])
        self._controller.install(item)
        return Command("CREATE SINK")

    async def _create_cluster(self, plan: CreateCluster, notices: list[Notice]) -> Command:
        if self._catalog.cluster(plan.name) is not None:
            if not plan.if_not_exists:
                raise DuplicateObject(f'cluster "{plan.name}" already exists', sqlstate="42710")
            notices.append(_skipping(f'cluster "{plan.name}" already exists', "42710"))
            return Command("CREATE CLUSTER")
        entries = self._catalog.cluster_entries()
        self._check_slots(None, plan.options)
        number = max((int(entry.id[1:]) for entry in entries), default=0) + 1
        entry = ClusterEntry(f"c{number}", plan.name, dict(plan.options))
        await self._apply([Change(None, entry)])
        self._controller.set_cluster(entry)
        return Command("CREATE CLUSTER")

    async def _alter_cluster(self, plan: AlterCluster) -> Command:
        entry = self._cluster(plan.name)
        self._check_slots(entry, plan.options)
        changed = replace(entry, options={**entry.options, **plan.options})
        await self._apply([Change(entry, changed)])
        self._controller.set_cluster(changed)
        return Command("ALTER CLUSTER")

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
                await self._apply(changes)
            else:
                await self._apply_evolved(changes, new)
            for change in changes:
                if plan.cascade and change.after is None and isinstance(change.before, Item):
                    message = f"drop cascades to {noun(change.before)} {change.before.name}"
                    notices.append(Notice("NOTICE", message, "00000"))
        notices.extend(Notice("NOTICE", notice, "00000") for notice in plan.notices)
        return Command(f"ALTER {plan.kind.value}")

    async def _apply_evolved(self, changes: list[Change], new: Item) -> None:
        """Rows stay as they are stored, and views go on; indexes on the table are built again, with its columns now."""
        gone = {change.before.id for change in changes[:-1] if isinstance(change.before, Item)}
        indexes = [index for index in self._catalog.indexes_on(new.id) if index.id not in gone]
        rebuilt = []
        changes = [*changes]
        for index in indexes:
            id_, _ = self._catalog.allocate()
            again = replace(index_over(index, new), id=id_)
            rebuilt.append(again)
            changes += [Change(index, None), Change(None, again)]
        await self._apply(changes)
        await asyncio.get_running_loop().run_in_executor(self._commit.thread, self._evolve, new)
        for index in rebuilt:
            self._collections.add_unstored(index.id, index.name)
            self._controller.install(index)

    def _check_slots(self, changed: ClusterEntry | None, options: Mapping[str, int]) -> None:
        """Refuses more replicas than Spark has slots for."""
        others = [entry.options for entry in self._catalog.cluster_entries() if entry is not changed]
        base = changed.options if changed is not None else {}
        counts = [ClusterOptions.from_mapping(o).replication_factor for o in (*others, {**base, **options})]
        if sum(counts) > self._slots:
            raise InvalidParameter(
                f"that would be {sum(counts)} replicas, and there is room for {self._slots}",
                sqlstate="53000",
                hint="Start the runtime with --set replica_slots=N; a spark_master of your own needs the cores.",
            )

    def _shares(self, relation: Relation, cluster: str) -> dict[str, Any]:
        """The option that says which indexes a dataflow shares; none where there are none."""
        chosen = indexes_for(self._catalog, dependencies(expand(relation, self._catalog)), cluster)
        return {SHARES: chosen} if chosen else {}

    def _item(self, kind: ItemKind, name: QualifiedName, schema: Schema, **fields: Any) -> Item:
        id_, oid = self._catalog.allocate()
        return Item(
            id_, oid, kind, name.schema, name.name, schema, created_at=self._oracle.read_time, **fields
        )

    async def _create_stored(self, item: Item, dropped: list[Item]) -> None:
        """An item with a shard.  A view's contents begin at the time of the statement."""
        # Until the catalog has the view, nothing else keeps its inputs readable at that time.
        with self._reads.at(self._oracle.read_time) as now:
            since = now if item.kind is ItemKind.MATERIALIZED_VIEW else 0
            item = replace(item, shard=item.id)
            self._persist.create_shard(item.id, item.schema, since, epoch=self._epoch)
            # Held from the first moment, so that no reader's lease can move the shard's since.
            self._persist.set_hold(item.id, HOLDER, since, critical=True, epoch=self._epoch)
            if item.remap is not None:
                self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)
            await self._apply([*(Change(old, None) for old in dropped), Change(None, item)])
            self.open(item)
            self._controller.install(item)  # from now on indexes that it shares are held readable, too

    def open(self, item: Item) -> None:
        """Makes a stored item's collection known."""
        if item.kind is ItemKind.INDEX:
            self._collections.add_unstored(item.id, item.name)
        elif item.kind in STORED:
            assert item.shard is not None
            stamped = item.kind is not ItemKind.MATERIALIZED_VIEW
            evolved = bool(item.missing or item.layout)
            schema = self._evolve(item) if evolved else item.schema
            self._collections.add(item.id, item.name, item.shard, schema, stamped=stamped)
            if evolved:
                self._collections.evolve(item.id, ())

    def _evolve(self, item: Item) -> Schema:
        """Lets the table's shard know of columns that were added or dropped, should it not yet."""
        assert item.shard is not None
        known = self._persist.state(item.shard).schema  # under the names that its columns had at first
        first = len(item.physical) - len(item.missing)
        columns = (*known.columns, *item.stored_columns[len(known) - first :])
        gone = item.dropped_places
        wanted = Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))
        return self._persist.evolve_schema(item.shard, wanted, epoch=self._epoch).schema

    # -- drop --

    async def _drop(self, plan: Drop, notices: list[Notice]) -> Command:
        tag = Command(f"DROP {plan.kind.value}")
        for name in plan.missing:
            noun = "relation" if plan.kind not in (ObjectKind.SCHEMA, ObjectKind.CLUSTER) else plan.kind.value
            notices.append(_skipping(f'{noun.lower()} "{name}" does not exist', "00000"))
        match plan.kind:
            case ObjectKind.SCHEMA:
                for name in plan.names:
                    await self._drop_schema(name, plan.cascade)
            case ObjectKind.CLUSTER:
                for name in plan.names:
                    await self._drop_cluster(name, plan.cascade)
            case _:
                roots = [self._catalog.get(id_) for id_ in plan.ids]
                await self._apply(
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
        await self._apply([*(Change(item, None) for item in dropped), Change(entry, None)])

    async def _drop_cluster(self, name: str, cascade: bool) -> None:
        entry = self._cluster(name)
        roots = [item for item in self._catalog.user_items() if item.cluster == name]
        refuse_unless_empty(f'cluster "{name}"', roots, cascade, "runs in it")
        await self._apply([Change(item, None) for item in dropped_with(self._catalog, roots, cascade)])
        self._controller.drop_cluster(entry)
        await self._apply([Change(entry, None)])

    async def drop_created(self, item: Item) -> None:
        """Takes back a table whose filling failed."""
        async with self.lock:
            await self._apply([Change(item, None)])

    async def drop_temporary(self, schema: str) -> None:
        """The session that owned the temporary schema has ended."""
        roots = [item for item in self._catalog.user_items() if item.schema_name == schema]
        if roots:
            async with self.lock:
                await self._apply(
                    [Change(item, None) for item in dropped_with(self._catalog, roots, cascade=True)]
                )

    # -- the one way to change the catalog --

    async def _apply(self, changes: Iterable[Change]) -> None:
        """Durable first, then visible; then what was dropped is stopped and its shards go."""
        changes = list(changes)
        if not changes:
            return
        if (ids := self._catalog.ids_change()) is not None:
            changes.append(ids)
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._commit.thread, self._store.save, changes)
        dropped = [c.before for c in changes if isinstance(c.before, Item) and c.after is None]
        self._catalog.apply(changes)
        for change in changes:
            match change:
                case Change(Item() as old, Item(kind=ItemKind.TABLE) as new) if (
                    new.stored_shape != old.stored_shape
                ):
                    known = len(new.stored_columns) - len(new.physical) + len(old.physical)
                    self._collections.evolve(new.id, new.stored_columns[known:], new.dropped_places)
        for item in dropped:
            self._controller.uninstall(item)
            self._collections.remove(item.id)
            self._unique.forget(item.constraints)
        self._collections.wake()
        await self._commit.drained()
        for item in dropped:
            for shard in (item.shard, item.remap):
                if shard is not None:
                    await loop.run_in_executor(self._commit.thread, self._drop_shard, shard)

    def _drop_shard(self, shard: ShardId) -> None:
        self._persist.drop_shard(shard, epoch=self._epoch)

    def _exists(self, name: QualifiedName, if_not_exists: bool, notices: list[Notice]) -> bool:
        if not self._catalog.schema_exists(name.schema) and not name.schema.startswith("pg_temp_"):
            raise UndefinedSchema(
                f'schema "{name.schema}" does not exist', hint=f'CREATE SCHEMA "{name.schema}" first.'
            )
        if self._catalog.item(name.schema, name.name) is None:
            return False
        if not if_not_exists:
            raise DuplicateObject(f'relation "{name.name}" already exists')
        notices.append(_skipping(f'relation "{name.name}" already exists', "42P07"))
        return True

    def _cluster(self, name: str) -> ClusterEntry:
        entry = self._catalog.cluster(name)
        if entry is None:
            raise InvalidParameter(f'unknown cluster "{name}"', sqlstate="42704")
        return entry


def _connector(connector: FileConnector | CounterConnector) -> tuple[str, dict[str, Any]]:
    match connector:
        case FileConnector():
            return "file", {
                "path": connector.path,
                "format": connector.format,
                "delimiter": connector.delimiter,
                "header": connector.header,
                "pattern": connector.pattern,
            }
        case CounterConnector():
            return "counter", {
                "tick_ms": connector.tick_ms,
                "max_cardinality": connector.max_cardinality,
            }
        case _:
            assert_never(connector)


def _skipping(message: str, sqlstate: str) -> Notice:
    return Notice("NOTICE", f"{message}, skipping", sqlstate)
