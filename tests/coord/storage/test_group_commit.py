"""Group commit over persist in memory: grouping, conflicts, frontiers, fencing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pytest
from ptvc.clock import ManualClock
from ptvc.coord.storage import group_commit
from ptvc.coord.storage.collections import Collections
from ptvc.coord.storage.commit_request import Conflict
from ptvc.coord.storage.expectation import Expected
from ptvc.coord.storage.group_commit import GroupCommit
from ptvc.coord.storage.oracle import Oracle
from ptvc.errors import Fenced, PtvcError, UndefinedTable
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PartRef, PersistClient, Write
from ptvc.persist.consensus.base import Indeterminate
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.read import read_snapshot, read_updates
from ptvc.persist.write import write_parts
from ptvc.replica.protocol import Updates
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.supervision import Supervisor

SCHEMA = Schema((Column("a", INT4),))


@dataclass
class World:
    """`t` and `u` are timestamped, `v` is a view."""

    persist: PersistClient
    oracle: Oracle
    collections: Collections
    commit: GroupCommit
    commits: list[tuple[Updates, ...]] = field(default_factory=list)
    fenced: list[bool] = field(default_factory=list)
    failures: list[BaseException] = field(default_factory=list)

    def parts(self, shard: str, *values: int, time: int = 0) -> tuple[PartRef, ...]:
        delta = Delta(batch_from_rows(SCHEMA, [(v,) for v in values], time), NO_ERRORS)
        return write_parts(self.persist.blob, shard, SCHEMA, delta, writer="test")

    def contents(self, shard: str) -> list[int]:
        snapshot = self.persist.snapshot(shard, self.persist.state(shard).upper - 1)
        rows = read_snapshot(self.persist.blob, snapshot).oks
        return sorted(
            value
            for value, n in zip(rows.columns[0].to_pylist(), rows.diffs.tolist(), strict=True)
            for _ in range(n)
        )


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    clock = ManualClock()
    persist = PersistClient(MemoryConsensus(), MemoryBlob(), clock)
    epoch = persist.take_epoch("coordinator")
    oracle = Oracle(clock, persist.mark())
    collections = Collections(persist, oracle)
    for name in ("t", "u", "v"):
        persist.create_shard(name, SCHEMA, epoch=epoch)
        collections.add(name, name, name, SCHEMA, timestamped=name != "v")
    commits: list[tuple[Updates, ...]] = []
    fenced: list[bool] = []
    failures: list[BaseException] = []
    supervisor = Supervisor(lambda name, error: failures.append(error))
    commit = GroupCommit(
        persist,
        oracle,
        collections,
        epoch,
        commits.append,
        lambda: fenced.append(True),
        supervisor,
    )
    await commit.drained()  # the mark is raised
    commits.clear()
    yield World(persist, oracle, collections, commit, commits, fenced, failures)
    await commit.close()
    await supervisor.stop()


def batch_of(updates: list[tuple[int, int]]) -> Batch:
    """Rows (value) at their times, from (value, time)."""
    values, times = zip(*updates, strict=True)
    return Batch((pa.array(values, pa.int32()),), np.array(times, np.uint64), np.ones(len(updates), np.int64))


def run(test: Callable[[World], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(120), world() as w:
            await test(w)

    asyncio.run(main())


def test_writes_that_wait_share_a_commit() -> None:
    async def test(w: World) -> None:
        times = await asyncio.gather(*(w.commit.write({"t": w.parts("t", i)}) for i in range(10)))
        assert len(w.commits) == 1
        assert len(set(times)) == 1
        assert w.contents("t") == list(range(10))
        assert w.oracle.read_time == times[0]

    run(test)


def test_a_write_is_at_a_later_time_than_all_before() -> None:
    async def test(w: World) -> None:
        last = w.oracle.read_time
        for i in range(5):
            time = await w.commit.write({"t": w.parts("t", i), "u": w.parts("u", i)})
            assert isinstance(time, int)
            assert time > last
            last = w.oracle.read_time
        assert w.contents("t") == w.contents("u") == [0, 1, 2, 3, 4]

    run(test)


def test_an_optimistic_write_conflicts_with_what_came_between() -> None:
    async def test(w: World) -> None:
        read_at = w.oracle.read_time
        assert await w.commit.write({"u": w.parts("u", 1)}, expect={"t": Expected(read_at)}) != Conflict("t")
        await w.commit.write({"t": w.parts("t", 1)})
        assert await w.commit.write({"u": w.parts("u", 2)}, expect={"t": Expected(read_at)}) == Conflict("t")
        assert isinstance(
            await w.commit.write({"u": w.parts("u", 3)}, expect={"t": Expected(w.oracle.read_time)}), int
        )
        assert w.contents("u") == [1, 3]

    run(test)


def test_optimistic_writes_of_one_group_conflict_with_each_other() -> None:
    async def test(w: World) -> None:
        read_at = w.oracle.read_time
        outcomes = await asyncio.gather(
            *(w.commit.write({"t": w.parts("t", i)}, expect={"t": Expected(read_at)}) for i in range(4))
        )
        assert isinstance(outcomes[0], int)
        assert outcomes[1:] == [Conflict("t")] * 3
        assert w.contents("t") == [0]

    run(test)


def test_a_dropped_table_refuses_its_writer_alone() -> None:
    async def test(w: World) -> None:
        other = asyncio.create_task(w.commit.write({"t": w.parts("t", 1)}))
        gone = asyncio.create_task(w.commit.write({"u": w.parts("u", 1)}))
        w.collections.remove("u")
        assert isinstance(await other, int)
        with pytest.raises(UndefinedTable):
            await gone
        assert w.contents("t") == [1]

    run(test)


def test_outputs_of_views_take_no_time() -> None:
    """Else every replica would step once more for each of them, and say so, and each read would wait for that."""

    async def test(w: World) -> None:
        closed = w.oracle.closed
        await w.commit.append((Updates("v", 0, closed, w.parts("v", 1, time=7)),))
        assert w.oracle.closed == closed
        output = w.commit.append((Updates("v", closed, closed + 1, w.parts("v", 2, time=closed)),))
        _, time = await asyncio.gather(output, w.commit.write({"t": w.parts("t", 1)}))
        assert w.oracle.closed == time + 1 > closed

    run(test)


def test_who_has_read_a_view_conflicts_with_what_it_has_got_later() -> None:
    async def test(w: World) -> None:
        await w.commit.append((Updates("v", 0, 1_000, w.parts("v", 1, time=7)),))
        write = w.parts("t", 1)
        assert await w.commit.write({"t": write}, expect={"v": Expected(6)}) == Conflict("v")
        assert isinstance(await w.commit.write({"t": write}, expect={"v": Expected(7)}), int)

    run(test)


def test_outputs_of_views_keep_their_times() -> None:
    async def test(w: World) -> None:
        await w.commit.append((Updates("v", 0, 10, w.parts("v", 1, time=7)),))
        assert w.persist.state("v").upper == 10
        # A frontier that was promised in between needs no commit of its own.
        await w.commit.append((Updates("v", 20, 30, w.parts("v", 2, time=25)),))
        assert w.persist.state("v").upper == 30
        assert w.contents("v") == [1, 2]

    run(test)


@pytest.mark.parametrize("together", [False, True])
def test_replicas_that_overlap_write_each_update_once(together: bool) -> None:
    """Two replicas cut the same history differently; whoever comes first with an interval has it."""

    def step(w: World, lower: int, upper: int) -> Updates:
        delta = Delta(batch_of([(time, time) for time in range(lower, upper)]), NO_ERRORS)
        parts = write_parts(w.persist.blob, "v", SCHEMA, delta, writer="test")
        return Updates("v", lower, upper, parts)

    async def test(w: World) -> None:
        steps = [step(w, 1, 4), step(w, 1, 2), step(w, 2, 7), step(w, 4, 5), step(w, 5, 9), step(w, 7, 9)]
        if together:
            await asyncio.gather(*(w.commit.append((s,)) for s in steps))
        else:
            for s in steps:
                await w.commit.append((s,))
        assert w.persist.state("v").upper == 9
        assert w.contents("v") == list(range(1, 9))
        history = read_updates(w.persist.blob, w.persist.updates("v", 1, 9), SCHEMA, 1, 9).oks
        assert history.times.tolist() == list(range(1, 9))

    run(test)


def test_upkeep_in_the_same_group_as_a_step() -> None:
    async def test(w: World) -> None:
        step = Updates("v", 0, 30, w.parts("v", 1, time=25))
        upkeep = Updates("v", 0, 10, ())
        await asyncio.gather(w.commit.append((step,)), w.commit.append((upkeep,)))
        assert w.persist.state("v").upper == 30
        await w.commit.append((upkeep,))  # too late to say anything
        assert w.persist.state("v").upper == 30
        assert w.contents("v") == [1]

    run(test)


def test_drained_waits_for_what_was_there_and_for_nothing_else() -> None:
    async def test(w: World) -> None:
        stop = asyncio.Event()

        async def writer() -> None:
            while not stop.is_set():
                await w.commit.write({"t": w.parts("t", 1)})

        writers = [asyncio.create_task(writer()) for _ in range(4)]
        first = asyncio.create_task(w.commit.write({"u": w.parts("u", 1)}))
        await asyncio.sleep(0)
        for _ in range(5):
            await w.commit.drained()  # though it is never quiet
            assert first.done()
        stop.set()
        await asyncio.gather(*writers)

    run(test)


def test_a_writer_that_has_gone_writes_nothing() -> None:
    async def test(w: World) -> None:
        task = asyncio.create_task(w.commit.write({"t": w.parts("t", 1)}))
        await asyncio.sleep(0)
        task.cancel()
        await w.commit.write({"t": w.parts("t", 2)})
        with pytest.raises(asyncio.CancelledError):
            await task
        assert w.contents("t") in ([2], [1, 2])  # the cancellation may have come too late

    run(test)


def test_an_unknown_outcome_is_a_failure_and_no_other_coordinator() -> None:
    """The process is started anew, and finds out what is durable."""

    async def test(w: World, monkeypatch: pytest.MonkeyPatch) -> None:
        def lost(*_: object, **__: object) -> None:
            raise Indeterminate("the reply was lost")

        monkeypatch.setattr(w.persist, "append", lost)
        with pytest.raises(Indeterminate):
            await w.commit.write({"t": w.parts("t", 1)})
        assert [type(failure) for failure in w.failures] == [Indeterminate]
        assert not w.fenced
        with pytest.raises(Indeterminate):
            await w.commit.write({"t": w.parts("t", 2)})

    with pytest.MonkeyPatch.context() as monkeypatch:
        run(lambda w: test(w, monkeypatch))


def test_nothing_is_complete_beyond_an_unknown_outcome() -> None:
    """Who follows a collection would not hear of what a restart finds there: a sink, or a client that subscribes again."""

    async def test(w: World, monkeypatch: pytest.MonkeyPatch) -> None:
        uppers: list[int] = []

        def lost(writes: Mapping[str, Write], **_: object) -> None:
            uppers.append(writes["t"].upper)
            raise Indeterminate("the reply was lost")

        monkeypatch.setattr(w.persist, "append", lost)
        with pytest.raises(Indeterminate):
            await w.commit.write({"t": w.parts("t", 1)})
        for _ in range(3):
            w.commit.tick()
        assert w.oracle.closed < uppers[0]
        assert w.commits == []

    with pytest.MonkeyPatch.context() as monkeypatch:
        run(lambda w: test(w, monkeypatch))


def test_nothing_is_told_once_a_commit_has_failed_when_it_was_durable() -> None:
    """Not that time goes on, either: nobody has heard of what was committed."""

    async def test(w: World) -> None:
        def broken() -> None:
            raise RuntimeError("a defect")

        with pytest.raises(PtvcError, match="a defect"):
            await w.commit.write({"t": w.parts("t", 1)}, on_durable=broken)
        assert w.contents("t") == [1]
        for _ in range(3):
            w.commit.tick()
        assert w.commits == []

    run(test)


def test_a_fenced_coordinator_commits_nothing_and_says_so() -> None:
    async def test(w: World) -> None:
        w.persist.take_epoch("coordinator")
        with pytest.raises(Fenced):
            await w.commit.write({"t": w.parts("t", 1)})
        assert w.fenced
        assert w.persist.state("t").upper == 0
        assert w.oracle.closed == w.oracle.read_time + 1  # nothing stays open

    run(test)


def test_a_definition_takes_no_place_among_the_writes_that_it_holds_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of writes only so many wait: the others wait for a place, and may be cancelled there."""
    monkeypatch.setattr(group_commit, "MOST_WAITING", 3)

    async def test(w: World) -> None:
        async with w.commit.frozen("t"):
            writes = [asyncio.create_task(w.commit.write({"t": w.parts("t", i)})) for i in range(10)]
            for _ in range(20):
                await asyncio.sleep(0)
            assert len(w.commit._pending) == 3
            writes[5].cancel()
            await asyncio.wait_for(w.commit.drained(), 10)
            await asyncio.wait_for(w.commit.append((Updates("v", 0, 7, ()),)), 10)
            assert not any(write.done() for write in writes if not write.cancelled())
        await asyncio.wait(writes)
        assert writes[5].cancelled()
        assert w.contents("t") == [0, 1, 2, 3, 4, 6, 7, 8, 9]

    run(test)


def test_while_all_stands_still_only_rows_wait() -> None:
    async def test(w: World) -> None:
        async with w.commit.still():
            write = asyncio.create_task(w.commit.write({"t": w.parts("t", 1)}))
            await asyncio.wait_for(w.commit.append((Updates("v", 0, 7, ()),)), 10)
            await asyncio.wait_for(w.commit.drained(), 10)
            assert not write.done()
        await asyncio.wait_for(write, 10)
        assert w.contents("t") == [1]

    run(test)
