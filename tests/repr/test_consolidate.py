from __future__ import annotations

import math
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr import intervals
from ptvc.repr.batch import Batch
from ptvc.repr.consolidate import (
    advance,
    canonical,
    consolidate,
    consolidate_in_order,
    group_rows,
    group_updates,
    representative,
)
from ptvc.repr.equality import rows_equal
from ptvc.repr.hash import hash_columns

TYPES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int64(), [1, 2, None]),
    (pa.string(), ["", "a", "b", None]),
    (pa.float64(), [0.0, -0.0, math.nan, None]),
    (pa.bool_(), [True, False, None]),
    (pa.decimal128(38, 2), [Decimal("1.00"), Decimal("-1.00"), None]),
    (pa.decimal256(76, 38), [Decimal(1), Decimal(2), None]),
    (pa.list_(pa.float64()), [[], [1.0], [None], [0.0], [-0.0], [math.nan], None]),
    (pa.list_(pa.string()), [["a", "b"], ["a"], [None, "b"], None]),
    (
        pa.struct([("f0", pa.float64()), ("f1", pa.string())]),
        [*({"f0": a, "f1": b} for a in (0.0, -0.0, math.nan, None) for b in ("", None)), None],
    ),
    (
        pa.list_(pa.struct([("f0", pa.string()), ("f1", pa.float64())])),
        [[], [{"f0": "a", "f1": 0.0}], [{"f0": "a", "f1": -0.0}], [{"f0": "a", "f1": None}], None],
    ),
    (pa.list_(pa.list_(pa.float64())), [[], [[]], [[0.0]], [[-0.0]], [None], [[1.0], [None]], None]),
]


def random_rows(random: Random, count: int) -> tuple[list[tuple[Any, ...]], tuple[pa.Array, ...]]:
    picked = random.sample(TYPES, 2)
    columns = tuple(pa.array([random.choice(choices) for _ in range(count)], t) for t, choices in picked)
    return list(zip(*(column.to_pylist() for column in columns), strict=True)), columns


def rows_of(batch: Batch) -> list[str]:
    """Each row as text, which tells -0.0 from 0.0 and holds NaN equal to itself."""
    return [repr(row) for row in zip(*(c.to_pylist() for c in batch.columns), strict=True)]


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("seed", range(20))
def test_one_update_is_left_per_row_and_time(seed: int, times: int) -> None:
    random = Random(seed)
    rows, columns = random_rows(random, 200)
    at = np.array([random.randint(1, times) for _ in rows], np.uint64)
    diffs = np.array([random.choice((-1, 1, 2)) for _ in rows], np.int64)
    expected: dict[tuple[str, int], int] = {}
    for row, time, diff in zip(rows, at.tolist(), diffs.tolist(), strict=True):
        expected[repr(row), time] = expected.get((repr(row), time), 0) + diff
    out = consolidate(Batch(columns, at, diffs))
    found = list(zip(zip(rows_of(out), out.times.tolist(), strict=True), out.diffs.tolist(), strict=True))
    assert len(found) == len(dict(found))
    assert dict(found) == {key: diff for key, diff in expected.items() if diff}


@pytest.mark.parametrize("seed", range(5))
def test_result_depends_on_the_multiset_only(seed: int) -> None:
    random = Random(seed)
    _, columns = random_rows(random, 100)
    batch = Batch(
        columns,
        np.array([random.randint(1, 3) for _ in range(100)], np.uint64),
        np.array([random.choice((-1, 1)) for _ in range(100)], np.int64),
    )
    shuffled = batch.take(np.array(random.sample(range(100), 100)))
    a, b = consolidate(batch), consolidate(shuffled)
    assert rows_of(a) == rows_of(b)
    assert a.times.tolist() == b.times.tolist()
    assert a.diffs.tolist() == b.diffs.tolist()


@pytest.mark.parametrize("times", [1, 4])
@pytest.mark.parametrize("seed", range(10))
def test_in_order_of_the_first_updates(seed: int, times: int) -> None:
    random = Random(seed)
    _, columns = random_rows(random, 200)
    batch = Batch(
        columns,
        np.array([random.randint(1, times) for _ in range(200)], np.uint64),
        np.array([random.choice((-1, 1, 2)) for _ in range(200)], np.int64),
    )

    def updates(batch: Batch) -> list[tuple[str, int]]:
        return list(zip(rows_of(batch), batch.times.tolist(), strict=True))

    out, wanted = consolidate_in_order(batch), consolidate(batch)
    sums = dict(zip(updates(wanted), wanted.diffs.tolist(), strict=True))
    assert updates(out) == [update for update in dict.fromkeys(updates(batch)) if update in sums]
    assert out.diffs.tolist() == [sums[update] for update in updates(out)]


def test_in_order_without_equal_rows() -> None:
    batch = Batch((pa.array([5, 1, 3]),), np.ones(3, np.uint64), np.array([1, 0, -1]))
    out = consolidate_in_order(batch)
    assert out.columns[0].to_pylist() == [5, 3]
    assert out.diffs.tolist() == [1, -1]


@pytest.mark.parametrize("count", [0, 1])
@pytest.mark.parametrize("diff", [0, 1])
def test_tiny_batches(count: int, diff: int) -> None:
    batch = Batch((pa.array(["x"] * count),), np.ones(count, np.uint64), np.full(count, diff))
    assert len(consolidate(batch)) == count * diff


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("seed", range(10))
def test_groups_are_right_even_if_all_hashes_collide(seed: int, times: int) -> None:
    random = Random(seed)
    rows, columns = random_rows(random, 60)
    at = np.array([random.randint(1, times) for _ in rows], np.uint64)
    groups = group_updates(columns, at, np.zeros(60, np.uint64))
    found = sorted(sorted(g.tolist()) for g in np.split(groups.order, groups.starts[1:]))
    wanted: dict[tuple[str, int], list[int]] = {}
    for i, row in enumerate(rows):
        wanted.setdefault((repr(row), int(at[i])), []).append(i)
    assert found == sorted(wanted.values())


def sql_text(row: tuple[Any, ...]) -> str:
    return repr(tuple(0.0 if v == 0 and isinstance(v, float) else v for v in row))


@pytest.mark.parametrize("collide", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_groups_of_keys_are_by_time_within(seed: int, collide: bool) -> None:
    random = Random(seed)
    picked = [t for t in TYPES if not pa.types.is_nested(t[0])]
    chosen = random.sample(picked, 2)
    rows = [tuple(random.choice(choices) for _, choices in chosen) for _ in range(60)]
    columns = [pa.array([r[i] for r in rows], t) for i, (t, _) in enumerate(chosen)]
    at = np.array([random.randint(1, 5) for _ in rows], np.uint64)
    hashes = np.zeros(60, np.uint64) if collide else hash_columns(columns, 60)
    groups = group_rows(columns, hashes, at)
    parts = np.split(groups.order, groups.starts[1:])
    wanted: dict[str, list[int]] = {}
    for i, row in enumerate(rows):
        wanted.setdefault(sql_text(row), []).append(i)
    assert sorted(sorted(p.tolist()) for p in parts) == sorted(wanted.values())
    for part in parts:
        assert (np.diff(at[part].astype(np.int64)) >= 0).all()


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("seed", range(10))
def test_equality_of_rows(seed: int, exact: bool) -> None:
    random = Random(seed)
    type_, choices = TYPES[seed % len(TYPES)]
    left = [random.choice(choices) for _ in range(40)]
    right = [random.choice(choices) for _ in range(30)]
    pairs = [(i, j) for i in range(40) for j in range(30)]
    li, ri = (np.array(side) for side in zip(*pairs, strict=True))
    found = rows_equal([pa.array(left, type_)], li, [pa.array(right, type_)], ri, exact=exact)

    def text(value: Any) -> str:
        return repr(value) if exact else repr(value).replace("-0.0", "0.0")

    assert found.tolist() == [text(left[i]) == text(right[j]) for i, j in pairs]


def test_rows_without_columns_are_equal() -> None:
    index = np.zeros(3, np.int64)
    assert rows_equal([], index, [], index).tolist() == [True] * 3


def test_advance_brings_the_past_to_the_present() -> None:
    batch = Batch((pa.array([1, 2, 3]),), np.array([1, 5, 9], np.uint64), np.ones(3, np.int64))
    assert advance(batch, 5).times.tolist() == [5, 5, 9]
    assert batch.times.tolist() == [1, 5, 9]


def test_canonical_floats_have_one_zero() -> None:
    column = canonical(pa.array([-0.0, 0.0, None, 1.0]))
    assert repr(column.to_pylist()) == "[0.0, 0.0, None, 1.0]"
    untouched = pa.array(["a"])
    assert canonical(untouched) is untouched


def test_canonical_reaches_into_arrays() -> None:
    column = pa.array([[9.0], [-0.0, 1.0], None, [], [math.nan, None]], pa.list_(pa.float64())).slice(1)
    found = canonical(column)
    assert [repr(value) for value in found.to_pylist()] == ["[0.0, 1.0]", "None", "[]", "[nan, None]"]
    month, days = (value.ljust(16, b"\0") for value in (b"", b""))
    month, days = month[:12] + b"\1\0\0\0", days[:8] + b"\x1e\0\0\0" + days[12:]
    spans = pa.array([[month, days], None], pa.list_(intervals.ARROW))
    assert canonical(spans).to_pylist() == [[days, days], None]
    assert representative(spans) is spans
    texts = pa.array([["a"]])
    assert canonical(texts) is texts
