"""Definitions inside of BEGIN ... COMMIT: seen by the block, by nobody else before the commit, and then by all at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows
from psycopg import errors

from ..side_by_side import compare, outcomes, script

Db = psycopg.Connection[tuple[Any, ...]]


@pytest.fixture
def theirs(oracle: Db, schema: str) -> Iterator[Db]:
    oracle.execute(f"CREATE SCHEMA {schema}")
    oracle.execute(f"SET search_path TO {schema}")
    yield oracle
    oracle.execute(f"DROP SCHEMA {schema} CASCADE")


def shards(runtime: InProcess) -> set[str]:
    return {state.id for state in runtime.persist.shards()}


def test_as_in_postgres(db: Db, theirs: Db) -> None:
    compare(db, theirs, script("definitions_in_blocks"))


def _statement(random: Random) -> str:
    table, name, key = random.choice("xyz"), random.choice("pq"), random.randint(0, 9)
    column = random.choice(("n", "c1", "c2"))
    return random.choice(
        (
            f"SAVEPOINT {name}",
            f"ROLLBACK TO {name}",
            f"RELEASE {name}",
            f"CREATE TABLE {table} (id int, n int)",
            f"CREATE TABLE {table} (id int PRIMARY KEY, n int DEFAULT {key})",
            f"CREATE TABLE {table} AS SELECT id, n FROM {random.choice('xyz')} WHERE id < {key}",
            f"DROP TABLE IF EXISTS {table} CASCADE",
            f"ALTER TABLE {table} RENAME TO {random.choice('xyz')}",
            f"ALTER TABLE {table} ADD COLUMN {column} int DEFAULT {key}",
            f"ALTER TABLE {table} DROP COLUMN {column}",
            f"ALTER TABLE {table} ALTER COLUMN n SET NOT NULL",
            f"ALTER TABLE {table} ADD CONSTRAINT {table}_{column} UNIQUE ({column})",
            f"ALTER TABLE {table} DROP CONSTRAINT {table}_{column}",
            f"CREATE OR REPLACE VIEW v AS SELECT id FROM {table} WHERE id > {key}",
            f"INSERT INTO {table} VALUES ({key}, {key})",
            f"INSERT INTO {table} (id) SELECT id + 20 FROM {random.choice('xyz')}",
            f"UPDATE {table} SET {column} = {column} + 1 WHERE id > {key}",
            f"DELETE FROM {table} WHERE id = {key}",
            f"SELECT * FROM {table} ORDER BY 1, 2",
            f"SELECT * FROM {table} ORDER BY 1, 2",
            "SELECT * FROM v ORDER BY 1",
        )
    )


@pytest.mark.parametrize("seed", range(6))
def test_random_blocks(db: Db, theirs: Db, seed: int) -> None:
    random = Random(seed)
    statements = ["CREATE TABLE x (id int, n int)", "CREATE TABLE y (id int PRIMARY KEY, n int)"]
    for _ in range(10):
        statements.append("BEGIN")
        for _ in range(random.randint(4, 14)):
            # So that most blocks come to something, an error goes back to where it was.
            statements += ["SAVEPOINT each", _statement(random), "ROLLBACK TO each"][
                : random.choice((2, 2, 2, 3))
            ]
        statements.append(random.choice(("COMMIT", "COMMIT", "COMMIT", "ROLLBACK")))
        statements += [f"SELECT * FROM {table} ORDER BY 1, 2" for table in "xyz"]
    pairs = list(zip(outcomes(db, statements), outcomes(theirs, statements), strict=True))
    differences = [
        f"ours   {ours}\ntheirs {expected}" for ours, expected in pairs if _said(ours) != _said(expected)
    ]
    assert not differences, "\n".join(differences)
    assert sum(len(ours[2]) == 2 for ours, _ in pairs) > len(pairs) // 3, "mostly errors"


def _said(outcome: tuple[Any, ...]) -> tuple[Any, ...]:
    """What the statement has brought; of errors the SQLSTATE, as texts have tests of their own."""
    message, status, *results = outcome
    return message, status, [result if len(result) == 2 else result[0] for result in results]


def test_nobody_sees_it_before_the_commit(runtime: InProcess, db: Db, other: Db) -> None:
    before = shards(runtime)
    db.execute("BEGIN")
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    assert rows(db, "SELECT a FROM v") == [(1,)]
    named = "SELECT relname FROM pg_class WHERE relname IN ('t', 'v') ORDER BY 1"
    assert rows(db, named) == [("t",), ("v",)]
    assert rows(other, named) == []
    with pytest.raises(errors.UndefinedTable):
        other.execute("SELECT * FROM t")
    assert shards(runtime) == before
    db.execute("COMMIT")
    assert rows(other, named) == [("t",), ("v",)]
    assert rows(other, "SELECT a FROM v") == [(1,)]


def test_a_rollback_leaves_nothing_behind(runtime: InProcess, db: Db) -> None:
    db.execute("CREATE TABLE kept (a int)")
    before, names = shards(runtime), {item.name for item in runtime.coordinator.catalog.user_items()}
    db.execute("BEGIN")
    db.execute("CREATE TABLE t AS SELECT 1 AS a")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT sum(a) AS s FROM t")
    db.execute("CREATE INDEX i ON m (s)")
    db.execute("ALTER TABLE kept ADD COLUMN b int")
    db.execute("ROLLBACK")
    assert shards(runtime) == before
    assert {item.name for item in runtime.coordinator.catalog.user_items()} == names
    assert {collection.shard for collection in runtime.coordinator.storage.collections.all()} <= before
    assert rows(db, "SELECT * FROM kept") == []


def test_views_are_maintained_from_the_commit_on(db: Db, other: Db) -> None:
    with db.transaction():
        db.execute("CREATE TABLE t (k int, n int)")
        db.execute("INSERT INTO t VALUES (1, 10), (1, 20), (2, 30)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, sum(n) AS n FROM t GROUP BY k")
        db.execute("CREATE MATERIALIZED VIEW mm AS SELECT max(n) AS n FROM m")
        db.execute("CREATE INDEX i ON m (k)")
        assert rows(db, "SELECT * FROM m ORDER BY k") == [(1, 30), (2, 30)]
        assert rows(db, "SELECT n FROM mm") == [(30,)]
        db.execute("INSERT INTO t VALUES (2, 5)")
        assert rows(db, "SELECT n FROM mm") == [(35,)]
    assert rows(other, "SELECT n FROM mm") == [(35,)]
    eventually(lambda: hydrated(other, "m", "mm", "i"))
    other.execute("INSERT INTO t VALUES (3, 100)")
    assert rows(other, "SELECT n FROM m WHERE k = 3") == [(100,)]
    assert rows(other, "SELECT n FROM mm") == [(100,)]
    used = rows(
        db,
        "SELECT u.name FROM mz_internal.mz_object_dependencies d JOIN mz_catalog.mz_objects o ON o.id = d.object_id"
        " JOIN mz_catalog.mz_objects u ON u.id = d.referenced_object_id WHERE o.name = 'mm'",
    )
    assert used == [("m",)]


def test_views_follow_altered_tables(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (a int, b int)")
    db.execute("INSERT INTO t VALUES (1, 1)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n, sum(a) AS s FROM t")
    db.execute("CREATE INDEX i ON t (a)")
    with db.transaction():
        db.execute("ALTER TABLE t ADD COLUMN c int DEFAULT 7")
        db.execute("INSERT INTO t VALUES (2, 2, 2)")
        assert rows(db, "SELECT * FROM t WHERE a < 5 ORDER BY a") == [(1, 1, 7), (2, 2, 2)]
        other.execute("INSERT INTO t VALUES (3, 3)")
        with pytest.raises(errors.UndefinedColumn):
            other.execute("SELECT c FROM t")
    assert rows(other, "SELECT * FROM t WHERE a < 5 ORDER BY a") == [(1, 1, 7), (2, 2, 2), (3, 3, 7)]
    assert rows(other, "SELECT * FROM m") == [(3, 6)]
    other.execute("UPDATE t SET c = 1")
    assert rows(db, "SELECT * FROM t WHERE a = 3") == [(3, 3, 1)]


def test_schemas_are_swapped_with_what_follows(db: Db, other: Db, schema: str) -> None:
    for name, value in (("blue", 1), ("green", 2)):
        db.execute(f"CREATE SCHEMA {schema}_{name}")
        db.execute(f"CREATE TABLE {schema}_{name}.t AS SELECT {value} AS n")
    db.execute("BEGIN")
    db.execute(f"ALTER SCHEMA {schema}_blue SWAP WITH {schema}_green")
    db.execute(f"CREATE VIEW {schema}_blue.v AS SELECT n FROM {schema}_blue.t")
    assert rows(db, f"SELECT n FROM {schema}_blue.v") == [(2,)]
    assert rows(other, f"SELECT n FROM {schema}_blue.t") == [(1,)]
    db.execute("COMMIT")
    assert rows(other, f"SELECT n FROM {schema}_blue.v") == [(2,)]
    db.execute(f"DROP SCHEMA {schema}_blue CASCADE; DROP SCHEMA {schema}_green CASCADE")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE CLUSTER c",
        "DROP CLUSTER quickstart",
        "ALTER CLUSTER quickstart SET (REPLICATION FACTOR 1)",
        "CREATE SOURCE s FROM LOAD GENERATOR COUNTER",
        "CREATE TABLE n FROM SOURCE g (REFERENCE bids)",
        "CREATE SINK s FROM t INTO FILE '/nowhere' FORMAT JSON ENVELOPE NONE",
        "CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT 1 AS n",
    ],
)
def test_what_no_block_can_have(db: Db, statement: str) -> None:
    db.execute("CREATE TABLE t (a int); CREATE MATERIALIZED VIEW m AS SELECT 1 AS n")
    db.execute("CREATE SOURCE g FROM LOAD GENERATOR AUCTION")
    db.execute("BEGIN")
    with pytest.raises(errors.FeatureNotSupported, match="transaction block") as refused:
        db.execute(statement)  # type: ignore[call-overload]
    assert refused.value.diag.message_hint == "Run the statement outside BEGIN ... COMMIT."
    db.execute("ROLLBACK")


CONFLICTS = {
    "the name is taken": ("CREATE TABLE n (a int)", "CREATE TABLE n (b int)"),
    "both rename it": ("ALTER TABLE t RENAME TO mine", "ALTER TABLE t RENAME TO theirs"),
    "what the view reads is dropped": ("CREATE VIEW w AS SELECT a FROM u", "DROP TABLE u"),
    "what the view reads is another": (
        "CREATE VIEW w AS SELECT a FROM v",
        "CREATE OR REPLACE VIEW v AS SELECT 9 AS a",
    ),
    "somebody uses what is dropped": ("DROP TABLE u", "CREATE VIEW w AS SELECT a FROM u"),
    "somebody uses what is altered": ("ALTER TABLE u DROP COLUMN b", "CREATE VIEW w AS SELECT b FROM u"),
    "both add a column": ("ALTER TABLE u ADD COLUMN c int", "ALTER TABLE u ADD COLUMN d int"),
    "the rows do not fit any more": ("ALTER TABLE u ADD CHECK (a > 0)", "INSERT INTO u VALUES (-1, 0)"),
    "a key is written": ("ALTER TABLE u ADD UNIQUE (a)", "INSERT INTO u VALUES (1, 0), (1, 1)"),
    "the schema is gone": ("CREATE TABLE {s}_x.n (a int)", "DROP SCHEMA {s}_x"),
    "the schema is another": ("CREATE TABLE {s}_x.n (a int)", "ALTER SCHEMA {s}_x RENAME TO {s}_z"),
    "the schema is not empty": ("DROP SCHEMA {s}_x", "CREATE TABLE {s}_x.n (a int)"),
}


@pytest.fixture
def objects(db: Db, schema: str) -> Iterator[str]:
    db.execute(
        "CREATE TABLE t (a int); CREATE TABLE u (a int, b int); CREATE VIEW v AS SELECT 1 AS a; CREATE TABLE kept (a int);"
        f" CREATE SCHEMA {schema}_x; CREATE SCHEMA {schema}_y"
    )
    yield schema
    db.execute("ROLLBACK")
    db.execute("; ".join(f"DROP SCHEMA IF EXISTS {schema}_{name} CASCADE" for name in "xyz"))


@pytest.mark.parametrize("what", CONFLICTS)
def test_what_does_not_go_together(db: Db, other: Db, objects: str, what: str) -> None:
    mine, theirs = (statement.format(s=objects) for statement in CONFLICTS[what])
    db.execute("BEGIN")
    db.execute(mine)  # type: ignore[call-overload]
    db.execute("INSERT INTO kept VALUES (1)")
    other.execute(theirs)  # type: ignore[call-overload]
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    assert db.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
    assert rows(db, "SELECT * FROM kept") == []


def test_statements_behind_a_conflict_hear_of_it(db: Db, other: Db, objects: str) -> None:
    db.execute("BEGIN")
    db.execute("CREATE VIEW w AS SELECT a FROM u")
    other.execute("DROP TABLE u")
    with pytest.raises(errors.SerializationFailure) as refused:
        db.execute("SELECT 1")
    detail = refused.value.diag.message_detail
    assert detail is not None
    assert f'"{objects}.u" was dropped' in detail


def test_what_goes_together(db: Db, other: Db, objects: str) -> None:
    """What others define beside it is seen by the block, too."""
    db.execute("BEGIN")
    db.execute("CREATE TABLE mine AS SELECT 1 AS a")
    db.execute("ALTER TABLE t RENAME TO tt")
    other.execute("CREATE TABLE theirs AS SELECT 2 AS a")
    other.execute("ALTER TABLE u RENAME TO uu")
    other.execute("ALTER TABLE uu ADD COLUMN c int")
    other.execute("DROP VIEW v")
    db.execute("SAVEPOINT s")
    db.execute("CREATE VIEW w AS SELECT uu.c, tt.a FROM uu, tt")
    with pytest.raises(errors.UndefinedTable):
        db.execute("SELECT * FROM v")
    db.execute("ROLLBACK TO s")
    other.execute(f"CREATE TABLE {objects}_x.more (a int)")
    db.execute("COMMIT")
    assert rows(other, "SELECT m.a, t.a FROM mine m, theirs t") == [(1, 2)]
    assert rows(other, "SELECT count(*) FROM tt, uu") == [(0,)]


def test_two_blocks_at_once(db: Db, other: Db) -> None:
    db.execute("BEGIN; CREATE TABLE a AS SELECT 1 AS n")
    other.execute("BEGIN; CREATE TABLE b AS SELECT 2 AS n")
    db.execute("INSERT INTO a VALUES (3)")
    other.execute("INSERT INTO b VALUES (4)")
    db.execute("COMMIT")
    other.execute("COMMIT")
    assert rows(db, "SELECT n FROM a UNION ALL SELECT n FROM b ORDER BY n") == [(1,), (2,), (3,), (4,)]


def test_a_commit_that_is_refused_leaves_nothing_behind(runtime: InProcess, db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE TABLE k (a int PRIMARY KEY)")
    before = shards(runtime)
    named = "SELECT count(*) FROM mz_catalog.mz_objects WHERE name IN ('u', 'm')"
    made = "CREATE TABLE u AS SELECT a FROM t; CREATE MATERIALIZED VIEW m AS SELECT a FROM u"
    for mine, theirs in (
        ("UPDATE t SET a = a + 1", "UPDATE t SET a = a + 10"),
        ("INSERT INTO k VALUES (1)", "INSERT INTO k VALUES (1)"),
    ):
        db.execute(f"BEGIN; {made}; {mine}")  # type: ignore[call-overload]
        other.execute(theirs)  # type: ignore[call-overload]
        with pytest.raises((errors.SerializationFailure, errors.UniqueViolation)):
            db.execute("COMMIT")
        assert shards(runtime) == before
        assert {collection.shard for collection in runtime.coordinator.storage.collections.all()} <= before
        assert rows(db, named) == [(0,)]
    db.execute(f"BEGIN; {made}; UPDATE t SET a = a + 1; COMMIT")  # type: ignore[call-overload]
    assert rows(other, "SELECT a FROM m") == [(11,)]


def test_a_table_is_exchanged_under_its_readers(runtime: InProcess, db: Db, schema: str) -> None:
    """As dbt does: whoever reads has the rows of one table or of the other."""
    db.execute("CREATE TABLE t AS SELECT 0 AS v FROM generate_series(1, 50)")
    ended, seen, wrong = threading.Event(), set[int](), list[object]()

    def read() -> None:
        with runtime.connect(options=f"-c search_path={schema}") as mine:
            while not ended.is_set():
                try:
                    found = rows(mine, "SELECT count(*), min(v), max(v) FROM t")
                except errors.UndefinedTable:
                    continue  # planned before the exchange, and read behind it
                ((count, least, most),) = found
                seen.add(least)
                if count != 50 or least != most:
                    wrong.append(found)

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for version in range(1, 9):
        with db.transaction():
            db.execute(f"CREATE TABLE t_new AS SELECT {version} AS v FROM generate_series(1, 20)")  # type: ignore[call-overload]
            db.execute("ALTER TABLE t RENAME TO t_old")
            db.execute("ALTER TABLE t_new RENAME TO t")
            db.execute(
                "INSERT INTO t SELECT v FROM t UNION ALL SELECT max(v) + 0 * g FROM t, generate_series(1, 10) AS g GROUP BY g"
            )
            db.execute("DROP TABLE t_old")
    eventually(lambda: 8 in seen)
    ended.set()
    for reader in readers:
        reader.join()
    assert wrong == []


def test_writers_with_an_older_definition_are_refused(db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    other.execute("BEGIN")
    other.execute("INSERT INTO t VALUES (-1)")
    with db.transaction():
        db.execute("ALTER TABLE t ADD CHECK (a > 0)")
        db.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(errors.SerializationFailure):
        other.execute("COMMIT")
    assert rows(db, "SELECT a FROM t") == [(1,)]


def test_subscriptions_and_plans_are_for_what_is_committed(db: Db) -> None:
    for statement in ("COPY (SUBSCRIBE t) TO STDOUT", "EXPLAIN SELECT * FROM t"):
        db.execute("BEGIN; CREATE TABLE t (a int)")
        with pytest.raises(errors.FeatureNotSupported, match="behind a definition"):
            db.execute(statement)  # type: ignore[call-overload]
        db.execute("ROLLBACK")


def test_cursors_and_copies(db: Db) -> None:
    db.execute("BEGIN; CREATE TABLE t (a int)")
    with db.cursor().copy("COPY t FROM STDIN") as copy:
        copy.write("1\n2\n3\n")
    db.execute("DECLARE c CURSOR FOR SELECT a FROM t ORDER BY a")
    db.execute("DECLARE h CURSOR WITH HOLD FOR SELECT a * 10 FROM t ORDER BY 1")
    db.execute("INSERT INTO t VALUES (4)")
    assert rows(db, "FETCH ALL c") == [(1,), (2,), (3,)]
    with db.cursor().copy("COPY t TO STDOUT") as copy:
        assert sorted(bytes(row) for row in copy) == [b"1\n", b"2\n", b"3\n", b"4\n"]
    db.execute("COMMIT")
    assert rows(db, "FETCH ALL h") == [(10,), (20,), (30,)]


def test_prepared_statements_are_planned_over_the_block(db: Db) -> None:
    db.execute("CREATE TABLE t AS SELECT 1 AS a")
    query = "SELECT a FROM t WHERE a < %s"
    assert db.execute(query, (9,), prepare=True).fetchall() == [(1,)]
    db.execute("BEGIN")
    db.execute("ALTER TABLE t RENAME TO old")
    db.execute("CREATE TABLE t AS SELECT 2 AS a")
    assert db.execute(query, (9,), prepare=True).fetchall() == [(2,)]
    db.execute("ROLLBACK")
    assert db.execute(query, (9,), prepare=True).fetchall() == [(1,)]


def test_a_session_that_ends_takes_its_block_along(runtime: InProcess, schema: str) -> None:
    before = shards(runtime)
    mine = runtime.connect(options=f"-c search_path={schema}")
    mine.execute("BEGIN; CREATE TABLE t (a int); CREATE TEMP TABLE tt (a int); INSERT INTO t VALUES (1)")
    mine.close()
    assert shards(runtime) == before
    with runtime.connect(options=f"-c search_path={schema}") as mine:
        mine.execute("BEGIN; CREATE TEMP TABLE tt AS SELECT 1 AS a; COMMIT")
        assert rows(mine, "SELECT a FROM tt") == [(1,)]
        mine.execute("BEGIN; ALTER TABLE tt RENAME TO ttt; COMMIT")
        assert rows(mine, "SELECT a FROM ttt") == [(1,)]
    eventually(lambda: shards(runtime) == before)


@pytest.mark.parametrize("where", ["before", "durable", "dropping"])
def test_a_crash_leaves_all_or_nothing(fresh: InProcess, monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    there = threading.Event()
    storage = fresh.coordinator.storage
    commits, transactions = storage._commit, storage._transactions
    submit = commits._submit

    async def dies(request: Any) -> Any:
        if not request.alone:
            return await submit(request)
        if where == "durable":
            await submit(request)
        there.set()
        raise OSError("the process is killed here")

    async def last(items: Any) -> None:
        there.set()
        raise OSError("the process is killed here")

    with fresh.connect() as db:
        db.execute("CREATE TABLE t AS SELECT 1 AS a; CREATE TABLE gone (a int)")
        db.execute("CREATE MATERIALIZED VIEW n AS SELECT count(*) AS n FROM t")
    before = shards(fresh)
    if where == "dropping":
        monkeypatch.setattr(transactions, "_drop", last)
    else:
        monkeypatch.setattr(commits, "_submit", dies)
        monkeypatch.setattr(transactions, "_drop", last)

    def define() -> None:
        with pytest.raises(psycopg.Error), fresh.connect() as mine:  # noqa: PT012
            mine.execute("BEGIN; ALTER TABLE t ADD COLUMN b int DEFAULT 5; INSERT INTO t VALUES (2, 6)")
            mine.execute("CREATE TABLE u AS SELECT sum(a) AS s FROM t; DROP TABLE gone")
            mine.execute(
                "CREATE MATERIALIZED VIEW m AS SELECT s FROM u; ALTER TABLE u ADD COLUMN x int DEFAULT 1"
            )
            mine.execute("COMMIT")

    defining = threading.Thread(target=define, daemon=True)
    defining.start()
    assert there.wait(60)
    fresh.abandon()
    defining.join(60)
    fresh.start()
    with fresh.connect() as db:
        if where == "before":
            assert rows(db, "SELECT * FROM t") == [(1,)]
            assert rows(db, "SELECT * FROM gone") == []
            assert shards(fresh) == before
            db.execute("ALTER TABLE t ADD COLUMN b int DEFAULT 5; INSERT INTO t VALUES (2, 6)")
            db.execute("CREATE TABLE u AS SELECT sum(a) AS s, 1 AS x FROM t; DROP TABLE gone")
            db.execute("CREATE MATERIALIZED VIEW m AS SELECT s FROM u")
        assert rows(db, "SELECT * FROM t ORDER BY a") == [(1, 5), (2, 6)]
        assert rows(db, "SELECT * FROM u") == [(3, 1)]
        assert rows(db, "SELECT s FROM m") == [(3,)]
        assert rows(db, "SELECT n FROM n") == [(2,)]
        with pytest.raises(errors.UndefinedTable):
            db.execute("SELECT * FROM gone")
        db.execute("INSERT INTO u VALUES (4, 2)")
        assert rows(db, "SELECT s FROM m ORDER BY s") == [(3,), (4,)]


def test_what_is_computed_for_nobody_else_does_not_conflict(db: Db, other: Db) -> None:
    """Tables of the session, and those that the block has created, hold what was there when the block began to read."""
    db.execute("CREATE TABLE t (k int)")
    db.execute("CREATE TABLE kept (k int)")
    db.execute("INSERT INTO t VALUES (1)")
    with db.transaction():
        db.execute("CREATE TEMPORARY TABLE own AS SELECT k FROM t")
        db.execute("CREATE TABLE made AS SELECT k FROM t")
        other.execute("INSERT INTO t VALUES (2)")
        db.execute("UPDATE own SET k = own.k + 10 FROM t WHERE own.k = t.k")
        db.execute("INSERT INTO kept SELECT k FROM own")
    for table, found in (("own", [(11,)]), ("made", [(1,)]), ("kept", [(11,)]), ("t", [(1,), (2,)])):
        assert rows(db, f"SELECT k FROM {table} ORDER BY k") == found
    db.execute("BEGIN")
    db.execute("INSERT INTO kept SELECT k FROM t")
    other.execute("INSERT INTO t VALUES (3)")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
