"""How the columns of our own Parquet files are laid out, of parts and of packed runs.

All integers are written as differences (`DELTA_BINARY_PACKED`): half the size of a dictionary of them, and written and
read twice as fast.  So are numerics whose digits fit one machine word: as decimals of 18 digits, which Parquet keeps in 8
bytes, they are read in a quarter of the time of 16 bytes each.  Any tool reads them as decimals of the same scale.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

WORD_DIGITS = 18
"""So many decimal digits fit 63 bits."""
_WIDEST_DIGITS = 38
_DECIMAL = pa.lib.Type_DECIMAL128


def narrowed(column: pa.Array) -> pa.Array:
    """`column`, without a copy; one of numerics of at most `WORD_DIGITS` digits as decimals of so many."""
    type_ = column.type
    if type_.id != _DECIMAL or type_.scale > WORD_DIGITS or not _fits_word(column):
        return column
    return _of_precision(column, WORD_DIGITS)


def widened(column: pa.Array) -> pa.Array:
    """The inverse of `narrowed`, without a copy."""
    if column.type.id != _DECIMAL or column.type.precision == _WIDEST_DIGITS:
        return column
    return _of_precision(column, _WIDEST_DIGITS)


def widened_type(type_: pa.DataType) -> pa.DataType:
    """The type of what is `widened`."""
    return pa.decimal128(_WIDEST_DIGITS, type_.scale) if type_.id == _DECIMAL else type_


def layout(schema: pa.Schema) -> dict[str, Any]:
    """The options of `pyarrow.parquet.write_table` for columns that were `narrowed`."""
    # A name with a dot could be that of a field inside another column.
    words = [field.name for field in schema if _is_word(field.type) and "." not in field.name]
    return {
        "store_decimal_as_integer": True,
        "column_encoding": dict.fromkeys(words, "DELTA_BINARY_PACKED"),
        "use_dictionary": [field.name for field in schema if field.name not in words],
    }


def _is_word(type_: pa.DataType) -> bool:
    types = pa.types
    if type_.id == _DECIMAL:
        return type_.precision <= WORD_DIGITS  # type: ignore[no-any-return]
    return bool(types.is_integer(type_) or types.is_date32(type_) or types.is_timestamp(type_))


def _fits_word(column: pa.Array) -> bool:
    extremes = pc.min_max(column)
    bound = 10**WORD_DIGITS
    return all(
        value is None or abs(int(value.scaleb(column.type.scale))) < bound
        for value in (extremes["min"].as_py(), extremes["max"].as_py())
    )


def _of_precision(column: pa.Array, precision: int) -> pa.Array:
    type_ = pa.decimal128(precision, column.type.scale)
    return pa.Array.from_buffers(type_, len(column), column.buffers(), column.null_count, column.offset)
