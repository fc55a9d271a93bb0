"""Interruption: long work asks, now and then, whether anybody still wants it.

The caller of the work gives the condition (`interruptible`); the work calls `check_interrupt` where it may stop.
Outside of any `interruptible` it is never stopped.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ..errors import QueryCanceled

_wanted: ContextVar[Callable[[], bool] | None] = ContextVar("wanted", default=None)


@contextmanager
def interruptible(wanted: Callable[[], bool]) -> Iterator[None]:
    """Work inside stops, with QueryCanceled, soon after `wanted` (called on the thread that works) is False."""
    token = _wanted.set(wanted)
    try:
        yield
    finally:
        _wanted.reset(token)


def check_interrupt() -> None:
    """Raises QueryCanceled when the result is not wanted any more."""
    wanted = _wanted.get()
    if wanted is not None and not wanted():
        raise QueryCanceled("canceling statement due to user request")
