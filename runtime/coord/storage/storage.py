"""The storage controller: the one owner of what is durable.

```
            append, write, ingest, transact_catalog ──> group commit ─┐
 the rest   hold, release ──────────────────────────> input holds ────┤ threads ──> persist
 of coord   encode, decode, changes, difference ─────> blobs ──────────┤
            compact, replace_merged, collect_garbage > upkeep ────────┘
            oracle, collections, reads ── in memory: times, frontiers, what is being read
```

It owns the persist client, the timestamp oracle, the frontiers of collections, read holds, group commit, the durable catalog
and upkeep; an import contract keeps `ptvc.persist` out of the rest of `coord`.  Everything here is called on the event loop,
and nothing on it waits for a store: what blocks runs in a thread, and look-ups are answered from memory.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from ...clock import Clock
from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, PersistClient
from ...persist.stores import Stores
from ...replica.protocol import Import, Updates
from ...repr.batch import Batch, Delta
from ...repr.schema import Schema
from ...supervision import Supervisor
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Item
from .audit_store import AuditChange, AuditEvent, AuditStore
from .catalog_store import CatalogStore
from .catalog_transactions import Append, CatalogTransactions
from .collections import Collections, Frontiers
from .commit_request import Conflict, Defined
from .differences import Differences
from .expectation import Expected, KeyId
from .group_commit import GroupCommit
from .input_holds import InputHolds
from .key_counts import KeyCounts
from .oracle import Oracle
from .part_choice import Conditions
from .parts import Parts, WrittenPart, snapshot
from .reads import ActiveReads
from .remap import Position, Remap
from .shards import Shards
from .stored_changes import StoredChanges
from .unique_keys import KeysTaken, UniqueKeys
from .upkeep import LargeMerge, Upkeep

EPOCH_NAME = "coordinator"


class Storage:
    """`oracle`, `collections`, `reads` and `unique` are in memory: asking them waits for nothing."""

    def __init__(self, stores: Stores, clock: Clock) -> None:
        """Takes the environment over: an older coordinator is fenced from here on.  Blocks."""
        self._consensus = stores.consensus
        self._persist = persist = PersistClient(stores.consensus, stores.blob, clock)
        self.blobs = stores.location.blob
        """Where the blobs are: a URL that any process can open."""
        self.restored_upper = persist.restored_upper()
        """Of the backup that the environment was restored from; 0: it was not."""
        self.epoch = persist.take_epoch(EPOCH_NAME)
        self.oracle = Oracle(clock, persist.mark())
        if (mark := self.oracle.wanted_mark()) is not None:
            persist.raise_mark(mark, self.epoch)
            self.oracle.mark_raised(mark)
        self.collections = Collections(persist, self.oracle)
        self.reads = ActiveReads(self.oracle)
        self.unique = UniqueKeys(persist, self.oracle, self.collections, self.reads)
        self._catalog = CatalogStore(persist, self.epoch)
        self._audit = AuditStore(persist, self.epoch)
        self._shards = Shards(persist, self.collections, self.epoch)
        self._parts = Parts(persist)
        self._changes = StoredChanges(persist, self.collections)
        self._differences = Differences(persist)
        self._remap = Remap(persist)
        self._recording = asyncio.Lock()
        self._holds = InputHolds(persist)
        self._upkeep = Upkeep(persist, self.collections, self._holds, self.epoch)
        self._commit: GroupCommit
        self._transactions: CatalogTransactions

    # -- life --

    def load_catalog(self) -> Catalog:
        """The durable catalog; shards that nothing in it names are dropped.  Blocks, as does `load`."""
        catalog = Catalog(self._catalog.load())
        self._audit.open()
        self._shards.drop_orphans(catalog, self._catalog)
        return catalog

    def load_audit(self) -> Mapping[str, list[AuditEvent]]:
        """The events of the audit log, by shard.  Blocks."""
        return self._audit.load()

    def load(self, item: Item) -> None:
        """Opens the collection of an object that is in the catalog since before this start."""
        self._shards.load(item)

    def start(
        self,
        supervisor: Supervisor,
        on_commit: Callable[[tuple[Updates, ...]], None],
        on_fenced: Callable[[], None],
    ) -> None:
        """From now on something can become durable; see `GroupCommit`."""
        self._commit = GroupCommit(
            self._persist,
            self.oracle,
            self.collections,
            self.epoch,
            on_commit,
            on_fenced,
            supervisor,
            self.unique,
        )
        self._transactions = CatalogTransactions(
            self._catalog,
            self._audit,
            self._shards,
            self.collections,
            self.unique,
            self._remap,
            self._commit,
            supervisor,
        )

    async def stop(self) -> None:
        """What was accepted is settled, and nothing becomes durable any more."""
        await self._commit.close()

    def close(self) -> None:
        """Nobody uses it any more."""
        self._upkeep.close()
        self._holds.close()
        self._consensus.close()

    # -- what becomes durable --

    async def append(self, updates: tuple[Updates, ...]) -> int | Conflict:
        """Outputs of views, at their own times; see `GroupCommit.append`."""
        return await self._commit.append(updates)

    async def write(
        self,
        parts: Mapping[GlobalId, tuple[WrittenPart, ...]],
        expect: Mapping[GlobalId, Expected],
        keys: Mapping[KeyId, KeyCounts],
        unchecked: frozenset[KeyId],
        valid: Callable[[], bool],
        defined: Defined | None = None,
    ) -> int | Conflict | KeysTaken:
        """Rows of tables, at one new time, with what the same transaction has `defined`; see `GroupCommit.write_keyed`."""
        if defined is None:
            return await self._commit.write_keyed(parts, expect, keys, unchecked, valid)
        return await self._commit.write_defined(parts, expect, keys, unchecked, valid, defined)

    async def ingest(
        self,
        parts: Mapping[GlobalId, tuple[WrittenPart, ...]],
        remap: str,
        position: Position,
        valid: Callable[[], bool],
        recorded: tuple[PartRef, ...] = (),
    ) -> int:
        """What a source has read up to `position` upstream, for all of its outputs, in one transaction with that, and with
        what it has `recorded` beside it.

        Raises SerializationFailure if `valid` denies, when the commit's turn has come: then somebody else reads the source.
        """
        outcome = await self._commit.write(
            parts,
            companions={remap: self._remap.parts(remap, position) + recorded},
            valid=valid,
            on_durable=lambda: self._remap.committed(remap, position),
        )
        assert isinstance(outcome, int)  # an ingest expects nothing, so nothing can conflict
        return outcome

    async def deliver(
        self,
        parts: Mapping[GlobalId, tuple[WrittenPart, ...]],
        beside: Mapping[str, tuple[WrittenPart, ...]],
        valid: Callable[[], bool],
    ) -> int:
        """Rows that were given to a source, in one transaction with changes of shards that are no collections.

        Raises SerializationFailure if `valid` denies, when the commit's turn has come.
        """
        outcome = await self._commit.write(parts, companions=beside, valid=valid)
        assert isinstance(outcome, int)  # it expects nothing, so nothing can conflict
        return outcome

    async def record(self, positions: Callable[[], Mapping[str, Position]]) -> None:
        """How far the targets of sinks have come, by the sink's remap shard; nothing where that is recorded already."""
        async with self._recording:  # each takes the place of the one that is there
            found = positions()
            moved = {shard: to for shard, to in found.items() if to != self._remap.position(shard)}

            def durable() -> None:
                for shard, position in moved.items():
                    self._remap.committed(shard, position)

            if moved:
                parts = {shard: self._remap.parts(shard, position) for shard, position in moved.items()}
                await self._commit.write({}, companions=parts, on_durable=durable)

    async def transact_catalog(
        self,
        changes: list[Change],
        begin: int,
        on_durable: Callable[[], None],
        append: Append | None = None,
        timed: tuple[Updates, ...] = (),
        on_committed: Callable[[], None] | None = None,
        audited: AuditChange | None = None,
    ) -> None:
        """A change of the catalog; see `CatalogTransactions.run`."""
        await self._transactions.run(changes, begin, on_durable, append, timed, on_committed, audited)

    async def record_logins(self, change: AuditChange, on_durable: Callable[[], None]) -> None:
        """Makes events of the audit log durable that are of no definition."""
        loop = asyncio.get_running_loop()
        parts = await loop.run_in_executor(self._commit.thread, self._audit.logins, change)
        await self._commit.write({}, companions=parts, on_durable=on_durable)

    async def drained(self) -> None:
        """Returns when everything that was under way or waiting is settled."""
        await self._commit.drained()

    def frozen(self, id: GlobalId) -> AbstractAsyncContextManager[None]:
        """While the block runs no write to the collection is committed but those of the holder of the lock of definitions."""
        return self._commit.frozen(id)

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """While the block runs no rows get a time but those of the holder of the lock of definitions, who may hold reads."""
        async with self._commit.still():
            try:
                yield
            finally:
                self.oracle.release_reads()

    def tick(self) -> None:
        """Moves time on when nothing is written."""
        self._commit.tick()

    # -- what is read --

    def frontiers(self, shard: str) -> Frontiers:
        """Those of the shard that are durable."""
        return self.collections.frontiers(shard)

    def position(self, remap: str) -> Position | None:
        """Where the durable output of a source or sink ends at the other side; None before the first commit."""
        return self._remap.position(remap)

    def recorded(self, remap: str) -> Import:
        """The position and what is recorded beside it, as an input."""
        return self._remap.import_of(remap)

    async def beside(self, shard: str, schema: Schema) -> Batch:
        """The contents of a shard that is no collection, as they are."""
        return await asyncio.to_thread(self._shards.contents, shard, schema)

    @property
    def ended(self) -> bool:
        """Whether nothing becomes durable any more."""
        return self._commit.ended

    def snapshot(
        self,
        source: Import,
        written: Sequence[WrittenPart] = (),
        where: Sequence[Conditions] | None = None,
    ) -> Import:
        """What a one-off query reads of `source`; see `parts.snapshot`."""
        return snapshot(source, written, where)

    async def changes(self, id: GlobalId, lower: int, upper: int) -> tuple[Delta | None, int]:
        """The changes of a collection from `lower` on; see `StoredChanges.read`."""
        return await self._changes.read(id, lower, upper)

    async def encode(self, shard: str, schema: Schema, rows: Batch) -> tuple[WrittenPart, ...]:
        """Rows that a transaction writes, until it commits; see `Parts.write`."""
        return await self._parts.write(shard, schema, rows)

    async def decode(self, parts: Sequence[WrittenPart], schema: Schema) -> Batch:
        """The rows of what `encode` gave."""
        return await self._parts.read(parts, schema)

    async def difference(self, new: Import, old: Import, schema: Schema) -> Delta:
        """What `new` has and `old` has not; see `Differences.between`."""
        return await self._differences.between(new, old, schema)

    async def write_difference(
        self, shard: str, schema: Schema, known: Delta, new: Import, old: Import, time: int
    ) -> tuple[WrittenPart, ...]:
        """The parts of the difference at `time`; see `Differences.write`."""
        return await self._differences.write(shard, schema, known, new, old, time)

    # -- holds --

    async def hold(self, reader: str, id: GlobalId, imports: tuple[Import, ...]) -> None:
        """Keeps the inputs of an object as they are until `reader` has read them; see `InputHolds.hold`."""
        await self._holds.hold(reader, id, imports)

    def release(self, reader: str, id: GlobalId) -> None:
        """The reader has read the inputs of the object, or will not.  Returns at once."""
        self._holds.release(reader, id)

    # -- upkeep --

    @property
    def writer(self) -> str:
        """Who has written the blobs of this process."""
        return self._persist.writer_id

    def held_at(self, shard: str) -> int | None:
        """See `Upkeep.held_at`."""
        return self._upkeep.held_at(shard)

    async def compact(
        self,
        readable_from: Mapping[GlobalId, int],
        beside: Iterable[str],
        waiting: AbstractSet[str],
        busy: LargeMerge | None,
        most_bytes: int,
    ) -> dict[str, LargeMerge | None]:
        """Lets go of history and merges batches; see `Upkeep.compact`."""
        return await self._upkeep.compact(readable_from, beside, waiting, busy, most_bytes)

    async def replace_merged(self, large: LargeMerge, parts: tuple[WrittenPart, ...]) -> bool:
        """Puts what a job has merged in its place; see `Upkeep.replace`."""
        return await self._upkeep.replace(large, parts)

    async def collect_garbage(self, reads_ms: int, writers: Callable[[], Collection[str]]) -> None:
        """Deletes blobs that nobody needs; see `Upkeep.collect_garbage`."""
        await self._upkeep.collect_garbage(reads_ms, writers)

    async def confirm_epoch(self) -> None:
        """Raises Fenced when another coordinator has taken over."""
        await self._upkeep.confirm_epoch()
