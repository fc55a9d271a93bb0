"""The servers that MYSQL sources read, by name, and what tests need that they write otherwise."""

from __future__ import annotations

from contextlib import AbstractContextManager

from .mariadb_listening import MariaDb, mariadb_server
from .mysql_listening import mysql_server
from .mysql_process import MysqlProcess

KINDS = ("mariadb", "mysql")


def server_of(kind: str, *options: str) -> AbstractContextManager[MysqlProcess]:
    """A fresh one, running; stopped and deleted on exit."""
    return mariadb_server(*options) if kind == "mariadb" else mysql_server(*options)


def is_mariadb(server: MysqlProcess) -> bool:
    return isinstance(server, MariaDb)


def numbers(count: int) -> str:
    """A relation of the numbers from 1 to that, as `seq`; for FROM."""
    digits = " UNION ALL ".join(f"SELECT {digit} d" for digit in range(10))
    places = len(str(count))
    sum_ = " + ".join(f"{10**place} * p{place}.d" for place in range(places))
    of = " CROSS JOIN ".join(f"({digits}) p{place}" for place in range(places))
    return f"(SELECT 1 + {sum_} AS seq FROM {of} HAVING seq <= {count}) numbers"
