"""What tests of sources and sinks over PostgreSQL share."""

from __future__ import annotations

from typing import Any

import psycopg

Db = psycopg.Connection[tuple[Any, ...]]
PASSWORD = "secret"


def connect(db: Db, port: int, database: str = "postgres") -> None:
    """Makes the connection `pg`."""
    db.execute(f"CREATE SECRET pw AS '{PASSWORD}'".encode())
    where = f"HOST '127.0.0.1', PORT {port}, DATABASE {database}, USER ann, PASSWORD SECRET pw"
    db.execute(f"CREATE CONNECTION pg TO POSTGRES ({where})".encode())
