"""The benchmark of `dbt test` runs, over small data, against a runtime in this process."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from inprocess import running

from benchmarks.dbt.adapters import ptvc_adapter
from benchmarks.dbt.tests import DAYS, ORPHANS, failures, measure_dbt_tests, tables_of
from benchmarks.report import show

ROWS = 2_000


@pytest.mark.slow
@pytest.mark.parametrize("materialized", ["materialized_view", "view"])
def test_dbt_tests(materialized: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with running() as runtime:
        adapter = ptvc_adapter(runtime.port, time.process_time, runtime.connect)
        results = measure_dbt_tests([adapter], tmp_path, ROWS, 2, materialized)
    assert [(result.adapter, result.count) for result in results] == [("ptvc", 1), ("ptvc", 2)]
    for result in results:
        assert result.dbt_cpu_seconds is not None
        assert result.dbt_cpu_seconds > 0
    show(list(results))
    assert results[1].what == f"dbt test, 40 tests of 4 {materialized.replace('_', ' ')}s of 2,000 rows"
    assert results[0].what == f"{results[1].what}, the first"
    assert "ptvc" in capsys.readouterr().out
    found = {name.split(".")[2]: rows for name, rows in failures(tmp_path / "ptvc").items() if rows}
    orders = tables_of(ROWS)["raw_orders"]
    assert 0 < found.pop("unique_reviews_day") <= DAYS
    assert found == {
        "not_null_orders_amount": orders["amount"].null_count,
        "not_null_shipments_region": ORPHANS,
        "relationships_orders_customer_id__id__source_raw_raw_customers_": ORPHANS,
        "relationships_shipments_customer_id__id__source_raw_raw_customers_": ORPHANS,
        "accepted_values_shipments_status__paid__sent__returned__lost": 1,
    }
