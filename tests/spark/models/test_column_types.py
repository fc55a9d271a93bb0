"""Arrow's types as SQL's, and back from what COPY reads."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from ptvc.errors import DataError, DatatypeMismatch, DuplicateObject, InvalidParameter, Unsupported
from ptvc.spark.models.column_types import column_values, sql_type
from ptvc.spark.models.fetched import described
from ptvc.spark.models.result import Lines, _in_memory, table_schema


@pytest.mark.parametrize(
    ("arrow", "sql"),
    [
        (pa.int8(), "smallint"),
        (pa.uint8(), "smallint"),
        (pa.uint16(), "integer"),
        (pa.uint32(), "bigint"),
        (pa.uint64(), "numeric(20,0)"),
        (pa.float16(), "real"),
        (pa.decimal128(3, -2), "numeric(5,0)"),
        (pa.decimal128(2, 5), "numeric(5,5)"),
        (pa.decimal256(60, 10), "numeric"),
        (pa.large_string(), "text"),
        (pa.null(), "text"),
        (pa.dictionary(pa.int8(), pa.string()), "text"),
        (pa.binary(4), "bytea"),
        (pa.uuid(), "uuid"),
        (pa.date64(), "date"),
        (pa.timestamp("ns", "Asia/Tokyo"), "timestamp with time zone"),
        (pa.time32("s"), "time without time zone"),
        (pa.duration("s"), "interval"),
        (pa.large_list(pa.int32()), "integer[]"),
        (pa.list_(pa.int64(), 3), "bigint[]"),
    ],
)
def test_types(arrow: pa.DataType, sql: str) -> None:
    type_ = sql_type("c", arrow)
    assert str(type_) == sql
    assert column_values("c", pa.nulls(2, arrow), type_).null_count == 2


@pytest.mark.parametrize(
    "arrow",
    [
        pa.struct([("a", pa.int32())]),
        pa.map_(pa.string(), pa.int32()),
        pa.list_(pa.list_(pa.int32())),
        pa.month_day_nano_interval(),
        pa.decimal256(76, 40),
    ],
)
def test_types_of_no_column(arrow: pa.DataType) -> None:
    with pytest.raises(Unsupported, match='column "c" is '):
        sql_type("c", arrow)


def test_nothing_is_rounded() -> None:
    odd = pa.array([1], pa.timestamp("ns"))
    with pytest.raises(DataError, match='column "c"') as caught:
        column_values("c", odd, sql_type("c", odd.type))
    assert "microseconds" in (caught.value.hint or "")


def test_lines() -> None:
    lists = pa.array([[1, 2], None, [], [None, 3]], pa.list_(pa.int32())).slice(1)
    times = pa.array([None, datetime(2024, 1, 1, 12), None], pa.timestamp("s"))
    table = pa.table({"l": lists, "t": times, "x": ["a\tb", "\\N", None]})
    (batch,) = table.to_batches()
    lines = Lines(table_schema(table.schema)).written(batch)
    assert lines == b"\\N\t\\N\ta\\tb\n{}\t2024-01-01 12:00:00\t\\\\N\n{NULL,3}\t\\N\t\\N\n"


def test_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"d": [Decimal("1.5"), Decimal("22.75")], "f": [1.0, None], "n": [None, None]})
    result = _in_memory(frame)
    assert result.columns == [("d", "numeric"), ("f", "double precision"), ("n", "text")]
    assert b"".join(result.lines) == b"1.5\t1\t\\N\n22.75\t\\N\t\\N\n"
    with pytest.raises(DatatypeMismatch, match="column mixed"):
        _in_memory(pandas.DataFrame({"mixed": [1, "a"]}))


@pytest.mark.parametrize(
    ("names", "error"),
    [
        ([], InvalidParameter),
        (["a", "a"], DuplicateObject),
        (["x" * 64], InvalidParameter),
        ([""], InvalidParameter),
    ],
)
def test_names(names: list[str], error: type[Exception]) -> None:
    with pytest.raises(error):
        table_schema(pa.schema([(name, pa.int32()) for name in names]))


@pytest.mark.parametrize(
    ("oid", "modifier", "sql"),
    [
        (23, -1, "integer"),
        (1700, (10 << 16 | 2) + 4, "numeric(10,2)"),
        (1231, (10 << 16 | 2) + 4, "numeric(10,2)[]"),
        (1700, -1, "numeric"),
        (16384, -1, "text"),
    ],
)
def test_what_sql_tells_of_columns(oid: int, modifier: int, sql: str) -> None:
    described_columns: Any = described([("c", oid, modifier)])
    assert str(described_columns[0].type) == sql
