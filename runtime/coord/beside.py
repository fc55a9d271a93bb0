"""Work beside the loop: a computation in a thread of its own, which ends when nobody waits for it any more.

Planning a statement takes microseconds or, for a hostile one, as long as one likes; meanwhile other sessions are
answered.  Whoever waits may be canceled (by the client, by statement_timeout): then `Abandoned` is raised in the thread,
at its next bytecode.  So `work` must be a pure function of what it is given: it holds no lock and changes nothing that
others see.
"""

from __future__ import annotations

import asyncio
import ctypes
import sys
import weakref
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

RETRY_S = 0.05


class Abandoned(BaseException):
    """Internal: what ends a computation that nobody waits for."""


async def beside(work: Callable[[], T]) -> T:
    """What `work()` returns or raises."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        result: T | None = None
        failure: BaseException | None = None
        with suppress(Abandoned):
            try:
                result = work()
            except Exception as error:  # it is whoever waits that is told
                failure = error
            with suppress(RuntimeError):  # the loop was closed
                loop.call_soon_threadsafe(settle, result, failure)

    thread = Thread(target=run, name="beside", daemon=True)
    thread.start()
    try:
        return await done
    except asyncio.CancelledError:
        _abandon(thread, loop)
        raise


def _abandon(thread: Thread, loop: asyncio.AbstractEventLoop) -> None:
    """Again and again until the thread has ended, as what is raised in a destructor is lost.  The collector runs those of
    anybody's objects in this thread, too, so none that is seen to run is disturbed."""
    if not thread.is_alive():
        return
    assert thread.ident is not None
    loop.call_later(RETRY_S, _abandon, thread, loop)
    frame = sys._current_frames().get(thread.ident)
    while frame is not None:
        if frame.f_code.co_name == "__del__" or frame.f_code.co_filename == weakref.__file__:
            return
        frame = frame.f_back
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(Abandoned))
