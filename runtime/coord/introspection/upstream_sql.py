"""POSTGRES and MYSQL sources, and their tables, as SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...expr.functions.system.system import quote_ident, quote_literal
from ...expr.tree.relation import GlobalId
from ...repr.types import TEXT
from ...storage.source.mysql.options import MysqlOptions
from ...storage.source.upstream_tables import AnyColumn, AnyTable, UpstreamOptions, parsed_table
from ..catalog.items import SourceTable


def upstream_source_sql(options: UpstreamOptions, name_of: Callable[[GlobalId], str]) -> str:
    """What stands behind the name and the cluster: its tables have statements of their own.  `name_of` a connection is quoted."""
    if isinstance(options, MysqlOptions):
        return f" FROM MYSQL CONNECTION {name_of(options.connection)}"
    publication = quote_literal(options.publication).strip()
    connections = options.snapshot_connections
    more = "" if connections is None else f", SNAPSHOT CONNECTIONS {connections}"
    return f" FROM POSTGRES CONNECTION {name_of(options.connection)} (PUBLICATION {publication}{more})"


def reference_sql(table: SourceTable) -> str:
    """What the table is upstream, quoted."""
    upstream = upstream_of(table)
    parts = table.reference.split(".") if upstream is None else (upstream.schema, upstream.name)
    return ".".join(map(quote_ident, parts))


def text_columns(table: SourceTable) -> list[str]:
    """The option of columns that are text here, and not so upstream."""
    upstream = upstream_of(table)
    if upstream is None:
        return []
    columns: Iterable[AnyColumn] = upstream.columns
    left_out = () if table.projection is None else table.projection.excluded
    types = {column.name: column.type for column in table.read if column.name not in left_out}
    text = [column.name for column in columns if types.get(column.name) == TEXT and not column.is_text]
    return [f"TEXT COLUMNS ({_listed(text)})"] if text else []


def excluded_upstream(table: SourceTable) -> tuple[str, ...]:
    """Columns that were there upstream, and that are not read."""
    upstream = upstream_of(table)
    return () if upstream is None else upstream.excluded


def upstream_of(table: SourceTable) -> AnyTable | None:
    return None if table.upstream is None else parsed_table(table.upstream)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(map(quote_ident, names))
