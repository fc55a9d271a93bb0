"""Choosing an index for a one-off query.

The query must be a chain of Map, Filter and Project over one object that has an index in the session's cluster.  If
its predicates fix every key column to a literal, or to some of them, the index is looked up; otherwise its rows are read from memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ...expr.functions.comparison.comparison_keys import has_keys
from ...expr.tree.relation import Filter, Get, Map, Project, Relation
from ...expr.tree.relation_tree import inputs, with_inputs
from ...expr.tree.scalar import And, Call, Cast, Literal, Or, Scalar
from ...repr.order import sql_ranks
from ...repr.schema import Column, Schema
from ...repr.types import NESTED, Kind, ScalarType
from ..catalog.catalog import Catalog
from ..catalog.items import Index

MOST_KEYS = 100_000
"""More keys than this are not looked up: all rows are read."""

_EXACT = frozenset(
    {Kind.BOOL, Kind.TEXT, Kind.VARCHAR, Kind.BYTEA, Kind.UUID, Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ}
    | {Kind.MZ_TIMESTAMP}
)
"""Beside integers: kinds of which equal values have one form."""


@dataclass(frozen=True, slots=True)
class IndexRead:
    """`relation` reads the index as `Get(index.id)`: the object's columns, then the key's.

    `keys` has one array per key column, a row for every key that is looked up; None reads everything.
    """

    index: Index
    relation: Relation
    keys: tuple[pa.Array, ...] | None


def choose_index(
    relation: Relation, catalog: Catalog, cluster: str, usable: Callable[[Index], bool]
) -> IndexRead | None:
    """The index read that answers `relation`; None when there is none."""
    chain: list[Relation] = []
    node = relation
    while isinstance(node, Map | Filter | Project):
        chain.append(node)
        node = inputs(node)[0]
    if not isinstance(node, Get) or node.id.startswith("s"):
        return None
    indexes = [index for index in catalog.indexes_on(node.id) if index.cluster == cluster and usable(index)]
    if not indexes:
        return None
    fixed = _fixed(_parts(chain[-1].predicates)) if chain and isinstance(chain[-1], Filter) else {}
    scan: Index | None = None
    for index in indexes:
        if isinstance(index.relation, Get) and len(index.relation.schema) != len(node.schema):
            continue  # the table has gained a column since
        by = [fixed[key] for key in index.keys if key in fixed]
        if (
            len(by) == len(index.keys)
            and (keys := _combinations(index.keys, [f.values for f in by])) is not None
        ):
            satisfied = [
                f.predicate for f, key in zip(by, index.keys, strict=True) if f.alone and _tells(key.type)
            ]
            return IndexRead(index, _rebase(_without(chain, satisfied), node, index), keys)
        scan = scan or index
    return IndexRead(scan, _rebase(chain, node, scan), None) if scan is not None else None


Values = tuple[object, ...]
"""What an expression may be equal to: distinct, none of them NULL."""


def _combinations(keys: tuple[Scalar, ...], values: list[Values]) -> tuple[pa.Array, ...] | None:
    """Every key that the predicates allow, a column each; None when they are too many to be looked up."""
    count = math.prod(map(len, values))
    if count > MOST_KEYS:
        return None
    if len(keys) == 1:
        return (pa.array(values[0], keys[0].type.arrow),)
    columns = []
    inner = count
    for key, allowed in zip(keys, values, strict=True):
        inner //= max(len(allowed), 1)
        places = np.arange(count) // max(inner, 1) % max(len(allowed), 1)
        columns.append(pa.array(allowed, key.type.arrow).take(pa.array(places)))
    return tuple(columns)


@dataclass(frozen=True, slots=True)
class Fixed:
    """An expression is one of `values` where `predicate` holds; `alone`: and only there."""

    values: Values
    predicate: Scalar
    alone: bool = True


def _fixed(parts: Sequence[Scalar]) -> dict[Scalar, Fixed]:
    """Expressions that one of the predicates fixes to a few literals of their own type."""
    found: dict[Scalar, Fixed] = {}
    for part in parts:
        match part:
            case Or(args=args):
                found |= _fixed_by_each(part, [_parts((arg,)) for arg in args])
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
        for expression, known in _fix(left, type_, values):
            found[expression] = Fixed(known, part)
    return found


def _fixed_by_each(whole: Scalar, branches: list[list[Scalar]]) -> dict[Scalar, Fixed]:
    """Expressions that every branch of `whole`, a disjunction of conjunctions, fixes to something."""
    fixed = [_fixed(parts) for parts in branches]
    shared = [expression for expression in fixed[0] if all(expression in branch for branch in fixed)]
    return {
        expression: Fixed(
            _distinct([value for branch in fixed for value in branch[expression].values], expression.type),
            whole,
            all(len(parts) == 1 and by[expression].alone for parts, by in zip(branches, fixed, strict=True)),
        )
        for expression in shared
    }


def _parts(predicates: Iterable[Scalar]) -> list[Scalar]:
    return [
        part
        for predicate in predicates
        for part in (predicate.args if isinstance(predicate, And) else (predicate,))
    ]


def _tells(type_: ScalarType) -> bool:
    """Whether rows found by a key of the type always equal it, so that the predicate need not be evaluated again."""
    return type_.is_integer or type_.kind in _EXACT


def _without(chain: list[Relation], satisfied: list[Scalar]) -> list[Relation]:
    """The chain without predicates of its innermost filter, which look-ups have taken care of."""
    *outer, filter_ = chain
    assert isinstance(filter_, Filter)
    left = tuple(
        part for part in _parts(filter_.predicates) if not any(part is predicate for predicate in satisfied)
    )
    return [*outer, replace(filter_, predicates=left)] if left else outer


def _fix(left: Scalar, type_: ScalarType, values: list[Any]) -> Iterator[tuple[Scalar, Values]]:
    """`left` is one of `values`, which are of `type_`.  NULL equals nothing."""
    if has_keys(type_):
        return  # equal documents have several texts, and an index has these
    known = _distinct([v for v in values if v is not None] if None in values else values, type_)
    if left.type.is_integer and type_.is_integer:
        # `int8_column = 7` compares with an int4, `int4_column::int8 = 7` says the same of the column itself; what
        # an integer's type cannot hold, it is not.
        yield left, _fitting(known, left.type)
        if isinstance(left, Cast) and left.arg.type.is_integer:
            yield left.arg, _fitting(known, left.arg.type)
    elif left.type.arrow == type_.arrow:
        yield left, known


def _distinct(values: list[Any], type_: ScalarType) -> Values:
    """Each value once, as SQL's `=` tells them apart."""
    if len(values) < 2 or not (type_.is_float or type_.kind in NESTED | {Kind.INTERVAL}):
        return tuple(values) if len(values) < 2 else tuple(dict.fromkeys(values))
    _, first = np.unique(sql_ranks(pa.array(values, type_.arrow)), return_index=True)
    return tuple(values[place] for place in sorted(first))


def _fitting(values: tuple[Any, ...], type_: ScalarType) -> Values:
    least, greatest = type_.integer_bounds
    if not values or (least <= min(values) and max(values) <= greatest):
        return values
    return tuple(value for value in values if least <= value <= greatest)


def _rebase(chain: list[Relation], get: Get, index: Index) -> Relation:
    width = len(get.schema)
    keys = tuple(Column(f"key{i}", key.type) for i, key in enumerate(index.keys))
    relation: Relation = Project(Get(index.id, Schema(get.schema.columns + keys)), tuple(range(width)))
    for node in reversed(chain):
        relation = with_inputs(node, (relation,))
    return relation
