"""A cursor of a subscription: what has come is taken a number of rows at a time.

FETCH waits for a first row and gives what is there; with a TIMEOUT it waits for as many rows as it asks for, or until the time
is over.  What the subscription gives is made one chunk ahead at most, so a slow client delays no other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from ...errors import ObjectNotReady, PtvcError, Unsupported
from ...sql.syntax.vocabulary import Direction
from ..results.cursor import Cursor, Fetched
from ..results.results import Columns


class SubscriptionCursor(Cursor):
    _waited: asyncio.Task[Columns | None] | None = None

    async def fetch(self, direction: Direction, count: int | None) -> Fetched:
        raise _forward_only()

    async def move(self, direction: Direction, count: int | None) -> int:
        raise _forward_only()

    async def persist(self) -> None:
        raise AssertionError("a cursor of a subscription is never WITH HOLD")

    async def arrived(
        self, direction: Direction, count: int | None, timeout_ms: int | None
    ) -> AsyncIterator[Columns]:
        """At most `count` rows (None: as many as come): those that come within `timeout_ms`, or, if that is None, the first
        and what is there with it."""
        if direction is not Direction.FORWARD or (count is not None and count < 0):
            raise _forward_only()
        if self.failed:
            raise ObjectNotReady(f'portal "{self.name}" cannot be run')
        clock = asyncio.get_running_loop().time
        deadline = None if timeout_ms is None else clock() + timeout_ms / 1000
        left = count
        while left is None or left > 0:
            chunk = await self._before(None if deadline is None else max(deadline - clock(), 0))
            if chunk is None:
                return
            if left is not None:
                if len(chunk[0]) > left:
                    self._kept.put_back(tuple(column.slice(left) for column in chunk))
                    chunk = tuple(column.slice(0, left) for column in chunk)
                left -= len(chunk[0])
            yield chunk
            if deadline is None:
                deadline = clock()

    async def close(self) -> None:
        waited, self._waited = self._waited, None
        if waited is not None:
            waited.cancel()
            with suppress(asyncio.CancelledError, PtvcError):  # its result is not needed any more
                await waited
        await super().close()

    async def _before(self, seconds: float | None) -> Columns | None:
        """The next rows, if they come in time; None also at the end."""
        if (chunk := await self._kept.pop()) is not None:
            return chunk
        while self._rows is not None:
            waited = self._waited or asyncio.create_task(self._of_subscription())
            # A cancelled wait leaves the subscription at its position.
            self._waited = waited
            done, _ = await asyncio.wait({waited}, timeout=seconds)
            if not done:
                return None
            self._waited = None
            try:
                chunk = waited.result()
            except BaseException:
                self.failed = True
                raise
            if chunk is None:
                self._rows = None
            elif len(chunk[0]):
                return chunk
        return None

    async def _of_subscription(self) -> Columns | None:
        assert self._rows is not None
        return await anext(self._rows, None)


def _forward_only() -> Unsupported:
    return Unsupported(
        "a cursor of a subscription goes forward by rows: FETCH n and FETCH ALL are what it can do",
        hint="FETCH n c WITH (TIMEOUT = '1s') waits for rows.",
    )
