"""Which parts of a shard a filter can leave unread.

A filter is a conjunction of `Condition`s: one column compared with one value, true or not true of a row and never an
error.  A part is left out only if some condition is true of none of its rows, by its statistics, and if it has no errors:
a reader must see those whatever it filters by.  Updates of one row are equal rows, so all of them are read or none is,
and what is read sums up as before.

The answer is conservative: parts without statistics (inline ones, old ones) and values whose order in PostgreSQL is not
that of the statistics are read.  The reader still filters the rows.  Who asks: one-off queries (`coord.storage.part_choice`), and
users' Spark jobs (`spark.pushed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from typing import Any

from ..repr.schema import Schema
from ..repr.types import Kind
from .part import PartRef
from .part_stats import ColumnStats

_ORDERED = frozenset(
    {
        Kind.BOOL,
        Kind.INT2,
        Kind.INT4,
        Kind.INT8,
        Kind.UINT2,
        Kind.UINT4,
        Kind.UINT8,
        Kind.MZ_TIMESTAMP,
        Kind.FLOAT4,
        Kind.FLOAT8,
        Kind.NUMERIC,
        Kind.TEXT,
        Kind.VARCHAR,
        Kind.BPCHAR,
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
        Kind.BYTEA,
        Kind.UUID,
    }
)
"""Kinds whose values are ordered in the statistics as PostgreSQL orders them (text: by bytes, collation C)."""


class Comparison(Enum):
    EQ = "="
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    IS_NULL = "is null"
    IS_NOT_NULL = "is not null"


@dataclass(frozen=True, slots=True)
class Condition:
    """`column` (its position in the schema) compared with `value`, which is as statistics have it: an integer for a date
    (days since 1970-01-01) and a timestamp (microseconds), bytes for a bytea and a uuid; None for the NULL tests."""

    column: int
    comparison: Comparison
    value: Any = None


def wanted(parts: Sequence[PartRef], schema: Schema, conditions: Sequence[Condition]) -> tuple[PartRef, ...]:
    """The parts that may hold an error, or a row of which all conditions are true."""
    return tuple(part for part in parts if may_match(part, schema, conditions))


def may_match(part: PartRef, schema: Schema, conditions: Sequence[Condition]) -> bool:
    """Whether `part` is one of those."""
    return all(_may_match(part, schema, each) for each in conditions)


def _may_match(part: PartRef, schema: Schema, condition: Condition) -> bool:
    if part.stats is None or part.errors:
        return True
    column = schema[condition.column]
    if column.dropped or condition.column >= len(part.stats.columns):
        return True  # it reads as something else than what was written
    stats, rows = part.stats.columns[condition.column], part.stats.rows
    match condition.comparison:
        case Comparison.IS_NULL:
            return stats.nulls > 0
        case Comparison.IS_NOT_NULL:
            return stats.nulls < rows
    if stats.nulls == rows:
        return False  # compared with NULL, nothing is true
    if column.type.kind not in _ORDERED or stats.bounds is None:
        return True
    return _within(stats, condition)


def _within(stats: ColumnStats, condition: Condition) -> bool:
    assert stats.bounds is not None
    (least, greatest), value = stats.bounds, condition.value
    if not _comparable(least, value):
        return True
    match condition.comparison:
        case Comparison.EQ:
            return bool(least <= value <= greatest)
        case Comparison.LT:
            return bool(least < value)
        case Comparison.LE:
            return bool(least <= value)
        case Comparison.GT:
            return bool(greatest > value)
        case _:
            return bool(greatest >= value)


def _comparable(bound: Any, value: Any) -> bool:
    """Of one kind, and not a NaN, which PostgreSQL puts above every number."""
    numbers = int | float | Decimal
    if isinstance(value, float | Decimal) and value != value:
        return False
    if isinstance(bound, numbers) and isinstance(value, numbers):
        return isinstance(bound, bool) == isinstance(value, bool)
    return type(bound) is type(value)
