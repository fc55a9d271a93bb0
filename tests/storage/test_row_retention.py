"""RETAIN ROWS in an ingestion: what is due is not stored."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from ptvc.clock import ManualClock
from ptvc.expr.text.text_format import from_text
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, TIMESTAMP, TIMESTAMPTZ, ScalarType
from ptvc.storage.changes import Changes
from ptvc.storage.connectors import AskedOutput, open_ingestion
from ptvc.storage.envelope import EnvelopeKind
from ptvc.storage.projection import Projection
from ptvc.storage.row_retention import RowRetention, undue_changes
from ptvc.storage.source.file_options import FileOptions

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY_MS = 86_400_000


def test_what_is_due_is_left_out_whatever_the_sign() -> None:
    texts = ["2000-01-08", "2000-01-07 23:59:59.999999", None, "infinity", "-infinity", "0001-01-01 BC"]
    now_ms = int((datetime(2000, 1, 15, tzinfo=UTC) - EPOCH).total_seconds() * 1000)
    for type_ in (TIMESTAMP, TIMESTAMPTZ):
        times = _read(texts, type_)
        changes = Changes((pa.array(range(6), pa.int32()), times), np.array([1, 1, 1, -1, 1, 1]))
        kept = undue_changes(RowRetention(1, 7 * DAY_MS), changes, now_ms)
        assert kept.columns[0].to_pylist() == [0, 3]
        assert kept.diffs.tolist() == [1, -1]


def _read(texts: list[str | None], type_: ScalarType) -> pa.Array:
    found = from_text(pa.array(texts, pa.string()), type_)
    assert found.errors is None
    return found.values


@pytest.mark.parametrize("type_", [TIMESTAMP, TIMESTAMPTZ])
def test_records_that_are_due_are_not_stored_and_those_in_error_are(
    tmp_path: Path, type_: ScalarType
) -> None:
    clock = ManualClock()
    now = EPOCH + timedelta(milliseconds=clock.now_ms())

    def line(id_: int, age_s: float) -> str:
        return f'{{"id": {id_}, "at": "{(now - timedelta(seconds=age_s)).isoformat()}", "n": 1}}\n'

    (tmp_path / "1.jsonl").write_text(
        line(1, 59) + line(2, 61) + '{"id": 3}\n{"id": 4, "at": "x"}\n' + line(5, 60) + line(6, -99)
    )
    read = Schema((Column("n", INT4), Column("id", INT4), Column("at", type_)))
    kept = Projection(read, (1, 2))
    asked = {"s": AskedOutput("", kept.schema, projection=kept, retention=RowRetention(1, 60_000))}
    ingestion = open_ingestion(FileOptions(str(tmp_path), "json"), asked, (), EnvelopeKind.NONE, clock)
    ingest = ingestion.advance()
    assert ingest is not None
    assert ingest.outputs["s"].oks.columns[0].to_pylist() == [1, 5, 6]
    assert len(ingest.outputs["s"].errs) == 1
    ingestion.committed(1)
    assert ingestion.statistics.outputs["s"].updates_filtered == 2
    clock.advance(60_000)
    with (tmp_path / "1.jsonl").open("a") as more:
        more.write(line(7, 0.001) + line(8, 0) + line(9, -1))
    ingest = ingestion.advance()
    assert ingest is not None
    assert ingest.outputs["s"].oks.columns[0].to_pylist() == [8, 9]
