"""INSERT, UPDATE, DELETE, COPY."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, rows
from psycopg import errors

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def t(db: Db) -> str:
    db.execute("CREATE TABLE t (a int NOT NULL, b text DEFAULT 'none', c numeric(8, 2))")
    return "t"


def all_of(db: Db) -> list[tuple[Any, ...]]:
    return [(a, b, None if c is None else str(c)) for a, b, c in rows(db, "SELECT * FROM t ORDER BY a, b, c")]


def test_tags_and_defaults(db: Db, t: str) -> None:
    assert db.execute("INSERT INTO t (a) VALUES (1), (2)").statusmessage == "INSERT 0 2"
    assert db.execute("INSERT INTO t VALUES (3, DEFAULT, 1.005)").statusmessage == "INSERT 0 1"
    assert all_of(db) == [(1, "none", None), (2, "none", None), (3, "none", "1.01")]
    assert db.execute("UPDATE t SET b = NULL, c = a WHERE a >= 2").statusmessage == "UPDATE 2"
    assert all_of(db) == [(1, "none", None), (2, None, "2.00"), (3, None, "3.00")]
    assert db.execute("DELETE FROM t WHERE b IS NULL").statusmessage == "DELETE 2"
    assert db.execute("DELETE FROM t WHERE a = 17").statusmessage == "DELETE 0"
    assert all_of(db) == [(1, "none", None)]
    db.execute("TRUNCATE t")
    assert all_of(db) == []


def test_returning_has_the_order_of_what_was_given(db: Db) -> None:
    """Drivers of objects pair their objects with these rows."""
    db.execute("CREATE TABLE drawn (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), k int)")
    found = rows(db, "INSERT INTO drawn (k) VALUES (5), (3), (9), (1) RETURNING id, k")
    assert [k for _, k in found] == [5, 3, 9, 1]
    assert sorted(found) == rows(db, "SELECT id, k FROM drawn ORDER BY id")
    db.execute("CREATE TABLE keyed (id int PRIMARY KEY, k int)")
    db.execute("INSERT INTO keyed VALUES (1, 1), (5, 1)")
    ((schema,),) = rows(db, "SELECT current_schema()")
    upsert = (
        "INSERT INTO keyed VALUES (3, 0), (1, 2), (4, 0), (5, 2), (2, 0) ON CONFLICT (id)"
        f" DO UPDATE SET k = {schema}.keyed.k + excluded.k WHERE {schema}.keyed.k < 3 RETURNING id, k"
    )
    assert rows(db, upsert) == [(3, 0), (1, 3), (4, 0), (5, 3), (2, 0)]
    assert rows(db, upsert) == [(3, 0), (4, 0), (2, 0)]


def test_returning(db: Db, t: str) -> None:
    assert rows(db, "INSERT INTO t (a) VALUES (1), (2) RETURNING a, b || '!' AS x") == [
        (1, "none!"),
        (2, "none!"),
    ]
    assert rows(db, "UPDATE t SET a = a * 10 WHERE a = 2 RETURNING a") == [(20,)]
    assert rows(db, "DELETE FROM t WHERE a = 1 RETURNING *") == [(1, "none", None)]
    assert all_of(db) == [(20, "none", None)]


def test_not_null(db: Db, t: str) -> None:
    for statement in (
        "INSERT INTO t (b) VALUES ('x')",
        "INSERT INTO t VALUES (1, 'x', 2), (NULL, 'y', 3)",
    ):
        with pytest.raises(errors.NotNullViolation, match='null value in column "a" of relation "t"'):
            db.execute(statement)
    db.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(errors.NotNullViolation):
        db.execute("UPDATE t SET a = NULL")
    assert all_of(db) == [(1, "none", None)]


def test_insert_select(db: Db, t: str) -> None:
    db.execute("INSERT INTO t VALUES (1, 'x', 1), (2, 'y', 2)")
    assert db.execute("INSERT INTO t SELECT a + 10, b, c FROM t").statusmessage == "INSERT 0 2"
    assert [a for a, _, _ in all_of(db)] == [1, 2, 11, 12]


def test_duplicates_count(db: Db) -> None:
    db.execute("CREATE TABLE bag (a int)")
    db.execute("INSERT INTO bag VALUES (1), (1), (1), (2)")
    assert rows(db, "SELECT * FROM bag ORDER BY 1") == [(1,), (1,), (1,), (2,)]
    assert db.execute("UPDATE bag SET a = 2 WHERE a = 1").statusmessage == "UPDATE 3"
    assert rows(db, "SELECT * FROM bag LIMIT 3 OFFSET 2") == [(2,), (2,)]
    assert db.execute("DELETE FROM bag").statusmessage == "DELETE 4"


def test_an_update_that_fails_changes_nothing(db: Db, t: str) -> None:
    db.execute("INSERT INTO t VALUES (0), (1)")
    with pytest.raises(errors.DivisionByZero):
        db.execute("UPDATE t SET a = 1 / a")
    assert [a for a, _, _ in all_of(db)] == [0, 1]


@pytest.mark.parametrize("options", ["", "(FORMAT csv)", "(FORMAT binary)"])
def test_copy_both_ways(db: Db, options: str) -> None:
    db.execute("CREATE TABLE source (a int, b text)")
    db.execute("CREATE TABLE target (a int, b text)")
    lines = ["plain", "with\ttab", "line\nbreak", 'quote " and , comma', "", "\\N"]
    with db.cursor() as cursor:
        for i, line in enumerate(lines):
            cursor.execute("INSERT INTO source VALUES (%s, %s)", (i, line))
        cursor.execute("INSERT INTO source VALUES (99, NULL)")
        with cursor.copy(f"COPY source TO STDOUT {options}") as copy:
            data = b"".join(bytes(piece) for piece in copy)
        with cursor.copy(f"COPY target FROM STDIN {options}") as copy:
            copy.write(data)
        assert cursor.statusmessage == f"COPY {len(lines) + 1}"
    assert rows(db, "SELECT * FROM target ORDER BY a") == [*enumerate(lines), (99, None)]


@pytest.mark.parametrize("options", ["(FORMAT csv, HEADER, FORCE_QUOTE *)", "CSV HEADER FORCE QUOTE *"])
def test_copy_quotes_all_but_null_and_the_names_if_asked_to(db: Db, options: str) -> None:
    query = "SELECT 1 AS n, 'x' AS \"a b\", NULL AS none, '' AS empty, 'a\"b' AS quoted"
    with db.cursor() as cursor, cursor.copy(f"COPY ({query}) TO STDOUT {options}") as copy:
        data = b"".join(bytes(piece) for piece in copy)
    assert data == b'n,a b,none,empty,quoted\n"1","x",,"","a""b"\n'


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("COPY (SELECT 1 AS a) TO STDOUT (FORMAT csv, FORCE_QUOTE (a))", "FORCE_QUOTE of some columns"),
        ("COPY (SELECT 1 AS a) TO STDOUT (FORCE_QUOTE *)", "requires CSV mode"),
        ("COPY t FROM STDIN (FORMAT csv, FORCE_QUOTE *)", "cannot be used with COPY FROM"),
        ("SELECT * FROM jsonb_to_recordset('[]') AS x (a int, b text)", "column definition lists"),
        ("SELECT * FROM jsonb_to_recordset('[]') x (a int)", "column definition lists"),
        ("SELECT * FROM jsonb_to_recordset('[]') AS (a int)", "column definition lists"),
    ],
)
def test_what_is_refused(db: Db, t: str, statement: str, message: str) -> None:
    with pytest.raises(psycopg.errors.FeatureNotSupported, match=message):
        db.execute(statement)


def test_copy_many_rows_and_some_columns(db: Db, t: str) -> None:
    with db.cursor() as cursor, cursor.copy("COPY t (c, a) FROM STDIN") as copy:
        for i in range(20_000):
            copy.write_row((i, i))
    assert rows(db, "SELECT count(*), min(b), sum(c) FROM t")[0][:2] == (20_000, "none")


def test_copy_in_a_block_is_part_of_it(db: Db, t: str) -> None:
    db.execute("BEGIN")
    with db.cursor() as cursor, cursor.copy("COPY t (a) FROM STDIN") as copy:
        copy.write_row((1,))
    assert len(all_of(db)) == 1
    db.execute("ROLLBACK")
    assert all_of(db) == []


def test_a_bad_copy_changes_nothing(db: Db, t: str) -> None:
    with (
        pytest.raises(errors.InvalidTextRepresentation),
        db.cursor() as cursor,
        cursor.copy("COPY t (a) FROM STDIN") as copy,
    ):
        copy.write(b"1\nx\n")
    with (
        pytest.raises(errors.NotNullViolation),
        db.cursor() as cursor,
        cursor.copy("COPY t (a) FROM STDIN") as copy,
    ):
        copy.write(b"1\n\\N\n")
    assert all_of(db) == []


def test_views_cannot_be_written(db: Db, t: str) -> None:
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM t")
    for name in ("v", "m", "mz_catalog.mz_objects"):
        with pytest.raises(
            (errors.WrongObjectType, errors.FeatureNotSupported, errors.InsufficientPrivilege)
        ):
            db.execute(f"DELETE FROM {name}")


def test_rows_are_found_by_lists_of_keys(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE TABLE keyed (a int, b text)")
        db.execute("INSERT INTO keyed SELECT i % 100, 'b' || i FROM generate_series(1, 1000) AS g (i)")
        db.execute("CREATE INDEX keyed_a ON keyed (a)")
        for condition, count in (
            ("a IN (1, 2, NULL)", 20),
            ("a = ANY ('{1,2,2,300}')", 20),
            ("a = ANY ('{}')", 0),
            ("a = ANY (NULL::int[])", 0),
            ("a IN (1, 2) AND b <> 'b1'", 19),
            ("a <> ALL ('{1,2,3}')", 970),
            ("a <> ALL ('{1,NULL}')", 0),
        ):
            query = f"SELECT count(*) FROM keyed WHERE {condition}"
            assert rows(db, query) == [(count,)], condition
        with db.transaction():
            assert db.execute("DELETE FROM keyed WHERE a = ANY (%s)", ([4, 5],)).rowcount == 20
            assert db.execute("DELETE FROM keyed WHERE a = ANY (%s)", ([5, 6],)).rowcount == 10
        assert rows(db, "SELECT count(*) FROM keyed") == [(970,)]


def test_a_long_list_over_many_rows_takes_little_memory(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE TABLE many (a int, b float8)")
        db.execute("INSERT INTO many SELECT i, i FROM generate_series(1, 20000) AS g (i)")
        keys = list(range(0, 40_000, 5))
        assert rows(db, "SELECT count(*) FROM many WHERE a = ANY (%s)", (keys,)) == [(4_000,)]
        few = [float(key) for key in keys[:300]]
        assert rows(db, "SELECT count(*) FROM many WHERE b = ANY (%s)", (few,)) == [(299,)]
        assert rows(db, "SELECT count(*) FROM many WHERE b < ALL (%s)", (few[2:],)) == [(9,)]


@pytest.mark.parametrize("options", ["(FREEZE)", "(FREEZE true)", "WITH (FREEZE ON)", "FREEZE", "(FREEZE 0)"])
def test_copy_freeze(db: Db, options: str) -> None:
    """pgbench writes it: rows are as visible without it."""
    db.execute("CREATE TABLE frozen (a int)")
    with db.cursor() as cursor, cursor.copy(f"COPY frozen FROM STDIN {options}") as copy:
        copy.write("1\n2\n")
    assert rows(db, "SELECT a FROM frozen") == [(1,), (2,)]


def test_copy_freeze_where_it_means_nothing(db: Db) -> None:
    with pytest.raises(errors.InvalidParameterValue, match="FREEZE cannot be used with COPY TO"):
        db.execute("COPY (SELECT 1) TO STDOUT (FREEZE)")
    with pytest.raises(errors.SyntaxError, match="freeze requires a Boolean value"):
        db.execute("COPY (SELECT 1) TO STDOUT (FREEZE perhaps)")
