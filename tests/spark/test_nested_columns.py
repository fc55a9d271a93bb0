"""Lists and maps as Spark has them, of whole columns and of slices."""

from __future__ import annotations

import datetime

import pyarrow as pa
from ptvc.expr.text.text_input import from_text
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import DATE, INT4, JSONB, list_of, map_of
from ptvc.spark.columns import arrow_schema, spark_columns, spark_schema

SCHEMA = Schema(
    (
        Column("m", map_of(INT4)),
        Column("n", map_of(list_of(DATE))),
        Column("l", list_of(map_of(JSONB))),
    )
)
TEXTS = (
    ["{b=>1,a=>2}", None, "{}", "{c=>NULL}"],
    ["{b=>{2024-01-01},a=>NULL}", None, "{}", "{c=>{}}"],
    ["{{a=>1},NULL}", None, "{}", "{{}}"],
)
EXPECTED = (
    [[("a", 2), ("b", 1)], None, [], [("c", None)]],
    [[("a", None), ("b", [datetime.date(2024, 1, 1)])], None, [], [("c", [])]],
    [[[("a", "1")], None], None, [], [[]]],
)


def test_maps_and_lists() -> None:
    target = arrow_schema(spark_schema(SCHEMA))
    columns = [
        from_text(pa.array(texts), column.type).values for texts, column in zip(TEXTS, SCHEMA, strict=True)
    ]
    for start in (0, 1, 2):
        found = spark_columns(SCHEMA, [column.slice(start) for column in columns], target)
        assert [column.type for column in found] == [field.type for field in target]
        assert [column.to_pylist() for column in found] == [expected[start:] for expected in EXPECTED]
