"""DuckDB's own readers of lakes find in a sink's table what the sink has written."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from ptvc.storage.lake.partitions import PartitionField
from servers.duckdb_lakes import duckdb_rows, packages
from servers.maven_jars import Missing

from ..sink.delta import support as delta
from ..sink.iceberg import support as iceberg
from .support import WRITTEN, Row, Target, shown, steps

SHOWN = 'k, v, CAST(n AS varchar), epoch_us("at"), CAST(day AS varchar), yes, CAST(tags AS varchar)'
OTHERS = "k, v, CAST(n AS varchar), f, epoch_us(moment), day"

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def _fetched() -> None:
    try:
        packages()
    except Missing as missing:
        pytest.skip(str(missing))


@pytest.mark.parametrize("lake", ["iceberg", "delta"])
def test_duckdb_reads_what_a_sink_writes(tmp_path: Path, lake: str) -> None:
    by = (PartitionField("v"),)
    out: Target
    if lake == "iceberg":
        out = iceberg.Target(iceberg.catalog_values(tmp_path), schema=WRITTEN, partition_by=by)
    else:
        out = delta.Target(delta.place(tmp_path), schema=WRITTEN, partition_by=by)

    def read(columns: str) -> Counter[Row]:
        if isinstance(out, iceberg.Target):
            there = f"iceberg_scan('{out.table.metadata_location.removeprefix('file://')}')"
        else:
            there = f"delta_scan('{out.options.uri}')"
        return Counter(duckdb_rows(f"SELECT {columns} FROM {there}"))

    after = steps(out)
    for _ in range(2):
        wanted = next(after)
        assert read(SHOWN) == Counter(shown(row, "[a, NULL]") for row in wanted)
    wanted = next(after)
    assert read(OTHERS) == Counter(wanted)
    out.close()
