"""Functions that make documents of SQL values: to_jsonb, jsonb_build_object, jsonb_build_array."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import UndefinedFunction, Unsupported
from ....repr.types import JSONB, NESTED, TEXT, Kind, ScalarType
from ...coercion.casts import cast_array
from ...coercion.literals import coerce_unknown
from ...columns.blank_padding import padded
from ...columns.row_errors import Evaluated, listed_errors
from ...datetimes.datetime_input import InputError
from ...jsonb.columns import parse_column, within_depth
from ...jsonb.document import encode, in_order, load
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Scalar
from .build import array_of, object_of, to_json

Resolver = Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]


def _parts(args: Sequence[Datum], info: CallInfo) -> list[pa.Array]:
    return [to_json(as_array(d, info.length), t) for d, t in zip(args, info.types, strict=True)]


def _to_jsonb(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    return within_depth(_parts(args, info)[0])


def _element(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """The text of a member: NULL is null."""
    return _parts(args, info)[0].fill_null("null")


def _build_array(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    return within_depth(array_of(_parts(args, info), info.length))


def _build_object(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    keys, values = args[::2], args[1::2]
    shown = [
        to_json(as_array(datum, info.length), type_)
        for datum, type_ in zip(values, info.types[1::2], strict=True)
    ]
    names = [names_of(datum, type_, info.length) for datum, type_ in zip(keys, info.types[::2], strict=True)]
    if all(isinstance(datum, pa.Scalar) and datum.is_valid for datum in keys):
        return within_depth(object_of([name[0].as_py() for name in names], shown, info.length))
    return _objects(names, shown)


def names_of(datum: Datum, type_: ScalarType, length: int) -> pa.Array:
    """The texts of keys; of a scalar one."""
    array = as_array(datum, 1 if isinstance(datum, pa.Scalar) else length)
    if type_.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):  # as PostgreSQL prints the value, not as a cast does
        return pc.utf8_trim(to_json(array, type_), '"')
    if type_.kind is Kind.BPCHAR:
        return padded(array, type_)
    return cast_array(array, type_, TEXT).values


def _objects(names: Sequence[pa.Array], shown: Sequence[pa.Array]) -> Evaluated:
    """Objects whose keys differ from row to row."""
    length = len(shown[0])
    keys = [name.to_pylist() * (length if len(name) == 1 else 1) for name in names]
    columns = [column.to_pylist() for column in shown]
    results: list[str | None] = []
    failures: list[tuple[int, str, str]] = []
    for row in range(length):
        found: dict[str, object] = {}
        try:
            for place, (key, column) in enumerate(zip(keys, columns, strict=True)):
                if key[row] is None:
                    raise InputError("22023", f"argument {2 * place + 1}: key must not be null")
                text = column[row]
                found[key[row]] = None if text is None else load(text)
            results.append(encode(in_order(found)))
        except InputError as error:
            results.append(None)
            failures.append((row, error.sqlstate, error.message))
    return Evaluated(pa.array(results, pa.string()), listed_errors(failures))


def _member(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """`"key": value`, a member of what jsonb_object_agg makes; the key may not be NULL."""
    key = names_of(args[0], info.types[0], info.length)
    names = pa.repeat(key[0], info.length) if isinstance(args[0], pa.Scalar) else key
    shown = to_json(as_array(args[1], info.length), info.types[1]).fill_null("null")
    members: list[str | None] = []
    failures: list[tuple[int, str, str]] = []
    for row, (name, value) in enumerate(zip(names.to_pylist(), shown.to_pylist(), strict=True)):
        if name is None:
            members.append(None)
            failures.append((row, "22023", "field name must not be null"))
        else:
            members.append(f"{encode(name)}: {value}")
    return Evaluated(pa.array(members, pa.string()), listed_errors(failures))


def _listed(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The array of elements that are joined already; NULL of no rows."""
    return within_depth(pc.binary_join_element_wise("[", as_array(args[0], info.length), "]", ""))


def _collected(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    """The object of members that are joined already, each key once."""
    return parse_column(pc.binary_join_element_wise("{", as_array(args[0], info.length), "}", ""))


def typed(args: Sequence[Scalar], unknown: Sequence[bool]) -> tuple[Scalar, ...]:
    """Untyped literals as texts."""
    return tuple(coerce_unknown(arg, TEXT) if flag else arg for arg, flag in zip(args, unknown, strict=True))


def _holds_json(type_: ScalarType) -> bool:
    leaf = type_.leaf
    return leaf.kind is Kind.JSON or any(_holds_json(field) for _, field in leaf.fields)


def refuse_json(args: Sequence[Scalar]) -> None:
    """A `json` in a document would have to be parsed; a cast says so."""
    if any(_holds_json(arg.type) for arg in args):
        raise Unsupported("json within jsonb is not supported", hint="Cast it to jsonb.")


def _resolve(name: str) -> Resolver:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        if name == "jsonb_build_object" and len(args) % 2:
            raise UndefinedFunction(
                "argument list must have even number of elements",
                sqlstate="22023",
                hint="The arguments of jsonb_build_object() must consist of alternating keys and values.",
            )
        found = typed(args, unknown)
        refuse_json(found)
        if name == "jsonb_build_object":
            for arg in found[::2]:
                if arg.type.kind in NESTED | {Kind.JSONB}:
                    raise UndefinedFunction(
                        "key value must be scalar, not array, composite, or json", sqlstate="22023"
                    )
        return Call(name, found, JSONB, False)

    return resolve


def _resolve_to_jsonb(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    if len(args) != 1:
        raise UndefinedFunction("function to_jsonb takes one argument")
    if unknown[0]:
        raise UndefinedFunction(
            "could not determine polymorphic type because input has type unknown", sqlstate="42804"
        )
    refuse_json(args)
    return Call("to_jsonb", args, JSONB, args[0].nullable)


FUNCTIONS: tuple[Function, ...] = (
    Function("to_jsonb", (Overload(None, JSONB, _to_jsonb, can_fail=True),), resolver=_resolve_to_jsonb),
    Function(
        "jsonb_build_object",
        (Overload(None, JSONB, _build_object, can_fail=True, strict=False),),
        resolver=_resolve("jsonb_build_object"),
    ),
    Function(
        "jsonb_build_array",
        (Overload(None, JSONB, _build_array, can_fail=True, strict=False),),
        resolver=_resolve("jsonb_build_array"),
    ),
    # What jsonb_agg and jsonb_object_agg are made of, see sql/jsonb_aggregates.py.
    Function("jsonb element", (Overload(None, TEXT, _element, strict=False),)),
    Function("jsonb member", (Overload(None, TEXT, _member, can_fail=True, strict=False),)),
    Function("jsonb of elements", (Overload((TEXT,), JSONB, _listed, can_fail=True),)),
    Function("jsonb of members", (Overload((TEXT,), JSONB, _collected, can_fail=True),)),
)
