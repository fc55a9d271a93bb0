"""Expressions that a filter fixes to some literals: by these, rows are looked up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from ...expr.functions.comparison.comparison_keys import has_keys
from ...expr.tree.scalar import And, Call, Cast, Literal, Or, Scalar
from ...repr.order import sql_ranks
from ...repr.types import Kind, ScalarType

MOST_KEYS = 100_000
"""More keys than this are not looked up: all rows are read."""

_EXACT = frozenset(
    {Kind.BOOL, Kind.TEXT, Kind.VARCHAR, Kind.BYTEA, Kind.UUID, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
    | {Kind.MZ_TIMESTAMP}
)
"""Beside integers: kinds of which equal values have one form."""


def combinations(keys: tuple[Scalar, ...], values: list[pa.Array]) -> tuple[pa.Array, ...] | None:
    """Every key that the predicates allow, a column each; None when they are too many to be looked up."""
    count = math.prod(map(len, values))
    if count > MOST_KEYS:
        return None
    if len(keys) == 1:
        return (values[0].cast(keys[0].type.arrow),)
    columns = []
    inner = count
    for key, allowed in zip(keys, values, strict=True):
        inner //= max(len(allowed), 1)
        places = np.arange(count) // max(inner, 1) % max(len(allowed), 1)
        columns.append(allowed.cast(key.type.arrow).take(pa.array(places)))
    return tuple(columns)


@dataclass(frozen=True, slots=True)
class Fixed:
    """An expression is one of `values` where `predicate` holds; `alone`: and only there.  They are of its type, distinct and none of them NULL;
    integers in ascending order."""

    values: pa.Array
    predicate: Scalar
    alone: bool = True


def fixed_values(parts: Sequence[Scalar], most: int = MOST_KEYS) -> dict[Scalar, Fixed]:
    """Expressions that one of the predicates fixes to a few literals of their own type, lists of more than `most` left aside."""
    found: dict[Scalar, Fixed] = {}
    for part in parts:
        match part:
            case Or(args=args):
                found |= _fixed_by_each(part, [conjuncts((arg,)) for arg in args], most)
                continue
            case (
                Call(function="eq", args=(Literal() as literal, left))
                | Call(function="eq", args=(left, Literal() as literal))
            ):
                type_, values = literal.type, [literal.value]
            case Call(function="in", args=(left, *items)) if all(isinstance(i, Literal) for i in items):
                if len({item.type for item in items}) > 1:
                    continue
                type_, values = items[0].type, [item.value for item in items if isinstance(item, Literal)]
            case Call(function="any_eq", args=(left, Literal(value=list() as values, type=array))):
                assert array.element is not None
                type_ = array.element
            case _:
                continue
        if len(values) > most:
            continue
        for expression, known in _fix(left, type_, values):
            found[expression] = Fixed(known, part)
    return found


def is_told_by_key(type_: ScalarType) -> bool:
    """Whether rows found by a key of the type always equal it, so that the predicate need not be evaluated again."""
    return type_.is_integer or type_.kind in _EXACT


def _fixed_by_each(whole: Scalar, branches: list[list[Scalar]], most: int) -> dict[Scalar, Fixed]:
    """Expressions that every branch of `whole`, a disjunction of conjunctions, fixes to something."""
    fixed = [fixed_values(parts, most) for parts in branches]
    shared = [expression for expression in fixed[0] if all(expression in branch for branch in fixed)]
    return {
        expression: Fixed(
            _distinct(pa.concat_arrays([branch[expression].values for branch in fixed]), expression.type),
            whole,
            all(len(parts) == 1 and by[expression].alone for parts, by in zip(branches, fixed, strict=True)),
        )
        for expression in shared
    }


def conjuncts(predicates: Iterable[Scalar]) -> list[Scalar]:
    """What all holds where every predicate does."""
    return [
        part
        for predicate in predicates
        for part in (predicate.args if isinstance(predicate, And) else (predicate,))
    ]


def _fix(left: Scalar, type_: ScalarType, values: list[Any]) -> Iterator[tuple[Scalar, pa.Array]]:
    """`left` is one of `values`, which are of `type_`.  NULL equals nothing."""
    if has_keys(type_):
        return  # equal documents have several texts, and an index has these
    if left.type.is_integer and type_.is_integer:
        # `int8_column = 7` compares with an int4, `int4_column::int8 = 7` says the same of the column itself; what
        # an integer's type cannot hold, it is not.
        known = _distinct(pa.array(values, type_.arrow), type_)
        yield left, _fitting(known, type_, left.type)
        if isinstance(left, Cast) and left.arg.type.is_integer:
            yield left.arg, _fitting(known, type_, left.arg.type)
    elif left.type.arrow == type_.arrow:
        yield left, _distinct(pa.array(values, type_.arrow), type_)


def _distinct(values: pa.Array, type_: ScalarType) -> pa.Array:
    """Each value once, as SQL's `=` tells them apart; no NULL."""
    there = values.drop_null() if values.null_count else values
    if len(there) < 2:
        return there
    if type_.is_integer:
        ordered = np.sort(there.to_numpy())
        return pa.array(ordered[np.concatenate(([True], ordered[1:] != ordered[:-1]))], there.type)
    if type_.kind in _EXACT:
        return there.unique()
    _, first = np.unique(sql_ranks(there), return_index=True)
    return there.take(pa.array(np.sort(first)))


def _fitting(values: pa.Array, type_: ScalarType, wanted: ScalarType) -> pa.Array:
    """Of ascending integers those that the type has, as values of it."""
    least, greatest = type_.integer_bounds
    lowest, highest = wanted.integer_bounds
    if (lowest <= least and greatest <= highest) or not len(values):
        return values.cast(wanted.arrow)
    integers = values.to_numpy()
    first, stop = (
        integers.searchsorted(max(lowest, least)),
        integers.searchsorted(min(highest, greatest), "right"),
    )
    return values.slice(first, stop - first).cast(wanted.arrow)
