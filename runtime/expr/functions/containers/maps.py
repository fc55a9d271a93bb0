"""Functions and operators of Materialize's maps, from texts to values of one type; see expr/columns/maps.py for how they are kept."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import UndefinedFunction
from ....repr.buffers import fields, present, truth
from ....repr.order import sql_ranks
from ....repr.types import BOOL, INT4, TEXT, Kind, ScalarType, array_of, list_of, map_of
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import CastContext, base_name, can_cast, common_type
from ...columns.lists import Ints, counts_of, list_array, owners_of, zipped
from ...columns.maps import keyed
from ...columns.row_errors import Mask
from ...tree.function import CallInfo, Datum, Function, Overload, as_array
from ...tree.scalar import Call, Scalar
from ..comparison.comparison_keys import equality_keys
from .arrays import undefined

_TEXTS = array_of(TEXT)
OPERATORS = frozenset(("->", "?", "?&", "?|"))
"""Signs that are a map's where the left side is one; `@>` and `<@` are so on either side, see containment.py."""


def resolve_map_operator(sign: str, args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """`map -> text`, `?`, `?&`, `?|`, `@>` and `<@`; an untyped literal is what the other side asks for."""
    left, right = args
    if sign in ("@>", "<@"):
        return _containment(sign, args, unknown)
    wanted = TEXT if sign in ("->", "?") else _TEXTS
    if not unknown[1] and not (
        right.type == wanted
        or can_cast(right.type, wanted, CastContext.IMPLICIT)
        or (wanted == _TEXTS and right.type == list_of(TEXT))
    ):
        raise _undefined(sign, args, unknown)
    if unknown[1]:
        keys = coerce_unknown(right, wanted)
    else:
        keys = right if right.type.element is not None else cast_to(right, wanted)
    assert left.type.element is not None
    if sign == "->":
        return Call("map ->", (left, keys), left.type.element, True)
    return Call(f"map {sign}", (left, keys), BOOL, left.nullable or keys.nullable)


def _undefined(sign: str, args: Sequence[Scalar], unknown: Sequence[bool]) -> UndefinedFunction:
    types = ["unknown" if flag else base_name(arg.type) for arg, flag in zip(args, unknown, strict=True)]
    return UndefinedFunction(
        f"operator does not exist: {types[0]} {sign} {types[1]}",
        hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
    )


def _containment(sign: str, args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    known = [arg.type for arg, flag in zip(args, unknown, strict=True) if not flag]
    if any(type_.kind is not Kind.MAP for type_ in known):
        raise _undefined(sign, args, unknown)
    target = common_type(known, sign).unrestricted
    both = tuple(
        coerce_unknown(arg, target) if flag else cast_to(arg, target)
        for arg, flag in zip(args, unknown, strict=True)
    )
    return Call(f"map {sign}", both, BOOL, any(arg.nullable for arg in both))


# --- making ----------------------------------------------------------------------------------------------------------


def _resolve_made(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """MAP[...] of keys and values by turns, the values of one type by now."""
    return Call("map of", args, map_of(args[1].type), False)


def _made(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    keys = zipped([as_array(datum, info.length) for datum in args[::2]])
    values = zipped([as_array(datum, info.length) for datum in args[1::2]])
    pairs = pa.StructArray.from_arrays(
        [keys.flatten(), values.flatten()], fields=list(info.result.entry.arrow)
    )
    return keyed(list_array(pairs, counts_of(keys)))


def _resolve_collected(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    """A map of a list or an array of records of a text and a value."""
    (entries,) = args
    return Call("map of entries", args, map_of(value_type(entries.type)), entries.nullable)


def value_type(entries: ScalarType) -> ScalarType:
    """What a list of entries maps to."""
    assert entries.element is not None
    return entries.element.fields[1][1]


def _collected(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return keyed(as_array(args[0], info.length))


def _resolve_build(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    element = args[0].type.element if len(args) == 1 and not unknown[0] else None
    if element is None or args[0].type.kind is not Kind.LIST or element.kind is not Kind.RECORD:
        raise undefined("map_build", args, unknown)
    if len(element.fields) != 2 or not element.fields[0][1].is_string_category:
        raise UndefinedFunction(
            "function map_build takes a list of records of a text and a value",
            hint="Write map_build(LIST[ROW('a', 1), ROW('b', 2)]).",
        )
    wanted = list_of(map_of(element.fields[1][1]).entry)
    return _resolve_collected((cast_to(args[0], wanted),), unknown)


# --- looking ---------------------------------------------------------------------------------------------------------


def _parts(maps: pa.Array) -> tuple[Ints, pa.Array, pa.Array]:
    """The owner, the key and the value of every entry."""
    keys, values = fields(maps.flatten())
    return owners_of(counts_of(maps)), keys, values


def _get(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    maps, wanted = (as_array(datum, info.length) for datum in args)
    owners, keys, values = _parts(maps)
    found = np.flatnonzero(truth(pc.equal(keys, wanted.take(pa.array(owners)))))
    places = np.zeros(info.length, np.int64)
    missing = np.ones(info.length, np.bool_)
    places[owners[found]] = found
    missing[owners[found]] = False
    return values.take(pa.array(places, mask=missing))


def _exists(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    maps, wanted = (as_array(datum, info.length) for datum in args)
    owners, keys, _ = _parts(maps)
    same = truth(pc.equal(keys, wanted.take(pa.array(owners))))
    result = np.zeros(info.length, np.bool_)
    result[owners[same]] = True
    return pa.array(result, mask=~(present(maps) & present(wanted)))


def _among(owners: Ints, values: pa.Array, others: Ints, wanted: pa.Array) -> Mask:
    """Which of `wanted` are, not NULL, among the `values` of the same owner."""
    codes = sql_ranks(pa.concat_arrays([values, wanted]))
    width = int(codes.max(initial=0)) + 1
    there = np.isin(others * width + codes[len(values) :], owners * width + codes[: len(values)])
    found: Mask = there & present(wanted)
    return found


def _exists_all(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    maps, wanted = (as_array(datum, info.length) for datum in args)
    owners, keys, _ = _parts(maps)
    others = owners_of(counts_of(wanted))
    result = np.ones(info.length, np.bool_)
    result[others[~_among(owners, keys, others, wanted.flatten())]] = False
    return pa.array(result, mask=~(present(maps) & present(wanted)))


def _exists_any(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    maps, wanted = (as_array(datum, info.length) for datum in args)
    owners, keys, _ = _parts(maps)
    others = owners_of(counts_of(wanted))
    result = np.zeros(info.length, np.bool_)
    result[others[_among(owners, keys, others, wanted.flatten())]] = True
    return pa.array(result, mask=~(present(maps) & present(wanted)))


def _contains(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """Every entry of the right one is one of the left one; values are equal as `=` says, and NULLs are."""
    left, right = (equality_keys(as_array(datum, info.length), info.types[0]) for datum in args)
    owners, others = owners_of(counts_of(left)), owners_of(counts_of(right))
    result = np.ones(info.length, np.bool_)
    result[others[~_among(owners, left.flatten(), others, right.flatten())]] = False
    return pa.array(result, mask=~(present(left) & present(right)))


def _contained(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return _contains((args[1], args[0]), info)


def _length(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return as_array(args[0], info.length).value_lengths()


Resolver = Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]


def _operator(sign: str) -> Resolver:
    return lambda args, unknown: resolve_map_operator(sign, args, unknown)


FUNCTIONS: tuple[Function, ...] = (
    Function("map of", (Overload(None, TEXT, _made, strict=False, nullable=False),), None, _resolve_made),
    Function("map of entries", (Overload(None, TEXT, _collected),), None, _resolve_collected),
    Function("map_build", (Overload(None, TEXT, _collected),), None, _resolve_build),
    *(
        Function(f"map {sign}", (Overload(None, TEXT, kernel, nullable=True),), sign, _operator(sign))
        for sign, kernel in (
            ("->", _get),
            ("?", _exists),
            ("?&", _exists_all),
            ("?|", _exists_any),
            ("@>", _contains),
            ("<@", _contained),
        )
    ),
    Function("map_length", (Overload((map_of(TEXT),), INT4, _length),)),
)
