"""RETAIN ROWS as conditions over what is stored, as of a time: which rows are due, and which are not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from ....expr.registry import resolve_call
from ....expr.tree.scalar import ColumnRef, Literal, Scalar
from ....repr.schema import Schema
from ....repr.types import Kind
from ....storage.row_retention import RowRetention

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def due(retention: RowRetention, schema: Schema, time: int) -> Scalar:
    """True of rows that are too old; NULL of those that have no age, which are due as well."""
    return _compared("lt", retention, schema, time)


def not_due(retention: RowRetention, schema: Schema, time: int) -> Scalar:
    """True of the others."""
    return _compared("ge", retention, schema, time)


def _compared(comparison: str, retention: RowRetention, schema: Schema, time: int) -> Scalar:
    column = schema[retention.column]
    bound = _EPOCH + timedelta(milliseconds=time - retention.duration_ms)
    if column.type.kind is Kind.TIMESTAMP:
        bound = bound.replace(tzinfo=None)
    key = ColumnRef(retention.column, column.type, column.nullable)
    return resolve_call(comparison, (key, Literal(bound, column.type)))
