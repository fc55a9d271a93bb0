"""A POSTGRES source without a runtime: what it hands out is committed here, and its position kept."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from time import monotonic, sleep
from typing import Any

import psycopg
from ptvc.clock import SystemClock
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT, ScalarType
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.connectors import AskedOutput, asked_outputs, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.ingestion import PROGRESS, Ingestion, OutputChanges, Status
from ptvc.storage.source.postgres.options import PostgresOptions
from ptvc.storage.source.postgres.progress import PROGRESS_SCHEMA
from ptvc.storage.source.postgres.publication import published_tables
from servers.postgres_listening import Listening

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


class Reader:
    """`contents` and `errors` of each table are those of the last commit; `seen` is called after each."""

    def __init__(self, upstream: Upstream, *, chunk_bytes: int = 8 << 20) -> None:
        self.upstream = upstream
        self.position: str | None = None
        self.contents: dict[str, Counter[tuple[Any, ...]]] = {}
        self.errors: dict[str, Counter[str]] = {}
        self.asked: dict[str, AskedOutput] = {}
        self.commits = self.pieces = 0
        self.seen: Callable[[], None] = lambda: None
        self._chunk_bytes = chunk_bytes
        self._ingestion: Ingestion | None = None
        self._staged: list[tuple[str, OutputChanges]] = []
        given = {"HOST": "127.0.0.1", "PORT": str(upstream.server.port), "DATABASE": "postgres", "USER": USER}
        options = ConnectionOptions(ConnectionKind.POSTGRES, given | {"PASSWORD": PASSWORD})
        self._connections = {"c": Values(options, {})}

    def ask(self, *tables: str, types: dict[str, ScalarType] = TYPES) -> None:
        """These, too, are made of the source."""
        there = {table.name: table for table in published_tables(self.upstream.db, self.upstream.name)}
        for name in tables:
            table = there[name]
            columns = [Column(c.name, types[c.type_name], c.nullable) for c in table.columns]
            self.asked[name] = AskedOutput(table.reference, Schema(tuple(columns)), table.to_json())
            self.contents[name], self.errors[name] = Counter(), Counter()
        self._tell()

    def ask_progress(self) -> None:
        self.asked["progress"] = AskedOutput(PROGRESS, PROGRESS_SCHEMA)
        self.contents["progress"], self.errors["progress"] = Counter(), Counter()
        self._tell()

    def forget(self, *tables: str) -> None:
        for name in tables:
            del self.asked[name]
        self._tell()

    def _tell(self) -> None:
        if self._ingestion is not None:
            self._ingestion.set_outputs(asked_outputs(self.asked))

    @property
    def ingestion(self) -> Ingestion:
        if self._ingestion is None:
            self._ingestion = open_ingestion(
                PostgresOptions("c", self.upstream.name, self.upstream.name),
                self.asked,
                (),
                EnvelopeKind.NONE,
                SystemClock(),
                position=self.position,
                connections=self._connections,
                chunk_bytes=self._chunk_bytes,
            )
        return self._ingestion

    def die(self) -> None:
        """What was not committed is lost."""
        if self._ingestion is not None:
            self._ingestion.close()
        self._ingestion, self._staged = None, []

    def advance(self) -> bool:
        """Commits one transaction; False when there is nothing, or the rest of one is to come."""
        while (complete := self.step()) is False:
            pass
        return complete is True

    def step(self) -> bool | None:
        """Stages a piece (False), or commits a transaction (True); None when there is nothing."""
        ingest = self.ingestion.advance()
        if not self.ingestion.in_transaction:
            self._staged = []
        if ingest is None:
            return None
        self._staged += ingest.outputs.items()
        if ingest.complete:
            staged, self._staged = self._staged, []
            self._commit(staged, ingest.position)
            return True
        self.pieces += 1
        self.ingestion.staged()
        return False

    def _commit(self, staged: Sequence[tuple[str, OutputChanges]], position: str) -> None:
        for id_, changes in staged:
            oks, errs = changes.oks, changes.errs
            rows = zip(*(column.to_pylist() for column in oks.columns), strict=True)
            for row, diff in zip(rows, oks.diffs.tolist(), strict=True):
                self.contents[id_][row] += diff
            for message, diff in zip(errs.columns[1].to_pylist(), errs.diffs.tolist(), strict=True):
                self.errors[id_][message] += diff
            for counted in (self.contents[id_], self.errors[id_]):
                for one in [one for one, count in counted.items() if not count]:
                    del counted[one]
                assert all(count > 0 for count in counted.values()), f"{id_} is no collection of rows"
        self.commits += 1
        self.position = position
        self.ingestion.committed(self.commits)
        self.seen()

    def until(self, condition: Callable[[], Any], timeout_s: float = 30.0) -> None:
        """Advances until it holds."""
        end = monotonic() + timeout_s
        while not condition():
            now = self.ingestion.statistics
            assert monotonic() < end, f"{now.status} {now.reason}, {self.errors}"
            if not self.advance() and now.status is Status.STALLED:
                sleep(0.05)

    def until_stalled(self, text: str) -> None:
        def stalled() -> bool:
            return text in (self.ingestion.statistics.reason or "")

        self.until(stalled)

    def equals(self, *tables: str) -> bool:
        return all(self.contents[name] == self.upstream.contents(name) for name in tables)
