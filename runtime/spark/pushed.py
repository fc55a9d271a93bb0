"""Spark's filters as conditions on the statistics of parts (`persist/pushdown.py`).

They only leave parts unread: Spark filters the rows by every one of them.  So what is not understood is no condition,
and what a filter is turned into may be true of more rows than it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from pyspark.sql.datasource import (
    EqualNullSafe,
    EqualTo,
    Filter,
    GreaterThan,
    GreaterThanOrEqual,
    In,
    IsNotNull,
    IsNull,
    LessThan,
    LessThanOrEqual,
    StringStartsWith,
)

from ..persist.pushdown import Comparison, Condition
from ..repr.schema import Schema
from ..repr.types import Kind, ScalarType

_COMPARED: dict[type[Filter], Comparison] = {
    EqualTo: Comparison.EQ,
    EqualNullSafe: Comparison.EQ,
    GreaterThan: Comparison.GT,
    GreaterThanOrEqual: Comparison.GE,
    LessThan: Comparison.LT,
    LessThanOrEqual: Comparison.LE,
}
_INTEGERS = (Kind.INT2, Kind.INT4, Kind.INT8, Kind.UINT2, Kind.UINT4, Kind.OID)
_FLOATS = (Kind.FLOAT4, Kind.FLOAT8)
_TEXTS = (Kind.TEXT, Kind.VARCHAR)
_EPOCH = datetime(1970, 1, 1)


def conditions(filters: Iterable[Filter], schema: Schema, layout: tuple[int, ...]) -> tuple[Condition, ...]:
    """Of the shard's columns; those of `schema` are at `layout`."""
    places = {name: place for place, name in enumerate(schema.names)}
    found = []
    for filter_ in filters:
        path: tuple[str, ...] = getattr(filter_, "attribute", ())
        if len(path) == 1 and path[0] in places:
            place = places[path[0]]
            for comparison, value in _comparisons(filter_, schema[place].type):
                found.append(Condition(layout[place], comparison, value))
    return tuple(found)


def _comparisons(filter_: Filter, type_: ScalarType) -> Iterator[tuple[Comparison, Any]]:
    match filter_:
        case IsNull() | EqualNullSafe(value=None):
            yield Comparison.IS_NULL, None
        case IsNotNull():
            yield Comparison.IS_NOT_NULL, None
        case In(value=values):
            bounds = [_as_in_statistics(value, type_) for value in values if value is not None]
            if bounds and None not in bounds and not any(bound != bound for bound in bounds):
                yield Comparison.GE, min(bounds)
                yield Comparison.LE, max(bounds)
        case StringStartsWith(value=prefix):
            if type_.kind in _TEXTS:
                yield Comparison.GE, prefix
        case _:
            comparison = _COMPARED.get(type(filter_))
            value = _as_in_statistics(getattr(filter_, "value", None), type_)
            if comparison is not None and value is not None:
                yield comparison, value


def _as_in_statistics(value: Any, type_: ScalarType) -> Any:
    """The value as the statistics of a column of the type have theirs; None if it is of another kind."""
    kind = type_.kind
    match value:
        case bool():
            return value if kind is Kind.BOOL else None
        case int():
            return value if kind in _INTEGERS else None
        case float():
            return value if kind in _FLOATS else None
        case Decimal():
            return (
                value
                if kind in (Kind.UINT8, Kind.MZ_TIMESTAMP)
                or (kind is Kind.NUMERIC and type_.scale is not None)
                else None
            )
        case str():
            return value if kind in _TEXTS else None
        case bytes():
            return value if kind is Kind.BYTEA else None
        case datetime():
            return _micros(value, kind)
        case date():
            return (value - _EPOCH.date()).days if kind is Kind.DATE else None
    return None


def _micros(value: datetime, kind: Kind) -> int | None:
    """Microseconds since 1970 of an instant, or of what a clock shows."""
    if kind is Kind.TIMESTAMPTZ and (offset := value.utcoffset()) is not None:
        value = value.replace(tzinfo=None) - offset
    elif kind is not Kind.TIMESTAMP or value.tzinfo is not None:
        return None
    return (value - _EPOCH) // timedelta(microseconds=1)
