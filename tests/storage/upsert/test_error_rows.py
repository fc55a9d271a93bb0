"""A keyed error as a text, and back."""

from __future__ import annotations

import base64

import pyarrow as pa
import pytest
from ptvc.expr.text.text_input import from_text
from ptvc.repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT4,
    INT4RANGE,
    INT8,
    INTERVAL,
    JSONB,
    MZ_TIMESTAMP,
    NAME,
    NUMERIC,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UINT8,
    UUID,
    Kind,
    ScalarType,
)
from ptvc.storage.upsert.error_rows import error_rows, is_error_row, read_error_rows, read_former

VALUES: list[tuple[ScalarType, list[str | None]]] = [
    (INT4, ["1", None, "-2147483648"]),
    (INT8, ["9223372036854775807"]),
    (TEXT, ["", 'a "b" \\ c', "line\nbreak\ttab\x01", "é", None, "[1]", "null"]),
    (BOOL, ["t", "f"]),
    (FLOAT8, ["0.1", "-0", "NaN", "Infinity", "1e-300"]),
    (DATE, ["2024-02-29", "0001-01-01"]),
    (TIME, ["23:59:59.999999"]),
    (TIMESTAMP, ["2024-02-29 01:02:03.000004"]),
    (TIMESTAMPTZ, ["2024-02-29 01:02:03.000004+00"]),
    (INTERVAL, ["1 mon -2 days 00:00:01.5", "30 days"]),
    (BYTEA, ["\\x00ff5c22"]),
    (UUID, ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    (NUMERIC, ["1.50", "-0.000001", "12345678901234567890"]),
    (ScalarType(Kind.NUMERIC, precision=10, scale=2), ["1.5", "-0.01"]),
    (ScalarType(Kind.BPCHAR, length=5), ["ab", "", "abcde"]),
    (ScalarType(Kind.VARCHAR, length=5), ["ab ", ""]),
    (ScalarType(Kind.TIMESTAMP, precision=3), ["2024-02-29 01:02:03.004"]),
    (FLOAT4, ["0.1", "3.4028235e+38"]),
    (UINT8, ["18446744073709551615"]),
    (NAME, ["n"]),
    (INT4RANGE, ["[1,5)", "empty"]),
    (MZ_TIMESTAMP, ["1795222224486"]),
    (JSONB, ['{"a": "\\"", "b": [1, null]}']),
]


@pytest.mark.parametrize(
    ("type_", "values"), VALUES, ids=lambda value: str(value) if isinstance(value, ScalarType) else ""
)
def test_every_type_comes_back(type_: ScalarType, values: list[str | None]) -> None:
    key = from_text(pa.array(values, pa.string()), type_)
    assert key.errors is None
    states = pa.array(["22P02"] * len(values))
    messages = pa.array([f'file "x", line {i}: "\\"\n' for i in range(len(values))])
    rows = error_rows((key.values, states), (type_, TEXT), states, messages)
    assert is_error_row(rows).to_pylist() == [True] * len(values)
    keys, *rest = read_error_rows(rows, (type_, TEXT))
    assert rest == [states, messages]
    assert keys[0].equals(key.values) or type_ is FLOAT8
    assert error_rows(keys, (type_, TEXT), *rest).equals(rows)  # a retraction finds what it retracts


def test_none() -> None:
    empty = pa.array([], pa.string())
    (key,), states, messages = read_error_rows(empty, (INT4,))
    assert (len(key), len(states), len(messages)) == (0, 0, 0)
    assert len(error_rows((key,), (INT4,), states, messages)) == 0


def test_a_position_is_no_error() -> None:
    rows = pa.array(['{"read": {}}', '["22P02","bad","1"]', "17"])
    assert is_error_row(rows).to_pylist() == [False, True, False]


def test_what_earlier_versions_had_in_a_position() -> None:
    table = pa.table({"c0": pa.array([1, 2], pa.int32()), "sqlstate": ["22P02"] * 2, "message": ["x", "y"]})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    payload = base64.b64encode(sink.getvalue()).decode("ascii")
    (key,), states, messages = read_former(payload, (INT4,))
    assert key.to_pylist() == [1, 2]
    assert (states.to_pylist(), messages.to_pylist()) == (["22P02"] * 2, ["x", "y"])
