"""Batches as Arrow streams: what comes back is what went in, and any reader can read it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr.batch import Batch, batch_from_rows, empty_batch, from_ipc, to_ipc
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, INT4, NUMERIC, TEXT, array_of

SCHEMA = Schema(
    (
        Column("a", INT4, False),
        Column("a", TEXT),
        Column("b", array_of(INT4)),
        Column("n", NUMERIC),
        Column("f", BOOL),
    )
)
ROWS = [(1, "x", [1, None], None, True), (2, None, None, 7, False), (3, "\u00e9" * 50, [], 0, None)]


def equal(a: Batch, b: Batch) -> bool:
    return a.columns == b.columns and bool((a.times == b.times).all()) and bool((a.diffs == b.diffs).all())


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_batch_comes_back(count: int) -> None:
    batch = batch_from_rows(SCHEMA, ROWS[:count], 2**63 + 5, -2)
    payload = to_ipc(SCHEMA, batch)
    assert equal(from_ipc(payload), batch)
    assert equal(from_ipc(memoryview(payload)), batch)
    table = pa.ipc.open_stream(payload).read_all()
    assert table.num_rows == count
    assert table.schema.names == ["c0", "c1", "c2", "c3", "c4", "__time", "__diff"]


def test_slices_and_rows_without_columns() -> None:
    batch = batch_from_rows(SCHEMA, ROWS, 5)
    assert equal(from_ipc(to_ipc(SCHEMA, batch.slice(1, 3))), batch.slice(1, 3))
    nothing = Schema(())
    assert len(from_ipc(to_ipc(nothing, batch_from_rows(nothing, [(), ()], 1)))) == 2


def test_a_stream_of_several_records_is_one_batch() -> None:
    records = [
        pa.record_batch({"c0": pa.array([n], pa.int32()), "t": np.array([n], "u8"), "d": np.array([1])})
        for n in (1, 2)
    ]
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, records[0].schema) as writer:
        for record in records:
            writer.write_batch(record)
    batch = from_ipc(sink.getvalue())
    assert batch.columns[0].to_pylist() == batch.times.tolist() == [1, 2]


def test_empty_batches_share_what_is_empty() -> None:
    first, second = empty_batch(SCHEMA), empty_batch(SCHEMA)
    assert len(first) == 0
    assert [c.type for c in first.columns] == [c.type.arrow for c in SCHEMA]
    assert all(a is b for a, b in zip(first.columns, second.columns, strict=True))
