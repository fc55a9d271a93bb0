"""Sessions and transactions as a client sees them."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from psycopg import errors

from ..side_by_side import compare, script

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def t(db: Db) -> str:
    db.execute("CREATE TABLE t (a int, b text)")
    return "t"


def all_of(db: Db) -> list[tuple[Any, ...]]:
    return rows(db, "SELECT a, b FROM t ORDER BY a, b")


def test_commit_and_rollback(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("INSERT INTO t VALUES (1, 'x')")
    assert all_of(db) == [(1, "x")]  # its own write
    assert all_of(other) == []
    db.execute("COMMIT")
    assert all_of(other) == [(1, "x")]
    db.execute("BEGIN")
    db.execute("INSERT INTO t VALUES (2, 'y')")
    db.execute("ROLLBACK")
    assert all_of(db) == all_of(other) == [(1, "x")]


def test_own_updates_and_deletes_are_seen(db: Db, t: str) -> None:
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y'), (3, 'z')")
    with db.transaction():
        db.execute("UPDATE t SET a = a + 10 WHERE a < 3")
        db.execute("DELETE FROM t WHERE b = 'y'")
        db.execute("INSERT INTO t VALUES (4, 'w')")
        assert all_of(db) == [(3, "z"), (4, "w"), (11, "x")]
        db.execute("UPDATE t SET b = upper(b) WHERE a = 4")
        assert all_of(db) == [(3, "z"), (4, "W"), (11, "x")]
    assert all_of(db) == [(3, "z"), (4, "W"), (11, "x")]


def test_own_writes_are_seen_through_a_view(db: Db, t: str) -> None:
    db.execute("CREATE VIEW n AS SELECT count(*) FROM t")
    with db.transaction():
        db.execute("INSERT INTO t VALUES (1, 'x')")
        assert rows(db, "SELECT * FROM n") == [(1,)]


def test_a_failed_block_refuses_everything_until_it_ends(db: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("INSERT INTO t VALUES (1, 'x')")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM missing")
    assert db.info.transaction_status == psycopg.pq.TransactionStatus.INERROR
    for statement in ("SELECT 1", "INSERT INTO t VALUES (2, 'y')", "CREATE TABLE u (a int)", "BEGIN"):
        with pytest.raises(errors.InFailedSqlTransaction):
            db.execute(statement)
    assert db.execute("COMMIT").statusmessage == "ROLLBACK"
    assert db.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert all_of(db) == []


def test_a_block_reads_at_one_time(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    assert all_of(db) == []
    other.execute("INSERT INTO t VALUES (1, 'x')")
    assert all_of(db) == []
    db.execute("COMMIT")
    assert all_of(db) == [(1, "x")]


def test_a_long_block_keeps_its_time_readable(runtime: InProcess, db: Db, other: Db, t: str) -> None:
    other.execute("INSERT INTO t VALUES (1, 'x')")
    db.execute("BEGIN")
    assert all_of(db) == [(1, "x")]
    time = runtime.coordinator.storage.oracle.read_time
    for i in range(5):
        other.execute("UPDATE t SET a = a + 1")
        eventually(lambda n=i: runtime.coordinator.storage.oracle.read_time > time + 200 * (n + 1))
    assert all_of(db) == [(1, "x")]
    db.execute("COMMIT")
    assert all_of(db) == [(6, "x")]


def test_a_block_reads_at_its_time_what_is_indexed_later(
    runtime: InProcess, db: Db, other: Db, t: str
) -> None:
    other.execute("INSERT INTO t VALUES (1, 'x')")
    other.execute("CREATE MATERIALIZED VIEW m AS SELECT a, count(*) AS n FROM t GROUP BY a")
    db.execute("BEGIN")
    assert all_of(db) == [(1, "x")]
    read_at = runtime.coordinator.storage.oracle.read_time
    eventually(lambda: runtime.coordinator.storage.oracle.read_time > read_at)
    other.execute("INSERT INTO t VALUES (2, 'y')")
    other.execute("CREATE INDEX i ON m (a)")
    eventually(lambda: hydrated(other, "i"))
    assert rows(db, "SELECT a, n FROM m") == rows(db, "SELECT a, n FROM m WHERE a = 1") == [(1, 1)]
    db.execute("COMMIT")
    assert rows(db, "SELECT a, n FROM m ORDER BY a") == [(1, 1), (2, 1)]


def test_a_block_does_not_read_a_view_that_is_younger(runtime: InProcess, db: Db, other: Db, t: str) -> None:
    other.execute("INSERT INTO t VALUES (1, 'x')")
    db.execute("BEGIN")
    assert all_of(db) == [(1, "x")]
    read_at = runtime.coordinator.storage.oracle.read_time
    eventually(lambda: runtime.coordinator.storage.oracle.read_time > read_at)
    other.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM t")
    other.execute("CREATE TABLE u (a int)")
    other.execute("INSERT INTO u VALUES (1)")
    assert rows(db, "SELECT * FROM u") == []  # as in PostgreSQL: it had no rows then
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="was created after this transaction"):
        db.execute("SELECT * FROM m")
    db.execute("ROLLBACK")
    assert rows(db, "SELECT * FROM m") == [(1,)]


def test_read_only_as_in_postgres(db: Db, oracle: Db) -> None:
    compare(db, oracle, script("read_only"))


def test_a_driver_s_read_only_connection(db: Db, runtime: InProcess, schema: str, t: str) -> None:
    with runtime.connect(autocommit=False, options=f"-c search_path={schema}") as connection:
        connection.read_only = True
        assert all_of(connection) == []
        for statement in ("INSERT INTO t VALUES (1, 'x')", "CREATE TABLE u (a int)", "DROP TABLE t"):
            with pytest.raises(errors.ReadOnlySqlTransaction):
                connection.execute(statement)
            connection.rollback()
        with (
            pytest.raises(errors.ReadOnlySqlTransaction),
            connection.cursor().copy("COPY t FROM STDIN") as copy,
        ):
            copy.write_row((1, "x"))
        connection.rollback()
        connection.read_only = False
        connection.execute("INSERT INTO t VALUES (1, 'x')")
        connection.commit()
    assert all_of(db) == [(1, "x")]


def test_any_role_may_choose_read_only(db: Db) -> None:
    db.execute("CREATE ROLE chooser")
    db.execute("SET ROLE chooser; BEGIN; SET TRANSACTION READ ONLY")
    assert rows(db, "SHOW transaction_read_only") == [("on",)]
    db.execute("ROLLBACK; RESET ROLE; DROP ROLE chooser")


def test_several_statements_of_a_query_are_one_transaction(db: Db, t: str) -> None:
    with pytest.raises(errors.DivisionByZero):
        db.execute("INSERT INTO t VALUES (1, 'x'); SELECT 1 / 0")
    assert all_of(db) == []
    db.execute("INSERT INTO t VALUES (1, 'x'); INSERT INTO t VALUES (2, 'y')")
    assert all_of(db) == [(1, "x"), (2, "y")]
    with pytest.raises(errors.DivisionByZero):
        db.execute("UPDATE t SET a = a + 1; DELETE FROM t WHERE b = 'x'; SELECT 1 / 0")
    assert all_of(db) == [(1, "x"), (2, "y")]
    db.execute("UPDATE t SET a = a + 1; DELETE FROM t WHERE b = 'x'; SELECT a FROM t")
    assert all_of(db) == [(3, "y")]


def test_definitions_of_a_query_are_part_of_its_transaction(db: Db, t: str) -> None:
    with pytest.raises(errors.DivisionByZero):
        db.execute(
            "INSERT INTO t VALUES (1, 'x'); CREATE TABLE u (a int); INSERT INTO t VALUES (2, 'y'); SELECT 1/0"
        )
    assert all_of(db) == []
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM u")
    db.execute("INSERT INTO t VALUES (1, 'x'); CREATE TABLE u AS SELECT a FROM t; INSERT INTO u VALUES (2)")
    assert rows(db, "SELECT * FROM u ORDER BY a") == [(1,), (2,)]


def test_what_no_block_can_have_commits_what_came_before(db: Db, t: str) -> None:
    with pytest.raises(errors.DivisionByZero):
        db.execute(
            "INSERT INTO t VALUES (1, 'x'); CREATE TABLE u (a int); ALTER CLUSTER quickstart SET (REPLICATION FACTOR 1);"
            " INSERT INTO t VALUES (2, 'y'); SELECT 1/0"
        )
    assert all_of(db) == [(1, "x")]
    assert rows(db, "SELECT * FROM u") == []


def test_begin_twice_and_commit_nothing_warn(db: Db) -> None:
    heard: list[tuple[str | None, str | None]] = []
    db.add_notice_handler(lambda notice: heard.append((notice.severity, notice.sqlstate)))
    for statement in ("BEGIN", "BEGIN", "COMMIT", "COMMIT", "ROLLBACK"):
        db.execute(statement)
    assert heard == [("WARNING", "25001"), ("WARNING", "25P01"), ("WARNING", "25P01")]


def test_set_local_ends_with_the_block(db: Db) -> None:
    db.execute("SET application_name = 'outer'")
    with db.transaction():
        db.execute("SET LOCAL application_name = 'inner'")
        assert rows(db, "SHOW application_name") == [("inner",)]
    assert rows(db, "SHOW application_name") == [("outer",)]
    db.execute("RESET application_name")
    assert rows(db, "SHOW application_name") == [("",)]


def test_a_set_is_taken_back_with_its_block(db: Db) -> None:
    db.execute("SET application_name = 'before'")
    db.execute("BEGIN")
    db.execute("SET application_name = 'inside'")
    db.execute("ROLLBACK")
    assert rows(db, "SHOW application_name") == [("before",)]
    db.execute("BEGIN")
    db.execute("SET application_name = 'kept'")
    db.execute("COMMIT")
    assert rows(db, "SHOW application_name") == [("kept",)]
    assert db.info.parameter_status("application_name") == "kept"


def test_prepared_statements(db: Db, t: str) -> None:
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    for a, b in ((1, "x"), (2, "y"), (1, "x")):
        assert db.execute("SELECT b FROM t WHERE a = %s", (a,), prepare=True).fetchall() == [(b,)]
    db.execute("INSERT INTO t VALUES (%s, %s)", (3, None), prepare=True)
    assert all_of(db) == [(1, "x"), (2, "y"), (3, None)]
    db.execute("DISCARD ALL")
    assert rows(db, "SELECT 1") == [(1,)]


def test_a_prepared_statement_sees_a_changed_catalog(db: Db) -> None:
    db.execute("CREATE TABLE p (a int)")
    db.execute("INSERT INTO p VALUES (1)")
    assert db.execute("SELECT a FROM p WHERE a = %s", (1,), prepare=True).fetchall() == [(1,)]
    db.execute("DROP TABLE p")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT a FROM p WHERE a = %s", (1,), prepare=True)
    db.execute("CREATE TABLE p (a int)")
    db.execute("INSERT INTO p VALUES (1), (1)")
    assert db.execute("SELECT a FROM p WHERE a = %s", (1,), prepare=True).fetchall() == [(1,), (1,)]


SLOW = "SELECT count(*) FROM big a, big b, big c WHERE a.x + b.x + c.x = 7"


@pytest.fixture
def big(db: Db) -> None:
    db.execute("CREATE TABLE big (x int)")
    db.execute("INSERT INTO big VALUES " + ", ".join(f"({i})" for i in range(150)))


def test_statement_timeout(db: Db, big: None) -> None:
    db.execute("SET statement_timeout = '20ms'")
    with pytest.raises(errors.QueryCanceled, match="statement timeout"):
        db.execute(SLOW)
    db.execute("SET statement_timeout = 0")
    assert rows(db, "SELECT count(*) FROM big") == [(150,)]


def test_cancel(db: Db, big: None) -> None:
    over = threading.Event()

    def cancel() -> None:
        while not over.wait(0.01):  # one that comes before the query does nothing
            db.cancel_safe()

    canceler = threading.Thread(target=cancel)
    canceler.start()
    try:
        with pytest.raises(errors.QueryCanceled, match="user request"):
            db.execute(SLOW)
    finally:
        over.set()
        canceler.join()
    assert rows(db, "SELECT count(*) FROM big") == [(150,)]


def test_conflicting_blocks(db: Db, other: Db, t: str) -> None:
    db.execute("INSERT INTO t VALUES (1, 'x')")
    for session in (db, other):
        session.execute("BEGIN")
        session.execute("UPDATE t SET a = a + 1")
    db.execute("COMMIT")
    with pytest.raises(errors.SerializationFailure):
        other.execute("COMMIT")
    assert other.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
    assert all_of(other) == [(2, "x")]


def test_blind_inserts_do_not_conflict(db: Db, other: Db, t: str) -> None:
    for i, session in enumerate((db, other)):
        session.execute("BEGIN")
        session.execute("INSERT INTO t VALUES (%s, 'x')", (i,))
    db.execute("COMMIT")
    other.execute("COMMIT")
    assert all_of(db) == [(0, "x"), (1, "x")]


def test_write_skew_is_refused(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE one (a int)")
    db.execute("CREATE TABLE two (a int)")
    for session, target, source in ((db, "one", "two"), (other, "two", "one")):
        session.execute("BEGIN")
        session.execute(f"INSERT INTO {target} SELECT count(*) FROM {source}")
    db.execute("COMMIT")
    with pytest.raises(errors.SerializationFailure):
        other.execute("COMMIT")
    assert rows(db, "SELECT * FROM one") == [(0,)]
    assert rows(db, "SELECT * FROM two") == []


def test_what_a_write_read_through_a_materialized_view_counts(db: Db, other: Db, t: str) -> None:
    db.execute("CREATE MATERIALIZED VIEW n AS SELECT count(*) AS n FROM t")
    db.execute("CREATE TABLE seen (n int)")
    db.execute("BEGIN")
    db.execute("INSERT INTO seen SELECT n FROM n")
    other.execute("INSERT INTO t VALUES (1, 'x')")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    assert rows(db, "SELECT * FROM seen") == []


def test_concurrent_updates_are_all_counted(runtime: InProcess, db: Db, t: str, schema: str) -> None:
    db.execute("INSERT INTO t VALUES (0, 'x')")
    failures: list[BaseException] = []

    def work() -> None:
        try:
            with runtime.connect(options=f"-c search_path={schema}") as connection:
                for _ in range(15):
                    connection.execute("UPDATE t SET a = a + 1")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert all_of(db) == [(60, "x")]


def test_a_pipeline_is_one_transaction(db: Db, t: str) -> None:
    with pytest.raises(errors.DivisionByZero), db.pipeline():  # noqa: PT012
        db.execute("INSERT INTO t VALUES (1, 'x')")
        db.execute("INSERT INTO t VALUES (1 / 0, 'y')")
    assert all_of(db) == []


def test_tags_say_what_was_written(db: Db) -> None:
    written = [
        "BEGIN", "COMMIT", "START TRANSACTION", "ROLLBACK", "SET statement_timeout TO DEFAULT", "RESET statement_timeout",
        "SET ROLE NONE", "RESET ALL",
    ]  # fmt: skip
    assert [db.execute(sql).statusmessage for sql in written] == [
        "BEGIN", "COMMIT", "START TRANSACTION", "ROLLBACK", "SET", "RESET", "SET", "RESET",
    ]  # fmt: skip
