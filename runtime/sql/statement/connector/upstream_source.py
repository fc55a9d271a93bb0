"""CREATE SOURCE ... FROM POSTGRES and FROM MYSQL, and the tables of such a source: their columns are those upstream.

```
statement ── plan: whose tables are wanted ── [upstream is asked] ── statement with what it has in it ── plan
```

So what is planned in the end depends on the statement alone.  Upstream is asked for each table that is made, so that those are found that
came there later.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ....errors import PtvcError, SqlSyntaxError, UndefinedColumn, Unsupported
from ....repr.schema import Column, Schema
from ....storage.connections.options import ConnectionKind
from ....storage.source.mysql.options import MysqlOptions
from ....storage.source.mysql.progress import PROGRESS_SCHEMA as GTID_SCHEMA
from ....storage.source.postgres.options import PostgresOptions
from ....storage.source.postgres.progress import PROGRESS_SCHEMA as LSN_SCHEMA
from ....storage.source.postgres.tables import Published, UpstreamTable
from ....storage.source.upstream_tables import AnyTable, UpstreamOptions, UpstreamTables
from ...catalog.catalog_view import CatalogItem, QualifiedName
from ...catalog.names import check_cluster, new_name
from ...plans import definition_plans, query_plans
from ...query.planner import Planner
from ...syntax import ast
from ...syntax.definition_statements import CreateSourceStatement, CreateSourceTableStatement
from ...syntax.source_statements import UpstreamSourceClause
from .beside_source import named, refuse_same_names, table_beside, tables_beside
from .message_schemas import connection_of
from .row_filter import refuse_kept, row_filter
from .row_retention import row_retention
from .upstream_types import column_type, reference_sql, refuse_unsupported

_MOST_SHOWN = 10
"""Tables that a hint lists."""

Node = CreateSourceStatement | CreateSourceTableStatement


def with_published(node: Node, published: UpstreamTables) -> Node:
    """The statement with what upstream has in it."""
    if isinstance(node, CreateSourceStatement):
        assert node.upstream is not None
        return replace(node, upstream=replace(node.upstream, published=published))
    return replace(node, published=published)


def create_source(
    planner: Planner, node: CreateSourceStatement, clause: UpstreamSourceClause, sql: str
) -> definition_plans.CreateSource:
    name = new_name(node.name, planner.context)
    connection = connection_of(planner, clause.connection, clause.kind)
    if node.retain_history_ms is not None:
        raise Unsupported(
            "RETAIN HISTORY of a source without rows is not supported",
            hint="CREATE TABLE ... FROM SOURCE ... WITH (RETAIN HISTORY FOR ...).",
            position=node.position,
        )
    refuse_kept(node)
    _check_lists(clause, tables=node.tables is not None)
    wanted = definition_plans.WantedTables(connection.id, clause.publication)
    published = clause.published if _answers(clause.published, wanted) else None
    tables = () if published is None else _tables(planner, node, clause, name, published)
    return definition_plans.CreateSource(
        name,
        _options(clause, connection.id, published),
        None,
        (),
        query_plans.Envelope.NONE,
        check_cluster(node.cluster, planner.context),
        sql,
        node.if_not_exists,
        None,
        tables,
        wanted if published is None else (),
    )


def _options(
    clause: UpstreamSourceClause, connection: str, published: UpstreamTables | None
) -> UpstreamOptions:
    if clause.publication is None:
        return MysqlOptions(connection)
    timeline = published.timeline_id if isinstance(published, Published) else None
    return PostgresOptions(
        connection,
        clause.publication,
        timeline_id=timeline,
        snapshot_connections=clause.snapshot_connections,
    )


def create_source_table(
    planner: Planner,
    node: CreateSourceTableStatement,
    name: QualifiedName,
    source: CatalogItem,
    options: UpstreamOptions,
    sql: str,
) -> definition_plans.CreateSourceTable:
    _refuse_twice(node.text, node.excluded)
    for column in (*node.text, *node.excluded):
        if len(column.parts) > 1:
            raise SqlSyntaxError(
                f'"{_shown(column)}" is not a column: a table lists its columns without its name',
                position=column.position,
            )
    publication = options.publication if isinstance(options, PostgresOptions) else None
    wanted = definition_plans.WantedTables(options.connection, publication)
    if not _answers(node.published, wanted):
        return definition_plans.CreateSourceTable(
            name, source.id, _shown(node.reference), Schema(()), node.if_not_exists, wanted=wanted
        )
    assert node.published is not None
    upstream = _find(node.published, node.reference)
    asked = _Asked(name, upstream, node.text, node.excluded)
    (made,) = _made([asked], node.reference.position, of_source=False)
    return replace(
        made,
        source=source.id,
        if_not_exists=node.if_not_exists,
        retain_history_ms=node.retain_history_ms,
        create_sql=sql,
        where=row_filter(planner, node.where, name, made.schema, asked.taken().excluded),
        retention=row_retention(node.retain_rows, name.name, made.schema),
    )


def _answers(published: UpstreamTables | None, wanted: definition_plans.WantedTables) -> bool:
    """Whether that is what was asked for: names in the statement may mean something else by now."""
    return published is not None and (published.connection, published.publication) == (
        wanted.connection,
        wanted.publication,
    )


def _tables(
    planner: Planner,
    node: CreateSourceStatement,
    clause: UpstreamSourceClause,
    source: QualifiedName,
    published: UpstreamTables,
) -> tuple[definition_plans.CreateSourceTable, ...]:
    """The tables that the statement makes with the source."""
    chosen = _chosen(planner, node, clause, source, published)
    refuse_same_names(source, ((name, table.reference) for name, table in chosen), node.name.position)
    taken = {upstream.reference for _, upstream in chosen}
    text, excluded = (_by_table(published, names, taken) for names in (clause.text, clause.excluded))
    asked = [
        _Asked(name, upstream, text.get(upstream.reference, ()), excluded.get(upstream.reference, ()))
        for name, upstream in chosen
    ]
    tables = _made(asked, clause.position, of_source=True)
    progress = LSN_SCHEMA if clause.kind is ConnectionKind.POSTGRES else GTID_SCHEMA
    tables += tables_beside(planner, node, source, clause.kind.value, progress)
    refuse_same_names(source, named(tables), node.name.position)
    return tables


def _chosen(
    planner: Planner,
    node: CreateSourceStatement,
    clause: UpstreamSourceClause,
    source: QualifiedName,
    published: UpstreamTables,
) -> list[tuple[QualifiedName, AnyTable]]:
    """Tables upstream, with the names of those that are made of them: in the source's schema, unless it is said."""
    if node.tables:
        return [
            (
                table_beside(asked.name, source, planner)
                if asked.name is not None
                else replace(source, name=table.name),
                table,
            )
            for asked in node.tables
            for table in (_find(published, asked.reference),)
        ]
    if node.tables is None:
        return []
    found: Sequence[AnyTable] = published.tables
    if clause.schemas is not None:
        _refuse_twice(clause.schemas)
        schemas = {name.parts[-1] for name in clause.schemas}
        found = [table for table in published.tables if table.schema in schemas]
        for name in clause.schemas:
            if not any(table.schema == name.parts[-1] for table in found):
                raise PtvcError(
                    f'{published.named} has no tables in schema "{name.parts[-1]}"',
                    sqlstate="3F000",
                    hint=_offer(published),
                    position=name.position,
                )
    if not found:
        raise PtvcError(
            f"{published.named} has no tables",
            sqlstate="42P01",
            hint="Make some there, or leave out FOR ALL TABLES, and CREATE TABLE ... FROM SOURCE later.",
            position=clause.position,
        )
    return [(replace(source, name=table.name), table) for table in found]


@dataclass(frozen=True, slots=True)
class _Asked:
    """A table that is to be made of one upstream; `text` and `excluded` are columns of its lists."""

    name: QualifiedName
    upstream: AnyTable
    text: Sequence[ast.Name]
    excluded: Sequence[ast.Name]

    @property
    def as_text(self) -> frozenset[str]:
        return frozenset(column.parts[-1] for column in self.text)

    def taken(self) -> AnyTable:
        return self.upstream.without(frozenset(column.parts[-1] for column in self.excluded))


def _made(
    asked: Sequence[_Asked], position: int, *, of_source: bool
) -> tuple[definition_plans.CreateSourceTable, ...]:
    """The tables, with what is shown of each; lists `of_source` name columns with their tables."""
    for one in asked:
        _check_whole(one, position)
    refuse_unsupported([(one.taken(), one.as_text) for one in asked], position, of_source=of_source)
    return tuple(_table(one, position) for one in asked)


def _check_whole(asked: _Asked, position: int) -> None:
    """Raises what keeps the table from being read."""
    upstream = asked.upstream
    if upstream.obstacle is not None:
        raise PtvcError(
            f'table "{upstream.reference}" cannot be read whole: {upstream.obstacle}',
            sqlstate="55000",
            position=position,
        )
    if isinstance(upstream, UpstreamTable) and upstream.identity != "f":
        raise PtvcError(
            f'table "{upstream.reference}" has not REPLICA IDENTITY FULL: its changes come without the rows that they take away',
            sqlstate="55000",
            hint=f"Run there: ALTER TABLE {reference_sql(upstream)} REPLICA IDENTITY FULL; and for each partition, if it has some.",
            position=position,
        )
    known = {column.name for column in upstream.columns}
    for column in (*asked.text, *asked.excluded):
        if column.parts[-1] not in known:
            raise UndefinedColumn(
                f'column "{column.parts[-1]}" of table "{upstream.reference}" does not exist there',
                position=column.position,
            )


def _table(asked: _Asked, position: int) -> definition_plans.CreateSourceTable:
    taken = asked.taken()
    if not taken.columns:
        raise Unsupported(f'no columns are left of table "{taken.reference}"', position=position)
    schema = tuple(
        Column(column.name, column_type(column, as_text=column.name in asked.as_text), column.nullable)
        for column in taken.columns
    )
    return definition_plans.CreateSourceTable(
        asked.name, None, taken.reference, Schema(schema), upstream=replace(taken, names_rows=True).to_json()
    )


def _find(published: UpstreamTables, name: ast.Name) -> AnyTable:
    """The table upstream, which may be named without its schema, or with the database."""
    *before, own = name.parts
    found = [
        table
        for table in published.tables
        if table.name == own
        and (not before or table.schema == before[-1])
        and (len(before) < 2 or before == [published.database, table.schema])
    ]
    if len(found) != 1:
        shown = _shown(name)
        raise PtvcError(
            f'{published.named} has no table "{shown}"'
            if not found
            else f'"{shown}" is ambiguous: {published.named} has {", ".join(t.reference for t in found)}',
            sqlstate="42P01" if not found else "42702",
            hint=_offer(published) if not found else "Name the schema, too.",
            position=name.position,
        )
    return found[0]


def _offer(published: UpstreamTables) -> str:
    shown = [reference_sql(table) for table in published.tables[:_MOST_SHOWN]]
    more = len(published.tables) - len(shown)
    has = f"It has {', '.join(shown)}{f', and {more} more' if more else ''}" if shown else "It has no tables"
    return f"{has}; {published.remedy}"


def _check_lists(clause: UpstreamSourceClause, *, tables: bool) -> None:
    """TEXT COLUMNS and EXCLUDE COLUMNS, as far as they can be looked at before upstream is."""
    _refuse_twice(clause.text, clause.excluded)
    for column in (*clause.text, *clause.excluded):
        if not tables:
            raise SqlSyntaxError(
                "TEXT COLUMNS and EXCLUDE COLUMNS of a source are for the tables that FOR ... makes with it",
                hint="CREATE TABLE ... FROM SOURCE ... WITH (TEXT COLUMNS (...)) has its own.",
                position=column.position,
            )
        if len(column.parts) < 3:
            raise SqlSyntaxError(
                f'"{_shown(column)}" does not say of which table the column is',
                hint="A source lists columns as schema.table.column.",
                position=column.position,
            )


def _by_table(
    published: UpstreamTables, columns: Sequence[ast.Name], taken: set[str]
) -> dict[str, list[ast.Name]]:
    """The columns of each table that is made."""
    found: dict[str, list[ast.Name]] = {}
    for column in columns:
        table = _find(published, ast.Name(column.parts[:-1], column.position))
        if table.reference not in taken:
            raise PtvcError(
                f'"{_shown(column)}" is a column of a table that is not made with the source',
                sqlstate="42703",
                position=column.position,
            )
        found.setdefault(table.reference, []).append(column)
    return found


def _refuse_twice(*lists: Sequence[ast.Name]) -> None:
    """A name stands in the lists once."""
    seen: set[tuple[str, ...]] = set()
    for name in (name for listed in lists for name in listed):
        if name.parts in seen:
            raise PtvcError(
                f'"{_shown(name)}" is given more than once', sqlstate="42701", position=name.position
            )
        seen.add(name.parts)


def _shown(name: ast.Name) -> str:
    return ".".join(name.parts)
