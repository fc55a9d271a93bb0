"""Helpers of catalog queries that need no catalog: format_type, quote_ident, quote_literal, array_to_string."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import UndefinedFunction
from ....repr.types import BOOL, CLOCKS, INT4, NESTED, OID, SIMPLE, TEXT, Kind, ScalarType, array_of
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import as_kind, base_name
from ...text.keywords import QUOTED
from ...text.text_output import to_text
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..rowwise import rowwise

_SIMPLE = [ScalarType(kind) for kind in SIMPLE]
_BY_OID: dict[int, ScalarType] = {
    **{type_.oid: type_ for type_ in _SIMPLE},
    **{array_of(type_).oid: array_of(type_) for type_ in _SIMPLE if type_.kind is not Kind.BOOL},
    array_of(BOOL).oid: array_of(BOOL),
}


_UNNAMED = {ScalarType(kind).oid: kind.value for kind in NESTED - {Kind.ARRAY}}
"""Types that have one number, whatever they hold."""


def format_type(oid: int, typmod: int | None) -> str:
    """The SQL name of the type with this OID and modifier; `???` for an unknown OID, `-` for 0."""
    if oid == 0:
        return "-"
    if oid in _UNNAMED:
        return _UNNAMED[oid]
    type_ = _BY_OID.get(oid)
    if type_ is None:
        return "???"
    inner = type_.element if type_.element is not None else type_
    suffix = "[]" if type_.element is not None else ""
    name = str(inner) if typmod is not None else base_name(inner)
    if typmod is not None and typmod >= 0 and inner.kind in CLOCKS:
        name = str(ScalarType(inner.kind, precision=typmod))
    elif typmod is not None and typmod >= 4:
        modifier = typmod - 4
        if inner.kind is Kind.BPCHAR:
            name = f"character({modifier})"
        elif inner.kind is Kind.VARCHAR:
            name = f"{name}({modifier})"
        elif inner.kind is Kind.NUMERIC:
            name = f"{name}({modifier >> 16},{modifier & 0x7FF})"
    return name + suffix


def _format_types(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    oids = as_array(args[0], info.length).to_pylist()
    typmods = as_array(args[1], info.length).to_pylist()
    return pa.array(
        [None if o is None else format_type(o, t) for o, t in zip(oids, typmods, strict=True)], pa.string()
    )


def quote_ident(name: str) -> str:
    """The name as an identifier of SQL text, quoted where it must be."""
    if re.match(r"[a-z_][a-z0-9_]*\Z", name) and name not in QUOTED:
        return name
    return '"' + name.replace('"', '""') + '"'


def quote_literal(text: str) -> str:
    """The text as a string constant of SQL text."""
    quoted = "'" + text.replace("'", "''").replace("\\", "\\\\") + "'"
    return " E" + quoted if "\\" in text else quoted


def _quote_literal_escape(text: str) -> str:
    return quote_literal(text).lstrip(" ")


def _nullable_literal(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    texts = as_array(args[0], info.length).to_pylist()
    return pa.array(["NULL" if t is None else _quote_literal_escape(t) for t in texts], pa.string())


def _resolve_quote(name: str) -> Function:
    kernel = rowwise(_quote_literal_escape) if name == "quote_literal" else _nullable_literal

    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        if len(args) != 1:
            raise UndefinedFunction(
                f"function {name}({', '.join(base_name(a.type) for a in args)}) does not exist"
            )
        arg = coerce_unknown(args[0], TEXT) if unknown[0] else cast_to(args[0], TEXT)
        return Call(name, (arg,), TEXT, arg.nullable and name == "quote_literal")

    return Function(name, (Overload(None, TEXT, kernel, strict=name == "quote_literal"),), resolver=resolve)


def _array_to_string(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """Elements' text joined by a separator; NULL elements left out, or written as the third argument says."""
    lists = as_array(args[0], info.length)
    element = info.types[0].element
    assert element is not None
    joined: list[str | None] = []
    items = to_text(lists.flatten(), element).to_pylist()
    separators = as_array(args[1], info.length).to_pylist()
    nulls = as_array(args[2], info.length).to_pylist() if len(args) > 2 else [None] * info.length
    start = 0
    for count, separator, null in zip(lists.value_lengths().to_pylist(), separators, nulls, strict=True):
        part = items[start : start + (count or 0)]
        start += count or 0
        if count is None or separator is None:
            joined.append(None)
        else:
            shown = [null if item is None else item for item in part]
            joined.append(separator.join(item for item in shown if item is not None))
    return pa.array(joined, pa.string())


def _resolve_array_to_string(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    if len(args) not in (2, 3) or args[0].type.kind is not Kind.ARRAY:
        names = ", ".join("unknown" if u else base_name(a.type) for a, u in zip(args, unknown, strict=True))
        raise UndefinedFunction(f"function array_to_string({names}) does not exist")
    rest = tuple(
        coerce_unknown(arg, TEXT) if flag else cast_to(arg, as_kind(arg.type, Kind.TEXT))
        for arg, flag in zip(args[1:], unknown[1:], strict=True)
    )
    return Call("array_to_string", (args[0], *rest), TEXT, True)


def _array_length(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    lengths = as_array(args[0], info.length).value_lengths()
    dimension = as_array(args[1], info.length)
    shown = pc.and_kleene(pc.equal(dimension, 1), pc.greater(lengths, 0))
    return pc.if_else(shown, lengths, pa.scalar(None, pa.int32()))


def _cardinality(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return as_array(args[0], info.length).value_lengths()


FUNCTIONS: tuple[Function, ...] = (
    Function("format_type", (Overload((OID, INT4), TEXT, _format_types, strict=False),)),
    Function("quote_ident", (Overload((TEXT,), TEXT, rowwise(quote_ident)),)),
    _resolve_quote("quote_literal"),
    _resolve_quote("quote_nullable"),
    Function(
        "array_to_string",
        (Overload(None, TEXT, _array_to_string, strict=False),),
        resolver=_resolve_array_to_string,
    ),
    Function(
        "array_length", (Overload((array_of(TEXT), INT4), INT4, _array_length, strict=True, nullable=True),)
    ),
    Function("cardinality", (Overload((array_of(TEXT),), INT4, _cardinality),)),
)
