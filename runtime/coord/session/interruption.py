"""What ends a statement before its time: a cancel request, and statement_timeout; and a session that is idle.

The first two cancel the task that runs the statement, with the message by which work that was accepted meanwhile holds them
(`coord.storage.acceptance`).  The first one counts; what comes later finds the statement ending.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ...errors import PtvcError, QueryCanceled
from ..settings import duration_ms
from ..storage.acceptance import INTERRUPT, is_interrupt
from ..variables import Variables

_ON_REQUEST = "canceling statement due to user request"
_ON_TIMEOUT = "canceling statement due to statement timeout"


@dataclass(frozen=True, slots=True)
class IdleTimeout:
    """The connection ends with `error` when its client has sent nothing for so many seconds."""

    seconds: float
    error: PtvcError


def idle_timeout(variables: Variables, *, in_block: bool) -> IdleTimeout | None:
    """What the settings say of a session that waits for its client, in a transaction block or outside of one."""
    name, sqlstate, text = _IDLE[in_block]
    milliseconds = duration_ms(variables.get(name))
    if not milliseconds:
        return None
    return IdleTimeout(
        milliseconds / 1000, PtvcError(f"terminating connection due to {text} timeout", sqlstate=sqlstate)
    )


_IDLE = {
    True: ("idle_in_transaction_session_timeout", "25P03", "idle-in-transaction"),
    False: ("idle_session_timeout", "57P05", "idle-session"),
}


class Interruption:
    """Of one session; `cancel` may be called from another task than the one that runs statements."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._running: asyncio.Task[object] | None = None
        self._reason: str | None = None

    def cancel(self) -> None:
        """A cancel request; between statements it does nothing."""
        self._interrupt(_ON_REQUEST)

    def check(self) -> None:
        """Raises an interrupt that accepted work has dropped: between two parts of a statement that commit apart."""
        if self._reason is not None:
            raise QueryCanceled(self._reason)

    def _interrupt(self, reason: str) -> None:
        if self._running is not None and self._reason is None:
            self._reason = reason
            self._running.cancel(INTERRUPT)

    @asynccontextmanager
    async def guarded(self, *, endless: bool = False) -> AsyncIterator[None]:
        """Turns an interrupt into QueryCanceled, unless accepted work has dropped it; no timeout for what has no end."""
        task = asyncio.current_task()
        assert task is not None, "statements are run by tasks"
        assert self._running is None, "one task at a time uses a session"
        self._running = task
        timeout_ms = 0 if endless else self._variables.statement_timeout_ms
        timer = None
        if timeout_ms:  # as usual there is none: a timer costs more than a small statement's plan
            loop = asyncio.get_running_loop()
            timer = loop.call_later(timeout_ms / 1000, self._interrupt, _ON_TIMEOUT)
        try:
            yield
        except asyncio.CancelledError as error:
            if self._reason is None or not is_interrupt(error):
                raise
            raise QueryCanceled(self._reason) from None
        finally:
            if timer is not None:
                timer.cancel()
            if self._reason is not None:
                task.uncancel()
            self._running = None
            self._reason = None
