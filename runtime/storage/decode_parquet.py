"""Parquet: columns by name, each to the schema's type where that loses nothing.

Types are settled per file, before any row: a column that could only be read with a loss, or is missing, refuses the
file.  Integers may be wider in the file than in the schema; those that do not fit are errors of their records.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..errors import DatatypeMismatch, UndefinedColumn
from ..repr.schema import Column, Schema
from ..repr.types import Kind, ScalarType
from .decode import Decoded, ErrorList, Errors, all_null, check_not_null, check_schema, value_columns


class ParquetDecoder:
    """Decodes record batches of a parquet file to `schema`.

    A key's record whose value columns are all NULL is a delete marker.
    """

    def __init__(self, schema: Schema, key: Sequence[int] = ()) -> None:
        check_schema(schema, "parquet")
        self._schema = schema
        self._key = tuple(key)
        self._values = value_columns(schema, key)

    @property
    def columns(self) -> tuple[str, ...]:
        return self._schema.names

    def check_file(self, schema: pa.Schema, file: str) -> None:
        """Raises UndefinedColumn or DatatypeMismatch, naming file and column, when the file cannot be read."""
        for column in self._schema:
            found = schema.get_all_field_indices(column.name)
            if len(found) != 1:
                raise UndefinedColumn(
                    f'file "{file}" has no column "{column.name}"',
                    detail=f"It has: {', '.join(schema.names)}.",
                )
            type_ = schema.field(found[0]).type
            if not readable(type_, column):
                raise DatatypeMismatch(
                    f'file "{file}": column "{column.name}" is {type_} and cannot be read as {column.type}',
                    hint="Declare the column with a type that holds all values of the file's, and cast in a view.",
                )

    def decode(self, rows: pa.RecordBatch, file: str, first_row: int) -> Decoded:
        """`rows` begin with row number `first_row` (1-based) of `file`, which `check_file` has accepted."""
        count = rows.num_rows
        numbers = np.arange(first_row, first_row + count)
        errors = ErrorList(self._schema, file, numbers)
        columns = [
            converted(rows.column(column.name), column, index, errors)
            for index, column in enumerate(self._schema)
        ]
        present = np.ones(count, np.bool_)
        if self._key and self._values:
            present = ~all_null(columns, self._values, count) | errors.mask()
        check_not_null(self._schema, columns, present, self._key, errors)
        return Decoded(tuple(columns), numbers, present, errors.finish())


_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6}
"""Digits of a second that values of a unit have."""


def readable(type_: pa.DataType, column: Column) -> bool:
    """Whether all values of the type, but for integers, are values of the column."""
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    kind, target = column.type.kind, column.type.arrow
    digits_of_second = 6 if column.type.precision is None else column.type.precision
    if column.type.is_integer:
        return bool(pa.types.is_integer(type_))
    if column.type.is_float:
        return bool(type_ == target or (pa.types.is_float32(type_) and kind is Kind.FLOAT8))
    if kind is Kind.NUMERIC:
        if not pa.types.is_decimal(type_):
            return False
        scale = target.scale
        digits = column.type.precision or target.precision
        return bool(0 <= type_.scale <= scale and type_.precision - type_.scale <= digits - scale)
    if kind is Kind.TEXT:
        return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_))
    if kind in (Kind.BPCHAR, Kind.JSON):
        return False  # of a file's text, not all has so many characters, or is JSON
    if kind is Kind.UUID:
        return bool(pa.types.is_fixed_size_binary(type_) and type_.byte_width == 16)
    if kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        zoned = kind is Kind.TIMESTAMPTZ
        return bool(
            pa.types.is_timestamp(type_)
            and (type_.tz is not None) == zoned
            and _UNIT_DIGITS.get(type_.unit, 9) <= digits_of_second
        )
    if kind is Kind.TIME:
        return bool(pa.types.is_time(type_) and _UNIT_DIGITS.get(type_.unit, 9) <= digits_of_second)
    # A range's bytes are of our own making, and so is a map's order: other writers' columns are cast, not taken.
    return bool(type_ == target) and not column.type.leaf.is_range and not _holds_map(column.type)


def _holds_map(type_: ScalarType) -> bool:
    return type_.kind is Kind.MAP or (type_.element is not None and _holds_map(type_.element))


def converted(values: pa.Array, column: Column, index: int, errors: Errors) -> pa.Array:
    """Values of a type that is `readable` as the column's; what does not fit is NULL, and an error of its record."""
    if pa.types.is_dictionary(values.type):
        values = values.dictionary_decode()
    target = column.type.arrow
    if values.type == target:
        return values
    if column.type.kind is Kind.TIME:
        return values.cast(pa.time64("us")).view(target)
    if column.type.is_integer and (column.type.is_unsigned or values.type.bit_width >= target.bit_width):
        values = _in_range(values, column, index, errors)
    return pc.cast(values, target)


def _in_range(values: pa.Array, column: Column, index: int, errors: Errors) -> pa.Array:
    """`values` with NULL for those that do not fit, each of which is an error."""
    least, greatest = column.type.integer_bounds
    extremes = pc.min_max(values)
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    if low is None or (least <= low and high <= greatest):
        return values
    outside = np.zeros(len(values), np.bool_)
    if high > greatest:
        outside |= pc.greater(values, pa.scalar(greatest, values.type)).fill_null(False).to_numpy(False)
    if low < least:
        outside |= pc.less(values, pa.scalar(least, values.type)).fill_null(False).to_numpy(False)
    for row in np.flatnonzero(outside).tolist():
        reason = f'value "{values[row].as_py()}" is out of range for type {column.type}'
        errors.add(row, index, "22003", reason)
    return pc.if_else(pa.array(outside), pa.scalar(None, values.type), values)
