"""A source that is posted to is defined, shown, altered and read as other relations are."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, rows

from .posting import Poster

Db = psycopg.Connection[tuple[Any, ...]]

WHOLE = (
    "FROM WEBHOOK BODY FORMAT JSON ARRAY INCLUDE HEADERS ('a', NOT 'b') INCLUDE HEADER 'c' AS \"C\" BYTES"
    " CHECK (WITH (HEADERS AS h, BODY BYTES, SECRET {schema}.key AS k BYTES) hmac(body, k, 'md5') <> k)"
    " WITH (IDEMPOTENCY KEY HEADER 'x-key', RETAIN HISTORY FOR '5000ms')"
)


def test_what_is_shown_makes_the_same(db: Db, schema: str) -> None:
    db.execute("CREATE SECRET key AS 'k'")
    db.execute(f"CREATE SOURCE s IN CLUSTER quickstart {WHOLE.format(schema=schema)}")
    [(_, shown)] = rows(db, "SHOW CREATE SOURCE s")
    assert shown == f"CREATE SOURCE {schema}.s {WHOLE.format(schema=schema)}"
    db.execute("DROP SOURCE s")
    db.execute(shown)
    assert rows(db, "SHOW CREATE SOURCE s") == [(f"{schema}.s", shown)]
    db.execute("ALTER SECRET key RENAME TO other")
    [(_, renamed)] = rows(db, "SHOW CREATE SOURCE s")
    assert renamed == shown.replace(".key AS", ".other AS")
    types = rows(
        db, f"SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute"
        f" WHERE attrelid = '{schema}.s'::regclass AND attnum > 0 ORDER BY attnum"
    )  # fmt: skip
    assert types == [("body", "jsonb", True), ("headers", "map", True), ("C", "bytea", False)]
    assert rows(db, "SELECT type, envelope_type, cluster_id FROM mz_sources WHERE name = 's'") == [
        ("webhook", "none", None)
    ]


@pytest.mark.parametrize(
    ("clause", "sqlstate"),
    [
        ("FROM WEBHOOK", "42601"),
        ("FROM WEBHOOK BODY FORMAT AVRO", "42601"),
        ("FROM WEBHOOK BODY FORMAT TEXT ARRAY", "42601"),
        ("(a int) FROM WEBHOOK BODY FORMAT TEXT", "42601"),
        ("IN CLUSTER nowhere FROM WEBHOOK BODY FORMAT TEXT", "42704"),
        ("FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADER 'a b' AS c", "22023"),
        ("FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADER 'a' AS body", "42701"),
        ("FROM WEBHOOK BODY FORMAT TEXT INCLUDE HEADERS INCLUDE HEADER 'a' AS headers", "42701"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (body = 'a')", "42703"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (BODY) body)", "42804"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (BODY, BODY) true)", "42601"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (SECRET nothing) true)", "42704"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (BODY) body = (SELECT 'a'))", "0A000"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (BODY) body = current_user)", "0A000"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (random() < 1)", "0A000"),
        ("FROM WEBHOOK BODY FORMAT TEXT CHECK (mz_now() > 1)", "0A000"),
        ("FROM WEBHOOK BODY FORMAT TEXT WITH (SIZE 'x')", "0A000"),
        ("FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 'a b')", "22023"),
        ("FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 1)", "22023"),
    ],
)
def test_what_is_refused(db: Db, clause: str, sqlstate: str) -> None:
    with pytest.raises(psycopg.Error) as raised:
        db.execute(f"CREATE SOURCE s {clause}".encode())
    assert raised.value.sqlstate == sqlstate, raised.value
    assert rows(db, "SHOW SOURCES") == []


def test_who_has_no_check_is_told(db: Db) -> None:
    told: list[str] = []
    db.add_notice_handler(lambda notice: told.append(str(notice.message_primary)))
    db.execute("CREATE SOURCE guarded FROM WEBHOOK BODY FORMAT TEXT CHECK (WITH (BODY) body <> '')")
    assert told == []
    db.execute("CREATE SOURCE open FROM WEBHOOK BODY FORMAT TEXT")
    assert told == ['source "open" has no CHECK: whoever reaches the HTTP port may write to it']
    db.execute("CREATE SOURCE IF NOT EXISTS open FROM WEBHOOK BODY FORMAT TEXT")
    assert len(told) == 2
    with pytest.raises(psycopg.errors.DuplicateTable):
        db.execute("CREATE SOURCE open FROM WEBHOOK BODY FORMAT TEXT")


def test_statements_do_not_write_it(db: Db) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    for statement in (
        "INSERT INTO s VALUES ('x')",
        "UPDATE s SET body = 'x'",
        "DELETE FROM s",
        "TRUNCATE s",
        "COPY s FROM STDIN",
        "ALTER TABLE s ADD COLUMN a int",
        "CREATE TABLE t FROM SOURCE s (REFERENCE x)",
    ):
        with pytest.raises(psycopg.Error) as raised:
            db.execute(statement.encode())
        assert raised.value.sqlstate == "42809", (statement, raised.value)


def test_names_and_comments(db: Db, schema: str, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT")
    db.execute("COMMENT ON SOURCE s IS 'posted'")
    db.execute("COMMENT ON COLUMN s.body IS 'what was said'")
    db.execute("ALTER SOURCE s SET (RETAIN HISTORY FOR '1 minute')")
    assert poster.post("s", b"1").status == 200
    db.execute("ALTER SOURCE s RENAME TO t")
    assert poster.post("s", b"2").status == 404
    assert poster.post("t", b"3").status == 200
    assert sorted(rows(db, "SELECT body FROM t")) == [("1",), ("3",)]
    assert rows(db, f"SELECT obj_description('{schema}.t'::regclass)") == [("posted",)]
    db.execute("DROP SOURCE t")
    assert poster.post("t", b"4").status == 404


def test_it_is_defined_with_others_in_a_block(runtime: InProcess, schema: str, poster: Poster) -> None:
    with runtime.connect(autocommit=False, options=f"-c search_path={schema}") as db:
        db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 'x-key')")
        db.execute("CREATE VIEW v AS SELECT upper(body) AS body FROM s")
        assert poster.post("s", b"1").status == 404
        db.commit()
    assert poster.post("s", b"a").status == 200
    assert runtime.query(f"SELECT * FROM {schema}.v") == [("A",)]


def test_views_indexes_and_subscriptions(db: Db, other: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT JSON")
    db.execute("CREATE MATERIALIZED VIEW v AS SELECT body->>'k' AS k, count(*) AS n FROM s GROUP BY 1")
    db.execute("CREATE VIEW w AS SELECT max((body->>'n')::int) AS n FROM s")
    db.execute("CREATE INDEX i ON w (n)")
    other.execute("BEGIN")
    other.execute("DECLARE c CURSOR FOR SUBSCRIBE s")
    for n in range(3):
        assert poster.post("s", f'{{"k": "a", "n": {n}}}').status == 200
    assert rows(db, "SELECT * FROM v") == [("a", 3)]
    assert rows(db, "SELECT * FROM w") == [(2,)]
    seen: list[Any] = []

    def all_seen() -> bool:
        seen.extend(rows(other, "FETCH ALL c"))
        return len(seen) == 3

    eventually(all_seen)
    assert [body["n"] for *_, body in seen] == [0, 1, 2]
    other.rollback()
    plan = "\n".join(line for (line,) in rows(db, "EXPLAIN PHYSICAL PLAN FOR SELECT max(body->>'n') FROM s"))
    assert "monotonic" in plan


def test_it_is_gone_with_its_shards(runtime: InProcess, db: Db, poster: Poster) -> None:
    db.execute("CREATE SOURCE s FROM WEBHOOK BODY FORMAT TEXT WITH (IDEMPOTENCY KEY HEADER 'x-key')")
    assert poster.post("s", b"1", X_Key="1").status == 200
    [(id_,)] = rows(db, "SELECT id FROM mz_sources WHERE name = 's'")
    assert {id_, f"{id_}-keys"} <= set(runtime.persist.shard_ids())
    db.execute("DROP SOURCE s")
    there = {state.id for state in runtime.persist.shards()}
    assert there.isdisjoint({id_, f"{id_}-keys"})
