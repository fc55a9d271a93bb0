"""Columns of a lake's table: their types in Arrow there, and values as those.

| types here                                         | in the lake                  |
|----------------------------------------------------|------------------------------|
| boolean, integer, bigint, real, double precision   | the same                     |
| smallint, uint2; uint4, oid                        | 32-bit; 64-bit integer       |
| uint8, mz_timestamp                                | decimal(20, 0)               |
| numeric(p, s)                                      | decimal(p, s)                |
| text, varchar, char, name, json, jsonb             | string                       |
| date, timestamp, timestamptz, bytea                | the same, in microseconds    |
| uuid, time, interval                               | string, as they are printed  |
| arrays and lists of what is the same               | list                         |
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...errors import Unsupported
from ...expr.columns.infinities import infinite
from ...expr.text.text_output import to_text
from ...repr.batch import Indices
from ...repr.schema import Column
from ...repr.types import NUMERIC_MAX_PRECISION, SEQUENCES, Kind
from ..sink.contract import Unwritable

_WIDER = {
    Kind.INT2: pa.int32(),
    Kind.UINT2: pa.int32(),
    Kind.UINT4: pa.int64(),
    Kind.OID: pa.int64(),
    Kind.UINT8: pa.decimal128(20, 0),
    Kind.MZ_TIMESTAMP: pa.decimal128(20, 0),
}
_TEXT = frozenset((Kind.UUID, Kind.TIME, Kind.INTERVAL, Kind.BPCHAR))
_SAME = frozenset(
    (
        Kind.BOOL,
        Kind.INT4,
        Kind.INT8,
        Kind.FLOAT4,
        Kind.FLOAT8,
        Kind.TEXT,
        Kind.VARCHAR,
        Kind.NAME,
        Kind.CHAR,
        Kind.JSON,
        Kind.JSONB,
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
        Kind.BYTEA,
    )
)
_PYTHON_DAYS = (-719_162, 2_932_896)
"""From 0001-01-01 to 9999-12-31."""
_DAY_US = 86_400_000_000
_WITH_INFINITIES = frozenset((Kind.DATE, Kind.TIMESTAMP, Kind.TIMESTAMPTZ))


def lake_type(column: Column) -> pa.DataType:
    """Raises Unsupported for what lakes have no type for."""
    type_ = column.type
    if type_.kind in _SAME:
        return type_.arrow
    if type_.kind in _TEXT:
        return pa.string()
    if type_.kind in _WIDER and not type_.is_function:
        return _WIDER[type_.kind]
    if type_.kind is Kind.NUMERIC:
        return _decimal(column)
    element = None if type_.is_vector or type_.kind not in SEQUENCES else type_.element
    if element is not None and element.kind in _SAME:
        return type_.arrow
    raise Unsupported(
        f'column "{column.name}" is of type {type_}, which tables of lakes do not have',
        hint="Write column::text or to_jsonb(column) in a view.",
    )


def _decimal(column: Column) -> pa.DataType:
    precision, scale = column.type.precision, column.type.scale
    if scale is None or scale < 0:
        raise Unsupported(
            f'column "{column.name}" is of type {column.type}, whose digits are not limited as those of a decimal of a lake are',
            hint="Write column::numeric(38, 10) in a view, or as many digits as it needs.",
        )
    if precision is None or precision < scale:
        precision = NUMERIC_MAX_PRECISION
    return pa.decimal128(precision, scale)


def lake_arrays(arrays: Sequence[pa.Array], columns: Sequence[Column]) -> list[pa.Array]:
    """The values as the lake has them.  Raises Unwritable for those that it does not have."""
    return [_values(array, column) for array, column in zip(arrays, columns, strict=True)]


def _values(array: pa.Array, column: Column) -> pa.Array:
    if column.type.kind in _TEXT:
        return to_text(array, column.type)
    if column.type.leaf.kind in _WITH_INFINITIES:
        _refuse_infinite(array, column)
    wanted = lake_type(column)
    return array if array.type == wanted else pc.cast(array, wanted)


def _refuse_infinite(array: pa.Array, column: Column) -> None:
    values = array.flatten() if column.type.kind in SEQUENCES else array
    if len(values) and infinite(values) is not None:
        raise Unwritable(
            f'column "{column.name}" is infinite in a row, and lakes have no such {column.type.leaf}',
            hint="Write another value for it in a view, or NULL: CASE WHEN isfinite(column) THEN column END.",
        )


def beyond_python(array: pa.Array | pa.ChunkedArray) -> bool:
    """Whether there is a date or a timestamp before the year 1 or after 9999, of which libraries for Python make nothing."""
    type_ = array.type
    if pa.types.is_list(type_):
        return beyond_python(pc.list_flatten(array))
    if pa.types.is_date32(type_):
        values, (first, last) = array.cast(pa.int32()), _PYTHON_DAYS
    elif pa.types.is_timestamp(type_):
        values, (first, last) = (
            array.cast(pa.int64()),
            (_PYTHON_DAYS[0] * _DAY_US, (_PYTHON_DAYS[1] + 1) * _DAY_US - 1),
        )
    else:
        return False
    bounds = pc.min_max(values)
    least, greatest = bounds["min"].as_py(), bounds["max"].as_py()
    return least is not None and not first <= least <= greatest <= last


def refuse_null_keys(arrays: Sequence[pa.Array], columns: Sequence[Column]) -> None:
    """Raises Unwritable where a key has a NULL, by which no row could be found again."""
    for array, column in zip(arrays, columns, strict=True):
        if array.null_count:
            raise Unwritable(
                f'column "{column.name}" of the key is NULL in a row',
                hint="Rows of a table are found by their keys: leave such rows out in a view.",
            )


class KeySet:
    """Different keys, by which rows are looked for: `columns` are those of the key, all of one length, and without NULL."""

    def __init__(self, columns: Sequence[pa.Array]) -> None:
        self.columns = tuple(columns)
        self._values = [pc.unique(column) for column in columns]
        self._prefixes: list[pa.Array] = []
        """For each column but the first: the numbers of what the keys have in the columns up to it."""
        numbers = _places(columns[0], self._values[0])
        for column, values in zip(columns[1:], self._values[1:], strict=True):
            pairs = _pairs(numbers, _places(column, values), len(values))
            self._prefixes.append(pc.unique(pa.array(pairs)))
            numbers = _places(pa.array(pairs), self._prefixes[-1])

    def __len__(self) -> int:
        return len(self.columns[0])

    def find(self, columns: Sequence[pa.Array]) -> Indices:
        """int64[n]: which of the keys each row has; -1: none of them."""
        numbers = _places(columns[0], self._values[0])
        for column, values, prefixes in zip(columns[1:], self._values[1:], self._prefixes, strict=True):
            numbers = _places(pa.array(_pairs(numbers, _places(column, values), len(values))), prefixes)
        return numbers  # of what is different, the first of each is at its own place


def _places(column: pa.Array, values: pa.Array) -> Indices:
    """Where each value is among `values`; -1: nowhere."""
    found = pc.index_in(column, values).fill_null(-1)
    places: Indices = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return places


def _pairs(numbers: Indices, places: Indices, size: int) -> Indices:
    """A number for each pair, which fits as both are of less than 2**31; -1 where one of them is."""
    return np.where((numbers < 0) | (places < 0), -1, numbers * size + places)
