"""RETAIN ROWS FOR 'duration' BY column, of a source and of a table of one."""

from __future__ import annotations

from ....errors import DatatypeMismatch, InvalidParameter, UndefinedColumn
from ....repr.schema import Schema
from ....storage.row_retention import LEAST_MS, MOST_MS, RowRetention, may_be_retained_by
from ...syntax.definition_statements import RetainRowsClause


def row_retention(clause: RetainRowsClause | None, name: str, schema: Schema) -> RowRetention | None:
    """Over the columns that are kept."""
    if clause is None:
        return None
    column, position = clause.column.parts[-1], clause.column.position
    if column not in schema.names:
        raise UndefinedColumn(
            f'column "{column}" of "{name}" does not exist, or is excluded', position=position
        )
    place = schema.names.index(column)
    if not may_be_retained_by(schema[place].type):
        raise DatatypeMismatch(
            f'column "{column}" is of type {schema[place].type}: rows are retained by a timestamp',
            position=position,
        )
    if not LEAST_MS <= clause.duration_ms <= MOST_MS:
        raise InvalidParameter(
            "rows are retained for at least a second, and for at most 100 years", position=clause.position
        )
    return RowRetention(place, clause.duration_ms)
