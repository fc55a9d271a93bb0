"""The pool of query workers: which query runs where, what it may take, and how it ends.

A query has a thread of the replica and a worker process to itself.  The thread relays the answer, and every TICK_S looks
whether the query was cancelled and how much memory its worker has:

| what | then |
|---|---|
| cancelled | asked to stop (`check_interrupt`); KILL_S later its worker is killed |
| over the budget | the worker is killed, the query fails with 53200 |
| the worker ends by itself | the query fails; others go on |
| it computes for LONG_S | its worker gets a low priority, and is replaced afterwards |

A worker serves the next query afterwards; one that keeps much memory while nothing is asked of it is replaced.
"""

from __future__ import annotations

import logging
import select
import threading
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic

from ...errors import MemoryLimitExceeded, PtvcError
from ...interrupt import Interrupt
from ...memory import size
from ...supervision import Supervisor
from ..interrupts import Interrupts
from ..memory import query_limit
from ..protocol import PeekFailed, encode
from .answers import Start
from .processes import HEADER_BYTES, SERVER, WorkerProcess, answer_header
from .query import Query

logger = logging.getLogger(__name__)

MOST = 4
"""So many queries run at once; further ones wait, in order."""

TICK_S = 0.025
KILL_S = 0.1
LONG_S = 1.0
"""A query that computes for longer leaves the cores to others.  CPU time, as one that has waited for a core is not long: on a busy
machine short ones would each lose their worker, and a new one costs as much as a short query."""

IDLE_S = 1.0
KEPT_BYTES = 64 << 20
"""A worker that has nothing to do for IDLE_S keeps no more than so much."""

_PIECE = 1 << 20
_REMEDY = (
    "Filter or aggregate earlier, raise the setting query_memory_limit_mb or the MEMORY LIMIT of the cluster, "
    "or create a materialized view."
)

Deliver = Callable[[Iterable[bytes | memoryview]], None]
"""Sends a whole encoded message to the coordinator; ConnectionError when it is gone."""


class _CoordinatorGone(Exception):
    """Internal: who asked does not listen any more."""


class Pool:
    """`start` is what a worker is told first; the threads are the supervisor's.  `interrupts` has those of queries that have come in (`Interrupts.of`) and
    not been answered; setting one cancels its query.  For any thread."""

    def __init__(self, start: Start, deliver: Deliver, supervisor: Supervisor) -> None:
        self.start = start
        self.supervisor = supervisor
        self._deliver = deliver
        self.interrupts: Interrupts[int] = Interrupts()
        self.budget = query_limit(None, None)
        self._lock = threading.Lock()
        self._waiting: deque[Query] = deque()
        self._idle: list[_Runner] = []
        self._runners: list[_Runner] = []
        self._closed = False

    def warm(self) -> None:
        """Has a first worker ready before it is asked for."""
        SERVER.start()
        with self._lock:
            self._idle.append(self._new_runner())
        self._idle[-1].inbox.put(None)

    def submit(self, query: Query) -> None:
        with self._lock:
            if self._closed:
                return
            if self._idle:
                runner = self._idle.pop()
            elif len(self._runners) < MOST:
                runner = self._new_runner()
            else:
                self._waiting.append(query)
                return
        runner.inbox.put(query)

    def send(self, pieces: Iterable[bytes | memoryview]) -> None:
        try:
            self._deliver(pieces)
        except ConnectionError:
            raise _CoordinatorGone from None

    def close(self) -> None:
        """Nobody listens any more: what runs is stopped, all workers are ended."""
        with self._lock:
            self._closed = True
            self._waiting.clear()
            runners = list(self._runners)
        self.interrupts.set_all()
        for runner in runners:
            runner.stop()

    def next(self, runner: _Runner) -> Query | None:
        """What the runner is to do after a query: the longest waiting one; None: nothing, it is idle."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._idle.append(runner)
            return None

    def _new_runner(self) -> _Runner:
        runner = _Runner(self)
        self._runners.append(runner)
        return runner


class _Runner:
    """A thread with a worker process.  What is put into `inbox` is a query, or None: have a worker ready."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool
        self.inbox: SimpleQueue[Query | None] = SimpleQueue()
        self._stopping = False
        self._worker: WorkerProcess | None = None
        self.thread = pool.supervisor.thread("query", self._run)
        self.thread.start()

    def stop(self) -> None:
        self._stopping = True
        self.inbox.put(None)

    def _run(self) -> None:
        try:
            query = self._take()
            while not self._stopping:
                if query is None:
                    self._prepare()
                else:
                    self._answer(query)
                    query = self._pool.next(self)
                    if query is not None:
                        continue
                query = self._take()
        except _CoordinatorGone:
            logger.info("the coordinator is gone")
        finally:
            self._end_worker()

    def _take(self) -> Query | None:
        """The next from the inbox; meanwhile a worker that keeps much memory is replaced."""
        if self._worker is not None:
            with suppress(Empty):
                return self.inbox.get(timeout=IDLE_S)
            if self._worker.nbytes > KEPT_BYTES:
                self._end_worker()
                self._prepare()
        return self.inbox.get()

    def _prepare(self) -> None:
        try:
            self._ready()
        except Exception:  # the next query tries again, and says what is wrong
            logger.exception("a query worker does not start")

    def _answer(self, query: Query) -> None:
        """Relays the answer to the query, or says why there is none.  Raises _CoordinatorGone."""
        interrupt = self._pool.interrupts.of(query.peek_id)
        try:
            if interrupt.error is None:
                self._relay(query, interrupt)
        except _CoordinatorGone:
            raise
        except Exception as error:  # whatever it is, it is this query's
            self._end_worker()
            if interrupt.error is None:
                if not isinstance(error, PtvcError):
                    logger.exception("a query failed")
                    error = PtvcError(f"internal error: {error!r}")
                failed = PeekFailed(query.peek_id, error.sqlstate, error.message, error.hint)
                self._pool.send(encode(failed))
        finally:
            self._pool.interrupts.forget(query.peek_id)

    def _ready(self) -> WorkerProcess:
        if self._worker is None or self._worker.has_ended():
            self._end_worker()
            self._worker = WorkerProcess.started(self._pool.start)
        return self._worker

    def _end_worker(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()

    def _relay(self, query: Query, interrupt: Interrupt) -> None:
        worker = self._ready()
        worker.limit(self._pool.budget)
        try:
            worker.send(query)
        except ConnectionError:
            raise self._lost(worker) from None
        watch = _Watch(worker, interrupt, self._pool.budget)
        waiting = select.poll()
        waiting.register(worker.socket, select.POLLIN)
        header = bytearray()
        last = False
        while not last:
            self._fill(worker, waiting, watch, header, HEADER_BYTES)
            last, length = answer_header(header)
            message = bytearray()
            self._fill(worker, waiting, watch, message, length)
            header.clear()
            if interrupt.error is None:
                self._pool.send((memoryview(message),))
        if worker.low:
            self._end_worker()
            self._prepare()

    def _fill(
        self, worker: WorkerProcess, waiting: select.poll, watch: _Watch, buffer: bytearray, length: int
    ) -> None:
        """Reads until `buffer` has `length` bytes."""
        while (left := length - len(buffer)) > 0:
            if waiting.poll(TICK_S * 1000):
                try:
                    piece = worker.socket.recv(min(left, _PIECE))
                except ConnectionError:
                    piece = b""
                if not piece:
                    raise self._lost(worker)
                buffer += piece
            watch.check()

    def _lost(self, worker: WorkerProcess) -> PtvcError:
        self._worker = None
        how = worker.how_it_ended()
        if how == "signal 9":
            return MemoryLimitExceeded(
                "the process of the query was killed, probably as the system had no memory left", hint=_REMEDY
            )
        return PtvcError(f"internal error: the process of the query ended with {how}")


class _Watch:
    """Over one query: raises what ends it."""

    def __init__(self, worker: WorkerProcess, interrupt: Interrupt, budget: int) -> None:
        self._worker = worker
        self._interrupt = interrupt
        self._budget = budget
        self._asked_at: float | None = None
        self._started = monotonic()
        self._used = worker.cpu_seconds
        self._next = self._started + TICK_S

    def check(self) -> None:
        """Called again and again while it runs."""
        now = monotonic()
        if now < self._next:
            return
        self._next = now + TICK_S
        if self._interrupt.error is not None:
            if self._asked_at is None:
                self._asked_at = now
            if now - self._asked_at >= KILL_S:
                raise self._interrupt.error
            self._worker.interrupt()  # again and again: it may not have begun with the query yet
        if not self._worker.low and self._has_computed_long(now):
            self._worker.yield_cores()
        if (held := self._worker.nbytes) > self._budget:
            raise MemoryLimitExceeded(
                f"the query needs more memory than it may have: it holds {size(held)}, the limit is {size(self._budget)}",
                hint=_REMEDY,
            )

    def _has_computed_long(self, now: float) -> bool:
        if now - self._started < LONG_S:
            return False
        used = self._worker.cpu_seconds
        return used is None or self._used is None or used - self._used >= LONG_S
