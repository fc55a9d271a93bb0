"""Columns of a lake's table as columns of a source: what `storage/lake/columns.py` has the other way.

Types are settled before any row is read: what could not hold all values of the lake's type, or is spelled in another way there, is refused.
A text that is to be a value, and a number that has to fit, may fail: then its row is an error, which goes when the row goes.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from ....errors import Unsupported
from ....repr.batch import Diffs
from ....repr.schema import Column, Schema
from ....repr.types import SEQUENCES, Kind
from ...ingestion import OutputChanges
from ...lake.columns import lake_type
from ..directory import SourceStalled
from ..upstream.rows import FileRows, Ready, rows_of
from .table import LakeRows

_TEXTS = frozenset(
    (
        Kind.VARCHAR,
        Kind.BPCHAR,
        Kind.NAME,
        Kind.CHAR,
        Kind.JSON,
        Kind.JSONB,
        Kind.UUID,
        Kind.TIME,
        Kind.INTERVAL,
    )
)
"""Kinds that are texts in a lake."""
_SAME = frozenset(
    (
        Kind.BOOL,
        Kind.INT4,
        Kind.INT8,
        Kind.FLOAT4,
        Kind.FLOAT8,
        Kind.TEXT,
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
        Kind.BYTEA,
    )
)
"""Kinds that are the same there, and so are arrays and lists of them."""
_WHOLE = frozenset(
    (
        Kind.INT2,
        Kind.INT4,
        Kind.INT8,
        Kind.UINT2,
        Kind.UINT4,
        Kind.UINT8,
        Kind.OID,
        Kind.MZ_TIMESTAMP,
    )
)
_UNIT_DIGITS = {"s": 0, "ms": 3, "us": 6}
"""Digits of a second that values of a unit have."""
_MOST_DIGITS = 6


def check_columns(schema: Schema) -> None:
    """Raises Unsupported for a column of a type that no lake has values of."""
    for column in schema:
        element = column.type.element
        if column.type.kind is Kind.NUMERIC:
            continue  # one without digits holds any decimal
        try:
            lake_type(column)
            is_read = element is None or element.kind in _SAME
        except Unsupported:
            is_read = False
        if not is_read:
            raise Unsupported(
                f'column "{column.name}" of type {column.type} cannot be read from a table of a lake',
                hint="Leave the column out, or declare it as text.",
            )


def check_readable(what: str, column: Column, found: pa.DataType) -> None:
    """Raises SourceStalled where the lake's type is none that the column can be read from."""
    if not _readable(plain(found), column):
        raise SourceStalled(
            f'column "{column.name}" of {what} is {found}, which cannot be read as {column.type}',
            sqlstate="42804",
            hint="Drop the source, and create it with a type that holds all values of the lake's.",
        )


def plain(type_: pa.DataType) -> pa.DataType:
    """The type without what only says how its values are stored."""
    if isinstance(type_, pa.BaseExtensionType):
        return plain(type_.storage_type)
    if pa.types.is_dictionary(type_):
        return plain(type_.value_type)
    if pa.types.is_large_string(type_):
        return pa.string()
    if pa.types.is_large_binary(type_):
        return pa.binary()
    if pa.types.is_list(type_) or pa.types.is_large_list(type_):
        return pa.list_(plain(type_.value_type))
    return type_


def _readable(found: pa.DataType, column: Column) -> bool:
    type_ = column.type
    kind = type_.kind
    if kind in _WHOLE:
        wide = kind in (Kind.UINT8, Kind.MZ_TIMESTAMP) and pa.types.is_decimal(found) and found.scale == 0
        return bool(pa.types.is_integer(found)) or wide
    if kind is Kind.NUMERIC:
        scale = type_.arrow.scale
        digits = type_.precision or type_.arrow.precision
        return bool(
            pa.types.is_decimal(found)
            and 0 <= found.scale <= scale
            and found.precision - found.scale <= digits - scale
        )
    if kind is Kind.FLOAT8:
        return bool(pa.types.is_float64(found) or pa.types.is_float32(found))
    if kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ):
        most = _MOST_DIGITS if type_.precision is None else type_.precision
        return bool(
            pa.types.is_timestamp(found)
            and (found.tz is not None) == (kind is Kind.TIMESTAMPTZ)
            and _UNIT_DIGITS.get(found.unit, 9) <= most
        )
    if kind is Kind.BYTEA:
        return bool(pa.types.is_binary(found) or pa.types.is_fixed_size_binary(found))
    if kind is Kind.UUID and pa.types.is_fixed_size_binary(found):
        return bool(found.byte_width == 16)
    if kind is Kind.TIME and pa.types.is_time(found):
        return _UNIT_DIGITS.get(found.unit, 9) <= (
            _MOST_DIGITS if type_.precision is None else type_.precision
        )
    if kind in _TEXTS:
        return bool(pa.types.is_string(found))
    if kind in SEQUENCES:
        return bool(found == type_.arrow)
    return bool(found == type_.arrow)


def changes_of(rows: LakeRows, schema: Schema, diffs: Diffs, file: str | None) -> OutputChanges:
    """Rows of the lake's as rows of the source, and errors of those that cannot be, which name the row in the `file`, if that is given.  The
    types are ones that `check_readable` has let through."""
    read = [_read(rows.columns[column.name], column) for column in schema]
    lie = None if file is None else FileRows(file, rows.numbers)
    return OutputChanges(*rows_of(read, schema.names, schema, diffs, lie=lie))


def _read(values: pa.Array, column: Column) -> pa.Array | Ready:
    if isinstance(values, pa.ExtensionArray):
        values = values.storage
    if values.type != (stored := plain(values.type)):
        values = values.cast(stored)
    kind, target = column.type.kind, column.type.arrow
    if kind in _WHOLE:
        return _whole(values, column)
    if kind in _TEXTS and pa.types.is_string(values.type):
        return values
    if kind is Kind.TIME:
        return Ready(values.cast(pa.time64("us")).view(target))
    return Ready(values if values.type == target else pc.cast(values, target))


def _whole(values: pa.Array, column: Column) -> pa.Array | Ready:
    """As texts if one of them does not fit, which then says so."""
    target = column.type.arrow
    if values.type == target:
        return Ready(values)
    least, greatest = column.type.integer_bounds
    extremes = pc.min_max(values)
    low, high = extremes["min"].as_py(), extremes["max"].as_py()
    if low is None or (least <= low and high <= greatest):
        return Ready(pc.cast(values, target))
    return values.cast(pa.string())


def ordered(rows: pa.RecordBatch, names: Sequence[str]) -> dict[str, pa.Array]:
    return {name: rows.column(rows.schema.get_field_index(name)) for name in names}
