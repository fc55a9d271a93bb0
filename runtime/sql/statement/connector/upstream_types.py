"""Types of columns upstream, as PostgreSQL names them, as ours."""

from __future__ import annotations

from ....errors import SqlSyntaxError, UndefinedObject, Unsupported
from ....repr.types import ScalarType
from ....storage.source.postgres.tables import UpstreamColumn, UpstreamTable
from ...parser.parse import parse_type
from ...syntax.types import REG_TYPES, resolve_type

_FIRST_OF_USERS = 16_384
"""The least oid of a type that was created: an enumeration, a domain, one of an extension.  What it is called says nothing here."""


def column_type(
    table: UpstreamTable, column: UpstreamColumn, position: int, *, of_source: bool
) -> ScalarType:
    """0A000 for a type that is not ours; lists `of_source` name columns with their tables."""
    try:
        if column.type_oid < _FIRST_OF_USERS:
            name = parse_type(column.type_name)
            if name.name not in REG_TYPES:  # they come as names of what is not here
                return resolve_type(name, lambda _: None)
    except (SqlSyntaxError, UndefinedObject, Unsupported):
        pass  # whatever it says of the type, what helps is the same
    own = f"{table.reference}.{column.name}" if of_source else column.name
    raise Unsupported(
        f'column "{column.name}" of table "{table.reference}" is of type {column.type_name}, which is not supported',
        hint=f"TEXT COLUMNS ({own}) reads it as text, EXCLUDE COLUMNS ({own}) leaves it out.",
        position=position,
    )
