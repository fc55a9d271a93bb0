"""RENAME and SWAP WITH: names change, and nothing that runs is built again."""

from __future__ import annotations

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, rows


def test_clusters_change_their_names(fresh: InProcess) -> None:
    with fresh.connect() as db:
        db.execute("CREATE CLUSTER a (JOB MIN ROWS 700000)")
        db.execute("CREATE TABLE t (k int)")
        db.execute("CREATE MATERIALIZED VIEW m IN CLUSTER a AS SELECT count(*) AS n FROM t")
        db.execute("CREATE MATERIALIZED VIEW q AS SELECT sum(n) AS n FROM m")
        db.execute("CREATE INDEX i IN CLUSTER a ON m (n)")
        db.execute("CREATE SOURCE s IN CLUSTER a FROM LOAD GENERATOR COUNTER (TICK INTERVAL '10ms')")
        eventually(lambda: hydrated(db, "m", "q", "i"))
        before = rows(
            db,
            "SELECT object_id, replica_id, hydration_seconds FROM mz_internal.mz_hydration_statuses ORDER BY 1, 2",
        )
        db.execute("ALTER CLUSTER a RENAME TO b")
        db.execute("ALTER CLUSTER b SWAP WITH quickstart")
        db.execute("ALTER CLUSTER b SWAP WITH b")
        where = (
            "SELECT v.name, c.name FROM mz_catalog.mz_materialized_views v JOIN mz_catalog.mz_clusters c"
            " ON c.id = v.cluster_id ORDER BY 1"
        )
        assert rows(db, where) == [("m", "quickstart"), ("q", "b")]
        after = rows(
            db,
            "SELECT object_id, replica_id, hydration_seconds FROM mz_internal.mz_hydration_statuses ORDER BY 1, 2",
        )
        assert before == after
        [(_, text)] = rows(db, "SHOW CREATE CLUSTER quickstart")
        assert text == "CREATE CLUSTER quickstart (JOB MIN ROWS 700000)"
        db.execute("INSERT INTO t VALUES (1), (2)")
        assert rows(db, "SELECT q.n, m.n FROM q, m") == [(2, 2)]
        assert rows(db, "SELECT n FROM m WHERE n = 2") == [(2,)]
        for cluster in ("b", "quickstart"):
            fresh.kill_replica(cluster)
            db.execute("INSERT INTO t VALUES (1)")
            [(q, m)] = rows(db, "SELECT q.n, m.n FROM q, m")
            assert q == m
        [(count,)] = rows(db, "SELECT max(counter) FROM s")
        eventually(lambda: rows(db, "SELECT max(counter) FROM s")[0][0] > count)
        for statement, state in (
            ("ALTER CLUSTER quickstart RENAME TO c", "0A000"),
            ("ALTER CLUSTER b RENAME TO quickstart", "42710"),
            ("ALTER CLUSTER b SWAP WITH nothing", "42704"),
        ):
            with pytest.raises(psycopg.Error) as error:
                db.execute(statement)
            assert error.value.sqlstate == state
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert rows(db, where) == [("m", "quickstart"), ("q", "b")]
        assert rows(db, "SELECT q.n, m.n FROM q, m") == [(4, 4)]


def test_schemas_and_relations_swap_under_what_runs(fresh: InProcess) -> None:
    with fresh.connect() as db:
        for schema, value in (("blue", 1), ("green", 2)):
            db.execute(f"CREATE SCHEMA {schema}")
            db.execute(f"CREATE TABLE {schema}.t (a int)")
            db.execute(f"INSERT INTO {schema}.t VALUES ({value})")
            db.execute(f"CREATE MATERIALIZED VIEW {schema}.m AS SELECT a FROM {schema}.t")
        db.execute("CREATE MATERIALIZED VIEW over AS SELECT a FROM blue.m")
        eventually(lambda: hydrated(db, "over", "m"))
        before = rows(
            db, "SELECT object_id, hydration_seconds FROM mz_internal.mz_hydration_statuses ORDER BY 1"
        )
        db.execute("ALTER SCHEMA blue SWAP WITH green")
        assert rows(db, "SELECT a FROM blue.m") == [(2,)]
        assert rows(db, "SELECT a FROM over") == [(1,)]
        db.execute("ALTER SCHEMA blue RENAME TO red")
        db.execute("ALTER MATERIALIZED VIEW red.m SWAP WITH green.m")
        db.execute("ALTER MATERIALIZED VIEW red.m SWAP WITH red.m")
        db.execute("ALTER MATERIALIZED VIEW green.m RENAME TO n")
        assert rows(db, "SELECT x.a, y.a FROM red.m AS x, green.n AS y") == [(1, 2)]
        db.execute("INSERT INTO green.t VALUES (3)")
        assert (
            rows(db, "SELECT a FROM over ORDER BY a")
            == rows(db, "SELECT a FROM red.m ORDER BY a")
            == [(1,), (3,)]
        )
        after = rows(
            db, "SELECT object_id, hydration_seconds FROM mz_internal.mz_hydration_statuses ORDER BY 1"
        )
        assert before == after
