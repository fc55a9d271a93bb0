"""Values as PostgreSQL's text output, whole columns at once.

Time zone UTC unless one is given, DateStyle ISO, `extra_float_digits` 1: what a client of a fresh session sees.
"""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr import buffers
from ...repr.buffers import present, truth, validity
from ...repr.type_functions import regproc_text
from ...repr.types import TEXT, Kind, ScalarType
from ..columns.arrays import array_of_numpy, numpy_values, put
from ..columns.blank_padding import padded
from ..columns.infinities import infinite
from ..columns.row_errors import Indices, Mask
from ..datetimes.civil import split
from ..datetimes.interval_output import interval_text, time_text
from ..datetimes.zones import Zone
from .binary_text import bytea_text, uuid_text
from .range_text import range_text

_MICROS_PER_DAY = 86_400_000_000
_QUOTED_ELEMENTS = frozenset(
    (
        Kind.DATE,
        Kind.TIMESTAMP,
        Kind.TIMESTAMPTZ,
        Kind.INTERVAL,
        Kind.BYTEA,
        Kind.JSONB,
        Kind.JSON,
        Kind.RECORD,
    )
)
"""Types whose text may hold what an array literal has to quote."""
_FIRST_PLAIN_DAY = -719_162  # 0001-01-01
_LAST_PLAIN_DAY = 2_932_896  # 9999-12-31


def to_text(array: pa.Array, type_: ScalarType, zone: Zone | None = None) -> pa.Array:
    """string[n]: each value of `array` (of type `type_`) as PostgreSQL prints it; NULL stays NULL.

    Instants are in `zone`, or in UTC.
    """
    match type_.kind:
        case Kind.TEXT | Kind.VARCHAR | Kind.NAME | Kind.CHAR | Kind.JSONB | Kind.JSON:
            return array
        case Kind.BPCHAR:
            return padded(array, type_)
        case Kind.BOOL:
            return pc.if_else(array, pa.scalar("t"), pa.scalar("f"))
        case Kind.OID if type_.is_function:
            return regproc_text(array)
        case (
            Kind.INT2
            | Kind.INT4
            | Kind.INT8
            | Kind.UINT2
            | Kind.UINT4
            | Kind.UINT8
            | Kind.OID
            | Kind.MZ_TIMESTAMP
        ):
            return array.cast(pa.string())
        case Kind.FLOAT4 | Kind.FLOAT8:
            return _floats(array, type_.kind is Kind.FLOAT4)
        case Kind.NUMERIC:
            return _numerics(array, type_)
        case Kind.DATE:
            return _dates(array)
        case Kind.TIMESTAMPTZ if zone is not None:
            return _instants(array, zone)
        case Kind.TIMESTAMP | Kind.TIMESTAMPTZ:
            return _timestamps(array, with_zone=type_.kind is Kind.TIMESTAMPTZ)
        case Kind.BYTEA:
            return bytea_text(array)
        case Kind.UUID:
            return uuid_text(array)
        case Kind.TIME:
            return time_text(array)
        case Kind.INTERVAL:
            return interval_text(array)
        case Kind.ARRAY:
            assert type_.element is not None
            if type_.is_vector:
                return pc.binary_join(array.cast(pa.list_(pa.string())), " ")
            return _sequences(array, type_.element, zone)
        case Kind.LIST:
            assert type_.element is not None
            return _sequences(array, type_.element, zone)
        case Kind.MAP:
            return _maps(array, type_, zone)
        case Kind.RECORD:
            return _records(array, type_, zone)
        case Kind.INT4RANGE | Kind.INT8RANGE | Kind.NUMRANGE | Kind.DATERANGE | Kind.TSRANGE | Kind.TSTZRANGE:
            return range_text(array, type_, lambda bounds, type_: to_text(bounds, type_, zone))


_SHOWN = (Kind.INTERVAL, Kind.TIME, Kind.BYTEA, Kind.UUID, Kind.LIST, Kind.MAP, Kind.RECORD)


def literal_text(value: object, type_: ScalarType) -> str | None:
    """The text of a literal whose Python value does not show it: bytes, an interval, a time of day, a range, a list, a map; None for any
    other."""
    if value is None or not (type_.is_range or type_.kind in _SHOWN):
        return None
    return f"'{to_text(pa.array([value], type_.arrow), type_)[0].as_py()}'"


def _floats(array: pa.Array, single: bool) -> pa.Array:
    """Shortest digits that read back; an exponent outside [1e-4, 1e15) (float4: [1e-4, 1e6))."""
    values = numpy_values(array)
    magnitude = np.abs(values)
    text = array.cast(pa.string())
    plain = (magnitude >= 1e-4) & (magnitude < (1e6 if single else 1e10)) | (magnitude == 0)
    odd = np.flatnonzero(~plain)
    if not len(odd):
        return text
    shortest = text.take(pa.array(odd)).to_pylist()
    fixed = [
        _float_text(_off_boundary(part, value, single), single)
        for part, value in zip(shortest, values[odd].tolist(), strict=True)
    ]
    return put(text, odd, pa.array(fixed, pa.string()))


def _off_boundary(shortest: str | None, value: float, single: bool) -> str | None:
    """The shortest digits that lie nearer to `value` than to its neighbours.

    Digits exactly half way to a neighbour read back too, by rounding to even, but PostgreSQL does not take them.
    Only integers beyond the significand's width can have such digits.
    """
    width = 24 if single else 53
    if shortest is None or not math.isfinite(value) or abs(value) < 1 << width:
        return shortest
    exact = int(abs(value))
    half_step = 1 << (exact.bit_length() - width - 1)
    if abs(int(Decimal(shortest).copy_abs()) - exact) != half_step:
        return shortest
    digits = len(Decimal(shortest).normalize().as_tuple().digits)
    return f"{value:.{digits}e}"


_NAMED_FLOATS = {"nan": "NaN", "-nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def _float_text(shortest: str | None, single: bool) -> str | None:
    """PostgreSQL's layout of a number whose shortest digits are known."""
    if shortest is None:
        return None
    if shortest in _NAMED_FLOATS:
        return _NAMED_FLOATS[shortest]
    sign, unsigned = ("-", shortest[1:]) if shortest.startswith("-") else ("", shortest)
    mantissa, _, exponent = unsigned.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    point = len(whole) + int(exponent or 0)
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    digits = stripped.rstrip("0") or "0"
    power = point - 1
    if power < -4 or power >= (6 if single else 15):
        head = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{head}e{'-' if power < 0 else '+'}{abs(power):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if len(digits) <= point:
        return sign + digits + "0" * (point - len(digits))
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _numerics(array: pa.Array, type_: ScalarType) -> pa.Array:
    """The digits of the type's scale; a numeric without a scale prints without trailing zeros."""
    text = array.cast(pa.string())
    has_exponent = pc.match_substring(text, "E")
    if pc.any(has_exponent).as_py():
        rows = np.flatnonzero(truth(has_exponent))
        plain = [format(value, "f") for value in array.take(pa.array(rows)).to_pylist()]
        text = put(text, rows, pa.array(plain, pa.string()))
    if type_.scale is None:
        text = pc.utf8_rtrim(pc.utf8_rtrim(text, "0"), ".")
        text = pc.if_else(pc.is_in(text, pa.array(["", "-", "-0"])), pa.scalar("0"), text)
    return text


def _dates(array: pa.Array) -> pa.Array:
    endless = infinite(array)
    if endless is not None:
        return _with_infinities(_dates(_without(array, endless)), array)
    days = numpy_values(array)
    odd = np.flatnonzero((days < _FIRST_PLAIN_DAY) | (days > _LAST_PLAIN_DAY))
    if not len(odd):
        return array.cast(pa.string())
    far = np.zeros(len(days), np.bool_)
    far[odd] = True
    text = _without(array, far).cast(pa.string())
    text = put(text, odd, _before_christ(_far_dates(days[odd].astype(np.int64))))
    return pc.if_else(array.is_valid(), text, pa.scalar(None, pa.string())) if array.null_count else text


def _without(array: pa.Array, rows: Mask) -> pa.Array:
    return pc.if_else(pa.array(rows), pa.scalar(None, array.type), array)


def _with_infinities(text: pa.Array, array: pa.Array) -> pa.Array:
    """`text` with the words for infinite dates and timestamps in their places."""
    values = numpy_values(array)
    bounds = np.iinfo(values.dtype)
    high = pc.and_(pa.array(values == bounds.max), array.is_valid())
    low = pc.and_(pa.array(values == bounds.min), array.is_valid())
    return pc.if_else(high, "infinity", pc.if_else(low, "-infinity", text))


def _timestamps(array: pa.Array, with_zone: bool) -> pa.Array:
    endless = infinite(array)
    if endless is not None:
        return _with_infinities(_timestamps(_without(array, endless), with_zone), array)
    micros = numpy_values(array)
    valid = present(array)
    days = micros // _MICROS_PER_DAY
    plain = (days >= _FIRST_PLAIN_DAY) & (days <= _LAST_PLAIN_DAY)
    local = array.view(pa.timestamp("us")) if with_zone else array
    odd = np.flatnonzero(~plain & valid)
    if len(odd) or (~plain).any():
        text = put(
            pc.if_else(pa.array(plain), local, pa.scalar(None, local.type)).cast(pa.string()),
            odd,
            _far_timestamps(micros[odd]),
        )
    else:
        text = local.cast(pa.string())
    text = pc.utf8_rtrim(pc.utf8_rtrim(text, "0"), ".")  # each ends in a point and six digits
    if with_zone:
        text = pc.binary_join_element_wise(text, "+00", "")
    return put(text, odd, _move_era(text, odd, days)) if len(odd) else text


def _instants(array: pa.Array, zone: Zone) -> pa.Array:
    """Each instant as the zone's clocks show it, with its offset, `+02` or `-03:30`, behind it (but before ` BC`)."""
    endless = infinite(array)
    if endless is not None:
        return _with_infinities(_instants(_without(array, endless), zone), array)
    micros = numpy_values(array)
    offsets = zone.at_utc(micros // 1_000_000)
    # Within a day of the last instant there is no local time that 64 bits hold: the last one is shown.
    local = np.minimum(micros, np.iinfo(np.int64).max - _MICROS_PER_DAY) + offsets * 1_000_000
    text = _timestamps(array_of_numpy(local, validity(array), pa.timestamp("us")), with_zone=False)
    known, places = np.unique(offsets, return_inverse=True)
    suffix = pa.array([_offset_text(offset) for offset in known.tolist()], pa.string()).take(pa.array(places))
    era = pc.ends_with(text, " BC")
    if not pc.any(era).as_py():
        return pc.binary_join_element_wise(text, suffix, "")
    bare = pc.replace_substring_regex(text, " BC$", "")
    return pc.binary_join_element_wise(bare, suffix, pc.if_else(era, " BC", ""), "")


def _offset_text(seconds: int) -> str:
    hours, rest = divmod(abs(seconds), 3600)
    minutes, seconds_left = divmod(rest, 60)
    text = f"{'-' if seconds < 0 else '+'}{hours:02d}"
    if minutes or seconds_left:
        text += f":{minutes:02d}"
    return text + (f":{seconds_left:02d}" if seconds_left else "")


def _far_timestamps(micros: Indices) -> pa.Array:
    """Timestamps outside years 1 to 9999, the year as a plain number of the common era's count."""
    days, rest = np.divmod(micros, _MICROS_PER_DAY)
    time = pa.array(rest).view(pa.timestamp("us")).cast(pa.string())
    return pc.binary_join_element_wise(_far_dates(days), pc.utf8_slice_codeunits(time, 11), " ")


def _far_dates(days: Indices) -> pa.Array:
    """`-0043-03-15` and `102020-02-29`: Arrow prints no year beyond 32767."""
    fields = zip(*(part.tolist() for part in split(days)), strict=True)
    return pa.array(
        [f"{'-' if y < 0 else ''}{abs(y):04d}-{m:02d}-{d:02d}" for y, m, d in fields], pa.string()
    )


def _before_christ(text: pa.Array) -> pa.Array:
    """`-0043-03-15...` (astronomical years) as `0044-03-15... BC`."""
    return pa.array(
        [_era(part) if part.startswith(("-", "0000-")) else part for part in text.to_pylist()], pa.string()
    )


def _move_era(text: pa.Array, rows: Indices, days: Indices) -> pa.Array:
    return pa.array(
        [
            _era(part) if day < _FIRST_PLAIN_DAY else part
            for part, day in zip(text.take(pa.array(rows)).to_pylist(), days[rows], strict=True)
        ],
        pa.string(),
    )


def _era(text: str) -> str:
    negative = text.startswith("-")
    year, _, rest = text.lstrip("-").partition("-")
    number = int(year) * (-1 if negative else 1)
    return f"{1 - number:04d}-{rest} BC"


def _sequences(array: pa.Array, element: ScalarType, zone: Zone | None) -> pa.Array:
    """`{1,2,NULL}`: elements quoted where they need it, which lists within lists do not."""
    items = _element_texts(array.flatten(), element, zone, r'(?i)^$|[{},"\\\s\x0b]|^null$')
    return _braced(array, items)


def _element_texts(values: pa.Array, type_: ScalarType, zone: Zone | None, risky: str) -> pa.Array:
    """The texts of elements, quoted where they match `risky`, if those of the type can."""
    items = to_text(values, type_, zone)
    if type_.is_string_category or type_.is_range or type_.kind in _QUOTED_ELEMENTS:
        escaped = pc.replace_substring(pc.replace_substring(items, "\\", "\\\\"), '"', '\\"')
        quoted = pc.binary_join_element_wise('"', escaped, '"', "")
        items = pc.if_else(pc.match_substring_regex(items, risky), quoted, items)
    return items.fill_null("NULL")


def _maps(array: pa.Array, type_: ScalarType, zone: Zone | None) -> pa.Array:
    """`{a=>1,b=>NULL}`: quoted as elements are; maps and lists within maps are not."""
    assert type_.element is not None
    keys, values = buffers.fields(array.flatten())
    risky = r'(?i)^$|[{},"\\\s\x0b=>]|^null$'
    pairs = pc.binary_join_element_wise(
        _element_texts(keys, TEXT, zone, risky), _element_texts(values, type_.element, zone, risky), "=>"
    )
    return _braced(array, pairs)


def _records(array: pa.Array, type_: ScalarType, zone: Zone | None) -> pa.Array:
    """`(1,"a b",)`: what holds a separator is in quotes, the empty text too, and NULL is nothing."""
    parts = []
    for values, (_, field) in zip(array.flatten(), type_.fields, strict=True):
        text = to_text(values, field, zone)
        escaped = pc.replace_substring(pc.replace_substring(text, "\\", "\\\\"), '"', '""')
        quoted = pc.binary_join_element_wise('"', escaped, '"', "")
        risky = pc.match_substring_regex(text, r'^$|[(),"\\\s\x0b]')
        parts.append(pc.if_else(risky, quoted, text).fill_null(""))
    joined = pc.binary_join_element_wise(*parts, ",") if parts else pa.repeat(pa.scalar(""), len(array))
    return _where_valid(array, pc.binary_join_element_wise("(", joined, ")", ""))


def _braced(array: pa.Array, items: pa.Array) -> pa.Array:
    counts = array.value_lengths().fill_null(0).to_numpy(zero_copy_only=False)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    lists = pa.ListArray.from_arrays(pa.array(offsets), items)
    joined = pc.binary_join_element_wise("{", pc.binary_join(lists, ","), "}", "")
    return _where_valid(array, joined)


def _where_valid(array: pa.Array, text: pa.Array) -> pa.Array:
    return pc.if_else(array.is_valid(), text, pa.scalar(None, pa.string())) if array.null_count else text
