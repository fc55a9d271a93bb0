"""Cached plans through pgwire: values, definitions, settings and transactions in between."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture(params=[None, 0], ids=["unprepared", "prepared"])
def client(request: pytest.FixtureRequest, runtime: InProcess, schema: str) -> Any:
    with runtime.connect(prepare_threshold=request.param, options=f"-c search_path={schema}") as connection:
        yield connection


def hits(runtime: InProcess) -> int:
    return runtime.call(lambda: runtime.coordinator._sequencer.plans.hits)


def make_indexed(client: Db) -> None:
    """A table t of 50 rows (n, its text), and its index by the number."""
    client.execute("CREATE TABLE t (a bigint, b text)")
    client.execute("CREATE INDEX t_a ON t (a)")
    client.execute("INSERT INTO t SELECT n, n::text FROM generate_series(1, 50) AS s (n)")
    eventually(lambda: hydrated(client, "t_a"))


def test_a_look_up_by_an_index_takes_its_value_each_time(client: Db, runtime: InProcess) -> None:
    make_indexed(client)
    before = hits(runtime)
    for key in (1, 7, None, 51, 7):
        wanted = [] if key in (None, 51) else [(key, str(key))]
        assert rows(client, "SELECT * FROM t WHERE a = %s", (key,)) == wanted
        assert rows(client, "SELECT b FROM t WHERE a = ANY(%s::bigint[])", ([key],)) == [
            (b,) for _, b in wanted
        ]
    assert hits(runtime) >= before + 4  # NULL comes without a type, so it has a plan of its own
    client.execute("DROP INDEX t_a")
    assert rows(client, "SELECT * FROM t WHERE a = %s", (7,)) == [(7, "7")]


def test_a_definition_in_between_is_seen(client: Db) -> None:
    client.execute("CREATE TABLE t (a int)")
    client.execute("CREATE VIEW v AS SELECT a FROM t")
    for number in range(2):
        assert rows(client, "SELECT * FROM v WHERE a > %s", (0,)) == [(1,)] * number
        client.execute("INSERT INTO t VALUES (%s)", (1,))
    client.execute("CREATE OR REPLACE VIEW v AS SELECT a + 1 AS a FROM t")
    assert rows(client, "SELECT * FROM v WHERE a > %s", (0,)) == [(2,), (2,)]
    client.execute("DROP VIEW v")
    with pytest.raises(psycopg.errors.UndefinedTable):
        client.execute("SELECT * FROM v WHERE a > %s", (0,))


def test_a_temporary_table_hides_the_table_in_its_session_only(client: Db, db: Db) -> None:
    client.execute("CREATE TABLE t (a int)")
    client.execute("INSERT INTO t VALUES (1)")
    for connection in (client, db, client, db):
        assert rows(connection, "SELECT a FROM t") == [(1,)]
    client.execute("CREATE TEMP TABLE t (a int)")
    for _ in range(2):
        assert rows(client, "SELECT a FROM t") == []
        assert rows(db, "SELECT a FROM t") == [(1,)]
    client.execute("DROP TABLE t")
    assert rows(client, "SELECT a FROM t") == [(1,)]


def test_the_search_path_says_which_table(client: Db, schema: str) -> None:
    client.execute(f"CREATE SCHEMA {schema}_other")
    client.execute("CREATE TABLE t (a int)")
    client.execute(f"CREATE TABLE {schema}_other.t (a int)")
    client.execute("INSERT INTO t VALUES (1)")
    for _ in range(2):
        assert rows(client, "SELECT a FROM t") == [(1,)]
        client.execute(f"SET search_path = {schema}_other")
        assert rows(client, "SELECT a FROM t") == []
        client.execute(f"SET search_path = {schema}")
    client.execute(f"DROP SCHEMA {schema}_other CASCADE")


def test_time_goes_on(client: Db) -> None:
    for now in ("now()", "mz_now()"):
        first = rows(client, f"SELECT {now}, %s::int", (1,))
        eventually(lambda n=now, f=first: rows(client, f"SELECT {n}, %s::int", (1,)) != f)  # type: ignore[misc]
    client.execute("BEGIN")
    assert rows(client, "SELECT now(), %s::int", (1,)) == rows(client, "SELECT now(), %s::int", (1,))
    client.execute("COMMIT")


def test_writes_take_their_values_each_time(client: Db) -> None:
    client.execute("CREATE TABLE t (a int NOT NULL, b text DEFAULT 'none')")
    for number in (1, 2, 3):
        client.execute("INSERT INTO t (a) VALUES (%s)", (number,))
        many = "INSERT INTO t VALUES (%s, %s), (%s, %s) RETURNING a + %s::int"
        wanted = [(2 * number,), (10 + number,)]
        assert sorted(rows(client, many, (number, "x", 10, "y", number))) == wanted
        client.execute("UPDATE t SET b = %s WHERE a = %s", (f"n{number}", number))
        assert rows(client, "DELETE FROM t WHERE a = %s RETURNING b || %s", (10, "!")) == [("y!",)]
    with pytest.raises(psycopg.errors.NotNullViolation):
        client.execute("INSERT INTO t (a) VALUES (%s)", (None,))
    updated = [(n, f"n{n}") for n in (1, 2, 3) for _ in range(2)]
    assert rows(client, "SELECT * FROM t ORDER BY a") == updated
    for limit in (1, 4):
        assert (
            rows(client, "SELECT a FROM t ORDER BY a LIMIT %s", (limit,)) == [(1,), (1,), (2,), (2,)][:limit]
        )


def test_what_a_conflict_does_takes_its_values_each_time(client: Db, runtime: InProcess) -> None:
    client.execute("CREATE TABLE t (a int PRIMARY KEY, b int)")
    upsert = """INSERT INTO t AS old VALUES (%s::int, 0)
        ON CONFLICT (a) DO UPDATE SET b = old.b + %s::int WHERE old.b < %s::int RETURNING b * %s::int"""
    before = hits(runtime)
    found = [rows(client, upsert, (1, step, limit, 10)) for step, limit in ((5, 9), (1, 9), (2, 9), (4, 3))]
    assert found == [[(0,)], [(10,)], [(30,)], []]
    assert rows(client, upsert, (1, 4, 9, 100)) == [(700,)]
    assert rows(client, "SELECT * FROM t") == [(1, 7)]
    assert hits(runtime) >= before + 4


def test_a_value_that_fails_does_so_each_time_and_the_next_is_fine(client: Db) -> None:
    for divisor in (2, 0, 5, 0):
        if divisor:
            assert rows(client, "SELECT 10 / %s::int", (divisor,)) == [(10 // divisor,)]
        else:
            with pytest.raises(psycopg.errors.DivisionByZero):
                client.execute("SELECT 10 / %s::int", (divisor,))


def test_catalog_relations_are_read_anew(client: Db, schema: str) -> None:
    query = "SELECT count(*) FROM pg_catalog.pg_tables WHERE schemaname = %s"
    for number in range(3):
        assert rows(client, query, (schema,)) == [(number,)]
        client.execute(f"CREATE TABLE t{number} (a int)")


def test_a_parameter_beside_a_document_is_one(client: Db) -> None:
    client.execute("CREATE TABLE t (a int, d jsonb)")
    client.execute("INSERT INTO t VALUES (1, '1.0'), (2, '{}'), (3, NULL)")
    for text, wanted in (("1.00", [(1,)]), ("{}", [(2,)]), ("1", [(1,)]), (None, [])):
        assert rows(client, "SELECT a FROM t WHERE d = %s", (text,)) == wanted
    assert rows(client, "SELECT a FROM t WHERE d > %s", ("1",)) == [(2,)]
    with pytest.raises(psycopg.errors.InvalidTextRepresentation):
        client.execute("SELECT a FROM t WHERE d = %s", ("{",))


def test_look_ups_in_text_share_a_plan(client: Db, runtime: InProcess) -> None:
    make_indexed(client)
    client.execute("ALTER TABLE t ADD COLUMN c char(3) DEFAULT 'x'")
    before = hits(runtime)
    kind = (
        "one" if client.prepare_threshold is None else "other"
    )  # a text that came before is known by itself
    for key in range(40, 60):
        wanted = [(str(key),)] if key <= 50 else []
        assert client.execute(f"SELECT b AS {kind} FROM t WHERE a = {key};").fetchall() == wanted  # type: ignore[arg-type]
        assert client.execute(f"SELECT b AS {kind} FROM t WHERE b = '{key}'").fetchall() == wanted  # type: ignore[arg-type]
    if (
        client.prepare_threshold is None
    ):  # else they are sent as statements without parameters, and planned each
        assert hits(runtime) >= before + 36
    for text in ("x", "x  ", "y"):  # blanks at the end are no part of char(3), as they would be of text
        count = 0 if text == "y" else 50
        assert client.execute(f"SELECT a FROM t WHERE c = '{text}'").rowcount == count  # type: ignore[arg-type]


def test_errors_of_look_ups_in_text_point_at_the_text(client: Db) -> None:
    client.execute("CREATE TABLE t (a int, d date)")
    for key in (1, 22, 333):
        text = f"SELECT a FROM t WHERE a = {key} AND nothing = 1"
        with pytest.raises(psycopg.errors.UndefinedColumn) as undefined:
            client.execute(text)  # type: ignore[arg-type]
        assert undefined.value.diag.statement_position == str(text.index("nothing") + 1)
        with pytest.raises(psycopg.errors.InvalidDatetimeFormat) as invalid:
            client.execute(f"SELECT a FROM t WHERE d = 'x{key}'")  # type: ignore[arg-type]
        assert f'"x{key}"' in str(invalid.value)
        assert client.execute(f"SELECT a FROM t WHERE d = '2024-01-{key % 28 + 1}'").fetchall() == []  # type: ignore[arg-type]


def test_look_ups_in_text_see_definitions_and_failed_blocks(client: Db) -> None:
    client.execute("CREATE TABLE t (a int)")
    client.execute("INSERT INTO t VALUES (1), (2), (3)")
    for key in (1, 2, 3):
        assert client.execute(f"SELECT * FROM t WHERE a = {key}").fetchall() == [(key,)]  # type: ignore[arg-type]
    client.execute("ALTER TABLE t ADD COLUMN b text DEFAULT 'new'")
    for key in (1, 2, 3):
        assert client.execute(f"SELECT * FROM t WHERE a = {key}").fetchall() == [(key, "new")]  # type: ignore[arg-type]
    client.execute("BEGIN")
    with pytest.raises(psycopg.errors.DivisionByZero):
        client.execute("SELECT 1 / 0")
    with pytest.raises(psycopg.errors.InFailedSqlTransaction):
        client.execute("SELECT * FROM t WHERE a = 1")
    client.execute("ROLLBACK")
    with client.transaction():
        client.execute("CREATE TEMP TABLE t (a int, mine bool)")
        client.execute("INSERT INTO t VALUES (1, true), (2, true), (3, true)")
        for key in (1, 2, 3):
            assert client.execute(f"SELECT * FROM t WHERE a = {key}").fetchall() == [(key, True)]  # type: ignore[arg-type]
