"""Choosing the parts of stored inputs that a one-off query has to read: the query's side of `persist.pushdown`.

What stands directly above an input in the optimized query, and compares columns with constants, leaves parts unread by
their statistics, provided that no predicate there can fail: the error of a row that another predicate drops is one of the
answer.  An input that stands in several places is read for all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ...expr.evaluate import can_fail
from ...expr.tree.relation import Filter, Get, GlobalId, Relation
from ...expr.tree.relation_tree import inputs
from ...expr.tree.scalar import And, Call, Cast, ColumnRef, Literal, Scalar
from ...persist.key_search import KeySearch
from ...persist.part import PartRef
from ...persist.part_stats import bounds_of
from ...persist.pushdown import Comparison, Condition, wanted
from ...repr.schema import Schema
from ...repr.types import Kind, ScalarType

Conditions = tuple[Condition, ...]

FilteredRead = tuple[GlobalId, tuple[Scalar, ...]]
"""An input, and what is true of its rows that count: the predicates directly above it, or none if one of them can fail."""

Search = KeySearch
"""Which rows of an input are asked for by the values of some columns.  Nobody looks into it but storage."""

_COMPARISONS = {
    "eq": Comparison.EQ,
    "lt": Comparison.LT,
    "le": Comparison.LE,
    "gt": Comparison.GT,
    "ge": Comparison.GE,
}
_MIRRORED = {
    Comparison.EQ: Comparison.EQ,
    Comparison.LT: Comparison.GT,
    Comparison.LE: Comparison.GE,
    Comparison.GT: Comparison.LT,
    Comparison.GE: Comparison.LE,
}
_TESTS = {"is_null": Comparison.IS_NULL, "is_not_null": Comparison.IS_NOT_NULL}
_TEXTS = frozenset({Kind.TEXT, Kind.VARCHAR})
_MOMENTS = frozenset({Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
"""They are compared as if all were in UTC: what depends on a session's zone has casts."""

DAY_US = 86_400_000_000

LONG = 4096
"""Of a longer text no condition is made: parts keep the beginnings of texts, and to look at all of it takes time."""


def part_conditions(reads: Sequence[FilteredRead]) -> dict[GlobalId, tuple[Conditions, ...]]:
    """For each input what is asked of its rows, once for each place where it stands: all conditions of one of these are true of
    every row that counts."""
    found: dict[GlobalId, tuple[Conditions, ...]] = {}
    for id_, predicates in reads:
        found[id_] = (*found.get(id_, ()), tuple(_conditions(predicates)))
    return found


def needed(
    parts: Sequence[PartRef], schema: Schema, places: Sequence[Conditions] | None
) -> tuple[PartRef, ...]:
    """The parts of an input, of which `places` is what `part_conditions` says, that have to be read."""
    if places is None or not all(places):
        return tuple(parts)
    kept = {id(part) for conditions in places for part in wanted(parts, schema, conditions)}
    return tuple(part for part in parts if id(part) in kept)


def filtered_reads(relation: Relation) -> tuple[FilteredRead, ...]:
    """Each input of an optimized relation, once for each place where it stands."""
    return tuple(_reads(relation, ()))


def _reads(relation: Relation, predicates: tuple[Scalar, ...]) -> Iterator[FilteredRead]:
    match relation:
        case Get(id=id_):
            yield id_, () if any(map(can_fail, predicates)) else predicates
        case Filter(input=below, predicates=own):
            yield from _reads(below, predicates + own)
        case _:
            for below in inputs(relation):
                yield from _reads(below, ())


def search(places: tuple[int, ...], keys: Sequence[pa.Array]) -> Search:
    """For rows whose columns at `places` are, all together, a row of `keys`."""
    return KeySearch.of(places, keys)


def _conditions(predicates: Sequence[Scalar]) -> Iterator[Condition]:
    for predicate in predicates:
        match predicate:
            case And(args=args):
                yield from _conditions(args)
            case Call(function=function, args=(left, Literal(value=value, type=type_))) if (
                function in _COMPARISONS
            ):
                yield from _compared(left, (_COMPARISONS[function],), [value], type_)
            case Call(function=function, args=(Literal(value=value, type=type_), right)) if (
                function in _COMPARISONS
            ):
                yield from _compared(right, (_MIRRORED[_COMPARISONS[function]],), [value], type_)
            case Call(function="in", args=(left, *items)):
                literals = [item for item in items if isinstance(item, Literal)]
                if len(literals) == len(items) and len({item.type for item in literals}) == 1:
                    yield from _one_of(left, [item.value for item in literals], literals[0].type)
            case Call(function="any_eq", args=(left, Literal(value=list() as values, type=array))):
                assert array.element is not None
                yield from _one_of(left, values, array.element)
            case Call(function=function, args=(ColumnRef(index=index),)) if function in _TESTS:
                yield Condition(index, _TESTS[function])
            case _:
                pass


def _one_of(expression: Scalar, values: Sequence[Any], type_: ScalarType) -> Iterator[Condition]:
    """`expression` is between the least and the greatest of `values`.  NULL equals nothing."""
    there = [value for value in values if value is not None]
    if there:
        yield from _compared(expression, (Comparison.GE, Comparison.LE), there, type_)


def _compared(
    expression: Scalar, comparisons: Sequence[Comparison], values: Sequence[Any], type_: ScalarType
) -> Iterator[Condition]:
    """`expression` compared with one of `values`, the least of them for `>=`, the greatest for `<=`."""
    column = _column(expression)
    if column is None or None in values:
        return
    if not pa.types.is_primitive(type_.arrow) and any(
        isinstance(v, str | bytes) and len(v) > LONG for v in values
    ):
        return
    bounds = bounds_of(pa.array(values, type_.arrow))
    if bounds is not None:
        least, greatest = bounds
        for comparison in comparisons:
            upwards = comparison in (Comparison.GE, Comparison.GT)
            for asked, bound in _as_of_column(column.type, comparison, least if upwards else greatest, type_):
                yield Condition(column.index, asked, bound)


def _as_of_column(
    wanted: ScalarType, comparison: Comparison, bound: Any, type_: ScalarType
) -> Iterator[tuple[Comparison, Any]]:
    """What `comparison` with a bound of `type_` says of a column of the type `wanted`, whose statistics may count in another unit; nothing
    where the two are not known to be in one order."""
    if _scale(wanted) == _scale(type_):
        yield comparison, bound
    elif {wanted.kind, type_.kind} <= _MOMENTS and _is_finite(bound, type_):
        if type_.kind is Kind.DATE:
            if _is_finite(bound * DAY_US, wanted):
                yield comparison, bound * DAY_US
            return
        day, rest = divmod(bound, DAY_US)
        if comparison in (Comparison.GT, Comparison.LE):
            yield comparison, day
        elif comparison in (Comparison.GE, Comparison.LT):
            yield comparison, day + (rest > 0)
        else:
            yield Comparison.GE, day + (rest > 0)  # of another moment than midnight, no day at all
            yield Comparison.LE, day


def _scale(type_: ScalarType) -> object:
    """Types of one scale have values that are compared by their statistics' bounds as they are."""
    if type_.is_integer or type_.kind is Kind.NUMERIC:
        return "numbers"
    if type_.is_float:
        return "floats"
    if type_.kind in _TEXTS:
        return "texts"
    return "microseconds" if type_.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) else type_.kind


def _is_finite(bound: int, type_: ScalarType) -> bool:
    """Whether it is a moment, and neither infinity nor beyond what the type has."""
    most = np.iinfo(np.int32 if type_.kind is Kind.DATE else np.int64)
    return bool(most.min < bound < most.max)


def _column(expression: Scalar) -> ColumnRef | None:
    """The column that the expression is, cast at most to a type that has all its values, in their order."""
    if isinstance(expression, ColumnRef):
        return expression
    if isinstance(expression, Cast) and isinstance(expression.arg, ColumnRef) and not can_fail(expression):
        before, after = expression.arg.type, expression.type
        if before.is_integer and (after.is_integer or after.kind is Kind.NUMERIC):
            return expression.arg
        if before.kind is after.kind is Kind.NUMERIC and _keeps_digits(before, after):
            return expression.arg
        if before.kind in _TEXTS and after.kind in _TEXTS and after.length is None:
            return expression.arg
    return None


def _keeps_digits(before: ScalarType, after: ScalarType) -> bool:
    return before.scale is not None and (after.scale is None or after.scale >= before.scale)
