"""An event loop on virtual time, which runs one callback at a time in an order that its seed decides.

Callbacks that are ready run in the order in which they were scheduled, as asyncio promises.  Every callback takes a few
virtual microseconds, so that timers, messages and the ends of work in threads fall between any two of them.  When nothing is
ready, time jumps to the next timer.

Threads are simulated: what is given to an executor runs on this thread at a later moment, whole, and its result arrives
later still.  An executor of one worker keeps the order of its work.
"""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import heapq
import inspect
from collections import deque
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

from .network import SimulatedServer

MOST_TURNS = 400_000
"""Callbacks of one loop: more are a loop that never ends."""

TURN_S = 40e-6


class Killed(BaseException):
    """The process dies here: nothing of it runs any more."""


class Stuck(Exception):
    """Nothing is ready and no timer is set, or time goes on without end."""


class _Task(asyncio.Task[Any]):
    """Hashed by its number, so that the order of a set of tasks is that of every other run."""

    def __init__(self, coro: Coroutine[Any, Any, Any], *, number: int, **more: Any) -> None:
        self.number = number
        super().__init__(coro, **more)

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other


class _Future(asyncio.Future[Any]):
    def __init__(self, *, number: int, loop: asyncio.AbstractEventLoop) -> None:
        self.number = number
        super().__init__(loop=loop)

    def __hash__(self) -> int:
        return self.number

    def __eq__(self, other: object) -> bool:
        return self is other


@dataclass(slots=True)
class _Worker:
    """The one thread of an executor: what waits for it, in order."""

    waiting: deque[tuple[_Future, Callable[[], Any]]] = field(default_factory=deque)
    busy: bool = False


class SimulatedLoop(asyncio.BaseEventLoop):
    """`latency()` is how long work waits for its thread and takes there, `message_latency()` how long a message is under way,
    in seconds.

    `in_thread` holds while work of an executor runs; `tasks` are all that were ever made; `errors` what the loop was
    told by callbacks that failed.
    """

    def __init__(
        self,
        random: Random,
        latency: Callable[[], float],
        message_latency: Callable[[], float],
        start: float = 0.0,
    ) -> None:
        super().__init__()
        self._random = random
        self._latency = latency
        self._message_latency = message_latency
        self._now = start
        self._numbers = count(1)
        self._workers: dict[int, _Worker] = {}
        self._executors: list[object] = []  # kept, so that no other gets the id of one that is gone
        self._in_turns: list[tuple[int, int, Callable[[], None]]] = []
        self.turns = 0
        self.in_thread = False
        self.killed = False
        self.servers: dict[str, SimulatedServer] = {}
        self.tasks: list[_Task] = []
        self.errors: list[dict[str, Any]] = []
        self.trace: Callable[[str], None] | None = None
        self.set_task_factory(self._make_task)
        self.set_exception_handler(lambda _, context: self.errors.append(context))

    # -- time and turns --

    def time(self) -> float:
        return self._now

    def kill(self) -> None:
        """The process is gone after the callback that is running."""
        self.killed = True
        self.stop()

    def in_so_many_turns(self, turns: int, function: Callable[[], None]) -> None:
        """Calls `function` between two callbacks, so many of them later."""
        heapq.heappush(self._in_turns, (self.turns + turns, next(self._numbers), function))

    def bury(self) -> None:
        """Ends what a process has left behind, now that nothing runs: what it does meanwhile is done to nothing."""
        self._ready.clear()  # type: ignore[attr-defined]
        self._scheduled.clear()  # type: ignore[attr-defined]
        for task in self.tasks:
            coro = task.get_coro()
            while not task.done() and inspect.getcoroutinestate(coro) != inspect.CORO_CLOSED:  # type: ignore[arg-type]
                with contextlib.suppress(BaseException):
                    coro.close()  # type: ignore[union-attr]

    def block(self, seconds: float) -> None:
        """The callback that runs keeps the loop, or the thread's work its thread, for so long."""
        self._now += seconds

    def _run_once(self) -> None:
        self.turns += 1
        if self.turns > MOST_TURNS:
            raise Stuck(f"more than {MOST_TURNS} callbacks")
        while self._in_turns and self._in_turns[0][0] <= self.turns:
            self.call_soon(heapq.heappop(self._in_turns)[2])
        self._now += self._random.random() * TURN_S
        timers = self._scheduled  # type: ignore[attr-defined]
        ready = self._ready  # type: ignore[attr-defined]
        while timers and (timers[0]._cancelled or timers[0]._when <= self._now or not ready):
            handle = heapq.heappop(timers)
            handle._scheduled = False
            if not handle._cancelled:
                self._now = max(self._now, handle._when)
                ready.append(handle)
        if not ready:
            raise Stuck("nothing is ready, and no timer is set")
        handle = ready.popleft()
        if not handle._cancelled:
            if self.trace is not None:
                self.trace(_shown(handle))
            handle._run()

    def _timer_handle_cancelled(self, handle: asyncio.TimerHandle) -> None:
        """Dropped when its time comes."""

    def __del__(self) -> None:
        """There is nothing to close."""

    def _check_closed(self) -> None:
        """What is left of a process that died may be destroyed at any time, and schedule what never runs."""

    def _write_to_self(self) -> None:
        """There is one thread."""

    def _process_events(self, event_list: list[Any]) -> None:
        """There are no files."""

    def _make_task(self, loop: Any, coro: Coroutine[Any, Any, Any], **more: Any) -> _Task:
        task = _Task(coro, number=next(self._numbers), loop=loop, **more)
        self.tasks.append(task)
        return task

    def create_future(self) -> asyncio.Future[Any]:
        return _Future(number=next(self._numbers), loop=self)

    # -- threads --

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> asyncio.Future[Any]:  # type: ignore[override]
        future = _Future(number=next(self._numbers), loop=self)
        context = contextvars.copy_context()
        work = (future, lambda: context.run(func, *args))
        if executor is None or executor._max_workers > 1:
            self.call_later(self._latency(), self._work, *work, None)
            return future
        self._executors.append(executor)
        worker = self._workers.setdefault(id(executor), _Worker())
        worker.waiting.append(work)
        self._next(worker)
        return future

    def run_in_thread(self, work: Callable[[], None]) -> None:
        """What a thread of its own would run."""
        self.call_later(self._latency(), self._alone, work)

    def _alone(self, work: Callable[[], None]) -> None:
        self.in_thread = True
        try:
            work()
        except Killed:
            self.kill()
        finally:
            self.in_thread = False

    def _next(self, worker: _Worker) -> None:
        if not worker.busy and worker.waiting:
            worker.busy = True
            future, work = worker.waiting.popleft()
            self.call_later(self._latency(), self._work, future, work, worker)

    def _work(self, future: _Future, work: Callable[[], Any], worker: _Worker | None) -> None:
        """Runs the work unless its caller has gone before it began; the thread is free, and the result there, later."""
        if not future.cancelled():
            self.in_thread = True
            result, failure = None, None
            try:
                result = work()
            except Killed:
                self.kill()
                return
            except BaseException as error:
                failure = error
            finally:
                self.in_thread = False
            self.call_later(self._latency(), _settle, future, result, failure)
        if worker is not None:
            self.call_later(self._latency(), self._free, worker)

    def _free(self, worker: _Worker) -> None:
        worker.busy = False
        self._next(worker)

    # -- sockets --

    async def create_unix_server(self, protocol_factory: Any, path: Any = None, **_: Any) -> Any:
        server = SimulatedServer(self, protocol_factory, self._message_latency)
        self.servers[str(path)] = server
        return server


def _settle(future: _Future, result: Any, failure: BaseException | None) -> None:
    if future.done():
        return
    if failure is not None:
        future.set_exception(failure)
    else:
        future.set_result(result)


def _shown(handle: asyncio.Handle) -> str:
    """The callback by a name that is that of every other run."""
    callback: Any = handle._callback  # type: ignore[attr-defined]
    owner = getattr(callback, "__self__", None)
    if isinstance(owner, _Task):
        coro = owner.get_coro()
        return f"task {owner.number} {getattr(coro, '__qualname__', type(coro).__name__)}"
    return str(getattr(callback, "__qualname__", type(callback).__name__))
