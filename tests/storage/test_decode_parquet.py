"""Parquet: exact conversions, per-record range errors, files refused as a whole."""

from __future__ import annotations

import pyarrow as pa
import pytest
from ptvc.errors import DatatypeMismatch, UndefinedColumn
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    TEXT,
    TIMESTAMP,
    UINT2,
    UINT4,
    UINT8,
    Kind,
    ScalarType,
)
from ptvc.storage.decode_parquet import ParquetDecoder

from .test_decode_json import errors, rows


def test_conversions() -> None:
    schema = Schema(
        (
            Column("i", INT4),
            Column("f", FLOAT8),
            Column("t", TEXT),
            Column("n", ScalarType(Kind.NUMERIC, 9, 3)),
            Column("ts", TIMESTAMP),
        )
    )
    batch = pa.record_batch(
        {
            "ts": pa.array([1, None], pa.timestamp("ms")),
            "t": pa.array(["a", None]).dictionary_encode(),
            "i": pa.array([5, None], pa.int64()),
            "f": pa.array([0.5, None], pa.float32()),
            "n": pa.array([None, None], pa.decimal128(5, 2)),
            "other": pa.array([1, 2]),
        }
    )
    decoder = ParquetDecoder(schema)
    decoder.check_file(batch.schema, "x.parquet")
    decoded = decoder.decode(batch, "x.parquet", 1)
    assert [column.type for column in decoded.columns] == [type_.arrow for type_ in schema.types]
    assert rows(decoded)[0][:3] == (5, 0.5, "a")
    assert rows(decoded)[1] == (None,) * 5


def test_integers_out_of_range_are_errors_of_their_records() -> None:
    batch = pa.record_batch({"i": pa.array([1, 40000, -32768, -32769, None], pa.int64())})
    decoded = ParquetDecoder(Schema((Column("i", INT2),))).decode(batch, "x.parquet", 11)
    assert rows(decoded) == [(1,), (None,), (-32768,), (None,), (None,)]
    assert [(row, code) for row, _, code, _ in errors(decoded)] == [(1, "22003"), (3, "22003")]
    assert errors(decoded)[0][3] == (
        'file "x.parquet", line 12: column "i": value "40000" is out of range for type smallint'
    )


@pytest.mark.parametrize(
    ("type_", "arrow"), [(UINT2, pa.int16()), (UINT4, pa.int64()), (UINT8, pa.int8()), (INT8, pa.uint64())]
)
def test_integers_of_another_sign(type_: ScalarType, arrow: pa.DataType) -> None:
    """Zero and the greatest value of both, and what the column cannot hold."""
    low, high = type_.integer_bounds
    file_low, file_high = (0, 2**64 - 1) if arrow == pa.uint64() else (-(2 ** (arrow.bit_width - 1)),) * 2
    values = [0, 7, file_low, file_high]
    batch = pa.record_batch({"i": pa.array(values, arrow)})
    decoder = ParquetDecoder(Schema((Column("i", type_),)))
    decoder.check_file(batch.schema, "x.parquet")
    decoded = decoder.decode(batch, "x.parquet", 1)
    assert rows(decoded) == [(value if low <= value <= high else None,) for value in values]
    wrong = [row for row, value in enumerate(values) if not low <= value <= high]
    assert [(row, code) for row, _, code, _ in errors(decoded)] == [(row, "22003") for row in wrong]


@pytest.mark.parametrize(
    ("type_", "arrow"),
    [
        (INT4, pa.string()),
        (INT4, pa.float64()),
        (TEXT, pa.int32()),
        (ScalarType(Kind.NUMERIC, 5, 2), pa.decimal128(9, 3)),
        (ScalarType(Kind.NUMERIC, 5, 2), pa.float64()),
        (TIMESTAMP, pa.timestamp("us", "UTC")),
        (TIMESTAMP, pa.timestamp("ns")),
        (INT4RANGE, pa.binary()),
        (INT4RANGE, pa.string()),
    ],
)
def test_lossy_types_refuse_the_file(type_: ScalarType, arrow: pa.DataType) -> None:
    decoder = ParquetDecoder(Schema((Column("c", type_),)))
    with pytest.raises(DatatypeMismatch, match=r'file "x.parquet": column "c" is'):
        decoder.check_file(pa.schema([("c", arrow)]), "x.parquet")
    with pytest.raises(UndefinedColumn, match=r'file "x.parquet" has no column "c"'):
        decoder.check_file(pa.schema([("d", arrow)]), "x.parquet")
