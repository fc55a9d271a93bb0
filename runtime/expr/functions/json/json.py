"""Operators and functions of `json`, whose parts are pieces of its text; those that make one print as PostgreSQL does.

`to_json` writes no white space, `json_build_object` has `{"a" : 1, "b" : 2}`.  There is no equality.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import UndefinedFunction, Unsupported
from ....repr.types import BOOL, INT4, JSON, NESTED, TEXT, Kind, ScalarType, array_of
from ...coercion.type_rules import base_name
from ...columns.arrays import with_nulls
from ...columns.row_errors import Evaluated, listed_errors, merge_errors
from ...text import json_text
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..rowwise import rowwise
from .build import as_written, strings
from .jsonb import of_texts, resolve_extract
from .jsonb_build import names_of, typed

_TEXTS = array_of(TEXT)


def _parts(args: Sequence[Datum], info: CallInfo) -> list[pa.Array]:
    return [as_written(as_array(d, info.length), t) for d, t in zip(args, info.types, strict=True)]


def _to_json(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return _parts(args, info)[0]


def _element(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return _parts(args, info)[0].fill_null("null")


def _build_array(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    parts = [part.fill_null("null") for part in _parts(args, info)]
    if not parts:
        return pa.repeat(pa.scalar("[]"), info.length)
    return pc.binary_join_element_wise("[", pc.binary_join_element_wise(*parts, ", "), "]", "")


def _names(datum: Datum, type_: ScalarType, length: int, message: str) -> Evaluated:
    """Keys as strings; a NULL is an error."""
    found = names_of(datum, type_, length)
    names = pa.repeat(found[0], length) if isinstance(datum, pa.Scalar) else found
    failures = [
        (row, "22004", message) for row, valid in enumerate(names.is_valid().to_pylist()) if not valid
    ] if names.null_count else []  # fmt: skip
    return Evaluated(strings(names), listed_errors(failures))


def _build_object(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    if not args:
        return Evaluated(pa.repeat(pa.scalar("{}"), info.length))
    errors, members = [], []
    for place in range(0, len(args), 2):
        message = "null value not allowed for object key"
        names = _names(args[place], info.types[place], info.length, message)
        value = as_written(as_array(args[place + 1], info.length), info.types[place + 1]).fill_null("null")
        members.append(pc.binary_join_element_wise(names.values, value, " : "))
        errors.append(names.errors)
    joined = pc.binary_join_element_wise("{", pc.binary_join_element_wise(*members, ", "), "}", "")
    wrong = merge_errors(errors)
    return Evaluated(joined if wrong is None else with_nulls(joined, wrong.indices), wrong)


def _member(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """`"key" : value`, a member of what json_object_agg makes."""
    names = _names(args[0], info.types[0], info.length, "null value not allowed for object key")
    value = as_written(as_array(args[1], info.length), info.types[1]).fill_null("null")
    return Evaluated(pc.binary_join_element_wise(names.values, value, " : "), names.errors)


def _enclosed(before: str, after: str) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        return pc.binary_join_element_wise(before, as_array(args[0], info.length), after, "")

    return kernel


def _resolve_made(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        if name == "json_build_object" and len(args) % 2:
            raise UndefinedFunction(
                "argument list must have even number of elements",
                sqlstate="22023",
                hint="The arguments of json_build_object() must consist of alternating keys and values.",
            )
        found = typed(args, unknown)
        if name == "json_build_object":
            refuse_keys(found[::2])
        return Call(name, found, JSON, False)

    return resolve


def refuse_keys(keys: Sequence[Scalar]) -> None:
    """22023 for keys of a type that is no text."""
    if any(key.type.kind in NESTED | {Kind.JSONB, Kind.JSON} for key in keys):
        raise UndefinedFunction("key value must be scalar, not array, composite, or json", sqlstate="22023")


def _resolve_to_json(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        shown = ", ".join("unknown" if f else base_name(a.type) for a, f in zip(args, unknown, strict=True))
        if name == "array_to_json" and len(args) == 2:
            raise Unsupported("array_to_json with line feeds is not supported")
        if len(args) != 1 or (
            name == "array_to_json" and not unknown[0] and args[0].type.kind is not Kind.ARRAY
        ):
            raise UndefinedFunction(f"function {name}({shown}) does not exist")
        if unknown[0]:
            raise UndefinedFunction(
                "could not determine polymorphic type because input has type unknown", sqlstate="42804"
            )
        return Call(name, args, JSON, args[0].nullable)

    return resolve


def _extract(name: str, one: Callable[..., Any]) -> Function:
    result = TEXT if name.endswith("_text") else JSON
    kernel = rowwise(lambda text, *path: one(text, path))
    return Function(
        name,
        (Overload(None, result, kernel, can_fail=True, nullable=True),),
        resolver=resolve_extract(name, JSON),
    )


def _one(name: str, one: Callable[..., Any], result: ScalarType, *, fails: bool = False) -> Function:
    return Function(name, (Overload((JSON,), result, rowwise(one), can_fail=fails),))


def _made(name: str, kernel: Kernel, *, fails: bool = False) -> Function:
    return Function(
        name, (Overload(None, JSON, kernel, can_fail=fails, strict=False),), resolver=_resolve_made(name)
    )


OVERLOADS = {
    "jsonb at path": [
        Overload((JSON, _TEXTS), JSON, rowwise(json_text.at_path), can_fail=True, nullable=True)
    ],
    "jsonb at path text": [
        Overload((JSON, _TEXTS), TEXT, rowwise(json_text.at_path_text), can_fail=True, nullable=True)
    ],
}
"""Operators that documents have, too.  Those of one step are "json get" and "json get text" here."""

FUNCTIONS: tuple[Function, ...] = (
    Function("json get", (Overload(None, JSON, rowwise(json_text.get), can_fail=True, nullable=True),)),
    Function(
        "json get text", (Overload(None, TEXT, rowwise(json_text.get_text), can_fail=True, nullable=True),)
    ),
    _one("json_typeof", json_text.kind_of, TEXT),
    _one("json_array_length", json_text.length, INT4, fails=True),
    Function(
        "json_strip_nulls",
        tuple(
            Overload((JSON, BOOL)[:count], JSON, rowwise(json_text.without_nulls), can_fail=True)
            for count in (1, 2)
        ),
    ),
    Function(
        "json_object",
        tuple(
            Overload((_TEXTS,) * count, of_texts("json_object", JSON), rowwise(one), can_fail=True)
            for count, one in ((1, json_text.object_of_pairs), (2, json_text.object_of))
        ),
    ),
    _extract("json_extract_path", json_text.at_path),
    _extract("json_extract_path_text", json_text.at_path_text),
    *(
        Function(name, (Overload(None, JSON, _to_json),), resolver=_resolve_to_json(name))
        for name in ("to_json", "array_to_json")
    ),
    _made("json_build_array", _build_array),
    _made("json_build_object", _build_object, fails=True),
    # What json_agg and json_object_agg are made of, see sql/calls/aggregate_call.py.
    Function("json element", (Overload(None, TEXT, _element, strict=False),)),
    Function("json member", (Overload(None, TEXT, _member, can_fail=True, strict=False),)),
    Function("json of elements", (Overload((TEXT,), JSON, _enclosed("[", "]")),)),
    Function("json of members", (Overload((TEXT,), JSON, _enclosed("{ ", " }")),)),
)
