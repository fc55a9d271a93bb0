"""Which types of a lake a column can be read from, and rows whose values do not fit."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from ptvc.errors import Unsupported
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT4RANGE,
    INT8,
    JSONB,
    MZ_TIMESTAMP,
    NUMERIC,
    OID,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT8,
    UUID,
    Kind,
    ScalarType,
    array_of,
    list_of,
    map_of,
)
from ptvc.storage.source.directory import SourceStalled
from ptvc.storage.source.lake.table import LakeRows
from ptvc.storage.source.lake.values import changes_of, check_columns, check_readable

US, UTC = pa.timestamp("us"), pa.timestamp("us", "UTC")


@pytest.mark.parametrize(
    ("type_", "found", "is_readable"),
    [
        (INT2, pa.int8(), True),
        (INT2, pa.int64(), True),
        (INT4, pa.string(), False),
        (INT4, pa.float64(), False),
        (UINT8, pa.decimal128(20, 0), True),
        (MZ_TIMESTAMP, pa.decimal128(20, 0), True),
        (UINT8, pa.decimal128(20, 1), False),
        (INT8, pa.decimal128(10, 0), False),
        (OID, pa.int64(), True),
        (FLOAT8, pa.float32(), True),
        (FLOAT4, pa.float64(), False),
        (NUMERIC, pa.decimal128(38, 10), True),
        (ScalarType(Kind.NUMERIC, 10, 2), pa.decimal128(10, 2), True),
        (ScalarType(Kind.NUMERIC, 10, 2), pa.decimal128(11, 2), False),
        (ScalarType(Kind.NUMERIC, 10, 2), pa.decimal128(8, 3), False),
        (TEXT, pa.large_string(), True),
        (TEXT, pa.dictionary(pa.int32(), pa.string()), True),
        (TEXT, pa.binary(), False),
        (JSONB, pa.string(), True),
        (UUID, pa.uuid(), True),
        (UUID, pa.string(), True),
        (TIME, pa.time64("us"), True),
        (TIME, pa.time64("ns"), False),
        (DATE, pa.date32(), True),
        (TIMESTAMP, US, True),
        (TIMESTAMP, UTC, False),
        (TIMESTAMPTZ, UTC, True),
        (TIMESTAMP, pa.timestamp("ns"), False),
        (ScalarType(Kind.TIMESTAMP, precision=3), US, False),
        (BYTEA, pa.binary(4), True),
        (BOOL, pa.int32(), False),
        (array_of(TEXT), pa.list_(pa.large_string()), True),
        (array_of(INT4), pa.list_(pa.int64()), False),
        (list_of(DATE), pa.list_(pa.date32()), True),
        (TEXT, pa.struct([("a", pa.string())]), False),
    ],
)
def test_types_that_can_be_read(type_: ScalarType, found: pa.DataType, is_readable: bool) -> None:
    column = Column("c", type_)
    check_columns(Schema((column,)))
    if is_readable:
        check_readable("table", column, found)
    else:
        with pytest.raises(SourceStalled, match="cannot be read as"):
            check_readable("table", column, found)


@pytest.mark.parametrize(
    "type_", [INT4RANGE, map_of(TEXT), array_of(JSONB), array_of(ScalarType(Kind.VARCHAR, length=3))]
)
def test_types_that_no_lake_has(type_: ScalarType) -> None:
    with pytest.raises(Unsupported):
        check_columns(Schema((Column("c", type_),)))


def test_values_that_do_not_fit_are_errors_of_their_rows() -> None:
    """Which go with them: the message is that of the value and its place alone."""
    schema = Schema((Column("a", INT2), Column("u", UUID), Column("n", INT8, False)))
    columns = {
        "a": pa.array([1, 70000, None, 2], pa.int32()),
        "u": pa.array(["00000000-0000-0000-0000-000000000001", None, "oops", None]),
        "n": pa.array([1, 2, 3, None], pa.int64()),
    }
    rows = LakeRows(columns, np.array([5, 7, 8, 9]))
    found = changes_of(rows, schema, np.full(4, -1, np.int64), "p=1/a.parquet")
    assert found.oks.columns[2].to_pylist() == [1]
    assert found.errs.diffs.tolist() == [-1, -1, -1]
    states, messages = (column.to_pylist() for column in found.errs.columns)
    assert states == ["22003", "22P02", "23502"]
    assert (
        messages[0]
        == 'file "p=1/a.parquet", row 7: column "a": value "70000" is out of range for type smallint'
    )
    assert [message.split(":")[0] for message in messages[1:]] == [
        'file "p=1/a.parquet", row 8',
        'file "p=1/a.parquet", row 9',
    ]
    found = changes_of(rows, schema, np.ones(4, np.int64), None)
    assert found.errs.columns[1][0].as_py().startswith('column "a": value')


def test_values_are_as_they_were() -> None:
    schema = Schema(
        (
            Column("u", UUID),
            Column("t", TIME),
            Column("m", UINT8),
            Column("a", array_of(INT4)),
            Column("n", NUMERIC),
        )
    )
    columns = {
        "u": pa.array([b"\x00" * 15 + b"\x01"], pa.uuid()),
        "t": pa.array([1_000_001], pa.time64("us")),
        "m": pa.array([Decimal(2**64 - 1)], pa.decimal128(20, 0)),
        "a": pa.array([[1, None]], pa.list_(pa.field("element", pa.int32()))),
        "n": pa.array([5], pa.decimal128(9, 0)),
    }
    found = changes_of(LakeRows(columns, np.array([1])), schema, np.ones(1, np.int64), "a.parquet")
    assert not len(found.errs)
    assert [column.type for column in found.oks.columns] == [column.type.arrow for column in schema]
    assert found.oks.columns[2].to_pylist() == [2**64 - 1]
    assert found.oks.columns[3].to_pylist() == [[1, None]]
