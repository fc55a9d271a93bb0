"""CREATE SINK ... INTO POSTGRES: the connection and the table."""

from __future__ import annotations

from ....storage.connections.options import ConnectionKind
from ....storage.sink.postgres.options import PostgresSinkOptions
from ...query.planner import Planner
from ...syntax.sink_statements import PostgresSinkClause
from .message_schemas import connection_of


def options_of(planner: Planner, clause: PostgresSinkClause) -> PostgresSinkOptions:
    """But for the sink's identity, which the catalog adds."""
    connection = connection_of(planner, clause.connection, ConnectionKind.POSTGRES)
    *schema, table = clause.table.parts
    return PostgresSinkOptions(
        connection.id, table, schema[0] if schema else "public", snapshot=clause.snapshot
    )
