"""Group commit: the one place where data becomes durable.

Writes that arrive while a commit is under way share the next one: one durable transaction, and one time for all that
the coordinator stamps (tables, sources).  Outputs of views come with times of their own, so a commit of nothing else takes no time,
and every reader stays where it is: time that went on would have each replica step once more, for nothing.  A write may be optimistic:
it names what it read and when (`Expected`), and is refused as a `Conflict` if some of that was written since.

```
submitted ── accepted: checked, and part of a group ── durable ── memory follows, replicas and writers hear of it
    └─ withdrawn by its writer, or refused
```

Whoever submits may stop waiting until the request is accepted, and never after (`coord.storage.acceptance`).  From the transaction
to the last `on_durable` nothing waits, so no one sees the one without the other.  What fails there for another reason than
the store's leaves memory and store apart: then the process stops (`supervision`), and no writer waits for ever.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import replace

from ...errors import DiskFull, Fenced, PtvcError, SerializationFailure, StorageError, UndefinedTable
from ...expr.tree.relation import GlobalId
from ...persist.client import Appended, PartRef, PersistClient, ShardId, UpperMismatch, Write
from ...persist.consensus.base import Indeterminate
from ...persist.part import stamp, trim
from ...replica.protocol import Updates
from ...repr.schema import Schema
from ...supervision import Supervisor
from .acceptance import completed
from .collections import Collections
from .commit_request import CommitRequest, Conflict, Defined
from .expectation import Expected, KeyId
from .group_writes import GroupWrites
from .key_counts import KeyCounts
from .oracle import Oracle
from .unique_keys import KeysTaken, UniqueKeys

logger = logging.getLogger(__name__)

MOST_WAITING = 1_000
"""So many writes of rows wait for a commit; who comes next waits for a place among them.  Of outputs a connection has one under
way, and of definitions there is one at a time: they take no place, so that a definition never waits for writes that it holds up."""


class GroupCommit:
    """`on_commit(updates)` runs on the event loop after each commit, before the writers hear of it.

    `on_fenced` runs when another coordinator has taken over.  When what is durable cannot be known, the group commit has
    failed: only a restart finds out.
    """

    def __init__(
        self,
        persist: PersistClient,
        oracle: Oracle,
        collections: Collections,
        epoch: int,
        on_commit: Callable[[tuple[Updates, ...]], None],
        on_fenced: Callable[[], None],
        supervisor: Supervisor,
        unique: UniqueKeys | None = None,
    ) -> None:
        self._persist = persist
        self._oracle = oracle
        self._collections = collections
        self._epoch = epoch
        self._on_commit = on_commit
        self._on_fenced = on_fenced
        self._supervisor = supervisor
        self._unique = unique
        self._places = asyncio.Semaphore(MOST_WAITING)
        self._pending: list[CommitRequest] = []
        self._group: list[CommitRequest] = []
        self._frozen: set[GlobalId] = set()
        self._still = False
        self._wake = asyncio.Event()
        self._ended: BaseException | None = None
        self._standing_still = False
        # One thread: commits are serial, and SQLite likes one writer.
        self.thread = ThreadPoolExecutor(1, "commit")
        self._task = supervisor.start("group commit", self._run())

    async def write(
        self,
        parts: Mapping[GlobalId, tuple[PartRef, ...]],
        *,
        companions: Mapping[ShardId, tuple[PartRef, ...]] | None = None,
        expect: Mapping[GlobalId, Expected] | None = None,
        valid: Callable[[], bool] | None = None,
        on_durable: Callable[[], None] | None = None,
    ) -> int | Conflict:
        """Commits rows of timestamped collections at one new time, which is returned once they are durable.

        Raises SerializationFailure if `valid` denies, when the commit's turn has come.  `on_durable` runs in the moment in
        which they are, whether or not the caller is still there.
        """
        outcome = await self._submit(
            CommitRequest(
                timestamped=parts,
                companions=companions or {},
                expect=expect or {},
                valid=valid,
                on_durable=on_durable,
            )
        )
        assert not isinstance(outcome, KeysTaken), "only a write with keys is refused for them"
        return outcome

    async def write_keyed(
        self,
        parts: Mapping[GlobalId, tuple[PartRef, ...]],
        expect: Mapping[GlobalId, Expected],
        keys: Mapping[KeyId, KeyCounts],
        unchecked: frozenset[KeyId] = frozenset(),
        valid: Callable[[], bool] | None = None,
    ) -> int | Conflict | KeysTaken:
        """As `write`; and no key of a unique constraint occurs twice, but of those `unchecked`.

        Raises SerializationFailure if `valid` denies, when the commit's turn has come.
        """
        return await self._submit(
            CommitRequest(timestamped=parts, expect=expect, keys=keys, unchecked=unchecked, valid=valid)
        )

    async def write_defined(
        self,
        parts: Mapping[GlobalId, tuple[PartRef, ...]],
        expect: Mapping[GlobalId, Expected],
        keys: Mapping[KeyId, KeyCounts],
        unchecked: frozenset[KeyId],
        valid: Callable[[], bool],
        defined: Defined,
    ) -> int | Conflict | KeysTaken:
        """As `write_keyed`, with definitions that become durable with it."""
        return await self._submit(
            CommitRequest(
                timestamped={**dict.fromkeys(defined.evolved, ()), **parts},
                expect=expect,
                keys=keys,
                unchecked=unchecked,
                valid=valid,
                timed=defined.timed,
                catalog=defined.catalog,
                evolved=defined.evolved,
                alone=True,
                on_durable=defined.on_durable,
                on_committed=defined.on_committed,
            )
        )

    async def define(self, defined: Defined) -> None:
        """Commits a change of the catalog, which names all that it depends on under the lock of definitions."""
        await self._submit(
            CommitRequest(
                timestamped=dict.fromkeys(defined.evolved, ()),
                timed=defined.timed,
                catalog=defined.catalog,
                evolved=defined.evolved,
                alone=True,
                on_durable=defined.on_durable,
                on_committed=defined.on_committed,
            )
        )

    async def append(self, updates: tuple[Updates, ...]) -> int | Conflict:
        """Commits outputs of views, each from its lower to its upper, as far as they are not durable yet."""
        outcome = await self._submit(CommitRequest(timed=updates))
        assert not isinstance(outcome, KeysTaken)
        return outcome

    @property
    def ended(self) -> bool:
        """Whether nothing is committed any more: of what was under way it may not be known whether it is durable."""
        return self._ended is not None

    async def drained(self) -> None:
        """Returns when everything that was under way or waiting is settled; also when nothing is committed any more."""
        if self._ended is None:
            await self._submit(CommitRequest())

    def tick(self) -> None:
        """Moves time on when nothing is written; the mark is raised beside, if it has to be.  Not when commits have ended: what
        one of them has made durable may not have been told to those who follow."""
        if self._ended is not None:
            return
        self._oracle.tick()
        if self._oracle.wanted_mark() is not None:
            self._wake.set()
        self._on_commit(())

    @asynccontextmanager
    async def frozen(self, id: GlobalId) -> AsyncIterator[None]:
        """While the block runs no write to the collection is committed but those of the lock's holder: they wait."""
        self._frozen.add(id)
        try:
            await self.drained()
            yield
        finally:
            self._frozen.discard(id)
            self._wake.set()

    @asynccontextmanager
    async def still(self) -> AsyncIterator[None]:
        """While the block runs no rows get a time, but those of the lock's holder: they wait."""
        self._still = True
        try:
            await self.drained()
            yield
        finally:
            self._still = False
            self._wake.set()

    async def close(self) -> None:
        """Settles what was submitted, unless the group commit has failed; nothing is committed any more."""
        await self.drained()
        self._task.cancel()
        self.thread.shutdown()
        self._end(StorageError("the runtime is stopping", sqlstate="57P01"))

    async def _submit(self, request: CommitRequest) -> int | Conflict | KeysTaken:
        if not request.takes_place:
            return await self._outcome(request)
        async with self._places:
            return await self._outcome(request)

    async def _outcome(self, request: CommitRequest) -> int | Conflict | KeysTaken:
        if self._ended is not None:
            raise self._ended
        self._pending.append(request)
        self._wake.set()
        return await completed(request.future, request.withdraw)

    async def _run(self) -> None:
        try:
            while True:
                await self._wake.wait()
                self._wake.clear()
                await self._round()
        except Exception as error:
            self._end(
                PtvcError(
                    f"the commit has failed, and whether the transaction took effect is not known: {error!r}",
                    sqlstate="08007",
                    hint="The runtime stops and is started again; look before you repeat it.",
                )
            )
            raise

    def _end(self, error: BaseException) -> None:
        """Nothing is committed any more: no writer waits for ever."""
        self._ended = self._ended or error
        for request in (*self._group, *self._pending):
            if request.future.done():
                continue
            if request.is_barrier:
                request.future.set_result(0)
            else:
                request.future.set_exception(error)
        self._group, self._pending = [], []

    async def _round(self) -> None:
        """Commits what waits, as one group; at least the mark, if it is wanted."""
        waiting, self._pending = self._pending, []
        requests = waiting
        if self._frozen or self._still:
            held = [self._holds(request) for request in waiting]
            requests = [r for r, is_held in zip(waiting, held, strict=True) if not is_held]
            self._pending = [r for r, is_held in zip(waiting, held, strict=True) if is_held]
        if (first := next((i for i, r in enumerate(requests) if r.alone), None)) is not None:
            end = max(first, 1)
            requests, self._pending = requests[:end], [*requests[end:], *self._pending]
            self._wake.set()
        self._group = requests
        accepted = await self._accepted(requests)
        if accepted:
            await self._commit(accepted)
        elif (mark := self._oracle.wanted_mark()) is not None:
            await self._raise_mark(mark)
        self._group = []
        for request in requests:
            if request.is_barrier and not request.future.done():
                request.future.set_result(0)

    def _holds(self, request: CommitRequest) -> bool:
        """Whether the request has to wait for somebody who changes what it writes, or when."""
        if request.alone:
            return False
        return bool(self._still and request.timestamped) or not self._frozen.isdisjoint(request.timestamped)

    async def _raise_mark(self, mark: int) -> None:
        """A store that cannot be written lets time go on up to the mark, and stand still there."""
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self.thread, lambda: self._persist.raise_mark(mark, self._epoch))
        except Fenced as error:
            self._stop(error)
        except (StorageError, DiskFull) as error:
            if not self._standing_still:
                logger.error(
                    "time stands still at %d, as it cannot be reserved: %s", self._oracle.mark, error
                )
            self._standing_still = True
        else:
            self._standing_still = False
            before = self._oracle.closed
            self._oracle.mark_raised(mark)
            if self._oracle.closed > before:
                self._on_commit(())

    def _stop(self, error: Fenced | Indeterminate) -> None:
        """What is durable is another coordinator's to know, or a restart's: this process ends, and is started anew unless
        there is another."""
        logger.error("the coordinator must stop: %s", error)
        self._end(error)
        if isinstance(error, Fenced):
            self._on_fenced()
        else:
            self._supervisor.fail("group commit", error)

    async def _accepted(self, requests: list[CommitRequest]) -> list[CommitRequest]:
        """Those that go into the group.  They take effect in their order, so one that has read what an earlier one
        of the group writes is a conflict, too."""
        accepted: list[CommitRequest] = []
        earlier = GroupWrites()
        for request in requests:
            if request.is_barrier or self._refused(request, earlier):
                continue
            if await self._keys_taken(request, earlier) or self._refused(request, earlier):
                continue
            unknown = () if self._unique is None else self._unique.untold(request.writes, request.keys)
            earlier.add(request.writes, request.keys, unknown)
            request.accepted = True
            accepted.append(request)
        return accepted

    async def _commit(self, requests: list[CommitRequest]) -> None:
        if all(request.is_output for request in requests):
            time = self._oracle.read_time
        else:
            time = self._oracle.write_time()
        try:
            outcome, mark, committed = await self._append(requests, time)
        except PtvcError as error:
            if isinstance(error, Fenced | Indeterminate):
                # The time stays open: of what may be durable at it nobody has heard, so nothing is complete beyond it.
                self._stop(error)
                return
            self._oracle.close(time)  # as it is, where it is one of the past
            for request in requests:
                request.future.set_exception(error)
            return
        if isinstance(outcome, UpperMismatch):
            raise AssertionError(
                f"persist holds other frontiers than the coordinator: {dict(outcome.current)}"
            )
        if mark is not None:
            self._oracle.mark_raised(mark)
        for update in committed:
            last = max((part.max_time for part in update.parts), default=None)
            self._collections.committed(update.id, update.upper, last)
        self._oracle.close(time)
        for request in requests:
            if self._unique is not None:
                self._unique.committed(request.writes, request.keys, time)
            if request.on_durable is not None:
                request.on_durable()
        self._on_commit(committed)
        for request in requests:
            if request.on_committed is not None:
                request.on_committed()
            request.future.set_result(time)

    async def _append(
        self, requests: list[CommitRequest], time: int
    ) -> tuple[Appended | UpperMismatch, int | None, tuple[Updates, ...]]:
        """The durable transaction.  It raises the oracle's mark as well, if that is wanted."""
        writes, committed = self._assemble(requests, time)
        mark = self._oracle.wanted_mark()
        outcome = await asyncio.get_running_loop().run_in_executor(
            self.thread, lambda: self._persist.append(writes, epoch=self._epoch, mark=mark)
        )
        return outcome, mark, committed

    def _refused(self, request: CommitRequest, earlier: GroupWrites) -> bool:
        """Answers a request that cannot be committed: what it writes is gone, or what it read has changed, perhaps by an
        earlier one of the group."""
        if request.future.done():
            return True  # it was withdrawn
        if any(id_ not in self._collections for id_ in request.timestamped):
            request.future.set_exception(UndefinedTable("the relation was dropped while it was written"))
            return True
        if request.valid is not None and not request.valid():
            request.future.set_exception(
                SerializationFailure("What it was prepared for has changed; run it again.")
            )
            return True
        for id_, expected in request.expect.items():
            if id_ not in self._collections or self._written_since(id_, expected, earlier):
                request.future.set_result(Conflict(id_))
                return True
        return False

    def _written_since(self, id: GlobalId, expected: Expected, earlier: GroupWrites) -> bool:
        if id not in earlier.tables and self._collections[id].last_write <= expected.time:
            return False
        return self._unique is None or self._unique.written_since(expected, earlier)

    async def _keys_taken(self, request: CommitRequest, earlier: GroupWrites) -> bool:
        """Answers a request that would break a unique constraint, perhaps by what an earlier one of the group adds."""
        if self._unique is None or not request.keys:
            return False
        checked = {key: counts for key, counts in request.keys.items() if key not in request.unchecked}
        taken = await self._unique.taken(checked, earlier)
        if taken is None:
            return False
        if not request.future.done():  # it may have been withdrawn meanwhile
            request.future.set_result(taken)
        return True

    def _assemble(
        self, requests: list[CommitRequest], time: int
    ) -> tuple[dict[ShardId, Write], tuple[Updates, ...]]:
        """One Write per shard, and what it means per collection."""
        timestamped: dict[GlobalId, list[PartRef]] = {}
        companions: dict[ShardId, list[PartRef]] = {}
        timed: dict[GlobalId, Updates] = {}
        evolved: dict[GlobalId, Schema] = {}
        for request in requests:
            evolved.update(request.evolved)
            for id_, parts in request.timestamped.items():
                timestamped.setdefault(id_, []).extend(stamp(part, time) for part in parts)
            for shard, parts in request.companions.items():
                companions.setdefault(shard, []).extend(stamp(part, time) for part in parts)
            for update in request.timed:
                if update.id in self._collections:  # else dropped meanwhile
                    timed[update.id] = self._following(timed.get(update.id), update)
        committed = []
        writes: dict[ShardId, Write] = {}
        for id_, rows in timestamped.items():
            collection = self._collections[id_]
            schema = evolved.get(id_, collection.schema if collection.evolved else None)
            update = Updates(id_, collection.durable_upper, time + 1, tuple(rows), schema)
            writes[collection.shard] = Write(update.lower, update.upper, update.parts, evolved.get(id_))
            committed.append(update)
        for shard, rows in companions.items():
            writes[shard] = Write(self._persist.mirror.state(shard).upper, time + 1, tuple(rows))
        for request in requests:
            writes.update(request.catalog)
        for id_, update in timed.items():
            if update.upper > update.lower:
                shard = self._collections[id_].shard
                writes[shard] = Write(update.lower, update.upper, update.parts)
                committed.append(update)
        return writes, tuple(committed)

    def _following(self, earlier: Updates | None, update: Updates) -> Updates:
        """What is durable, then `earlier` of the same group, then of `update` what neither has.

        Several replicas write the same history: whoever is first with an interval writes it.  What lies between
        is empty, as whoever writes has promised; upkeep may even say less than a step of the same group.
        """
        durable = self._collections[update.id].durable_upper
        known, parts = (earlier.upper, earlier.parts) if earlier is not None else (durable, ())
        if update.lower < known:
            update = replace(update, parts=trim(update.parts, known))
        return Updates(update.id, durable, max(known, update.upper), parts + update.parts)
