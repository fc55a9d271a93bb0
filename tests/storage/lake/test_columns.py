"""Columns of lakes: types, values, and keys that are looked for."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest
from ptvc.errors import Unsupported
from ptvc.repr.schema import Column
from ptvc.repr.types import (
    INT2,
    INT4RANGE,
    NUMERIC,
    TEXT,
    TIMESTAMP,
    UINT8,
    UUID,
    Kind,
    ScalarType,
    array_of,
    map_of,
)
from ptvc.storage.lake.columns import KeySet, lake_arrays, lake_type
from ptvc.storage.sink.contract import Unwritable


@pytest.mark.parametrize(
    ("type_", "wanted"),
    [
        (INT2, pa.int32()),
        (UINT8, pa.decimal128(20, 0)),
        (ScalarType(Kind.NUMERIC, 10, 2), pa.decimal128(10, 2)),
        (ScalarType(Kind.NUMERIC, None, 3), pa.decimal128(38, 3)),
        (UUID, pa.string()),
        (array_of(TEXT), pa.list_(pa.string())),
    ],
)
def test_types(type_: ScalarType, wanted: pa.DataType) -> None:
    assert lake_type(Column("c", type_)) == wanted


@pytest.mark.parametrize("type_", [NUMERIC, INT4RANGE, map_of(TEXT), array_of(UUID)])
def test_types_that_lakes_do_not_have(type_: ScalarType) -> None:
    with pytest.raises(Unsupported, match='column "c" is of type'):
        lake_type(Column("c", type_))


def test_values() -> None:
    columns = (Column("u", UUID), Column("n", ScalarType(Kind.NUMERIC, 5, 1)), Column("b", UINT8))
    arrays = [
        pa.array([bytes(16), None], pa.binary()),
        pa.array([None, 1], pa.decimal128(38, 1)),
        pa.array([2**64 - 1, None], pa.uint64()),
    ]
    found = [array.to_pylist() for array in lake_arrays(arrays, columns)]
    assert found == [["00000000-0000-0000-0000-000000000000", None], [None, 1], [2**64 - 1, None]]


def test_infinite_values() -> None:
    array = pa.array([0, (1 << 63) - 1], pa.int64()).cast(pa.timestamp("us"))
    with pytest.raises(Unwritable, match='column "at" is infinite'):
        lake_arrays([array], [Column("at", TIMESTAMP)])
    lists = pa.ListArray.from_arrays(pa.array([0, 2], pa.int32()), array)
    with pytest.raises(Unwritable, match='column "at" is infinite'):
        lake_arrays([lists], [Column("at", array_of(TIMESTAMP))])


@pytest.mark.parametrize("seed", range(30))
def test_keys_are_found_as_in_a_dictionary(seed: int) -> None:
    random = Random(seed)
    width = random.randrange(1, 5)

    def drawn(count: int) -> list[tuple[object, ...]]:
        one = lambda place: random.randrange(4) if place % 2 else random.choice(["", "a", "b", "ab"])  # noqa: E731
        return [tuple(one(place) for place in range(width)) for _ in range(count)]

    keys = list(dict.fromkeys(drawn(random.randrange(1, 20))))
    rows = drawn(60)
    types = [pa.int64() if place % 2 else pa.string() for place in range(width)]

    def arrays(tuples: list[tuple[object, ...]]) -> list[pa.Array]:
        return [
            pa.array(values, type_) for values, type_ in zip(zip(*tuples, strict=True), types, strict=True)
        ]

    found = KeySet(arrays(keys)).find(arrays(rows)).tolist()
    assert found == [keys.index(row) if row in keys else -1 for row in rows]
