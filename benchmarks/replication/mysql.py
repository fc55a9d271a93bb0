"""MYSQL sources end to end, over a server that is there: a binary log as they need it, and a user that may replicate and make databases.
What comes is compared with what there is; that is not timed."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from contextlib import closing
from typing import Any
from urllib.parse import SplitResult, unquote, urlsplit

from ..runtime import served
from .results import ReplicationResult
from .timed import OF_TABLE, Row, timed

AT_ONCE = 10_000
"""Rows of a statement that fills the table."""


def run_mysql_backlogs(upstream: str, rows: int) -> Iterator[ReplicationResult]:
    """As of PostgreSQL: contents, then transactions of two fifths as many rows each.  `upstream`: `mysql://user:password@host:port`."""
    import pymysql

    at = urlsplit(upstream)
    server = {"host": at.hostname, "port": at.port or 3306, "user": at.username, "password": _password(at)}
    name = f"ptvc_bench_{uuid.uuid4().hex[:8]}"
    with (
        closing(pymysql.connect(**server, autocommit=True)) as there,
        served() as runtime,
        runtime.connect() as db,
    ):
        cursor = there.cursor()

        def wanted() -> Row | None:
            cursor.execute(OF_TABLE)
            found: Row | None = cursor.fetchone()
            return found

        cursor.execute(f"CREATE DATABASE {name}")
        try:
            cursor.execute(f"USE {name}")
            cursor.execute(
                "CREATE TABLE t (k bigint PRIMARY KEY, name varchar(40), price decimal(12, 2), at datetime)"
            )
            _fill(cursor, 1, rows)
            db.execute(f"CREATE SECRET pw AS '{_password(at)}'".encode())
            options = (
                f"HOST '{at.hostname}', PORT {at.port or 3306}, USER '{at.username}', PASSWORD SECRET pw"
            )
            db.execute(f"CREATE CONNECTION my TO MYSQL ({options})".encode())

            def follow() -> None:
                db.execute(f"CREATE SOURCE s FROM MYSQL CONNECTION my FOR TABLES ({name}.t)".encode())

            yield timed(runtime, db, wanted, "MySQL, contents", rows, follow)
            part = rows * 2 // 5
            there.begin()
            _fill(cursor, rows + 1, rows + part)
            there.commit()
            yield timed(runtime, db, wanted, "MySQL, behind inserts", part)
            for what, statement in (
                ("updates", f"UPDATE t SET price = price + 1 WHERE k <= {part}"),
                ("deletes", f"DELETE FROM t WHERE k > {rows}"),
            ):
                cursor.execute(statement)
                yield timed(runtime, db, wanted, f"MySQL, behind {what}", part)
            db.execute("DROP SOURCE s CASCADE")
        finally:
            cursor.execute(f"DROP DATABASE {name}")


def _password(at: SplitResult) -> str:
    return unquote(at.password or "")


def _fill(cursor: Any, first: int, last: int) -> None:
    """The same rows as PostgreSQL's; not every server of this kind can count."""
    for low in range(first, last + 1, AT_ONCE):
        numbers = range(low, min(low + AT_ONCE, last + 1))
        values = ",".join(
            f"({n}, 'customer {n}', {n} * 0.25, '2026-01-01' + interval {n} second)" for n in numbers
        )
        cursor.execute(f"INSERT INTO t VALUES {values}")
