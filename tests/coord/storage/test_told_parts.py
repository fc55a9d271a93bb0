"""What is told of a table's parts: in the end always those that it has."""

from __future__ import annotations

import asyncio
from random import Random

import pytest
from ptvc.coord.storage.collections import Collections
from ptvc.coord.storage.storage import Storage
from ptvc.coord.storage.told_parts import ToldParts
from ptvc.persist.part import PartRef
from ptvc.replica.protocol import StoredChange
from ptvc.repr.schema import Column
from ptvc.repr.types import INT8

from .stored import SCHEMA, create, insert, opened, persist_of


class Told:
    """Who is told, and keeps count."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections
        self._parts: ToldParts = collections.told_parts()
        self.batches: dict[int, tuple[PartRef, ...]] = {}

    def next(self) -> StoredChange | None:
        collection = self._collections["t"]
        change = self._parts.change(collection.shard, collection.schema, (0,))
        if change is not None:
            if change.begin is not None:
                self.batches.clear()
            for number in change.gone:
                del self.batches[number]
            for number, parts in change.added:
                assert number not in self.batches
                self.batches[number] = parts
        return change

    @property
    def all(self) -> list[PartRef]:
        return [part for parts in self.batches.values() for part in parts]


def stored(storage: Storage) -> list[PartRef]:
    _, batches = persist_of(storage).mirror.batches("t")
    return [part for batch in batches for part in batch.parts]


def test_each_write_once() -> None:
    async def test() -> None:
        async with opened() as storage:
            create(storage, "t")
            told = Told(storage.collections)
            await insert(storage, "t", 1)
            first = told.next()
            assert first is not None
            assert first.begin == (SCHEMA, (0,))
            assert len(first.added) == 1
            assert told.next() is None
            await insert(storage, "t", 2)
            await insert(storage, "t", 3)
            second = told.next()
            assert second is not None
            assert second.begin is None
            assert len(second.added) == 2
            assert second.gone == ()
            assert told.all == stored(storage)
            assert told.next() is None

    asyncio.run(test())


@pytest.mark.parametrize("seed", range(5))
def test_whatever_is_written_and_merged(seed: int) -> None:
    async def test() -> None:
        random = Random(seed)
        async with opened() as storage:
            create(storage, "t")
            told = Told(storage.collections)
            merges = 0
            for number in range(60):
                await insert(storage, "t", number)
                if random.random() < 0.2:
                    time = storage.oracle.read_time
                    await storage.compact({"t": time}, (), set(), None, 1 << 30)
                    merges += 1
                if random.random() < 0.5:
                    told.next()
                    assert sorted(told.all, key=repr) == sorted(stored(storage), key=repr)
            assert merges
            told.next()
            assert sorted(told.all, key=repr) == sorted(stored(storage), key=repr)

    asyncio.run(test())


def test_with_another_column_all_are_told_anew() -> None:
    async def test() -> None:
        async with opened() as storage:
            create(storage, "t")
            told = Told(storage.collections)
            await insert(storage, "t", 1)
            told.next()
            storage.collections.evolve("t", (Column("b", INT8, True),))
            change = told.next()
            assert change is not None
            assert change.begin is not None
            assert change.begin[0].names == ("a", "b")
            assert told.all == stored(storage)

    asyncio.run(test())
