"""Cursors as clients use them."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from psycopg import errors, generators, pq, waiting
from ptvc.coord.results.spool import MOST_BYTES

from ..definitions.test_catalogs import psql
from ..side_by_side import compare, script

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def t(db: Db) -> str:
    db.execute("CREATE TABLE t (a int, b text)")
    db.execute("INSERT INTO t SELECT n, 'row ' || n FROM generate_series(1, 1000) AS n")
    return "t"


def test_as_in_postgres(db: Db, oracle: Db) -> None:
    compare(db, oracle, script("cursors"))


def test_in_time_zones_as_in_postgres(db: Db, oracle: Db) -> None:
    compare(db, oracle, script("session_zone"))


# --- psycopg's server-side cursors ---


@pytest.mark.parametrize("binary", [False, True])
def test_named_cursor(db: Db, t: str, binary: bool) -> None:
    with db.transaction(), db.cursor("named", binary=binary) as cursor:
        cursor.itersize = 7
        cursor.execute("SELECT a, b FROM t WHERE a > %s ORDER BY a", (10,))
        assert [column.name for column in cursor.description or ()] == ["a", "b"]
        assert cursor.fetchone() == (11, "row 11")
        assert cursor.fetchmany(3) == [(12, "row 12"), (13, "row 13"), (14, "row 14")]
        cursor.scroll(5)
        assert cursor.fetchone() == (20, "row 20")
        assert [a for a, _ in cursor] == list(range(21, 1001))
        assert cursor.fetchall() == []
    assert rows(db, "SELECT count(*) FROM pg_cursors") == [(0,)]


def test_named_cursor_outside_of_a_block(db: Db, t: str) -> None:
    with pytest.raises(errors.NoActiveSqlTransaction), db.cursor("named") as cursor:
        cursor.execute("SELECT a FROM t")
    with db.cursor("named", withhold=True) as cursor:
        cursor.execute("SELECT a FROM t ORDER BY a")
        assert cursor.fetchmany(2) == [(1,), (2,)]
        db.execute("DELETE FROM t")
        assert len(cursor.fetchall()) == 998
    with db.cursor("named", scrollable=True) as cursor, pytest.raises(errors.FeatureNotSupported):
        cursor.execute("SELECT a FROM t")


def test_many_fetches_as_an_orm_streams(db: Db, t: str) -> None:
    """Growing FETCHes, other statements in between, two cursors side by side, a savepoint around each row."""
    with db.transaction(), db.cursor("outer") as outer:
        outer.execute("SELECT a FROM t WHERE a <= 20 ORDER BY a")
        size, seen = 1, []
        while some := outer.fetchmany(size):
            size = min(size * 2, 16)
            for (a,) in some:
                with db.transaction(), db.cursor("inner") as inner:
                    inner.execute("SELECT b FROM t WHERE a = %s", (a,))
                    seen.append(inner.fetchall()[0][0])
                db.execute("UPDATE t SET b = 'seen' WHERE a = %s", (a,))
        assert seen == [f"row {a}" for a in range(1, 21)]
    assert rows(db, "SELECT count(*) FROM t WHERE b = 'seen'") == [(20,)]


def test_asyncpg(runtime: InProcess, db: Db, t: str, schema: str) -> None:
    """Its cursors are portals of the protocol; those of SQL are there as well."""

    async def run() -> None:
        connection = await asyncpg.connect(
            host="127.0.0.1", port=runtime.port, user="ptvc", database="ptvc",
            server_settings={"search_path": schema},
        )  # fmt: skip
        async with connection.transaction():
            found = [
                record["a"] async for record in connection.cursor("SELECT a FROM t ORDER BY a", prefetch=9)
            ]
            assert found == list(range(1, 1001))
            await connection.execute("DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a")
            assert [r["a"] for r in await connection.fetch("FETCH 2 FROM c")] == [1, 2]
            assert [r["a"] for r in await connection.fetch("FETCH 2 FROM c")] == [3, 4]
            assert await connection.execute("MOVE 3 IN c") == "MOVE 3"
            with pytest.raises(asyncpg.DivisionByZeroError):
                async with connection.transaction():
                    await connection.execute("SELECT 1 / 0")
            assert [r["a"] for r in await connection.fetch("FETCH c")] == [8]
        await connection.close()

    asyncio.run(run())


def test_psql_fetches_by_a_cursor(runtime: InProcess) -> None:
    output = psql(runtime, "\\set FETCH_COUNT 3", "SELECT g AS n FROM generate_series(1, 8) AS g ORDER BY g")
    assert [int(line) for line in output.splitlines() if line.strip().isdigit()] == list(range(1, 9))


# --- the protocol ---


def test_messages(db: Db, oracle: Db) -> None:
    """DECLARE with parameters, FETCH in both formats, a cursor as a portal that is described and closed."""

    def outcome(connection: Db) -> list[Any]:
        found: list[Any] = []
        wire = connection.pgconn

        def note(result: pq.abc.PGresult) -> None:
            state = result.error_field(pq.DiagnosticField.SQLSTATE)
            values = [result.get_value(row, 0) for row in range(result.ntuples)]
            formats = [result.fformat(column) for column in range(result.nfields)]
            found.append((pq.ExecStatus(result.status).name, state, values, formats, result.command_status))

        def ask() -> None:
            (result,) = waiting.wait(generators.execute(wire), wire.socket)
            note(result)

        def describe(name: bytes) -> None:
            wire.send_describe_portal(name)
            ask()

        note(wire.exec_(b"BEGIN"))
        declare = b"DECLARE c NO SCROLL CURSOR FOR SELECT n, n * $1 AS m FROM generate_series(1, $2) AS n ORDER BY 1"
        note(wire.exec_params(declare, [b"10", b"4"], param_types=[23, 23]))
        describe(b"c")
        note(wire.exec_params(b"FETCH 2 FROM c", [], result_format=1))
        note(wire.exec_params(b"FETCH 1 FROM c", []))
        note(wire.exec_params(b"MOVE 1 IN c", []))
        note(wire.exec_params(b"CLOSE c", []))
        note(wire.exec_(b"SAVEPOINT s"))
        describe(b"c")
        note(wire.exec_(b"ROLLBACK TO s"))
        note(wire.exec_(b"DECLARE b BINARY NO SCROLL CURSOR FOR SELECT 5 AS five"))
        describe(b"b")
        note(wire.exec_(b"FETCH b"))
        note(wire.exec_params(b"FETCH b", []))
        note(wire.exec_params(b"FETCH $1 FROM b", [b"1"]))
        note(wire.exec_(b"ROLLBACK"))
        note(wire.exec_params(b"FETCH b", []))
        note(wire.exec_params(b"DECLARE h CURSOR WITH HOLD FOR SELECT 1 / $1", [b"0"], param_types=[23]))
        note(wire.exec_(b"SELECT count(*) FROM pg_cursors"))
        return found

    assert outcome(db) == outcome(oracle)


def test_prepared_statements_over_names(db: Db, oracle: Db) -> None:
    """FETCH and EXECUTE that were parsed once show what stands behind their names now."""

    def outcome(connection: Db) -> list[Any]:
        found, wire = [], connection.pgconn
        for query in ("SELECT 1 AS one", "SELECT 'x' AS two, 2.5 AS three"):
            wire.exec_(b"BEGIN")
            wire.exec_(f"DECLARE c NO SCROLL CURSOR FOR {query}".encode())
            wire.exec_(f"PREPARE p AS {query}".encode())
            wire.prepare(b"fetch", b"FETCH c")
            wire.prepare(b"execute", b"EXECUTE p")
            for name in (b"fetch", b"execute"):
                result = wire.exec_prepared(name, [])
                columns = range(result.nfields)
                found.append([(result.fname(i), result.get_value(0, i)) for i in columns])
            wire.exec_(b"ROLLBACK")
            wire.exec_(b"DEALLOCATE p")
        return found

    assert outcome(db) == outcome(oracle)


def test_a_fetch_that_is_taken_in_parts(runtime: InProcess, db: Db, t: str, schema: str) -> None:
    """A portal over FETCH, suspended, while the cursor goes on: its rows are its own."""
    reader_rows: list[list[int]] = []

    async def run() -> None:
        connection = await asyncpg.connect(
            host="127.0.0.1", port=runtime.port, user="ptvc", database="ptvc",
            server_settings={"search_path": schema},
        )  # fmt: skip
        async with connection.transaction():
            await connection.execute("DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a")
            portal = await connection.cursor("FETCH 10 FROM c")
            reader_rows.append([r["a"] for r in await portal.fetch(3)])
            reader_rows.append([r["a"] for r in await connection.fetch("FETCH 2 FROM c")])
            reader_rows.append([r["a"] for r in await portal.fetch(3)])
            reader_rows.append([r["a"] for r in await portal.fetch(99)])
            reader_rows.append([r["a"] for r in await connection.fetch("FETCH c")])
        await connection.close()

    asyncio.run(run())
    assert reader_rows == [[1, 2, 3], [11, 12], [4, 5, 6], [7, 8, 9, 10], [13]]


# --- time, other sessions, size ---


def test_a_cursor_reads_at_its_block_s_time(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("DECLARE c CURSOR FOR SELECT count(*) FROM t")
    db.execute("DECLARE d CURSOR FOR SELECT a FROM t ORDER BY a")
    assert rows(db, "FETCH d") == [(1,)]
    other.execute("DELETE FROM t WHERE a > 2")
    assert rows(db, "FETCH c") == [(1000,)]
    assert len(rows(db, "FETCH ALL d")) == 999
    assert rows(db, "SELECT count(*) FROM t") == [(1000,)]
    db.execute("COMMIT")
    assert rows(db, "SELECT count(*) FROM t") == [(2,)]


def test_own_writes(db: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("DELETE FROM t WHERE a > 5")
    db.execute("DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a")
    db.execute("SAVEPOINT s")
    db.execute("DELETE FROM t")
    assert rows(db, "FETCH 2 c") == [(1,), (2,)]
    db.execute("ROLLBACK TO s")
    assert rows(db, "FETCH ALL c") == [(3,), (4,), (5,)]
    db.execute("COMMIT")


def test_through_an_index_and_a_view(runtime: InProcess, db: Db, t: str) -> None:
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a % 10 AS k, count(*) AS n FROM t GROUP BY 1")
    db.execute("CREATE INDEX i ON m (k)")
    eventually(lambda: hydrated(db, "i"))
    with db.transaction(), db.cursor("c") as cursor:
        cursor.execute("SELECT n FROM m WHERE k = 3")
        assert cursor.fetchall() == [(100,)]
        cursor.execute("SELECT k FROM m ORDER BY k")
        assert cursor.fetchmany(2) == [(0,), (1,)]


def test_what_it_reads_is_dropped(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("DECLARE c CURSOR FOR SELECT a FROM t")
    other.execute("DROP TABLE t")
    db.execute("SAVEPOINT s")
    with pytest.raises(errors.UndefinedTable):
        db.execute("FETCH c")
    db.execute("ROLLBACK TO s")
    with pytest.raises(errors.ObjectNotInPrerequisiteState):
        db.execute("FETCH c")
    db.execute("COMMIT")


def test_what_it_reads_is_altered(db: Db, other: Db, t: str) -> None:
    """Columns that were added or renamed change nothing; one that was dropped would be read as NULL."""
    db.execute("BEGIN")
    db.execute("DECLARE c CURSOR FOR SELECT * FROM t ORDER BY a")
    db.execute("DECLARE d CURSOR FOR SELECT * FROM t ORDER BY a")
    db.execute("DECLARE e CURSOR FOR SELECT a FROM t ORDER BY a")
    other.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 7")
    other.execute("ALTER TABLE t RENAME COLUMN b TO bb")
    assert rows(db, "FETCH c") == [(1, "row 1")]
    other.execute("ALTER TABLE t DROP COLUMN bb")
    assert rows(db, "FETCH c") == [(2, "row 2")]
    for cursor in "de":
        db.execute("SAVEPOINT s")
        with pytest.raises(errors.ObjectNotInPrerequisiteState, match="was altered after"):
            db.execute(f"FETCH {cursor}")
        db.execute("ROLLBACK TO s")
    assert rows(db, "FETCH c") == [(3, "row 3")]
    db.execute("COMMIT")


def test_a_replica_that_goes_away(fresh: InProcess) -> None:
    """Before the first row the query is asked again; what is left of a cursor that is held needs no replica."""
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (a int)")
        db.execute("INSERT INTO t SELECT generate_series(1, 100)")
        db.execute("DECLARE h CURSOR WITH HOLD FOR SELECT a FROM t ORDER BY a")
        db.execute("BEGIN")
        db.execute("DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a")
        (replica,) = fresh.driver._connections
        fresh.driver.kill(replica)
        assert rows(db, "FETCH 2 h") == [(1,), (2,)]
        assert rows(db, "FETCH 2 c") == [(1,), (2,)]
        db.execute("COMMIT")
        assert rows(db, "FETCH h") == [(3,)]


def test_a_large_result_is_taken_little_by_little(runtime: InProcess, db: Db) -> None:
    """5 million rows, 40 MB: what does not fit in the memory of results is in a file."""
    db.execute("BEGIN")
    db.execute("DECLARE c CURSOR FOR SELECT g FROM generate_series(1::bigint, 5000000) AS g ORDER BY g")
    (session,) = [s for s in runtime.coordinator._sessions.values() if s.cursors]
    assert rows(db, "FETCH 2 c") == [(1,), (2,)]
    assert session.cursors["c"].in_memory <= MOST_BYTES
    assert db.execute("MOVE 3999999 IN c").statusmessage == "MOVE 3999999"
    assert rows(db, "FETCH c") == [(4000002,)]
    assert session.cursors["c"].in_memory <= MOST_BYTES
    db.execute("COMMIT")
    assert not session.cursors


def test_cancel(db: Db) -> None:
    db.execute("CREATE TABLE big (x int)")
    db.execute("INSERT INTO big SELECT generate_series(1, 150)")
    slow = "SELECT count(*) FROM big a, big b, big c WHERE a.x + b.x + c.x = 7"
    db.execute("BEGIN")
    db.execute(f"DECLARE c CURSOR FOR {slow}")  # nothing is computed yet
    db.execute("SAVEPOINT s")
    db.execute("SET LOCAL statement_timeout = '20ms'")
    with pytest.raises(errors.QueryCanceled, match="statement timeout"):
        db.execute("FETCH c")
    db.execute("ROLLBACK TO s")
    with pytest.raises(errors.ObjectNotInPrerequisiteState):
        db.execute("FETCH c")
    db.execute("ROLLBACK")
    db.execute("SET statement_timeout = '20ms'")
    with pytest.raises(errors.QueryCanceled, match="statement timeout"):
        db.execute(f"DECLARE c CURSOR WITH HOLD FOR {slow}")
    db.execute("SET statement_timeout = 0")
    assert rows(db, "SELECT count(*) FROM pg_cursors") == [(0,)]


def test_a_commit_that_fails_keeps_no_cursor(db: Db, other: Db, t: str) -> None:
    db.execute("BEGIN")
    db.execute("DECLARE h CURSOR WITH HOLD FOR SELECT 1")
    db.execute("UPDATE t SET a = a + 1")
    other.execute("UPDATE t SET a = a + 10")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    assert db.info.transaction_status is pq.TransactionStatus.IDLE
    with pytest.raises(errors.InvalidCursorName):
        db.execute("FETCH h")


def test_sessions_that_end_leave_nothing(runtime: InProcess, t: str, schema: str) -> None:
    for hold in ("", "WITH HOLD"):
        with runtime.connect(options=f"-c search_path={schema}") as connection:
            connection.execute("BEGIN")
            connection.execute(f"DECLARE c CURSOR {hold} FOR SELECT a FROM t")
            connection.execute("FETCH 2 c")
    eventually(lambda: all(not s.cursors for s in runtime.coordinator._sessions.values()))
    eventually(lambda: not runtime.coordinator.storage.reads._times)


def test_the_plan_comes_from_the_cache(runtime: InProcess, db: Db, t: str) -> None:
    def first(a: int) -> Any:
        with db.transaction(), db.cursor("c") as cursor:
            return cursor.execute("SELECT b FROM t WHERE a = %s", (a,)).fetchone()

    assert first(3) == ("row 3",)
    hits = runtime.coordinator._sequencer.plans.hits
    assert first(4) == ("row 4",)
    assert runtime.coordinator._sequencer.plans.hits > hits
