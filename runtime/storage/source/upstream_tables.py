"""Tables upstream of sources that have none of their own: what is common to those of a publication, and those of a server."""

from __future__ import annotations

import json

from .mysql.options import MysqlOptions
from .mysql.tables import MysqlColumn, MysqlTable, MysqlTables
from .postgres.options import PostgresOptions
from .postgres.tables import Published, UpstreamColumn, UpstreamTable

AnyColumn = UpstreamColumn | MysqlColumn
AnyTable = UpstreamTable | MysqlTable
UpstreamTables = Published | MysqlTables
"""What upstream has when it is asked."""
UpstreamOptions = PostgresOptions | MysqlOptions
"""Of sources over such tables."""


def parsed_table(text: str) -> AnyTable:
    """As `to_json` of either wrote it."""
    return (
        MysqlTable.from_json(text)
        if json.loads(text).get("server") == "mysql"
        else UpstreamTable.from_json(text)
    )
