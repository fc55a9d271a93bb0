from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr.order import (
    dense_ranks,
    has_order_words,
    hash_order,
    order_words,
    place_words,
    row_order,
    sort_indices,
    sort_keys,
    word_values,
)

NAN = float("nan")

CHOICES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [False, True]),
    (pa.int16(), [-3, 0, 5]),
    (pa.int64(), [-(2**63), -1, 0, 1, 2**63 - 1]),
    (pa.uint16(), [0, 1, 2**15, 2**16 - 1]),
    (pa.uint64(), [0, 1, 2**63 - 1, 2**63, 2**64 - 1]),
    (pa.float64(), [-math.inf, -1.5, -0.0, 0.0, 1e-300, 2.0, math.inf, NAN]),
    (pa.float32(), [-1.5, -0.0, 0.0, 2.0, NAN]),
    (
        pa.decimal128(38, 2),
        [Decimal("-1.00"), Decimal("-0.01"), Decimal("0.00"), Decimal("9" * 30), Decimal(-(10**30))],
    ),
    (
        pa.decimal256(76, 38),
        [Decimal(-1), Decimal("-0.1"), Decimal(0), Decimal(10) ** 30, -(Decimal(10) ** 30)],
    ),
    (pa.string(), ["", "A", "Z", "a", "ab", "é", "z", "\U0001f600"]),
    (pa.list_(pa.int64()), [[], [1], [1, 2], [2], [None], [1, None]]),
    (
        pa.struct([("f0", pa.int64()), ("f1", pa.string())]),
        [{"f0": a, "f1": b} for a in (1, 2, None) for b in ("", "a", None)],
    ),
    (
        pa.list_(pa.struct([("f0", pa.string()), ("f1", pa.float64())])),
        [
            [],
            [{"f0": "a", "f1": 1.0}],
            [{"f0": "a", "f1": None}],
            [{"f0": "a", "f1": 1.0}, {"f0": "b", "f1": NAN}],
        ],
    ),
    (pa.list_(pa.list_(pa.string())), [[], [[]], [["a"]], [["a"], []], [["a", None]], [None], [["b"], None]]),
]


def compare_values(a: Any, b: Any) -> int:
    """PostgreSQL's order of two values that are not NULL."""
    if isinstance(a, dict):
        return compare_values(list(a.values()), list(b.values()))
    if isinstance(a, list):
        for x, y in zip(a, b, strict=False):
            if (x is None) != (y is None):
                return 1 if x is None else -1
            if x is not None and (c := compare_values(x, y)):
                return c
        return len(a) - len(b)
    if isinstance(a, float) and (math.isnan(a) or math.isnan(b)):
        return math.isnan(a) - math.isnan(b)
    if isinstance(a, str):
        a, b = a.encode(), b.encode()
    return (a > b) - (a < b)


def expected_order(
    columns: Sequence[list[Any]], descending: Sequence[bool], nulls_first: Sequence[bool]
) -> list[int]:
    def compare(i: int, j: int) -> int:
        for values, down, first in zip(columns, descending, nulls_first, strict=True):
            a, b = values[i], values[j]
            if a is None or b is None:
                if (a is None) != (b is None):
                    return -1 if (a is None) == first else 1
                continue
            if c := compare_values(a, b):
                return -c if down else c
        return 0

    return sorted(range(len(columns[0])), key=functools.cmp_to_key(compare))


@pytest.mark.parametrize("nulls_first", [False, True])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize(("type_", "choices"), CHOICES, ids=[str(t) for t, _ in CHOICES])
def test_one_column(type_: pa.DataType, choices: list[Any], descending: bool, nulls_first: bool) -> None:
    random = Random(1)
    values = [random.choice([*choices, None]) for _ in range(60)]
    column = pa.array(values, type_)
    found = sort_indices([column], [descending], [nulls_first])
    assert found.tolist() == expected_order([values], [descending], [nulls_first])
    sliced = sort_indices([column.slice(7, 40)], [descending], [nulls_first])
    assert sliced.tolist() == expected_order([values[7:47]], [descending], [nulls_first])


@pytest.mark.parametrize("seed", range(30))
def test_several_columns(seed: int) -> None:
    random = Random(seed)
    picked = random.sample(CHOICES, 3)
    columns = [[random.choice([*choices[:3], None]) for _ in range(80)] for _, choices in picked]
    descending = [random.random() < 0.5 for _ in picked]
    nulls_first = [random.random() < 0.5 for _ in picked]
    arrays = [pa.array(c, t) for c, (t, _) in zip(columns, picked, strict=True)]
    found = sort_indices(arrays, descending, nulls_first)
    assert found.tolist() == expected_order(columns, descending, nulls_first)


@pytest.mark.parametrize("seed", range(10))
def test_total_order_does_not_depend_on_where_rows_stand(seed: int) -> None:
    random = Random(seed)
    picked = random.sample(CHOICES, 2)
    rows = [tuple(random.choice([*choices, None]) for _, choices in picked) for _ in range(50)]
    orders = []
    for _ in range(3):
        random.shuffle(rows)
        arrays = [pa.array([r[i] for r in rows], t) for i, (t, _) in enumerate(picked)]
        orders.append([repr(rows[i]) for i in row_order(arrays, len(rows))])
    assert orders[0] == orders[1] == orders[2]


def test_what_lies_under_a_null_does_not_matter() -> None:
    mask = np.array([False, True, True, True])
    column = pa.array(np.array([5, 1, 9, 3]), mask=mask)
    assert sort_indices([column, pa.array([0, 3, 1, 2])], [False, False], [False, False]).tolist() == [
        0,
        2,
        3,
        1,
    ]
    assert dense_ranks([column], 4).tolist() == [0, 1, 1, 1]


def test_ranks() -> None:
    columns = [pa.array([2.0, -0.0, 0.0, NAN, None, NAN]), pa.array(["a", "a", "a", "b", "a", "b"])]
    assert dense_ranks(columns, 6).tolist() == [2, 0, 1, 3, 4, 3]
    assert dense_ranks([], 3).tolist() == [0, 0, 0]
    assert row_order([], 3).tolist() == [0, 1, 2]
    assert dense_ranks([pa.array([], pa.string())], 0).tolist() == []


def test_unknown_type_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="no order for Arrow type"):
        row_order([pa.array([1], pa.duration("us"))], 1)


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 5_000])
@pytest.mark.parametrize("spread", [2**64, 2**40, 2**14, 3])
def test_hash_order_is_stable(count: int, spread: int) -> None:
    """Also where hashes differ in the lowest bits alone, or are equal."""
    random = Random(count)
    high = random.randrange(2**64 // spread) * spread
    hashes = np.array([high + random.randrange(spread) for _ in range(count)], np.uint64)
    assert np.array_equal(hash_order(hashes), np.argsort(hashes, kind="stable"))


KEY_RANGES = {
    "bool": (np.bool_, 0, 1),
    "small": (np.int64, -3, 3),
    "int16": (np.int16, -(2**15), 2**15 - 1),
    "int32": (np.int32, -(2**31), 2**31 - 1),
    "int64": (np.int64, -(2**63), 2**63 - 1),
    "uint64": (np.uint64, 2**64 - 9, 2**64 - 1),
}


@pytest.mark.parametrize("names", [(a, b) for a in KEY_RANGES for b in KEY_RANGES])
@pytest.mark.parametrize("count", [1, 50, 2_000])
def test_sort_keys_sorts_by_the_first_and_then_the_next(names: tuple[str, str], count: int) -> None:
    """Whether the keys fit into one number or not, are told apart by it or not, and whatever their range is in their own
    type."""
    random = Random(count)
    keys = []
    for name in names:
        dtype, low, high = KEY_RANGES[name]
        values = [low, high, *(random.randint(low, high) for _ in range(random.choice((5, count))))]
        keys.append(np.array(random.choices(values, k=count), dtype))
    order, new = sort_keys(keys)
    rows = list(zip(*(key.tolist() for key in keys), strict=True))
    ordered = [rows[i] for i in order]
    assert sorted(order.tolist()) == list(range(count))
    assert ordered == sorted(rows)
    assert new.tolist() == [True, *(a != b for a, b in itertools.pairwise(ordered))]


WORDS: list[tuple[pa.DataType, list[Any], int]] = [
    (pa.int16(), [-(2**15), -1, 0, 2**15 - 1], 4),
    (pa.int64(), [-(2**63), -1, 0, 2**63 - 1], 4),
    (pa.date32(), [date(1, 1, 1), date(1970, 1, 1), date(9999, 12, 31)], 3),
    (pa.timestamp("us"), [datetime(1, 1, 1), datetime(1970, 1, 1), datetime(9999, 12, 31)], 3),
    (pa.float32(), [-math.inf, -1.5, 0.0, 1e-45, 2.5, math.inf, NAN], 7),
    (pa.float64(), [-math.inf, -1.5, 0.0, 5e-324, 1e300, math.inf, NAN], 7),
    (
        pa.decimal128(38, 2),
        [Decimal("-92233720368547758.08"), Decimal("-0.01"), Decimal(0), Decimal("9e30")],
        3,
    ),
    (pa.decimal128(38, 0), [Decimal(-(10**37)), Decimal(2**63 - 1), Decimal(2**63), Decimal(2**64)], 1),
    (pa.decimal256(76, 38), [Decimal(-1), Decimal("-1e-20"), Decimal(0), Decimal("1e-20"), Decimal(1)], 3),
]
"""Values in their order, and how many of them have a word."""


@pytest.mark.parametrize(("type_", "values", "told"), WORDS, ids=str)
def test_words_are_in_the_order_of_their_values_and_give_them_back(
    type_: pa.DataType, values: list[Any], told: int
) -> None:
    assert has_order_words(type_)
    column = pa.array([*values, *values], type_).slice(len(values))
    words, fits = order_words(column)
    kept = np.ones(len(values), np.bool_) if fits is None else fits
    assert int(kept.sum()) == told
    assert (np.diff(words[kept].astype(object)) > 0).all()
    assert str(word_values(words[kept], type_).to_pylist()) == str(column.filter(pa.array(kept)).to_pylist())


def test_texts_and_lists_have_no_words() -> None:
    assert not any(has_order_words(type_) for type_ in (pa.string(), pa.list_(pa.int64()), pa.bool_()))


@pytest.mark.parametrize(
    ("type_", "values"), CHOICES, ids=lambda value: str(value) if isinstance(value, pa.DataType) else ""
)
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("nulls_first", [False, True])
def test_of_lesser_place_words_is_what_stands_ahead(
    type_: pa.DataType, values: list[Any], descending: bool, nulls_first: bool
) -> None:
    column = pa.array([None, *values, *reversed(values), None], type_)
    for part in (column, column.slice(2), column.slice(1, len(values))):
        order = sort_indices([part], [descending], [nulls_first])
        words = place_words(part, descending, nulls_first)[order]
        assert (words[1:] >= words[:-1]).all()


TOLD: list[tuple[pa.DataType, list[Any]]] = [
    (pa.int32(), [-(2**31), -1, 0, 2**31 - 1]),
    (pa.float64(), [-math.inf, -1.5, 0.0, 5e-324, 1e300, math.inf, NAN]),
    (pa.string(), ["", "\0", "a", "a\0b", "ab", "abcdefg", "abcdefgh", "abcdefgi", "é"]),
    (pa.decimal128(38, 2), [Decimal(-(10**16)), Decimal("-0.01"), Decimal(0), Decimal("0.01"), Decimal(10**20)]),
    (pa.decimal256(76, 38), [Decimal(-(10**20)), Decimal(-(10**14)), Decimal("-0.001"), Decimal(0), Decimal("0.001"), Decimal(10**14)]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("type_", "values"), TOLD, ids=lambda value: str(value) if isinstance(value, pa.DataType) else ""
)
def test_place_words_tell_most_values_apart(type_: pa.DataType, values: list[Any]) -> None:
    words = place_words(pa.array(values, type_)).astype(object)
    assert (np.diff(words) >= 0).all()
    assert len(set(words.tolist())) >= len(values) - 1
