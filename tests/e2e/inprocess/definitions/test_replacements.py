"""CREATE REPLACEMENT MATERIALIZED VIEW and APPLY REPLACEMENT: who reads the view sees the difference, once."""

from __future__ import annotations

import random
import threading
import time
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows

from .crash_points import CRASHES, crash_during

DB = psycopg.Connection[tuple[Any, ...]]

CONTENTS = "SELECT k, n FROM {} ORDER BY k, n"


def fill(db: DB) -> None:
    db.execute("CREATE TABLE t (k int NOT NULL, a int NOT NULL)")
    db.execute("INSERT INTO t SELECT i % 7, i FROM generate_series(1, 60) AS g(i)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT k, count(*) AS n FROM t GROUP BY k")
    db.execute("CREATE INDEX m_k ON m (k)")
    db.execute("CREATE VIEW v AS SELECT k + 1 AS k, n FROM m WHERE n > 8")
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT count(*) AS c, sum(n)::bigint AS s, max(k) AS x FROM m")
    db.execute("CREATE MATERIALIZED VIEW dd AS SELECT v.k, v.n FROM v JOIN m ON m.k = v.k")


REPLACEMENT = "CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT k, count(*) + 1 AS n FROM t WHERE a % 2 = 0 GROUP BY k"
NEW = "SELECT k, count(*) + 1 AS n FROM t WHERE a % 2 = 0 GROUP BY k"


def check(db: DB, definition: str) -> None:
    """The view and everything over it is what it should be by the definition."""
    assert rows(db, CONTENTS.format("m")) == rows(db, f"SELECT k, n FROM ({definition}) AS x ORDER BY k, n")
    for k in range(7):
        assert rows(db, f"SELECT n FROM m WHERE k = {k} ORDER BY n") == rows(
            db, f"SELECT n FROM ({definition}) AS x WHERE k = {k} ORDER BY n"
        )
    assert rows(db, "SELECT c, s, x FROM d") == rows(
        db, f"SELECT count(*), sum(n)::bigint, max(k) FROM ({definition}) AS x"
    )
    assert rows(db, "SELECT k, n FROM dd ORDER BY k, n") == rows(
        db,
        f"SELECT v.k, v.n FROM (SELECT k + 1 AS k, n FROM ({definition}) AS x WHERE n > 8) AS v"
        f" JOIN ({definition}) AS y ON y.k = v.k ORDER BY v.k, v.n",
    )


def test_a_view_takes_another_definition(db: DB, schema: str) -> None:
    fill(db)
    old = "SELECT k, count(*) AS n FROM t GROUP BY k"
    check(db, old)
    before = rows(
        db, "SELECT id, oid FROM mz_catalog.mz_objects WHERE name IN ('m', 'd', 'dd', 'm_k') ORDER BY id"
    )
    db.execute(REPLACEMENT)
    assert rows(db, CONTENTS.format("r")) == rows(db, f"SELECT * FROM ({NEW}) AS x ORDER BY k, n")
    check(db, old)
    [(_, text)] = rows(db, "SHOW CREATE MATERIALIZED VIEW r")
    assert text == (
        f"CREATE REPLACEMENT MATERIALIZED VIEW {schema}.r FOR {schema}.m IN CLUSTER quickstart AS {NEW}"
    )
    db.execute("INSERT INTO t VALUES (3, 100), (9, 100)")
    assert (
        db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r").statusmessage == "ALTER MATERIALIZED VIEW"
    )
    check(db, NEW)
    with pytest.raises(psycopg.errors.UndefinedTable):
        db.execute("SELECT * FROM r")
    db.execute("INSERT INTO t VALUES (3, 102), (8, 1), (8, 2)")
    db.execute("DELETE FROM t WHERE a < 10")
    check(db, NEW)
    after = rows(
        db, "SELECT id, oid FROM mz_catalog.mz_objects WHERE name IN ('m', 'd', 'dd', 'm_k') ORDER BY id"
    )
    assert before == after
    [(_, text)] = rows(db, "SHOW CREATE MATERIALIZED VIEW m")
    assert text == f"CREATE MATERIALIZED VIEW {schema}.m IN CLUSTER quickstart AS {NEW}"
    db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS {old}")
    db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
    check(db, old)
    db.execute("UPDATE t SET a = a + 1 WHERE k < 3")
    check(db, old)


def test_readers_see_one_change_while_others_write(fresh: InProcess) -> None:
    """Every read, of the view and of what is over it, is of the old definition or of the new one, at one time."""
    with fresh.connect() as db:
        db.execute("CREATE TABLE t (a int NOT NULL)")
        db.execute("INSERT INTO t SELECT i FROM generate_series(1, 50) AS g(i)")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT a, 0 AS v FROM t")
        db.execute(
            "CREATE MATERIALIZED VIEW d AS SELECT count(*) AS n, sum(v)::int AS v, sum(a)::int AS s FROM m"
        )
        for version in range(1, 6):
            db.execute(
                f"CREATE REPLACEMENT MATERIALIZED VIEW r{version} FOR m AS SELECT a, {version} AS v FROM t"
            )
        seen: list[int] = []
        wrong: list[Any] = []
        stop = threading.Event()

        def read() -> None:
            with fresh.connect() as mine:
                while not stop.is_set():
                    [(n, v, s, count, total)] = rows(
                        mine,
                        "SELECT d.n, d.v, d.s, x.n, x.s FROM d, (SELECT count(*) AS n, sum(a)::int AS s FROM t) AS x",
                    )
                    if n != count or s != total or v % n:
                        wrong.append((n, v, s, count, total))
                    seen.append(v // n)

        def write() -> None:
            with fresh.connect() as mine:
                number = 100
                while not stop.is_set():
                    number += 1
                    mine.execute("INSERT INTO t VALUES (%s)", (number,))
                    mine.execute("DELETE FROM t WHERE a = %s", (number - 100,))

        threads = [threading.Thread(target=work, daemon=True) for work in (read, read, write)]
        for thread in threads:
            thread.start()
        for version in range(1, 6):
            db.execute(f"ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r{version}")
            assert rows(db, "SELECT DISTINCT v FROM m") == [(version,)]
        stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert not wrong
        assert set(seen) <= set(range(6))
        assert rows(db, "SELECT n, v, s FROM d") == rows(
            db, "SELECT count(*), (count(*) * 5)::int, sum(a)::int FROM t"
        )


@pytest.mark.parametrize("where", CRASHES)
def test_a_crash_leaves_one_definition_or_the_other(
    fresh: InProcess, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh.connect() as db:
        fill(db)
        db.execute(REPLACEMENT)
        eventually(lambda: hydrated(db, "m", "r", "d", "dd", "m_k"))
    crash_during(fresh, "ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r", where, monkeypatch)
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (3, 104), (20, 104)")
        if where == "halted":
            check(db, "SELECT k, count(*) AS n FROM t GROUP BY k")
            db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        check(db, NEW)
        db.execute("DELETE FROM t WHERE a < 20")
        check(db, NEW)


def test_restarts_after_the_switch(fresh: InProcess) -> None:
    with fresh.connect() as db:
        fill(db)
        db.execute(REPLACEMENT)
        db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        db.execute("INSERT INTO t SELECT i % 7, i FROM generate_series(200, 260) AS g(i)")
        check(db, NEW)
        fresh.kill_replica()
        db.execute("INSERT INTO t VALUES (3, 104), (20, 104)")
        check(db, NEW)
    for crash in (fresh.stop, fresh.abandon):
        crash()
        fresh.start()
        with fresh.connect() as db:
            check(db, NEW)
            db.execute("INSERT INTO t SELECT i % 7, i FROM generate_series(300, 320) AS g(i)")
            check(db, NEW)


def test_another_cluster_and_several_replicas(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 2)")
        db.execute("CREATE CLUSTER c")
        fill(db)
        db.execute(REPLACEMENT.replace("FOR m AS", "FOR m IN CLUSTER c AS"))
        db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        check(db, NEW)
        db.execute("INSERT INTO t VALUES (3, 104), (20, 104)")
        check(db, NEW)
        assert rows(
            db,
            "SELECT c.name FROM mz_catalog.mz_materialized_views v JOIN mz_catalog.mz_clusters c ON c.id = v.cluster_id"
            " WHERE v.name = 'm'",
        ) == [("c",)]
        old = "SELECT k, count(*) AS n FROM t GROUP BY k"
        db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW r FOR m IN CLUSTER quickstart AS {old}")
        db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        db.execute("DROP CLUSTER c")
        for name in ("r1", "r2"):
            check(db, old)
            fresh.kill_replica(name=name)
            db.execute("INSERT INTO t VALUES (3, 104), (20, 104)")
        check(db, old)


def test_errors_come_and_go_with_the_definition(db: DB) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1), (0)")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT 10 / a AS q FROM t")
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT sum(q) AS q FROM m")
    with pytest.raises(psycopg.errors.DivisionByZero):
        db.execute("SELECT * FROM d")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT 10 / nullif(a, 0) AS q FROM t")
    db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
    assert rows(db, "SELECT q FROM m ORDER BY q") == [(10,), (None,)]
    assert rows(db, "SELECT q FROM d") == [(10,)]
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT 20 / a AS q FROM t")
    db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
    for name in ("m", "d"):
        with pytest.raises(psycopg.errors.DivisionByZero):
            db.execute(f"SELECT * FROM {name}")
    db.execute("DELETE FROM t WHERE a = 0")
    assert rows(db, "SELECT q FROM d") == [(20,)]


def refused(db: DB, sql: str) -> tuple[str | None, str]:
    with pytest.raises(psycopg.Error) as error:
        db.execute(sql)  # type: ignore[arg-type]
    return error.value.sqlstate, error.value.diag.message_primary or ""


def test_what_is_refused(db: DB) -> None:
    fill(db)
    create = "CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS "
    assert refused(db, create + "SELECT k AS q, count(*) AS n FROM t GROUP BY k") == (
        "42P16",
        'cannot replace materialized view "m": column 1 is called "q" instead of "k"',
    )
    assert refused(db, create + "SELECT k, count(*)::int AS n FROM t GROUP BY k") == (
        "42P16",
        'cannot replace materialized view "m": column "n" is of type integer instead of bigint',
    )
    assert refused(db, create + "SELECT k, nullif(count(*), 3) AS n FROM t GROUP BY k") == (
        "42P16",
        'cannot replace materialized view "m": column "n" may be null, and was not',
    )
    assert refused(db, create + "SELECT k FROM t") == (
        "42P16",
        'cannot replace materialized view "m": it has 2 columns, and the replacement 1',
    )
    assert (
        refused(db, create + "SELECT c::int AS k, c AS n FROM (SELECT coalesce(c, 0) AS c FROM d) AS x")[0]
        == "42P17"
    )
    assert refused(db, create + "SELECT k, n FROM m WHERE n > 3")[0] == "42P17"
    assert refused(db, "CREATE REPLACEMENT MATERIALIZED VIEW r FOR v AS SELECT 1 AS k")[0] == "42809"
    assert refused(db, "CREATE REPLACEMENT MATERIALIZED VIEW r FOR nothing AS SELECT 1 AS k")[0] == "42P01"
    db.execute(REPLACEMENT)
    assert refused(db, "ALTER MATERIALIZED VIEW d APPLY REPLACEMENT r")[0] == "42809"
    assert refused(db, "ALTER MATERIALIZED VIEW m APPLY REPLACEMENT d")[0] == "42809"
    db.execute("ALTER MATERIALIZED VIEW IF EXISTS nothing APPLY REPLACEMENT r")
    db.execute("DROP MATERIALIZED VIEW r")
    check(db, "SELECT k, count(*) AS n FROM t GROUP BY k")
    db.execute(REPLACEMENT)
    db.execute("DROP MATERIALIZED VIEW m CASCADE")
    assert rows(db, "SELECT count(*) FROM mz_catalog.mz_materialized_views WHERE name = 'r'") == [(0,)]


def test_what_relies_on_no_row_being_lost_is_not_deceived(db: DB) -> None:
    db.execute("CREATE SOURCE s FROM LOAD GENERATOR COUNTER (TICK INTERVAL '10ms')")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT counter % 10 AS k, counter AS c FROM s")
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT k, max(c) AS c FROM m GROUP BY k")
    create = "CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS SELECT counter % 10 AS k, -counter AS c FROM s"
    assert refused(db, create)[0] == "55000"
    db.execute("DROP MATERIALIZED VIEW d")
    db.execute(create)
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT k, max(c) AS c FROM m GROUP BY k")
    assert refused(db, "ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")[0] == "55000"
    db.execute("DROP MATERIALIZED VIEW d")
    db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
    db.execute("CREATE MATERIALIZED VIEW d AS SELECT k, max(c) AS c FROM m GROUP BY k")
    eventually(lambda: rows(db, "SELECT count(*), max(c) < 0 FROM d") == [(10, True)])


def test_it_waits_for_the_replacement_and_can_be_canceled(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE CLUSTER c")
        fill(db)
        eventually(lambda: hydrated(db, "m", "d", "dd", "m_k"))
        fresh.driver.pause("c2-r1")
        db.execute(REPLACEMENT.replace("FOR m AS", "FOR m IN CLUSTER c AS"))
        db.execute("SET statement_timeout = '300ms'")
        assert refused(db, "ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")[0] == "57014"
        db.execute("SET statement_timeout = 0")
        db.execute("INSERT INTO t VALUES (3, 104), (20, 104)")
        check(db, "SELECT k, count(*) AS n FROM t GROUP BY k")
        fresh.driver.resume("c2-r1")
        db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        check(db, NEW)


@pytest.mark.parametrize("seed", range(3))
def test_random_definitions(db: DB, seed: int) -> None:
    """Whatever is replaced by whatever, in the middle of writes: the view and what is over it are recomputed alike."""
    rng = random.Random(seed)
    fill(db)
    forms = [
        "SELECT k, count(*) AS n FROM t GROUP BY k",
        "SELECT DISTINCT k, a::bigint AS n FROM t WHERE a % {0} = 0",
        "SELECT k, count(*) + {0} AS n FROM t WHERE a > {0} GROUP BY k",
        "SELECT x.k, y.a::bigint AS n FROM t AS x JOIN t AS y ON x.k = y.a WHERE x.a < 30 + {0}",
    ]
    for _ in range(4):
        definition = rng.choice(forms).format(rng.randint(2, 9))
        db.execute(f"CREATE REPLACEMENT MATERIALIZED VIEW r FOR m AS {definition}")  # type: ignore[arg-type]
        db.execute("INSERT INTO t SELECT i % 9, i FROM generate_series(1, 5) AS g(i)")
        db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        db.execute("DELETE FROM t WHERE a = %s", (rng.randint(1, 60),))
        check(db, definition)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_replicas_that_die_at_any_moment(fresh: InProcess, seed: int) -> None:
    """Under writes, in two clusters and on several replicas that are killed: all that is over the view agrees with it."""
    rng = random.Random(seed)
    forms = [
        "SELECT k, count(*) AS n FROM t GROUP BY k",
        "SELECT k, a::bigint AS n FROM t WHERE a > 30",
        "SELECT k, count(*) + 3 AS n FROM t WHERE a < 40 GROUP BY k",
    ]
    with fresh.connect() as db:
        db.execute("ALTER CLUSTER quickstart SET (REPLICATION FACTOR 2)")
        db.execute("CREATE CLUSTER c")
        db.execute("CREATE TABLE t (k int NOT NULL, a int NOT NULL)")
        db.execute("INSERT INTO t SELECT i % 7, i FROM generate_series(1, 60) AS g(i)")
        db.execute(f"CREATE MATERIALIZED VIEW m AS {forms[0]}")
        db.execute("CREATE INDEX m_k ON m (k)")
        db.execute("CREATE MATERIALIZED VIEW d AS SELECT k, sum(n) AS s FROM m GROUP BY k")
        db.execute("CREATE MATERIALIZED VIEW e IN CLUSTER c AS SELECT count(*) AS c, sum(s) AS s FROM d")
    stop = threading.Event()
    wrong: list[Any] = []

    def write() -> None:
        mine = random.Random(seed + 1)
        with fresh.connect() as session:
            while not stop.is_set():
                session.execute("INSERT INTO t VALUES (%s, %s)", (mine.randrange(9), mine.randrange(80)))
                session.execute("DELETE FROM t WHERE a = %s", (mine.randrange(80),))

    def kill() -> None:
        mine = random.Random(seed + 2)
        came_back = 0.0
        while not stop.wait(mine.random() * (1 + 8 * came_back)):
            cluster, name = mine.choice([("quickstart", "r1"), ("quickstart", "r2"), ("c", "r1")])
            [killed] = [r for r in fresh.coordinator.controller.clusters.of(cluster) if r.name == name]
            before, since = killed.attempt, time.monotonic()
            fresh.kill_replica(cluster, name)
            # A machine on which it takes long to come back gets more time to do something in between.
            eventually(lambda killed=killed, before=before: killed.attempt != before)  # type: ignore[misc]
            came_back = time.monotonic() - since

    def read() -> None:
        with fresh.connect() as session:
            while not stop.is_set():
                try:
                    [(groups, keys, total, sum_, count)] = rows(
                        session,
                        "SELECT (SELECT count(*) FROM d), (SELECT count(DISTINCT k) FROM m), (SELECT sum(n) FROM m),"
                        " (SELECT s FROM e), (SELECT c FROM e)",
                    )
                except psycopg.Error:
                    continue  # the replica that was asked went away
                if not (groups == keys == count and total == sum_):
                    wrong.append((groups, keys, count, total, sum_))

    for replica in ("r1", "r2"):
        eventually(lambda name=f"c1-{replica}": name in fresh.driver._connections)  # type: ignore[misc]
    eventually(lambda: "c2-r1" in fresh.driver._connections)
    threads = [threading.Thread(target=work, daemon=True) for work in (write, kill, read)]
    for thread in threads:
        thread.start()
    with fresh.connect() as db:
        try:
            for _ in range(12):
                definition = rng.choice(forms)
                cluster = rng.choice(["c", "quickstart"])
                db.execute(
                    f"CREATE REPLACEMENT MATERIALIZED VIEW r FOR m IN CLUSTER {cluster} AS {definition}"
                )
                db.execute("ALTER MATERIALIZED VIEW m APPLY REPLACEMENT r")
        finally:
            stop.set()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert not wrong
        assert rows(db, CONTENTS.format("m")) == rows(
            db, f"SELECT k, n FROM ({definition}) AS x ORDER BY k, n"
        )
