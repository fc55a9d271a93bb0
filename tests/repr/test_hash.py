"""The hash is a durable format: runs on disk are sorted by it.  If a golden value here changes, so must
HASH_VERSION."""

from __future__ import annotations

import datetime
import struct
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.repr.hash import HASH_VERSION, hash_columns

DECIMAL = pa.decimal128(38, 2)
WIDE = pa.decimal256(76, 38)
UTC = datetime.UTC

VALUES: list[tuple[pa.DataType, list[Any]]] = [
    (pa.bool_(), [False, True, None]),
    (pa.int16(), [0, 1, -1, None]),
    (pa.int32(), [0, 1, -1, None]),
    (pa.int64(), [0, 1, -1, 2**63 - 1, -(2**63), None]),
    (pa.float32(), [0.0, 1.5, float("inf"), float("nan"), None]),
    (pa.float64(), [0.0, 1.5, -1.5, float("inf"), float("nan"), None]),
    (DECIMAL, [Decimal("0.00"), Decimal("1.00"), Decimal("-0.01"), Decimal("9" * 36), None]),
    (WIDE, [Decimal(0), Decimal(1), Decimal("-0.1"), None]),
    (pa.string(), ["", "a", "12345678", "123456789", "grüße", "x" * 100, None]),
    (pa.binary(), [b"", b"a", b"a\0", None]),
    (pa.date32(), [datetime.date(1970, 1, 1), datetime.date(2026, 1, 31), None]),
    (pa.timestamp("us"), [datetime.datetime(2026, 1, 31, 12), None]),
    (pa.timestamp("us", tz="UTC"), [datetime.datetime(2026, 1, 31, 12, tzinfo=UTC), None]),
    (pa.list_(pa.int64()), [[], [1], [1, 2], [None], None]),
    (pa.list_(pa.string()), [["a", None], ["a"], None]),
    (pa.binary(16), [struct.pack("<qii", *parts) for parts in ((0, 0, 0), (0, 0, 1), (-1, 0, 0))] + [None]),
]

GOLDEN_HASHES = [
    [0xE220A8397B1DCDAF, 0x910A2DEC89025CC1, 0x5C50763232222D2B],
    [0xE220A8397B1DCDAF, 0x910A2DEC89025CC1, 0xE4D971771B652C20, 0x5C50763232222D2B],
    [0xE220A8397B1DCDAF, 0x910A2DEC89025CC1, 0xE4D971771B652C20, 0x5C50763232222D2B],
    [
        0xE220A8397B1DCDAF,
        0x910A2DEC89025CC1,
        0xE4D971771B652C20,
        0x2A67D7552E039EA7,
        0x481EC0A212A9F3DB,
        0x5C50763232222D2B,
    ],
    [0xE220A8397B1DCDAF, 0xD6DAB18E1392608A, 0x249E5410C2F97D99, 0xC72971D82E15BB46, 0x5C50763232222D2B],
    [
        0xE220A8397B1DCDAF,
        0xD6DAB18E1392608A,
        0x5C4CE031A716B337,
        0x249E5410C2F97D99,
        0xC72971D82E15BB46,
        0x5C50763232222D2B,
    ],
    [0xE220A8397B1DCDAF, 0x23259B94F13CF544, 0x28246BE9167D2B58, 0xFA96F5ADEC6FBDBC, 0x5C50763232222D2B],
    [0xE220A8397B1DCDAF, 0x443BB79147856BF4, 0x4A27E4343410271F, 0x5C50763232222D2B],
    [
        0xE220A8397B1DCDAF,
        0x1F03B9CCB6B05E5E,
        0x3893E4ED598B662A,
        0x72DE2210ECE424FB,
        0x6EC8E31AC40563FB,
        0xE2EFCA3CCB64E548,
        0x5C50763232222D2B,
    ],
    [0xE220A8397B1DCDAF, 0x1F03B9CCB6B05E5E, 0x7FF9A9CA6916D868, 0x5C50763232222D2B],
    [0xE220A8397B1DCDAF, 0x4694BA6D07DB6CB4, 0x5C50763232222D2B],
    [0x28404C48589F9449, 0x5C50763232222D2B],
    [0x28404C48589F9449, 0x5C50763232222D2B],
    [0xE220A8397B1DCDAF, 0x0C6561F17A3AAA17, 0x16D0858653381AB6, 0x25E5CF71F8A8D868, 0x5C50763232222D2B],
    [0x65C50F401947C198, 0x063D62C35742F9D9, 0x5C50763232222D2B],
    [0xE220A8397B1DCDAF, 0x1AE93E14C13EE288, 0x3A31A9F733DDAE6A, 0x5C50763232222D2B],
]
"""Per entry of VALUES, the hash of each value as a row of one column."""

ROWS_HASHES = [0xE817CC6B1EC4E33D, 0x0B2286B9AACCD5A3]
NO_COLUMNS_HASH = 0xE220A8397B1DCDAF


def splitmix64(x: int) -> int:
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % 2**64
    return x ^ (x >> 31)


def hash_by_hand(values: list[Any]) -> int:
    """The format's definition, in plain Python, for integers and text."""
    h = 0
    for value in values:
        if value is None:
            word = 0xA5C7D1E94B3F2607
        elif isinstance(value, int):
            word = value % 2**64
        else:
            data = value.encode()
            word = len(data) * 0xD6E8FEB86659FD93
            for k in range(0, len(data), 8):
                coefficient = splitmix64(int.from_bytes(data[k : k + 8], "little"))
                word += coefficient * pow(0x2545F4914F6CDD1D, k // 8, 2**64)
        h = splitmix64(((h ^ (word % 2**64)) + 0x9E3779B97F4A7C15) % 2**64)
    return h


def test_format_is_as_it_always_was() -> None:
    assert HASH_VERSION == 1
    for (type_, values), expected in zip(VALUES, GOLDEN_HASHES, strict=True):
        assert hash_columns([pa.array(values, type_)], len(values)).tolist() == expected, type_
    assert hash_columns([pa.array([1, None]), pa.array(["a", "b"])], 2).tolist() == ROWS_HASHES
    assert hash_columns([], 1).tolist() == [NO_COLUMNS_HASH]


def test_format_is_as_defined() -> None:
    ints = [0, 1, -5, None, 2**62]
    texts = ["", "a", None, "grüße aus köln", "x" * 1000]
    expected = [hash_by_hand(list(row)) for row in zip(ints, texts, strict=True)]
    assert hash_columns([pa.array(ints), pa.array(texts)], 5).tolist() == expected


@pytest.mark.parametrize(("type_", "values"), VALUES, ids=[str(type_) for type_, _ in VALUES])
def test_value_hashes_alike_wherever_it_stands(type_: pa.DataType, values: list[Any]) -> None:
    """In a slice of any offset, alone, or among a thousand others."""
    whole = pa.array(values * 200, type_)
    hashes = hash_columns([whole], len(whole))
    assert np.array_equal(hashes, np.tile(hashes[: len(values)], 200))
    assert len(set(hashes.tolist())) == len(values)
    for start in (*range(20), len(whole) - 1):
        assert hash_columns([whole.slice(start, 1)], 1)[0] == hashes[start]
        assert np.array_equal(
            hash_columns([whole.slice(start, 37)], len(whole.slice(start, 37))), hashes[start : start + 37]
        )
    assert len(hash_columns([whole.slice(3, 0)], 0)) == 0


def test_what_lies_under_a_null_does_not_matter() -> None:
    mask = np.array([True, False])
    a, b = pa.array(np.array([1, 2]), mask=mask), pa.array(np.array([7, 2]), mask=mask)
    assert np.array_equal(hash_columns([a], 2), hash_columns([b], 2))


def test_equal_values_of_two_representations_hash_alike() -> None:
    def one(value: Any, type_: pa.DataType) -> int:
        return int(hash_columns([pa.array([value], type_)], 1)[0])

    assert one(-0.0, pa.float64()) == one(0.0, pa.float64()) == one(0.0, pa.float32())
    assert one(7, pa.int16()) == one(7, pa.int32()) == one(7, pa.int64())
    nan = np.array([0x7FF8000000000001, 0xFFF8000000000000], np.uint64).view(np.float64)
    assert len(set(hash_columns([pa.array(nan)], 2).tolist())) == 1


def test_order_of_columns_matters() -> None:
    a, b = pa.array([1]), pa.array([2])
    assert hash_columns([a, b], 1)[0] != hash_columns([b, a], 1)[0]
    assert hash_columns([a, a], 1)[0] != hash_columns([b, b], 1)[0]


def test_hashes_of_similar_rows_spread_over_ranges() -> None:
    """Partitions are ranges of hashes: consecutive keys must fill sixteen of them evenly."""
    for column in (pa.array(range(16_000)), pa.array([f"customer {i:05}" for i in range(16_000)])):
        hashes = hash_columns([column], 16_000)
        assert len(np.unique(hashes)) == 16_000
        counts = np.bincount((hashes >> np.uint64(60)).astype(np.int64), minlength=16)
        assert counts.min() > 850
        assert counts.max() < 1150


def test_unknown_type_is_a_programming_error() -> None:
    with pytest.raises(TypeError, match="no hash for Arrow type"):
        hash_columns([pa.array([1], pa.duration("us"))], 1)


@pytest.mark.parametrize("type_", [pa.string(), pa.binary()])
@pytest.mark.parametrize("distinct", [1, 3, 64, 10_000])
def test_texts_hash_alike_whether_they_come_again_or_not(type_: pa.DataType, distinct: int) -> None:
    texts = [f"customer {i % distinct}" for i in range(10_000)]
    column = pa.array(["x", *texts], type_).slice(1)
    whole = hash_columns([column], len(column))
    pieces = [hash_columns([column.slice(i, 1_000)], 1_000) for i in range(0, 10_000, 1_000)]
    assert np.array_equal(whole, np.concatenate(pieces))
    with_null = pa.concat_arrays([column, pa.nulls(1, type_)])
    assert np.array_equal(hash_columns([with_null], 10_001)[:-1], whole)
