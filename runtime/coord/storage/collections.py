"""Frontiers of every stored collection, as the coordinator knows them, and who waits for them.

A collection is *timestamped* when the coordinator gives its updates their times (tables, sources): it is complete below the
oracle's `closed`, whether or not anything was written.  The others (materialized views) are complete below what their
replica last said.  Both promises are volatile; `durable_upper` is what persist holds.
"""

from __future__ import annotations

import asyncio
from collections.abc import Collection as Places
from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...errors import ObjectNotReady, PtvcError
from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, PersistClient, ShardId
from ...persist.state import MAX_TIME
from ...replica.protocol import ChangesOf, Import
from ...repr.schema import Column, Schema
from .oracle import Oracle
from .told_parts import ToldParts

_ATTEMPTS = 10

HOLDER = "controller"
"""Who holds every shard readable, as far back as anybody here may need."""


@dataclass(slots=True)
class Collection:
    """`last_write` is the time of the last data, for optimistic writes.  `evolved`: columns were added to `schema`
    since the collection was created.  Below `computed` a replica had it all at some moment, if yet to become durable."""

    id: GlobalId
    shard: ShardId
    schema: Schema
    timestamped: bool
    durable_upper: int
    upper: int
    last_write: int = 0
    evolved: bool = False
    computed: int = 0


@dataclass(frozen=True, slots=True)
class Frontiers:
    """A shard's durable history: it is readable from `since` on, and complete below `upper`."""

    since: int
    upper: int

    @property
    def last(self) -> int:
        """The last time at which the contents are known; `since` while nothing was written."""
        return max(self.upper - 1, self.since)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an object is not maintained any more, and what those who read it are told beside."""

    reason: str
    sqlstate: str | None = None
    hint: str | None = "See mz_internal.mz_hydration_statuses and the runtime's log; drop and create it anew."


@dataclass(slots=True)
class _Waiter:
    ids: frozenset[GlobalId]
    time: int
    future: asyncio.Future[None]
    in_memory: bool = False


class Collections:
    def __init__(self, persist: PersistClient, oracle: Oracle) -> None:
        self._persist = persist
        self._oracle = oracle
        self._by_id: dict[GlobalId, Collection] = {}
        self._waiters: list[_Waiter] = []
        self._unstored: dict[GlobalId, int] = {}
        self._names: dict[GlobalId, str] = {}
        self._failures: dict[GlobalId, Failure] = {}

    def __getitem__(self, id: GlobalId) -> Collection:
        return self._by_id[id]

    def __contains__(self, id: GlobalId) -> bool:
        return id in self._by_id

    def all(self) -> list[Collection]:
        return list(self._by_id.values())

    def add(
        self, id: GlobalId, name: str, shard: ShardId, schema: Schema, *, timestamped: bool
    ) -> Collection:
        """The collection is known from now on.  Its shard was created by this process, or loaded (`PersistClient.mirror`)."""
        upper = self._persist.mirror.state(shard).upper
        self._names[id] = name
        collection = Collection(id, shard, schema, timestamped, upper, upper, last_write=upper - 1)
        self._by_id[id] = collection
        return collection

    def evolve(self, id: GlobalId, columns: tuple[Column, ...], dropped: Places[int] = ()) -> None:
        """The collection has gained `columns` at its end, those at `dropped` are gone: from now on it is read so."""
        collection = self._by_id[id]
        kept = (
            replace(column, dropped=column.dropped or place in dropped)
            for place, column in enumerate(collection.schema)
        )
        collection.schema = Schema((*kept, *columns))
        collection.evolved = True

    def add_unstored(self, id: GlobalId, name: str) -> None:
        """An index: it has a frontier, and lives in a replica's memory."""
        self._unstored[id] = 0
        self._names[id] = name

    def is_stored(self, id: GlobalId) -> bool:
        """Whether persist holds it; not so an index, nor what was dropped."""
        return id in self._by_id

    def reset_unstored(self, id: GlobalId, upper: int) -> None:
        """A replica that held the index is gone: the others have it complete below `upper` (0: none has it)."""
        if id in self._unstored:
            self._unstored[id] = upper

    def remove(self, id: GlobalId) -> None:
        self._by_id.pop(id, None)
        self._unstored.pop(id, None)
        self._names.pop(id, None)
        self._failures.pop(id, None)

    def fail(self, id: GlobalId, failure: Failure) -> None:
        """The object is not maintained any more: who waits for it hears why."""
        self._failures[id] = failure
        self.wake()

    @property
    def any_failed(self) -> bool:
        return bool(self._failures)

    def recover(self, id: GlobalId) -> None:
        self._failures.pop(id, None)

    @property
    def closed(self) -> int:
        """Everything timestamped is complete below this time."""
        return self._oracle.closed

    def frontier(self, id: GlobalId) -> int:
        if id in self._unstored:
            return self._unstored[id]
        collection = self._by_id[id]
        return self._oracle.closed if collection.timestamped else collection.upper

    def frontiers(self, shard: ShardId) -> Frontiers:
        """What is durable of a shard of this environment, as this process knows it."""
        state = self._persist.mirror.state(shard)
        return Frontiers(state.since, state.upper)

    def advance(self, id: GlobalId, upper: int) -> None:
        """A replica promises that the view or index is complete below `upper`."""
        if id in self._unstored:
            self._unstored[id] = max(self._unstored[id], upper)
            return
        collection = self._by_id.get(id)
        if collection is not None and upper > collection.upper:
            collection.upper = upper

    def computed(self, id: GlobalId, upper: int) -> None:
        """A replica has computed the view below `upper`; it is yet to become durable."""
        if (collection := self._by_id.get(id)) is not None:
            collection.computed = max(collection.computed, upper)

    def committed(self, id: GlobalId, upper: int, time: int | None) -> None:
        """Persist holds the collection up to `upper`; `time` is that of its last data, None where there was none."""
        collection = self._by_id.get(id)
        if collection is None:
            return
        collection.durable_upper = max(collection.durable_upper, upper)
        collection.upper = max(collection.upper, upper)
        if time is not None:
            collection.last_write = max(collection.last_write, time)

    def wake(self) -> None:
        """To be called after frontiers moved: lets those go on whose time has come."""
        still = []
        for waiter in self._waiters:
            if waiter.future.done():
                continue
            if (failure := self._failure(waiter.ids, waiter.time)) is not None:
                waiter.future.set_exception(failure)
            elif self._complete(waiter.ids, waiter.time, waiter.in_memory):
                waiter.future.set_result(None)
            else:
                still.append(waiter)
        self._waiters = still

    async def wait_until_readable(
        self, ids: Iterable[GlobalId], time: int, *, in_memory: bool = False
    ) -> None:
        """Returns once every collection is complete at `time`; or, `in_memory`, has been computed there by a replica, which may be gone by
        now."""
        ids = frozenset(ids)
        if self._complete(ids, time, in_memory):
            return
        if (failure := self._failure(ids, time)) is not None:
            raise failure
        waiter = _Waiter(ids, time, asyncio.get_running_loop().create_future(), in_memory)
        self._waiters.append(waiter)
        await waiter.future

    async def wait_until_gone(self, id: GlobalId) -> None:
        """Returns once the collection is dropped, or complete for ever; raises when it is not maintained any more."""
        await self.wait_until_readable((id,), MAX_TIME)

    def _failure(self, ids: frozenset[GlobalId], time: int) -> PtvcError | None:
        for id_ in ids:
            if id_ in self._failures and id_ in self._names and self.frontier(id_) <= time:
                failure = self._failures[id_]
                return ObjectNotReady(
                    f'"{self._names[id_]}" is not maintained any more: {failure.reason}',
                    sqlstate=failure.sqlstate,
                    hint=failure.hint,
                )
        return None

    def _complete(self, ids: frozenset[GlobalId], time: int, in_memory: bool = False) -> bool:
        # A collection that was dropped meanwhile holds nobody up: the read that follows reports it.
        return all(
            id not in self._names
            or self.frontier(id) > time
            or (in_memory and id in self._by_id and self._by_id[id].computed > time)
            for id in ids
        )

    def import_of(self, id: GlobalId, as_of: int) -> Import:
        """The collection as an input from `as_of` on; see `Import`.

        Persist knows nothing between its durable upper and the promised frontier because nothing is there.
        """
        collection = self._by_id[id]
        state = self._persist.mirror.state(collection.shard)
        known = min(as_of, state.upper - 1)
        snapshot: tuple[PartRef, ...] = ()
        updates: tuple[PartRef, ...] = ()
        if state.upper > state.since:  # otherwise nothing was ever written
            snapshot = self._persist.mirror.snapshot(collection.shard, known).parts
            updates = self._persist.mirror.updates(collection.shard, known + 1, state.upper)
        return Import(
            id=id,
            shard=collection.shard,
            schema=collection.schema,
            timestamped=collection.timestamped,
            as_of=as_of,
            snapshot=snapshot,
            updates=updates,
            upper=max(state.upper, as_of + 1),
        )

    def told_parts(self) -> ToldParts:
        """For a replica that was told nothing yet of the parts of a table."""
        return ToldParts(self._persist.mirror)

    def changes_of(
        self, id: GlobalId, shown: GlobalId, width: int, times: tuple[int, int] | None, as_of: int
    ) -> Import:
        """What has changed in the collection, of its first `width` columns, as the input `shown` of a query at `as_of`:
        at `times`, both of them included, or behind the beginning of its history.

        ObjectNotReady if that is later than the first of them.
        """
        collection = self._by_id[id]
        for attempt in range(_ATTEMPTS):
            state = self._persist.mirror.state(collection.shard)
            lower = state.since + 1 if times is None else times[0]
            upper = min(state.upper, as_of + 1, as_of + 1 if times is None else times[1] + 1)
            parts: tuple[PartRef, ...] = ()
            failing: tuple[PartRef, ...] = ()
            try:
                if lower < upper:
                    parts = self._persist.mirror.updates(collection.shard, lower, upper)
                    snapshot = self._persist.mirror.snapshot(collection.shard, upper - 1)
                    failing = tuple(part for part in snapshot.parts if part.errors)
                break
            except ObjectNotReady:  # upkeep moves on beside this
                if times is not None or attempt == _ATTEMPTS - 1:
                    raise
        return Import(
            id=shown,
            shard=collection.shard,
            schema=collection.schema,
            timestamped=collection.timestamped,
            as_of=as_of,
            snapshot=failing,
            updates=parts,
            upper=as_of + 1,
            changes=ChangesOf(lower, upper, width),
        )
