"""Intervals as columns: their hash, equality and order go by the span, exact equality by the parts."""

from __future__ import annotations

import itertools
import struct
from random import Random

import numpy as np
import pyarrow as pa
from ptvc.repr import intervals
from ptvc.repr.batch import Batch
from ptvc.repr.consolidate import canonical, consolidate
from ptvc.repr.equality import rows_equal
from ptvc.repr.hash import hash_columns
from ptvc.repr.order import dense_ranks, order_keys, row_order, sort_indices

DAY = 86_400_000_000
PARTS = [
    (0, 0, 0), (1, 0, 0), (0, 30, 0), (0, 29, DAY), (0, 0, 30 * DAY), (-1, 0, 0), (0, -30, 0), (0, 0, -1), (0, 1, -DAY), (12, 5, 7),
    (0, 365, 7), (2**31 - 1, 2**31 - 1, 2**63 - 1), (-(2**31), -(2**31), -(2**63)), (2**31 - 1, 0, 0), (0, 0, 2**63 - 1),
]  # fmt: skip


def column(parts: list[tuple[int, int, int] | None]) -> pa.Array:
    packed = [None if p is None else struct.pack("<qii", p[2], p[1], p[0]) for p in parts]
    return pa.array(packed, intervals.ARROW)


def span(parts: tuple[int, int, int]) -> int:
    months, days, micros = parts
    return (months * 30 + days) * DAY + micros


def test_parts_and_spans_respect_offsets() -> None:
    array = column([*PARTS, None])[3:9]
    assert list(zip(*(part.tolist() for part in intervals.parts(array)), strict=True)) == PARTS[3:9]
    days, rest = intervals.spans(array)
    assert [d * DAY + r for d, r in zip(days.tolist(), rest.tolist(), strict=True)] == [
        span(parts) for parts in PARTS[3:9]
    ]
    assert intervals.from_parts(*intervals.parts(array), None).equals(array)


def test_equal_spans_are_equal_keys_and_different_rows() -> None:
    array = column(list(PARTS))
    hashes = hash_columns([array], len(array))
    singly = [int(hash_columns([array[i : i + 1]], 1)[0]) for i in range(len(array))]
    assert hashes.tolist() == singly
    for i, j in itertools.product(range(len(PARTS)), repeat=2):
        at, to = np.array([i]), np.array([j])
        same = span(PARTS[i]) == span(PARTS[j])
        assert rows_equal([array], at, [array], to).tolist() == [same]
        assert rows_equal([array], at, [array], to, exact=True).tolist() == [i == j]
        assert (hashes[i] == hashes[j]) == same
    assert len(order_keys(array)) == 2


def test_order() -> None:
    values = [*PARTS, None]
    Random(3).shuffle(values)
    array = column(values)
    found = [values[i] for i in sort_indices([array], [False], [False]).tolist()]
    assert found[-1] is None
    assert [span(p) for p in found[:-1] if p is not None] == sorted(span(p) for p in values if p is not None)
    total = [values[i] for i in row_order([array], len(array)).tolist()]
    keys = [(span(p), *p) for p in total[:-1] if p is not None]
    assert keys == sorted(keys)
    assert sorted(dense_ranks([array], len(array)).tolist()) == list(range(len(values)))


def test_canonical_is_one_value_per_span() -> None:
    array = column([*PARTS, None])
    found = canonical(array)
    assert found.null_count == 1
    texts = [value for value in found.to_pylist() if value is not None]
    for i, j in itertools.combinations(range(len(PARTS)), 2):
        assert (texts[i] == texts[j]) == (span(PARTS[i]) == span(PARTS[j]))
    months, days, micros = intervals.parts(found)
    for place, parts in enumerate(PARTS):
        assert span((int(months[place]), int(days[place]), int(micros[place]))) == span(parts)


def test_consolidation_keeps_what_prints_differently() -> None:
    array = column([(1, 0, 0), (0, 30, 0), (1, 0, 0), (0, 30, 0)])
    batch = Batch((array,), np.ones(4, np.uint64), np.array([1, 1, 1, -1]))
    out = consolidate(batch)
    assert out.columns[0].to_pylist() == [struct.pack("<qii", 0, 0, 1)]
    assert out.diffs.tolist() == [2]
