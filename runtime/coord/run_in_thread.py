"""Computations in worker threads, off the event loop, which end when the task that awaits them is cancelled.

Planning a statement takes microseconds or, for a hostile one, as long as one likes; meanwhile other sessions are
answered.  The awaiting task may be canceled (by the client, by statement_timeout): then `Abandoned` is raised in the thread,
at its next bytecode, and the thread ends.  So `work` must be a pure function of what it is given: it holds no lock and
changes nothing that others see.

Threads that have done their work wait for more: a new one takes a millisecond of CPU time, most of it for memory that it
touches first, and to plan a look-up takes no longer.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import sys
import weakref
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")

RETRY_S = 0.05
MAX_IDLE = 4


class Abandoned(BaseException):
    """Internal: ends a computation whose result is not awaited any more."""


class _Worker:
    """A thread that does one thing after the other.  None ends it."""

    def __init__(self) -> None:
        self.tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self.thread = Thread(target=self._run, name="run_in_thread", daemon=True)
        self.thread.start()

    def _run(self) -> None:
        with suppress(Abandoned):
            while (task := self.tasks.get()) is not None:
                task()
                del task  # what it held is not kept until the next one comes


_idle: deque[_Worker] = deque()
"""Workers without a task; those of an abandoned computation never come back."""

os.register_at_fork(after_in_child=_idle.clear)


async def run_in_thread(work: Callable[[], T]) -> T:
    """What `work()` returns or raises."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[T] = loop.create_future()
    worker = _free_worker()

    def settle(result: T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(result)  # type: ignore[arg-type]
        else:
            done.set_exception(error)
        if len(_idle) < MAX_IDLE:
            _idle.append(worker)
        else:
            worker.tasks.put(None)

    def task() -> None:
        result: T | None = None
        failure: BaseException | None = None
        try:
            result = work()
        except Exception as error:  # raised by the awaiting task
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:  # the loop was closed
            worker.tasks.put(None)

    worker.tasks.put(task)
    try:
        return await done
    except asyncio.CancelledError:
        if done.cancelled():  # else it is done, and the worker has other work, perhaps
            worker.tasks.put(None)
            _abandon(worker.thread, loop)
        raise


def _free_worker() -> _Worker:
    with suppress(IndexError):
        return _idle.pop()
    return _Worker()


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
