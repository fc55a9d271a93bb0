"""Cancellation: an `Interrupt` that another thread may set, and `check_interrupt`, which long work calls where it may stop.

```
whoever waits ── interrupt.set(error) ──┐
the work      ── interruptible(interrupt): ... check_interrupt() raises that error
```

The interrupt travels in a context variable, so nothing between the two knows of it.  Outside of `interruptible` work is never
stopped.  A new thread has no interrupt: what starts one for a part of the work enters `interruptible(current_interrupt())`
there.  No exception is injected into a thread: work holds locks and changes state between two checks as it likes.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from .errors import PtvcError, QueryCanceled


class Interrupt:
    """May be set once, from any thread; the first error stays.  `error` is None until then."""

    __slots__ = ("error",)

    def __init__(self) -> None:
        self.error: PtvcError | None = None

    def set(self, error: PtvcError | None = None) -> None:
        """The work ends with `error` (default: QueryCanceled) at its next check."""
        if self.error is None:
            self.error = error or QueryCanceled("canceling statement due to user request")

    def check(self) -> None:
        if self.error is not None:
            raise self.error


_current: ContextVar[Interrupt | None] = ContextVar("interrupt", default=None)


@contextmanager
def interruptible(interrupt: Interrupt | None) -> Iterator[None]:
    """Work inside stops soon after `interrupt` is set; with None, what is around it does not stop it either."""
    token = _current.set(interrupt)
    try:
        yield
    finally:
        _current.reset(token)


def current_interrupt() -> Interrupt | None:
    return _current.get()


def check_interrupt() -> None:
    """Raises the error of the interrupt that the work runs under, once it is set.  Costs 50 ns."""
    interrupt = _current.get()
    if interrupt is not None and interrupt.error is not None:
        raise interrupt.error
