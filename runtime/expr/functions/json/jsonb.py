"""Operators and functions that read and change documents.

`a -> 'b' -> 0` is one call with two steps, so that a document is parsed once and nothing between is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from ....errors import DatatypeMismatch, UndefinedFunction
from ....repr.types import BOOL, INT4, JSON, JSONB, TEXT, Kind, ScalarType, array_of
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import base_name
from ...columns.row_errors import Evaluated
from ...datetimes.datetime_input import InputError
from ...jsonb import access, edit
from ...jsonb.columns import growing, over_documents
from ...jsonb.document import Document, in_order, shape, type_name
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, ResultRule, as_array
from ...tree.scalar import Call, Scalar
from ..rowwise import rowwise

_TEXTS = array_of(TEXT)
_HINT = "No operator matches the given name and argument types. You might need to add explicit type casts."

# --- -> and ->> --------------------------------------------------------------------------------------------------------


def _resolve_steps(name: str, sign: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    result = JSONB if name == "jsonb get" else TEXT

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        document, step = args
        names = ["unknown" if flag else base_name(a.type) for a, flag in zip(args, unknown, strict=True)]
        if unknown[0]:
            raise UndefinedFunction(f"operator is not unique: {names[0]} {sign} {names[1]}", sqlstate="42725")
        if unknown[1]:
            step = coerce_unknown(step, TEXT)
        elif step.type.is_string_category:
            step = cast_to(step, TEXT)
        elif step.type.kind in (Kind.INT2, Kind.INT4):
            step = cast_to(step, INT4)
        else:
            raise UndefinedFunction(f"operator does not exist: {names[0]} {sign} {names[1]}", hint=_HINT)
        if document.type.kind is Kind.JSON:
            return Call(f"json{name[5:]}", (document, step), TEXT if result == TEXT else JSON, True)
        if document.type.kind is not Kind.JSONB:
            raise UndefinedFunction(f"operator does not exist: {names[0]} {sign} {names[1]}", hint=_HINT)
        if isinstance(document, Call) and document.function == "jsonb get":
            return Call(name, (*document.args, step), result, True)
        return Call(name, (document, step), result, True)

    return resolve


# --- paths -------------------------------------------------------------------------------------------------------------


def resolve_extract(name: str, type_: ScalarType) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    """A document of `type_`, json or jsonb, and the elements of a path as arguments of their own."""
    result = TEXT if name.endswith("_text") else type_

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        fits = [flag or arg.type.is_string_category for arg, flag in zip(args[1:], unknown[1:], strict=True)]
        if len(args) < 2 or not all(fits) or not (unknown[0] or args[0].type.kind is type_.kind):
            shown = ", ".join(
                "unknown" if f else base_name(a.type) for a, f in zip(args, unknown, strict=True)
            )
            raise UndefinedFunction(f"function {name}({shown}) does not exist")
        document = coerce_unknown(args[0], type_) if unknown[0] else args[0]
        steps = [
            coerce_unknown(arg, TEXT) if flag else cast_to(arg, TEXT)
            for arg, flag in zip(args[1:], unknown[1:], strict=True)
        ]
        return Call(name, (document, *steps), result, True)

    return resolve


def _resolve_subscript(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """document[a]: an element of a path, text or integer.  One behind another are one path."""
    document, step = args
    if unknown[1]:
        step = coerce_unknown(step, TEXT)
    elif step.type.is_string_category or step.type.kind in (Kind.INT2, Kind.INT4):
        step = cast_to(step, TEXT)
    else:
        raise DatatypeMismatch(
            f"subscript type {base_name(step.type)} is not supported",
            hint="jsonb subscript must be coercible to either integer or text.",
        )
    if isinstance(document, Call) and document.function == "jsonb subscript":
        return Call("jsonb subscript", (*document.args, step), JSONB, True)
    return Call("jsonb subscript", (document, step), JSONB, True)


# --- the rest ------------------------------------------------------------------------------------------------------------


def _array_length(document: Document) -> int:
    if isinstance(document, list):
        return len(document)
    what = "a non-array" if isinstance(document, dict) else "a scalar"
    raise InputError("22023", f"cannot get array length of {what}")


def _object_of_pairs(items: list[str | None]) -> Document:
    if len(items) % 2:
        raise InputError("2202E", "array must have even number of elements")
    return _object_of(items[::2], items[1::2])


def _object_of(keys: list[str | None], values: list[str | None]) -> Document:
    if len(keys) != len(values):
        raise InputError("2202E", "mismatched array dimensions")
    if None in keys:
        raise InputError("22004", "null value not allowed for object key")
    return in_order(dict(zip(keys, values, strict=True)))


# --- jsonb_set_lax ---------------------------------------------------------------------------------------------------------

_NO_TREATMENT = "\0"
"""Stands for NULL: no text holds it."""


def _set_lax(
    document: Document,
    path: Sequence[str | None],
    value: Document,
    create: bool,
    treatment: str,
    absent: bool,
) -> Document:
    """jsonb_set; where `value` is absent, what `treatment` says."""
    if not absent and treatment != _NO_TREATMENT:
        return edit.with_value(document, path, value, create)
    match treatment:
        case "use_json_null":
            return edit.with_value(document, path, None, create)
        case "delete_key":
            return edit.without_path(document, path)
        case "return_target":
            return document
        case "raise_exception":
            raise InputError("22004", "JSON value must not be null")
        case _:
            raise InputError(
                "22023",
                'null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"',
            )


_SET_LAX = over_documents(growing(_set_lax))


def _set_lax_kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array | Evaluated:
    """NULL where the document, the path or `create` is."""
    document, path, value, *rest = (as_array(arg, info.length) for arg in args)
    create = rest[0] if rest else pa.scalar(True)
    treatment = rest[1].fill_null(_NO_TREATMENT) if len(rest) > 1 else pa.scalar("use_json_null")
    given = [document, path, value.fill_null("null"), create, treatment, value.is_null()]
    return _SET_LAX(given, replace(info, types=(JSONB, _TEXTS, JSONB, BOOL, TEXT, BOOL)))


# --- IS JSON ---------------------------------------------------------------------------------------------------------------


def _is_json(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    texts = [as_array(args[0], info.length), *args[1:]]
    result = _IS_JSON(texts, info)
    assert isinstance(result, Evaluated)
    return result


def _denotes(text: str, kind: str, unique: bool) -> bool:
    """Whether a text is JSON of that kind."""
    try:
        document = shape(text, unique)
    except InputError:
        return False
    found = type_name(document)
    return kind == "value" or (found == kind if kind != "scalar" else found not in ("array", "object"))


_IS_JSON = rowwise(_denotes)


def _resolve_is_json(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    subject = coerce_unknown(args[0], TEXT) if unknown[0] else args[0]
    if not subject.type.is_string_category and subject.type.kind not in (Kind.JSONB, Kind.JSON):
        raise DatatypeMismatch(f"cannot use type {base_name(subject.type)} in IS JSON predicate")
    kind = coerce_unknown(args[1], TEXT)
    return Call("is json", (cast_to(subject, TEXT), kind, args[2]), BOOL, subject.nullable)


def of_texts(name: str, result: ScalarType, sign: str | None = None) -> ResultRule:
    """The result where every array is one of texts: overloads look at the kinds of types only."""

    def rule(args: tuple[Scalar, ...]) -> ScalarType:
        if any(arg.type.element is not None and not arg.type.element.is_string_category for arg in args):
            types = [base_name(arg.type) for arg in args]
            shown = f"{types[0]} {sign} {types[1]}" if sign else f"{name}({', '.join(types)})"
            noun = "operator does not exist: " if sign else "function "
            raise UndefinedFunction(f"{noun}{shown}{'' if sign else ' does not exist'}", hint=_HINT)
        return result

    return rule


def _function(
    name: str,
    params: Sequence[ScalarType],
    result: ScalarType,
    one: Callable[..., Any],
    *,
    sign: str | None = None,
    fails: bool = False,
    optional: int = 0,
) -> Function:
    """One overload, and one more for each of `optional` arguments that may be left out at its end."""
    kernel = over_documents(one)
    rule = of_texts(name, result, sign) if _TEXTS in params else result
    overloads = tuple(
        Overload(
            tuple(params[: len(params) - left]),
            rule,
            kernel,
            can_fail=fails,
            nullable=True,
        )
        for left in range(optional + 1)
    )
    return Function(name, overloads, sign)


def _steps(name: str, sign: str, one: Callable[..., Any], result: ScalarType) -> Function:
    overload = Overload(None, result, over_documents(one), nullable=True)
    return Function(name, (overload,), sign, _resolve_steps(name, sign))


def _extract(name: str, one: Callable[..., Any], result: ScalarType) -> Function:
    kernel: Kernel = over_documents(lambda document, *path: one(document, path))
    return Function(
        name, (Overload(None, result, kernel, nullable=True),), resolver=resolve_extract(name, JSONB)
    )


def _flipped(one: Callable[..., Any]) -> Callable[..., Any]:
    return lambda left, right: one(right, left)


_delete_kernels = (
    (TEXT, edit.without_key), (INT4, edit.without_index), (_TEXTS, edit.without_keys)
)  # fmt: skip

OVERLOADS: dict[str, list[Overload]] = {
    "subtract": [
        Overload(
            (JSONB, param),
            of_texts("subtract", JSONB, "-"),
            over_documents(one),
            can_fail=True,
            nullable=True,
        )
        for param, one in _delete_kernels
    ],
}

FUNCTIONS: tuple[Function, ...] = (
    _steps("jsonb get", "->", access.get, JSONB),
    _steps("jsonb get text", "->>", access.get_text, TEXT),
    _function("jsonb at path", (JSONB, _TEXTS), JSONB, access.at_path, sign="#>"),
    _function("jsonb at path text", (JSONB, _TEXTS), TEXT, access.at_path_text, sign="#>>"),
    _extract("jsonb_extract_path", access.at_path, JSONB),
    _extract("jsonb_extract_path_text", access.at_path_text, TEXT),
    Function(
        "jsonb subscript",
        (Overload(None, JSONB, over_documents(lambda d, *path: access.at_path(d, path)), nullable=True),),
        resolver=_resolve_subscript,
    ),
    _function("jsonb_contains", (JSONB, JSONB), BOOL, access.contains, sign="@>"),
    _function("jsonb_contained", (JSONB, JSONB), BOOL, _flipped(access.contains), sign="<@"),
    _function("jsonb_exists", (JSONB, TEXT), BOOL, access.has, sign="?"),
    _function("jsonb_exists_any", (JSONB, _TEXTS), BOOL, access.has_any, sign="?|"),
    _function("jsonb_exists_all", (JSONB, _TEXTS), BOOL, access.has_all, sign="?&"),
    _function("jsonb_concat", (JSONB, JSONB), JSONB, growing(edit.concatenated), fails=True),
    _function("jsonb_delete_path", (JSONB, _TEXTS), JSONB, edit.without_path, sign="#-", fails=True),
    _function(
        "jsonb_set", (JSONB, _TEXTS, JSONB, BOOL), JSONB, growing(edit.with_value), fails=True, optional=1
    ),
    _function(
        "jsonb_insert",
        (JSONB, _TEXTS, JSONB, BOOL),
        JSONB,
        growing(edit.with_inserted),
        fails=True,
        optional=1,
    ),
    Function(
        "jsonb_set_lax",
        tuple(
            Overload(
                (JSONB, _TEXTS, JSONB, BOOL, TEXT)[:count],
                of_texts("jsonb_set_lax", JSONB),
                _set_lax_kernel,
                can_fail=True,
                strict=False,
                nullable=True,
            )
            for count in (3, 4, 5)
        ),
    ),
    _function("jsonb_strip_nulls", (JSONB, BOOL), JSONB, edit.without_nulls, optional=1),
    _function("jsonb_pretty", (JSONB,), TEXT, edit.pretty),
    _function("jsonb_typeof", (JSONB,), TEXT, type_name),
    _function("jsonb_array_length", (JSONB,), INT4, _array_length, fails=True),
    Function(
        "jsonb_object",
        tuple(
            Overload(params, of_texts("jsonb_object", JSONB), over_documents(one), can_fail=True)
            for params, one in (((_TEXTS,), _object_of_pairs), ((_TEXTS, _TEXTS), _object_of))
        ),
    ),
    Function("is json", (Overload(None, BOOL, _is_json),), resolver=_resolve_is_json),
)
