"""The one way to change the catalog: durable first, then visible; then shards and replicas follow.

A crash in between leaves at most shards that no item names, which the next start drops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ...errors import DuplicateObject, UndefinedSchema
from ...persist.client import PersistClient, ShardId
from ...replica.protocol import Updates
from ...repr.schema import Schema
from ...sql.plans import (
    ItemKind,
    QualifiedName,
)
from ..catalog import (
    Catalog,
    Change,
    Item,
)
from ..catalog_store import CatalogStore
from ..collections import HOLDER, Collections
from ..controller import Controller
from ..group_commit import GroupCommit
from ..oracle import Oracle
from ..reads import ActiveReads
from ..remap import REMAP_SCHEMA
from ..results import Notice
from ..unique_keys import UniqueKeys
from .alter_table import index_over

STORED = (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.MATERIALIZED_VIEW)


class CatalogChanges:
    """Those of one statement at a time, and what statements that create something have in common."""

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
        self._unique = unique

    def exists(self, name: QualifiedName, if_not_exists: bool, notices: list[Notice]) -> bool:
        """Whether the name is taken, which IF NOT EXISTS notices; raises without, and when there is no such schema."""
        if not self._catalog.schema_exists(name.schema) and not name.schema.startswith("pg_temp_"):
            raise UndefinedSchema(
                f'schema "{name.schema}" does not exist', hint=f'CREATE SCHEMA "{name.schema}" first.'
            )
        if self._catalog.item(name.schema, name.name) is None:
            return False
        if not if_not_exists:
            raise DuplicateObject(f'relation "{name.name}" already exists')
        notices.append(skipping(f'relation "{name.name}" already exists', "42P07"))
        return True

    def item(self, kind: ItemKind, name: QualifiedName, schema: Schema, **fields: Any) -> Item:
        """One that is not in the catalog yet, with ids that nothing else has had."""
        id_, oid = self._catalog.allocate()
        return Item(
            id_, oid, kind, name.schema, name.name, schema, created_at=self._oracle.read_time, **fields
        )

    async def apply(self, changes: Iterable[Change]) -> None:
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

    async def replace(self, view: Item, replacement: Item, difference: Updates) -> None:
        """Gives the view the definition and the dataflow of its replacement, which goes, and the difference between them:
        all of it in one transaction.  Both dataflows stand still where the difference ends."""
        new = replaced(view, replacement)
        changes = [Change(view, new), Change(replacement, None)]
        if (ids := self._catalog.ids_change()) is not None:
            changes.append(ids)

        def switch() -> None:
            self._catalog.apply(changes)
            self._controller.withdraw(view, replacement, difference.upper - 1)

        await self._commit.replace(difference, self._store.writes(changes), switch)
        self._controller.adopt(new, replacement, difference.upper)
        self._collections.remove(replacement.id)
        self._collections.wake()
        await self._commit.drained()
        assert replacement.shard is not None
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._commit.thread, self._drop_shard, replacement.shard)

    def _drop_shard(self, shard: ShardId) -> None:
        self._persist.drop_shard(shard, epoch=self._epoch)

    async def create_stored(self, item: Item, dropped: list[Item]) -> None:
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
            await self.apply([*(Change(old, None) for old in dropped), Change(None, item)])
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

    async def apply_evolved(self, changes: list[Change], new: Item) -> None:
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
        await self.apply(changes)
        await asyncio.get_running_loop().run_in_executor(self._commit.thread, self._evolve, new)
        for index in rebuilt:
            self._collections.add_unstored(index.id, index.name)
            self._controller.install(index)


def replaced(view: Item, replacement: Item) -> Item:
    """The view with the definition of its replacement."""
    options = {name: value for name, value in replacement.options.items() if name != "replaces"}
    if replacement.schema.names != view.schema.names:  # columns were renamed meanwhile
        options["named"] = True
    if "retain_history_ms" in view.options:
        options.setdefault("retain_history_ms", view.options["retain_history_ms"])
    return replace(
        view,
        cluster=replacement.cluster,
        relation=replacement.relation,
        definition_sql=replacement.definition_sql,
        uses=replacement.uses,
        columns=replacement.columns,
        options={**options, "replaced": True, "state": replacement.state_name},
    )


def skipping(message: str, sqlstate: str) -> Notice:
    return Notice("NOTICE", f"{message}, skipping", sqlstate)
