"""A grouping by a unique key has one row in every group: the aggregates are expressions over that row.

`count(*)` is 1, `sum(x)` is x.  That is so for a Reduce over a Reduce by the same key, and over what else has one row
per key (`facts`).  Only aggregates of which that is exactly true are taken: a sum of one float may lose its sign of
zero.
"""

from __future__ import annotations

from ..expr.coercion.casts import cast_can_fail
from ..expr.registry import resolve_call
from ..expr.tree.relation import Aggregate, Reduce, Relation
from ..expr.tree.scalar import Case, Cast, Literal, Scalar
from ..repr.types import INT8
from .facts import Analysis, key_columns
from .rewrite import appended, bottom_up, projected

_ONE, _NONE = Literal(1, INT8), Literal(0, INT8)


def elide_reduce(relation: Relation) -> Relation:
    analysis = Analysis()

    def change(node: Relation) -> Relation:
        if not isinstance(node, Reduce) or node.scalar:
            return node
        if not analysis.facts(node.input).is_unique(key_columns(node.keys)):
            return node
        values = [_of_one_row(aggregate) for aggregate in node.aggregates]
        known = [value for value in values if value is not None]
        if len(known) < len(values):
            return node
        mapped, places = appended(node.input, [*node.keys, *known])
        return projected(mapped, places, node.schema.names)

    return bottom_up(relation, change)


def _of_one_row(aggregate: Aggregate) -> Scalar | None:
    """The aggregate's value over a single row, or None when it is not known here."""
    argument, function = aggregate.argument, aggregate.function
    plain = Aggregate(
        function,
        argument,
        aggregate.type,
        aggregate.name,
        aggregate.distinct,
        aggregate.filter,
        aggregate.nullable,
    )
    if aggregate != plain:
        return None
    if function == "count":
        value: Scalar = _ONE
        if argument is not None and argument.nullable:
            value = Case(((resolve_call("is_not_null", (argument,)), _ONE),), _NONE, INT8, nullable=False)
        otherwise: Scalar = _NONE
    else:
        any_type = function in ("min", "max", "bool_and", "bool_or", "every")
        if argument is None or not (any_type or (function == "sum" and not argument.type.is_float)):
            return None
        value, otherwise = argument, Literal(None, aggregate.type)
        if value.type != aggregate.type:
            exact = value.type.is_integer or value.type.scale == aggregate.type.scale
            if not exact or cast_can_fail(value.type, aggregate.type):
                return None
            value = Cast(value, aggregate.type)
    if aggregate.filter is None:
        return value
    nullable = value.nullable or otherwise.nullable
    return Case(((aggregate.filter, value),), otherwise, aggregate.type, nullable)
