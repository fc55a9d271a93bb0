"""Rows as a client sees them: repeated, ordered and cut as a whole, in chunks."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from ptvc.coord.query import result_rows
from ptvc.coord.query.result_rows import OrderedRows, repeat
from ptvc.expr.tree.relation import Finishing, OrderBy
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT

SCHEMA = Schema((Column("a", INT8), Column("b", TEXT)))


def batch(*rows: tuple[int, str, int]) -> Batch:
    a, b, diffs = ([row[i] for row in rows] for i in range(3))
    columns = (pa.array(a, pa.int64()), pa.array(b, TEXT.arrow))
    return Batch(columns, np.zeros(len(rows), np.uint64), np.array(diffs, np.int64))


def ordered(batches: list[Batch], offset: int = 0, limit: int | None = None) -> list[tuple[object, ...]]:
    """By `a`, the greatest first; `b` alone is shown, then `a`."""
    order = (OrderBy(0, descending=True, nulls_first=True),)
    rows = OrderedRows(SCHEMA, batches, Finishing(order, limit, offset, (1, 0)))
    chunks = [rows.chunk(start) for start in rows.starts()]
    assert sum(len(chunk[0]) for chunk in chunks) == len(rows)
    assert all(len(chunk[0]) <= result_rows.CHUNK_ROWS for chunk in chunks)
    return [row for chunk in chunks for row in zip(*(column.to_pylist() for column in chunk), strict=True)]


def test_a_row_comes_as_often_as_its_multiplicity_says() -> None:
    assert [column.to_pylist() for column in repeat(batch((1, "x", 2), (2, "y", 1)))] == [
        [1, 1, 2],
        ["x", "x", "y"],
    ]


@pytest.mark.parametrize("chunk", [1, 2, 3, 100])
def test_all_batches_are_ordered_together(monkeypatch: pytest.MonkeyPatch, chunk: int) -> None:
    monkeypatch.setattr(result_rows, "CHUNK_ROWS", chunk)
    batches = [batch((1, "x", 2), (5, "y", 1)), batch((3, "z", 1))]
    everything = [("y", 5), ("z", 3), ("x", 1), ("x", 1)]
    assert ordered(list(batches)) == everything
    assert ordered(list(batches), offset=1, limit=2) == everything[1:3]
    assert ordered(list(batches), offset=9) == []
    assert ordered([]) == []


def test_what_it_was_made_of_is_not_kept() -> None:
    batches = [batch((1, "x", 1))]
    ordered(batches)
    assert batches == []
