"""Statements about POSTGRES sources in whole runtimes: what is asked of a real PostgreSQL, what is refused, and what is told of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows
from psycopg import errors
from servers.postgres_listening import Listening

from .support import PASSWORD, Db, connect


@pytest.fixture
def upstream(server: Listening, database: str) -> Iterator[Db]:
    """A session in the database, with a publication `p` of two tables."""
    where = f"host=127.0.0.1 port={server.port} user=ann password={PASSWORD} dbname={database}"
    with psycopg.connect(where, autocommit=True) as db:
        for statement in (
            "CREATE TYPE mood AS ENUM ('good')",
            'CREATE TABLE orders (id int8 PRIMARY KEY, total numeric(10, 2), "Mood" mood, secret text)',
            "CREATE TABLE people (name varchar(20) NOT NULL)",
            "ALTER TABLE orders REPLICA IDENTITY FULL",
            "ALTER TABLE people REPLICA IDENTITY FULL",
            "CREATE PUBLICATION p FOR TABLE orders, people",
        ):
            db.execute(statement.encode())
        yield db


@pytest.fixture
def connected(db: Db, upstream: Db) -> Db:
    """A session with a connection `pg` there."""
    connect(db, upstream.info.port, upstream.info.dbname)
    return db


HEAD = "CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'p'"


def run(db: Db, sql: str) -> None:
    db.execute(sql.encode())


def shown(db: Db, what: str) -> str:
    return str(rows(db, f"SHOW CREATE {what}")[0][1])


def test_what_is_shown_makes_the_same_again(connected: Db, schema: str) -> None:
    run(
        connected,
        f'{HEAD}, TEXT COLUMNS (public.orders."Mood"), EXCLUDE COLUMNS (public.orders.secret)) FOR TABLES (orders AS "O", people) '
        "EXPOSE PROGRESS AS progress",
    )
    source = f"CREATE SOURCE {schema}.s IN CLUSTER quickstart FROM POSTGRES CONNECTION {schema}.pg (PUBLICATION 'p')"
    orders = f"""CREATE TABLE {schema}."O" FROM SOURCE {schema}.s (REFERENCE public.orders) WITH (TEXT COLUMNS ("Mood"), EXCLUDE COLUMNS (secret))"""
    people = f"CREATE TABLE {schema}.people FROM SOURCE {schema}.s (REFERENCE public.people)"
    progress = f"CREATE TABLE {schema}.progress FROM SOURCE {schema}.s (REFERENCE mz_progress)"
    statements = {"SOURCE s": source, 'TABLE "O"': orders, "TABLE people": people, "TABLE progress": progress}

    def columns() -> list[tuple[Any, ...]]:
        return rows(
            connected,
            f"SELECT table_name, column_name, data_type, is_nullable FROM information_schema.columns WHERE table_schema = '{schema}' "
            "ORDER BY table_name, ordinal_position",
        )

    before = columns()
    assert before == [
        ("O", "id", "bigint", "NO"),
        ("O", "total", "numeric", "YES"),
        ("O", "Mood", "text", "YES"),
        ("people", "name", "character varying", "NO"),
        ("progress", "lsn", "uint8", "NO"),
    ]
    assert {what: shown(connected, what) for what in statements} == statements
    run(connected, "DROP SOURCE s CASCADE")
    assert columns() == []
    for statement in statements.values():
        run(connected, statement)
    assert {what: shown(connected, what) for what in statements} == statements
    assert columns() == before


def test_rows_are_those_upstream(connected: Db, upstream: Db) -> None:
    run(upstream, "INSERT INTO orders VALUES (1, 1.50, 'good', 'x'), (2, NULL, NULL, 'y')")
    run(
        connected,
        f'{HEAD}, TEXT COLUMNS (public.orders."Mood"), EXCLUDE COLUMNS (public.orders.secret)) FOR ALL TABLES EXPOSE PROGRESS AS progress',
    )
    shown = "SELECT id, total::text, \"Mood\", 'kept' FROM orders ORDER BY id"
    eventually(lambda: rows(connected, shown) == [(1, "1.50", "good", "kept"), (2, None, None, "kept")])
    run(upstream, "UPDATE orders SET total = 7 WHERE id = 2")
    run(upstream, "DELETE FROM orders WHERE id = 1")
    run(upstream, "INSERT INTO people VALUES ('ann')")
    eventually(lambda: rows(connected, shown) == [(2, "7.00", None, "kept")])
    eventually(lambda: rows(connected, "SELECT * FROM people") == [("ann",)])
    run(connected, "CREATE TABLE again FROM SOURCE s (REFERENCE public.people)")
    eventually(lambda: rows(connected, "SELECT name FROM again") == [("ann",)])
    assert rows(connected, "SELECT lsn::numeric > 0 FROM progress") == [(True,)]


def test_what_is_told_of_them(connected: Db, upstream: Db, schema: str) -> None:
    run(connected, f"{HEAD}) FOR TABLES (people)")
    run(connected, "CREATE TABLE more FROM SOURCE s (REFERENCE people)")
    assert rows(connected, "SELECT type, envelope_type FROM mz_sources WHERE name = 's'") == [
        ("postgres", "none")
    ]
    ((slot, timeline),) = rows(
        connected, "SELECT replication_slot, timeline_id::int8 FROM mz_catalog.mz_postgres_sources"
    )
    ((id_,),) = rows(connected, "SELECT id FROM mz_sources WHERE name = 's'")
    assert str(slot).startswith(f"ptvc_{id_}_")
    assert (len(str(slot)), timeline) == (len(f"ptvc_{id_}_") + 16, 1)
    assert rows(
        connected,
        "SELECT t.name, p.schema_name, p.table_name FROM mz_internal.mz_postgres_source_tables p JOIN mz_tables t ON t.id = p.id ORDER BY 1",
    ) == [("more", "public", "people"), ("people", "public", "people")]
    assert rows(connected, "SELECT namespace, name, columns FROM mz_internal.mz_source_references") == [
        ("public", "people", ["name"])
    ]
    with pytest.raises(errors.DependentObjectsStillExist) as refused:
        run(connected, "DROP CONNECTION pg")
    detail = str(refused.value.diag.message_detail)
    assert detail.startswith(
        f"source {schema}.s depends on connection {schema}.pg\ntable {schema}.people depends"
    )
    run(connected, "DROP CONNECTION pg CASCADE")
    assert rows(connected, "SHOW SOURCES") == []
    assert rows(connected, "SELECT * FROM mz_catalog.mz_postgres_sources") == []


def test_tables_that_come_into_the_publication_later(connected: Db, upstream: Db) -> None:
    run(connected, f"{HEAD})")
    with pytest.raises(errors.UndefinedTable, match='publication "p" has no table "later"') as refused:
        run(connected, "CREATE TABLE later FROM SOURCE s (REFERENCE later)")
    assert "It has public.orders, public.people" in str(refused.value.diag.message_hint)
    run(upstream, "CREATE TABLE later (a int)")
    run(upstream, "ALTER PUBLICATION p ADD TABLE later")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="REPLICA IDENTITY FULL") as refused_again:
        run(connected, "CREATE TABLE later FROM SOURCE s (REFERENCE later)")
    assert "ALTER TABLE public.later REPLICA IDENTITY FULL" in str(refused_again.value.diag.message_hint)
    run(upstream, "ALTER TABLE later REPLICA IDENTITY FULL")
    run(connected, "CREATE TABLE later FROM SOURCE s (REFERENCE later)")
    run(connected, "CREATE TABLE IF NOT EXISTS later FROM SOURCE s (REFERENCE nothing)")


@pytest.mark.parametrize(
    ("sql", "error", "words"),
    [
        ("CREATE SOURCE s FROM POSTGRES CONNECTION pg (PUBLICATION 'q')", errors.UndefinedObject, 'publication "q" does not exist in database'),
        (f"{HEAD}) FOR ALL TABLES", errors.FeatureNotSupported, 'column "Mood" of table "public.orders" is of type public.mood'),
        (f"{HEAD}) FOR TABLES (people AS taken)", errors.DuplicateTable, "taken"),
        ("CREATE TABLE x FROM SOURCE taken (REFERENCE people)", errors.WrongObjectType, "not a source"),
    ],
)  # fmt: skip
def test_what_is_refused_makes_nothing(
    connected: Db, sql: str, error: type[psycopg.Error], words: str
) -> None:
    run(connected, "CREATE TABLE taken (a int)")
    with pytest.raises(error) as refused:
        run(connected, sql)
    assert words in str(refused.value)
    assert rows(connected, "SHOW SOURCES") == []


def test_one_that_is_there_is_not_asked_for(connected: Db) -> None:
    run(connected, f"{HEAD})")
    run(connected, "ALTER CONNECTION pg SET (PORT 1) WITH (VALIDATE = false)")
    run(connected, "CREATE SOURCE IF NOT EXISTS s FROM POSTGRES CONNECTION pg (PUBLICATION 'p')")
    with pytest.raises(psycopg.Error, match=r"cannot connect to 127[.]0[.]0[.]1:1: connection refused"):
        run(connected, "CREATE TABLE people FROM SOURCE s (REFERENCE people)")
    with pytest.raises(errors.FeatureNotSupported, match="transaction block"), connected.transaction():
        run(connected, "CREATE TABLE people FROM SOURCE s (REFERENCE people)")


def test_a_connection_may_be_used_by_those_who_have_the_right(
    runtime: InProcess, connected: Db, schema: str
) -> None:
    run(connected, "CREATE ROLE reader LOGIN")
    for sql in (f"USAGE, CREATE ON SCHEMA {schema}", "USAGE, CREATE ON CLUSTER quickstart"):
        run(connected, f"GRANT {sql} TO reader")
    with psycopg.connect(
        host="127.0.0.1", port=runtime.port, user="reader", dbname="ptvc", autocommit=True,
        options=f"-c search_path={schema}",
    ) as reader:  # fmt: skip
        with pytest.raises(errors.InsufficientPrivilege, match="permission denied for connection pg"):
            run(reader, f"{HEAD})")
        run(connected, "GRANT USAGE ON CONNECTION pg TO reader")
        run(reader, f"{HEAD})")
        run(reader, "CREATE TABLE people FROM SOURCE s (REFERENCE people)")
        run(reader, "DROP SOURCE s CASCADE")
    run(connected, "REVOKE ALL ON CONNECTION pg FROM reader")
    run(connected, f"REVOKE ALL ON SCHEMA {schema} FROM reader")
    run(connected, "REVOKE ALL ON CLUSTER quickstart FROM reader")
    run(connected, "DROP ROLE reader")


def test_a_column_that_is_left_out_may_go_upstream(connected: Db, upstream: Db, schema: str) -> None:
    upstream.execute("INSERT INTO orders VALUES (1, 2.5, 'good', 'x'), (2, 3, NULL, 'y')")
    run(connected, f'{HEAD}, TEXT COLUMNS (public.orders."Mood")) FOR TABLES (orders)')
    run(connected, "CREATE MATERIALIZED VIEW v AS SELECT id, total FROM orders")
    eventually(lambda: len(rows(connected, "SELECT * FROM v")) == 2)
    run(connected, "ALTER TABLE orders APPLY (COLUMNS)")
    made = f"CREATE TABLE {schema}.orders FROM SOURCE {schema}.s (REFERENCE public.orders)"
    assert shown(connected, "TABLE orders") == f'{made} WITH (EXCLUDE COLUMNS ("Mood", secret))'
    upstream.execute("INSERT INTO orders VALUES (3, 4, 'good', 'z')")
    upstream.execute('ALTER TABLE orders DROP COLUMN secret, ALTER "Mood" TYPE text')
    upstream.execute("DELETE FROM orders WHERE id = 1")
    upstream.execute("ALTER TABLE orders ADD COLUMN secret int")
    upstream.execute("UPDATE orders SET total = 5, secret = 7 WHERE id = 3")
    eventually(lambda: rows(connected, "SELECT id, total::int FROM v ORDER BY 1") == [(2, 3), (3, 5)])
    run(connected, shown(connected, "TABLE orders").replace(f"TABLE {schema}.orders", "TABLE again"))
    eventually(lambda: rows(connected, "TABLE again") == rows(connected, "TABLE orders"))
    upstream.execute("ALTER TABLE orders DROP COLUMN total")
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match='column "total"'):
        eventually(lambda: len(rows(connected, "TABLE orders")) == 9)


def test_columns_stay_where_a_row_is_in_error(connected: Db, upstream: Db) -> None:
    upstream.execute('CREATE TABLE marks (id int PRIMARY KEY, mark "char")')
    upstream.execute("ALTER TABLE marks REPLICA IDENTITY FULL")
    upstream.execute("ALTER PUBLICATION p ADD TABLE marks")
    upstream.execute("INSERT INTO marks VALUES (1, 'a'), (2, 'é')")
    run(connected, f"{HEAD}) FOR TABLES (marks)")
    run(connected, "CREATE MATERIALIZED VIEW v AS SELECT id FROM marks")

    def in_error() -> bool:
        with suppress(errors.FeatureNotSupported):
            rows(connected, "TABLE v")
            return False
        return True

    eventually(in_error)
    with pytest.raises(errors.FeatureNotSupported, match='column "mark"'):
        run(connected, "ALTER TABLE marks APPLY (COLUMNS)")
    upstream.execute("DELETE FROM marks WHERE id = 2")
    eventually(lambda: not in_error())
    run(connected, "ALTER TABLE marks APPLY (COLUMNS)")
    upstream.execute("INSERT INTO marks VALUES (3, 'é')")
    eventually(lambda: rows(connected, "SELECT * FROM v ORDER BY 1") == [(1,), (3,)])
    upstream.execute("DELETE FROM marks WHERE id = 3")
    eventually(lambda: rows(connected, "SELECT * FROM v ORDER BY 1") == [(1,)])
