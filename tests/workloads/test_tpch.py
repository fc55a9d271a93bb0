"""TPC-H's 22 queries as materialized views under refresh streams."""

from __future__ import annotations

from decimal import Decimal

import psycopg
import pytest
from inprocess import running

from benchmarks import tpch

from .maintained import MaintainedQueries
from .tpch_data import TpchData

QUERIES = tpch.queries(fraction=Decimal("0.01"), quantity=160)


@pytest.mark.parametrize(
    ("orders", "refreshes", "workers"),
    [
        (300, 3, 1),
        pytest.param(1500, 12, 1, marks=pytest.mark.slow),
        pytest.param(300, 3, 4, marks=pytest.mark.slow),
    ],
)
def test_views_equal_recomputation(
    oracle: psycopg.Connection, orders: int, refreshes: int, workers: int
) -> None:
    data = TpchData(seed=orders, orders=orders)
    with running() as runtime, runtime.connect() as connection:
        connection.execute(f"CREATE CLUSTER views (WORKERS {workers})".encode())
        connection.execute("SET cluster = views")
        queries = MaintainedQueries(tpch.SCHEMA, QUERIES, connection, oracle)
        assert len(queries.queries) == 22
        queries.load(data.tables)
        queries.create_views()
        seen = dict(queries.check())
        for _ in range(refreshes):
            queries.change(data.refresh(orders=max(orders // 20, 5)))
            for name, rows in queries.check().items():
                seen[name] = max(seen[name], rows)
    assert not [name for name, rows in seen.items() if not rows], "a query without an answer proves nothing"
