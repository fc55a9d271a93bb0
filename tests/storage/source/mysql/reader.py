"""A MYSQL source without a runtime."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Mapping
from random import Random
from typing import Any

from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT, ScalarType
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connectors import AskedOutput
from ptvc.storage.source.mysql.options import MysqlOptions
from ptvc.storage.source.mysql.progress import PROGRESS_SCHEMA
from ptvc.storage.source.mysql.server import offered_tables
from ptvc.storage.source.mysql.tables import MysqlColumn
from servers.mysql_process import PASSWORD, USER, MysqlProcess
from servers.mysql_servers import is_mariadb

from ..tables_reader import TablesReader


class Upstream:
    """A schema of its own in the server."""

    def __init__(self, server: MysqlProcess) -> None:
        self.server = server
        self.name = f"s{uuid.uuid4().hex[:12]}"
        self.db = server.connect()
        self.run(f"CREATE DATABASE {self.name} CHARACTER SET utf8mb4", f"USE {self.name}")

    def reconnect(self) -> None:
        """After a restart of the server."""
        self.db = self.server.connect(self.name)

    def run(self, *statements: str) -> None:
        with self.db.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        with self.db.cursor() as cursor:
            cursor.execute(sql)
            return list(cursor.fetchall())

    @property
    def gtids(self) -> str:
        """All transactions, as the server writes them."""
        asked = "@@GLOBAL.gtid_binlog_pos" if is_mariadb(self.server) else "@@GLOBAL.gtid_executed"
        return str(self.rows(f"SELECT {asked}")[0][0])

    def table(self, name: str, columns: str) -> None:
        self.run(f"CREATE TABLE {name} ({columns})")

    def close(self) -> None:
        self.run(f"DROP DATABASE {self.name}")
        self.db.close()


def plain_type(column: MysqlColumn) -> ScalarType:
    """As tables of a source have it."""
    return {"int": INT4, "bigint": INT8}.get(column.kind, TEXT)


class Reader(TablesReader):
    """Of that schema."""

    def __init__(self, upstream: Upstream, *, chunk_bytes: int = 8 << 20) -> None:
        self.upstream = upstream
        given = {"HOST": "127.0.0.1", "PORT": str(upstream.server.port), "USER": USER, "PASSWORD": PASSWORD}
        options = ConnectionOptions(ConnectionKind.MYSQL, given)
        # Whoever reads under one number ends who reads under it already.
        source = MysqlOptions("c", Random(upstream.name).randrange(1 << 31, 1 << 32))
        super().__init__(source, options, chunk_bytes=chunk_bytes)

    def there(self, name: str) -> Counter[tuple[Any, ...]]:
        return Counter(self.upstream.rows(f"SELECT * FROM {name}"))

    def ask(self, *tables: str, types: Mapping[str, ScalarType] | None = None) -> None:
        """These, too, are made of the source; `types` of columns by their names, which are else those of tables of integers and texts."""
        found = offered_tables(self.upstream.db, [(self.upstream.name, name) for name in tables])
        for table in found:
            assert table.obstacle is None
            columns = [
                Column(c.name, (types or {}).get(c.name) or plain_type(c), c.nullable) for c in table.columns
            ]
            self.add({table.name: AskedOutput(table.reference, Schema(tuple(columns)), table.to_json())})

    def ask_progress(self) -> None:
        self.add_progress(PROGRESS_SCHEMA)
