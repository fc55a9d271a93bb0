"""SQL's types and values as Spark has them: nothing is lost, rounded or guessed.

| SQL | Spark |
|---|---|
| boolean, smallint, integer, bigint, real, double precision | the same |
| numeric(p, s) | decimal(p, s) |
| numeric, of which the scale is known | decimal(38, s) |
| numeric | string: Spark's decimals end at 38 digits |
| text, varchar, char, name, "char" | string |
| date, timestamp, timestamptz | date, timestamp_ntz, timestamp |
| bytea | binary |
| oid | bigint |
| uint2, uint4, uint8 | integer, bigint, decimal(20, 0) |
| mz_timestamp | decimal(20, 0) |
| time, interval, uuid, json, jsonb, ranges | string, as PostgreSQL prints it |
| arrays | array of these |

An infinite date or timestamp has no value in Spark: it is an error (22008).
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from ..errors import DataError, Unsupported
from ..expr.columns.infinities import infinite
from ..expr.text.text_output import to_text
from ..repr.schema import Schema
from ..repr.types import NUMERIC_MAX_PRECISION, SEQUENCES, Kind, ScalarType

TIME, DIFF = "_time", "_diff"

_SAME: dict[Kind, DataType] = {
    Kind.BOOL: BooleanType(),
    Kind.INT2: ShortType(),
    Kind.INT4: IntegerType(),
    Kind.INT8: LongType(),
    Kind.FLOAT4: FloatType(),
    Kind.FLOAT8: DoubleType(),
    Kind.DATE: DateType(),
    Kind.TIMESTAMP: TimestampNTZType(),
    Kind.TIMESTAMPTZ: TimestampType(),
    Kind.BYTEA: BinaryType(),
    Kind.OID: LongType(),
    Kind.UINT2: IntegerType(),
    Kind.UINT4: LongType(),
    Kind.UINT8: DecimalType(20, 0),
    Kind.MZ_TIMESTAMP: DecimalType(20, 0),
}
_ENDLESS = (Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ)


def spark_type(type_: ScalarType) -> DataType:
    if type_.kind in SEQUENCES:
        assert type_.element is not None
        return ArrayType(spark_type(type_.element))
    if type_.kind is Kind.MAP:
        assert type_.element is not None
        return MapType(StringType(), spark_type(type_.element))
    if type_.kind is Kind.NUMERIC and type_.scale is not None:
        return DecimalType(type_.precision or NUMERIC_MAX_PRECISION, type_.scale)
    return _SAME.get(type_.kind, StringType())


def spark_schema(schema: Schema) -> StructType:
    """Any column may be NULL: Spark is told nothing that later changes of the table could make untrue."""
    return StructType([StructField(column.name, spark_type(column.type)) for column in schema])


def changes_schema(schema: Schema) -> StructType:
    """The changelog's columns.  Unsupported if the relation has columns of these names."""
    for column in schema:
        if column.name in (TIME, DIFF):
            raise Unsupported(
                f'the changes of a relation with a column "{column.name}" cannot be read',
                hint="Read those of a materialized view that names it otherwise.",
            )
    fields = [StructField(TIME, LongType()), StructField(DIFF, LongType())]
    return StructType([*spark_schema(schema).fields, *fields])


def arrow_schema(schema: StructType) -> pa.Schema:
    """What Spark takes for such rows."""
    return to_arrow_schema(schema, timezone="UTC")


def spark_columns(schema: Schema, columns: Sequence[pa.Array], target: pa.Schema) -> list[pa.Array]:
    """`columns` of the types of `schema` as arrays of the first types of `target`.  DataError for an infinite one."""
    return [
        _converted(values, column.type, target.field(i).type)
        for i, (column, values) in enumerate(zip(schema, columns, strict=True))
    ]


def _converted(values: pa.Array, type_: ScalarType, target: pa.DataType) -> pa.Array:
    if type_.kind in SEQUENCES:
        assert type_.element is not None
        elements = _converted(values.flatten(), type_.element, target.value_type)
        lengths = values.value_lengths().fill_null(0)
        offsets = pa.concat_arrays([pa.array([0], pa.int64()), _running(lengths)]).cast(pa.int32())
        mask = values.is_null() if values.null_count else None
        return pa.ListArray.from_arrays(offsets, elements, type=target, mask=mask)
    if type_.kind is Kind.MAP:
        assert type_.element is not None
        keys, held = values.flatten().flatten()
        items = _converted(held, type_.element, target.item_type)
        lengths = values.value_lengths().fill_null(0)
        offsets = pa.concat_arrays([pa.array([0], pa.int64()), _running(lengths)]).cast(pa.int32())
        mask = values.is_null() if values.null_count else None
        return pa.MapArray.from_arrays(offsets, keys, items, type=target, mask=mask)
    if type_.kind in _ENDLESS and infinite(values) is not None:
        raise DataError(
            f"Spark has no infinite {type_}",
            sqlstate="22008",
            hint="Leave these rows or this column out: read a materialized view that does.",
        )
    if isinstance(spark_type(type_), StringType):
        values = to_text(values, type_)
    return values if values.type == target else values.cast(target)


def _running(lengths: pa.Array) -> pa.Array:
    return pa.array(lengths.to_numpy(zero_copy_only=False).cumsum(), pa.int64())
