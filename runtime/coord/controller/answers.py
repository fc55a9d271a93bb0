"""The part of a replica's answer to one query that its client has not fetched yet.

A replica answers as fast as it can, so that a slow client delays no other: the answer waits here, little of
it in memory.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from ...errors import PtvcError
from ...replica.protocol import PeekRows
from ..results.spool import Spool


class Answers:
    """`directory` receives what does not fit in memory.  More than `most` bytes do not wait: then the answer ends with an error."""

    def __init__(self, directory: Path | None, most: int | None = None) -> None:
        self._most = most
        self._waiting = 0
        self._arrived: asyncio.Queue[PeekRows | PtvcError] = asyncio.Queue()  # rows without their payload
        self._payloads = Spool(directory)
        self._failed = False
        self.ended = False
        """Nothing more comes of the replica."""

    async def put(self, answer: PeekRows) -> None:
        """Returns when it is kept; the next one may come then."""
        if self._failed:
            return
        self._waiting += len(answer.payload)
        try:
            if self._most is not None and self._waiting > self._most:
                raise _too_slow(self._most)
            await self._payloads.push(answer.payload)
        except PtvcError as error:
            self._failed = True
            self.fail(error)
        else:
            self.ended = answer.done
            self._arrived.put_nowait(PeekRows(answer.peek_id, b"", answer.done))

    def fail(self, error: PtvcError) -> None:
        """The answer ends with the error."""
        self.ended = True
        self._arrived.put_nowait(error)

    async def get(self) -> PeekRows | PtvcError:
        """The next one, when it has arrived."""
        answer = await self._arrived.get()
        if isinstance(answer, PtvcError):
            return answer
        payload = await self._payloads.pop()
        assert payload is not None
        self._waiting -= len(payload)
        return PeekRows(answer.peek_id, payload, answer.done)

    def close(self) -> None:
        self._payloads.close()


def _too_slow(most: int) -> PtvcError:
    return PtvcError(
        f"the client does not take the changes of its subscription as fast as they come: more than {most} bytes wait",
        sqlstate="53200",
        hint="Subscribe to a materialized view or an aggregate of it, or AS OF the last time that was read.",
    )
