"""EXPLAIN in all its forms, of a runtime that has something to tell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, eventually, hydrated, running


@pytest.fixture(scope="module")
def told() -> Iterator[InProcess]:
    with running() as runtime, runtime.connect() as db:
        db.execute("CREATE TABLE t (a int NOT NULL, b text)")
        db.execute("CREATE VIEW v AS SELECT a, b FROM t WHERE a > 1")
        db.execute("CREATE MATERIALIZED VIEW m AS SELECT b, count(*) AS n FROM v GROUP BY b")
        db.execute("CREATE INDEX i ON t (a)")
        eventually(lambda: hydrated(db, "m", "i"))
        db.execute("INSERT INTO t VALUES (1, 'x'), (2, 'x'), (3, 'y')")
        assert db.execute("SELECT n FROM m ORDER BY b").fetchall() == [(1,), (1,)]
        # What replicas tell of their operators arrives by and by.
        eventually(lambda: "rows_in=2" in text(runtime, "EXPLAIN ANALYZE FOR MATERIALIZED VIEW m"))
        eventually(lambda: "rows_in=3" in text(runtime, "EXPLAIN ANALYZE FOR INDEX i"))
        yield runtime


def text(runtime: InProcess, sql: str) -> str:
    try:
        return "\n".join(line for (line,) in runtime.query(sql))
    except psycopg.errors.ObjectNotInPrerequisiteState:
        return "not yet"


def document(runtime: InProcess, sql: str) -> Any:
    ((found,),) = runtime.query(sql)
    return json.loads(found)


@pytest.mark.parametrize(
    "sql",
    [
        "EXPLAIN SELECT a FROM v ORDER BY a LIMIT 2",
        "EXPLAIN VERBOSE SELECT a FROM v ORDER BY a LIMIT 2",
        "EXPLAIN (COSTS off, VERBOSE) SELECT a FROM v ORDER BY a LIMIT 2",
        "EXPLAIN PLAN FOR SELECT a FROM v ORDER BY a LIMIT 2",
        "EXPLAIN OPTIMIZED PLAN AS TEXT FOR SELECT a FROM v ORDER BY a LIMIT 2",
        "EXPLAIN AS TEXT FOR SELECT a FROM v ORDER BY a LIMIT 2",
    ],
)
def test_the_plan_of_a_query(told: InProcess, sql: str) -> None:
    assert text(told, sql).splitlines() == [
        "Finish order=(#0 ASC NULLS LAST) limit=2 offset=0",
        "  Project (#0)",
        "    Filter (#0 > 1)",
        "      Get public.t",
    ]


def test_early_stages_keep_what_was_written(told: InProcess) -> None:
    for stage in ("RAW", "DECORRELATED"):
        assert "Filter ((1 + 1) > 1)" in text(
            told, f"EXPLAIN {stage} PLAN FOR SELECT a FROM t WHERE 1 + 1 > 1"
        )
    assert "Filter" not in text(told, "EXPLAIN SELECT a FROM t WHERE 1 + 1 > 1")


def test_json_says_what_text_says(told: InProcess) -> None:
    found = document(told, "EXPLAIN OPTIMIZED PLAN AS JSON FOR SELECT a FROM v ORDER BY a LIMIT 2")
    assert found["finish"] == "Finish order=(#0 ASC NULLS LAST) limit=2 offset=0"
    node, lines = found["plan"], []
    while True:
        lines.append(f"{node['operator']} {node['details']}")
        if not node["inputs"]:
            break
        (node,) = node["inputs"]
    assert lines == ["Project (#0)", "Filter (#0 > 1)", "Get public.t"]
    assert node["columns"] == ["a", "b"]
    assert document(told, "EXPLAIN (FORMAT JSON) SELECT a FROM v ORDER BY a LIMIT 2") == found


def test_a_loop_as_json(told: InProcess) -> None:
    query = "WITH RECURSIVE r (n) AS (SELECT a FROM t UNION SELECT n + 1 FROM r WHERE n < 9) SELECT n FROM r"
    plan = document(told, f"EXPLAIN PLAN AS JSON FOR {query}")["plan"]
    while "bindings" not in plan:
        (plan,) = plan["inputs"]
    assert len(plan["bindings"]) == 1
    nodes = document(told, f"EXPLAIN PHYSICAL PLAN AS JSON FOR {query}")["nodes"]
    assert any("loop" in node for node in nodes)


def test_where_the_answer_comes_from(told: InProcess) -> None:
    looked_up = "EXPLAIN PHYSICAL PLAN FOR SELECT b FROM t WHERE a IN (1, 2)"
    assert "Answered from index public.i, 2 keys looked up" in text(told, looked_up)
    assert "Answered from index public.i, all rows" in text(told, "EXPLAIN PHYSICAL PLAN FOR SELECT b FROM t")
    assert "from catalogs" in text(told, "EXPLAIN PHYSICAL PLAN FOR SELECT relname FROM pg_class")
    assert "from constants" in text(told, "EXPLAIN PHYSICAL PLAN FOR SELECT 1")
    grouped = document(told, "EXPLAIN PHYSICAL PLAN AS JSON FOR SELECT b, count(*) FROM m GROUP BY b")
    assert grouped["access"] is None
    assert [node["operator"] for node in grouped["nodes"]] == ["Import", "Mfp", "Reduce"]


def test_plans_of_objects(told: InProcess) -> None:
    assert text(told, "EXPLAIN PLAN FOR VIEW v").endswith("Get public.t")
    assert "Reduce group=(#0)" in text(told, "EXPLAIN PLAN FOR MATERIALIZED VIEW m")
    physical = text(told, "EXPLAIN PHYSICAL PLAN FOR MATERIALIZED VIEW public.m")
    assert "Import public.t" in physical
    assert "count(*)" in physical
    assert "key0" in text(told, "EXPLAIN PHYSICAL PLAN FOR INDEX i")
    assert document(told, "EXPLAIN PHYSICAL PLAN AS JSON FOR INDEX i")["nodes"][-1]["output"]


def test_timestamp(told: InProcess) -> None:
    found = document(told, "EXPLAIN TIMESTAMP AS JSON FOR SELECT * FROM m, t")
    assert [source["object"] for source in found["sources"]] == ["public.t", "public.m"]
    assert found["query_timestamp"] == found["oracle_read_timestamp"] >= found["since"]
    shown = text(told, "EXPLAIN TIMESTAMP FOR SELECT * FROM v")
    assert "can respond immediately: " in shown
    assert "source public.t (" in shown
    assert text(told, "EXPLAIN TIMESTAMP FOR SELECT 1").endswith("can respond immediately: true")


def test_a_block_reads_at_its_own_time(told: InProcess) -> None:
    with told.connect(autocommit=False) as db:
        db.execute("SELECT count(*) FROM t")
        times = set()
        for _ in range(2):
            told.query("INSERT INTO t VALUES (1, 'x')")
            (found,) = db.execute("EXPLAIN TIMESTAMP AS JSON FOR SELECT * FROM t").fetchone() or ("",)
            times.add(json.loads(found)["query_timestamp"])
        assert len(times) == 1


def test_filter_pushdown_counts_parts(told: InProcess) -> None:
    with told.connect() as db:
        cursor = db.execute("EXPLAIN FILTER PUSHDOWN FOR SELECT * FROM t WHERE a = 7")
        assert cursor.description is not None
        assert [column.name for column in cursor.description][1:3] == ["Total Bytes", "Selected Bytes"]
        ((name, total, selected, parts, selected_parts),) = cursor.fetchall()
    assert (name, total, parts) == ("public.t", selected, selected_parts)
    assert int(total) > 0
    assert told.query("EXPLAIN FILTER PUSHDOWN FOR SELECT 1") == []
    assert [row[0] for row in told.query("EXPLAIN FILTER PUSHDOWN FOR MATERIALIZED VIEW m")] == ["public.t"]


def test_analyze_runs_the_query(told: InProcess) -> None:
    (rows,) = told.query("SELECT count(*) FROM t")[0]
    lines = text(told, "EXPLAIN ANALYZE SELECT a FROM t").splitlines()
    assert lines[-2] == f"Rows: {rows}"
    assert lines[-1].startswith("Execution Time: ")
    found = document(told, "EXPLAIN (ANALYZE, FORMAT JSON) SELECT a FROM t LIMIT 1")
    assert found["rows"] == 1
    assert found["execution_ms"] > 0
    with pytest.raises(psycopg.errors.DivisionByZero):
        told.query("EXPLAIN ANALYZE SELECT 1 / (a - a) FROM t")
    told.query("EXPLAIN (ANALYZE off) SELECT 1 / (a - a) FROM t")


def test_analyze_of_what_is_maintained(told: InProcess) -> None:
    shown = text(told, "EXPLAIN ANALYZE FOR MATERIALIZED VIEW m")
    assert shown.startswith("replica quickstart.r1: hydrated in ")
    assert "state_rows=" in shown
    assert "steps=" in shown
    memory = text(told, "EXPLAIN ANALYZE MEMORY FOR INDEX i")
    assert "bytes in memory" in memory
    assert "steps=" not in memory
    found = document(told, "EXPLAIN ANALYZE CPU, HYDRATION AS JSON FOR MATERIALIZED VIEW m")
    (replica,) = found["replicas"]
    assert len(replica["operators"]) == len(found["nodes"])
    assert replica["operators"][-1]["rows_out"] >= 2
    assert replica["hydration_seconds"] >= 0
    assert "memory_bytes" not in replica


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("EXPLAIN RAW PLAN FOR VIEW v", "0A000"),
        ("EXPLAIN ANALYZE FOR VIEW v", "0A000"),
        ("EXPLAIN ANALYZE INSERT INTO t VALUES (1)", "0A000"),
        ("EXPLAIN INSERT INTO t VALUES (1)", "0A000"),
        ("EXPLAIN (BUFFERS) SELECT 1", "0A000"),
        ("EXPLAIN (FORMAT XML) SELECT 1", "0A000"),
        ("EXPLAIN (ANALYZE maybe) SELECT 1", "42601"),
        ("EXPLAIN FILTER PUSHDOWN FOR INDEX i", "0A000"),
        ("EXPLAIN PLAN WITH (colours) FOR SELECT 1", "0A000"),
        ("EXPLAIN ANALYZE CLUSTER", "0A000"),
        ("EXPLAIN PLAN FOR INDEX nobody", "42704"),
        ("EXPLAIN PLAN FOR MATERIALIZED VIEW v", "42809"),
        ("EXPLAIN", "42601"),
        ("EXPLAIN PLAN", "42601"),
        ("EXPLAIN PLAN FOR", "42601"),
        ("EXPLAIN (", "42601"),
    ],
)
def test_refused(told: InProcess, sql: str, sqlstate: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        told.query(sql)
    assert error.value.sqlstate == sqlstate
