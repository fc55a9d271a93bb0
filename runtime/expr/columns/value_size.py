"""How large a value may be that is computed where others wait: in the coordinator, for constants.

A function may make a gigabyte of ten characters.  A replica's query has a process and a memory limit of its own; what plans
statements for all clients has not, so there a value, and what one call makes of all rows, have a limit (53200).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ...errors import MemoryLimitExceeded

MAX_VALUE = 64 << 20
"""Bytes of one value."""

MAX_COLUMN = 512 << 20
"""Bytes of the values that a function of one row makes of all."""

_limited: ContextVar[bool] = ContextVar("limited", default=False)


@contextmanager
def limited_values() -> Iterator[None]:
    """What is evaluated inside keeps to `MAX_VALUE` and `MAX_COLUMN`."""
    token = _limited.set(True)
    try:
        yield
    finally:
        _limited.reset(token)


def check_value(size: int) -> None:
    """Raises MemoryLimitExceeded for a value of about `size` bytes; before it is made, where that is known."""
    if size > MAX_VALUE and _limited.get():
        raise _too_large("a value", size, MAX_VALUE)


def check_column(size: int) -> None:
    """Raises MemoryLimitExceeded when the values of one call come to `size` bytes."""
    if size > MAX_COLUMN and _limited.get():
        raise _too_large("the values of an expression", size, MAX_COLUMN)


def _too_large(what: str, size: int, most: int) -> MemoryLimitExceeded:
    return MemoryLimitExceeded(
        f"{what} of {size} bytes is more than a constant query may hold: {most} bytes",
        hint="Queries that read a table run in a process of their own, with the memory limit of their cluster.",
    )
