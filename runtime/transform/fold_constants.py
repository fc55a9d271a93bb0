"""Constant parts of expressions are computed; filters that are always or never true vanish.

`a + (1 + 2)` becomes `a + 3`; `WHERE FALSE` becomes no rows.  What would fail when computed stays as it is, so that
it fails only if a row meets it.
"""

from __future__ import annotations

from dataclasses import replace

from ..expr.evaluate import fold
from ..expr.tree.relation import Constant, Filter, FlatMap, Join, Map, Reduce, Relation, Window
from ..expr.tree.scalar import And, ColumnRef, Literal, Scalar
from ..repr.types import BOOL
from .rewrite import bottom_up, unique

_TRUE = Literal(True, BOOL)


def fold_constants(relation: Relation) -> Relation:
    return bottom_up(relation, fold_node)


def fold_node(relation: Relation) -> Relation:
    """The node with its own expressions folded."""
    match relation:
        case Map(scalars=scalars):
            return replace(relation, scalars=tuple(_typed(scalar) for scalar in scalars))
        case Filter():
            return _filter(relation)
        case Join(left_keys=left, right_keys=right, residual=residual):
            kept = [p for p in (_typed(p) for p in residual) if p != _TRUE]
            return replace(
                relation,
                left_keys=tuple(_typed(key) for key in left),
                right_keys=tuple(_typed(key) for key in right),
                residual=tuple(kept),
            )
        case Reduce(keys=keys, aggregates=aggregates):
            return replace(
                relation,
                keys=tuple(_typed(key) for key in keys),
                aggregates=tuple(aggregate.mapped(_typed) for aggregate in aggregates),
            )
        case FlatMap(calls=calls):
            folded = tuple(replace(call, args=tuple(_typed(arg) for arg in call.args)) for call in calls)
            return replace(relation, calls=folded)
        case Window(calls=calls):
            return replace(relation, calls=tuple(call.mapped(_typed) for call in calls))
        case _:
            return relation


def _filter(relation: Filter) -> Relation:
    predicates: list[Scalar] = []
    for predicate in relation.predicates:
        folded = _typed(predicate)
        predicates.extend(folded.args if isinstance(folded, And) else (folded,))
    kept = unique([predicate for predicate in predicates if predicate != _TRUE])
    if any(isinstance(predicate, Literal) for predicate in kept):
        return Constant((), relation.schema)
    return Filter(relation.input, kept) if kept else relation.input


def _typed(scalar: Scalar) -> Scalar:
    if isinstance(scalar, ColumnRef | Literal):
        return scalar
    folded = fold(scalar)
    return folded if folded.type == scalar.type else scalar
