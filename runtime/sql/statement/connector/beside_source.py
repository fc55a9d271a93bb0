"""Tables that CREATE SOURCE makes beside the source: that of its position, and that of its dead letters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ....errors import PtvcError, Unsupported
from ....repr.schema import Schema
from ....storage.dead_letters import DEAD_LETTERS, letters_name, letters_schema
from ....storage.ingestion import PROGRESS
from ...catalog.catalog_view import QualifiedName
from ...catalog.names import new_name
from ...plans import definition_plans, query_plans
from ...query.planner import Planner
from ...syntax import ast
from ...syntax.definition_statements import CreateSourceStatement


def table_name(name: ast.Name, planner: Planner) -> QualifiedName:
    """That of a table which is made from a source."""
    full = new_name(name, planner.context)
    if full.schema == planner.context.temp_schema:
        raise Unsupported(
            "temporary tables of sources are not supported",
            hint="Choose another schema.",
            position=name.position,
        )
    return full


def table_beside(name: ast.Name, source: QualifiedName, planner: Planner) -> QualifiedName:
    """That of a table which is made with the source: in its schema, unless the name says another one."""
    if len(name.parts) > 1 or source.schema == planner.context.temp_schema:
        return table_name(name, planner)
    return replace(source, name=name.parts[0])


def refuse_same_names(
    source: QualifiedName, tables: Iterable[tuple[QualifiedName, str]], position: int
) -> None:
    """What one statement makes has names of its own: the source, and tables of these references."""
    made = {source: "the source itself"}
    for name, reference in tables:
        own = _OWN_WORDS.get(reference, f'the table of "{reference}"')
        other = made.setdefault(name, own)
        if other is not own:
            raise PtvcError(
                f'"{name}" would be both {other} and {own}',
                sqlstate="42P07",
                hint="FOR TABLES (table AS name, ...) says what tables are called.",
                position=position,
            )


def named(
    tables: Iterable[definition_plans.CreateSourceTable],
) -> Iterator[tuple[QualifiedName, str]]:
    """Their names and references."""
    return ((table.name, table.reference) for table in tables)


_OWN_WORDS = {PROGRESS: "its progress relation", DEAD_LETTERS: "its dead letters"}


def is_progress(reference: ast.Name) -> bool:
    """Whether it is the source's position that is meant, which no table upstream is called."""
    return reference.parts == (PROGRESS,)


def tables_beside(
    planner: Planner,
    node: CreateSourceStatement,
    source: QualifiedName,
    connector: str,
    progress: Schema | None,
    envelope: query_plans.Envelope = query_plans.Envelope.NONE,
) -> tuple[definition_plans.CreateSourceTable, ...]:
    """Those that the statement asks for; `progress` are the columns of a position, None where it is not exposed."""
    tables = []
    if node.progress is not None and progress is not None:
        name = table_beside(node.progress, source, planner)
        tables.append(definition_plans.CreateSourceTable(name, None, PROGRESS, progress))
    if (asked := node.dead_letters) is not None:
        schema = _letters_schema(node, connector, envelope)
        default = ast.Name((source.schema, letters_name(source.name)), node.name.position)
        name = table_beside(asked.name or default, source, planner)
        tables.append(definition_plans.CreateSourceTable(name, None, DEAD_LETTERS, schema))
    refuse_same_names(source, named(tables), node.name.position)
    return tuple(tables)


def _letters_schema(node: CreateSourceStatement, connector: str, envelope: query_plans.Envelope) -> Schema:
    assert node.dead_letters is not None
    position = node.dead_letters.position
    schema = letters_schema(connector)
    if schema is None:
        raise Unsupported(
            "ON ERROR = DEAD LETTER of such a source is not supported: nothing is decoded",
            hint="It is for FILE, S3 and KAFKA sources.",
            position=position,
        )
    if envelope is not query_plans.Envelope.NONE:
        raise Unsupported(
            f"ON ERROR = DEAD LETTER with ENVELOPE {node.envelope.upper()} is not supported: a record in error takes the place of the row of its key",
            hint="KAFKA sources with ENVELOPE UPSERT have VALUE DECODING ERRORS = (INLINE); or let ENVELOPE NONE keep every record.",
            position=position,
        )
    if node.format == "parquet":
        raise Unsupported(
            "ON ERROR = DEAD LETTER of FORMAT PARQUET is not supported: a row of such a file has no bytes of its own",
            hint="It is for FORMAT JSON, CSV and AVRO.",
            position=position,
        )
    return schema
