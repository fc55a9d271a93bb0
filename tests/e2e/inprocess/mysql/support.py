"""What tests of sources over MySQL's protocol share."""

from __future__ import annotations

from typing import Any

import psycopg
from servers.mysql_process import PASSWORD, USER, MysqlProcess

Db = psycopg.Connection[tuple[Any, ...]]


def connect(db: Db, server: MysqlProcess, *options: str) -> None:
    """Makes the connection `my`."""
    db.execute(f"CREATE SECRET pw AS '{PASSWORD}'".encode())
    where = ", ".join(
        ("HOST '127.0.0.1'", f"PORT {server.port}", f"USER {USER}", "PASSWORD SECRET pw", *options)
    )
    db.execute(f"CREATE CONNECTION my TO MYSQL ({where})".encode())


def run(upstream: Any, *statements: str) -> None:
    with upstream.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)


def there(upstream: Any, sql: str) -> list[tuple[Any, ...]]:
    with upstream.cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def sql(db: Db, statement: str) -> None:
    db.execute(statement.encode())
