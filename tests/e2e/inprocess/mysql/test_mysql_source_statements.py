"""Statements about MYSQL sources in whole runtimes: what is asked of a real MariaDB, what is refused, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import eventually, rows
from psycopg import errors
from servers.mysql_process import MysqlProcess

from .support import Db, connect, run, sql


@pytest.fixture
def upstream(server: MysqlProcess, database: str) -> Iterator[Any]:
    """A session in the database, with two tables."""
    db = server.connect(database)
    run(
        db,
        "CREATE TABLE orders (id bigint unsigned PRIMARY KEY, total decimal(10, 2), mood enum('good', 'bad'), secret text)",
        "CREATE TABLE people (name varchar(20) NOT NULL)",
    )
    yield db
    db.close()


def shown(db: Db, what: str) -> str:
    return str(rows(db, f"SHOW CREATE {what}")[0][1])


@pytest.fixture
def own(db: Db) -> str:
    """The schema here."""
    return str(rows(db, "SELECT current_schema()")[0][0])


HEAD = "CREATE SOURCE s FROM MYSQL CONNECTION my"


def test_what_is_shown_makes_the_same_again(connected: Db, database: str, own: str) -> None:
    sql(
        connected,
        f"{HEAD} (TEXT COLUMNS ({database}.orders.mood), EXCLUDE COLUMNS ({database}.orders.secret)) "
        f'FOR TABLES ({database}.orders AS "O", {database}.people) EXPOSE PROGRESS AS progress',
    )
    made = f"FROM SOURCE {own}.s (REFERENCE"
    statements = {
        "SOURCE s": f"CREATE SOURCE {own}.s IN CLUSTER quickstart FROM MYSQL CONNECTION {own}.my",
        'TABLE "O"': f'CREATE TABLE {own}."O" {made} {database}.orders) WITH (TEXT COLUMNS (mood), EXCLUDE COLUMNS (secret))',
        "TABLE people": f"CREATE TABLE {own}.people {made} {database}.people)",
        "TABLE progress": f"CREATE TABLE {own}.progress {made} mz_progress)",
    }

    def columns() -> list[tuple[Any, ...]]:
        return rows(
            connected,
            f"SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = '{own}' "
            "ORDER BY table_name, ordinal_position",
        )

    before = columns()
    assert before == [
        ("O", "id", "uint8", "NO"),
        ("O", "total", "numeric", "YES"),
        ("O", "mood", "text", "YES"),
        ("people", "name", "text", "NO"),
        ("progress", "gtid_position", "text", "NO"),
    ]
    assert {what: shown(connected, what) for what in statements} == statements
    sql(connected, "DROP SOURCE s CASCADE")
    assert columns() == []
    for statement in statements.values():
        sql(connected, statement)
    assert {what: shown(connected, what) for what in statements} == statements
    assert columns() == before


def test_rows_are_those_upstream(connected: Db, upstream: Any, database: str) -> None:
    run(upstream, "INSERT INTO orders VALUES (1, 1.50, 'good', 'x'), (18446744073709551615, NULL, NULL, 'y')")
    sql(
        connected,
        f"{HEAD} (TEXT COLUMNS ({database}.orders.mood), EXCLUDE COLUMNS ({database}.orders.secret)) FOR SCHEMAS ({database}) "
        "EXPOSE PROGRESS AS progress",
    )
    shown = "SELECT id::text, total::text, mood, 'kept' FROM orders ORDER BY 1"
    last = "18446744073709551615"
    eventually(lambda: rows(connected, shown) == [("1", "1.50", "good", "kept"), (last, None, None, "kept")])
    run(
        upstream,
        "UPDATE orders SET total = 7 WHERE id > 1",
        "DELETE FROM orders WHERE id = 1",
        "INSERT INTO people VALUES ('ann')",
    )
    eventually(lambda: rows(connected, shown) == [(last, "7.00", None, "kept")])
    eventually(lambda: rows(connected, "SELECT * FROM people") == [("ann",)])
    sql(connected, f"CREATE TABLE again FROM SOURCE s (REFERENCE {database}.people)")
    eventually(lambda: rows(connected, "SELECT name FROM again") == [("ann",)])
    assert str(rows(connected, "SELECT gtid_position FROM progress")[0][0]).startswith("0-1-")


def test_what_is_told_of_them(connected: Db, database: str, own: str) -> None:
    sql(connected, f"{HEAD} FOR TABLES ({database}.people)")
    assert rows(connected, "SELECT type, envelope_type FROM mz_sources WHERE name = 's'") == [
        ("mysql", "none")
    ]
    assert rows(
        connected,
        "SELECT t.name, p.schema_name, p.table_name FROM mz_internal.mz_mysql_source_tables p JOIN mz_tables t ON t.id = p.id",
    ) == [("people", database, "people")]
    assert rows(connected, "SELECT * FROM mz_internal.mz_postgres_source_tables") == []
    assert rows(connected, "SELECT namespace, name, columns FROM mz_internal.mz_source_references") == [
        (database, "people", ["name"])
    ]
    assert rows(connected, 'SELECT host, "user", ssl_mode FROM mz_internal.mz_mysql_connections') == [
        ("127.0.0.1", "ann", "preferred")
    ]
    assert "TO MYSQL (HOST = '127.0.0.1'" in shown(connected, "CONNECTION my")
    sql(connected, "VALIDATE CONNECTION my")
    with pytest.raises(errors.DependentObjectsStillExist):
        sql(connected, "DROP CONNECTION my")
    sql(connected, "DROP CONNECTION my CASCADE")
    assert rows(connected, "SHOW SOURCES") == []


@pytest.mark.parametrize(
    ("statement", "error", "words"),
    [
        ("{HEAD} FOR TABLES ({database}.orders)", errors.FeatureNotSupported, "is of type enum('good','bad'), which is not supported"),
        ("{HEAD} FOR TABLES ({database}.nothing)", errors.UndefinedTable, 'the server has no table "'),
        ("{HEAD} FOR SCHEMAS (nothing)", errors.InvalidSchemaName, 'the server has no tables in schema "nothing"'),
        ("{HEAD} FOR TABLES ({database}.people AS taken)", errors.DuplicateTable, "taken"),
        ("{HEAD} (EXCLUDE COLUMNS ({database}.people.x)) FOR TABLES ({database}.people)", errors.UndefinedColumn, "does not exist there"),
        ("{HEAD} FOR TABLES ({database}.memory)", errors.ObjectNotInPrerequisiteState, "its engine is MEMORY"),
        ("{HEAD} FOR TABLES ({database}.child)", errors.ObjectNotInPrerequisiteState, 'its foreign key "f"'),
        ("{HEAD} (PUBLICATION 'p')", errors.SyntaxError, "MYSQL sources have no option PUBLICATION"),
        ("CREATE SOURCE s FROM POSTGRES CONNECTION my (PUBLICATION 'p')", errors.WrongObjectType, "my"),
    ],
)  # fmt: skip
def test_what_is_refused_makes_nothing(
    connected: Db, upstream: Any, database: str, statement: str, error: type[psycopg.Error], words: str
) -> None:
    run(
        upstream,
        "CREATE TABLE memory (a int) ENGINE = MEMORY",
        "CREATE TABLE child (a bigint unsigned, CONSTRAINT f FOREIGN KEY (a) REFERENCES orders (id) ON DELETE CASCADE)",
    )
    sql(connected, "CREATE TABLE taken (a int)")
    with pytest.raises(error) as refused:
        sql(connected, statement.format(HEAD=HEAD, database=database))
    assert words in str(refused.value)
    assert rows(connected, "SHOW SOURCES") == []


@pytest.mark.parametrize(
    ("setting", "usual", "words"),
    [
        (
            "binlog_format = 'STATEMENT'",
            "binlog_format = 'ROW'",
            "binlog_format is STATEMENT, and has to be ROW",
        ),
        ("binlog_row_image = 'MINIMAL'", "binlog_row_image = 'FULL'", "has to be FULL"),
        ("binlog_row_metadata = 'NO_LOG'", "binlog_row_metadata = 'FULL'", "has to be FULL"),
        ("log_bin_compress = 1", "log_bin_compress = 0", "has to be OFF"),
        (
            "binlog_expire_logs_seconds = 60",
            "binlog_expire_logs_seconds = 0",
            "keeps its binary log for 60 s",
        ),
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


def test_what_the_user_has_to_have(connected: Db, upstream: Any) -> None:
    run(upstream, "REVOKE BINLOG MONITOR ON *.* FROM ann")
    try:
        with pytest.raises(errors.InsufficientPrivilege, match="BINLOG MONITOR") as refused:
            sql(connected, HEAD)
        assert "GRANT REPLICATION SLAVE, BINLOG MONITOR" in str(refused.value.diag.message_hint)
    finally:
        run(upstream, "GRANT BINLOG MONITOR ON *.* TO ann")


def test_connections_that_do_not_come_about(db: Db, server: MysqlProcess) -> None:
    sql(db, "CREATE SECRET wrong AS 'not it'")
    where = f"HOST '127.0.0.1', PORT {server.port}, USER ann, PASSWORD SECRET wrong"
    with pytest.raises(errors.InvalidAuthorizationSpecification, match="authentication failed") as refused:
        sql(db, f"CREATE CONNECTION c TO MYSQL ({where})")
    assert "not it" not in str(refused.value)
    for options, words in (
        ("SSL MODE 'required'", "TLS does not come about"),
        ("SSL MODE 'verify-ca'", "must be given"),
        ("DATABASE d", "have no option DATABASE"),
    ):
        with pytest.raises(psycopg.Error, match=words):
            connect(db, server, options)
        sql(db, "DROP SECRET pw")
    connect(db, server, "SSL MODE 'disabled'")
    sql(db, "ALTER CONNECTION my SET (USER = 'ann')")
    with pytest.raises(psycopg.Error, match=r"cannot connect to 127[.]0[.]0[.]1:1: connection refused"):
        sql(db, "ALTER CONNECTION my SET (PORT = 1)")


def test_a_table_keeps_the_rows_that_pass(connected: Db, upstream: Any, database: str) -> None:
    """In its contents and behind them: a row that passes no more is deleted here."""
    run(upstream, "INSERT INTO orders VALUES (1, 5, 'good', 'x'), (2, 50, 'good', 'y')", "COMMIT")
    sql(connected, HEAD)
    sql(
        connected,
        f"CREATE TABLE large FROM SOURCE s (REFERENCE {database}.orders) WHERE (total > 10) WITH (EXCLUDE COLUMNS (mood, secret))",
    )
    eventually(lambda: rows(connected, "SELECT id::int FROM large") == [(2,)])
    run(
        upstream, "UPDATE orders SET total = 10 + id", "INSERT INTO orders VALUES (3, 0, 'bad', '')", "COMMIT"
    )
    eventually(lambda: rows(connected, "SELECT id::int, total FROM large ORDER BY 1") == [(1, 11), (2, 12)])
    run(upstream, "UPDATE orders SET total = 0 WHERE id = 2", "COMMIT")
    eventually(lambda: rows(connected, "SELECT id::int FROM large") == [(1,)])


def test_a_column_that_is_left_out_may_go_upstream(
    connected: Db, upstream: Any, database: str, own: str
) -> None:
    run(upstream, "INSERT INTO orders VALUES (1, 2.5, 'good', 'x'), (2, 3, NULL, 'y')")
    sql(connected, f"{HEAD} (TEXT COLUMNS ({database}.orders.mood)) FOR TABLES ({database}.orders)")
    sql(connected, "CREATE MATERIALIZED VIEW v AS SELECT id, total FROM orders")
    eventually(lambda: len(rows(connected, "SELECT * FROM v")) == 2)
    sql(connected, "ALTER TABLE orders APPLY (COLUMNS)")
    made = f"CREATE TABLE {own}.orders FROM SOURCE {own}.s (REFERENCE {database}.orders)"
    assert shown(connected, "TABLE orders") == f"{made} WITH (EXCLUDE COLUMNS (mood, secret))"
    run(
        upstream,
        "INSERT INTO orders VALUES (3, 4, 'good', 'z')",
        "ALTER TABLE orders DROP COLUMN mood, MODIFY secret varchar(10)",
        "DELETE FROM orders WHERE id = 1",
        "ALTER TABLE orders ADD COLUMN mood int FIRST",
        "UPDATE orders SET total = 5, mood = 7 WHERE id = 3",
    )
    eventually(lambda: rows(connected, "SELECT id::int, total::int FROM v ORDER BY 1") == [(2, 3), (3, 5)])
    sql(connected, shown(connected, "TABLE orders").replace(f"TABLE {own}.orders", "TABLE again"))
    eventually(lambda: rows(connected, "TABLE again") == rows(connected, "TABLE orders"))
    run(upstream, "ALTER TABLE orders DROP COLUMN total")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match='column "total"'):
        eventually(lambda: len(rows(connected, "TABLE orders")) == 9)
