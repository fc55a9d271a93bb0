"""Shares of what is stored: each update is in one of them, and they are of about equal size."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.partitioned import stored as module
from ptvc.compute.partitioned.stored import Stored, read_share, shares, whole
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.part import PartRef
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import ERROR_SCHEMA
from ptvc.repr.types import INT4, TEXT

from ..histories import batch_of, schema_of, updates_of

SCHEMA = schema_of(INT4, TEXT)


def parts_of(blob: MemoryBlob, sizes: list[int], *, errors: bool = False) -> tuple[PartRef, ...]:
    """Rows are numbered, at times 1 to 9; with `errors` the last part has one."""
    parts: list[PartRef] = []
    at = 0
    for number, size in enumerate(sizes):
        numbers = np.arange(at, at + size, dtype=np.int32)
        columns = (pa.array(numbers), pa.array([f"row {i}" * 20 for i in numbers]))
        rows = Batch(columns, (numbers % 9 + 1).astype(np.uint64), np.ones(size, np.int64))
        last = errors and number == len(sizes) - 1
        errs = batch_of(ERROR_SCHEMA, [(("22012", "division by zero"), 5, 1)]) if last else NO_ERRORS
        parts += write_parts(blob, "s", SCHEMA, Delta(rows, errs), writer="w")
        at += size
    return tuple(parts)


@pytest.mark.parametrize("workers", [1, 2, 3, 7, 64])
def test_each_update_is_in_one_share(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LEAST_CUT_ROWS", 40)
    random = Random(workers)
    for _ in range(10):
        blob = MemoryBlob()
        sizes = [random.choice((1, 10, 39, 40, 700)) for _ in range(random.randint(1, 9))]
        stored = Stored(parts_of(blob, sizes, errors=random.random() < 0.5), SCHEMA, 2, 3, 8)
        found = [read_share(blob, share) for share in shares(stored, workers)]
        expected = read_share(blob, whole(stored))
        assert Counter(u for delta in found for u in updates_of(delta.oks)) == Counter(
            updates_of(expected.oks)
        )
        assert sum(len(delta.errs) for delta in found) == len(expected.errs)
        assert {time for _, time, _ in updates_of(expected.oks)} <= set(range(3, 8))


def test_shares_are_of_about_equal_size() -> None:
    stored = Stored(parts_of(MemoryBlob(), [50_000, 30_000, 100, 200]), SCHEMA, 2, 0, 10)
    rows = [
        sum(part.rows if stretch is None else stretch[1] - stretch[0] for part, stretch in share.pieces)
        for share in shares(stored, 4)
    ]
    assert sum(rows) == stored.rows
    assert max(rows) - min(rows) <= 300


def test_contents_are_at_their_time_and_have_the_columns_that_are_wanted() -> None:
    blob = MemoryBlob()
    stored = Stored(parts_of(blob, [30, 900]), SCHEMA, 1, 0, 7, as_of=6)
    delta = read_share(blob, whole(stored))
    assert len(delta.oks.columns) == 1
    assert set(delta.oks.times.tolist()) == {6}
    assert len(delta.oks) == sum(1 for i in [*range(930)] if i % 9 + 1 < 7)


def test_columns_that_are_not_wanted_take_no_memory() -> None:
    parts = parts_of(MemoryBlob(), [3_000])
    half, whole_ = Stored(parts, SCHEMA, 1, 0, 10), Stored(parts, SCHEMA, 2, 0, 10)
    assert 3_000 * 32 < half.decoded_nbytes < whole_.decoded_nbytes == parts[0].decoded_nbytes


def test_what_is_later_waits() -> None:
    blob = MemoryBlob()
    stored = Stored(parts_of(blob, [30, 900]), SCHEMA, 2, 2, 9)
    assert stored.divided(9) == (stored, None)
    assert stored.divided(2) == (None, stored)
    now, later = stored.divided(5)
    assert now == replace(stored, upper=5)
    assert now is not None
    assert later is not None
    both = [u for some in (now, later) for u in updates_of(read_share(blob, whole(some)).oks)]
    assert Counter(both) == Counter(updates_of(read_share(blob, whole(stored)).oks))
