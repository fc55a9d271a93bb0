"""What clients read beside the rows: of which columns results are, and what an error is about.  As PostgreSQL has it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import running
from oracle import running_postgres

Db = psycopg.Connection[Any]

SETUP = """
CREATE TABLE t (id int PRIMARY KEY, name text NOT NULL, "Mixed" numeric CHECK ("Mixed" > 0));
CREATE TABLE u (id int, t_id int, UNIQUE (t_id));
CREATE VIEW v AS SELECT name, id + 1 AS next FROM t;
CREATE SCHEMA s;
CREATE TABLE s.t (id int CONSTRAINT named CHECK (id < 10));
INSERT INTO t VALUES (1, 'a', 1);
INSERT INTO u VALUES (1, 1);
"""


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Db, Db]]:
    with (
        running() as runtime,
        running_postgres() as uri,
        psycopg.connect(uri, autocommit=True) as oracle,
        runtime.connect() as db,
    ):
        for connection in (db, oracle):
            for statement in SETUP.strip().split(";\n"):
                connection.execute(statement)  # type: ignore[arg-type]
        yield db, oracle


def _origins(db: Db, sql: str) -> list[tuple[str, str | None, int]]:
    """Name, relation and number of each column."""
    with db.transaction(force_rollback=True):
        cursor = db.execute(sql)  # type: ignore[arg-type]
        result = cursor.pgresult
        assert result is not None
        columns = [(result.fname(i), result.ftable(i), result.ftablecol(i)) for i in range(result.nfields)]
        names = dict(db.execute("SELECT oid, relname FROM pg_class").fetchall())
    return [((name or b"").decode(), names.get(oid), number) for name, oid, number in columns]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM t",
        "SELECT id, name AS n, id + 1, upper(name), 1 FROM t",
        "SELECT x.name, u.* FROM t AS x JOIN u ON x.id = u.t_id",
        "SELECT * FROM t LEFT JOIN u USING (id)",
        "SELECT * FROM t FULL JOIN u USING (id)",
        "SELECT q.*, name || '' FROM (SELECT name, count(*) AS c, id FROM t GROUP BY name, id) AS q",
        "WITH w (a, b) AS (SELECT id, name FROM t) SELECT b, a FROM w",
        "SELECT * FROM v",
        "SELECT name FROM v GROUP BY name ORDER BY name LIMIT 1",
        'SELECT DISTINCT "Mixed" FROM t',
        "SELECT id FROM t UNION SELECT id FROM u",
        "SELECT relname, oid FROM pg_class WHERE relname = 't'",
        "SELECT (SELECT name FROM t LIMIT 1), max(id) FROM t",
        "SELECT g FROM generate_series(1, 2) AS g",
        "VALUES (1)",
        "INSERT INTO t VALUES (7, 'x', 2) RETURNING name, id AS key, id + 1",
        "UPDATE t AS a SET name = 'b' RETURNING *",
        "DELETE FROM u WHERE id = 1 RETURNING u.t_id",
        "SHOW server_encoding",
    ],
)
def test_columns_know_where_they_are_from(both: tuple[Db, Db], sql: str) -> None:
    db, oracle = both
    assert _origins(db, sql) == _origins(oracle, sql)


def test_cursors_and_prepared_statements_know_it(both: tuple[Db, Db]) -> None:
    found = []
    for db in both:
        with db.transaction(force_rollback=True):
            db.execute("DECLARE c CURSOR FOR SELECT name, id FROM t")
            fetched = db.execute("FETCH 1 FROM c").pgresult
            prepared = db.execute("SELECT id, %s::int FROM t", (1,), prepare=True).pgresult
        for result in (fetched, prepared):
            assert result is not None
            found.append([(result.ftable(i) > 0, result.ftablecol(i)) for i in range(result.nfields)])
    assert found[:2] == found[2:]
    assert found[0] == [(True, 2), (True, 1)]


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO t VALUES (2, NULL, 1)",
        "INSERT INTO t VALUES (1, 'b', 1)",
        "INSERT INTO t VALUES (2, 'b', -1)",
        "UPDATE t SET name = NULL",
        "INSERT INTO u VALUES (2, 1)",
        "INSERT INTO s.t VALUES (10)",
        "ALTER TABLE u ADD CONSTRAINT few CHECK (id > 1)",
        "INSERT INTO u VALUES (NULL, 2); ALTER TABLE u ALTER id SET NOT NULL",
        "INSERT INTO u VALUES (1, 2); ALTER TABLE u ADD CONSTRAINT one UNIQUE (id)",
        "SELECT 1 / 0",
    ],
)
def test_what_an_error_is_about(both: tuple[Db, Db], sql: str) -> None:
    found = []
    for db in both:
        with pytest.raises(psycopg.Error) as raised:
            db.execute(sql)  # type: ignore[arg-type]
        diag = raised.value.diag
        found.append(
            (
                diag.sqlstate,
                diag.schema_name,
                diag.table_name,
                diag.column_name,
                diag.constraint_name,
                diag.datatype_name,
            )
        )
    assert found[0] == found[1]
