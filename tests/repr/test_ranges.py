"""Ranges as columns: their bytes sort, are equal and hash as PostgreSQL's ranges do."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from functools import cmp_to_key
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr import ranges
from ptvc.repr.batch import Batch, from_ipc, to_ipc
from ptvc.repr.consolidate import consolidate
from ptvc.repr.equality import rows_equal
from ptvc.repr.hash import hash_columns
from ptvc.repr.order import sort_indices
from ptvc.repr.ranges import ABOVE_ALL, AT, AT_VALUE, BELOW_ALL, JUST_ABOVE, JUST_BELOW, Ranges
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4RANGE, INT8RANGE, NUMRANGE, RANGES, TSTZRANGE, ScalarType

EDGES: dict[ScalarType, list[Any]] = {
    INT4RANGE: [-(2**31), -256, -1, 0, 1, 255, 256, 2**31 - 1],
    INT8RANGE: [-(2**63), -(2**32), -1, 0, 1, 2**40, 2**63 - 1],
    NUMRANGE: [Decimal(text) for text in ("-9e37", "-1.5", "-1e-38", "0", "1e-38", "1.5", "18446744073709551616", "9e37")],
}  # fmt: skip


@pytest.mark.parametrize("type_", list(EDGES), ids=str)
def test_places_sort_as_values_do_and_give_them_back(type_: ScalarType) -> None:
    values = pa.array([None, *EDGES[type_]], type_.subtype.arrow)
    places = ranges.places(values, AT, BELOW_ALL)
    assert (places[1:] > places[:-1]).all()
    back = ranges.values(places, type_, ranges.kinds(places) == AT_VALUE)
    back.validate(full=True)
    assert back.equals(values)
    above = ranges.places(values.slice(1), JUST_ABOVE, ABOVE_ALL)
    assert (places[1:] < above).all()
    assert (above[:-1] < places[2:]).all()
    assert (ranges.moved(above, -1) == places[1:]).all()
    assert (ranges.places(pa.nulls(1, values.type), AT, ABOVE_ALL) > above).all()


def column(bounds: list[tuple[int | None, bool, int | None, bool] | None]) -> pa.Array:
    """Ranges of integers as they are, not made canonical; None is NULL."""
    rows = [bound or (None, False, None, False) for bound in bounds]
    low = pa.array([row[0] for row in rows], pa.int64())
    high = pa.array([row[2] for row in rows], pa.int64())
    lows = ranges.places(low, np.where([row[1] for row in rows], AT, JUST_ABOVE), BELOW_ALL)
    highs = ranges.places(high, np.where([row[3] for row in rows], AT, JUST_BELOW), ABOVE_ALL)
    valid = np.array([bound is not None for bound in bounds], np.bool_)
    return ranges.put_together(Ranges(lows, highs, lows > highs), None if valid.all() else valid)


def sort_key(bound: tuple[int | None, bool, int | None, bool]) -> tuple[Fraction, Fraction] | None:
    low, with_low, high, with_high = bound
    least = Fraction(-(10**9)) if low is None else Fraction(low) + (0 if with_low else Fraction(1, 3))
    most = Fraction(10**9) if high is None else Fraction(high) - (0 if with_high else Fraction(1, 3))
    return None if least > most else (least, most)


def compare(a: Any, b: Any) -> int:
    left, right = sort_key(a), sort_key(b)
    if left is None or right is None:
        return (left is not None) - (right is not None)
    return (left > right) - (left < right)


def test_order_equality_and_hash() -> None:
    random = Random(5)
    bounds = [
        (
            random.choice([None, *range(-3, 4)]),
            random.random() < 0.5,
            random.choice([None, *range(-3, 4)]),
            random.random() < 0.5,
        )
        for _ in range(200)
    ]
    array = column(list(bounds))
    order = sort_indices([array], [False], [False]).tolist()
    wanted = sorted(range(len(bounds)), key=cmp_to_key(lambda i, j: compare(bounds[i], bounds[j])))
    assert [sort_key(bounds[i]) for i in order] == [sort_key(bounds[i]) for i in wanted]
    hashes = hash_columns([array], len(array))
    for i in range(0, 200, 3):
        same = np.array([sort_key(bounds[i]) == sort_key(other) for other in bounds])
        at = np.full(200, i)
        assert (rows_equal([array], at, [array], np.arange(200)) == same).all()
        assert ((hashes == hashes[i]) == same).all()


@pytest.mark.parametrize("type_", RANGES, ids=str)
def test_slices_and_nulls(type_: ScalarType) -> None:
    values = pa.array([1, 2, 3, None, 5], pa.int64()).cast(pa.decimal128(38, 0))
    physical = type_.subtype.arrow
    if pa.types.is_decimal(physical):
        values = values.cast(physical)
    else:
        values = (
            values.cast(pa.int64())
            .cast(pa.int32() if physical.bit_width == 32 else pa.int64())
            .cast(physical)
        )
    lows = ranges.places(values, AT, BELOW_ALL)
    highs = ranges.places(values, JUST_ABOVE, ABOVE_ALL)
    empty = np.array([False, True, False, False, False])
    valid = np.array([True, True, False, True, True])
    array = ranges.put_together(Ranges(lows, highs, empty), valid)
    array.validate(full=True)
    assert array.is_valid().to_pylist() == valid.tolist()
    for part in (array[1:], array.take(pa.array([1, 2, 3, 4]))):
        found = ranges.take_apart(part, type_)
        assert found.empty.tolist() == [True, True, False, False]  # NULL is an empty range
        assert (found.lows[2:] == lows[3:]).all()
        assert (found.highs[2:] == highs[3:]).all()
    assert len(ranges.take_apart(array[:0], type_).lows) == 0


def test_batches_of_ranges() -> None:
    schema = Schema((Column("r", INT8RANGE), Column("z", TSTZRANGE)))
    array = column([(1, True, 5, False), (None, False, 3, True), None, (4, False, 4, False)])
    batch = Batch((array, array), np.zeros(4, np.uint64), np.ones(4, np.int64))
    back = from_ipc(to_ipc(schema, batch))
    assert back.columns == batch.columns
    twice = Batch(
        tuple(pa.concat_arrays([c, c.take(pa.array([3, 2, 1, 0]))]) for c in back.columns),
        np.zeros(8, np.uint64),
        np.array([1, 1, 1, 1, -1, -1, -1, 1]),
    )
    rest = consolidate(twice)
    assert len(rest) == 1
    assert rest.diffs.tolist() == [2]
    assert rest.columns[0].to_pylist() == [array[0].as_py()]
