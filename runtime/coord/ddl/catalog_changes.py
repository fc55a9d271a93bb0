"""The one way to change the catalog: durable first, then visible; then shards and replicas follow.

A crash in between leaves at most shards that no item names, which the next start drops.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial

from ...errors import Fenced
from ...persist.client import PersistClient, ShardId
from ...persist.consensus.base import Indeterminate
from ...replica.protocol import Updates
from ...repr.schema import Schema
from ...sql.catalog.catalog_view import ItemKind
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry, Item
from ..controller import Controller
from ..storage.catalog_store import CatalogStore
from ..storage.collections import HOLDER, Collections
from ..storage.group_commit import Defined, GroupCommit
from ..storage.oracle import Oracle
from ..storage.reads import ActiveReads
from ..storage.remap import REMAP_SCHEMA
from ..storage.unique_keys import UniqueKeys
from .sinks import switched

Append = Callable[[Defined], Awaitable[None]]
"""Makes what a block has defined durable, with its rows."""

STORED = (ItemKind.TABLE, ItemKind.SOURCE, ItemKind.MATERIALIZED_VIEW)


class CatalogChanges:
    """Those of one statement, or of one block, at a time."""

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

    async def apply(self, changes: Iterable[Change]) -> None:
        """Durable first, then visible; then what was dropped is stopped and its shards go, and what is new begins."""
        loop = asyncio.get_running_loop()
        # Until the catalog has a view, nothing else keeps its inputs readable at the time at which it begins.
        with self._reads.at(self._oracle.read_time) as now:
            changes = self._with_ids(switched(change, now) for change in changes)
            if not changes:
                return
            await loop.run_in_executor(self._commit.thread, self._save, changes, now)
            self._switch(changes)
            for item in _altered(changes):
                await loop.run_in_executor(self._commit.thread, self._evolve, item)
            for item in _created(changes):
                self.open(item)
                self._controller.install(item)  # from now on indexes that it shares are held readable, too
        await self._settle(changes)

    async def commit(self, changes: Iterable[Change], append: Append) -> None:
        """As `apply`, of a block's changes, durable in one transaction with its rows: `append` makes them so, or raises.

        Shards of its tables are there before, as rows are to be written to them.
        """
        loop = asyncio.get_running_loop()
        with self._reads.at(self._oracle.read_time) as now:
            changes = self._with_ids(_born(change, now) for change in changes)
            made = [item for item in _created(changes) if item.kind in STORED]
            try:
                for item in made:
                    await loop.run_in_executor(self._commit.thread, self._create_shards, item, now)
                    self.open(item)
                evolved = {item.id: self._known(item) for item in _altered(changes)}
                await append(Defined(self._store.writes(changes), evolved, partial(self._begin, changes)))
            except (Fenced, Indeterminate):
                raise  # whether it is durable is not known here
            except BaseException:
                for item in made:
                    self._collections.remove(item.id)
                await self._drop_shards(made)
                raise
        await self._settle(changes)

    def _with_ids(self, changes: Iterable[Change]) -> list[Change]:
        changes = list(changes)
        if changes and (ids := self._catalog.ids_change()) is not None:
            changes.append(ids)
        return changes

    def _begin(self, changes: list[Change]) -> None:
        """A block's changes are durable; its tables and views are open already."""
        self._switch(changes)
        for item in _created(changes):
            if item.kind not in STORED:
                self.open(item)
            self._controller.install(item)

    def _switch(self, changes: list[Change]) -> None:
        """The changes are durable, and from now on so for everybody."""
        self._catalog.apply(changes)
        for change in changes:
            match change:
                case Change(Item() as old, Item() as new):
                    kept = {constraint.oid for constraint in new.constraints}
                    self._unique.forget([c for c in old.constraints if c.oid not in kept])
                    if new.kind is ItemKind.TABLE and new.stored_shape != old.stored_shape:
                        known = len(new.stored_columns) - len(new.physical) + len(old.physical)
                        self._collections.evolve(new.id, new.stored_columns[known:], new.dropped_places)
                case Change(Item() as old, None):
                    self._controller.uninstall(old)
                    self._collections.remove(old.id)
                    self._unique.forget(old.constraints)
        renamed = self._rename_clusters(changes)
        for change in changes:
            match change:
                case Change(Item(kind=ItemKind.SINK) as old, Item() as new):
                    place = renamed.get(old.cluster, old.cluster) if old.cluster is not None else None
                    if place != new.cluster or old.generation != new.generation:
                        self._controller.move(replace(old, cluster=place), new)
        self._collections.wake()

    def _rename_clusters(self, changes: list[Change]) -> dict[str, str]:
        """What runs in clusters goes on under their new names; what was dropped has been stopped under the old ones."""
        names = {
            change.before.name: change.after.name
            for change in changes
            if isinstance(change.before, ClusterEntry) and isinstance(change.after, ClusterEntry)
        }
        renamed = {old: new for old, new in names.items() if old != new}
        if renamed:
            self._controller.rename_clusters(renamed)
        return renamed

    async def _settle(self, changes: list[Change]) -> None:
        """Shards of what was dropped go, when nobody writes to them any more."""
        await self._commit.drained()
        await self._drop_shards(
            [change.before for change in changes if isinstance(change.before, Item) and change.after is None]
        )

    async def _drop_shards(self, items: Iterable[Item]) -> None:
        loop = asyncio.get_running_loop()
        for item in items:
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

    def _save(self, changes: list[Change], now: int) -> None:
        for item in _created(changes):
            self._create_shards(item, now)
        self._store.save(changes)

    def _create_shards(self, item: Item, now: int) -> None:
        """A view's contents begin at the time of the statement.  Columns that were added in the same block follow by
        `open`."""
        if item.shard is not None:
            since = now if item.kind is ItemKind.MATERIALIZED_VIEW else 0
            first = len(item.physical) - len(item.missing)
            schema = Schema(item.physical.columns[:first])
            self._persist.create_shard(item.shard, schema, since, epoch=self._epoch)
            # Held from the first moment, so that no reader's lease can move the shard's since.
            self._persist.set_hold(item.shard, HOLDER, since, critical=True, epoch=self._epoch)
        if item.remap is not None:
            self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)

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
        return self._persist.evolve_schema(item.shard, self._known(item), epoch=self._epoch).schema

    def _known(self, item: Item) -> Schema:
        """What the table's shard is to know of its columns."""
        assert item.shard is not None
        known = self._persist.state(item.shard).schema  # under the names that its columns had at first
        first = len(item.physical) - len(item.missing)
        columns = (*known.columns, *item.stored_columns[len(known) - first :])
        gone = item.dropped_places
        return Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))


def _created(changes: Iterable[Change]) -> list[Item]:
    """In order, so that every object comes after those it uses."""
    found = [c.after for c in changes if c.before is None and isinstance(c.after, Item)]
    return sorted(found, key=lambda item: int(item.id[1:]))


def _altered(changes: Iterable[Change]) -> list[Item]:
    """Tables whose rows are stored with other columns from now on."""
    return [
        change.after
        for change in changes
        if isinstance(change.before, Item)
        and isinstance(change.after, Item)
        and change.after.kind is ItemKind.TABLE
        and change.after.stored_shape != change.before.stored_shape
    ]


def _born(change: Change, now: int) -> Change:
    """What a block creates or switches, for everybody else, when it commits."""
    if change.before is None and isinstance(change.after, Item):
        return Change(None, replace(change.after, created_at=now))
    return switched(change, now)


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
