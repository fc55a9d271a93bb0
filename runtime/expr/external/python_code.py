"""A function in Python, loaded: its source is a module, run once in each worker that calls it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any

from ...repr.schema import type_from_json
from ...repr.types import Kind, ScalarType
from .loaded import Loaded, Unusable, error_text, said
from .python_values import read, writer


def load(definition: dict[str, Any], key: str, progress: memoryview) -> Loaded:
    """Raises Unusable."""
    name, handler = definition["name"], definition["handler"]
    module = ModuleType(f"function_{key}")
    module.__file__ = file = f"<function {name}>"
    sys.modules[module.__name__] = module  # where dataclasses and pickle look for it
    try:
        exec(compile(definition["source"], file, "exec", dont_inherit=True), module.__dict__)
        found = getattr(module, handler, None)
        if not callable(found):
            raise Unusable("42883", f'function {name}: its source defines no "{handler}"')
    except Unusable:
        raise
    except BaseException as error:  # code of users: whatever it raises
        before = f"could not be loaded{_line(error, file)}: "
        raise Unusable("38000", said(name, before, error_text(error))) from None
    arguments = tuple(map(type_from_json, definition["arguments"]))
    returns = type_from_json(definition["returns"])
    call = _aggregate(found, arguments[0], progress) if definition["aggregate"] else found

    def failure(error: BaseException) -> tuple[str, str]:
        return "38000", said(name, f"failed{_line(error, file)}: ", error_text(error))

    return Loaded(name, arguments, returns, read, call, writer(returns), failure)


def _aggregate(
    made: Callable[[], Any], inputs_type: ScalarType, progress: memoryview
) -> Callable[[list[Any] | None], Any]:
    """From the array of a group's inputs to the result of `finish`; NULL is the array of no inputs."""
    assert inputs_type.element is not None
    several = inputs_type.element.kind is Kind.RECORD

    def call(inputs: list[Any] | None) -> Any:
        state = made()
        accumulate = state.accumulate
        for number, value in enumerate(inputs or ()):
            progress[1] = number
            if several:
                accumulate(*value)
            else:
                accumulate(value)
        return state.finish()

    return call


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
