"""Values from text: PostgreSQL's input syntax, whole columns at once.

Text in the plain form of a type (what its output looks like) is parsed by Arrow's kernels; any other row goes to
a parser of one value, which knows the rest of the syntax and PostgreSQL's errors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.buffers import present
from ...repr.types import CLOCKS, Kind, ScalarType
from ..columns.arrays import put, with_nulls
from ..columns.blank_padding import from_padded, limited
from ..columns.decimals import limit_of
from ..columns.row_errors import Evaluated, Indices, listed_errors, merge_errors, same_error
from ..datetimes import mz_timestamp
from ..datetimes.clock_precision import rounded
from ..datetimes.datetime_input import (
    PLAIN_DATE,
    PLAIN_TIMESTAMP,
    InputError,
    parse_date,
    parse_time,
    parse_timestamp,
    parse_timestamptz,
)
from ..datetimes.interval_fields import last_field, restricted, two_fields_are_minutes
from ..datetimes.interval_input import parse_interval
from ..datetimes.zones import Zone
from ..digits import HUGE, whole
from ..jsonb.columns import check_column, parse_column
from .array_input import parse_array
from .binary_text import PLAIN_BYTEA, PLAIN_UUID, hex_bytes, parse_bytea, parse_uuid
from .boolean_words import boolean_word
from .map_input import parse_maps
from .range_text import parse_ranges

_SPACE = " \t\n\r\v\f"
_INTEGER_PLAIN = {
    Kind.INT2: r"^-?(?:[0-9]{1,4}|[12][0-9]{4}|3[01][0-9]{3})$",
    Kind.INT4: r"^-?(?:[0-9]{1,9}|1[0-9]{9}|20[0-9]{8}|21[0-3][0-9]{7})$",
    Kind.INT8: r"^-?(?:[0-9]{1,18}|[1-8][0-9]{18})$",
    Kind.UINT2: r"^(?:[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3})$",
    Kind.UINT4: r"^(?:[0-9]{1,9}|[1-3][0-9]{9}|4[01][0-9]{8})$",
    Kind.UINT8: r"^(?:[0-9]{1,19}|1[0-7][0-9]{18})$",
    Kind.OID: r"^(?:[0-9]{1,9}|[1-3][0-9]{9}|4[01][0-9]{8})$",
}
"""Of nearly all numbers that the type has, and of none that it has not."""
_FLOAT_PLAIN = r"^-?[0-9]{1,15}(\.[0-9]{1,15})?$"


def from_text(
    array: pa.Array, type_: ScalarType, *, explicit: bool = True, zone: Zone | None = None
) -> Evaluated:
    """The values that the strings of `array` denote as input of `type_`; invalid ones are errors of their rows.

    With `explicit`, text beyond the length of a varchar or char is cut, as an explicit cast does; otherwise it is error 22001
    (unless only spaces are cut off), as in an assignment.  Instants without a zone are in `zone`, or in UTC.
    """
    if type_.precision is not None and type_.kind in CLOCKS:
        read = from_text(array, ScalarType(type_.kind), zone=zone)
        kept = rounded(read.values, type_)
        return Evaluated(kept.values, merge_errors([read.errors, kept.errors]))
    match type_.kind:
        case Kind.TEXT | Kind.VARCHAR | Kind.BPCHAR | Kind.NAME | Kind.CHAR:
            return _strings(array, type_, explicit)
        case Kind.BOOL:
            return _bools(array)
        case Kind.INT2 | Kind.INT4 | Kind.INT8 | Kind.UINT2 | Kind.UINT4 | Kind.UINT8 | Kind.OID:
            # An oid is fewer numbers than its type in Arrow.
            if type_.kind is not Kind.OID and (values := _digits(array, type_.arrow)) is not None:
                return Evaluated(values)
            return _parse(array, _INTEGER_PLAIN[type_.kind], type_, lambda text: _integer(text, type_))
        case Kind.MZ_TIMESTAMP:
            return _parse(array, _INTEGER_PLAIN[Kind.UINT8], type_, mz_timestamp.parse)
        case Kind.FLOAT4 | Kind.FLOAT8:
            return _parse(array, _FLOAT_PLAIN, type_, lambda text: _float(text, type_))
        case Kind.NUMERIC:
            return _numerics(array, type_)
        case Kind.DATE:
            return _parse(array, PLAIN_DATE, type_, parse_date)
        case Kind.TIMESTAMP:
            return _parse(array, PLAIN_TIMESTAMP, type_, parse_timestamp)
        case Kind.TIMESTAMPTZ:
            return _parse(array, None, type_, lambda text: parse_timestamptz(text, zone))
        case Kind.JSONB:
            return parse_column(array)
        case Kind.JSON:
            return check_column(array)
        case Kind.BYTEA:
            return _binaries(array, PLAIN_BYTEA, parse_bytea)
        case Kind.UUID:
            return _binaries(array, PLAIN_UUID, parse_uuid)
        case Kind.TIME:
            return _parse(array, None, type_, parse_time)
        case Kind.INTERVAL:
            return _intervals(array, type_)
        case Kind.ARRAY | Kind.LIST:
            assert type_.element is not None
            return parse_array(
                array,
                type_,
                lambda items, type_: from_text(items, type_, explicit=explicit, zone=zone),
            )
        case Kind.MAP:
            return parse_maps(
                array,
                type_,
                lambda items, type_: from_text(items, type_, explicit=explicit, zone=zone),
            )
        case Kind.RECORD:
            rows = np.flatnonzero(present(array))
            message = "input of anonymous composite types is not implemented"
            return Evaluated(pa.nulls(len(array), type_.arrow), same_error(rows, "0A000", message))
        case Kind.INT4RANGE | Kind.INT8RANGE | Kind.NUMRANGE | Kind.DATERANGE | Kind.TSRANGE | Kind.TSTZRANGE:
            return parse_ranges(array, type_, lambda bounds, type_: from_text(bounds, type_, zone=zone))


def _digits(array: pa.Array, arrow: pa.DataType) -> pa.Array | None:
    """The values, if Arrow reads all of them, and none has a character of what only Arrow takes for a number, as the `x` of `0xFF`."""
    _, offsets, text = array.buffers()
    if text is not None and len(array):
        width = np.int64 if pa.types.is_large_string(array.type) else np.int32
        ends = np.frombuffer(offsets, width)[array.offset : array.offset + len(array) + 1]
        characters = np.frombuffer(text, np.uint8)[ends[0] : ends[-1]]
        if len(characters) and (characters.min() < ord("-") or characters.max() > ord("9")):
            return None
    try:
        return array.cast(arrow)
    except pa.ArrowInvalid:
        return None


def _parse(array: pa.Array, plain: str | None, type_: ScalarType, one: Callable[[str], Any]) -> Evaluated:
    """Rows that match the RE2 pattern `plain` by Arrow's cast, the others by `one`, which may raise InputError."""
    arrow = type_.arrow
    if plain is None:
        odd = np.flatnonzero(present(array))
        values = pa.nulls(len(array), arrow)
    else:
        matches = pc.match_substring_regex(array, plain)
        if pc.all(matches, min_count=0).as_py() is not False:
            odd, part = np.empty(0, np.int64), array
        else:
            odd = np.flatnonzero(~matches.fill_null(True).to_numpy(zero_copy_only=False))
            part = with_nulls(array, odd)
        try:
            values = part.cast(arrow)
        except pa.ArrowInvalid:  # the right form, but no such day or hour
            odd = np.flatnonzero(present(array))
            values = pa.nulls(len(array), arrow)
    if not len(odd):
        return Evaluated(values)
    return _one_by_one(array, odd, one, values)


def _binaries(array: pa.Array, plain: str, one: Callable[[str], bytes]) -> Evaluated:
    """Hexadecimal text whole columns at once, any other by `one`."""
    matches = pc.match_substring_regex(array, plain)
    if pc.all(matches, min_count=0).as_py() is not False:
        return Evaluated(hex_bytes(array))
    odd = np.flatnonzero(~matches.fill_null(True).to_numpy(zero_copy_only=False))
    return _one_by_one(array, odd, one, hex_bytes(with_nulls(array, odd)))


def _one_by_one(array: pa.Array, odd: Indices, one: Callable[[str], Any], values: pa.Array) -> Evaluated:
    """`values`, with the texts of the rows `odd` parsed by `one`."""
    parsed: list[Any] = []
    failures: list[tuple[int, str, str]] = []
    for row, text in zip(odd.tolist(), array.take(pa.array(odd)).to_pylist(), strict=True):
        try:
            parsed.append(one(text))
        except InputError as error:
            parsed.append(None)
            failures.append((row, error.sqlstate, error.message))
    return Evaluated(put(values, odd, pa.array(parsed, values.type)), listed_errors(failures))


def _intervals(array: pa.Array, type_: ScalarType) -> Evaluated:
    last, minutes = last_field(type_), two_fields_are_minutes(type_)
    parsed = _parse(array, None, type_, lambda text: parse_interval(text, last, minutes))
    kept = restricted(parsed.values, type_)
    return Evaluated(kept.values, merge_errors([parsed.errors, kept.errors]))


def _invalid(type_name: str, text: str) -> InputError:
    return InputError("22P02", f'invalid input syntax for type {type_name}: "{text}"')


# --- strings ---------------------------------------------------------------------------------------------------------


_OCTALS = pa.array([f"\\{code:03o}" for code in range(512)])
"""How a "char" may be spelled: `\\101` is A."""
_OF_OCTALS = pa.array([chr(code & 0xFF) if 0 < code & 0xFF < 128 else "" for code in range(512)])
"""These characters; "" of a NUL, as in PostgreSQL, and of what is beyond ASCII."""
_EMPTY_OCTALS = pa.array(["\\000", "\\400"])


def _strings(array: pa.Array, type_: ScalarType, explicit: bool) -> Evaluated:
    if type_.kind is Kind.NAME:
        return Evaluated(_clip_bytes(array, 63))
    if type_.kind is Kind.CHAR:
        octal = pc.index_in(array, _OCTALS)
        clipped = pc.coalesce(_OF_OCTALS.take(octal), _clip_bytes(array, 1))
        no_text = pc.or_(pc.equal(array, ""), pc.is_in(array, _EMPTY_OCTALS))
        beyond = pc.and_(pc.equal(clipped, ""), pc.invert(no_text)).fill_null(False)
        rows = np.flatnonzero(beyond.to_numpy(zero_copy_only=False))
        if not len(rows):
            return Evaluated(clipped)
        values = pc.if_else(beyond, pa.scalar(None, pa.string()), clipped)
        return Evaluated(values, same_error(rows, "0A000", 'a byte beyond ASCII as "char" is not supported'))
    if type_.kind is Kind.BPCHAR:
        return from_padded(array, type_, explicit=explicit)
    return Evaluated(*limited(array, type_, explicit=explicit))


def _clip_bytes(array: pa.Array, limit: int) -> pa.Array:
    """Text cut to `limit` bytes of UTF-8, at a character's boundary."""
    longest = pc.max(pc.binary_length(array)).as_py()
    if longest is None or longest <= limit:
        return array
    clipped = [
        None if text is None else text.encode()[:limit].decode(errors="ignore") for text in array.to_pylist()
    ]
    return pa.array(clipped, pa.string())


# --- booleans --------------------------------------------------------------------------------------------------------


def _bool(text: str) -> bool:
    found = boolean_word(text.strip(_SPACE))
    if found is None:
        raise _invalid("boolean", text)
    return found


def _bools(array: pa.Array) -> Evaluated:
    encoded = array.dictionary_encode()
    words = _parse_list(encoded.dictionary.to_pylist())
    values = pa.array([word if isinstance(word, bool) else None for word in words], pa.bool_())
    indices = encoded.indices
    wrong = {i: word for i, word in enumerate(words) if isinstance(word, InputError)}
    result = values.take(indices)
    if not wrong:
        return Evaluated(result)
    failures = [
        (row, wrong[index].sqlstate, wrong[index].message)
        for row, index in enumerate(indices.to_pylist())
        if index in wrong
    ]
    return Evaluated(result, listed_errors(failures))


def _parse_list(words: list[str]) -> list[bool | InputError]:
    results: list[bool | InputError] = []
    for word in words:
        try:
            results.append(_bool(word))
        except InputError as error:
            results.append(error)
    return results


# --- numbers ---------------------------------------------------------------------------------------------------------

_INTEGER = re.compile(
    r"(?P<sign>[+-]?)(?:0[xX](?P<hex>(?:_?[0-9a-fA-F])+)|0[oO](?P<oct>(?:_?[0-7])+)|0[bB](?P<bin>(?:_?[01])+)"
    r"|(?P<dec>[0-9]+(?:_[0-9]+)*))\Z"
)


def _integer_value(trimmed: str) -> int | None:
    match = _INTEGER.match(trimmed)
    if match is None:
        return None
    base, name = next(pair for pair in _BASES if match[pair[1]] is not None)
    digits = match[name].replace("_", "")
    value = whole(digits) if base == 10 else min(int(digits, base), HUGE)
    return -value if match["sign"] == "-" else value


_BASES = ((16, "hex"), (8, "oct"), (2, "bin"), (10, "dec"))


def _integer(text: str, type_: ScalarType) -> int:
    value = _integer_value(text.strip(_SPACE))
    if value is None:
        raise _invalid(str(type_), text)
    if type_.kind is Kind.OID:
        if not -(1 << 31) <= value < 1 << 32:
            raise InputError("22003", f'value "{text}" is out of range for type oid')
        return value % (1 << 32)
    least, greatest = type_.integer_bounds
    if not least <= value <= greatest:
        raise InputError("22003", f'value "{text}" is out of range for type {type_}')
    return value


_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")
_FLOAT_WORDS = {
    **{sign + "nan": float("nan") for sign in ("", "+", "-")},
    **{sign + word: float("inf") for sign in ("", "+") for word in ("inf", "infinity")},
    **{"-" + word: float("-inf") for word in ("inf", "infinity")},
}


def _float(text: str, type_: ScalarType) -> float:
    trimmed = text.strip(_SPACE)
    named = _FLOAT_WORDS.get(trimmed.lower())
    if named is not None:
        return named
    if _FLOAT.match(trimmed) is None:
        if re.match(r"[+-]?0[xX][0-9a-fA-F]", trimmed):
            raise InputError("0A000", f'hexadecimal floating-point input is not supported: "{text}"')
        raise _invalid(str(type_), text)
    value = float(trimmed)
    if type_.kind is Kind.FLOAT4:
        # Parsed at its own width: rounding to double first could round twice.
        value = pa.array([trimmed]).cast(pa.float32())[0].as_py()
    nonzero = re.search(r"[1-9]", re.split(r"[eE]", trimmed)[0]) is not None
    if value in (float("inf"), float("-inf")) or (value == 0 and nonzero):
        raise InputError("22003", f'"{trimmed}" is out of range for type {type_}')
    return value


_NUMERIC = re.compile(r"[+-]?([0-9]+(_[0-9]+)*\.?([0-9]+(_[0-9]+)*)?|\.[0-9]+(_[0-9]+)*)([eE][+-]?[0-9]+)?\Z")
_WHOLE_DIGITS = 131_072
"""PostgreSQL's numeric has so many before the point."""
_MOST_DIGITS = 100
_MOST_EXPONENT = (1 << 30) - 1
_ROUNDED = Context(prec=4 * _MOST_DIGITS, Emax=MAX_EMAX, Emin=MIN_EMIN)
_NUMERIC_WORDS = frozenset(("nan", "inf", "infinity", "+inf", "+infinity", "-inf", "-infinity"))


def _numerics(array: pa.Array, type_: ScalarType) -> Evaluated:
    scale = 38 if type_.scale is None else type_.scale
    whole = (type_.precision if type_.precision is not None else 38) - (
        scale if type_.scale is not None else 0
    )
    plain = None
    if whole > 0:
        fraction = rf"(\.[0-9]{{1,{scale}}})?" if scale else ""
        plain = rf"^-?[0-9]{{1,{whole}}}{fraction}$"
    return _parse(array, plain, type_, lambda text: _numeric(text, type_, scale))


def _numeric(text: str, type_: ScalarType, scale: int) -> Decimal:
    trimmed = text.strip(_SPACE)
    if _NUMERIC.match(trimmed) is None:
        if trimmed.lower() in _NUMERIC_WORDS:
            raise InputError("0A000", f'numeric has no NaN and no infinity here: "{text}"')
        if (value := _integer_value(trimmed)) is not None:  # 0x1F and the like
            return _numeric(str(value), type_, scale)
        raise _invalid("numeric", text)
    written, _, exponent = trimmed.replace("_", "").lower().partition("e")
    if abs(whole(exponent or "0")) >= _MOST_EXPONENT:
        raise InputError("22003", "value overflows numeric format")
    number = Decimal(f"{written}e{whole(exponent or '0')}")
    if number and number.adjusted() >= _WHOLE_DIGITS:
        raise InputError("22003", "value overflows numeric format")
    if number and number.adjusted() > _MOST_DIGITS:
        raise numeric_overflow(type_)
    rounded = number.quantize(Decimal((0, (1,), -scale)), rounding="ROUND_HALF_UP", context=_ROUNDED)
    if abs(int(rounded.scaleb(scale, context=_ROUNDED))) >= limit_of(type_):
        raise numeric_overflow(type_)
    if type_.precision is None and rounded != number:
        raise numeric_overflow(type_)
    return rounded


def numeric_overflow(type_: ScalarType) -> InputError:
    """The error for a value with too many digits before the point."""
    if type_.precision is not None:
        return InputError("22003", "numeric field overflow")
    return InputError("22003", "value overflows numeric format")
