"""Nexmark's queries as materialized views while events arrive and some are taken back.

q12 is not here: it groups by processing time, which is not in the data.
"""

from __future__ import annotations

from pathlib import Path

import psycopg
import pytest
from inprocess import running

from .maintained import MaintainedQueries
from .nexmark_data import NexmarkData

FOLDER = Path(__file__).with_name("nexmark")
SCHEMA = (FOLDER / "schema.sql").read_text()
QUERIES = {path.stem: path.read_text() for path in sorted(FOLDER.glob("q*.sql"))}


@pytest.mark.parametrize(
    ("events", "batches", "workers"),
    [
        (300, 3, 1),
        pytest.param(1000, 12, 1, marks=pytest.mark.slow),
        pytest.param(300, 3, 4, marks=pytest.mark.slow),
    ],
)
def test_views_equal_recomputation(
    oracle: psycopg.Connection, events: int, batches: int, workers: int
) -> None:
    data = NexmarkData(seed=events)
    with running() as runtime, runtime.connect() as connection:
        connection.execute(f"CREATE CLUSTER views (WORKERS {workers})".encode())
        connection.execute("SET cluster = views")
        queries = MaintainedQueries(SCHEMA, QUERIES, connection, oracle)
        assert len(queries.queries) == 22
        queries.load({"side_input": data.side_input()})
        queries.change(data.batch(events))
        queries.create_views()
        seen = dict(queries.check())
        for _ in range(batches):
            queries.change(data.batch(events))
            for name, rows in queries.check().items():
                seen[name] = max(seen[name], rows)
    assert not [name for name, rows in seen.items() if not rows], "a query without an answer proves nothing"
