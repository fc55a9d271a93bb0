"""Accepted work: what has begun to become durable is completed, whatever becomes of the statement that asked for it.

A cancel comes before the acceptance, and then the work is withdrawn and nothing has happened; or after it, and then it is held
until the outcome is known, as PostgreSQL holds interrupts across a commit.  So no statement reports 57014 for rows that
are durable, and the memory of a process never differs from what a restart would find.

Two kinds of cancel are told apart by the message of the CancelledError.  An *interrupt* ends a statement (a cancel
request, statement_timeout): if the accepted work succeeds, the statement has succeeded, and the interrupt is dropped.
Any other cancel ends the session's task (the client is gone, the process stops): it is raised when the outcome is known.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, TypeVar

T = TypeVar("T")

INTERRUPT: Final = "the statement is interrupted"
"""The message of `Task.cancel` that ends a statement and not its session."""


def is_interrupt(error: asyncio.CancelledError) -> bool:
    return bool(error.args) and error.args[0] is INTERRUPT


async def completed(work: asyncio.Future[T], withdraw: Callable[[], bool] = lambda: False) -> T:
    """The outcome of accepted work; interrupts are held, and dropped, until it is known.

    `withdraw` is called at a cancel.  If it returns True, the work was not accepted yet and will not be done.
    """
    held = await _ended(work, withdraw)
    if held is not None and not is_interrupt(held):
        see_exception(work)
        raise held
    return work.result()


async def settled(work: asyncio.Future[T]) -> T:
    """As `completed`, of preparations: at a cancel the caller goes on to take them back, once they have ended."""
    held = await _ended(work, lambda: False)
    if held is not None:
        see_exception(work)
        raise held
    return work.result()


async def _ended(work: asyncio.Future[T], withdraw: Callable[[], bool]) -> asyncio.CancelledError | None:
    """Waits for the end of `work`.  Returns the cancel that came meanwhile; of several, one that is no interrupt."""
    held: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait((work,))
        except asyncio.CancelledError as error:
            if withdraw():
                raise
            if held is None or is_interrupt(held):
                held = error
    return held


def see_exception(work: asyncio.Future[Any]) -> None:
    """An outcome that nobody can be given any more is no unhandled error."""
    if not work.cancelled():
        work.exception()
