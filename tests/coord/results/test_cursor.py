"""A cursor against a list: any order of FETCH and MOVE, whatever the chunks that the query gives."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random

import pyarrow as pa
import pytest
from ptvc.coord.results.cursor import Cursor, Fetched
from ptvc.coord.results.results import Columns
from ptvc.coord.results.spool import MOST_BYTES
from ptvc.errors import PtvcError
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8
from ptvc.sql.syntax.vocabulary import Direction

SCHEMA = Schema((Column("n", INT8),))


def cursor_over(rows: AsyncIterator[Columns], directory: Path) -> Cursor:
    return Cursor("c", "", SCHEMA, rows, hold=True, binary=False, born_us=0, directory=directory)


async def chunks(sizes: list[int]) -> AsyncIterator[Columns]:
    start = 0
    for size in sizes:
        yield (pa.array(range(start, start + size), pa.int64()),)
        start += size


async def all_of(fetched: Fetched) -> list[int]:
    return [value async for chunk in fetched for value in chunk[0].to_pylist()]


class Model:
    """PostgreSQL's rules, over a list: None is an error, after which nothing works."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.position = 0
        self.at_end = False

    def run(self, count: int | None) -> list[int]:
        stop = self.total if count is None else min(self.position + count, self.total)
        found = list(range(self.position, stop))
        if not self.at_end and (count is None or len(found) < count):
            self.at_end = True
        self.position = stop
        return found

    def fetch(self, direction: Direction, count: int | None) -> list[int] | None:
        match direction:
            case Direction.BACKWARD:
                return None
            case Direction.FORWARD if count is None:
                return self.run(None)
            case Direction.ABSOLUTE:
                assert count is not None
                return self.absolute(count)
        assert count is not None
        if count == 0:
            return None if self.position and not self.at_end else []
        if count < 0:
            return None
        if direction is Direction.RELATIVE:
            self.run(count - 1)
            return self.run(1)
        return self.run(count)

    def absolute(self, count: int) -> list[int] | None:
        fresh = self.position == 0 and not self.at_end
        if count < 0 or (count == 0 and not fresh):
            return None
        if count == 0:
            return []
        if count - 1 <= self.position // 2 and not fresh:
            return None
        if count <= self.position + self.at_end:
            return None
        self.run(count - 1 - self.position if count - 1 > self.position else 0)
        return self.run(1)


@pytest.mark.parametrize("seed", range(60))
def test_as_a_list(tmp_path: Path, seed: int) -> None:
    async def run() -> None:
        random = Random(seed)
        sizes = [random.choice((0, 1, 2, 3, 7, 20)) for _ in range(random.randint(0, 8))]
        cursor, model = cursor_over(chunks(sizes), tmp_path), Model(sum(sizes))
        persist_at = random.randint(0, 20)
        taking: list[tuple[Fetched, list[int]]] = []
        for step in range(20):
            if step == persist_at:
                await cursor.persist()
            kinds = [Direction.FORWARD] * 6 + [Direction.ABSOLUTE, Direction.RELATIVE, Direction.RELATIVE]
            direction = random.choice([*kinds, *list(Direction)] if step > 14 else kinds)
            count: int | None = random.choice((0, 1, 1, 2, 3, 5, 11))
            if direction is Direction.ABSOLUTE:
                count = model.position + random.randint(0 if step > 10 else 2, 4)
            if direction is Direction.BACKWARD or (direction is Direction.FORWARD and random.random() < 0.05):
                count = None
            on_row = model.position > 0 and not model.at_end
            if count == 0 and direction in (Direction.FORWARD, Direction.RELATIVE) and random.random() < 0.9:
                assert await cursor.move(direction, count) == int(on_row)
                continue
            expected = model.fetch(direction, count)
            if expected is None:
                with pytest.raises(PtvcError) as caught:
                    await cursor.fetch(direction, count)
                assert caught.value.sqlstate == "55000"
                with pytest.raises(PtvcError, match="cannot be run"):
                    await cursor.move(Direction.FORWARD, 1)
                break
            if random.random() < 0.3:
                assert await cursor.move(direction, count) == len(expected)
            elif random.random() < 0.3:  # somebody takes it later, or never
                taking.append((await cursor.fetch(direction, count), expected))
            else:
                assert await all_of(await cursor.fetch(direction, count)) == expected
        else:
            for fetched, expected in taking:
                assert await all_of(fetched) == expected
        await cursor.close()

    asyncio.run(run())


def test_a_large_result_is_not_in_memory(tmp_path: Path) -> None:
    """Neither one large chunk nor many of which nobody takes any."""

    async def run() -> None:
        rows = MOST_BYTES // 8 + 100_000
        for sizes in ([rows], [100, rows, 100], [rows // 3, rows // 3, rows // 3]):
            cursor = cursor_over(chunks_of_zeros(sizes), tmp_path)
            assert len(await all_of(await cursor.fetch(Direction.FORWARD, 3))) == 3
            assert cursor.in_memory <= MOST_BYTES
            await cursor.persist()
            assert cursor.in_memory <= MOST_BYTES
            assert await cursor.move(Direction.FORWARD, None) == sum(sizes) - 3
            await cursor.close()

    asyncio.run(run())


@pytest.mark.parametrize("whole", [False, True])
def test_who_holds_a_whole_result_is_asked_for_all_of_it(tmp_path: Path, whole: bool) -> None:
    """A query that streams is asked for as much as is taken."""

    async def run() -> None:
        rows = chunks([10, 10, 10])
        cursor = Cursor(
            "c", "", SCHEMA, rows, hold=False, binary=False, born_us=0, whole=whole, directory=tmp_path
        )
        assert await all_of(await cursor.fetch(Direction.FORWARD, 3)) == [0, 1, 2]
        asked = [value async for (column,) in rows for value in column.to_pylist()]
        assert asked == ([] if whole else list(range(10, 30)))
        if whole:
            assert await all_of(await cursor.fetch(Direction.FORWARD, None)) == list(range(3, 30))
        await cursor.close()

    asyncio.run(run())


async def chunks_of_zeros(sizes: list[int]) -> AsyncIterator[Columns]:
    for size in sizes:
        yield (zeros(size),)


def zeros(size: int) -> pa.Array:
    return pa.Array.from_buffers(pa.int64(), size, [None, pa.py_buffer(bytes(8 * size))])


def test_a_fetch_that_is_left_half_taken(tmp_path: Path) -> None:
    """Its rows wait in a file of their own, which is closed with it."""

    async def run() -> None:
        rows = MOST_BYTES // 8 + 100_000
        cursor = cursor_over(chunks_of_zeros([rows, rows]), tmp_path)
        fetched = await cursor.fetch(Direction.FORWARD, rows + 5)
        first = await anext(fetched)
        assert await cursor.move(Direction.FORWARD, 5) == 5
        second = await anext(fetched)
        assert len(first[0]) + len(second[0]) < rows
        del fetched
        await cursor.close()

    asyncio.run(run())


def test_an_error_among_the_rows(tmp_path: Path) -> None:
    async def broken() -> AsyncIterator[Columns]:
        yield (pa.array([1, 2, 3], pa.int64()),)
        raise PtvcError("division by zero", sqlstate="22012")

    async def run() -> None:
        cursor = cursor_over(broken(), tmp_path)
        assert await all_of(await cursor.fetch(Direction.FORWARD, 2)) == [1, 2]
        fetched = await cursor.fetch(Direction.FORWARD, 5)
        with pytest.raises(PtvcError, match="division"):
            await all_of(fetched)
        assert cursor.failed
        with pytest.raises(PtvcError, match="cannot be run"):
            await cursor.fetch(Direction.FORWARD, 1)
        await cursor.close()
        cursor = cursor_over(broken(), tmp_path)
        with pytest.raises(PtvcError, match="division"):
            await cursor.persist()
        await cursor.close()

    asyncio.run(run())


def test_closing_ends_the_query(tmp_path: Path) -> None:
    ended: list[int] = []

    async def rows() -> AsyncIterator[Columns]:
        try:
            for n in range(1_000):
                yield (pa.array([n], pa.int64()),)
        finally:
            ended.append(n)

    async def run() -> None:
        cursor = cursor_over(rows(), tmp_path)
        await cursor.fetch(Direction.FORWARD, 5)
        await cursor.move(Direction.FORWARD, 5)
        await cursor.close()

    asyncio.run(run())
    assert ended == [9]
