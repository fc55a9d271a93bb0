"""The process in which code of users runs: `python -m ptvc.expr.external.worker requests responses progress` (file descriptors).

It ends when the process that started it does, whatever the code does at that moment.  What the code prints is dropped; it reads
nothing from its standard input.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import threading
from collections.abc import Sequence
from queue import SimpleQueue
from typing import Any

import pyarrow as pa

from ...no_pandas import without_pandas
from . import javascript_code, python_code
from .frames import LENGTHS, LOADING, PROGRESS_BYTES, columns_of, frame
from .loaded import Loaded, Unusable, error_text, said
from .transport import Misfit, transport

Request = tuple[dict[str, Any], bytes]


class Worker:
    def __init__(self, progress: memoryview) -> None:
        self._progress = progress
        self._functions: dict[str, Loaded | Unusable] = {}

    def answer(self, header: dict[str, Any], payload: bytes) -> bytes:
        """The response to a request."""
        key = header["function"]
        if key not in self._functions:
            self._functions[key] = self._made(key, header["define"])
        function = self._functions[key]
        if isinstance(function, Unusable):
            return frame(json.dumps({"failed": function.args}).encode(), [])
        try:
            values, errors = self._called(function, columns_of(payload), header["rows"])
            column = pa.array(values, transport(function.returns))
        except (MemoryError, pa.ArrowException) as error:  # a batch of results that is too large
            return frame(
                json.dumps({"failed": ["54000", said(function.name, "", error_text(error))]}).encode(), []
            )
        return frame(json.dumps({"errors": errors}).encode(), [column])

    def _made(self, key: str, text: str) -> Loaded | Unusable:
        definition = json.loads(text)
        load = javascript_code.load if definition["language"] == "javascript" else python_code.load
        try:
            return load(definition, key, self._progress)
        except Unusable as error:
            return error

    def _called(
        self, function: Loaded, columns: Sequence[pa.Array], count: int
    ) -> tuple[list[Any], list[tuple[int, str, str]]]:
        """The values of all rows, None for those of the errors."""
        arguments = [
            function.read(column, type_) for column, type_ in zip(columns, function.arguments, strict=True)
        ]
        unread = _misfits(arguments)
        rows = zip(*arguments, strict=True) if arguments else ((),) * count
        call, convert, progress = function.call, function.convert, self._progress
        values: list[Any] = []
        errors: list[tuple[int, str, str]] = []
        for row, given in enumerate(rows):
            progress[0] = row
            try:
                if row in unread:
                    raise unread[row]
                values.append(convert(call(*given)))
            except Misfit as misfit:
                values.append(None)
                errors.append((row, misfit.sqlstate, f"function {function.name}: {misfit}"))
            except BaseException as error:  # code of users: whatever it raises, SystemExit included
                values.append(None)
                errors.append((row, *function.failure(error)))
        progress[0] = LOADING  # what follows is no call's time
        function.settle()
        return values, errors


def _misfits(arguments: Sequence[list[Any]]) -> dict[int, Misfit]:
    found: dict[int, Misfit] = {}
    for values in arguments:
        if Misfit in set(map(type, values)):
            found |= {row: value for row, value in enumerate(values) if isinstance(value, Misfit)}
    return found


# --- the process -----------------------------------------------------------------------------------------------------


def _receive(source: int, requests: SimpleQueue[Request]) -> None:
    """Reads requests.  The end of the pipe is the end of the process that started this one, and of this one."""
    with os.fdopen(source, "rb") as pipe:
        while len(lengths := pipe.read(LENGTHS.size)) == LENGTHS.size:
            header, payload = LENGTHS.unpack(lengths)
            requests.put((json.loads(pipe.read(header)), pipe.read(payload)))
    os._exit(0)


def _silence() -> None:
    """Nothing that the code prints or reads gets to where it could do harm."""
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    os.close(null)


def main(source: int, target: int, progress: int) -> None:
    with mmap.mmap(progress, PROGRESS_BYTES) as shared, memoryview(shared).cast("q") as counters:
        without_pandas()
        _silence()
        process = os.getpid()
        requests: SimpleQueue[Request] = SimpleQueue()
        threading.Thread(target=_receive, args=(source, requests), daemon=True).start()
        worker = Worker(counters)
        while True:
            header, payload = requests.get()
            counters[0] = LOADING
            response = memoryview(worker.answer(header, payload))
            if os.getpid() != process:
                os._exit(0)  # the code has forked, and this is the child
            while len(response):
                response = response[os.write(target, response) :]


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
