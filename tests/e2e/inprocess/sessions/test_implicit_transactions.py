"""Implicit transactions: the statements of a Query message, and those of a pipeline up to its Sync, against PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from select import select
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors, pq

from ..side_by_side import outcomes

Db = psycopg.Connection[tuple[Any, ...]]

WARNINGS = ("BEGIN", "BEGIN", "COMMIT", "ROLLBACK", "COMMIT")
"""What takes an implicit transaction over, or ends it; it stands in random scripts as often as all else."""


@pytest.fixture
def theirs(oracle_uri: str, schema: str) -> Iterator[tuple[Db, Db]]:
    """A session of PostgreSQL and another that sees what it has committed, in a schema of their own."""
    options = f"-c search_path={schema}"
    with (
        psycopg.connect(oracle_uri, autocommit=True, options=options) as one,
        psycopg.connect(oracle_uri, autocommit=True, options=options) as two,
    ):
        one.execute(f"CREATE SCHEMA {schema}")  # type: ignore[arg-type]
        yield one, two
        one.execute("ROLLBACK")
        one.execute(f"DROP SCHEMA {schema} CASCADE")  # type: ignore[arg-type]


def statement(random: Random, number: int) -> str:
    return random.choice(
        (
            *WARNINGS,
            "BEGIN READ ONLY",
            "BEGIN READ WRITE",
            "SELECT 1 / 0",
            f"INSERT INTO t VALUES ({number})",
            f"INSERT INTO t VALUES ({number})",
            f"INSERT INTO t SELECT n + 1000 FROM t WHERE n = {random.randrange(10)}",
            f"UPDATE t SET n = n + 100 WHERE n < {random.randrange(10)}",
            "SELECT n FROM t ORDER BY n",
            f"CREATE TABLE u{random.randrange(3)} (a int)",
            f"DROP TABLE IF EXISTS u{random.randrange(3)}",
            "SAVEPOINT a",
            "ROLLBACK TO a",
            "RELEASE a",
            f"SET application_name = 'n{number}'",
            f"SET LOCAL application_name = 'l{number}'",
            "SHOW application_name",
            "DECLARE c CURSOR FOR SELECT 1",
            "FETCH ALL c",
            "CLOSE c",
            "DISCARD ALL",
            "DISCARD PLANS",
            "DISCARD TEMP",
            "CREATE TEMPORARY TABLE own (a int)",
            "INSERT INTO own VALUES (1)",
        )
    )


def listen(connection: Db) -> list[tuple[str | None, str | None]]:
    heard: list[tuple[str | None, str | None]] = []
    connection.add_notice_handler(lambda notice: heard.append((notice.severity, notice.sqlstate)))
    return heard


@pytest.mark.parametrize("seed", range(24))
def test_random_messages(db: Db, other: Db, theirs: tuple[Db, Db], seed: int) -> None:
    """What every message answers and warns of, the state after it, and what others then see."""
    random = Random(seed)
    messages = ["CREATE TABLE t (n int)"]
    for number in range(30):
        parts = [statement(random, number) for _ in range(random.choice((1, 1, 2, 3, 4, 5)))]
        messages.append("; ".join(parts))
    seen = []
    for mine, watcher in ((db, other), theirs):
        heard = listen(mine)
        answers = []
        for message in messages:
            ((_, state, *results),) = outcomes(mine, [message])
            results = [result[:1] if len(result) == 3 else result for result in results]  # of errors the code
            answers.append(
                (message, state, results, tuple(heard), rows(watcher, "SELECT n FROM t ORDER BY n"))
            )
            heard.clear()
        seen.append(answers)
    for ours, expected in zip(*seen, strict=True):
        assert ours == expected


def next_result(pgconn: pq.abc.PGconn) -> pq.abc.PGresult | None:
    """The next result.  libpq would wait for it with the interpreter's lock, which the runtime in this process needs."""
    while pgconn.is_busy():
        select([pgconn.socket], [], [])
        pgconn.consume_input()
    return pgconn.get_result()


def prepared(connection: Db, name: str, sql: str) -> bytes | None:
    """The SQLSTATE of a Parse."""
    connection.pgconn.send_prepare(name.encode(), sql.encode())
    result = next_result(connection.pgconn)
    assert result is not None
    assert next_result(connection.pgconn) is None
    return result.error_field(pq.DiagnosticField.SQLSTATE)


def pipelined(connection: Db, batches: list[list[str]]) -> list[Any]:
    """Each batch is sent at once, with its Sync: of every statement tag and rows, or the SQLSTATE; then the state."""
    pgconn = connection.pgconn
    found: list[Any] = []
    pgconn.enter_pipeline_mode()
    for batch in batches:
        for text in batch:
            pgconn.send_query_params(text.encode(), None)
        pgconn.pipeline_sync()
        while pgconn.flush():
            pass
        while True:
            result = next_result(pgconn) or next_result(pgconn)  # None ends the results of a statement
            assert result is not None, (batch, found, pgconn.error_message)
            if result.status == pq.ExecStatus.PIPELINE_SYNC:
                break
            code = result.error_field(pq.DiagnosticField.SQLSTATE)
            values = [result.get_value(i, 0) for i in range(result.ntuples)]
            found.append((result.command_status, code, values))
        found.append((batch, pq.TransactionStatus(pgconn.transaction_status).name))
    pgconn.exit_pipeline_mode()
    return found


@pytest.mark.parametrize("seed", range(16))
def test_random_pipelines(db: Db, other: Db, theirs: tuple[Db, Db], seed: int) -> None:
    """Statements of the extended protocol with Sync anywhere between them."""
    random = Random(seed)
    batches = [["CREATE TABLE t (n int)"]]
    for number in range(30):
        parts = [statement(random, number) for _ in range(random.choice((0, 1, 1, 2, 3, 5)))]
        batches.append(parts)
    seen = []
    for mine, watcher in ((db, other), theirs):
        answers = []
        for batch in batches:
            heard = listen(mine)
            answer = pipelined(mine, [batch])
            answer.append(rows(watcher, "SELECT n FROM t ORDER BY n"))
            answers.append((answer, heard))
        seen.append(answers)
    for ours, expected in zip(*seen, strict=True):
        assert ours == expected


def test_begin_takes_over_what_its_message_has_done(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (n int)")
    db.execute("INSERT INTO t VALUES (1); BEGIN; INSERT INTO t VALUES (2)")
    assert rows(other, "SELECT n FROM t") == []
    db.execute("ROLLBACK")
    assert rows(other, "SELECT n FROM t") == []
    db.execute("INSERT INTO t VALUES (3); CREATE TABLE u (n int); BEGIN; INSERT INTO u VALUES (4)")
    db.execute("COMMIT")
    assert rows(other, "SELECT n FROM t UNION ALL SELECT n FROM u ORDER BY n") == [(3,), (4,)]


def test_a_message_reads_at_one_time(runtime: InProcess, db: Db, other: Db) -> None:
    """A COPY between two reads waits for its rows: what others commit meanwhile is not in the second read."""
    db.execute("CREATE TABLE t (n int)")
    db.execute("CREATE TABLE u (n int)")
    pgconn = db.pgconn
    pgconn.send_query(b"SELECT n FROM t; COPY u FROM STDIN; SELECT n FROM t")
    states = []
    while (result := next_result(pgconn)) is not None:
        states.append((pq.ExecStatus(result.status).name, result.ntuples))
        if result.status == pq.ExecStatus.COPY_IN:
            other.execute("INSERT INTO t VALUES (1)")
            pgconn.put_copy_data(b"5\n")
            pgconn.put_copy_end()
    assert states == [("TUPLES_OK", 0), ("COPY_IN", 0), ("COMMAND_OK", 0), ("TUPLES_OK", 0)]
    assert rows(db, "SELECT n FROM t") == [(1,)]


def test_copy_is_part_of_its_message(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (n int)")
    pgconn = db.pgconn
    pgconn.send_query(b"COPY t FROM STDIN; SELECT 1 / 0")
    codes = []
    while (result := next_result(pgconn)) is not None:
        codes.append(result.error_field(pq.DiagnosticField.SQLSTATE))
        if result.status == pq.ExecStatus.COPY_IN:
            pgconn.put_copy_data(b"5\n")
            pgconn.put_copy_end()
    assert codes == [None, None, b"22012"]
    assert rows(other, "SELECT n FROM t") == []


def test_a_failed_pipeline_leaves_no_update_and_no_definition(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (n int)")
    db.execute("INSERT INTO t VALUES (1)")
    found = pipelined(db, [["UPDATE t SET n = 2", "CREATE TABLE u (n int)", "SELECT 1 / 0", "SELECT 1"]])
    assert [entry[1] for entry in found] == [None, None, b"22012", None, "IDLE"]
    assert rows(other, "SELECT n FROM t") == [(1,)]
    with pytest.raises(errors.UndefinedTable):
        other.execute("SELECT n FROM u")


def test_discard_leaves_no_temporary_object(db: Db) -> None:
    for statement in ("DISCARD ALL", "DISCARD TEMP", "DISCARD TEMPORARY"):
        db.execute("CREATE TEMPORARY TABLE own (a int)")
        db.execute("CREATE TEMPORARY VIEW over AS SELECT a FROM own")
        db.execute(statement)  # type: ignore[arg-type]
        for name in ("own", "over"):
            with pytest.raises(errors.UndefinedTable):
                db.execute(f"SELECT * FROM {name}")  # type: ignore[arg-type]


def test_discard_temp_is_part_of_a_block(db: Db) -> None:
    db.execute("CREATE TEMPORARY TABLE own (a int)")
    db.execute("BEGIN")
    db.execute("DISCARD TEMP")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM own")
    db.execute("ROLLBACK")
    assert rows(db, "SELECT * FROM own") == []


def test_a_failed_block_takes_no_new_statement_even_to_prepare(db: Db, theirs: tuple[Db, Db]) -> None:
    for session in (db, theirs[0]):
        session.execute("BEGIN")
        with pytest.raises(errors.DivisionByZero):
            session.execute("SELECT 1 / 0")
        assert prepared(session, "p", "SELECT 1") == b"25P02"
        assert prepared(session, "q", "ROLLBACK") is None
        session.execute("ROLLBACK")
