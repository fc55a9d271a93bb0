"""A cursor: the rows of a query, taken a number at a time, forward only.

```
before the first row | 1 | 2 | ... | position | the rest | after the last row (at_end)
                                   ^ FETCH, MOVE go on from here
```

A query that streams goes on streaming.  What it has returned and was not fetched is kept by `KeptRows`, so whatever the
size of the result, little of it is in memory.  Rows are those of the time at which the cursor was declared.  PostgreSQL's
rules of NO SCROLL hold: 55000 where a row would have to be shown again, and after any error within a FETCH.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

from ...errors import ObjectNotReady
from ...repr.schema import Schema
from ...sql.syntax.vocabulary import Direction
from .results import Columns
from .spool import KeptRows


@dataclass(frozen=True, slots=True)
class Way:
    """What a FETCH comes to: rows to leave out, and rows to show; None is all that are left."""

    skip: int | None
    show: int | None


class Cursor:
    """`born_us` is when it was declared, in microseconds; `whole`: the query has all of its rows in memory when it returns
    the first; `held`: it has outlived its transaction; `failed`: an error has ended it, and its position is undefined."""

    def __init__(
        self,
        name: str,
        text: str,
        schema: Schema,
        rows: AsyncIterator[Columns],
        *,
        hold: bool,
        binary: bool,
        born_us: int,
        whole: bool = False,
        directory: Path | None,
    ) -> None:
        self.name = name
        self.text = text
        self.schema = schema
        self.hold = hold
        self.binary = binary
        self.born_us = born_us
        self.held = False
        self._whole = whole
        self._rows: AsyncIterator[Columns] | None = rows
        self._kept = KeptRows(directory)
        self._directory = directory
        self._position = 0
        self._at_end = False
        self.failed = False
        self._fetched: Fetched | None = None

    @property
    def in_memory(self) -> int:
        """Bytes of rows that were computed and not taken."""
        return self._kept.in_memory

    async def fetch(self, direction: Direction, count: int | None) -> Fetched:
        """The rows of FETCH, computed as they are taken; the cursor is behind them all as soon as it is used again."""
        way = await self._begin(direction, count)
        await self._skip(way.skip)
        self._fetched = fetched = Fetched(self, way.show, self._directory)
        return fetched

    async def move(self, direction: Direction, count: int | None) -> int:
        """How many rows FETCH would have shown."""
        if direction in (Direction.FORWARD, Direction.RELATIVE) and count == 0:
            await self._settle()
            return int(self._on_row)
        way = await self._begin(direction, count)
        await self._skip(way.skip)
        return await self._skip(way.show)

    async def persist(self) -> None:
        """Computes whatever is left: afterwards the cursor needs neither its transaction nor its query."""
        await self._settle()
        while self._rows is not None and (chunk := await self._next_of_query()) is not None:
            await self._kept.push(chunk)

    async def close(self) -> None:
        self._kept.close()
        rows, self._rows = self._rows, None
        aclose = getattr(rows, "aclose", None)
        if aclose is not None:
            await aclose()

    @property
    def _on_row(self) -> bool:
        return self._position > 0 and not self._at_end

    async def _begin(self, direction: Direction, count: int | None) -> Way:
        await self._settle()
        try:
            return await self._way(direction, count)
        except BaseException:
            self.failed = True
            raise

    async def _way(self, direction: Direction, count: int | None) -> Way:
        """Raises 55000 for a row that is behind."""
        match direction:
            case Direction.BACKWARD:
                raise _forward_only()
            case Direction.FORWARD if count is None:
                return Way(0, None)
            case Direction.ABSOLUTE:
                assert count is not None
                return await self._absolute(count)
        assert count is not None
        if count < 0 or (count == 0 and self._on_row):
            raise _forward_only()
        if direction is Direction.RELATIVE and count:
            return Way(count - 1, 1)
        return Way(0, count)

    async def _absolute(self, count: int) -> Way:
        if count < 0:
            await self._skip(None)
            raise _forward_only()
        untouched = self._position == 0 and not self._at_end
        if count == 0 or count - 1 <= self._position // 2:  # from the start, as in PostgreSQL
            if not untouched:
                raise _forward_only()
            return Way(max(count - 1, 0), min(count, 1))
        position = self._position + int(self._at_end)
        if count <= position:
            raise _forward_only()
        return Way(count - position - 1, 1)

    async def _settle(self) -> None:
        """The last FETCH has its rows, whether or not somebody still takes them."""
        if self.failed:
            raise ObjectNotReady(f'portal "{self.name}" cannot be run')
        fetched, self._fetched = self._fetched, None
        if fetched is not None:
            await fetched.settle()

    async def _skip(self, count: int | None) -> int:
        """Goes past so many rows; how many there were."""
        left, passed = count, 0
        while left is None or left > 0:
            chunk = await self.take(left)
            if chunk is None:
                break
            passed += len(chunk[0])
            left = None if left is None else left - len(chunk[0])
        return passed

    async def take(self, most: int | None) -> Columns | None:
        """The next rows, at most so many; None at the end."""
        try:
            chunk = await self._next()
        except BaseException:
            self.failed = True
            raise
        if chunk is None:
            self._at_end = True
            return None
        if most is not None and len(chunk[0]) > most:
            self._kept.put_back(tuple(column.slice(most) for column in chunk))
            chunk = tuple(column.slice(0, most) for column in chunk)
        self._position += len(chunk[0])
        return chunk

    async def _next(self) -> Columns | None:
        chunk = await self._kept.pop()
        if chunk is not None:
            return chunk
        # What has made a large chunk, or a whole result, lets go of it when asked for more.
        while (more := await self._next_of_query()) is not None:
            if await self._kept.push(more) and not self._whole:
                break
        return await self._kept.pop()

    async def _next_of_query(self) -> Columns | None:
        while self._rows is not None:
            chunk = await anext(self._rows, None)
            if chunk is None:
                self._rows = None
            elif chunk and len(chunk[0]):
                return chunk
        return None


class Fetched:
    """The rows of one FETCH, an iterator over chunks."""

    def __init__(self, cursor: Cursor, count: int | None, directory: Path | None) -> None:
        self._cursor = cursor
        self._left = count
        self._kept = KeptRows(directory)
        self._ended = False

    def __aiter__(self) -> Fetched:
        return self

    async def __anext__(self) -> Columns:
        chunk = await self._kept.pop()
        if chunk is None:
            chunk = await self._take()
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    async def settle(self) -> None:
        """Takes what is left of it: somebody who has asked for fewer rows at a time may come back for them."""
        while (chunk := await self._take()) is not None:
            await self._kept.push(chunk)

    async def _take(self) -> Columns | None:
        if self._ended:
            return None
        chunk = None if self._left == 0 else await self._cursor.take(self._left)
        if chunk is None:
            self._ended = True
        elif self._left is not None:
            self._left -= len(chunk[0])
        return chunk


def _forward_only() -> ObjectNotReady:
    return ObjectNotReady(
        "cursor can only scan forward",
        hint="To go back, CLOSE it and DECLARE it again; there are no SCROLL cursors.",
    )
