"""Types of columns upstream as ours."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet

from ....errors import SqlSyntaxError, UndefinedObject, Unsupported
from ....expr.functions.system.system import quote_ident
from ....repr.types import TEXT, ScalarType
from ....storage.source.mysql.tables import MysqlColumn
from ....storage.source.postgres.tables import UpstreamColumn
from ....storage.source.upstream_tables import AnyColumn, AnyTable
from ...parser.parse import parse_type
from ...syntax.types import REG_TYPES, resolve_type
from .mysql_types import can_be_text, mysql_type

_FIRST_OF_USERS = 16_384
"""The least oid of a type that was created: an enumeration, a domain, one of an extension.  What it is called says nothing here."""


def column_type(column: AnyColumn, *, as_text: bool) -> ScalarType:
    """Of a column that was not refused."""
    found = TEXT if as_text else _own_type(column)
    assert found is not None, column
    return found


def refuse_unsupported(
    tables: Iterable[tuple[AnyTable, AbstractSet[str]]], position: int, *, of_source: bool
) -> None:
    """0A000 for columns of types that are not ours, all of them in one; of each table some columns are read as text.  Lists `of_source` name
    columns with their tables."""
    refused = [
        (table, column, column.name in texts)
        for table, texts in tables
        for column in table.columns
        if (not _can_be_text(column) if column.name in texts else _own_type(column) is None)
    ]
    if not refused:
        return

    def listed(columns: Iterable[tuple[AnyTable, AnyColumn]]) -> str:
        return ", ".join(
            f"{reference_sql(table)}.{quote_ident(column.name)}" if of_source else quote_ident(column.name)
            for table, column in columns
        )

    every = [(table, column) for table, column, _ in refused]
    texts = [(table, column) for table, column in every if _can_be_text(column)]
    many = len(every) > 1
    leave_out = f"EXCLUDE COLUMNS ({listed(every)}) {'leave them' if many else 'leaves it'} out."
    where = " That stands in parentheses behind the connection." if of_source else ""
    as_text = f"TEXT COLUMNS ({listed(texts)}) {'read' if len(texts) > 1 else 'reads'} {'them' if len(texts) > 1 else 'it'} as text, "
    raise Unsupported(
        f"columns are of types that are not supported: {', '.join(_short(*one) for one in refused)}"
        if many
        else _refused(*refused[0]),
        hint=(as_text + leave_out if texts else leave_out) + where,
        position=position,
    )


def reference_sql(table: AnyTable) -> str:
    """What the table is upstream, quoted."""
    return f"{quote_ident(table.schema)}.{quote_ident(table.name)}"


def _refused(table: AnyTable, column: AnyColumn, as_text: bool) -> str:
    charset = f" ({column.charset})" if isinstance(column, MysqlColumn) and column.is_text else ""
    told = f'column "{column.name}" of table "{table.reference}" is of type {column.type_name}{charset}, which is not supported'
    return f"{told} as text" if as_text else told


def _short(table: AnyTable, column: AnyColumn, as_text: bool) -> str:
    charset = f", {column.charset}" if isinstance(column, MysqlColumn) and column.is_text else ""
    told = f"{column.type_name}{charset}{', as text' if as_text else ''}"
    return f'"{column.name}" of "{table.reference}" ({told})'


def _own_type(column: AnyColumn) -> ScalarType | None:
    return _postgres_type(column) if isinstance(column, UpstreamColumn) else mysql_type(column)


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
