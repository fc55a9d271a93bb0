"""Casts between types, whole columns at once, with PostgreSQL's rounding and errors.

Numbers round half to even from floats and half away from zero from numeric; what does not fit is 22003.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...repr import buffers, intervals
from ...repr.buffers import present, truth, validity
from ...repr.types import (
    CLOCKS,
    FLOAT8,
    INTERVAL,
    MZ_TIMESTAMP,
    SEQUENCES,
    TEXT,
    TIMESTAMP,
    UINT8,
    UNPADDED,
    Kind,
    ScalarType,
)
from ..columns.arrays import array_of_numpy, numpy_values, with_nulls
from ..columns.blank_padding import padded, unpadded
from ..columns.decimals import (
    as_int64,
    as_ints,
    divide_rounded,
    fits_int64,
    from_int64,
    from_ints,
    rescale,
    storage_scale,
)
from ..columns.infinities import DATE_INFINITY, DATE_MINUS_INFINITY, INFINITY, MINUS_INFINITY, infinite
from ..columns.row_errors import Evaluated, Mask, merge_errors, same_error
from ..datetimes import mz_timestamp
from ..datetimes.clock_precision import loses_digits, rounded
from ..datetimes.datetime_input import MAX_TIMESTAMP, MICROS_PER_DAY, MIN_TIMESTAMP
from ..datetimes.interval_fields import restricted
from ..datetimes.interval_output import infinities
from ..jsonb.columns import parse_column
from ..text.text_input import from_text
from ..text.text_output import to_text
from .binary_casts import bytes_to_integer, integer_to_bytes
from .jsonb_casts import from_jsonb

OUT_OF_RANGE = "22003"
DATETIME_OVERFLOW = "22008"


def cast_array(array: pa.Array, source: ScalarType, target: ScalarType, explicit: bool = True) -> Evaluated:
    """The values of `array` (of type `source`) as `target`; rows that have no such value are errors.

    `explicit` False is an assignment: a varchar or char that is too long is error 22001 instead of being cut.
    """
    if source == target:
        return Evaluated(array)
    if source.kind is Kind.BPCHAR:
        return _from_padded(array, source, target, explicit)
    if source.kind is Kind.CHAR and target.kind is Kind.BPCHAR:
        return _from_char(array, target, explicit)
    if target.is_string_category:
        text = _bool_words(array) if _spelled(source, target) else to_text(array, source)
        return from_text(text, target, explicit=explicit)
    if source.is_string_category:
        if source.kind is Kind.CHAR and target.kind is Kind.INT4:
            return Evaluated(_char_code(array))
        if (
            target.kind is Kind.INTERVAL
        ):  # the restriction comes after the reading; for a literal it takes part in it
            read = from_text(array, INTERVAL)
            kept = restricted(read.values, target)
            return Evaluated(kept.values, merge_errors([read.errors, kept.errors]))
        return from_text(array, target, explicit=explicit)
    if source.kind in SEQUENCES and target.kind in SEQUENCES:
        return _array_elements(array, source, target, explicit)
    if source.kind is Kind.MAP and target.kind is Kind.MAP:
        return _elements_as(array, source.entry, target.entry, explicit)
    if source.kind is Kind.RECORD and target.kind is Kind.RECORD:
        return _record_fields(array, source, target, explicit)
    return _cast_value(array, source, target)


def _from_char(array: pa.Array, target: ScalarType, explicit: bool) -> Evaluated:
    """The "char" that is empty is a NUL in PostgreSQL, and is one before the blanks, too."""
    empty = np.flatnonzero(truth(pc.equal(array, "")))
    read = from_text(with_nulls(array, empty), target, explicit=explicit)
    return Evaluated(
        read.values, same_error(empty, "0A000", 'the empty "char" as a character is not supported')
    )


_TEXTS = (Kind.TEXT, Kind.VARCHAR, Kind.NAME)


def _from_padded(array: pa.Array, source: ScalarType, target: ScalarType, explicit: bool) -> Evaluated:
    """A char(n) as text has no blanks at its end; any other type reads it with them."""
    if target.kind in _TEXTS or (target.kind is Kind.BPCHAR and target.length is not None):
        return from_text(unpadded(array, source), target, explicit=explicit)
    if target.kind is Kind.BPCHAR:
        return Evaluated(padded(array, source))
    return cast_array(padded(array, source), TEXT, target, explicit)


def _to_mz_timestamp(array: pa.Array, source: ScalarType) -> Evaluated:
    if source.is_integer:
        return _integer_to_integer(array, source, MZ_TIMESTAMP)
    if source.kind is Kind.NUMERIC:
        # Arrow's floor of wide decimals is wrong for a few values, as for 2^64 - 1.
        rows = np.flatnonzero(as_ints(array) % 10 ** storage_scale(source) != 0)
        whole = _numeric_to_integer(with_nulls(array, rows), source, MZ_TIMESTAMP)
        wrong = same_error(rows, OUT_OF_RANGE, mz_timestamp.OUT_OF_RANGE)
        return Evaluated(whole.values, merge_errors([whole.errors, wrong]))
    if source.kind is Kind.DATE:
        at_midnight = _date_to_timestamp(array, TIMESTAMP)
        found = mz_timestamp.of_instants(at_midnight.values)
        return Evaluated(found.values, merge_errors([at_midnight.errors, found.errors]))
    return mz_timestamp.of_instants(array)


def _cast_value(array: pa.Array, source: ScalarType, target: ScalarType) -> Evaluated:
    if target.kind is Kind.MZ_TIMESTAMP:
        return _to_mz_timestamp(array, source)
    if source.kind is target.kind and target.kind in CLOCKS:
        return rounded(array, target) if loses_digits(source, target) else Evaluated(array)
    if target.precision is not None and target.kind in CLOCKS:
        whole = _cast_value(array, source, ScalarType(target.kind))
        kept = rounded(whole.values, target)
        return Evaluated(kept.values, merge_errors([whole.errors, kept.errors]))
    if source.kind is Kind.MZ_TIMESTAMP:
        instant = target.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ)
        return mz_timestamp.as_instants(array, target) if instant else _cast_value(array, UINT8, target)
    if source.kind is Kind.JSON:
        return parse_column(array)
    if target.kind is Kind.JSON:
        return Evaluated(array)
    if source.kind is Kind.JSONB:
        return from_jsonb(array, target)
    match source.kind, target.kind:
        case (Kind.BYTEA, _):
            return bytes_to_integer(array, target)
        case (_, Kind.BYTEA):
            return Evaluated(integer_to_bytes(array))
        case (Kind.BOOL, Kind.INT4) | (Kind.INT4, Kind.BOOL):
            return Evaluated(array.cast(target.arrow))
        case (_, Kind.NUMERIC):
            if source.is_float:
                return _float_to_numeric(array, source, target)
            return _to_numeric(array, source, target)
        case (Kind.NUMERIC, Kind.FLOAT4 | Kind.FLOAT8):
            return Evaluated(_numeric_to_float(array, source, target))
        case (Kind.NUMERIC, _):
            return _numeric_to_integer(array, source, target)
        case (Kind.FLOAT8, Kind.FLOAT4):
            return _narrow_float(array)
        case (Kind.FLOAT4, Kind.FLOAT8):
            return Evaluated(array.cast(pa.float64()))
        case (Kind.FLOAT4 | Kind.FLOAT8, _):
            return _float_to_integer(array, target)
        case (_, Kind.FLOAT4 | Kind.FLOAT8):
            return Evaluated(array.cast(target.arrow, safe=False))
        case (Kind.OID, _):
            return _integer_to_integer(array, source, target)
        case _ if source.is_integer:
            return _integer_to_integer(array, source, target)
        case (Kind.INTERVAL, Kind.INTERVAL):
            return restricted(array, target)
        case (Kind.TIME, Kind.INTERVAL):
            zero = np.zeros(len(array), np.int64)
            found = intervals.from_parts(zero, zero, numpy_values(array), validity(array))
            return restricted(found, target)
        case (_, Kind.TIME):
            return _cast_time(array, target)
        case _:
            return _cast_datetime(array, source, target)


def _failed(rows: Mask, array: pa.Array) -> npt.NDArray[np.int64]:
    """Rows of the mask that are not NULL in `array`."""
    valid = validity(array)
    return np.flatnonzero(rows if valid is None else rows & valid)


def _spelled(source: ScalarType, target: ScalarType) -> bool:
    return source.kind is Kind.BOOL and target.kind in (Kind.TEXT, Kind.VARCHAR, Kind.BPCHAR)


def _bool_words(array: pa.Array) -> pa.Array:
    """A cast of boolean to text spells the word; only its output format is `t` and `f`."""
    return pc.if_else(array, pa.scalar("true"), pa.scalar("false"))


def _char_code(array: pa.Array) -> pa.Array:
    codes = [None if text is None else (text.encode()[0] if text else 0) for text in array.to_pylist()]
    return pa.array(codes, pa.int32())


def _array_elements(array: pa.Array, source: ScalarType, target: ScalarType, explicit: bool) -> Evaluated:
    assert source.element is not None
    assert target.element is not None
    return _elements_as(array, source.element, target.element, explicit)


def _record_fields(array: pa.Array, source: ScalarType, target: ScalarType, explicit: bool) -> Evaluated:
    parts = [
        cast_array(values, before, after, explicit)
        for values, (_, before), (_, after) in zip(array.flatten(), source.fields, target.fields, strict=True)
    ]
    errors = merge_errors([part.errors for part in parts])
    made = buffers.with_fields(array, [part.values for part in parts]) if parts else array
    return Evaluated(made if errors is None else with_nulls(made, errors.indices), errors)


def _elements_as(array: pa.Array, source: ScalarType, target: ScalarType, explicit: bool) -> Evaluated:
    counts = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    items = cast_array(array.flatten(), source, target, explicit)
    mask = pa.array(~present(array))
    lists = pa.ListArray.from_arrays(pa.array(offsets), items.values, mask=mask)
    if items.errors is None:
        return Evaluated(lists)
    owners = np.searchsorted(offsets, items.errors.indices, side="right") - 1
    rows, first = np.unique(owners, return_index=True)
    chosen = pa.array(first)
    errors = type(items.errors)(
        rows.astype(np.int64), items.errors.sqlstates.take(chosen), items.errors.messages.take(chosen)
    )
    return Evaluated(lists, errors)


# --- numbers ---------------------------------------------------------------------------------------------------------


def _range_error(target: ScalarType) -> str:
    return f"{ScalarType(target.kind)} out of range" if target.kind is not Kind.OID else "OID out of range"


def _integer_to_integer(array: pa.Array, source: ScalarType, target: ScalarType) -> Evaluated:
    values = numpy_values(array)
    if source.kind is not Kind.UINT8:
        values = values.astype(np.int64, copy=False)
    if target.kind is Kind.OID and source.kind in (Kind.INT2, Kind.INT4):
        values = values & 0xFFFFFFFF  # PostgreSQL reinterprets the sign bit
        return Evaluated(array_of_numpy(values, validity(array), pa.int64()))
    low, high = target.integer_bounds
    if source.kind is Kind.OID and target.kind is Kind.INT4:
        return Evaluated(array_of_numpy(values.astype(np.uint32).view(np.int32), validity(array), pa.int32()))
    return _checked(array, values, (values < low) | (values > high), target)


def _checked(array: pa.Array, values: npt.NDArray[Any], wrong: Mask, target: ScalarType) -> Evaluated:
    """`values` as `target` except on `wrong` rows, which are out of range unless they are NULL."""
    valid = validity(array)
    rows = np.flatnonzero(wrong if valid is None else wrong & valid)
    if len(rows):
        valid = ~wrong if valid is None else valid & ~wrong
        values = np.where(wrong, 0, values)
    physical = buffers.FIXED[target.arrow.id]
    with np.errstate(invalid="ignore"):
        result = array_of_numpy(values.astype(physical), valid, target.arrow)
    return Evaluated(result, same_error(rows, OUT_OF_RANGE, _range_error(target)))


def _float_to_integer(array: pa.Array, target: ScalarType) -> Evaluated:
    values = np.rint(numpy_values(array).astype(np.float64, copy=False))
    low, high = target.integer_bounds
    with np.errstate(invalid="ignore"):
        wrong = ~((values >= float(low)) & (values < float(high + 1)))
    return _checked(array, np.where(wrong, 0, values), wrong, target)


def _narrow_float(array: pa.Array) -> Evaluated:
    values = numpy_values(array)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        narrow = values.astype(np.float32)
    overflow = np.isinf(narrow) & ~np.isinf(values)
    underflow = (narrow == 0) & (values != 0)
    valid = validity(array)
    over, under = _failed(overflow, array), _failed(underflow, array)
    if len(over) or len(under):
        good = ~(overflow | underflow)
        valid = good if valid is None else valid & good
    errors = merge_errors(
        [
            same_error(over, OUT_OF_RANGE, "value out of range: overflow"),
            same_error(under, OUT_OF_RANGE, "value out of range: underflow"),
        ]
    )
    return Evaluated(array_of_numpy(narrow, valid, pa.float32()), errors)


def _float_to_numeric(array: pa.Array, source: ScalarType, target: ScalarType) -> Evaluated:
    """Through 15 significant digits (6 of a real), as PostgreSQL converts."""
    digits = "%.15g" if source.kind is Kind.FLOAT8 else "%.6g"
    values = numpy_values(array)
    odd = ~np.isfinite(values)
    text = pa.array(np.char.mod(digits, np.where(odd, 0, values)) if len(values) else [], pa.string())
    if not array.null_count and not odd.any():
        return from_text(text, target)
    valid = validity(array)
    good = ~odd if valid is None else valid & ~odd
    parsed = from_text(pc.if_else(pa.array(good), text, pa.scalar(None, pa.string())), target)
    message = "numeric has no NaN and no infinity here"
    return Evaluated(
        parsed.values, merge_errors([same_error(_failed(odd, array), "0A000", message), parsed.errors])
    )


def _to_numeric(array: pa.Array, source: ScalarType, target: ScalarType) -> Evaluated:
    """Integers and numerics to another scale, rounded half away from zero, checked against the precision."""
    scale, new_scale = storage_scale(source), storage_scale(target)
    valid = validity(array)
    narrow = as_int64(array)
    if narrow is not None:
        rescaled = _rescale_int64(narrow, scale, new_scale)
        bound = 10 ** (target.precision if target.precision is not None else 38)
        if rescaled is not None and target.scale is not None:
            largest = max(abs(int(rescaled.max())), abs(int(rescaled.min()))) if len(rescaled) else 0
            if largest < bound:
                return Evaluated(from_int64(rescaled, valid, target))
    values, overflow = from_ints(rescale(as_ints(array), scale, new_scale), valid, target)
    if overflow is None:
        return Evaluated(values)
    message = "numeric field overflow" if target.precision is not None else "value overflows numeric format"
    return Evaluated(values, same_error(np.flatnonzero(overflow), OUT_OF_RANGE, message))


def _rescale_int64(values: npt.NDArray[np.int64], scale: int, new_scale: int) -> npt.NDArray[np.int64] | None:
    """Integers brought to another scale, half away from zero; None when 64 bits might not do."""
    if new_scale == scale:
        return values
    if new_scale > scale:
        factor = 10 ** (new_scale - scale)
        return values * np.int64(factor) if factor < 1 << 62 and fits_int64(values, factor) else None
    factor = 10 ** (scale - new_scale)
    if factor >= 1 << 61 or not fits_int64(values, 1):
        return None
    magnitude = np.abs(values)
    quotient = (magnitude + factor // 2) // factor
    rounded: npt.NDArray[np.int64] = np.where(values < 0, -quotient, quotient)
    return rounded


def _numeric_to_float(array: pa.Array, source: ScalarType, target: ScalarType) -> pa.Array:
    """The nearest float: one correctly rounded division where both sides are exact, else through text."""
    scale = storage_scale(source)
    narrow = as_int64(array)
    if target == FLOAT8 and narrow is not None and scale <= 22 and fits_int64(narrow, 1 << 9):
        return array_of_numpy(narrow / np.float64(10**scale), validity(array), pa.float64())
    return to_text(array, source).cast(target.arrow)


def _numeric_to_integer(array: pa.Array, source: ScalarType, target: ScalarType) -> Evaluated:
    scale = storage_scale(source)
    low, high = target.integer_bounds
    narrow = as_int64(array)
    rounded = None if narrow is None else _rescale_int64(narrow, scale, 0)
    if rounded is None:
        exact = divide_rounded(as_ints(array), np.full(len(array), 10**scale, dtype=object))
        wrong = ((exact < low) | (exact > high)).astype(np.bool_)
        return _checked(array, np.where(wrong, 0, exact), wrong, target)
    return _checked(array, rounded, (rounded < low) | (rounded > high), target)


# --- dates and times -------------------------------------------------------------------------------------------------


def _cast_datetime(array: pa.Array, source: ScalarType, target: ScalarType) -> Evaluated:
    if source.kind is Kind.DATE:
        return _date_to_timestamp(array, target)
    if target.kind is Kind.DATE:
        micros = numpy_values(array)
        days = micros // MICROS_PER_DAY
        if infinite(array) is not None:
            days = np.where(micros == INFINITY, DATE_INFINITY, days)
            days = np.where(micros == MINUS_INFINITY, DATE_MINUS_INFINITY, days)
        return Evaluated(array_of_numpy(days.astype(np.int32), validity(array), pa.date32()))
    return Evaluated(array.view(target.arrow))


def _date_to_timestamp(array: pa.Array, target: ScalarType) -> Evaluated:
    days = numpy_values(array).astype(np.int64)
    wrong = (days < MIN_TIMESTAMP // MICROS_PER_DAY) | (days > MAX_TIMESTAMP // MICROS_PER_DAY)
    endless = infinite(array)
    if endless is not None:
        wrong &= ~endless
    rows = _failed(wrong, array)
    valid = validity(array)
    if len(rows):
        valid = ~wrong if valid is None else valid & ~wrong
        days = np.where(wrong, 0, days)
    micros = days * MICROS_PER_DAY
    if endless is not None:
        micros = np.where(days == DATE_INFINITY, INFINITY, micros)
        micros = np.where(days == DATE_MINUS_INFINITY, MINUS_INFINITY, micros)
    result = array_of_numpy(micros, valid, target.arrow)
    return Evaluated(result, same_error(rows, DATETIME_OVERFLOW, "date out of range for timestamp"))


def _cast_time(array: pa.Array, target: ScalarType) -> Evaluated:
    """The time of day of a timestamp or an interval; an infinite timestamp has none."""
    valid = validity(array)
    failures = np.empty(0, np.int64)
    if intervals.is_interval(array.type):
        micros = intervals.parts(array)[2]
        if (found := infinities(array)) is not None:
            failures = _failed(found[0] | found[1], array)
    else:
        micros = numpy_values(array)
        wrong = infinite(array)
        if wrong is not None:
            valid = ~wrong if valid is None else valid & ~wrong
    if len(failures):
        valid = np.ones(len(array), np.bool_) if valid is None else valid.copy()
        valid[failures] = False
    errors = same_error(failures, DATETIME_OVERFLOW, "cannot convert infinite interval to time")
    return Evaluated(array_of_numpy(micros % MICROS_PER_DAY, valid, target.arrow), errors)


def cast_can_fail(source: ScalarType, target: ScalarType) -> bool:
    """Whether any value of `source` might be an error as `target` (False is certain, True is not)."""
    if source == target or target.kind in (Kind.TEXT, Kind.NAME):
        return False
    if source.kind is Kind.JSONB and target.kind is Kind.JSON:
        return False
    if target.kind in (Kind.VARCHAR, Kind.BPCHAR):
        return target.length not in (None, UNPADDED) or (
            source.kind is Kind.CHAR and target.kind is Kind.BPCHAR
        )
    if source.is_integer and target.is_integer:
        (low, high), (least, greatest) = source.integer_bounds, target.integer_bounds
        return low < least or high > greatest
    if source.is_integer and target.kind is Kind.NUMERIC and target.precision is None:
        return target.scale is not None and target.scale > (18 if source.kind is Kind.UINT8 else 19)
    if target.is_float and (source.is_integer or source.kind is Kind.NUMERIC):
        return False
    if source.kind in CLOCKS:
        return target.kind in (Kind.TIMESTAMP, Kind.TIMESTAMPTZ) and loses_digits(source, target)
    return (source.kind, target.kind) not in (
        (Kind.FLOAT4, Kind.FLOAT8),
        (Kind.BOOL, Kind.INT4),
        (Kind.INT4, Kind.BOOL),
    )
