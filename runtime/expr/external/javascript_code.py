"""A function in JavaScript, loaded: a context of its own, with limits, in which nothing but the language is there.

The engine is QuickJS; a context has no files, no network, no modules and no timers, and no call finds what another one has left
(see javascript_prelude.py).  Of a function the source is the body; of an aggregate it is a module that exports
`initialState()`, `aggregate(state, value, ...)` and `finalize(state)`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ...errors import PtvcError, SqlSyntaxError, UndefinedFunction
from ...repr.schema import type_from_json
from .javascript_prelude import FIRST_LINE, PRELUDE
from .javascript_values import argument_name, read, read_inputs, result_name, writer
from .loaded import Loaded, Unusable, error_text, said

MEMORY_BYTES = 128 << 20
"""So much a context may hold, its engine included; more is an error of the row that asked for it."""

_PARSING_STACK_BYTES = 256 << 10
"""Where a function is created it is parsed on a thread, whose stack may be smaller than that of a worker."""

_EXPORTED = ("initialState", "aggregate", "finalize")
_IMPORT = (
    f"import {{ {', '.join(_EXPORTED)} }} from '<input>'; globalThis.$exports = {{ {', '.join(_EXPORTED)} }};"
)
"""`<input>` is what the engine calls the module before."""

_LINES_BEFORE = "\n" * (FIRST_LINE - 1)

_LINE = re.compile(r"<input>:(\d+)")


# --- when a function is created --------------------------------------------------------------------------------------


def check_engine() -> None:
    """Raises 58P01 where there is no engine."""
    if not _has_engine():
        raise PtvcError(
            "functions in JavaScript need an engine, which is not installed",
            sqlstate="58P01",
            hint="Install it into the environment of the runtime: pip install 'dbt-ptvc[javascript]'",
        )


def _has_engine() -> bool:
    """An older package has a module of the same name."""
    try:
        version("quickjs-ng")
    except PackageNotFoundError:
        return False
    return True


def check_source(name: str, source: str, parameters: Sequence[str], *, aggregate: bool) -> None:
    """Raises 42601, with the line, for what is no JavaScript, and 42883 where an aggregate does not export what it must.  No code of
    the source runs."""
    for parameter in parameters:
        if not aggregate and not parameter.replace("$", "_").isidentifier():
            raise SqlSyntaxError(
                f'argument "{parameter}" of function {name} has no name that JavaScript could use'
            )
    if "\0" in source:
        raise SqlSyntaxError(f"the source of function {name} has a zero byte")
    context = _context()
    context.set_max_stack_size(_PARSING_STACK_BYTES)
    try:
        if aggregate:
            _check_module(context, name, source)
        else:
            context.eval(PRELUDE)("check")(json.dumps(list(parameters)), source)
    except _engine_errors() as error:
        line = _at(_line(str(error)))
        text = str(error).split("\n", 1)[0].removeprefix("SyntaxError: ")
        raise SqlSyntaxError(f"syntax error in the source of function {name}{line}: {text}") from None


def _check_module(context: Any, name: str, source: str) -> None:
    """Its first statement ends it, so that it is parsed only."""
    context.module(f"throw null; {_LINES_BEFORE}{source}")
    for exported in _EXPORTED:
        try:
            context.module(f"import {{ {exported} }} from '<input>';")
        except _engine_errors() as error:
            if not str(error).startswith("SyntaxError"):
                raise
            raise UndefinedFunction(
                f'the source of function {name} does not export "{exported}"',
                hint="An aggregate exports initialState(), aggregate(state, value, ...) and finalize(state).",
            ) from None


# --- in a worker -----------------------------------------------------------------------------------------------------


def load(definition: dict[str, Any], key: str, progress: memoryview) -> Loaded:
    """Raises Unusable."""
    name, aggregate = definition["name"], definition["aggregate"]
    if not _has_engine():
        raise Unusable(
            "58P01", f"function {name} needs an engine for JavaScript, which is not installed here"
        )
    arguments = tuple(map(type_from_json, definition["arguments"]))
    returns = type_from_json(definition["returns"])
    taken = arguments
    if aggregate:
        inputs = arguments[0].element
        assert inputs is not None
        taken = tuple(field for _, field in inputs.fields) or (inputs,)
    takes, gives = json.dumps([argument_name(type_) for type_ in taken]), result_name(returns)
    context = _context()
    try:
        made = context.eval(PRELUDE)
        if aggregate:
            made("prepare")(definition["pure"])
            for source in (_LINES_BEFORE + definition["source"], _IMPORT):
                outcome = made("watch")(context.module(source))
                _settle(context)
                if (reason := outcome()) is not None:
                    raise Unusable(*_failed(name, "could not be loaded", reason))
            parts, item = made("aggregate")(takes, gives), made("item")
            begin, add, end = (item(parts, number) for number in range(3))
            call = _aggregate(begin, add, end, progress)
        else:
            call = made("function")(
                definition["pure"], definition["source"], json.dumps(definition["parameters"]), takes, gives
            )
    except _engine_errors() as error:
        raise Unusable(*_failed(name, "could not be loaded", str(error))) from None
    errors = _engine_errors()

    def failure(error: BaseException) -> tuple[str, str]:
        if isinstance(error, errors):
            return _failed(name, "failed", str(error))
        return "38000", said(name, "failed: ", error_text(error))

    return Loaded(
        name,
        arguments,
        returns,
        read_inputs if aggregate else read,
        call,
        writer(returns),
        failure,
        lambda: _settle(context),
    )


def _settle(context: Any) -> None:
    """What code has put off until later is done, so that it does not gather; nobody waits for it."""
    try:
        while context.execute_pending_job():
            pass
    except _engine_errors():
        pass


def _aggregate(
    begin: Callable[[], Any], add: Callable[..., Any], end: Callable[[], Any], progress: memoryview
) -> Callable[[list[Any] | None], Any]:
    """From the inputs of a group to its value; NULL is a group of no inputs."""

    def call(inputs: list[Any] | None) -> Any:
        begin()
        for number, values in enumerate(inputs or ()):
            progress[1] = number
            add(*values)
        return end()

    return call


def _context() -> Any:
    import quickjs

    context = quickjs.Context()
    context.set_memory_limit(MEMORY_BYTES)
    return context


def _engine_errors() -> tuple[type[Exception], ...]:
    import quickjs

    return quickjs.JSException, quickjs.StackOverflow


def _told(text: str) -> tuple[str | None, str, int]:
    """SQLSTATE, if it is the prelude's, message and line, if there is one; 0 is none."""
    try:
        sqlstate, message, line = json.loads(text.split("\n", 1)[0])
        return sqlstate, str(message), int(line)
    except (ValueError, TypeError):
        # What did not come through the prelude: a source that cannot be loaded, or no memory even for the message.
        return None, text.split("\n", 1)[0], _line(text)


def _line(trace: str) -> int:
    """The first of the user's, as the engine counts; 0 if there is none."""
    return next((line for line in map(int, _LINE.findall(trace)) if line >= FIRST_LINE), 0)


def _at(line: int) -> str:
    return f" at line {line - FIRST_LINE + 1}" if line >= FIRST_LINE else ""


def _failed(name: str, what: str, reason: str) -> tuple[str, str]:
    """SQLSTATE and message."""
    sqlstate, text, line = _told(reason)
    if sqlstate is not None:
        return sqlstate, f"function {name}: {text}"
    return "38000", said(name, f"{what}{_at(line)}: ", text)
