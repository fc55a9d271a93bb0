"""What ends a statement before its time: a cancel request, and statement_timeout; and a session that is idle.

The first two cancel the task that runs the statement, with the message by which work that was accepted meanwhile holds them
(`coord.storage.acceptance`).  The first one counts; what comes later finds the statement ending.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from types import TracebackType

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

    def guarded(self, *, endless: bool = False) -> Guarded:
        """Turns an interrupt into QueryCanceled, unless accepted work has dropped it; no timeout for what has no end."""
        return Guarded(self, 0 if endless else self._variables.statement_timeout_ms)

    def _begin(self) -> None:
        assert self._running is None, "one task at a time uses a session"
        self._running = asyncio.current_task()
        assert self._running is not None, "statements are run by tasks"

    def _end(self) -> str | None:
        """The interrupt that came meanwhile, if any."""
        reason, task = self._reason, self._running
        if reason is not None and task is not None:
            task.uncancel()
        self._running = None
        self._reason = None
        return reason


class Guarded:
    """A part of a session's work that an interrupt ends; `timeout_ms` of 0 is none.

    A class, not a generator: every message of the protocol passes here.
    """

    __slots__ = ("_interruption", "_timeout_ms", "_timer")

    def __init__(self, interruption: Interruption, timeout_ms: int) -> None:
        self._interruption = interruption
        self._timeout_ms = timeout_ms
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> None:
        self._interruption._begin()
        if self._timeout_ms:  # as usual there is none: a timer costs more than a small statement's plan
            self._timer = asyncio.get_running_loop().call_later(
                self._timeout_ms / 1000, self._interruption._interrupt, _ON_TIMEOUT
            )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._timer is not None:
            self._timer.cancel()
        reason = self._interruption._end()
        if reason is not None and isinstance(error, asyncio.CancelledError) and is_interrupt(error):
            raise QueryCanceled(reason) from None
