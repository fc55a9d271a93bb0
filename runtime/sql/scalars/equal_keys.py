"""Keys that are equal and print differently: intervals, documents, and arrays of these.

'1 mon' equals '30 days', and the document 1.0 equals 1.00.  Such values are one group and one row of DISTINCT, by a key, and
what is printed for all of them is the least of those that are there, whatever came first: '1 mon' stays '1 mon' where
there are no '30 days'.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...expr.functions.comparison.comparison_keys import equality_key, has_keys
from ...expr.tree.relation import Aggregate
from ...expr.tree.scalar import Scalar
from ...repr.types import Kind, ScalarType


def prints_differently(type_: ScalarType) -> bool:
    """Whether values of the type may be equal and print differently, other than zeros of floats."""
    return holds_intervals(type_) or has_keys(type_)


def holds_intervals(type_: ScalarType) -> bool:
    """Whether the type is interval, or holds some: operators keep such a key as days and time."""
    leaf = type_.leaf
    return leaf.kind is Kind.INTERVAL or any(holds_intervals(field) for _, field in leaf.fields)


def keyed(keys: Sequence[Scalar], names: Sequence[str]) -> tuple[tuple[Scalar, ...], dict[int, Aggregate]]:
    """What to group by instead of `keys`, and by the place of a key the aggregate that is printed for it."""
    least = {
        place: Aggregate("min", key, key.type, names[place], nullable=key.nullable)
        for place, key in enumerate(keys)
        if prints_differently(key.type)
    }
    return tuple(equality_key(key) for key in keys), least
