"""Consensus in one SQLite file: the embedded default.

Write-ahead log, `synchronous=FULL`: a commit that returned survives a power loss.  Ordinary tables, short
transactions.  Two connections, each behind its own lock: reading does not wait for a writer's fsync.  Other
processes on the same file are serialised by SQLite; what they commit shows in `PRAGMA data_version`.

Every page of the file ends in a checksum (`sqlite_checksums`), so that no damaged page is taken for what was written.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import apsw

from ...errors import DiskFull, StorageError
from ...repr.schema import Schema
from ..part import BlobKey, PartRef, ShardId
from ..state import Head, Hold, ShardBatch
from . import sqlite_checksums, sqlite_file
from .base import (
    FORMAT_VERSION,
    IDENTITY_BITS,
    Committed,
    Garbage,
    Indeterminate,
    Outcome,
    Transaction,
    WriterRow,
)
from .copies import (
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
from .sqlite_commit import NotApplied, apply

BUSY_TIMEOUT_MS = 10_000
APPLICATION_ID = 0x70747663  # "ptvc": what kind of SQLite file this is

_TABLES = """
CREATE TABLE shard (
    id TEXT PRIMARY KEY, version INTEGER NOT NULL, rewrites INTEGER NOT NULL, start INTEGER NOT NULL,
    since INTEGER NOT NULL, upper INTEGER NOT NULL, schema INTEGER NOT NULL, dropped INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE schema (
    shard TEXT NOT NULL, ordinal INTEGER NOT NULL, columns TEXT NOT NULL, PRIMARY KEY (shard, ordinal)
) WITHOUT ROWID;
CREATE TABLE batch (
    shard TEXT NOT NULL, lower INTEGER NOT NULL, upper INTEGER NOT NULL, since INTEGER NOT NULL,
    version INTEGER NOT NULL, PRIMARY KEY (shard, lower)
) WITHOUT ROWID;
CREATE INDEX batch_by_version ON batch (shard, version);
CREATE TABLE part (
    shard TEXT NOT NULL, lower INTEGER NOT NULL, ordinal INTEGER NOT NULL, metadata TEXT NOT NULL,
    blob TEXT, inline BLOB
);
CREATE UNIQUE INDEX part_by_batch ON part (shard, lower, ordinal);
CREATE INDEX part_by_blob ON part (blob) WHERE blob IS NOT NULL;
CREATE TABLE garbage (
    blob TEXT PRIMARY KEY, shard TEXT NOT NULL, version INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE hold (
    shard TEXT NOT NULL, holder TEXT NOT NULL, since INTEGER NOT NULL, critical INTEGER NOT NULL,
    lease_ms INTEGER, version INTEGER NOT NULL, beat INTEGER NOT NULL, PRIMARY KEY (shard, holder)
) WITHOUT ROWID;
CREATE INDEX hold_by_holder ON hold (holder);
CREATE TABLE writer (
    writer TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, committed_ms INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE epoch (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE mark (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
"""

_HEAD = """
SELECT s.version, s.rewrites, s.start, s.since, s.upper, s.dropped, c.columns
FROM shard s JOIN schema c ON c.shard = s.id AND c.ordinal = s.schema WHERE s.id = ?
"""
_HOLDS = "SELECT shard, holder, since, critical, lease_ms, version, beat FROM hold"
_CHECKSUMS = "checksums"
"""Name of a mark: that every page has a checksum."""


class SqliteConsensus:
    def __init__(self, path: str | Path) -> None:
        """Open or create the store at `path`.  Raises StorageError if it is not one, or of a newer format."""
        self._path = str(path)
        self._write_lock = threading.Lock()
        self._read_lock = threading.Lock()
        try:
            sqlite_file.check_whole(self._path)
            self._writer = self._connect()
            sqlite_file.check_recovered(self._writer, self._path)
            self._prepare()
            self._reader = self._connect()
        except apsw.Error as error:
            raise self._failure("open", error) from error

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(self._path, statementcachesize=200, vfs=sqlite_checksums.vfs())
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def _prepare(self) -> None:
        """Create the tables of a new file, under an exclusive lock; check the format of an old one."""
        if self._writer.execute("PRAGMA page_count").get == 0:
            sqlite_checksums.reserve(self._writer)
        elif self._writer.execute("PRAGMA application_id").get == APPLICATION_ID:
            marked = "SELECT count(*) FROM mark WHERE name = ?"
            sqlite_checksums.add(self._writer, had=bool(self._writer.execute(marked, (_CHECKSUMS,)).get))
        self._writer.execute("PRAGMA journal_mode = WAL")
        with self._transaction("prepare") as db:
            application, version = (
                db.execute("PRAGMA application_id").get,
                db.execute("PRAGMA user_version").get,
            )
            empty = not db.execute("SELECT count(*) FROM sqlite_schema").get
            if empty and application == 0:
                db.execute(_TABLES)
                db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
                db.execute(f"PRAGMA user_version = {FORMAT_VERSION}")
            elif application != APPLICATION_ID:
                raise StorageError(f'"{self._path}" is an SQLite file of another program')
            elif version > FORMAT_VERSION:
                raise StorageError(
                    f'"{self._path}" has format version {version}; this release knows up to {FORMAT_VERSION}',
                    hint="Start it with the newer release that wrote it.",
                )
            db.execute("INSERT OR IGNORE INTO mark VALUES (?, 1)", (_CHECKSUMS,))
            drawn = secrets.randbits(IDENTITY_BITS)
            db.execute("INSERT OR IGNORE INTO mark VALUES (?, ?)", (IDENTITY, drawn))

    @contextlib.contextmanager
    def _transaction(self, what: str) -> Iterator[apsw.Connection]:
        """One durable write transaction.  An error before COMMIT means that nothing was applied."""
        with self._write_lock:
            db = self._writer
            try:
                if db.in_transaction:  # a rollback failed
                    db.execute("ROLLBACK")
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                except BaseException:
                    if db.in_transaction:
                        db.execute("ROLLBACK")
                    raise
            except apsw.Error as error:
                raise self._failure(what, error) from error
            try:
                db.execute("COMMIT")
            except apsw.Error as error:
                raise self._failed_commit(what, error) from error

    def _failed_commit(self, what: str, error: apsw.Error) -> StorageError | DiskFull:
        """COMMIT failed.  For lack of room, nothing was applied; after an error of the device (a failed fsync)
        the next recovery of the log may or may not find it."""
        failure = self._failure(what, error)
        db = self._writer
        with contextlib.suppress(apsw.Error):  # tried again before the next transaction
            if db.in_transaction:
                db.execute("ROLLBACK")
        return (
            failure if isinstance(error, apsw.FullError | apsw.BusyError) else Indeterminate(failure.message)
        )

    def _failure(self, what: str, error: apsw.Error) -> StorageError | DiskFull:
        message = f'could not {what} "{self._path}": {error}'
        match error:
            case apsw.FullError():
                return DiskFull(message, hint="Free some space; nothing that was acknowledged is lost.")
            case apsw.BusyError():
                return StorageError(message, hint="Another process holds the file; stop it or try again.")
            case apsw.IOError() if sqlite_checksums.failed(error):
                message = f'could not {what} "{self._path}": a page\'s checksum does not match'
                return StorageError(message, sqlstate="XX001", hint="Restore the file from a backup.")
            case apsw.CorruptError() | apsw.NotADBError():
                return StorageError(message, sqlstate="XX001", hint="Restore the file from a backup.")
            case _:
                return StorageError(message)

    def _query(self, sql: str, *bindings: object) -> list[Any]:
        with self._read_lock:
            try:
                return list(self._reader.execute(sql, bindings))
            except apsw.Error as error:
                raise self._failure("read", error) from error

    # Reading

    def identity(self) -> int:
        return int(self._query("SELECT value FROM mark WHERE name = ?", IDENTITY)[0][0])

    def change_count(self) -> int:
        return int(self._query("PRAGMA data_version")[0][0])

    def shard_ids(self, *, dropped: bool = False) -> list[ShardId]:
        return [shard for (shard,) in self._query("SELECT id FROM shard WHERE NOT dropped OR ?", dropped)]

    def version(self, shard: ShardId) -> int | None:
        rows = self._query("SELECT version FROM shard WHERE id = ?", shard)
        return rows[0][0] if rows else None

    def head(self, shard: ShardId) -> Head | None:
        with self._snapshot() as db:
            return _read_head(db, shard)

    def batches(self, shard: ShardId, after_version: int) -> tuple[Head, list[ShardBatch]] | None:
        with self._snapshot() as db:
            head = _read_head(db, shard)
            if head is None:
                return None
            return head, _read_batches(db, shard, after_version)

    @contextlib.contextmanager
    def _snapshot(self) -> Iterator[apsw.Connection]:
        """Several reads of one state."""
        with self._read_lock:
            db = self._reader
            try:
                db.execute("BEGIN")
                try:
                    yield db
                finally:
                    if db.in_transaction:  # an error of the device has ended it
                        db.execute("COMMIT")
            except apsw.Error as error:
                raise self._failure("read", error) from error

    def writer(self, writer: str) -> WriterRow | None:
        rows = self._query("SELECT writer, fingerprint, committed_ms FROM writer WHERE writer = ?", writer)
        return WriterRow(*rows[0]) if rows else None

    def leases(self) -> list[Hold]:
        return [_hold(row) for row in self._query(f"{_HOLDS} WHERE NOT critical")]

    def mark(self) -> int:
        rows = self._query("SELECT value FROM mark WHERE name = ?", ORACLE)
        return rows[0][0] if rows else 0

    def restored_upper(self) -> int:
        rows = self._query("SELECT value FROM mark WHERE name = ?", RESTORED)
        return rows[0][0] if rows else 0

    def garbage(self) -> list[Garbage]:
        rows = self._query("SELECT shard, version, blob FROM garbage")
        return [Garbage(shard, version, BlobKey(blob)) for shard, version, blob in rows]

    def known_blobs(self, blobs: Iterable[BlobKey]) -> set[BlobKey]:
        wanted = json.dumps(list(blobs))
        rows = self._query(
            "SELECT value FROM json_each(?) WHERE value IN (SELECT blob FROM part WHERE blob IS NOT NULL)"
            " OR value IN (SELECT blob FROM garbage)",
            wanted,
        )
        return {BlobKey(blob) for (blob,) in rows}

    def dump(self, write: Write) -> None:
        with self._snapshot() as db:
            for table, columns in TABLES.items():
                found = db.execute(
                    f"SELECT {', '.join(columns)} FROM {table} WHERE {CONDITIONS.get(table, 'true')}"
                )
                while rows := list(islice(found, ROWS_AT_ONCE)):
                    write(table, rows)

    # Writing

    def load(self, dump: Dump, identity: int, restored: int = 0) -> None:
        with self._transaction("restore into") as db:
            if db.execute("SELECT (SELECT count(*) FROM shard) + (SELECT count(*) FROM epoch)").get:
                raise not_empty(f'"{self._path}"')

            def write(table: str, rows: Sequence[Sequence[Any]]) -> None:
                columns = TABLES[table]
                places = ", ".join("?" * len(columns))
                db.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({places})", rows)

            dump(write)
            db.execute("UPDATE mark SET value = ? WHERE name = ?", (identity, IDENTITY))
            if restored:
                db.execute("INSERT INTO mark VALUES (?, ?)", (RESTORED, restored))
                db.execute("UPDATE epoch SET value = value + ?", (EPOCHS_AHEAD,))

    def commit(self, transaction: Transaction) -> Outcome:
        try:
            with self._transaction("commit to") as db:
                apply(db, transaction)
        except NotApplied as refused:
            return refused.outcome
        return Committed()

    def take_epoch(self, name: str) -> int:
        with self._transaction("commit to") as db:
            rows: list[Any] = db.execute(
                "INSERT INTO epoch VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1"
                " RETURNING value",
                (name,),
            ).fetchall()
        return int(rows[0][0])

    def beat(self, holder: str) -> int:
        with self._transaction("commit to") as db:
            db.execute("UPDATE hold SET beat = beat + 1 WHERE holder = ? AND NOT critical", (holder,))
            return int(db.changes())

    def forget_writers(self, before_ms: int) -> None:
        with self._transaction("commit to") as db:
            db.execute("DELETE FROM writer WHERE committed_ms < ?", (before_ms,))

    def forget_garbage(self, blobs: Sequence[BlobKey]) -> None:
        with self._transaction("commit to") as db:
            db.executemany("DELETE FROM garbage WHERE blob = ?", [(blob,) for blob in blobs])

    def close(self) -> None:
        with self._write_lock, self._read_lock:
            self._reader.close()
            self._writer.close()


def _read_head(db: apsw.Connection, shard: ShardId) -> Head | None:
    rows = list(db.execute(_HEAD, (shard,)))
    if not rows:
        return None
    version, rewrites, start, since, upper, dropped, columns = rows[0]
    return Head(
        shard=shard,
        version=version,
        rewrites=rewrites,
        start=start,
        since=since,
        upper=upper,
        schema=Schema.from_json(json.loads(columns)),
        holds=tuple(_hold(row) for row in db.execute(f"{_HOLDS} WHERE shard = ? ORDER BY holder", (shard,))),
        dropped=bool(dropped),
    )


def _read_batches(db: apsw.Connection, shard: ShardId, after_version: int) -> list[ShardBatch]:
    rows = list(
        db.execute(
            "SELECT lower, upper, since, version FROM batch WHERE shard = ? AND version > ? ORDER BY lower",
            (shard, after_version),
        )
    )
    parts: dict[int, list[PartRef]] = {row[0]: [] for row in rows}
    for lower, metadata, inline, blob in db.execute(
        "SELECT p.lower, p.metadata, p.inline, p.blob FROM batch b JOIN part p USING (shard, lower)"
        " WHERE b.shard = ? AND b.version > ? ORDER BY p.lower, p.ordinal",
        (shard, after_version),
    ):
        parts[lower].append(PartRef.from_metadata(shard, metadata, inline, blob))
    return [
        ShardBatch(shard, lower, upper, since, version, tuple(parts[lower]))
        for lower, upper, since, version in rows
    ]


def _hold(row: Sequence[Any]) -> Hold:
    shard, holder, since, critical, lease_ms, version, beat = row
    return Hold(shard, holder, since, bool(critical), lease_ms, version, beat)
