"""Views over sources that only ever append forget what cannot come back, and say so; others do not."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest
from inprocess import InProcess, eventually

GROUPS = 5


def plan(runtime: InProcess, query: str) -> str:
    return "\n".join(line for (line,) in runtime.query(f"EXPLAIN PHYSICAL PLAN FOR {query}"))


def state_rows(runtime: InProcess, name: str) -> int:
    [(rows,)] = runtime.query(
        "SELECT coalesce(sum(s.state_rows), 0) FROM mz_internal.mz_dataflow_operators s"
        f" JOIN mz_catalog.mz_objects o ON o.id = s.object_id WHERE o.name = '{name}'"
    )
    return int(rows)


@pytest.fixture
def sources(fresh: InProcess, tmp_path: Path) -> Path:
    """The file of `events (k, v)`; beside it a table, a source of changing rows, and two counters."""
    file = tmp_path / "events.json"
    file.write_text("")
    fresh.query(f"CREATE SOURCE events (k int, v int) FROM FILE '{file}' FORMAT JSON")
    other = tmp_path / "stock.json"
    other.write_text("")
    fresh.query(f"CREATE SOURCE stock (k int, v int) FROM FILE '{other}' FORMAT JSON KEY (k) ENVELOPE UPSERT")
    fresh.query("CREATE SOURCE ticks FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s')")
    fresh.query("CREATE SOURCE recent FROM LOAD GENERATOR COUNTER (TICK INTERVAL '1s', MAX CARDINALITY 3)")
    fresh.query("CREATE TABLE t (k int, v int)")
    return file


@pytest.mark.usefixtures("sources")
def test_what_is_promised_goes_through_views(fresh: InProcess) -> None:
    fresh.query("CREATE VIEW big AS SELECT k, v FROM events WHERE v > 10")
    fresh.query("CREATE MATERIALIZED VIEW bigger AS SELECT * FROM big WHERE v > 100")
    fresh.query("CREATE MATERIALIZED VIEW biggest AS SELECT DISTINCT k, v FROM bigger")
    fresh.query("CREATE MATERIALIZED VIEW ends AS SELECT k, max(v) AS v FROM biggest GROUP BY k")
    fresh.query("CREATE MATERIALIZED VIEW mixed AS SELECT k, v FROM events UNION ALL SELECT k, v FROM t")
    fresh.query("CREATE INDEX ON big (k)")
    for name in ("events", "big", "bigger", "biggest"):
        assert "monotonic" in plan(fresh, f"SELECT k, max(v) FROM {name} GROUP BY k"), name
    for name in ("stock", "t", "ends", "mixed"):
        assert "monotonic" not in plan(fresh, f"SELECT k, max(v) FROM {name} GROUP BY k"), name
    assert "monotonic" in plan(fresh, "SELECT max(counter) FROM ticks")
    assert "monotonic" not in plan(fresh, "SELECT max(counter) FROM recent")
    assert "monotonic" not in plan(fresh, "SELECT max(oid::text) FROM pg_class")


def test_a_view_holds_what_it_needs_and_goes_on_after_restarts(fresh: InProcess, sources: Path) -> None:
    fresh.query("CREATE MATERIALIZED VIEW rows AS SELECT k, v FROM events WHERE v IS NOT NULL")
    fresh.query(
        "CREATE MATERIALIZED VIEW ends AS SELECT k, min(v) AS low, max(v) AS high FROM rows GROUP BY k"
    )
    fresh.query(
        "CREATE MATERIALIZED VIEW tops AS SELECT k, v FROM"
        " (SELECT k, v, row_number() OVER (PARTITION BY k ORDER BY v DESC) AS place FROM rows) s WHERE place <= 2"
    )
    random = Random(1)
    values: dict[int, list[int]] = {}

    def agrees() -> bool:
        ends = sorted((k, min(mine), max(mine)) for k, mine in values.items())
        tops = sorted((k, v) for k, mine in values.items() for v in sorted(mine)[-2:])
        return (
            sorted(fresh.query("SELECT k, low, high FROM ends")) == ends
            and sorted(fresh.query("SELECT k, v FROM tops")) == tops
        )

    for restart in (fresh.kill_replica, lambda: (fresh.stop(), fresh.start()), lambda: None):
        for _ in range(2):
            lines = []
            for _ in range(200):
                k, v = random.randrange(GROUPS), random.randrange(1_000_000)
                values.setdefault(k, []).append(v)
                lines.append(json.dumps({"k": k, "v": v}))
            with sources.open("a") as out:
                out.write("\n".join(lines) + "\n")
            eventually(agrees)
        restart()
    eventually(lambda: 0 < state_rows(fresh, "ends") <= 60)
    eventually(lambda: 0 < state_rows(fresh, "tops") <= 60)
