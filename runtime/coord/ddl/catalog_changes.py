"""The one way to change the catalog: durable first, and in the same moment so for everybody.

A crash in between leaves at most shards that no item names, which the next start drops.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeVar

from ...errors import DuplicateObject, Fenced, PtvcError, SerializationFailure, UndefinedSchema
from ...persist.client import PersistClient, ShardId, Write
from ...persist.consensus.base import Indeterminate
from ...replica.protocol import Updates
from ...repr.schema import Schema
from ...supervision import Supervisor
from ..catalog.catalog import Catalog
from ..catalog.entries import Change, ClusterEntry
from ..catalog.items import (
    External,
    Index,
    Item,
    ItemBase,
    MaterializedView,
    Relational,
    Running,
    Sink,
    Stored,
    Table,
    shards_of,
)
from ..controller import Controller
from ..storage.acceptance import completed, settled
from ..storage.catalog_store import CatalogStore
from ..storage.collections import HOLDER, Collections
from ..storage.group_commit import Defined, GroupCommit
from ..storage.oracle import Oracle
from ..storage.reads import ActiveReads
from ..storage.remap import REMAP_SCHEMA
from ..storage.unique_keys import UniqueKeys
from .sinks import switched

logger = logging.getLogger(__name__)

T = TypeVar("T")

Append = Callable[[Defined], Awaitable[None]]
"""Makes what a block has defined durable, with its rows."""


class CatalogChanges:
    """Those of one statement, or of one block, at a time: the lock of definitions is held.

    ```
    validated ── shards created ── [accepted: durable ── memory: catalog, collections, replicas] ── shards dropped
    ```

    A cancel before the acceptance takes everything back; one after it changes nothing.
    """

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
        supervisor: Supervisor,
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
        self._supervisor = supervisor

    async def apply(self, changes: Iterable[Change]) -> None:
        """Makes the changes of a statement by itself durable, and then so."""
        await self.commit(changes, self._commit.define)

    async def commit(self, changes: Iterable[Change], append: Append) -> None:
        """As `apply`, of a block's changes, durable in one transaction with its rows: `append` makes them so, or raises.

        Shards are there before, as rows may be written to them; what fails before the transaction takes them back.
        """
        # Until the catalog has a view, nothing else keeps its inputs readable at the time at which it begins.
        with self._reads.at(self._oracle.read_time) as now:
            changes = self._with_ids(_born(change, now) for change in changes)
            if not changes:
                return
            validate(self._catalog, changes)
            evolved = {item.id: self._known(item) for item in _altered(changes)}
            made = [item for item in _created(changes) if isinstance(item, Stored | External)]
            opened: list[Stored] = []
            durable = False

            def begin() -> None:
                nonlocal durable
                durable = True
                self._begin(changes)

            try:
                rows = await self._in_thread(partial(self._prepare, made, changes, now))
                for item in made:
                    if isinstance(item, Stored):
                        opened.append(item)
                        self.open(item)
                await append(Defined(rows, evolved, begin))
            except (Fenced, Indeterminate):
                raise  # whether it is durable is not known here
            except BaseException as error:
                if durable:  # the session's task was cancelled meanwhile; what it has defined is there
                    self._supervisor.run("drop shards", self._drop_shards(_dropped(changes)))
                    raise
                for item in opened:
                    self._collections.remove(item.id)
                taken_back = self._supervisor.run("drop shards", self._drop_shards(made))
                if not isinstance(error, asyncio.CancelledError):  # who cancels waits for no store
                    await completed(taken_back)
                raise
        await self._settle(changes)

    async def replace(
        self, view: MaterializedView, replacement: MaterializedView, difference: Updates
    ) -> None:
        """Gives the view the definition and the dataflow of its replacement, which goes, and the difference between them:
        all of it in one transaction.  Both dataflows stand still where the difference ends."""
        new = replaced(view, replacement)
        changes = self._with_ids([Change(view, new), Change(replacement, None)])
        validate(self._catalog, changes)

        def switch() -> None:
            self._catalog.apply(changes)
            self._controller.withdraw(view, replacement, difference.upper - 1)

        def adopt() -> None:
            self._controller.adopt(new, replacement, difference.upper)
            self._collections.remove(replacement.id)
            self._collections.wake()

        rows = await self._in_thread(partial(self._store.writes, changes))
        await self._commit.replace(difference, Defined(rows, {}, switch, adopt))
        await self._settle([Change(replacement, None)])

    def open(self, item: Item) -> None:
        """Makes a stored item's collection known; its shards were created, or loaded."""
        if isinstance(item, Index):
            self._collections.add_unstored(item.id, item.name)
        elif isinstance(item, Stored):
            timestamped = not isinstance(item, MaterializedView)
            evolved = isinstance(item, Table) and item.layout.evolved
            schema = self._persist.mirror.state(item.shard).schema if evolved else item.schema
            self._collections.add(item.id, item.name, item.shard, schema, timestamped=timestamped)
            if evolved:
                self._collections.evolve(item.id, ())

    def load(self, item: Item) -> None:
        """Reads the item's shards from the store: one that is in the catalog since before this start.  Blocks."""
        for shard in shards_of(item):
            self._persist.mirror.load(shard)
        if isinstance(item, Table) and item.layout.evolved:
            self._persist.evolve_schema(item.shard, self._known(item), epoch=self._epoch)
        self.open(item)

    # -- in memory --

    def _with_ids(self, changes: Iterable[Change]) -> list[Change]:
        changes = list(changes)
        if changes and (ids := self._catalog.ids_change()) is not None:
            changes.append(ids)
        return changes

    def _begin(self, changes: list[Change]) -> None:
        """The changes are durable, and from now on so for everybody; shards of what is new are open."""
        self._catalog.apply(changes)
        for change in changes:
            match change:
                case Change(Table() as old, Table() as new):
                    kept = {constraint.oid for constraint in new.constraints}
                    self._unique.forget([c for c in old.constraints if c.oid not in kept])
                    if new.stored_shape != old.stored_shape:
                        known = len(new.stored_columns) - len(new.physical) + len(old.physical)
                        dropped = new.layout.dropped_places
                        self._collections.evolve(new.id, new.stored_columns[known:], dropped)
                case Change(ItemBase() as old, None):
                    self._controller.uninstall(old)
                    self._collections.remove(old.id)
                    if isinstance(old, Table):
                        self._unique.forget(old.constraints)
        self._change_clusters(changes)
        for item in _created(changes):
            if not isinstance(item, Stored):
                self.open(item)
            self._controller.install(item)  # from now on indexes that it shares are held readable, too
        self._collections.wake()

    def _change_clusters(self, changes: list[Change]) -> None:
        """What runs in renamed clusters goes on under their new names; what was dropped has been stopped."""
        names: dict[str, str] = {}
        for change in changes:
            match change:
                case Change(ClusterEntry() as old, ClusterEntry() as new) if old.name != new.name:
                    names[old.name] = new.name
        if names:
            self._controller.rename_clusters(names)
        for change in changes:
            match change:
                case Change(ClusterEntry() as old, None):
                    self._controller.drop_cluster(old)
                case Change(None, ClusterEntry() as new):
                    self._controller.set_cluster(new)
                case Change(ClusterEntry() as old, ClusterEntry() as new) if old.options != new.options:
                    self._controller.set_cluster(new)
                case Change(Sink() as sink, Sink() as moved):
                    place = names.get(sink.cluster, sink.cluster)
                    if place != moved.cluster or sink.generation != moved.generation:
                        self._controller.move(replace(sink, cluster=place), moved)

    # -- in the store --

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """What `work` returns; a cancel is raised when it has ended."""
        loop = asyncio.get_running_loop()
        return await settled(loop.run_in_executor(self._commit.thread, work))

    def _prepare(
        self, made: list[Stored | External], changes: list[Change], now: int
    ) -> dict[ShardId, Write]:
        """Creates the shards of what is new; returns what makes the changes durable."""
        for item in made:
            self._create_shards(item, now)
        return self._store.writes(changes)

    def _create_shards(self, item: Stored | External, now: int) -> None:
        """A view's contents begin at the time of the statement."""
        if isinstance(item, Stored):
            since = now if isinstance(item, MaterializedView) else 0
            schema = item.schema
            if isinstance(item, Table):
                schema = Schema(item.physical.columns[: _first_added(item)])
            self._persist.create_shard(item.shard, schema, since, epoch=self._epoch)
            # Held from the first moment, so that no reader's lease can move the shard's since.
            self._persist.set_hold(item.shard, HOLDER, since, critical=True, epoch=self._epoch)
            # Columns that were added or dropped in the same block.
            if isinstance(item, Table) and item.layout.evolved:
                self._persist.evolve_schema(item.shard, self._known(item), epoch=self._epoch)
        if isinstance(item, External):
            self._persist.create_shard(item.remap, REMAP_SCHEMA, epoch=self._epoch)

    async def _settle(self, changes: list[Change]) -> None:
        """Shards of what was dropped go, when nothing is written to them any more."""
        if gone := _dropped(changes):
            await completed(self._supervisor.run("drop shards", self._drop_shards(gone)))

    async def _drop_shards(self, items: Iterable[Item]) -> None:
        shards = [shard for item in items for shard in shards_of(item)]
        try:
            await self._commit.drained()
            loop = asyncio.get_running_loop()
            for shard in shards:
                drop = partial(self._persist.drop_shard, shard, epoch=self._epoch)
                await loop.run_in_executor(self._commit.thread, drop)
        except PtvcError as error:
            logger.warning("shards %s are dropped at the next start: %s", ", ".join(shards), error)

    def _known(self, item: Table) -> Schema:
        """What the table's shard is to know of its columns."""
        # Under the names that its columns had at first.
        known = self._persist.mirror.state(item.shard).schema
        first = _first_added(item)
        columns = (*known.columns, *item.stored_columns[len(known) - first :])
        gone = item.layout.dropped_places
        return Schema(tuple(replace(c, dropped=place in gone) for place, c in enumerate(columns)))


def validate(catalog: Catalog, changes: list[Change]) -> None:
    """Whether the changes fit the catalog as it is now, under the lock: what was planned may be older.

    What is accepted behind this cannot fail for a reason that a user could cause.  Raises 42704, 3F000, 42P07 or 40001.
    """
    after = catalog.fork(changes)
    for change in changes:
        before = change.before
        if isinstance(before, Item) and catalog.find_by_id(before.id) is not before:
            raise SerializationFailure(detail=f'"{before.full_name}" was changed meanwhile.')
        match change.after:
            case ItemBase() as item:
                _validate_item(after, item)


def _validate_item(after: Catalog, item: Item) -> None:
    if isinstance(item, Running) and after.cluster(item.cluster) is None:
        raise PtvcError(
            f'unknown cluster "{item.cluster}"',
            sqlstate="42704",
            hint="CREATE CLUSTER makes one; SET cluster = ... chooses another.",
        )
    if not item.temporary and not after.schema_exists(item.schema_name):
        raise UndefinedSchema(f'schema "{item.schema_name}" does not exist')
    if item.owner not in after.roles.by_id:
        raise PtvcError("the role that was to own it does not exist any more", sqlstate="42704")
    if isinstance(item, Relational) and after.find(item.schema_name, item.name) is not item:
        raise DuplicateObject(f'relation "{item.name}" already exists')
    for id_ in item.uses:
        if after.find_by_id(id_) is None:
            raise SerializationFailure(detail=f'Something that "{item.name}" uses was dropped meanwhile.')


def _first_added(table: Table) -> int:
    """Where the columns begin that were added to the table after it was created."""
    return len(table.physical) - len(table.layout.missing)


def _created(changes: Iterable[Change]) -> list[Item]:
    """In order, so that every object comes after those it uses."""
    found = [c.after for c in changes if c.before is None and isinstance(c.after, Item)]
    return sorted(found, key=lambda item: int(item.id[1:]))


def _dropped(changes: Iterable[Change]) -> list[Item]:
    return [c.before for c in changes if isinstance(c.before, Item) and c.after is None]


def _altered(changes: Iterable[Change]) -> list[Table]:
    """Tables whose rows are stored with other columns from now on."""
    return [
        change.after
        for change in changes
        if isinstance(change.before, Table)
        and isinstance(change.after, Table)
        and change.after.stored_shape != change.before.stored_shape
    ]


def _born(change: Change, now: int) -> Change:
    """What a block creates or switches, for everybody else, when it commits."""
    if change.before is None and isinstance(change.after, Item):
        return Change(None, replace(change.after, created_at=now))
    return switched(change, now)


def replaced(view: MaterializedView, replacement: MaterializedView) -> MaterializedView:
    """The view with the definition of its replacement."""
    retained = replacement.retain_history_ms
    return replace(
        view,
        cluster=replacement.cluster,
        relation=replacement.relation,
        definition_sql=replacement.definition_sql,
        uses=replacement.uses,
        columns=replacement.columns,
        # Columns may have been renamed meanwhile.
        named=replacement.named or replacement.schema.names != view.schema.names,
        shares=replacement.shares,
        retain_history_ms=view.retain_history_ms if retained is None else retained,
        assert_not_null=replacement.assert_not_null,
        replaces=None,
        replaced=True,
        state=replacement.state_name,
    )
