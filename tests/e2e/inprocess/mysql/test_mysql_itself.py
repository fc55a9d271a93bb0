"""Statements about MYSQL sources over MySQL itself: what is asked of the server, and what is told of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from inprocess import eventually, rows
from psycopg import errors
from servers.mysql_process import MysqlProcess

from .support import Db, run, sql, there

pytestmark = pytest.mark.parametrize("server", ["mysql"], indirect=True)
HEAD = "CREATE SOURCE s FROM MYSQL CONNECTION my"


@pytest.fixture
def upstream(server: MysqlProcess, database: str) -> Iterator[Any]:
    """A session in the database, with a table."""
    db = server.connect(database)
    run(db, "CREATE TABLE orders (secret text, id bigint unsigned PRIMARY KEY, total decimal(10, 2))")
    yield db
    db.close()


def test_rows_are_those_upstream(connected: Db, upstream: Any, database: str) -> None:
    run(upstream, "INSERT INTO orders VALUES ('x', 1, 1.50), ('y', 18446744073709551615, NULL)")
    sql(
        connected,
        f"{HEAD} (EXCLUDE COLUMNS ({database}.orders.secret)) FOR TABLES ({database}.orders) EXPOSE PROGRESS AS progress",
    )
    shown = "SELECT id::text, total::text FROM orders ORDER BY 1"
    last = "18446744073709551615"
    eventually(lambda: rows(connected, shown) == [("1", "1.50"), (last, None)])
    run(upstream, "UPDATE orders SET total = 7 WHERE id > 1", "DELETE FROM orders WHERE id = 1")
    eventually(lambda: rows(connected, shown) == [(last, "7.00")])
    executed = there(upstream, "SELECT @@GLOBAL.gtid_executed")
    eventually(lambda: rows(connected, "SELECT gtid_position FROM progress") == executed)
    before = str(rows(connected, "SHOW CREATE TABLE orders")[0][1])
    sql(connected, "DROP TABLE orders")
    sql(connected, before)
    eventually(lambda: rows(connected, shown) == [(last, "7.00")])


@pytest.mark.parametrize(
    ("setting", "usual", "words"),
    [
        ("binlog_format = 'MIXED'", "binlog_format = 'ROW'", "binlog_format is MIXED, and has to be ROW"),
        ("binlog_row_image = 'NOBLOB'", "binlog_row_image = 'FULL'", "has to be FULL"),
    ],
)
def test_what_the_server_has_to_be(
    connected: Db, upstream: Any, setting: str, usual: str, words: str
) -> None:
    run(upstream, f"SET GLOBAL {setting}")
    try:
        with pytest.raises(errors.ObjectNotInPrerequisiteState, match=words) as refused:
            sql(connected, HEAD)
        assert refused.value.diag.message_hint
    finally:
        run(upstream, f"SET GLOBAL {usual}")


@pytest.mark.parametrize("privilege", ["RELOAD", "REPLICATION CLIENT"])
def test_what_the_user_has_to_have(connected: Db, upstream: Any, privilege: str) -> None:
    run(upstream, f"REVOKE {privilege} ON *.* FROM ann")
    try:
        with pytest.raises(errors.InsufficientPrivilege, match=privilege) as refused:
            sql(connected, HEAD)
        needed = "GRANT REPLICATION SLAVE, REPLICATION CLIENT, RELOAD ON *.*"
        assert needed in str(refused.value.diag.message_hint)
    finally:
        run(upstream, f"GRANT {privilege} ON *.* TO ann")


def test_a_table_that_is_dropped_or_altered_has_an_error(connected: Db, upstream: Any, database: str) -> None:
    run(upstream, "CREATE TABLE people (name varchar(20))", "INSERT INTO people VALUES ('ann')")
    sql(connected, f"{HEAD} FOR SCHEMAS ({database})")
    eventually(lambda: rows(connected, "SELECT * FROM people") == [("ann",)])
    run(
        upstream,
        "ALTER TABLE orders ADD COLUMN b int",
        "INSERT INTO orders VALUES ('x', 1, 2, 3)",
        "ALTER TABLE people ADD COLUMN first_of_all int FIRST",
    )
    eventually(lambda: rows(connected, "SELECT id::int FROM orders") == [(1,)])

    def told() -> bool:
        try:
            connected.execute("SELECT * FROM people")
        except errors.Error as error:
            return "has its columns at other places upstream" in str(error)
        return False

    eventually(told)
