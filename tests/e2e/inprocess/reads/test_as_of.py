"""AS OF and RETAIN HISTORY: what was read at a time is read at it again, for as long as the history is kept."""

from __future__ import annotations

import threading
from random import Random
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows, running
from kept_history import Db, Moment, define, seen, write
from psycopg import errors
from ptvc.coord.catalog.items import Stored

READS = (
    "SELECT k, a, b FROM t ORDER BY k, a, b",
    "SELECT k, n, s FROM m ORDER BY k",
    "SELECT k, n FROM v ORDER BY k",
    "SELECT k, n FROM v WHERE k = 3",
    "SELECT t.k, t.a, m.n FROM t JOIN m ON m.k = t.k WHERE t.a > 10 ORDER BY t.k, t.a, t.b",
)


def reads(time: int | None = None) -> list[str]:
    return [query if time is None else f"{query} AS OF {time}" for query in READS]


TEXT_COLUMN = ", b text DEFAULT 'x'"
TEXT_CHANGES = ", b = b || 'y'"


def check(db: Db, history: list[Moment]) -> None:
    for time, contents in history:
        assert [rows(db, query) for query in reads(time)] == contents, time


@pytest.mark.parametrize("seed", range(2))
def test_what_was_read_is_read_again(seed: int) -> None:
    """While maintenance compacts, after all batches are merged, and after a restart."""
    random = Random(seed)
    with running() as runtime:
        with runtime.connect() as db:
            define(db, TEXT_COLUMN)
            eventually(lambda: hydrated(db, "m", "v_k"))
            history = []
            for _ in range(12):
                write(db, random, TEXT_CHANGES)
                history.append(seen(db, READS))
            check(db, random.sample(history, 4))
            for item in runtime.coordinator.catalog.user_items():
                if isinstance(item, Stored):
                    runtime.persist.compact(item.shard, force=True)
            check(db, history)
        runtime.stop()
        runtime.start()
        with runtime.connect() as db:
            check(db, history)
            write(db, random, TEXT_CHANGES)
            check(db, [*random.sample(history, 4), seen(db, READS)])


def test_times(db: Db) -> None:
    db.execute("CREATE TABLE t (a int) WITH (RETAIN HISTORY FOR '1 hour')")
    db.execute("INSERT INTO t VALUES (1)")
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM t")
    [(instant,)] = rows(db, f"SELECT timestamptz 'epoch' + {time} * interval '1 ms'")
    db.execute("INSERT INTO t VALUES (2)")
    for shown in (
        f"{time}",
        f"'{time}'",
        f"{time}::numeric",
        f"{time} + 0",
        f"({time})",
        f"'{instant.isoformat()}'",
        f"timestamptz '{instant.isoformat()}'",
        f"timestamp '{instant.replace(tzinfo=None).isoformat()}'",
        f"timestamptz '{instant.isoformat()}' - interval '0 s'",
    ):
        assert rows(db, f"SELECT a FROM t AS OF {shown}") == [(1,)], shown
    assert rows(db, "SELECT a FROM t AS OF %s", (time,)) == [(1,)]
    assert rows(db, "SELECT a FROM t AS OF %s", (instant,)) == [(1,)]
    db.execute("SET TIME ZONE 'Europe/Berlin'")
    assert rows(db, f"SELECT a FROM t AS OF '{instant.astimezone(None).isoformat()}'") == [(1,)]
    local = rows(db, "SELECT (%s::timestamptz)::text", (instant,))[0][0]
    assert rows(db, f"SELECT a FROM t AS OF '{local}'") == [(1,)]
    db.execute("SET TIME ZONE 'UTC'")
    assert rows(db, f"SELECT a, mz_now()::bigint FROM t AS OF {time}") == [(1, time)]
    assert rows(db, "SELECT a FROM t ORDER BY a AS OF mz_now()") == [(1,), (2,)]
    assert rows(db, "SELECT a FROM t ORDER BY a AS OF AT LEAST 0") == [(1,), (2,)]
    assert rows(db, f"SELECT a FROM t ORDER BY a DESC LIMIT 1 AS OF {time}") == [(1,)]
    assert rows(db, f"(SELECT a FROM t) UNION ALL SELECT 5 AS OF {time}") in ([(1,), (5,)], [(5,), (1,)])
    assert rows(db, f"SELECT mz_now()::bigint AS OF {time}") == [(time,)]


@pytest.mark.parametrize(
    ("shown", "error"),
    [
        ("NULL", errors.NullValueNotAllowed),
        ("-1", errors.DatetimeFieldOverflow),
        ("'infinity'", errors.DatetimeFieldOverflow),
        ("true", errors.DatatypeMismatch),
        ("'soon'", errors.InvalidDatetimeFormat),
        ("a", errors.UndefinedColumn),
        ("(SELECT 1)", errors.FeatureNotSupported),
        ("1 / 0", errors.DivisionByZero),
        ("9223372036854775807", errors.DatetimeFieldOverflow),
    ],
)
def test_what_is_no_time(db: Db, shown: str, error: type[Exception]) -> None:
    db.execute("CREATE TABLE t (a int)")
    with pytest.raises(error):
        db.execute(f"SELECT a FROM t AS OF {shown}")


def test_an_alias_may_be_called_of(db: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1)")
    for query in (
        "SELECT a AS of FROM t",
        "SELECT a AS of, a FROM t",
        "SELECT of.a FROM t AS of",
        "SELECT of.b FROM t AS of (b)",
        "SELECT of.a FROM t AS of WHERE of.a = 1",
        "SELECT 1 AS of",
        "SELECT 1 AS of UNION SELECT 1",
    ):
        assert rows(db, query)[0][0] == 1, query


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW v AS SELECT a FROM t AS OF 5",
        "CREATE MATERIALIZED VIEW v AS SELECT a FROM t AS OF 5",
        "CREATE TABLE u AS SELECT a FROM t AS OF 5",
        "INSERT INTO t SELECT a FROM t AS OF 5",
        "SELECT * FROM (SELECT a FROM t AS OF 5) AS x",
        "WITH x AS (SELECT a FROM t AS OF 5) SELECT * FROM x",
        "SELECT a FROM t WHERE a IN (SELECT a FROM t AS OF 5)",
    ],
)
def test_only_at_the_end_of_a_whole_query(db: Db, statement: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    with pytest.raises(errors.SyntaxError, match="AS OF is not allowed here") as caught:
        db.execute(statement)
    assert int(caught.value.diag.statement_position or 0) == statement.index("AS OF") + 1


def test_what_is_gone(runtime: InProcess, db: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE TABLE kept (a int) WITH (RETAIN HISTORY FOR '1h')")
    db.execute("INSERT INTO t VALUES (1)")
    db.execute("INSERT INTO kept VALUES (1)")
    db.execute("CREATE VIEW v AS SELECT a + 1 AS a FROM t")
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM t")
    item = runtime.coordinator.catalog.find(schema, "t")
    assert item is not None
    shard = item.id

    def compacted() -> bool:
        db.execute("INSERT INTO t VALUES (2)")
        return runtime.persist.state(shard).since > time

    eventually(compacted)
    for query in ("SELECT a FROM t", "SELECT a FROM v", "SELECT kept.a FROM kept JOIN t ON true"):
        with pytest.raises(
            errors.ObjectNotInPrerequisiteState, match=f'"{schema}.t" cannot be read'
        ) as caught:
            db.execute(f"{query} AS OF {time}")
        assert f'Readable are "{schema}.t" from ' in (caught.value.diag.message_detail or "")
        assert "RETAIN HISTORY" in (caught.value.diag.message_hint or "")
    assert rows(db, f"SELECT a FROM kept AS OF {time}") == [(1,)]
    assert rows(db, f"SELECT count(*) > 1 FROM t AS OF AT LEAST {time}") == [(True,)]
    db.execute("BEGIN")
    assert rows(db, f"SELECT a FROM kept AS OF {time}") == [(1,)]
    with pytest.raises(errors.ObjectNotInPrerequisiteState, match="cannot be read"):
        db.execute("SELECT a FROM t")
    db.execute("ROLLBACK")


def test_a_time_to_come(runtime: InProcess, db: Db, other: Db) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT count(*) AS n FROM t")
    db.execute("INSERT INTO t VALUES (1)")
    [(time,)] = rows(db, "SELECT mz_now()::bigint + 400")
    answers: list[Any] = []
    reader = threading.Thread(target=lambda: answers.append(rows(other, f"SELECT n FROM m AS OF {time}")))
    reader.start()
    db.execute("INSERT INTO t VALUES (2)")
    assert not answers
    assert rows(db, "SELECT count(*) FROM t") == [(2,)]  # nobody else waits
    reader.join(60)
    assert answers == [[(2,)]]
    db.execute("SET statement_timeout = '50ms'")
    with pytest.raises(errors.QueryCanceled):
        db.execute("SELECT a FROM t AS OF mz_now() + 100000000")
    db.execute("SET statement_timeout = 0")
    canceled: list[BaseException] = []

    def wait() -> None:
        try:
            other.execute("SELECT a FROM t AS OF mz_now() + 100000000")
        except psycopg.Error as error:
            canceled.append(error)

    waiter = threading.Thread(target=wait)
    waiter.start()
    waiters = runtime.coordinator.storage.collections
    eventually(lambda: runtime.call(lambda: any(not w.future.done() for w in waiters._waiters)))
    other.cancel_safe()
    waiter.join(60)
    assert [type(error) for error in canceled] == [errors.QueryCanceled]


def test_blocks(db: Db) -> None:
    db.execute("CREATE TABLE t (a int) WITH (RETAIN HISTORY FOR '1h')")
    db.execute("INSERT INTO t VALUES (1)")
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM t")
    db.execute("INSERT INTO t VALUES (2)")
    db.execute("BEGIN")
    assert rows(db, f"SELECT a FROM t AS OF {time}") == [(1,)]
    assert rows(db, "SELECT a FROM t") == [(1,)]
    assert rows(db, f"SELECT a FROM t AS OF AT LEAST {time - 5}") == [(1,)]
    with pytest.raises(errors.ActiveSqlTransaction, match="does not agree"):
        db.execute(f"SELECT a FROM t AS OF {time + 1}")
    db.execute("ROLLBACK")
    db.execute("BEGIN")
    db.execute("INSERT INTO t VALUES (3)")
    with pytest.raises(errors.ActiveSqlTransaction, match="has written"):
        db.execute(f"SELECT a FROM t AS OF {time}")
    db.execute("ROLLBACK")
    db.execute("BEGIN")  # what is written from an old read conflicts with what came since
    assert rows(db, f"SELECT a FROM t AS OF {time}") == [(1,)]
    db.execute("UPDATE t SET a = 7")
    with pytest.raises(errors.SerializationFailure):
        db.execute("COMMIT")
    with db.transaction():
        db.execute(f"DECLARE c CURSOR FOR SELECT a FROM t AS OF {time}")
        assert rows(db, "FETCH ALL c") == [(1,)]
    with db.cursor().copy(f"COPY (SELECT a FROM t AS OF {time}) TO STDOUT") as copy:
        assert b"".join(bytes(data) for data in copy) == b"1\n"
    db.execute(f"PREPARE p AS SELECT a FROM t AS OF {time}")
    assert rows(db, "EXECUTE p") == [(1,)]
    explained = "\n".join(line for (line,) in rows(db, f"EXPLAIN TIMESTAMP FOR SELECT a FROM t AS OF {time}"))
    assert f"query timestamp: {time} " in explained
    assert "can respond immediately: true" in explained
    assert rows(db, f"EXPLAIN SELECT a FROM t AS OF {time}")


def test_catalogs_have_no_history(db: Db) -> None:
    assert rows(db, "SELECT count(*) >= 0 FROM mz_catalog.mz_objects AS OF mz_now()") == [(True,)]
    assert rows(db, "SELECT count(*) >= 0 FROM mz_catalog.mz_objects AS OF AT LEAST 5") == [(True,)]
    with pytest.raises(errors.FeatureNotSupported, match="no history"):
        db.execute("SELECT * FROM mz_catalog.mz_objects AS OF 5")


def test_an_index_answers_for_as_long_as_it_remembers(runtime: InProcess, db: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int) WITH (RETAIN HISTORY FOR '1h')")
    db.execute("CREATE INDEX i ON t (a)")
    db.execute("INSERT INTO t VALUES (1)")
    eventually(lambda: hydrated(db, "i"))
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM t WHERE a = 1")
    item = runtime.coordinator.catalog.find(schema, "i")
    assert item is not None
    clusters = runtime.coordinator.controller.clusters
    with db.transaction():
        assert rows(db, f"SELECT a FROM t WHERE a = 1 AS OF {time}") == [(1,)]
        db.execute("SELECT 1")
        assert runtime.call(lambda: clusters.has_index("quickstart", item.id, time + 10_000_000))
    db.execute("UPDATE t SET a = 2")
    eventually(lambda: not runtime.call(lambda: clusters.has_index("quickstart", item.id, time)))
    assert rows(db, f"SELECT a FROM t WHERE a = 1 AS OF {time}") == [(1,)]
    assert rows(db, "SELECT a FROM t WHERE a = 1") == []


def test_an_index_keeps_what_its_view_is_computed_from(runtime: InProcess, db: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE VIEW v AS SELECT max(a) AS most FROM t")
    db.execute("CREATE INDEX i ON v (most) WITH (RETAIN HISTORY FOR '1h')")
    db.execute("INSERT INTO t VALUES (1)")
    eventually(lambda: hydrated(db, "i"))
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM v")
    item = runtime.coordinator.catalog.find(schema, "t")
    assert item is not None
    shard = item.id
    for value in range(2, 6):
        db.execute("INSERT INTO t VALUES (%s)", (value,))
        runtime.persist.compact(shard)
    assert rows(db, f"SELECT most FROM v AS OF {time}") == [(1,)]
    assert db.execute("ALTER INDEX i SET (RETAIN HISTORY FOR '1s')").statusmessage == "ALTER INDEX"

    def compacted() -> bool:
        db.execute("INSERT INTO t VALUES (7)")
        return runtime.persist.state(shard).since > time

    eventually(compacted)
    with pytest.raises(errors.ObjectNotInPrerequisiteState):
        db.execute(f"SELECT most FROM v AS OF {time}")
    assert rows(db, "SELECT most FROM v") == [(7,)]


def test_retention_is_altered(runtime: InProcess, db: Db, schema: str) -> None:
    db.execute("CREATE TABLE t (a int)")
    assert db.execute("ALTER TABLE t SET (RETAIN HISTORY FOR '2 h')").statusmessage == "ALTER TABLE"
    [(_, text)] = rows(db, "SHOW CREATE TABLE t")
    assert text == f"CREATE TABLE {schema}.t (a integer) WITH (RETAIN HISTORY FOR '7200000ms')"
    db.execute("INSERT INTO t VALUES (1)")
    [(time,)] = rows(db, "SELECT mz_now()::bigint FROM t")
    item = runtime.coordinator.catalog.find(schema, "t")
    assert item is not None
    shard = item.id
    for value in range(2, 6):
        db.execute("INSERT INTO t VALUES (%s)", (value,))
        runtime.persist.compact(shard)
    assert rows(db, f"SELECT a FROM t AS OF {time}") == [(1,)]
    db.execute("ALTER TABLE IF EXISTS t RESET (RETAIN HISTORY)")
    [(_, text)] = rows(db, "SHOW CREATE TABLE t")
    assert "RETAIN" not in text

    def compacted() -> bool:
        db.execute("INSERT INTO t VALUES (7)")
        return runtime.persist.state(shard).since > time

    eventually(compacted)
    with pytest.raises(errors.ObjectNotInPrerequisiteState):
        db.execute(f"SELECT a FROM t AS OF {time}")
    db.execute("ALTER TABLE IF EXISTS nothing SET (RETAIN HISTORY = FOR '1s')")
    with pytest.raises(errors.FeatureNotSupported):
        db.execute("ALTER TABLE t SET (fillfactor = 70)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM t")
    db.execute("ALTER MATERIALIZED VIEW m SET (RETAIN HISTORY FOR '1h')")
    db.execute("CREATE TABLE c WITH (RETAIN HISTORY FOR '3s') AS SELECT 1 AS a")
    db.execute(
        "CREATE SOURCE s FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s') WITH (RETAIN HISTORY FOR '5s')"
    )
    db.execute("CREATE SOURCE f (a int) FROM FILE '/tmp/nowhere' FORMAT JSON WITH (RETAIN HISTORY FOR '5s')")
    db.execute("ALTER SOURCE f SET (RETAIN HISTORY FOR '6s')")
    for kind, name in (("MATERIALIZED VIEW", "m"), ("TABLE", "c"), ("SOURCE", "s"), ("SOURCE", "f")):
        [(_, text)] = rows(db, f"SHOW CREATE {kind} {name}")
        assert "RETAIN HISTORY FOR" in text
        db.execute(f"DROP {kind} {name}")
        db.execute(text)
        assert rows(db, f"SHOW CREATE {kind} {name}") == [(f"{schema}.{name}", text)]
