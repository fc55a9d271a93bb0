"""A POSTGRES source without a runtime: what it hands out is committed here, and its position kept."""

from __future__ import annotations

import uuid
from collections import Counter
from typing import Any

import psycopg
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT, ScalarType
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connectors import AskedOutput
from ptvc.storage.source.postgres.options import PostgresOptions
from ptvc.storage.source.postgres.progress import PROGRESS_SCHEMA
from ptvc.storage.source.postgres.publication import published_tables
from servers.postgres_listening import Listening

from ..tables_reader import TablesReader

Db = psycopg.Connection[tuple[Any, ...]]
USER, PASSWORD = "ann", "a-password"
TYPES = {"bigint": INT8, "text": TEXT}


class Upstream:
    """A schema and a publication of its own in the server."""

    def __init__(self, server: Listening) -> None:
        self.server = server
        self.name = f"s{uuid.uuid4().hex[:12]}"
        self.db: Db = psycopg.connect(server.uri, autocommit=True)
        self.run(f"CREATE SCHEMA {self.name}", f"GRANT USAGE ON SCHEMA {self.name} TO {USER}")
        self.run(f"SET search_path = {self.name}", f"CREATE PUBLICATION {self.name}")

    def reconnect(self) -> None:
        """After a restart of the server."""
        self.db = psycopg.connect(self.server.uri, autocommit=True)
        self.run(f"SET search_path = {self.name}")

    def run(self, *statements: str) -> None:
        for statement in statements:
            self.db.execute(statement.encode())

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.db.execute(sql.encode()).fetchall()

    def table(self, name: str, columns: str) -> None:
        """One that is published, and full."""
        self.run(
            f"CREATE TABLE {name} ({columns})",
            f"ALTER TABLE {name} REPLICA IDENTITY FULL",
            f"GRANT SELECT ON {name} TO {USER}",
            f"ALTER PUBLICATION {self.name} ADD TABLE {name}",
        )

    def contents(self, name: str) -> Counter[tuple[Any, ...]]:
        return Counter(self.rows(f"SELECT * FROM {name}"))

    def slots(self) -> list[str]:
        found = self.rows(f"SELECT slot_name FROM pg_replication_slots WHERE slot_name LIKE '{self.name}%'")
        return sorted(name for (name,) in found)

    def close(self) -> None:
        """What is left of the source goes with it."""
        self.run(
            "SELECT pg_terminate_backend(active_pid, 5000) FROM pg_replication_slots "
            f"WHERE slot_name LIKE '{self.name}%' AND active_pid IS NOT NULL",
            f"SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name LIKE '{self.name}%'",
            f"DROP PUBLICATION {self.name}",
        )
        self.db.close()


class Reader(TablesReader):
    """Of that schema and publication."""

    def __init__(
        self,
        upstream: Upstream,
        *,
        chunk_bytes: int = 8 << 20,
        snapshot_connections: int | None = None,
        database: str = "postgres",
    ) -> None:
        self.upstream = upstream
        given = {"HOST": "127.0.0.1", "PORT": str(upstream.server.port), "DATABASE": database, "USER": USER}
        options = ConnectionOptions(ConnectionKind.POSTGRES, given | {"PASSWORD": PASSWORD})
        asked = PostgresOptions("c", upstream.name, upstream.name, snapshot_connections=snapshot_connections)
        super().__init__(asked, options, chunk_bytes=chunk_bytes)

    def there(self, name: str) -> Counter[tuple[Any, ...]]:
        return self.upstream.contents(name)

    def ask(self, *tables: str, types: dict[str, ScalarType] = TYPES) -> None:
        """These, too, are made of the source."""
        there = {table.name: table for table in published_tables(self.upstream.db, self.upstream.name)}
        for name in tables:
            table = there[name]
            columns = [Column(c.name, types[c.type_name], c.nullable) for c in table.columns]
            self.add({name: AskedOutput(table.reference, Schema(tuple(columns)), table.to_json())})

    def ask_progress(self) -> None:
        self.add_progress(PROGRESS_SCHEMA)
