"""The process in which code of users runs: `python -m ptvc.expr.python.worker requests responses progress` (file descriptors).

It ends when the process that started it does, whatever the code does at that moment.  What the code prints is dropped; it reads
nothing from its standard input.
"""

from __future__ import annotations

import json
import mmap
import os
import re
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from queue import SimpleQueue
from types import ModuleType, TracebackType
from typing import Any

import pyarrow as pa

from ...no_pandas import without_pandas
from ...repr.schema import type_from_json
from ...repr.types import Kind, ScalarType
from .frames import LENGTHS, LOADING, PROGRESS_BYTES, columns_of, frame
from .values import Convert, Misfit, read, transport, writer

_MOST_TEXT = 500
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")

Request = tuple[dict[str, Any], bytes]


class _Unusable(Exception):
    """There is nothing to be called: SQLSTATE and message."""


@dataclass(frozen=True, slots=True)
class _Function:
    name: str
    file: str
    arguments: tuple[ScalarType, ...]
    returns: ScalarType
    call: Callable[..., Any]
    convert: Convert


class Worker:
    def __init__(self, progress: memoryview) -> None:
        self._progress = progress
        self._functions: dict[str, _Function | _Unusable] = {}

    def answer(self, header: dict[str, Any], payload: bytes) -> bytes:
        """The response to a request."""
        key = header["function"]
        if key not in self._functions:
            self._functions[key] = self._made(key, header["define"])
        function = self._functions[key]
        if isinstance(function, _Unusable):
            return frame(json.dumps({"failed": function.args}).encode(), [])
        try:
            values, errors = self._called(function, columns_of(payload), header["rows"])
            column = pa.array(values, transport(function.returns))
        except (MemoryError, pa.ArrowException) as error:  # a batch of results that is too large
            return frame(json.dumps({"failed": ["54000", _said(function.name, error, "")]}).encode(), [])
        return frame(json.dumps({"errors": errors}).encode(), [column])

    def _made(self, key: str, text: str) -> _Function | _Unusable:
        definition = json.loads(text)
        name, handler = definition["name"], definition["handler"]
        module = ModuleType(f"function_{key}")
        module.__file__ = file = f"<function {name}>"
        sys.modules[module.__name__] = module  # where dataclasses and pickle look for it
        returns = type_from_json(definition["returns"])
        try:
            exec(compile(definition["source"], file, "exec", dont_inherit=True), module.__dict__)
            found = getattr(module, handler, None)
            if not callable(found):
                raise _Unusable("42883", f'function {name}: its source defines no "{handler}"')
        except _Unusable as error:
            return error
        except BaseException as error:  # code of users: whatever it raises
            return _Unusable("38000", _said(name, error, f"could not be loaded{_line(error, file)}: "))
        arguments = tuple(map(type_from_json, definition["arguments"]))
        call = self._aggregate(found, arguments[0]) if definition["aggregate"] else found
        return _Function(name, file, arguments, returns, call, writer(returns))

    def _aggregate(self, made: Callable[[], Any], inputs_type: ScalarType) -> Callable[..., Any]:
        """From the array of a group's inputs to the result of `finish`; NULL is the array of no inputs."""
        assert inputs_type.element is not None
        several = inputs_type.element.kind is Kind.RECORD

        def call(inputs: list[Any] | None) -> Any:
            state = made()
            accumulate = state.accumulate
            for number, value in enumerate(inputs or ()):
                self._progress[1] = number
                if several:
                    accumulate(*value)
                else:
                    accumulate(value)
            return state.finish()

        return call

    def _called(
        self, function: _Function, columns: Sequence[pa.Array], count: int
    ) -> tuple[list[Any], list[tuple[int, str, str]]]:
        """The values of all rows, None for those of the errors."""
        arguments = [read(column, type_) for column, type_ in zip(columns, function.arguments, strict=True)]
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
                where = f"failed{_line(error, function.file)}: "
                errors.append((row, "38000", _said(function.name, error, where)))
        progress[0] = LOADING  # what follows is no call's time
        return values, errors


def _misfits(arguments: Sequence[list[Any]]) -> dict[int, Misfit]:
    found: dict[int, Misfit] = {}
    for values in arguments:
        if Misfit in set(map(type, values)):
            found |= {row: value for row, value in enumerate(values) if isinstance(value, Misfit)}
    return found


def _line(error: BaseException, file: str) -> str:
    """` at line n`: of the innermost call in the function's own source."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return f" at line {error.lineno}"
    line = None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return "" if line is None else f" at line {line}"


def _said(name: str, error: BaseException, before: str) -> str:
    """The same for the same error in any process, so that it retracts: without addresses in memory."""
    try:
        text = str(error)
    except BaseException:  # code of users, again
        text = ""
    kind = type(error).__name__
    text = f"{kind}: {text}" if text else kind
    if len(text) > _MOST_TEXT:
        text = f"{text[:_MOST_TEXT]}..."
    text = _ADDRESS.sub("0x...", text).replace("\0", "")
    return f"function {name} {before}{text}".encode(errors="replace").decode()


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
