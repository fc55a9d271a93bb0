"""What rests on replacements when they are applied: it goes on from the views, without being hydrated anew."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from inprocess import FAST, InProcess, eventually, hydrated, rows, running
from ptvc.coord.controller.installation import Installation

from .crash_points import CRASHES, crash_during
from .released_views import CHAIN, DB, STAGED, check_chain, fill, names, reading, stage, stage_chain


@pytest.mark.slow(ordinary=2)
@pytest.mark.parametrize("together", [True, False])
@pytest.mark.parametrize("order", [1, -1])
def test_what_rests_on_replacements_goes_on(
    fresh: InProcess, together: bool, order: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over the views, without being hydrated anew, and after a restart."""
    installed: list[str] = []
    install = Installation._install_dataflow

    async def counted(self: Any, replica: Any, item: Any) -> None:
        installed.append(item.name)
        await install(self, replica, item)

    with fresh.connect() as db:
        fill(db)
        stage_chain(db, 3)
        check_chain(db, 3, "x_next", "y_next")
        eventually(lambda: hydrated(db, *STAGED))
        monkeypatch.setattr(Installation, "_install_dataflow", counted)
        if together:
            db.execute("; ".join(CHAIN[::order]))
        else:
            for first, statement in zip((1000, 1010), CHAIN[::order], strict=True):
                db.execute(statement)
                applied = {sql.split()[3] for sql in CHAIN} & {
                    name for name in ("x", "y") if f"{name}_next" not in names(db)
                }
                check_chain(db, 3, *(name if name in applied else f"{name}_next" for name in ("x", "y")))
                db.execute("INSERT INTO t VALUES (%s), (%s)", (first, first + 1))
        check_chain(db, 3)
        db.execute("INSERT INTO t VALUES (600), (601)")
        db.execute("DELETE FROM t WHERE a IN (8, 9)")
        check_chain(db, 3)
        assert installed == []
        assert [name for name in names(db) if "next" in name] == ["x_next_v"]
    fresh.kill_replica()
    with fresh.connect() as db:
        db.execute("INSERT INTO t VALUES (8), (603)")
        check_chain(db, 3)
    for first, crash in ((700, fresh.abandon), (800, fresh.stop)):
        crash()
        fresh.start()
        with fresh.connect() as db:
            check_chain(db, 3)
            db.execute(
                "INSERT INTO t SELECT i FROM generate_series(%s::int, %s::int) AS g(i)", (first, first + 20)
            )
            db.execute("DELETE FROM t WHERE a IN (10, 11)")
            check_chain(db, 3)
            db.execute("INSERT INTO t VALUES (10), (11)")


def test_a_replacement_over_what_rests_on_a_view_that_is_replaced(db: DB) -> None:
    """Views change one behind the other then, what is above first; nobody sees that."""
    fill(db)
    db.execute("CREATE MATERIALIZED VIEW z AS SELECT count(*) AS n, 0 AS v FROM d")
    db.execute("CREATE MATERIALIZED VIEW zz AS SELECT n, v FROM z")
    for name in ("x", "z"):
        db.execute(f"ALTER MATERIALIZED VIEW {name} SET (RETAIN HISTORY FOR '1h')")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a, 1 AS v FROM t WHERE a > 10")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW z_next FOR z AS SELECT count(*) AS n, 1 AS v FROM d")
    db.execute("CREATE MATERIALIZED VIEW over AS SELECT n + 1 AS n, v FROM z_next")
    statements = [
        "ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next",
        "ALTER MATERIALIZED VIEW z APPLY REPLACEMENT z_next",
    ]
    assert rows(db, "SELECT n, v FROM zz") == [(25, 0)]
    db.execute("; ".join(statements))
    assert rows(db, "SELECT n, v FROM zz") == [(20, 1)]
    assert rows(db, "SELECT n, v FROM over") == [(21, 1)]
    changed = rows(
        db,
        "SELECT 'x', min(mz_timestamp::text::bigint) FROM CHANGES(x) WHERE v = 1"
        " UNION ALL SELECT 'z', min(mz_timestamp::text::bigint) FROM CHANGES(z) WHERE v = 1",
    )
    times = dict(changed)
    assert times["z"] < times["x"]
    db.execute("INSERT INTO t VALUES (200), (201)")
    assert rows(db, "SELECT z.n, z.v, over.n FROM z, over") == [(21, 1, 22)]


def test_what_reads_a_replacement_beside_the_old_is_refused(db: DB) -> None:
    """It would be a mixture: to be right behind the change, it would have to be so before."""
    fill(db)
    stage_chain(db, 3)
    db.execute("CREATE MATERIALIZED VIEW mixed AS SELECT w.v, d.w FROM w JOIN d ON w.a = d.a")
    with pytest.raises(psycopg.errors.FeatureNotSupported, match='"mixed" reads a replacement') as error:
        db.execute("; ".join(CHAIN))
    assert 'computed from "x"' in (error.value.diag.message_primary or "")
    check_chain(db, 3, "x_next", "y_next")
    assert rows(db, "SELECT DISTINCT v FROM x") == [(0,)]
    db.execute("DROP MATERIALIZED VIEW mixed")
    db.execute("; ".join(CHAIN))
    check_chain(db, 3)


def test_a_sink_of_a_replacement_is_given_something_else_first(db: DB, tmp_path: Path) -> None:
    fill(db)
    stage_chain(db, 3)
    db.execute(f"CREATE SINK s FROM x_next INTO FILE '{tmp_path}/s' FORMAT JSON ENVELOPE DEBEZIUM")  # type: ignore[arg-type]
    with pytest.raises(psycopg.errors.DependentObjectsStillExist, match="sinks read it"):
        db.execute("; ".join(CHAIN))
    db.execute("DROP SINK s")
    db.execute("; ".join(CHAIN))
    check_chain(db, 3)


def test_what_a_replacement_promises_of_null_its_readers_keep(db: DB) -> None:
    db.execute("CREATE TABLE t (a int)")
    db.execute("INSERT INTO t VALUES (1), (NULL)")
    db.execute("CREATE MATERIALIZED VIEW x AS SELECT a AS c FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT coalesce(a, 0) AS c FROM t")
    db.execute("CREATE MATERIALIZED VIEW e AS SELECT c, c IS NULL AS n FROM x_next")
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next")
    assert rows(db, "SELECT c, n FROM e ORDER BY c") == [(0, False), (1, False)]
    with pytest.raises(psycopg.Error, match="may be null, and was not"):
        db.execute("CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x AS SELECT a AS c FROM t")


@pytest.mark.parametrize("where", CRASHES)
def test_a_crash_with_what_rests_on_replacements(
    fresh: InProcess, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with fresh.connect() as db:
        fill(db)
        stage_chain(db, 3)
        db.execute("INSERT INTO t VALUES (60), (61)")
        eventually(lambda: hydrated(db, *STAGED))
    crash_during(fresh, "; ".join(CHAIN), where, monkeypatch)
    with fresh.connect() as db:
        if where == "halted":
            check_chain(db, 3, "x_next", "y_next")
            db.execute("; ".join(CHAIN))
        check_chain(db, 3)
        db.execute("INSERT INTO t VALUES (98), (99)")
        db.execute("DELETE FROM t WHERE a < 9")
        check_chain(db, 3)


@pytest.mark.slow(ordinary=1)
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("seed", range(2))
def test_random_histories(fresh: InProcess, seed: int, replicas: int) -> None:
    """Releases of chains under writes, in two clusters and with replicas that die: what is over the views is recomputed alike."""
    rng = random.Random(seed)
    with fresh.connect() as db:
        db.execute("CREATE CLUSTER c")
        db.execute(f"ALTER CLUSTER quickstart SET (REPLICATION FACTOR {replicas})")
        fill(db)
        numbers = iter(range(2000, 10**6))

        def write(mine: DB) -> None:
            new = next(numbers)
            mine.execute("INSERT INTO t VALUES (%s)", (new,))
            mine.execute("DELETE FROM t WHERE a = %s", (new - 10,))

        def read(mine: DB) -> None:
            [(x, t, *factors)] = rows(
                mine,
                "SELECT (SELECT count(*) FROM x), (SELECT count(*) FROM t), (SELECT min(v / a) FROM x), (SELECT max(v / a) FROM x),"
                " (SELECT min((v - 1) / a) FROM y), (SELECT max((v - 1) / a) FROM y)",
            )
            assert x == t
            assert len(set(factors)) == 1

        kills = random.Random(seed + 100)

        def kill(mine: DB) -> None:
            time.sleep(kills.random())
            fresh.driver.kill(kills.choice(["c1-r1", "c2-r1"]))

        lost = (psycopg.Error,)
        with (
            reading(fresh, 1, write, lost) as failed,
            reading(fresh, 1, read, lost) as mixed,
            reading(fresh, replicas - 1, kill) as dead,
        ):
            for factor in range(2, 6):
                cluster = [rng.choice(["c", "quickstart"]) for _ in range(3)]
                db.execute(
                    f"CREATE REPLACEMENT MATERIALIZED VIEW x_next FOR x IN CLUSTER {cluster[0]} AS SELECT a, {factor} * a AS v FROM t"
                )
                db.execute(
                    f"CREATE REPLACEMENT MATERIALIZED VIEW y_next FOR y IN CLUSTER {cluster[1]}"
                    " AS SELECT a, v + 1 AS v FROM x_next WHERE a % 2 = 0"
                )
                db.execute("CREATE VIEW w_next AS SELECT a, v FROM x_next WHERE a > 5")
                db.execute(
                    f"CREATE MATERIALIZED VIEW e_next IN CLUSTER {cluster[2]} AS SELECT count(*) AS n, sum(w.v) AS s, max(w.a) AS m FROM w_next AS w"
                )
                db.execute(
                    f"CREATE MATERIALIZED VIEW f_next IN CLUSTER {cluster[0]} AS SELECT x.a, x.v, y.v AS u FROM x_next AS x JOIN y_next AS y ON x.a = y.a"
                )
                db.execute(f"CREATE INDEX f_a_{factor} IN CLUSTER {cluster[1]} ON f_next (a)")
                db.execute(f"CREATE INDEX x_next_{factor} IN CLUSTER {cluster[2]} ON x_next (v)")
                db.execute(
                    "CREATE MATERIALIZED VIEW g_next AS SELECT f.a, x.v FROM f_next AS f JOIN x_next AS x ON x.v = f.v"
                )
                if rng.random() < 0.5:
                    fresh.driver.kill(rng.choice(["c1-r1", "c2-r1"]))
                names_ = ["g", "f", "e", "w"]
                drops = [f"DROP {'VIEW' if n == 'w' else 'MATERIALIZED VIEW'} IF EXISTS {n}" for n in names_]
                renames = [
                    f"ALTER {'VIEW' if n == 'w' else 'MATERIALIZED VIEW'} {n}_next RENAME TO {n}"
                    for n in names_
                ]
                chain = CHAIN[:: rng.choice([1, -1])]
                release = [*drops, *rng.sample(renames, 2), *chain]
                release += [statement for statement in renames if statement not in release]
                db.execute("; ".join(release))
                if rng.random() < 0.5:
                    fresh.driver.kill(rng.choice(["c1-r1", "c2-r1"]))
        assert not failed
        assert not mixed
        assert not dead
        check_chain(db, 5)
    fresh.abandon()
    fresh.start()
    with fresh.connect() as db:
        check_chain(db, 5)
        db.execute("INSERT INTO t VALUES (1500), (1501)")
        check_chain(db, 5)


def test_a_sink_is_cut_over_with_the_release(db: DB, tmp_path: Path) -> None:
    """It never tells of a version between: not of the contents that the view had before it was replaced."""
    fill(db)
    stage(db, 1)
    target = tmp_path / "s"
    db.execute(f"CREATE SINK s FROM q INTO FILE '{target}' FORMAT JSON ENVELOPE NONE")  # type: ignore[arg-type]
    db.execute("UPDATE t SET a = a + 1000")

    def told() -> dict[int, list[tuple[int, int]]]:
        found: dict[int, list[tuple[int, int]]] = {}
        for file in sorted(target.glob("*.jsonl")):
            for line in map(json.loads, file.read_text().splitlines()):
                found.setdefault(line["mz_timestamp"], []).append((line["v"], line["mz_diff"]))
        return found

    eventually(lambda: bool(told()))
    db.execute(
        "ALTER SINK s SET FROM y; ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next;"
        " ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next"
    )
    eventually(lambda: any(v == 1 for changes in told().values() for v, _ in changes))
    for changes in told().values():
        added = {v for v, diff in changes if diff > 0}
        assert len(added) <= 1
    switched = min(time for time, changes in told().items() if any(v == 1 for v, _ in changes))
    assert sum(diff for v, diff in told()[switched] if v == 1) == 25
    assert sum(diff for v, diff in told()[switched] if v == 0) == -50


def test_state_goes_on_with_the_view(monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkpoint of a dataflow that reads a replacement is none of one that reads the view; the next one is."""
    with running(replace(FAST, checkpoint_rows=20, checkpoint_interval_ms=3_600_000)) as runtime:
        with runtime.connect() as db:
            fill(db)
            stage_chain(db, 3)

            def cuts() -> list[int | None]:
                catalog, checkpoints = runtime.coordinator.catalog, runtime.coordinator.controller.checkpoints
                items = [catalog.find("public", name) for name in ("e", "f", "g", "f_a")]
                return [checkpoints.cut(item.id) if item is not None else None for item in items]

            eventually(lambda: None not in cuts())
            db.execute("INSERT INTO t VALUES (60), (62)")
            [(before,)] = rows(db, "SELECT mz_now()::text::bigint")
            db.execute("; ".join(CHAIN))
            # The view's history before the release, which is none of theirs, is not held for them.
            assert all(found is None or found > before for found in cuts()[:3])
            db.execute("INSERT INTO t VALUES (64), (66)")
            eventually(lambda: None not in cuts())
            [(then,)] = rows(db, "SELECT mz_now()::text::bigint")
            db.execute("INSERT INTO t SELECT i FROM generate_series(700, 799) AS g(i)")
            eventually(lambda: all((found or 0) > then for found in cuts()))
            check_chain(db, 3)
        taken = []
        go_on = Installation._go_on

        def counted(self: Any, replica: Any, item: Any, *arguments: Any) -> None:
            taken.append(item.name)
            go_on(self, replica, item, *arguments)

        monkeypatch.setattr(Installation, "_go_on", counted)
        runtime.abandon()
        runtime.start()
        with runtime.connect() as db:
            check_chain(db, 3)
            db.execute("INSERT INTO t VALUES (68), (69)")
            db.execute("DELETE FROM t WHERE a = 8")
            check_chain(db, 3)
        assert {"e", "f", "g"} <= set(taken)


def test_what_the_same_transaction_makes_over_a_replacement(db: DB, schema: str) -> None:
    fill(db)
    stage(db, 1)
    db.execute(f"CREATE SCHEMA {schema}_other")
    with db.transaction():
        db.execute("CREATE MATERIALIZED VIEW k AS SELECT count(*) AS n, max(v) AS v FROM x_next")
        db.execute("CREATE VIEW l AS SELECT a FROM x_next WHERE v = 1")
        db.execute("CREATE INDEX l_a ON l (a)")
        db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT x_next")
        assert rows(db, "SELECT n, v FROM k") == [(50, 1)]
        db.execute(f"ALTER MATERIALIZED VIEW x SET SCHEMA {schema}_other")
        db.execute("ALTER MATERIALIZED VIEW y APPLY REPLACEMENT y_next")
        db.execute("DROP MATERIALIZED VIEW y CASCADE")
    assert rows(db, "SELECT n, v FROM k") == [(50, 1)]
    assert rows(db, "SELECT a FROM l WHERE a = 8") == [(8,)]
    assert rows(db, f"SELECT DISTINCT v FROM {schema}_other.x") == [(1,)]
    assert [name for name in names(db) if name in ("y", "d", "x_next", "y_next")] == []
    db.execute("INSERT INTO t VALUES (80)")
    assert rows(db, "SELECT n, v FROM k") == [(51, 1)]
    assert rows(db, "SELECT a FROM l WHERE a = 80") == [(80,)]
    db.execute(f"DROP SCHEMA {schema}_other CASCADE")


def test_a_replacement_of_a_replacement_replaces_the_view(db: DB) -> None:
    fill(db)
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW r FOR x AS SELECT a, 1 AS v FROM t")
    db.execute("CREATE REPLACEMENT MATERIALIZED VIEW rr FOR r AS SELECT a, 2 AS v FROM t")
    db.execute("CREATE MATERIALIZED VIEW k AS SELECT v, count(*) AS n FROM r GROUP BY v")
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT r")
    assert rows(db, "SELECT v, n FROM k") == [(1, 50)]
    db.execute("ALTER MATERIALIZED VIEW x APPLY REPLACEMENT rr")
    assert rows(db, "SELECT v, n FROM k") == [(2, 50)]
    assert rows(db, "SELECT DISTINCT v FROM x") == [(2,)]
