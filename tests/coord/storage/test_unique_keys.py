"""Writes under a unique constraint, in one group and behind each other: keys that are taken, and rows that were read by their key."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from ptvc.clock import ManualClock
from ptvc.coord.catalog.items import Table
from ptvc.coord.storage import unique_keys
from ptvc.coord.storage.collections import Collections
from ptvc.coord.storage.commit_request import Conflict
from ptvc.coord.storage.expectation import Expected
from ptvc.coord.storage.group_commit import GroupCommit
from ptvc.coord.storage.key_counts import KeyCounts
from ptvc.coord.storage.oracle import Oracle
from ptvc.coord.storage.reads import ActiveReads
from ptvc.coord.storage.unique_keys import KeysTaken, UniqueKeys, key_changes
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PartRef, PersistClient
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, batch_from_rows, concat_batches
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.sql.syntax.constraints import Constraint, ConstraintKind
from ptvc.supervision import Supervisor

SCHEMA = Schema((Column("a", INT4), Column("b", INT4)))
KEY = Constraint("t_pkey", ConstraintKind.PRIMARY_KEY, (0,), oid=77)
TABLE = Table(id="t", oid=1, schema_name="public", name="t", schema=SCHEMA, shard="t", constraints=(KEY,))

Row = tuple[int, int]


def batch(old: tuple[Row, ...], new: tuple[Row, ...]) -> Batch:
    rows = [batch_from_rows(SCHEMA, old, 0, -1), batch_from_rows(SCHEMA, new, 0)]
    return concat_batches(SCHEMA, rows)


@dataclass
class World:
    persist: PersistClient
    oracle: Oracle
    commit: GroupCommit
    unique: UniqueKeys

    async def change(
        self, *, old: tuple[Row, ...] = (), new: tuple[Row, ...] = (), read: Expected | None = None
    ) -> int | Conflict | KeysTaken:
        """Takes rows away and adds others, if what was read is as it was."""
        rows = batch(old, new)
        keys = KeyCounts(zeros=True)
        keys.add(*key_changes(TABLE, KEY, rows))
        parts: tuple[PartRef, ...] = write_parts(
            self.persist.blob, "t", SCHEMA, Delta(rows, NO_ERRORS), writer="test"
        )
        expect = {} if read is None else {"t": read}
        return await self.commit.write_keyed({"t": parts}, expect, {KEY.oid: keys})

    def read(self, *keys: int, time: int | None = None) -> Expected:
        """Of the rows with these keys, now."""
        return Expected(self.oracle.read_time if time is None else time, {KEY.oid: hashes(*keys)})


def hashes(*keys: int) -> npt.NDArray[np.uint64]:
    return key_changes(TABLE, KEY, batch((), tuple((key, 0) for key in keys)))[0]


@asynccontextmanager
async def world() -> AsyncIterator[World]:
    clock = ManualClock()
    persist = PersistClient(MemoryConsensus(), MemoryBlob(), clock)
    epoch = persist.take_epoch("coordinator")
    oracle = Oracle(clock, persist.mark())
    collections = Collections(persist, oracle)
    persist.create_shard("t", SCHEMA, epoch=epoch)
    collections.add("t", "t", "t", SCHEMA, timestamped=True)
    unique = UniqueKeys(persist, oracle, collections, ActiveReads(oracle))
    failures: list[BaseException] = []
    supervisor = Supervisor(lambda name, error: failures.append(error))
    commit = GroupCommit(
        persist, oracle, collections, epoch, lambda _: None, lambda: None, supervisor, unique
    )
    await commit.drained()
    yield World(persist, oracle, commit, unique)
    await commit.close()
    await supervisor.stop()
    assert failures == []


def run(test: Callable[[World], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(120), world() as w:
            await w.unique.ready(TABLE, [KEY])
            await test(w)

    asyncio.run(main())


def test_a_key_is_taken_once_in_a_group_and_behind_it() -> None:
    async def test(w: World) -> None:
        outcomes = await asyncio.gather(
            w.change(new=((1, 1),)), w.change(new=((1, 2),)), w.change(new=((2, 2),))
        )
        assert isinstance(outcomes[0], int)
        assert isinstance(outcomes[1], KeysTaken)
        assert outcomes[2] == outcomes[0]
        assert isinstance(await w.change(new=((2, 3),)), KeysTaken)
        assert isinstance(await w.change(old=((2, 2),), new=((2, 3),)), int)

    run(test)


def test_keys_that_a_statement_has_looked_for_are_looked_for_again_if_others_were_written() -> None:
    async def test(w: World) -> None:
        def added(key: int) -> KeyCounts:
            own = KeyCounts(zeros=True)
            own.add(hashes(key), np.ones(1, np.int64))
            own.free_beside = w.unique.counts(KEY.oid).version
            return own

        async def written(own: KeyCounts) -> int | Conflict | KeysTaken:
            return await w.commit.write_keyed({"t": ()}, {}, {KEY.oid: own})

        outcomes = await asyncio.gather(written(added(1)), written(added(1)), written(added(2)))
        assert [isinstance(outcome, KeysTaken) for outcome in outcomes] == [False, True, False]
        late = added(3)
        await w.change(new=((3, 0),))
        assert isinstance(await written(late), KeysTaken)
        late = added(4)
        await w.change(new=((5, 0),))
        assert isinstance(await written(late), int)

    run(test)


def test_rows_of_other_keys_in_one_group() -> None:
    async def test(w: World) -> None:
        await w.change(new=((1, 0), (2, 0), (3, 0)))
        outcomes = await asyncio.gather(
            *(w.change(old=((key, 0),), new=((key, 1),), read=w.read(key)) for key in (1, 2, 3))
        )
        assert isinstance(outcomes[0], int)
        assert outcomes == [outcomes[0]] * 3

    run(test)


def test_one_row_in_one_group() -> None:
    """Each keeps the key, so how often it occurs does not change."""

    async def test(w: World) -> None:
        await w.change(new=((1, 0), (2, 0)))
        outcomes = await asyncio.gather(
            w.change(old=((1, 0),), new=((1, 1),), read=w.read(1)),
            w.change(old=((1, 0),), new=((1, 2),), read=w.read(1)),
            w.change(old=((2, 0),), read=w.read(2, 1)),
        )
        assert isinstance(outcomes[0], int)
        assert outcomes[1:] == [Conflict("t")] * 2

    run(test)


def test_one_row_behind_each_other() -> None:
    async def test(w: World) -> None:
        await w.change(new=((1, 0), (2, 0)))
        read = w.read(1)
        assert isinstance(await w.change(old=((2, 0),), new=((2, 1),)), int)
        assert isinstance(await w.change(old=((1, 0),), new=((1, 1),), read=read), int)
        assert await w.change(old=((1, 0),), new=((1, 2),), read=read) == Conflict("t")
        assert await w.change(old=((2, 1),), read=Expected(read.time)) == Conflict("t")  # it read all rows

    run(test)


def test_what_was_read_before_anything_is_remembered() -> None:
    async def test(w: World) -> None:
        before = w.oracle.read_time - 1
        await w.change(new=((1, 0), (2, 0)))
        assert await w.change(old=((1, 0),), read=w.read(1, time=before)) == Conflict("t")

    run(test)


def test_a_write_that_does_not_say_its_keys() -> None:
    """It may have been of any."""

    async def test(w: World) -> None:
        await w.change(new=((1, 0), (2, 0)))
        read = w.read(1)
        delta = Delta(batch((), ((3, 3),)), NO_ERRORS)
        await w.commit.write({"t": write_parts(w.persist.blob, "t", SCHEMA, delta, writer="test")})
        assert await w.change(old=((1, 0),), read=read) == Conflict("t")
        assert isinstance(await w.change(old=((1, 0),), read=w.read(1)), int)

    run(test)


def test_a_constraint_that_is_gone() -> None:
    async def test(w: World) -> None:
        await w.change(new=((1, 0), (2, 0)))
        read = w.read(1)
        await w.change(new=((3, 0),))
        w.unique.forget([KEY])
        assert await w.change(old=((1, 0),), read=read) == Conflict("t")
        assert isinstance(await w.change(old=((1, 0),), read=w.read(1)), int)  # nothing was written since

    run(test)


def test_many_keys_are_put_in_order_beside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unique_keys, "JOINED_AT_ONCE", 4)

    async def test() -> None:
        async with world() as w:
            await w.unique.ready(TABLE, [KEY])
            for number in range(40):
                assert isinstance(await w.change(new=tuple((number * 3 + i, 0) for i in range(3))), int)
                taken = await w.change(new=((number, 1),))
                assert isinstance(taken, KeysTaken)
            for _ in range(200):
                if w.unique.counts(KEY.oid).due() is None:
                    break
                await asyncio.sleep(0.01)
            assert w.unique.counts(KEY.oid).due() is None
            assert len(w.unique.counts(KEY.oid)) == 120

    asyncio.run(test())
