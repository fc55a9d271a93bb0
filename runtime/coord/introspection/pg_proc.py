"""Functions that are defined in SQL, Python or JavaScript, as clients find them: pg_proc, information_schema's routines, and their texts.

Of the system's functions those are listed that read and write the values of types.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...config import DATABASE
from ...expr.coercion.type_rules import base_name
from ...expr.functions.system.system import quote_ident
from ...expr.tree.external_function import DEFAULT_TIMEOUT_MS
from ...repr.type_functions import TYPE_FUNCTIONS, TypeFunction
from ...repr.types import Kind, ScalarType
from ...sql.calls.catalog_functions import (
    FUNCTION_ARGUMENTS,
    FUNCTION_BODY,
    FUNCTION_DEFINITION,
    FUNCTION_IDENTITY,
    FUNCTION_RESULT,
)
from ...sql.syntax.function_definition import (
    ExternalOptions,
    FunctionArgument,
    FunctionDefinition,
    FunctionKind,
    Parallel,
    Volatility,
)
from ..catalog.items import Function
from .state import OWNER_OID, State

Rows = Iterator[dict[str, Any]]

INTERNAL_LANGUAGE = 12
SQL_LANGUAGE = 14
PYTHON_LANGUAGE = 13200
JAVASCRIPT_LANGUAGE = 13201
"""No language of PostgreSQL has these OIDs: its own Python is an extension, numbered where it is made."""

LANGUAGES = {
    "internal": INTERNAL_LANGUAGE,
    "sql": SQL_LANGUAGE,
    "python": PYTHON_LANGUAGE,
    "javascript": JAVASCRIPT_LANGUAGE,
}


def definitions(state: State) -> Iterator[tuple[Function, FunctionDefinition]]:
    return ((item, item.definition) for item in state.catalog.user_functions())


def pg_proc(state: State) -> Rows:
    yield from (_type_function(function) for function in TYPE_FUNCTIONS)
    for item, function in definitions(state):
        names = [argument.name or "" for argument in function.arguments]
        defaults = [a.default for a in function.arguments if a.default is not None]
        yield {
            "oid": item.oid,
            "proname": item.name,
            "pronamespace": state.schema_oid(item.schema_name),
            "proowner": state.owner(item).oid,
            "prolang": LANGUAGES[function.language],
            "procost": 100.0,
            "prorows": 0.0,
            "provariadic": 0,
            "prosupport": 0,
            "prokind": function.kind.value,
            "prosecdef": False,
            "proleakproof": False,
            "proisstrict": function.strict,
            "proretset": False,
            "provolatile": function.volatility.value,
            "proparallel": function.parallel.value,
            "pronargs": len(names),
            "pronargdefaults": len(defaults),
            "prorettype": function.returns.oid,
            "proargtypes": [type_.oid for type_ in function.types],
            "proargnames": names if any(names) else None,
            "proargdefaults": ", ".join(defaults) or None,
            "prosrc": "" if function.returned else function.body,
            "prosqlbody": f"RETURN {function.body}" if function.returned else None,
            "proacl": state.acl(item),
        }


def _type_function(function: TypeFunction) -> dict[str, Any]:
    return {
        "oid": function.oid,
        "proname": function.name,
        "pronamespace": 11,
        "proowner": OWNER_OID,
        "prolang": INTERNAL_LANGUAGE,
        "procost": 1.0,
        "prorows": 0.0,
        "provariadic": 0,
        "prosupport": 0,
        "prokind": FunctionKind.FUNCTION.value,
        "prosecdef": False,
        "proleakproof": False,
        "proisstrict": True,
        "proretset": False,
        "provolatile": function.volatility,
        "proparallel": Parallel.SAFE.value,
        "pronargs": len(function.arguments),
        "pronargdefaults": 0,
        "prorettype": function.result,
        "proargtypes": list(function.arguments),
        "prosrc": function.name,
    }


def pg_language(state: State) -> Rows:
    for name, oid in LANGUAGES.items():
        yield {
            "oid": oid,
            "lanname": name,
            "lanowner": state.owner(None).oid,
            "lanispl": oid in (PYTHON_LANGUAGE, JAVASCRIPT_LANGUAGE),
            "lanpltrusted": name == "sql",
            "lanplcallfoid": 0,
            "laninline": 0,
            "lanvalidator": 0,
        }


def routines(state: State) -> Rows:
    for item, function in definitions(state):
        yield _specific(item) | {
            "routine_catalog": DATABASE,
            "routine_schema": item.schema_name,
            "routine_name": item.name,
            "routine_type": "FUNCTION" if function.kind is FunctionKind.FUNCTION else None,
            "data_type": _standard_name(function.returns),
            "routine_definition": None if function.returned else function.body,
            "external_language": function.language.upper(),
        }


def parameters(state: State) -> Rows:
    for item, function in definitions(state):
        for position, argument in enumerate(function.arguments, 1):
            yield _specific(item) | {
                "ordinal_position": position,
                "parameter_mode": "IN",
                "is_result": "NO",
                "as_locator": "NO",
                "parameter_name": argument.name,
                "data_type": _standard_name(argument.type),
            }


def _specific(item: Function) -> dict[str, Any]:
    return {
        "specific_catalog": DATABASE,
        "specific_schema": item.schema_name,
        "specific_name": f"{item.name}_{item.oid}",
    }


def _standard_name(type_: ScalarType) -> str:
    return "ARRAY" if type_.kind is Kind.ARRAY else base_name(type_)


def texts(item: Function) -> Iterator[tuple[int, str]]:
    """What pg_get_functiondef, pg_get_function_arguments and the like show, by the positions at which mz_internal.mz_definitions has them."""
    function = item.definition
    yield FUNCTION_DEFINITION, definition_sql(item, function)
    yield FUNCTION_ARGUMENTS, ", ".join(_declared(argument) for argument in function.arguments)
    yield FUNCTION_IDENTITY, ", ".join(_declared(a, default=False) for a in function.arguments)
    yield FUNCTION_RESULT, base_name(function.returns)
    if function.returned:
        yield FUNCTION_BODY, f"RETURN {function.body}"


def _declared(argument: FunctionArgument, *, default: bool = True) -> str:
    text = base_name(argument.type)
    if argument.name is not None:
        text = f"{quote_ident(argument.name)} {text}"
    return f"{text} DEFAULT {argument.default}" if default and argument.default is not None else text


def definition_sql(item: Function, function: FunctionDefinition) -> str:
    """A statement that makes the function, in PostgreSQL's form."""
    word = "FUNCTION" if function.kind is FunctionKind.FUNCTION else "AGGREGATE FUNCTION"
    name = f"{quote_ident(item.schema_name)}.{quote_ident(item.name)}"
    arguments = ", ".join(_declared(argument) for argument in function.arguments)
    options = []
    if function.volatility is not Volatility.VOLATILE:
        options.append(function.volatility.name)
    if function.parallel is not Parallel.UNSAFE:
        options.append(f"PARALLEL {function.parallel.name}")
    if function.strict:
        options.append("STRICT")
    lines = [
        f"CREATE OR REPLACE {word} {name}({arguments})",
        f" RETURNS {base_name(function.returns)}",
        f" LANGUAGE {function.language}",
    ]
    if options:
        lines.append(f" {' '.join(options)}")
    if function.external is not None:
        lines += [f" {option}" for option in _external_options(function.external)]
    if function.returned:
        lines.append(f"RETURN {function.body}")
    else:
        quote = "$function"
        while quote in function.body:
            quote += "x"
        lines.append(f"AS {quote}${function.body}{quote}$")
    return "\n".join(lines) + "\n"


def _external_options(external: ExternalOptions) -> Iterator[str]:
    if external.runtime_version is not None:
        yield f"RUNTIME_VERSION = {_quoted(external.runtime_version)}"
    if external.packages:
        yield f"PACKAGES = ({', '.join(map(_quoted, external.packages))})"
    if external.handler is not None:
        yield f"HANDLER = {_quoted(external.handler)}"
    if external.timeout_ms != DEFAULT_TIMEOUT_MS:
        yield f"TIMEOUT = '{external.timeout_ms}ms'"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
