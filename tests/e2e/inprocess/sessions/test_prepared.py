"""PREPARE, EXECUTE and DEALLOCATE, and that they share their statements with the extended protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors, generators, pq, waiting

from ..side_by_side import compare, script

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def theirs(oracle: Db, schema: str) -> Iterator[Db]:
    oracle.execute(f"CREATE SCHEMA {schema}")
    oracle.execute(f"SET search_path TO {schema}")
    yield oracle
    oracle.execute("ROLLBACK" if oracle.info.transaction_status else "SELECT 1")
    oracle.execute(f"DROP SCHEMA {schema} CASCADE")


def test_as_in_postgres(db: Db, theirs: Db) -> None:
    compare(db, theirs, script("prepared"))


def test_names_are_shared_with_the_extended_protocol(db: Db, theirs: Db) -> None:
    def outcome(connection: Db) -> list[Any]:
        """Statements that were parsed by message are executed in SQL, and the other way round."""
        found: list[Any] = []
        wire = connection.pgconn

        def note(result: pq.abc.PGresult) -> None:
            state = result.error_field(pq.DiagnosticField.SQLSTATE)
            values = [result.get_value(row, 0) for row in range(result.ntuples)]
            found.append((pq.ExecStatus(result.status).name, state, values))

        note(wire.prepare(b"parsed", b"SELECT $1::int + 1"))
        note(wire.exec_(b"EXECUTE parsed(41)"))
        note(wire.exec_(b"PREPARE parsed AS SELECT 1"))
        note(wire.exec_(b"PREPARE written(int) AS SELECT $1 * 2"))
        note(wire.exec_prepared(b"written", [b"21"]))
        note(wire.prepare(b"written", b"SELECT 1"))
        wire.send_describe_prepared(b"written")
        (described,) = waiting.wait(generators.execute(wire), wire.socket)
        found.append((described.nparams, described.param_type(0), described.ftype(0)))
        note(wire.exec_params(b"EXECUTE written(4)", []))
        note(wire.exec_params(b"EXECUTE written(4)", [], result_format=1))
        note(wire.exec_params(b"EXECUTE written($1)", [b"4"]))
        note(wire.exec_params(b"PREPARE late AS SELECT $1::text", []))
        note(wire.exec_prepared(b"late", [b"x"]))
        note(wire.exec_(b"DEALLOCATE parsed"))
        note(wire.exec_prepared(b"parsed", [b"1"]))
        note(wire.prepare(b"empty", b""))
        note(wire.exec_(b"DEALLOCATE ALL"))
        note(wire.exec_prepared(b"written", [b"1"]))
        return found

    assert outcome(db) == outcome(theirs)


def test_a_description_ahead_of_the_statement(db: Db) -> None:
    """A pipeline describes EXECUTE before its PREPARE has run: nothing is known of the rows then, and nothing is wrong."""
    with pytest.raises(errors.InvalidSqlStatementName):
        db.execute("EXECUTE nothing(1)", prepare=True)
    db.execute("PREPARE something AS SELECT 1")
    assert db.execute("EXECUTE something", prepare=True).fetchall() == [(1,)]


def test_the_plan_comes_from_the_cache(runtime: InProcess, db: Db) -> None:
    db.execute("CREATE TABLE t (a int, b text)")
    db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    db.execute("PREPARE p AS SELECT b FROM t WHERE a = $1")
    assert rows(db, "EXECUTE p(1)") == [("x",)]
    hits = runtime.coordinator._sequencer.plans.hits
    for number in (2, 1, 2):
        assert rows(db, f"EXECUTE p({number})") == [("xy"[number - 1],)]
    assert runtime.coordinator._sequencer.plans.hits == hits + 3


def test_what_is_drawn_is_drawn_each_time(db: Db) -> None:
    db.execute("PREPARE p(float8) AS SELECT random(), $1")
    drawn = {value for _ in range(3) for value in rows(db, "EXECUTE p(random())")[0]}
    assert len(drawn) == 6


def test_each_session_has_its_own(db: Db, other: Db) -> None:
    db.execute("PREPARE p AS SELECT 1")
    other.execute("PREPARE p AS SELECT 2")
    assert rows(db, "EXECUTE p") == [(1,)]
    assert rows(other, "EXECUTE p") == [(2,)]
    names = "SELECT name, from_sql, generic_plans FROM pg_prepared_statements"
    assert rows(other, names) == [("p", True, 0)]
    assert rows(db, "SELECT prepare_time <= now() FROM pg_prepared_statements") == [(True,)]


def test_explain(db: Db) -> None:
    db.execute("CREATE TABLE t (a int, b text)")
    db.execute("PREPARE p AS SELECT b FROM t WHERE a = $1")
    for how in ("EXPLAIN", "EXPLAIN PHYSICAL PLAN FOR", "EXPLAIN (FORMAT JSON)"):
        of_query = rows(db, f"{how} SELECT b FROM t WHERE a = 7")
        assert rows(db, f"{how} EXECUTE p(3 + 4)") == of_query
    assert "Rows: 0" in str(rows(db, "EXPLAIN ANALYZE EXECUTE p(7)"))
    of_query = rows(db, "EXPLAIN TIMESTAMP FOR SELECT b FROM t WHERE a = 7")
    assert len(rows(db, "EXPLAIN TIMESTAMP FOR EXECUTE p(7)")) == len(of_query) > 1
    with pytest.raises(errors.SyntaxError):
        db.execute("EXPLAIN EXECUTE p")
    db.execute("PREPARE i AS INSERT INTO t VALUES (1, 'x')")
    with pytest.raises(errors.FeatureNotSupported):
        db.execute("EXPLAIN EXECUTE i")


def test_an_error_while_rows_are_sent(db: Db) -> None:
    db.execute("PREPARE p AS SELECT 1 / ($1 - n) FROM generate_series(1, 5) AS n")
    db.execute("BEGIN")
    with pytest.raises(errors.DivisionByZero):
        db.execute("EXECUTE p(3)")
    with pytest.raises(errors.InFailedSqlTransaction):
        db.execute("EXECUTE p(9)")
    db.execute("ROLLBACK")
    assert len(rows(db, "EXECUTE p(9)")) == 5


def test_what_is_prepared_of_itself_does_not_run_for_ever(db: Db) -> None:
    db.pgconn.prepare(b"self", b"EXECUTE self")
    with pytest.raises(errors.FeatureNotSupported):
        db.execute("EXECUTE self")


def test_copy(db: Db) -> None:
    """A COPY that was parsed by message is a statement like any other."""
    db.execute("CREATE TABLE t (a int)")
    db.pgconn.prepare(b"load", b"COPY t FROM STDIN")
    with db.cursor().copy("EXECUTE load") as copy:
        copy.write_row((5,))
    assert rows(db, "SELECT a FROM t") == [(5,)]


@pytest.mark.parametrize(
    "arguments", ["'" + "x" * 100_000 + "'", "repeat('x', 100000)", "$$" + "y" * 17_000 + "$$"]
)
def test_large_arguments(db: Db, arguments: str) -> None:
    db.execute("PREPARE p(text) AS SELECT length($1)")
    assert rows(db, f"EXECUTE p({arguments})") == rows(db, f"SELECT length({arguments})")


def test_columns_that_changed_are_an_error_that_drivers_know(runtime: InProcess, schema: str) -> None:
    """They look at the routine, as PostgreSQL calls it, and prepare the statement anew."""
    with runtime.connect(options=f"-c search_path={schema}") as db:
        db.execute("CREATE TABLE grown (a int)")
        db.execute("INSERT INTO grown VALUES (1)")
        assert db.execute("SELECT * FROM grown", prepare=True).fetchall() == [(1,)]
        with runtime.connect(options=f"-c search_path={schema}") as other:
            other.execute("ALTER TABLE grown ADD COLUMN b int")
        with pytest.raises(psycopg.errors.FeatureNotSupported) as caught:
            db.execute("SELECT * FROM grown", prepare=True)
        assert caught.value.diag.source_function == "RevalidateCachedQuery"


def test_settings_at_the_head_of_a_dump(runtime: InProcess) -> None:
    with runtime.connect() as db:
        db.execute("SET transaction_timeout = 0")
        assert db.execute("SHOW transaction_timeout").fetchall() == [("0",)]
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="transaction_timeout"):
            db.execute("SET transaction_timeout = '5s'")
