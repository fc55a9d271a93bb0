"""Workers: processes in which code of users runs, from the side of the evaluating process.

A worker serves one evaluation at a time; it is started when none is idle and kept for the next.  One that does not answer in
time, or ends, takes another one to go on; what ends two workers is an error of the row.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import mmap
import os
import select
import subprocess
import sys
import tempfile
from collections import deque
from dataclasses import dataclass, field
from time import monotonic

import numpy as np
import pyarrow as pa

from ...errors import PtvcError, Unsupported
from ...interrupt import check_interrupt
from ..columns.row_errors import Evaluated, concat_errors, listed_errors, same_error
from ..tree.external_function import NAMES, ExternalFunction, described
from .frames import LENGTHS, LOADING, PROGRESS_BYTES, STARTING, columns_of, frame
from .transport import transport

MOST_IDLE = 4
"""So many workers of a language are kept for later: each has an interpreter and pyarrow in memory, about 60 MB."""

MOST_LOST = 5
"""After so many rows that ended their workers, an evaluation is given up: each has cost up to twice the function's time."""

CHUNK_ROWS = 1 << 14
"""So many rows go to a worker at once."""

TICK_S = 0.05
"""How often it is looked whether the worker gets on, and whether anybody still wants the answer."""

START_S = 60.0
"""So long may an interpreter take to start, and a source to load, whatever the time of a call: what it imports is read from
disk."""

_PIECE = 1 << 16


class _Lost(Exception):
    """Internal: the worker is gone.  `row` is where it was, `late` that it had to be ended."""

    def __init__(self, row: int, late: bool) -> None:
        super().__init__()
        self.row = row
        self.late = late


_ENVIRONMENTS: dict[str, dict[str, str]] = {"python": {}, "javascript": {"TZ": "UTC"}}
"""What the languages have otherwise than this process.  JavaScript's dates have a time zone, which must be the same everywhere."""


@dataclass(slots=True)
class _Worker:
    language: str
    process: subprocess.Popen[bytes]
    requests: int
    responses: int
    shared: mmap.mmap
    defined: set[str] = field(default_factory=set)

    @classmethod
    def started(cls, language: str) -> _Worker:
        # Without the folder that the process happens to be in, and with the same order of sets of strings in each.
        path = os.pathsep.join(part for part in sys.path if part)
        environment = os.environ | {"PYTHONPATH": path, "PYTHONHASHSEED": "0"} | _ENVIRONMENTS[language]
        theirs_in, requests = os.pipe()
        responses, theirs_out = os.pipe()
        with tempfile.TemporaryFile() as file:
            file.truncate(PROGRESS_BYTES)
            theirs = (theirs_in, theirs_out, file.fileno())
            try:
                process = subprocess.Popen(
                    [sys.executable, "-P", "-m", "ptvc.expr.external.worker", *map(str, theirs)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env=environment,
                    pass_fds=theirs,
                    start_new_session=True,
                )
            finally:
                os.close(theirs_in)
                os.close(theirs_out)
            shared = mmap.mmap(file.fileno(), PROGRESS_BYTES)
        os.set_blocking(requests, False)
        os.set_blocking(responses, False)
        return cls(language, process, requests, responses, shared)

    def ended(self) -> None:
        """Ends it, if it has not by itself."""
        self.process.kill()
        os.close(self.requests)
        os.close(self.responses)
        self.shared.close()
        self.process.wait()  # last, since it may be interrupted

    def ask(self, function: ExternalFunction, columns: list[pa.Array], rows: int) -> tuple[bytes, bytearray]:
        """Header and payload of the response to a request; raises _Lost."""
        definition = described(function)
        header: dict[str, object] = {"function": definition.key, "rows": rows}
        if definition.key not in self.defined:
            header["define"] = definition.text.decode()
            self.defined.add(definition.key)
        self._count(STARTING, 0)
        answer = self._exchange(frame(json.dumps(header).encode(), columns), function.timeout_ms / 1000)
        start, middle = LENGTHS.size, LENGTHS.size + LENGTHS.unpack_from(answer)[0]
        return bytes(answer[start:middle]), answer[middle:]

    def _count(self, row: int, inputs: int) -> None:
        with memoryview(self.shared) as view, view.cast("q") as counters:
            counters[0], counters[1] = row, inputs

    def _counted(self) -> tuple[int, int]:
        with memoryview(self.shared) as view, view.cast("q") as counters:
            return counters[0], counters[1]

    def _exchange(self, request: bytes, timeout_s: float) -> bytearray:
        """Sends the request and reads the whole response."""
        rest, answer, wanted = memoryview(request), bytearray(), LENGTHS.size
        waiting = select.poll()
        waiting.register(self.responses, select.POLLIN)
        waiting.register(self.requests, select.POLLOUT)
        counted, waited, before = self._counted(), 0.0, monotonic()
        while len(answer) < wanted:
            ready = dict(waiting.poll(1000 * min(TICK_S, timeout_s / 4)))
            if self.requests in ready:
                try:
                    rest = rest[os.write(self.requests, rest[:_PIECE]) :]
                except BrokenPipeError:
                    raise _Lost(self._counted()[0], late=False) from None
                if not len(rest):
                    waiting.unregister(self.requests)
            if self.responses in ready:
                if not (piece := os.read(self.responses, _PIECE)):
                    raise _Lost(self._counted()[0], late=False)
                answer += piece
                if wanted == LENGTHS.size and len(answer) >= wanted:
                    wanted += sum(LENGTHS.unpack_from(answer))
            if not ready:
                check_interrupt()
            # A process that was stopped for a while has let its worker wait as well: that does not count.
            now = monotonic()
            waited, before = waited + min(now - before, 2 * TICK_S), now
            if (at := self._counted()) != counted or self.responses in ready:
                counted, waited = at, 0.0
            elif waited > (timeout_s if at[0] > LOADING else max(START_S, timeout_s)):
                raise _Lost(counted[0], late=True)
        return answer


_idle: dict[str, deque[_Worker]] = {language: deque() for language in _ENVIRONMENTS}
"""Those of this process that wait for work.  No lock guards it: each step is one operation of a deque."""

_others: list[_Worker] = []
"""Those of the process that this one was forked from."""


def _forked() -> None:
    for idle in _idle.values():
        _others.extend(idle)
        idle.clear()


os.register_at_fork(after_in_child=_forked)


def _free_worker(language: str) -> _Worker:
    while True:
        try:
            worker = _idle[language].pop()
        except IndexError:
            return _Worker.started(language)
        if worker.process.poll() is None:
            return worker
        worker.ended()


def _give_back(worker: _Worker) -> None:
    if len(idle := _idle[worker.language]) < MOST_IDLE:
        idle.append(worker)
    else:
        worker.ended()


@atexit.register
def _end_idle() -> None:
    for idle in _idle.values():
        while idle:
            idle.pop().ended()


def call(function: ExternalFunction, columns: list[pa.Array], rows: int) -> Evaluated:
    """The function on each of `rows` rows, as the type in which results come back, and the errors of rows.

    Raises Unsupported on a thread that has others to serve meanwhile, QueryCanceled as `interruptible` says, and PtvcError
    where the source cannot be loaded, which is no row's error, and when several workers were lost.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        pass
    else:
        raise Unsupported(
            f"function {function.name} is in {NAMES[function.language]}, which is not supported here",
            hint="Call it in the query that the statement reads from.",
        )
    found: dict[int, Evaluated] = {}
    suspects: set[int] = set()
    lost = 0
    pending = [(start, min(start + CHUNK_ROWS, rows)) for start in reversed(range(0, rows, CHUNK_ROWS))]
    while pending:
        start, stop = pending.pop()
        try:
            given = [column.slice(start, stop - start) for column in columns]
            found[start] = _asked(function, given, stop - start)
        except _Lost as loss:
            at = start + loss.row
            if loss.row > LOADING and at not in suspects:
                # Once more by itself: what was the machine's doing, such as a lack of memory, is no error of the row.
                suspects.add(at)
                parts = ((at + 1, stop), (at, at + 1), (start, at))
                pending += [(first, last) for first, last in parts if first < last]
                continue
            lost += 1
            message = f"function {function.name} {_end(loss)}"
            if loss.row <= LOADING or lost > MOST_LOST:
                raise PtvcError(
                    message,
                    sqlstate="38000",
                    hint="CREATE FUNCTION ... TIMEOUT = '1min' gives each call more time."
                    if loss.late
                    else None,
                ) from None
            nothing = pa.nulls(1, transport(function.returns))
            found[at] = Evaluated(nothing, same_error(np.arange(1), "38000", message))
    return _together([(start, found[start]) for start in sorted(found)])


def _end(loss: _Lost) -> str:
    if loss.row == STARTING:
        return "could not be called: the process that it runs in did not start"
    if loss.late:
        what = "took longer than its TIMEOUT"
    else:
        what = "ended the process that it ran in"
    return what if loss.row > LOADING else f"{what} when its source was loaded"


def _asked(function: ExternalFunction, columns: list[pa.Array], rows: int) -> Evaluated:
    worker = _free_worker(function.language)
    whole = False
    try:
        header, payload = worker.ask(function, columns, rows)
        whole = True
    finally:
        if whole:
            _give_back(worker)
        else:  # lost, or its answer is not wanted any more
            worker.ended()
    reply = json.loads(header)
    if "failed" in reply:
        sqlstate, message = reply["failed"]
        raise PtvcError(message, sqlstate=sqlstate)
    (values,) = columns_of(memoryview(payload))
    return Evaluated(values, listed_errors([tuple(error) for error in reply["errors"]]))


def _together(parts: list[tuple[int, Evaluated]]) -> Evaluated:
    values = pa.concat_arrays([part.values for _, part in parts])
    return Evaluated(values, concat_errors([(len(part.values), part.errors) for _, part in parts]))
