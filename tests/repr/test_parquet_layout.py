"""Numerics that fit a machine word are one in our files, and come back as they were."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ptvc.repr.parquet_layout import layout, narrowed, widened, widened_type

CENTS = pa.decimal128(38, 2)
GREATEST = Decimal(10**18 - 1).scaleb(-2)


def written(table: pa.Table) -> pq.ParquetFile:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, **layout(table.schema))
    return pq.ParquetFile(pa.BufferReader(sink.getvalue()))


@pytest.mark.parametrize("outermost", [GREATEST, -GREATEST])
def test_eighteen_digits_are_a_word(outermost: Decimal) -> None:
    column = pa.array([outermost, None, Decimal("0.01")], CENTS)
    narrow = narrowed(column)
    assert narrow.type == pa.decimal128(18, 2)
    assert narrow.buffers()[1].address == column.buffers()[1].address
    assert widened(narrow).equals(column)


@pytest.mark.parametrize("outermost", [GREATEST + Decimal("0.01"), -GREATEST - Decimal("0.01")])
def test_nineteen_digits_are_not(outermost: Decimal) -> None:
    column = pa.array([outermost, None], CENTS)
    assert narrowed(column) is column
    assert widened(column) is column


def test_what_lies_under_nulls_does_not_count() -> None:
    values = pa.array([Decimal(10) ** 30, Decimal(1)], CENTS)
    hidden = pa.Array.from_buffers(CENTS, 2, [pa.py_buffer(b"\x02"), values.buffers()[1]])
    assert hidden.to_pylist() == [None, Decimal("1.00")]
    (read,) = written(pa.table({"c": narrowed(hidden)})).read().column("c").chunks
    assert read.type == pa.decimal128(18, 2)
    assert widened(read).equals(hidden)


def test_slices_are_what_they_show() -> None:
    column = pa.array([Decimal(10) ** 30, Decimal(1), None, Decimal(2), Decimal(10) ** 30], CENTS)
    narrow = narrowed(column.slice(1, 3))
    assert narrow.type == pa.decimal128(18, 2)
    assert widened(narrow).to_pylist() == [Decimal("1.00"), None, Decimal("2.00")]


@pytest.mark.parametrize(
    "type_", [pa.decimal128(38, 19), pa.decimal256(76, 38), pa.int64(), pa.string(), pa.float64()], ids=str
)
def test_other_types_stay(type_: pa.DataType) -> None:
    column = pa.nulls(2, type_)
    assert narrowed(column) is column
    assert widened(column) is column
    assert widened_type(type_) == type_


@pytest.mark.parametrize("count", [0, 2])
def test_without_values_they_fit(count: int) -> None:
    assert narrowed(pa.nulls(count, CENTS)).type == pa.decimal128(18, 2)


def test_files_hold_words_as_differences() -> None:
    """Any tool sees decimals; a name with a dot could be that of a field, and has no encoding of its own."""
    prices = [Decimal(i).scaleb(-2) for i in range(1000)]
    wide = [price * 10**20 for price in prices]
    table = pa.table(
        {
            "price": narrowed(pa.array(prices, CENTS)),
            "wide": narrowed(pa.array(wide, CENTS)),
            "dotted.price": narrowed(pa.array(prices, CENTS)),
            "count": pa.array(range(1000), pa.int32()),
            "text": pa.array(["x"] * 1000),
        }
    )
    file = written(table)
    group = file.metadata.row_group(0)
    columns = {group.column(i).path_in_schema: group.column(i) for i in range(group.num_columns)}
    assert {name: column.physical_type for name, column in columns.items()} == {
        "price": "INT64",
        "wide": "FIXED_LEN_BYTE_ARRAY",
        "dotted.price": "INT64",
        "count": "INT32",
        "text": "BYTE_ARRAY",
    }
    packed = {name for name, column in columns.items() if "DELTA_BINARY_PACKED" in column.encodings}
    assert packed == {"price", "count"}
    assert file.read().equals(table)
    assert [widened_type(type_) for type_ in table.schema.types[:3]] == [CENTS] * 3
