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


def test_schemas_and_clusters_are_swapped_in_one_block(fresh: InProcess) -> None:
    """Nobody sees one without the other, what runs in the clusters goes on, and what the block drops is stopped."""
    with fresh.connect() as db, fresh.connect() as reader:
        for place, value in (("blue", 1), ("green", 2)):
            db.execute(f"CREATE CLUSTER in_{place}")
            for schema in (f"a_{place}", f"b_{place}"):
                db.execute(f"CREATE SCHEMA {schema}")
                db.execute(f"CREATE TABLE {schema}.t (v int)")
                db.execute(f"INSERT INTO {schema}.t VALUES ({value})")
                db.execute(
                    f"CREATE MATERIALIZED VIEW {schema}.m IN CLUSTER in_{place} AS SELECT v FROM {schema}.t"
                )
                db.execute(f"CREATE INDEX i IN CLUSTER in_{place} ON {schema}.m (v)")
        statuses = "SELECT object_id, replica_id, hydration_seconds FROM mz_internal.mz_hydration_statuses ORDER BY 1, 2"
        eventually(
            lambda: len(rows(db, f"SELECT 1 FROM ({statuses}) AS s WHERE hydration_seconds IS NOT NULL")) == 8
        )
        before = rows(db, statuses)
        both = "SELECT a.v, b.v FROM a_blue.m AS a, b_blue.m AS b"
        reader.execute("SET cluster = in_blue")
        assert rows(reader, both) == [(1, 1)]

        db.execute("SET cluster = in_blue")
        db.execute("BEGIN")
        db.execute("ALTER SCHEMA a_blue SWAP WITH a_green")
        db.execute("ALTER CLUSTER in_blue SWAP WITH in_green")
        assert rows(db, "SELECT v FROM a_blue.m") == [(2,)]
        assert rows(reader, both) == [(1, 1)]
        db.execute("ALTER SCHEMA b_blue SWAP WITH b_green")
        db.execute("ALTER CLUSTER in_green RENAME TO old")
        db.execute("SET cluster = old")
        assert rows(db, both) == [(2, 2)]
        assert rows(reader, both) == [(1, 1)]
        db.execute("SAVEPOINT s")
        db.execute("DROP SCHEMA a_green CASCADE")
        db.execute("COMMIT")
        assert rows(reader, both) == [(2, 2)]
        where = "SELECT DISTINCT c.name FROM mz_catalog.mz_materialized_views v JOIN mz_catalog.mz_clusters c"
        where += (
            " ON c.id = v.cluster_id JOIN mz_catalog.mz_schemas s ON s.id = v.schema_id WHERE s.name = %s"
        )
        assert rows(db, where, ("b_green",)) == [("old",)]
        assert rows(db, where, ("b_blue",)) == [("in_blue",)]
        after = rows(db, statuses)
        assert len(after) == 6
        assert set(after) < set(before)
        db.execute("INSERT INTO a_blue.t VALUES (3)")
        assert sorted(rows(reader, "SELECT v FROM a_blue.m")) == [(2,), (3,)]
        with pytest.raises(psycopg.Error) as error:
            db.execute("DROP CLUSTER in_green")
        assert error.value.sqlstate == "42704"
        db.execute("DROP CLUSTER old CASCADE")

    with fresh.connect() as db, fresh.connect() as other:
        db.execute("BEGIN")
        db.execute("ALTER CLUSTER in_blue RENAME TO c")
        other.execute("CREATE CLUSTER c")
        with pytest.raises(psycopg.Error) as error:
            db.execute("COMMIT")
        assert error.value.sqlstate == "40001"
        other.execute("DROP CLUSTER c")
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert sorted(rows(db, both)) == [(2, 2), (3, 2)]


def test_alter_table_takes_relations_of_each_kind(db: psycopg.Connection) -> None:
    """As in PostgreSQL: dbt-postgres and others' tools write it so."""
    db.execute("CREATE ROLE keeper")
    db.execute("CREATE SCHEMA attic")
    db.execute("CREATE TABLE t (a int)")
    db.execute("CREATE VIEW v AS SELECT a FROM t")
    db.execute("CREATE MATERIALIZED VIEW m AS SELECT a FROM v")
    db.execute("CREATE INDEX i ON m (a)")
    db.execute("CREATE SOURCE s FROM LOAD GENERATOR COUNTER")
    for name in ("v", "m", "s"):
        assert db.execute(f"ALTER TABLE {name} RENAME TO {name}2").statusmessage == "ALTER TABLE"
        db.execute(f"ALTER TABLE {name}2 OWNER TO keeper")
        db.execute(f"ALTER TABLE {name}2 SET SCHEMA attic")
    db.execute("ALTER TABLE attic.m2 RENAME COLUMN a TO b")
    db.execute("ALTER TABLE attic.i RENAME TO i2")
    found = rows(
        db,
        "SELECT o.name, o.type, r.name FROM mz_catalog.mz_objects o JOIN mz_catalog.mz_roles r ON r.id = o.owner_id"
        " WHERE schema_name = 'attic' ORDER BY 1",
    )
    assert found == [
        ("i2", "index", "keeper"),
        ("m2", "materialized-view", "keeper"),
        ("s2", "source", "keeper"),
        ("v2", "view", "keeper"),
    ]
    db.execute("INSERT INTO t VALUES (7)")
    assert rows(db, "SELECT b FROM attic.m2") == [(7,)]
    for statement in (
        "ALTER TABLE attic.i2 OWNER TO keeper",
        "ALTER TABLE attic.i2 SET SCHEMA public",
        "ALTER TABLE attic.s2 RENAME COLUMN counter TO n",
        "ALTER TABLE attic.v2 DROP COLUMN a",
        "ALTER VIEW t RENAME TO u",
        "DROP TABLE attic.v2",
    ):
        with pytest.raises(psycopg.errors.WrongObjectType):
            db.execute(statement)


def texts(db: psycopg.Connection) -> dict[str, str]:
    """Of all views, wherever they are shown: everywhere the same."""
    found = dict(
        rows(
            db,
            "SELECT viewname, definition FROM pg_views WHERE schemaname IN ('one', 'two') UNION ALL "
            "SELECT matviewname, definition FROM pg_matviews WHERE schemaname IN ('one', 'two')",
        )
    )
    for name, text in found.items():
        [(oid, schema, kind)] = rows(
            db,
            f"SELECT c.oid, n.nspname, c.relkind FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE relname = '{name}'",
        )
        assert rows(db, f"SELECT pg_get_viewdef({oid})") == [(f"{text};",)]
        what = "MATERIALIZED VIEW" if kind == "m" else "VIEW"
        [(_, created)] = rows(db, f"SHOW CREATE {what} {schema}.{name}")
        assert created.endswith(f" AS {text}")
    return found


def test_texts_of_views_over_both_relations_that_exchange_names(db: psycopg.Connection) -> None:
    for schema in ("one", "two"):
        db.execute(f"CREATE SCHEMA {schema}")
        db.execute(f"CREATE TABLE {schema}.p (v int)")
        db.execute(f"CREATE TABLE {schema}.q (v int)")
        db.execute(f"INSERT INTO {schema}.p VALUES ({ord(schema[0])}1)")
        db.execute(f"INSERT INTO {schema}.q VALUES ({ord(schema[0])}2)")
    db.execute("CREATE VIEW one.x AS SELECT p.v AS p, q.v AS q FROM one.p, one.q")
    db.execute("CREATE VIEW one.y AS SELECT (SELECT v FROM one.p) AS a, (SELECT v FROM two.p) AS b")
    before = {view: rows(db, f"TABLE one.{view}") for view in ("x", "y")}
    db.execute("ALTER TABLE one.p SWAP WITH one.q")
    assert texts(db)["x"] == "SELECT p.v AS p, q.v AS q FROM one.q AS p, one.p AS q"
    db.execute("ALTER SCHEMA one SWAP WITH two")
    for view, text in texts(db).items():
        assert rows(db, text) == before[view], text


def test_texts_of_views_follow_what_they_read(fresh: InProcess) -> None:
    with fresh.connect() as db:
        for schema in ("one", "two", "beside"):
            db.execute(f"CREATE SCHEMA {schema}")
        db.execute("CREATE TABLE one.t (a int)")
        db.execute("INSERT INTO one.t VALUES (1), (2)")
        db.execute("CREATE VIEW one.v AS SELECT /* kept */ t.a FROM one.t")
        db.execute('CREATE MATERIALIZED VIEW two.m AS SELECT "one"."v".a FROM "one"."v"')
        db.execute("CREATE VIEW two.w AS SELECT a FROM two.m")
        eventually(lambda: hydrated(db, "m"))
        before = rows(db, "SELECT object_id, hydration_seconds FROM mz_internal.mz_hydration_statuses")
        db.execute("ALTER TABLE one.t RENAME TO u")
        assert texts(db)["v"] == "SELECT /* kept */ t.a FROM one.u AS t"
        db.execute("ALTER VIEW one.v SET SCHEMA two")
        assert texts(db)["m"] == 'SELECT "two"."v".a FROM "two"."v"'
        db.execute("ALTER SCHEMA one RENAME TO three")
        assert texts(db)["v"] == "SELECT /* kept */ t.a FROM three.u AS t"
        db.execute("ALTER SCHEMA three RENAME TO one")
        db.execute("ALTER SCHEMA two RENAME TO three")
        db.execute("ALTER SCHEMA three RENAME TO two")
        assert before == rows(
            db, "SELECT object_id, hydration_seconds FROM mz_internal.mz_hydration_statuses"
        )
        # As a run of dbt does it, in one transaction.
        db.execute("CREATE VIEW beside.v AS SELECT a + 1 AS a, 'x' AS b FROM one.u")
        db.execute(
            "CREATE REPLACEMENT MATERIALIZED VIEW beside.m FOR two.m AS SELECT beside.v.a FROM beside.v"
        )
        db.execute("CREATE VIEW beside.w AS SELECT a FROM beside.m")
        with db.transaction():
            db.execute("ALTER MATERIALIZED VIEW two.m APPLY REPLACEMENT beside.m")
            db.execute("DROP VIEW two.v CASCADE")
            db.execute("DROP VIEW two.w")
            db.execute("ALTER VIEW beside.v SET SCHEMA two")
            db.execute("ALTER VIEW beside.w SET SCHEMA two")
        db.execute("DROP SCHEMA beside")
        expected = {
            "v": "SELECT a + 1 AS a, 'x' AS b FROM one.u",
            "m": "SELECT two.v.a FROM two.v",
            "w": "SELECT a FROM two.m",
        }
        assert texts(db) == expected
        assert rows(db, "SELECT a FROM two.w ORDER BY 1") == [(2,), (3,)]
    fresh.stop()
    fresh.start()
    with fresh.connect() as db:
        assert texts(db) == expected
        for name, text in expected.items():  # what is shown means what is there
            assert sorted(rows(db, text)) == sorted(rows(db, f"SELECT * FROM two.{name}"))
