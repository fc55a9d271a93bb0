"""What ends a statement before its time: a cancel request, and statement_timeout."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ...errors import QueryCanceled
from ..variables import Variables


class Interruption:
    """Of one session; `cancel` may be called from another task than the one that runs statements."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._running: asyncio.Task[object] | None = None
        self._requested = False

    def cancel(self) -> None:
        if self._running is not None:
            self._requested = True
            self._running.cancel()

    @asynccontextmanager
    async def guarded(self, *, endless: bool = False) -> AsyncIterator[None]:
        """Turns a cancel request and statement_timeout into errors of the statement; no timeout for what has no end."""
        task = asyncio.current_task()
        self._running = task
        timeout_ms = 0 if endless else self._variables.statement_timeout_ms
        try:
            if timeout_ms:
                async with asyncio.timeout(timeout_ms / 1000):
                    yield
            else:  # as usual: a timeout costs more than a small statement's plan
                yield
        except TimeoutError:
            raise QueryCanceled("canceling statement due to statement timeout") from None
        except asyncio.CancelledError:
            if not self._requested or task is None:
                raise
            task.uncancel()
            raise QueryCanceled("canceling statement due to user request") from None
        finally:
            self._running = None
            self._requested = False
