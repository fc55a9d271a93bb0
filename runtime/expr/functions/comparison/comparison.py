"""Comparison: = <> < <= > >=, IS [NOT] DISTINCT FROM, IN, = ANY, IS NULL, nullif, greatest, least.

Both sides are brought to one type, then compared by Arrow.  Floats differ from Arrow: NaN equals NaN and is
greater than everything else.  Text compares by bytes (collation C).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import DatatypeMismatch, UndefinedFunction
from ....repr import intervals
from ....repr.buffers import present, validity
from ....repr.order import sql_ranks
from ....repr.types import (
    BOOL,
    BPCHAR,
    BPCHAR_KEY,
    BYTEA,
    CHAR,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NESTED,
    NUMERIC,
    OID,
    RANGES,
    SEQUENCES,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT2,
    UINT4,
    UINT8,
    UUID,
    Kind,
    ScalarType,
    array_of,
    list_of,
    map_of,
    record_of,
)
from ...coercion.casts import cast_array
from ...coercion.comparands import comparands
from ...coercion.literals import cast_to, coerce_unknown
from ...coercion.type_rules import base_name, common_type, compared_type
from ...columns.arrays import array_of_numpy, both_valid
from ...columns.blank_padding import is_padded
from ...columns.row_errors import Mask
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload, as_array
from ...tree.scalar import Call, Literal, Scalar
from .comparison_keys import order_keys as document_keys
from .comparison_keys import refuse_records

Compare = Callable[[Any, Any], Any]
_NO_OPERATOR = (
    "No operator matches the given name and argument types. You might need to add explicit type casts."
)

_MIRRORED: dict[str, Compare] = {
    "eq": pc.equal,
    "ne": pc.not_equal,
    "lt": pc.less,
    "le": pc.less_equal,
    "gt": pc.greater,
    "ge": pc.greater_equal,
}
OPERATOR_SIGNS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def _common(types: Sequence[ScalarType]) -> ScalarType:
    """The type in which two comparable types are compared exactly."""
    left, right = types
    if left.kind is right.kind is Kind.NUMERIC and left.scale is not None and right.scale is not None:
        # Scales are aligned only where no digit can be lost before the point.
        if left.scale == right.scale:
            return left
        return NUMERIC
    return _widened(common_type(types), types)


def _widened(common: ScalarType, types: Sequence[ScalarType]) -> ScalarType:
    """A real is compared with any other number as double precision, as PostgreSQL's operators do."""
    mixed = common.is_float and any(type_.kind is not common.kind for type_ in types)
    return FLOAT8 if mixed else common


def aligned(args: Sequence[Datum], types: Sequence[ScalarType]) -> tuple[Datum, Datum, ScalarType]:
    """Both data in one Arrow type in which they compare as their SQL types do."""
    left, right = args
    if types[0].arrow == types[1].arrow:
        return left, right, types[1] if is_padded(types[1]) else types[0]
    if types[0].kind is types[1].kind is Kind.NUMERIC:
        if isinstance(right, pa.Scalar) and (held := _as_stored(right, types[0])) is not None:
            return left, held, types[0]
        if isinstance(left, pa.Scalar) and (held := _as_stored(left, types[1])) is not None:
            return held, right, types[1]
    target = _common(types)
    return _as(left, types[0], target), _as(right, types[1], target), target


def _as_stored(value: pa.Scalar, type_: ScalarType) -> pa.Scalar | None:
    """One numeric in the form of a column of them, which need not be cast then; None if it has digits that these cannot have."""
    try:
        return value.cast(type_.arrow)
    except pa.ArrowInvalid:
        return None


_SIGNED = frozenset({Kind.INT2, Kind.INT4, Kind.INT8})


def _as(datum: Datum, source: ScalarType, target: ScalarType) -> Datum:
    if source.arrow == target.arrow:
        return datum
    if source.kind is Kind.DATE:  # a date beyond the range of timestamps still compares: clamp it
        if isinstance(datum, pa.Scalar):
            return cast_array(as_array(datum, 1), source, target).values[0]
        return _date_as_timestamp(datum, source, target)
    if source.kind is Kind.NUMERIC and target.kind is Kind.NUMERIC:
        return datum.cast(target.arrow)
    if isinstance(datum, pa.Scalar) and source.kind in _SIGNED and target.kind in _SIGNED:
        return datum.cast(target.arrow)  # the target has all values of the source
    if isinstance(datum, pa.Scalar):
        return cast_array(as_array(datum, 1), source, target).values[0]
    return cast_array(datum, source, target).values


def _date_as_timestamp(array: pa.Array, source: ScalarType, target: ScalarType) -> pa.Array:
    cast = cast_array(array, source, target)
    if cast.errors is None:
        return cast.values
    last = pa.scalar(np.iinfo(np.int64).max, pa.int64())
    return pc.coalesce(cast.values.view(pa.int64()), pc.if_else(array.is_valid(), last, None)).view(
        target.arrow
    )


def compare(name: str, left: Datum, right: Datum, type_: ScalarType) -> pa.Array:
    """bool[n]: the comparison `name` of two data of one type."""
    left, right = document_keys(left, type_), document_keys(right, type_)
    if type_.kind in NESTED:
        return _compare_arrays(name, left, right)
    if type_.kind is Kind.INTERVAL:
        return _compare_spans(name, left, right)
    if not type_.is_float:
        return _MIRRORED[name](left, right)
    result = _MIRRORED[name](left, right)
    left_nan, right_nan = pc.is_nan(left), pc.is_nan(right)
    if not (_any(left_nan) or _any(right_nan)):
        return result
    # NaN as a rank above all numbers: compare the ranks where either side is NaN.
    ranked = _MIRRORED[name](left_nan.cast(pa.int8()), right_nan.cast(pa.int8()))
    return pc.if_else(pc.or_(left_nan, right_nan), ranked, result)


_NUMPY_COMPARE: dict[str, Compare] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


def _compare_spans(name: str, left: Datum, right: Datum) -> pa.Array:
    """Intervals by their spans: by days, and where these are equal by the rest of a day."""
    length = len(left) if isinstance(left, pa.Array) else len(right)
    a, b = as_array(left, length), as_array(right, length)
    (days, rest), (other_days, other_rest) = intervals.spans(a), intervals.spans(b)
    tied = days == other_days
    compared: Any = _NUMPY_COMPARE[name]
    result: Mask = np.where(tied, compared(rest, other_rest), compared(days, other_days))
    return array_of_numpy(result, both_valid(validity(a), validity(b)), pa.bool_())


def _any(mask: Datum) -> bool:
    if isinstance(mask, pa.Scalar):
        return mask.as_py() is True
    return pc.any(mask).as_py() is True


def _compare_arrays(name: str, left: Datum, right: Datum) -> pa.Array:
    """Arrays element by element, NULL elements the greatest and equal to each other, then by length."""
    length = len(left) if isinstance(left, pa.Array) else len(right)
    first, second = as_array(left, length), as_array(right, length)
    ranks = sql_ranks(pa.concat_arrays([first, second.cast(first.type)]))
    valid = present(first) & present(second)
    compared = _MIRRORED[name](pa.array(ranks[:length]), pa.array(ranks[length:]))
    return compared if valid.all() else pc.if_else(pa.array(valid), compared, pa.scalar(None, pa.bool_()))


def _comparison(name: str) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        return compare(name, *aligned(args, info.types))

    return kernel


_SAME = (
    BOOL, INT2, INT4, INT8, FLOAT4, FLOAT8, NUMERIC, TEXT, BPCHAR, NAME, CHAR, DATE, TIME, TIMESTAMP, TIMESTAMPTZ, INTERVAL,
    BYTEA, UUID, OID, JSONB, *RANGES, UINT2, UINT4, UINT8, MZ_TIMESTAMP,
)  # fmt: skip
_CROSS_FAMILIES = ((INT2, INT4, INT8), (FLOAT4, FLOAT8), (DATE, TIMESTAMP, TIMESTAMPTZ), (NAME, TEXT))
_PAIRS = [(type_, type_) for type_ in _SAME] + [
    (left, right) for family in _CROSS_FAMILIES for left in family for right in family if left is not right
]


def _resolve_comparison(name: str) -> Function:
    kernel = _comparison(name)
    overloads = [Overload(pair, BOOL, kernel) for pair in _PAIRS]
    overloads += [
        Overload((type_, type_), BOOL, kernel)
        for type_ in (array_of(TEXT), list_of(TEXT), map_of(TEXT), record_of(()))
    ]
    return Function(name, tuple(overloads), OPERATOR_SIGNS[name])


# --- distinct, null ---------------------------------------------------------------------------------------------------


def _is_distinct(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    left, right, type_ = aligned(args, info.types)
    differ = compare("ne", as_array(left, info.length), as_array(right, info.length), type_)
    return pc.coalesce(differ, pc.xor(pc.is_null(left), pc.is_null(right)))


def _is_not_distinct(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pc.invert(_is_distinct(args, info))


def _is_null(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pc.is_null(args[0])


def _is_not_null(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    return pc.is_valid(args[0])


def unify(
    name: str, args: tuple[Scalar, ...], unknown: tuple[bool, ...], sign: str
) -> tuple[tuple[Scalar, ...], ScalarType]:
    """The arguments of an operator over one type, coerced to what `=` would choose for each pair."""
    known = [arg.type for arg, flag in zip(args, unknown, strict=True) if not flag]
    try:
        target = (compared_type(*known) if len(known) == len(args) == 2 else None) or common_type(
            [None if flag else arg.type for arg, flag in zip(args, unknown, strict=True)], name
        )
    except DatatypeMismatch as error:
        first = known[0]
        other = next(t for t in known if base_name(t) != base_name(first))
        raise UndefinedFunction(
            f"operator does not exist: {base_name(first)} {sign} {base_name(other)}",
            hint="No operator matches the given name and argument types. You might need to add explicit type casts.",
        ) from error
    if target.leaf.kind is Kind.JSON:
        shown = base_name(target)
        raise UndefinedFunction(f"operator does not exist: {shown} {sign} {shown}", hint=_NO_OPERATOR)
    refuse_records(target)
    target = TEXT if target.kind is Kind.VARCHAR else _widened(target, known)
    if target.kind is Kind.BPCHAR:
        target = BPCHAR_KEY
    coerced = []
    for arg, flag in zip(args, unknown, strict=True):
        open_type = (
            target
            if target == BPCHAR_KEY
            else ScalarType(target.kind)
            if target.element is None
            else target.unrestricted
        )
        literal = coerce_unknown(arg, open_type) if flag else arg
        coerced.append(literal if _compares_as_is(literal.type, target) else cast_to(literal, target))
    return tuple(coerced), target


def _compares_as_is(source: ScalarType, target: ScalarType) -> bool:
    """Whether a kernel compares the two forms of a type."""
    return source.kind is target.kind is Kind.NUMERIC or (
        source.kind is target.kind is Kind.BPCHAR and not is_padded(source)
    )


def _resolve_distinct(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        coerced, _ = unify(name, args, unknown, "=")
        return Call(name, coerced, BOOL, False)

    return resolve


def _resolve_null_test(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        return Call(name, args, BOOL, False)

    return resolve


PAIRS_AT_ONCE = 1 << 20
"""Rows meet elements of arrays so many pairs at a time."""

# --- IN, ANY, ALL -----------------------------------------------------------------------------------------------------


def _in(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """x IN (a, b, ...): NULL when nothing matches but something is NULL."""
    subject = as_array(args[0], info.length)
    items = args[1:]
    plain = all(isinstance(item, pa.Scalar) for item in items) and len({t.arrow for t in info.types}) == 1
    if plain and _hashable(info.types[0]):
        return _is_in(subject, pa.array(items, subject.type))
    result: Datum = pa.repeat(pa.scalar(False), info.length)
    for item, type_ in zip(items, info.types[1:], strict=True):
        left, right, common = aligned((subject, item), (info.types[0], type_))
        result = pc.or_kleene(result, compare("eq", left, right, common))
    return result


def _hashable(type_: ScalarType) -> bool:
    """Arrow holds the same values of the type equal as SQL does."""
    return (
        not type_.is_float
        and type_.kind not in NESTED
        and type_.kind
        not in (
            Kind.INTERVAL,
            Kind.JSONB,
            Kind.TIME,
        )
        and not is_padded(type_)
    )


def _is_in(subject: pa.Array, items: pa.Array) -> pa.Array:
    """Whether each value is among `items`, as SQL says it: three-valued.  One pass, however many items there are."""
    found = pc.is_in(subject, value_set=items.drop_null())
    unknown = pa.scalar(None, pa.bool_())
    if items.null_count:
        found = pc.if_else(found, found, unknown)
    if not len(items) or subject.null_count == 0:
        return found
    return pc.if_else(subject.is_valid(), found, unknown)


def _resolve_in(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    coerced, target = unify("IN", comparands(args, unknown), unknown, "=")
    if all(isinstance(arg, Literal) for arg in coerced[1:]) and target.kind is not Kind.NUMERIC:
        coerced = (cast_to(coerced[0], target), *coerced[1:])
    return Call("in", coerced, BOOL, any(arg.nullable for arg in coerced))


def _quantified(name: str, every: bool) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        """x op ANY (array), op ALL (array): over the elements of each row's array."""
        subject = as_array(args[0], info.length)
        element = info.types[1].element
        assert element is not None
        array = args[1]
        if isinstance(array, pa.Scalar):
            if not array.is_valid:
                return pa.nulls(info.length, pa.bool_())
            one = name == ("ne" if every else "eq")
            if one and element.arrow == info.types[0].arrow and _hashable(element):
                found = _is_in(subject, array.values)
                return pc.invert(found) if every else found
        return in_pieces(subject, array, info, element)

    def in_pieces(subject: pa.Array, array: Datum, info: CallInfo, element: ScalarType) -> pa.Array:
        """Every row meets every element of its array: so many pairs at a time."""
        lists = as_array(array, info.length)
        pairs = np.cumsum(lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False), dtype=np.int64)
        total = int(pairs[-1]) if len(pairs) else 0
        if total <= PAIRS_AT_ONCE:
            return over(subject, lists, info.types[0], element)
        cuts = np.unique(
            np.append(pairs.searchsorted(np.arange(PAIRS_AT_ONCE, total, PAIRS_AT_ONCE), "right"), len(pairs))
        )
        pieces = [
            over(subject[start:stop], lists[start:stop], info.types[0], element)
            for start, stop in pairwise((0, *cuts.tolist()))
        ]
        return pa.concat_arrays(pieces)

    def over(subject: pa.Array, lists: pa.Array, left_type: ScalarType, element: ScalarType) -> pa.Array:
        counts = lists.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
        owners = np.repeat(np.arange(len(subject)), counts)
        left, right, type_ = aligned((subject.take(pa.array(owners)), lists.flatten()), (left_type, element))
        matches = compare(name, left, right, type_)
        hits = matches.fill_null(every).to_numpy(zero_copy_only=False)
        decisive = np.zeros(len(subject), np.bool_)
        decisive[owners[hits != every]] = True
        unclear = np.zeros(len(subject), np.bool_)
        unclear[owners[~present(matches)]] = True
        result = np.where(decisive, not every, every)
        missing = (unclear & ~decisive) | ~present(lists)
        return pa.array(result, mask=missing)

    return kernel


def _resolve_quantified(full_name: str, name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        subject, array = args
        if unknown[1]:
            element = TEXT if unknown[0] else ScalarType(subject.type.kind)
            array = coerce_unknown(array, array_of(element))
        if array.type.kind not in SEQUENCES or array.type.element is None:
            raise DatatypeMismatch("op ANY/ALL (array) requires array on right side", sqlstate="42809")
        pair, target = unify(
            "ANY", (subject, Literal(None, array.type.element)), (unknown[0], False), OPERATOR_SIGNS[name]
        )
        if target.kind is not array.type.element.kind or is_padded(array.type.element):
            array = cast_to(array, ScalarType(array.type.kind, element=target))
        return Call(full_name, (pair[0], array), BOOL, True)

    return resolve


# --- nullif, greatest, least ------------------------------------------------------------------------------------------


def _nullif(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    subject = as_array(args[0], info.length)
    left, right, type_ = aligned((subject, args[1]), info.types)
    equal = compare("eq", left, right, type_).fill_null(False)
    return pc.if_else(equal, pa.scalar(None, subject.type), subject)


def _resolve_nullif(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
    if len(args) != 2:
        raise UndefinedFunction("NULLIF takes two arguments", sqlstate="42601")
    coerced, _ = unify("NULLIF", args, unknown, "=")
    kinds = {arg.type.kind for arg in args}
    direct = any(kinds <= {type_.kind for type_ in family} for family in (*_CROSS_FAMILIES, (NUMERIC,)))
    direct = direct or args[0].type.is_float or kinds == {Kind.BPCHAR}
    if not any(unknown) and direct and args[0].type.kind is not Kind.NAME:
        # An operator exists for these two types as they are: the result keeps the first one.
        return Call("nullif", (args[0], coerced[1]), args[0].type, True)
    if coerced[0].type == BPCHAR_KEY:  # compared without the blanks that the result has
        first = coerce_unknown(args[0], BPCHAR) if unknown[0] else cast_to(args[0], BPCHAR)
        return Call("nullif", (first, coerced[1]), BPCHAR, True)
    return Call("nullif", coerced, coerced[0].type, True)


def _extreme(name: str) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        """The greatest or least argument that is not NULL."""
        best = as_array(args[0], info.length)
        for datum in args[1:]:
            other = as_array(datum, info.length)
            better = compare("gt" if name == "greatest" else "lt", other, best, info.result)
            take = pc.coalesce(better, pc.is_null(best))
            best = pc.if_else(take, other, best)
        return best

    return kernel


def _resolve_extreme(name: str) -> Callable[[tuple[Scalar, ...], tuple[bool, ...]], Call]:
    def resolve(args: tuple[Scalar, ...], unknown: tuple[bool, ...]) -> Call:
        target = common_type(
            [None if flag else arg.type for arg, flag in zip(args, unknown, strict=True)], name.upper()
        )
        if target.leaf.kind is Kind.JSON:
            raise UndefinedFunction(f"could not identify a comparison function for type {base_name(target)}")
        coerced = tuple(
            cast_to(coerce_unknown(arg, target) if flag else arg, target)
            for arg, flag in zip(args, unknown, strict=True)
        )
        return Call(name, coerced, target, all(arg.nullable for arg in coerced))

    return resolve


def _any_overload(kernel: Kernel, *, strict: bool, result: ScalarType = BOOL) -> tuple[Overload, ...]:
    return (Overload(None, result, kernel, strict=strict),)


FUNCTIONS: tuple[Function, ...] = (
    *(_resolve_comparison(name) for name in _MIRRORED),
    Function("is_null", _any_overload(_is_null, strict=False), resolver=_resolve_null_test("is_null")),
    Function(
        "is_not_null", _any_overload(_is_not_null, strict=False), resolver=_resolve_null_test("is_not_null")
    ),
    Function(
        "is_distinct_from",
        _any_overload(_is_distinct, strict=False),
        resolver=_resolve_distinct("is_distinct_from"),
    ),
    Function(
        "is_not_distinct_from",
        _any_overload(_is_not_distinct, strict=False),
        resolver=_resolve_distinct("is_not_distinct_from"),
    ),
    Function("in", _any_overload(_in, strict=False), "=", _resolve_in),
    *(
        Function(
            f"{prefix}_{name}",
            _any_overload(_quantified(name, prefix == "all"), strict=False),
            OPERATOR_SIGNS[name],
            _resolve_quantified(f"{prefix}_{name}", name),
        )
        for prefix in ("any", "all")
        for name in _MIRRORED
    ),
    Function("nullif", _any_overload(_nullif, strict=False), resolver=_resolve_nullif),
    *(
        Function(name, _any_overload(_extreme(name), strict=False), resolver=_resolve_extreme(name))
        for name in ("greatest", "least")
    ),
)
__all__ = ["FUNCTIONS", "aligned", "compare"]
