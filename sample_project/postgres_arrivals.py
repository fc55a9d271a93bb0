"""The tables that `replay.py --postgres` writes flights to, in place of the directory: of a database that dbt's models follow."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from flights_data import KEY
from psycopg import sql

COLUMNS = {
    **dict.fromkeys(("year", "month", "day", "flight", "sched_dep_time"), "integer"),
    **dict.fromkeys(("carrier", "origin", "dest"), "text"),
    **dict.fromkeys(("dep_time", "dep_delay", "arr_delay"), "integer"),
}
TABLES = ("flights", "carriers")
PUBLICATION = "flights"
_DEFINITIONS = f"""
    CREATE TABLE IF NOT EXISTS flights (
        {", ".join(f"{name} {type_}{' NOT NULL' if name in KEY else ''}" for name, type_ in COLUMNS.items())},
        PRIMARY KEY ({", ".join(KEY)}));
    CREATE TABLE IF NOT EXISTS carriers (carrier text PRIMARY KEY, flights bigint NOT NULL);
    CREATE TABLE IF NOT EXISTS replayed (events bigint NOT NULL);
    ALTER TABLE flights REPLICA IDENTITY FULL;
    ALTER TABLE carriers REPLICA IDENTITY FULL;
    CREATE TEMPORARY TABLE arrived (n serial, {", ".join(f"{name} {type_}" for name, type_ in COLUMNS.items())}, is_there boolean);
"""
_KEY = ", ".join(KEY)
_OTHERS = [name for name in COLUMNS if name not in KEY]
_LAST = f"SELECT DISTINCT ON ({_KEY}) * FROM arrived ORDER BY {_KEY}, n DESC"
_APPLY = f"""
    DELETE FROM flights WHERE ({_KEY}) IN (SELECT {_KEY} FROM ({_LAST}) l WHERE NOT is_there);
    INSERT INTO flights ({", ".join(COLUMNS)}) SELECT {", ".join(COLUMNS)} FROM ({_LAST}) l WHERE is_there
        ON CONFLICT ({_KEY}) DO UPDATE SET {", ".join(f"{name} = excluded.{name}" for name in _OTHERS)};
    INSERT INTO carriers SELECT a.carrier, (SELECT count(*) FROM flights f WHERE f.carrier = a.carrier)
        FROM (SELECT DISTINCT carrier FROM arrived) a
        ON CONFLICT (carrier) DO UPDATE SET flights = excluded.flights;
    TRUNCATE arrived;
"""


class TableArrivals:
    """Tables `flights`, and `carriers`, which counts those of each; made, and published as `flights`, unless they are there.

    `conninfo` is libpq's.  What is appended at once is one transaction, with how many events there were (`replayed`).  Raises OSError.
    """

    def __init__(self, conninfo: str) -> None:
        with _failures():
            self._db = psycopg.connect(conninfo)
            self.written = self._make()

    def _make(self) -> int:
        """Events that are there already."""
        self._db.execute(_DEFINITIONS.encode())
        published = self._db.execute(
            "SELECT 1 FROM pg_publication WHERE pubname = %s", (PUBLICATION,)
        ).fetchone()
        if published is None:
            statement = sql.SQL("CREATE PUBLICATION {} FOR TABLE {}")
            tables = sql.SQL(", ").join(map(sql.Identifier, TABLES))
            self._db.execute(statement.format(sql.Identifier(PUBLICATION), tables))
        found = self._db.execute("SELECT events FROM replayed").fetchone()
        if found is None:
            self._db.execute("INSERT INTO replayed VALUES (0)")
        self._db.commit()
        return 0 if found is None else int(found[0])

    def append(self, lines: Sequence[str]) -> None:
        """Returns when they are committed."""
        with _failures(), self._db.transaction():
            names = sql.SQL(", ").join(map(sql.Identifier, (*COLUMNS, "is_there")))
            with self._db.cursor().copy(sql.SQL("COPY arrived ({}) FROM STDIN").format(names)) as copy:
                for line in lines:
                    record = json.loads(line)
                    is_there = len(record) > len(KEY)
                    copy.write_row((*(record.get(name) for name in COLUMNS), is_there))
            self._db.execute(_APPLY.encode())
            self._db.execute("UPDATE replayed SET events = events + %s", (len(lines),))
        self.written += len(lines)

    def close(self) -> None:
        self._db.close()


@contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except psycopg.Error as error:
        raise OSError(str(error)) from None
