"""Look-ups of several clients go together, and each gets its rows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, cast

import pyarrow as pa
import pytest
from ptvc.coord.catalog.items import Index
from ptvc.coord.controller.replicas import ReplicaClient
from ptvc.coord.query import look_ups
from ptvc.coord.query.key_choice import TableKey
from ptvc.coord.query.look_ups import LookUps, listed
from ptvc.coord.results.results import Columns
from ptvc.coord.storage.collections import Collection, Collections
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.replica.protocol import LookedUp, LookUp, LookUpStored, StoredChange
from ptvc.repr.batch import to_record
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT

ROWS = Schema((Column("name", TEXT),))


class Stub:
    """Stands for an index item."""

    id = "u2"
    keys = (ColumnRef(0, INT8),)


class Replica:
    """Stands for a replica whose index has `key` rows `row 0 of key`, ... of each key."""

    id = "c1-r1"

    def __init__(self) -> None:
        self.asked: list[LookUp] = []
        self._under_way: list[Callable[[LookedUp | None], None]] = []

    def look_up(self, asked: Callable[[int], LookUp], answered: Callable[[LookedUp | None], None]) -> None:
        self.asked.append(asked(len(self.asked)))
        self._under_way.append(answered)

    def keys(self, number: int) -> list[int]:
        (found,) = self.asked[number].keys
        return found

    def answer(self, rows: bool = True) -> None:
        """The oldest that is under way."""
        number = len(self.asked) - len(self._under_way)
        keys = self.keys(number)
        found = [f"row {i} of {key}" for key in keys for i in range(key)]
        payload = to_record(ROWS, [pa.array(found, pa.string())]) if rows else None
        self._under_way.pop(0)(LookedUp(number, payload, tuple(keys)))

    def go_away(self) -> None:
        under_way, self._under_way = self._under_way, []
        for answered in under_way:
            answered(None)


class World:
    def __init__(self) -> None:
        self.replica = Replica()
        self.look_ups = LookUps(cast(Collections, None))  # of tables it is asked nothing

    def ask(self, *keys: int, time: int = 7) -> asyncio.Task[Columns | None]:
        replica, index = cast(ReplicaClient, self.replica), cast(Index, Stub())
        return asyncio.create_task(self.look_ups.rows(replica, index, ROWS, (1,), (list(keys),), time))


def names(columns: Columns | None) -> list[str]:
    assert columns is not None
    found: list[str] = columns[0].to_pylist()
    return found


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def run(test: Callable[[World], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(test(World()))


def test_who_comes_while_an_answer_is_under_way_goes_with_the_next() -> None:
    async def test(world: World) -> None:
        first = world.ask(1)
        await settled()
        others = [world.ask(2), world.ask(0), world.ask(1, 3)]
        await settled()
        assert len(world.replica.asked) == 1
        world.replica.answer()
        assert names(await first) == ["row 0 of 1"]
        await settled()
        assert world.replica.keys(1) == [2, 0, 1, 3]
        world.replica.answer()
        assert [names(await task) for task in others] == [
            ["row 0 of 2", "row 1 of 2"],
            [],
            ["row 0 of 1", "row 0 of 3", "row 1 of 3", "row 2 of 3"],
        ]
        assert len(world.replica.asked) == 2
        assert not world.look_ups._queues

    run(test)


def test_one_message_is_of_one_time() -> None:
    async def test(world: World) -> None:
        tasks = [world.ask(key, time=time) for key, time in ((5, 6), (1, 7), (2, 8), (3, 7))]
        for _ in range(3):
            await settled()
            world.replica.answer()
        assert [len(names(await task)) for task in tasks] == [5, 1, 2, 3]
        assert [(asked.as_of, world.replica.keys(i)) for i, asked in enumerate(world.replica.asked)] == [
            (6, [5]),
            (7, [1, 3]),
            (8, [2]),
        ]

    run(test)


def test_one_message_has_so_many_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_ups, "MOST_TOGETHER", 3)

    async def test(world: World) -> None:
        tasks = [world.ask(5), world.ask(1, 1), world.ask(2, 2), world.ask(1)]
        for _ in range(3):
            await settled()
            world.replica.answer()
        assert [len(names(await task)) for task in tasks] == [5, 2, 4, 1]
        assert [world.replica.keys(i) for i in range(3)] == [[5], [1, 1, 1], [2, 2]]

    run(test)


def test_who_asks_for_many_keys_waits_for_no_one_and_holds_up_no_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_ups, "MOST_TOGETHER", 3)

    async def test(world: World) -> None:
        few = world.ask(1)
        await settled()
        many = world.ask(1, 2, 1, 2)
        await settled()
        assert world.replica.keys(1) == [1, 2, 1, 2]
        after = world.ask(2)
        await settled()
        assert len(world.replica.asked) == 2, "it goes with the next message of few keys"
        world.replica.answer()
        assert len(names(await few)) == 1
        await settled()
        assert world.replica.keys(2) == [2]
        for _ in range(2):
            world.replica.answer()
        assert (len(names(await many)), len(names(await after))) == (6, 2)
        assert not world.look_ups._queues

    run(test)


def test_who_was_cancelled_is_not_asked_for_and_holds_up_no_one() -> None:
    async def test(world: World) -> None:
        tasks = [world.ask(key) for key in (5, 1, 2)]
        await settled()
        world.replica.answer()
        await settled()
        waiting = [world.ask(3), world.ask(4)]
        await settled()
        for task in (tasks[1], waiting[0]):
            task.cancel()
        await settled()
        world.replica.answer()
        assert names(await tasks[2]) == ["row 0 of 2", "row 1 of 2"]
        await settled()
        assert world.replica.keys(2) == [4]
        world.replica.answer()
        assert len(names(await waiting[1])) == 4
        assert not world.look_ups._queues

    run(test)


def test_nothing_can_be_said() -> None:
    """As the index is gone, or the replica: those who wait for the next message are told with its answer."""

    async def test(world: World) -> None:
        first = world.ask(1)
        await settled()
        second = world.ask(2)
        await settled()
        world.replica.answer(rows=False)
        assert await first is None
        await settled()
        world.replica.go_away()
        assert await second is None
        assert not world.look_ups._queues

    run(test)


def test_keys_that_python_does_not_know() -> None:
    assert listed([pa.array([1, 2]), pa.array(["a", "b"])]) == ([1, 2], ["a", "b"])
    for array in (pa.array([3_000_000], pa.date32()), pa.array([2**60], pa.timestamp("us"))):
        assert listed([array]) is None


class Told:
    """Stands for what is told of a table's parts: a number for each time that it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def change(self, shard: str, schema: Schema, key: tuple[int, ...]) -> StoredChange:
        assert (shard, schema, key) == ("s1", ROWS, (0,))
        self.asked += 1
        return StoredChange((schema, key) if self.asked == 1 else None, (), ())


class Tables:
    """Stands for collections of one table, `u1`."""

    def __contains__(self, id: str) -> bool:
        return id == "u1"

    def __getitem__(self, id: str) -> Collection:
        return Collection(id, "s1", ROWS, True, 1, 1)

    def told_parts(self) -> Told:
        return Told()


class ReplicaWithTables(Replica):
    """Stands for one that answers with no rows, or that it has forgotten the table."""

    def __init__(self) -> None:
        super().__init__()
        self.told: dict[int, Told] = {}

    def answer_stored(self, *, forgotten: bool) -> None:
        number = len(self.asked) - len(self._under_way)
        payload = None if forgotten else to_record(ROWS, [pa.array([], pa.string())])
        self._under_way.pop(0)(LookedUp(number, payload, (0,), forgotten))


def test_what_a_replica_has_forgotten_is_told_anew() -> None:
    async def test(world: World) -> None:
        replica = ReplicaWithTables()
        look_ups = LookUps(cast(Collections, Tables()))
        key = TableKey("u1", 40, (0,))
        begun = []
        for forgotten in (False, False, True, False):
            asking = look_ups.rows(cast(ReplicaClient, replica), key, ROWS, (0,), (["a"],), 7)
            task = asyncio.create_task(asking)
            await settled()
            asked = cast(LookUpStored, replica.asked[-1])
            assert asked.change is not None
            begun.append(asked.change.begin is not None)
            replica.answer_stored(forgotten=forgotten)
            assert (await task is None) == forgotten
        assert begun == [True, False, False, True]

    run(test)


def test_no_more_tables_are_told_than_a_replica_knows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(look_ups, "MOST_TABLES", 2)

    async def test(world: World) -> None:
        replica = ReplicaWithTables()
        look_ups_ = LookUps(cast(Collections, Tables()))
        for oid in (1, 2, 3):
            key = TableKey("u1", oid, (0,))
            asking = look_ups_.rows(cast(ReplicaClient, replica), key, ROWS, (0,), (["a"],), 7)
            task = asyncio.create_task(asking)
            await settled()
            replica.answer_stored(forgotten=False)
            assert await task is not None
        assert list(replica.told) == [2, 3]

    run(test)
