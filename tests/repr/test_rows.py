"""Rows in pieces: removed rows are gone, whatever types they have."""

from __future__ import annotations

from collections import Counter
from datetime import date
from random import Random

import pyarrow as pa
import pytest
from ptvc.repr import rows
from ptvc.repr.batch import NO_ERRORS, Batch, batch_from_rows, concat_batches
from ptvc.repr.rows import SMALL_ROWS, Rows, gathered, without_removed
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, DATE, FLOAT8, INT4, TEXT

SCHEMA = Schema(
    (
        Column("a", INT4, True),
        Column("b", TEXT, True),
        Column("c", FLOAT8, True),
        Column("d", BOOL, True),
        Column("e", DATE, True),
    )
)
NAN = float("nan")


def counted(pieces: tuple[Batch, ...]) -> Counter[str]:
    found: Counter[str] = Counter()
    for piece in pieces:
        assert (piece.diffs > 0).all()
        for *row, n in zip(*(c.to_pylist() for c in piece.columns), piece.diffs.tolist(), strict=True):
            found[repr(row)] += n  # -0.0 and 0.0 differ, NaN equals itself
    return found


@pytest.mark.parametrize("small", [0, SMALL_ROWS])
@pytest.mark.parametrize("seed", range(40))
def test_removed_rows(seed: int, small: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "SMALL_ROWS", small)
    random = Random(seed)
    values = {
        "a": [None, *range(random.choice((2, 50)))],
        "b": [None, "", "x", "yy"],
        "c": [None, 0.0, -0.0, NAN, 1.5],
        "d": [None, True, False],
        "e": [None, date(1970, 1, 1), date(2020, 1, 2)],
    }
    pool = [tuple(random.choice(values[c.name]) for c in SCHEMA) for _ in range(100)]
    wanted: Counter[str] = Counter()
    pieces = []
    for _ in range(random.randint(1, 4)):
        chosen, diffs = [], []
        for _ in range(random.randint(0, 200)):
            row = random.choice(pool)
            diff = random.choice((1, 1, 1, 2)) if random.random() < 0.7 else -min(wanted[repr([*row])], 1)
            wanted[repr([*row])] += diff
            chosen.append(row)
            diffs.append(diff)
        batch = batch_from_rows(SCHEMA, chosen, 3)
        pieces.append(Batch(batch.columns, batch.times, pa.array(diffs, pa.int64()).to_numpy()))
    assert counted(without_removed(SCHEMA, pieces)) == +wanted


def test_few_rows_keep_their_order() -> None:
    def piece(numbers: list[int], diff: int) -> Batch:
        batch = batch_from_rows(SCHEMA, [(i, "x", 0.5, True, None) for i in numbers], 3)
        return Batch(batch.columns, batch.times, pa.array([diff] * len(numbers), pa.int64()).to_numpy())

    (left,) = without_removed(SCHEMA, [piece([5, 1, 4, 1], 1), piece([4], -1), piece([9, 4, 0], 1)])
    assert left.columns[0].to_pylist() == [5, 1, 4, 9, 0]
    assert left.diffs.tolist() == [1, 2, 1, 1, 1]


def test_small_pieces_are_put_together() -> None:
    def piece(start: int, count: int) -> Batch:
        rows = [(start + i, "x", 0.5, True, None) for i in range(count)]
        return batch_from_rows(SCHEMA, rows, 3)

    pieces = [piece(0, 2), piece(2, 0), piece(2, 1), piece(3, SMALL_ROWS), piece(SMALL_ROWS + 3, 5)]
    found = gathered(SCHEMA, pieces)
    assert [len(each) for each in found] == [3, SMALL_ROWS, 5]
    assert [v for each in found for v in each.columns[0].to_pylist()] == [*range(SMALL_ROWS + 8)]
    assert gathered(SCHEMA, [piece(0, 0)]) == ()


def test_in_one_piece() -> None:
    batches = tuple(batch_from_rows(SCHEMA, [(i, "x", 0.5, True, date(2020, 1, 2))], 3) for i in (1, 2, 1))
    found = Rows(SCHEMA, 7, batches, NO_ERRORS)
    assert len(found) == 3
    assert found.delta.oks.columns == concat_batches(SCHEMA, batches).columns
    assert found.delta.oks.times.tolist() == [7, 7, 7]
    assert sorted(found.consolidated.oks.diffs.tolist()) == [1, 2]
    assert not len(Rows(SCHEMA, 7, (), NO_ERRORS).delta.oks)
