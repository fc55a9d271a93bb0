"""The tables of consensus in a schema of a PostgreSQL database: made if the schema is empty, known again otherwise.

`format` says what the schema is and in which version.  Rows that change with every commit (`shard`, `writer`, `mark`)
have room on their pages, so that changing one touches no index.  Inline parts are kept as they are: they are compressed
as far as they can be.
"""

from __future__ import annotations

import logging
import secrets
from contextlib import suppress

import psycopg

from ...errors import InvalidParameter, StorageError
from .base import FORMAT_VERSION, IDENTITY_BITS
from .copies import IDENTITY
from .postgres_connection import Connection, PostgresPlace

logger = logging.getLogger(__name__)

APPLICATION = "ptvc"
OLDEST_SERVER = 130000

_NAME = 'text COLLATE "C" NOT NULL'
_TABLES = f"""
CREATE TABLE format (application text NOT NULL, version bigint NOT NULL);
CREATE TABLE shard (
    id {_NAME} PRIMARY KEY, version bigint NOT NULL, rewrites bigint NOT NULL, start bigint NOT NULL,
    since bigint NOT NULL, upper bigint NOT NULL, schema bigint NOT NULL, dropped boolean NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE schema (
    shard {_NAME}, ordinal bigint NOT NULL, columns text NOT NULL, PRIMARY KEY (shard, ordinal)
);
CREATE TABLE batch (
    shard {_NAME}, lower bigint NOT NULL, upper bigint NOT NULL, since bigint NOT NULL, version bigint NOT NULL,
    PRIMARY KEY (shard, lower)
);
CREATE INDEX batch_by_version ON batch (shard, version);
CREATE TABLE part (
    shard {_NAME}, lower bigint NOT NULL, ordinal bigint NOT NULL, metadata text NOT NULL,
    blob text COLLATE "C", inline bytea, PRIMARY KEY (shard, lower, ordinal)
);
ALTER TABLE part ALTER inline SET STORAGE EXTERNAL;
CREATE INDEX part_by_blob ON part (blob) WHERE blob IS NOT NULL;
CREATE TABLE garbage (blob {_NAME} PRIMARY KEY, shard {_NAME}, version bigint NOT NULL);
CREATE TABLE hold (
    shard {_NAME}, holder {_NAME}, since bigint NOT NULL, critical boolean NOT NULL, lease_ms bigint,
    version bigint NOT NULL, beat bigint NOT NULL, PRIMARY KEY (shard, holder)
) WITH (fillfactor = 50);
CREATE INDEX hold_by_holder ON hold (holder);
CREATE TABLE writer (
    writer {_NAME} PRIMARY KEY, fingerprint text NOT NULL, committed_ms bigint NOT NULL
) WITH (fillfactor = 50);
CREATE TABLE epoch (name {_NAME} PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 50);
CREATE TABLE mark (name {_NAME} PRIMARY KEY, value bigint NOT NULL) WITH (fillfactor = 50);
"""

_RELATIONS = """
SELECT c.relname FROM pg_catalog.pg_namespace n LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid
WHERE n.nspname = %s
"""


def prepare(connection: Connection, place: PostgresPlace, *, create: bool) -> None:
    """See that the tables there are known; in a schema that is new or empty, `create` them.

    Raises InvalidParameter if there are none, unless they are to be made; StorageError for a server that cannot be used, a schema of another program, and a newer format.
    """
    _check_server(connection, place)
    with connection.transaction():
        # Of two that open it at the same moment, one makes it.
        connection.execute(
            "SELECT pg_advisory_xact_lock(hashtext(%s), hashtext(%s))", (APPLICATION, place.schema)
        )
        relations = [name for (name,) in connection.execute(_RELATIONS, (place.schema,)).fetchall()]
        if any(relations):
            _check_format(connection, place, relations)
        elif create:
            _make(connection, place, there=bool(relations))
        else:
            raise InvalidParameter(
                f"{place} holds no environment", hint="Name its stores with --consensus and --blob."
            )


def identity(connection: Connection) -> int:
    """Which environment this is: drawn when the tables were made."""
    rows = connection.execute("SELECT value FROM mark WHERE name = %s", (IDENTITY,)).fetchall()
    return int(rows[0][0])


def _check_server(connection: Connection, place: PostgresPlace) -> None:
    version = connection.info.server_version
    if version < OLDEST_SERVER:
        raise StorageError(
            f"{place} is a server of version {version // 10_000}: too old",
            hint=f"Use PostgreSQL {OLDEST_SERVER // 10_000} or newer.",
        )
    ((encoding, fsync, read_only),) = connection.execute(
        "SELECT current_setting('server_encoding'), current_setting('fsync'),"
        " current_setting('transaction_read_only')"
    ).fetchall()
    if encoding != "UTF8":
        raise StorageError(
            f"the database of {place} has the encoding {encoding}",
            hint="Create another one: CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0.",
        )
    if read_only == "on":
        raise StorageError(
            f"{place} is read-only", hint="Name the server that can be written: the primary, not a standby."
        )
    if fsync != "on":
        logger.warning("%s runs with fsync = off: what is acknowledged can be lost in a crash", place)


def _make(connection: Connection, place: PostgresPlace, *, there: bool) -> None:
    if not there:
        quoted = '"' + place.schema.replace('"', '""') + '"'
        connection.execute(f"CREATE SCHEMA {quoted}".encode(), prepare=False)
    for statement in _TABLES.split(";"):
        if statement.strip():
            connection.execute(statement.encode(), prepare=False)
    connection.execute("INSERT INTO format VALUES (%s, %s)", (APPLICATION, FORMAT_VERSION))
    connection.execute("INSERT INTO mark VALUES (%s, %s)", (IDENTITY, secrets.randbits(IDENTITY_BITS)))


def _check_format(connection: Connection, place: PostgresPlace, relations: list[str]) -> None:
    found: list[tuple[object, ...]] = []
    if "format" in relations:
        with suppress(psycopg.errors.UndefinedColumn):
            found = connection.execute("SELECT application, version FROM format").fetchall()
    if len(found) != 1 or found[0][0] != APPLICATION:
        raise StorageError(
            f"{place} holds tables of another program",
            hint="Name a schema of its own: ?options=-csearch_path%3Dname at the end of the URL.",
        )
    version = int(str(found[0][1]))
    if version > FORMAT_VERSION:
        raise StorageError(
            f"{place} has format version {version}; this release knows up to {FORMAT_VERSION}",
            hint="Start it with the newer release that wrote it.",
        )
