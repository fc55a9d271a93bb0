"""Arrow's types as SQL's: what column a DataFrame's becomes, and its values as the column has them.

| Arrow (and so Spark, pandas) | SQL |
|---|---|
| bool | boolean |
| int8, int16, uint8 | smallint |
| int32, uint16 | integer |
| int64, uint32 | bigint |
| uint64 | numeric(20, 0) |
| float16, float32; float64 | real; double precision |
| decimals of up to 38 digits | numeric(p, s) |
| longer decimals, and Python's Decimals in a pandas object column | numeric |
| strings, also as dictionaries (pandas' categories) | text |
| null (a column of which nothing is known) | text |
| binary, of fixed size too | bytea |
| date32, date64 | date |
| timestamp, with a zone | timestamp, timestamptz |
| time32, time64 | time |
| duration | interval |
| uuid | uuid |
| lists of these | arrays of these |

Structs, maps, lists of lists and what else there is are refused.  What a column cannot hold (nanoseconds) is refused, never rounded.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.types as arrow

from ...errors import DataError, Unsupported
from ...repr.buffers import present
from ...repr.intervals import from_parts
from ...repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    INTERVAL,
    NUMERIC,
    NUMERIC_MAX_PRECISION,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UNCONSTRAINED_SCALE,
    UUID,
    Kind,
    ScalarType,
    array_of,
)

_UUID_EXTENSION = "arrow.uuid"
_SIMPLE = (
    (arrow.is_boolean, BOOL),
    (arrow.is_float16, FLOAT4),
    (arrow.is_float32, FLOAT4),
    (arrow.is_float64, FLOAT8),
    (arrow.is_null, TEXT),
    (arrow.is_string, TEXT),
    (arrow.is_large_string, TEXT),
    (arrow.is_string_view, TEXT),
    (arrow.is_binary, BYTEA),
    (arrow.is_large_binary, BYTEA),
    (arrow.is_binary_view, BYTEA),
    (arrow.is_fixed_size_binary, BYTEA),
    (arrow.is_date, DATE),
    (arrow.is_time, TIME),
    (arrow.is_duration, INTERVAL),
)


def sql_type(name: str, type_: pa.DataType) -> ScalarType:
    """The type of the column `name`.  Unsupported if there is none."""
    found = _sql_type(type_)
    if found is None:
        raise Unsupported(
            f'column "{name}" is {type_}, for which there is no type in a table',
            hint="Make it JSON (to_json of pyspark.sql.functions, or json.dumps), or columns of their own, or rows (explode).",
        )
    return found


def _sql_type(type_: pa.DataType) -> ScalarType | None:
    if isinstance(type_, pa.BaseExtensionType):
        return UUID if type_.extension_name == _UUID_EXTENSION else None
    if arrow.is_dictionary(type_):
        return _sql_type(type_.value_type)
    if arrow.is_integer(type_):
        return _integer(type_)
    if arrow.is_decimal(type_):
        return _numeric(type_.precision, type_.scale)
    if arrow.is_timestamp(type_):
        return TIMESTAMP if type_.tz is None else TIMESTAMPTZ
    if arrow.is_list(type_) or arrow.is_large_list(type_) or arrow.is_fixed_size_list(type_):
        element = _sql_type(type_.value_type)
        return None if element is None or element.kind is Kind.ARRAY else array_of(element)
    return next((sql for matches, sql in _SIMPLE if matches(type_)), None)


def _integer(type_: pa.DataType) -> ScalarType:
    bits = type_.bit_width + (0 if arrow.is_signed_integer(type_) else 1)
    if bits <= 16:
        return INT2
    if bits <= 32:
        return INT4
    return INT8 if bits <= 64 else ScalarType(Kind.NUMERIC, 20, 0)


def _numeric(precision: int, scale: int) -> ScalarType | None:
    if scale < 0:
        precision, scale = precision - scale, 0
    if precision <= NUMERIC_MAX_PRECISION:
        # SQL's digits are no fewer than those of its fraction.
        return ScalarType(Kind.NUMERIC, max(precision, scale), scale)
    return NUMERIC if scale <= UNCONSTRAINED_SCALE else None


def column_values(name: str, values: pa.Array, type_: ScalarType) -> pa.Array:
    """`values` as a column of `type_`, which is their type's.  DataError if one has no place in it."""
    try:
        return _values(values, type_)
    except pa.ArrowInvalid as error:
        hint = None
        if type_.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ, Kind.TIME):
            hint = "A time has microseconds: round it to these, for instance with .dt.floor('us')."
        raise DataError(
            f'a value of column "{name}" does not fit into {type_}: {error}', sqlstate="22003", hint=hint
        ) from error


def _values(values: pa.Array, type_: ScalarType) -> pa.Array:
    if isinstance(values, pa.ExtensionArray):
        return values.storage.cast(pa.binary())
    if isinstance(values, pa.DictionaryArray):
        values = values.dictionary_decode()
    if type_.kind is Kind.ARRAY:
        return _arrays(values, type_)
    if type_.kind is Kind.TIME:
        return values.cast(pa.time64("us")).view(pa.int64())
    if type_.kind is Kind.INTERVAL:
        micros = values.cast(pa.duration("us")).view(pa.int64())
        zeros = np.zeros(len(micros), np.int64)
        valid = present(micros)
        return from_parts(zeros, zeros, micros.fill_null(0).to_numpy(zero_copy_only=False), valid)
    return values if values.type == type_.arrow else values.cast(type_.arrow)


def _arrays(values: pa.Array, type_: ScalarType) -> pa.Array:
    assert type_.element is not None
    # One kind of list first, whose values are without gaps.
    values = values.cast(pa.list_(values.type.value_type))
    elements = _values(values.flatten(), type_.element)
    lengths = values.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = pa.array(np.concatenate([[0], np.cumsum(lengths)]), pa.int32())
    mask = values.is_null() if values.null_count else None
    return pa.ListArray.from_arrays(offsets, elements, mask=mask)
