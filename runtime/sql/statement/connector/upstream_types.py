"""Types of columns upstream as ours."""

from __future__ import annotations

from ....errors import SqlSyntaxError, UndefinedObject, Unsupported
from ....repr.types import TEXT, ScalarType
from ....storage.source.mysql.tables import MysqlColumn
from ....storage.source.postgres.tables import UpstreamColumn
from ....storage.source.upstream_tables import AnyColumn, AnyTable
from ...parser.parse import parse_type
from ...syntax.types import REG_TYPES, resolve_type
from .mysql_types import can_be_text, mysql_type

_FIRST_OF_USERS = 16_384
"""The least oid of a type that was created: an enumeration, a domain, one of an extension.  What it is called says nothing here."""


def column_type(table: AnyTable, column: AnyColumn, position: int, *, of_source: bool) -> ScalarType:
    """0A000 for a type that is not ours; lists `of_source` name columns with their tables."""
    found = _postgres_type(column) if isinstance(column, UpstreamColumn) else mysql_type(column)
    if found is not None:
        return found
    own = f"{table.reference}.{column.name}" if of_source else column.name
    leaves_out = f"EXCLUDE COLUMNS ({own}) leaves it out."
    as_text = f"TEXT COLUMNS ({own}) reads it as text, "
    raise Unsupported(
        _refused(table, column),
        hint=as_text + leaves_out if _can_be_text(column) else leaves_out,
        position=position,
    )


def text_type(table: AnyTable, column: AnyColumn, position: int) -> ScalarType:
    """Of a column that TEXT COLUMNS lists."""
    if not _can_be_text(column):
        raise Unsupported(
            f"{_refused(table, column)} as text", hint="EXCLUDE COLUMNS leaves it out.", position=position
        )
    return TEXT


def _refused(table: AnyTable, column: AnyColumn) -> str:
    charset = f" ({column.charset})" if isinstance(column, MysqlColumn) and column.is_text else ""
    return f'column "{column.name}" of table "{table.reference}" is of type {column.type_name}{charset}, which is not supported'


def _can_be_text(column: AnyColumn) -> bool:
    return isinstance(column, UpstreamColumn) or can_be_text(column)


def _postgres_type(column: UpstreamColumn) -> ScalarType | None:
    try:
        if column.type_oid < _FIRST_OF_USERS:
            name = parse_type(column.type_name)
            if name.name not in REG_TYPES:  # they come as names of what is not here
                return resolve_type(name, lambda _: None)
    except (SqlSyntaxError, UndefinedObject, Unsupported):
        pass  # whatever it says of the type, what helps is the same
    return None
