"""Tables that CREATE SOURCE makes beside the source: that of its position, and that of its dead letters."""

from __future__ import annotations

from ....errors import Unsupported
from ....repr.schema import Schema
from ....storage.dead_letters import DEAD_LETTERS, letters_name, letters_schema
from ....storage.ingestion import PROGRESS
from ...catalog.catalog_view import QualifiedName
from ...catalog.names import new_name
from ...plans import definition_plans, query_plans
from ...query.planner import Planner
from ...syntax import ast
from ...syntax.definition_statements import CreateSourceStatement
from ..definitions import refuse_repeated


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
        name = table_name(node.progress, planner)
        tables.append(definition_plans.CreateSourceTable(name, None, PROGRESS, progress))
    if (asked := node.dead_letters) is not None:
        parts = node.name.parts
        default = ast.Name((*parts[:-1], letters_name(parts[-1])), node.name.position)
        schema = _letters_schema(node, connector, envelope)
        name = table_name(asked.name or default, planner)
        tables.append(definition_plans.CreateSourceTable(name, None, DEAD_LETTERS, schema))
    refuse_repeated([str(source), *(str(table.name) for table in tables)], node.name)
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
            hint="It is for FORMAT JSON and FORMAT CSV.",
            position=position,
        )
    return schema
