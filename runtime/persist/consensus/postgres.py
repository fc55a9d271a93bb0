"""Consensus in a schema of a PostgreSQL database: for environments of several machines.

Ordinary tables (`postgres_schema`); a commit is one statement (`postgres_commit`) at `READ COMMITTED`, durable when it
is answered (`synchronous_commit`).  Two connections (`postgres_connection`), each behind its own lock: reading does not
wait for a commit.  Values travel in PostgreSQL's binary format.

Whether anything was committed is asked of the server's own bookkeeping, its current snapshot: a transaction that has
ended is not under way in it any more, so it differs.  It differs for other databases' transactions on the same server,
too, which costs a look at a version.  Nothing is written for it, and nothing can be missed, as a notification can.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from ...errors import StorageError
from ...repr.schema import Schema
from ..part import BlobKey, PartRef, ShardId
from ..state import Head, Hold, ShardBatch
from . import postgres_commit, postgres_schema
from .base import Garbage, Outcome, Transaction, WriterRow
from .copies import (
    BOOLEANS,
    CONDITIONS,
    EPOCHS_AHEAD,
    IDENTITY,
    ORACLE,
    RESTORED,
    ROWS_AT_ONCE,
    TABLES,
    Dump,
    Write,
    not_empty,
)
from .postgres_connection import Connection, PostgresConnection, PostgresPlace

T = TypeVar("T")

_HEAD = b"""
SELECT s.version, s.rewrites, s.start, s.since, s.upper, s.dropped, c.columns,
    h.shard, h.holder, h.since, h.critical, h.lease_ms, h.version, h.beat
FROM shard s JOIN schema c ON c.shard = s.id AND c.ordinal = s.schema LEFT JOIN hold h ON h.shard = s.id
WHERE s.id = %b ORDER BY h.holder
"""
_BATCHES = b"""
SELECT b.lower, b.upper, b.since, b.version, p.metadata, p.inline, p.blob
FROM batch b LEFT JOIN part p ON p.shard = b.shard AND p.lower = b.lower
WHERE b.shard = %b AND b.version > %b ORDER BY b.lower, p.ordinal
"""
_LEASES = b"SELECT shard, holder, since, critical, lease_ms, version, beat FROM hold WHERE NOT critical"
_KNOWN = b"""
SELECT key FROM unnest(%b::text[]) AS asked(key)
WHERE EXISTS (SELECT FROM part WHERE blob = key) OR EXISTS (SELECT FROM garbage WHERE blob = key)
"""
_BEAT = b"""
WITH mine AS MATERIALIZED (
    SELECT shard FROM hold WHERE holder = %(holder)b AND NOT critical ORDER BY shard FOR NO KEY UPDATE
)
UPDATE hold SET beat = beat + 1 FROM mine WHERE hold.shard = mine.shard AND holder = %(holder)b
"""
_TAKE_EPOCH = b"""
INSERT INTO epoch VALUES (%b, 1) ON CONFLICT (name) DO UPDATE SET value = epoch.value + 1 RETURNING value
"""


class PostgresConsensus:
    """Thread-safe."""

    def __init__(self, conninfo: str, *, create: bool = True) -> None:
        """Open the store, or create it if it is not there in a database: a URL or connection string, whose option `search_path` names the
        schema ("ptvc" by default).  Raises InvalidParameter for one that cannot be read, or holds nothing; StorageError if the server
        cannot be reached or used, or what is there is of another program or a newer format."""
        self._place = PostgresPlace.of(conninfo)
        self._create = create
        self._identity: int | None = None
        self._writer = PostgresConnection(self._place, self._check)
        self._reader = PostgresConnection(self._place, self._check)
        self._seen: tuple[object, ...] = ()
        self._changes = 0
        self._identity = self._writer.repeatable("open", postgres_schema.identity)

    def _check(self, connection: Connection) -> None:
        """A connection leads to the store that the first one led to."""
        if self._identity is None:
            postgres_schema.prepare(connection, self._place, create=self._create)
        elif postgres_schema.identity(connection) != self._identity:
            raise StorageError(
                f"{self._place} is another environment's now",
                hint="Start the runtime again, on the right one.",
            )

    def _query(self, sql: bytes, *parameters: object) -> list[Any]:
        return self._reader.repeatable("read", lambda db: db.execute(sql, parameters, binary=True).fetchall())

    # Reading

    def identity(self) -> int:
        assert self._identity is not None
        return self._identity

    def change_count(self) -> int:
        def look(db: Connection) -> int:
            row = db.execute(b"SELECT pg_current_snapshot()::text", binary=True).fetchone()
            # A new connection may lead to another server, which counts otherwise.
            if (seen := (row, self._reader.generation)) != self._seen:
                self._seen = seen
                self._changes += 1
            return self._changes

        return self._reader.repeatable("read", look)

    def shard_ids(self, *, dropped: bool = False) -> list[ShardId]:
        found = self._query(b"SELECT id FROM shard WHERE NOT dropped OR %b", dropped)
        return [shard for (shard,) in found]

    def version(self, shard: ShardId) -> int | None:
        rows = self._query(b"SELECT version FROM shard WHERE id = %b", shard)
        return rows[0][0] if rows else None

    def head(self, shard: ShardId) -> Head | None:
        return _head(shard, self._query(_HEAD, shard))

    def batches(self, shard: ShardId, after_version: int) -> tuple[Head, list[ShardBatch]] | None:
        def read(db: Connection) -> tuple[list[Any], list[Any]]:
            with db.pipeline():
                db.execute(b"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
                head = db.execute(_HEAD, (shard,), binary=True)
                batches = db.execute(_BATCHES, (shard, after_version), binary=True)
                db.execute(b"COMMIT")
                return head.fetchall(), batches.fetchall()

        rows, found = self._reader.repeatable("read", read)
        head = _head(shard, rows)
        return None if head is None else (head, _batches(shard, found))

    def writer(self, writer: str) -> WriterRow | None:
        rows = self._query(b"SELECT writer, fingerprint, committed_ms FROM writer WHERE writer = %b", writer)
        return WriterRow(*rows[0]) if rows else None

    def leases(self) -> list[Hold]:
        return [Hold(*row) for row in self._query(_LEASES)]

    def mark(self) -> int:
        return self._mark(ORACLE)

    def restored_upper(self) -> int:
        return self._mark(RESTORED)

    def _mark(self, name: str) -> int:
        rows = self._query(b"SELECT value FROM mark WHERE name = %b", name)
        return rows[0][0] if rows else 0

    def garbage(self) -> list[Garbage]:
        rows = self._query(b"SELECT shard, version, blob FROM garbage")
        return [Garbage(shard, version, BlobKey(blob)) for shard, version, blob in rows]

    def known_blobs(self, blobs: Iterable[BlobKey]) -> set[BlobKey]:
        return {BlobKey(key) for (key,) in self._query(_KNOWN, list(blobs))}

    def dump(self, write: Write) -> None:
        def read(db: Connection) -> None:
            with db.transaction():
                db.execute(b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
                for table in TABLES:
                    with db.cursor(name="dump") as cursor:
                        cursor.execute(_select(table), binary=True)
                        while rows := cursor.fetchmany(ROWS_AT_ONCE):
                            write(table, rows)

        self._reader.once("read", read)

    # Writing

    def load(self, dump: Dump, identity: int, restored: int = 0) -> None:
        def fill(db: Connection) -> None:
            with db.transaction(), db.cursor() as cursor:
                cursor.execute(b"SELECT EXISTS (SELECT FROM shard) OR EXISTS (SELECT FROM epoch)")
                if cursor.fetchall() != [(False,)]:
                    raise not_empty(str(self._place))
                dump(lambda table, rows: cursor.executemany(_insert(table), rows))
                cursor.execute(b"UPDATE mark SET value = %b WHERE name = %b", (identity, IDENTITY))
                if restored:
                    cursor.execute(b"INSERT INTO mark VALUES (%b, %b)", (RESTORED, restored))
                    cursor.execute(b"UPDATE epoch SET value = value + %b", (EPOCHS_AHEAD,))

        self._writer.once("restore into", fill)
        self._identity = identity

    def commit(self, transaction: Transaction) -> Outcome:
        return self._writer.once("commit to", lambda db: postgres_commit.commit(db, transaction))

    def take_epoch(self, name: str) -> int:
        # Taken twice for one caller, it fences the same others as once.
        rows = self._write(lambda db: db.execute(_TAKE_EPOCH, (name,), binary=True).fetchall())
        return int(rows[0][0])

    def beat(self, holder: str) -> int:
        return self._write(lambda db: db.execute(_BEAT, {"holder": holder}).rowcount)

    def forget_writers(self, before_ms: int) -> None:
        self._write(lambda db: db.execute(b"DELETE FROM writer WHERE committed_ms < %b", (before_ms,)))

    def forget_garbage(self, blobs: Sequence[BlobKey]) -> None:
        self._write(
            lambda db: db.execute(b"DELETE FROM garbage WHERE blob = ANY(%b::text[])", (list(blobs),))
        )

    def _write(self, work: Callable[[Connection], T]) -> T:
        return self._writer.repeatable("commit to", work)

    def close(self) -> None:
        self._reader.close()
        self._writer.close()


def _select(table: str) -> bytes:
    columns = ", ".join(f"{name}::int" if name in BOOLEANS else name for name in TABLES[table])
    return f"SELECT {columns} FROM {table} WHERE {CONDITIONS.get(table, 'true')}".encode()


def _insert(table: str) -> bytes:
    columns = TABLES[table]
    values = ", ".join("%b <> 0" if name in BOOLEANS else "%b" for name in columns)
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({values})".encode()


def _head(shard: ShardId, rows: Sequence[Any]) -> Head | None:
    """Of rows that are the shard with one hold each, or none."""
    if not rows:
        return None
    version, rewrites, start, since, upper, dropped, columns = rows[0][:7]
    return Head(
        shard=shard,
        version=version,
        rewrites=rewrites,
        start=start,
        since=since,
        upper=upper,
        schema=Schema.from_json(json.loads(columns)),
        holds=tuple(Hold(*row[7:]) for row in rows if row[7] is not None),
        dropped=dropped,
    )


def _batches(shard: ShardId, rows: Sequence[Any]) -> list[ShardBatch]:
    """Of rows that are a batch with one part each, or none, in order."""
    found: list[ShardBatch] = []
    parts: list[PartRef] = []
    for number, (lower, upper, since, version, metadata, inline, blob) in enumerate(rows):
        if metadata is not None:
            parts.append(PartRef.from_metadata(shard, metadata, inline, blob))
        if number + 1 == len(rows) or rows[number + 1][0] != lower:
            found.append(ShardBatch(shard, lower, upper, since, version, tuple(parts)))
            parts = []
    return found
