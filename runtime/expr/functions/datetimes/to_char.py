"""to_char of timestamps and intervals: a template's fields, each as a column of text, joined.

A zone prints as UTC.  Infinite values, and empty templates, give NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....repr import intervals
from ....repr.types import INTERVAL, TEXT, TIMESTAMP, TIMESTAMPTZ, Kind, ScalarType
from ...columns.arrays import numpy_values
from ...columns.row_errors import Evaluated, RowErrors, listed_errors
from ...datetimes.civil import MICROS_PER_DAY, days_from, split
from ...datetimes.datetime_template import DAYS, MONTHS, ROMAN, Character, Field, parse_template
from ...tree.function import CallInfo, Datum, Overload
from .interval_results import Ints, all_valid, arrays, signs

_JULIAN = 2_440_588
_NOT_OF_INTERVALS = frozenset(
    ("TZ", "TZH", "TZM", "OF", "A.D.", "AD", "B.C.", "BC", "MONTH", "MON", "DAY", "DY", "D", "ID")
)
_REFUSED_OF_INTERVALS = frozenset(("IYYY", "IYY", "IY", "I", "IW", "IDDD", "J"))


class _Parts:
    """The fields of n timestamps or intervals, as int64[n]: those of intervals carry their signs."""

    def __init__(self, array: pa.Array, finite: npt.NDArray[np.bool_]) -> None:
        self.interval = intervals.is_interval(array.type)
        if self.interval:
            months, self.day, micros = intervals.parts(array)
            self.year = np.sign(months) * (np.abs(months) // 12)
            self.month = months - self.year * 12
            self.year_day = months * intervals.DAYS_PER_MONTH + self.day
            self.days = np.zeros(len(array), np.int64)
        else:
            self.days, micros = np.divmod(np.where(finite, numpy_values(array), 0), MICROS_PER_DAY)
            self.year, self.month, self.day = split(self.days)
            one = np.ones(len(array), np.int64)
            self.year_day = self.days - days_from(self.year, one, one) + 1
        sign, size = np.sign(micros), np.abs(micros)
        self.hour = sign * (size // 3_600_000_000)
        self.minute = sign * (size // 60_000_000 % 60)
        self.second = sign * (size // 1_000_000 % 60)
        self.fraction = sign * (size % 1_000_000)
        self.weekday = (self.days + 4) % 7

    @property
    def shown_year(self) -> Ints:
        """There is no year 0: 1 BC prints as 1."""
        shown: Ints = self.year if self.interval else np.where(self.year <= 0, 1 - self.year, self.year)
        return shown

    def iso(self) -> tuple[Ints, Ints, Ints]:
        """(year, week, day of the year) by ISO weeks: those of the Thursday of the week."""
        thursday = self.days - (self.weekday + 6) % 7 + 3
        one = np.ones(len(self.days), np.int64)
        year = split(thursday)[0]
        first = days_from(year, one, one)
        week = (thursday - first) // 7 + 1
        monday = first + 3 - (first + 3 + 3) % 7  # of the week with January 4th
        return year, week, self.days - monday + 1


def _remainder(values: Ints, unit: int) -> Ints:
    """As C's: of the sign of the value."""
    rest: Ints = np.sign(values) * (np.abs(values) % unit)
    return rest


def _numbers(values: Ints, width: Ints | int, field: Field) -> pa.Array:
    """Zero-padded to `width` characters, the sign among them; not with FM."""
    digits = pa.array(np.abs(values)).cast(pa.string())
    negative = values < 0
    if field.fill:
        widths = np.broadcast_to(np.asarray(width) - negative, values.shape)
        padded = digits
        for size in np.unique(widths).tolist():
            padded = pc.if_else(pa.array(widths == size), pc.ascii_lpad(digits, max(size, 0), "0"), padded)
        digits = padded
    if negative.any():
        digits = pc.binary_join_element_wise(pc.if_else(pa.array(negative), "-", ""), digits, "")
    return _ordinals(digits, values, field)


def _ordinals(digits: pa.Array, values: Ints, field: Field) -> pa.Array:
    if not field.ordinal:
        return digits
    last, teens = np.abs(values) % 10, np.abs(values) // 10 % 10 == 1
    endings = np.where(teens | (last == 0) | (last > 3), 0, last)
    words = np.array(["th", "st", "nd", "rd"])[endings]
    if field.ordinal == "TH":
        words = np.char.upper(words)
    return pc.binary_join_element_wise(digits, pa.array(words, pa.string()), "")


def _words(words: Sequence[str], index: Ints, field: Field, width: int) -> pa.Array:
    cased = [_cased(word, field.keyword) for word in words]
    padded = [word.ljust(width) for word in cased] if field.fill else cased
    return pa.array(padded, pa.string()).take(pa.array(index))


def _cased(word: str, keyword: str) -> str:
    if keyword.isupper():
        return word.upper()
    return word.lower() if keyword.islower() else word


def _signed(parts: Ints, width: int) -> Ints:
    return np.where(parts >= 0, width, width + 1)


_Render = Callable[[_Parts, Field], pa.Array]


def _half(parts: _Parts, field: Field) -> pa.Array:
    late = _remainder(parts.hour, 24) >= 12
    before, after = ("A.M.", "P.M.") if "." in field.keyword else ("AM", "PM")
    return pc.if_else(pa.array(late), _cased(after, field.keyword), _cased(before, field.keyword))


def _era(parts: _Parts, field: Field) -> pa.Array:
    old, new = ("B.C.", "A.D.") if "." in field.keyword else ("BC", "AD")
    return pc.if_else(pa.array(parts.year <= 0), _cased(old, field.keyword), _cased(new, field.keyword))


def _hour12(parts: _Parts, field: Field) -> pa.Array:
    hour = _remainder(parts.hour, 12)
    return _numbers(np.where(hour == 0, 12, hour), _signed(parts.hour, 2), field)


def _fraction(digits: int) -> _Render:
    def render(parts: _Parts, field: Field) -> pa.Array:
        unit = 10 ** (6 - digits)
        padded = Field(field.name, field.keyword, True, field.ordinal)  # FM does not reach it
        return _numbers(np.sign(parts.fraction) * (np.abs(parts.fraction) // unit), digits, padded)

    return render


def _day_seconds(parts: _Parts, field: Field) -> pa.Array:
    return _numbers(parts.hour * 3600 + parts.minute * 60 + parts.second, 0, field)


def _century(parts: _Parts, field: Field) -> pa.Array:
    year = parts.year
    if parts.interval:
        century = np.sign(year) * (np.abs(year) // 100)
    else:
        century = np.where(year > 0, (year - 1) // 100 + 1, -(np.abs(year) // 100) - 1)
    wide = np.abs(century) > 99
    return _numbers(century, np.where(wide, 0, _signed(century, 2)), field)


def _year_comma(parts: _Parts, field: Field) -> pa.Array:
    year = parts.shown_year
    thousands = np.sign(year) * (np.abs(year) // 1000)
    high = _numbers(thousands, 0, Field("", ""))
    rest = year - thousands * 1000
    low = _numbers(rest, 3, Field("", ""))
    return _ordinals(pc.binary_join_element_wise(high, low, ","), rest, field)


def _year(digits: int, iso: bool) -> _Render:
    def render(parts: _Parts, field: Field) -> pa.Array:
        year = parts.shown_year
        if iso:
            found = parts.iso()[0]
            year = np.where(found <= 0, 1 - found, found)
        shown = year if digits == 4 else _remainder(year, 10**digits)
        return _numbers(shown, 1 if digits == 1 else _signed(year, digits), field)

    return render


def _roman(parts: _Parts, field: Field) -> pa.Array:
    month = parts.month
    index = np.where(month > 0, month - 1, np.where(month < 0, 12 + month, np.where(parts.year >= 0, 11, 0)))
    text = _words(ROMAN, index, field, 4)
    empty = (month == 0) & (parts.year == 0)
    return pc.if_else(pa.array(empty), "", text) if empty.any() else text


def _quarter(parts: _Parts, field: Field) -> pa.Array:
    month = parts.month
    text = _numbers(np.sign(month - 1) * (np.abs(month - 1) // 3) + 1, 0, field)
    return pc.if_else(pa.array(month == 0), "", text)


def _julian(parts: _Parts, field: Field) -> pa.Array:
    return _numbers(parts.days + _JULIAN, 0, field)


_RENDER: dict[str, _Render] = {
    "AM": _half, "PM": _half, "A.M.": _half, "P.M.": _half,
    "AD": _era, "BC": _era, "A.D.": _era, "B.C.": _era,
    "HH": _hour12, "HH12": _hour12,
    "HH24": lambda p, f: _numbers(p.hour, _signed(p.hour, 2), f),
    "MI": lambda p, f: _numbers(p.minute, _signed(p.minute, 2), f),
    "SS": lambda p, f: _numbers(p.second, _signed(p.second, 2), f),
    **{f"FF{digits}": _fraction(digits) for digits in range(1, 7)}, "MS": _fraction(3), "US": _fraction(6),
    "SSSS": _day_seconds, "SSSSS": _day_seconds,
    "MONTH": lambda p, f: _words(MONTHS, p.month - 1, f, 9),
    "MON": lambda p, f: _words([name[:3] for name in MONTHS], p.month - 1, f, 3),
    "MM": lambda p, f: _numbers(p.month, _signed(p.month, 2), f),
    "DAY": lambda p, f: _words(DAYS, p.weekday, f, 9),
    "DY": lambda p, f: _words([name[:3] for name in DAYS], p.weekday, f, 3),
    "DDD": lambda p, f: _numbers(p.year_day, 3, f),
    "IDDD": lambda p, f: _numbers(p.iso()[2], 3, f),
    "DD": lambda p, f: _numbers(p.day, 2, f),
    "D": lambda p, f: _numbers(p.weekday + 1, 0, f),
    "ID": lambda p, f: _numbers((p.weekday + 6) % 7 + 1, 0, f),
    "WW": lambda p, f: _numbers(np.sign(p.year_day - 1) * (np.abs(p.year_day - 1) // 7) + 1, 2, f),
    "IW": lambda p, f: _numbers(p.iso()[1], 2, f),
    "Q": _quarter, "CC": _century, "Y,YYY": _year_comma,
    "YYYY": _year(4, False), "YYY": _year(3, False), "YY": _year(2, False), "Y": _year(1, False),
    "IYYY": _year(4, True), "IYY": _year(3, True), "IY": _year(2, True), "I": _year(1, True),
    "RM": _roman,
    "W": lambda p, f: _numbers(np.sign(p.day - 1) * (np.abs(p.day - 1) // 7) + 1, 0, f),
    "J": _julian,
}  # fmt: skip


def _constant(field: Field, type_: ScalarType) -> str | None:
    """Fields that have one text for all rows: those of the zone, and FX, which is for reading."""
    match field.name.upper():
        case "FX":
            return ""
        case "TZ":
            return _cased("UTC", field.keyword) if type_.kind is Kind.TIMESTAMPTZ else ""
        case "TZH":
            return "+00"
        case "TZM":
            return "00"
        case "OF":
            return "+00" if field.fill else "+0"
        case _:
            return None


def _rendered(template: str, parts: _Parts, type_: ScalarType) -> pa.Array:
    pieces: list[pa.Array | pa.Scalar] = []
    plain = ""
    for node in parse_template(template):
        text = node.text if isinstance(node, Character) else _constant(node, type_)
        if text is not None:
            plain += text
            continue
        assert isinstance(node, Field)
        if plain:
            pieces.append(pa.scalar(plain))
            plain = ""
        pieces.append(_RENDER[node.name.upper()](parts, node))
    if plain or not pieces:
        pieces.append(pa.scalar(plain))
    if all(isinstance(piece, pa.Scalar) for piece in pieces):
        return pa.repeat(pa.scalar(plain), len(parts.day))
    return pc.binary_join_element_wise(*pieces, "")


def _refusal(template: str) -> tuple[str, str] | None:
    """Why an interval has no such form: (SQLSTATE, message)."""
    names = [node.name.upper() for node in parse_template(template) if isinstance(node, Field)]
    for name in names:
        if name in _NOT_OF_INTERVALS:
            return "22007", "invalid format specification for an interval value"
    for name in names:
        if name in _REFUSED_OF_INTERVALS:
            return "0A000", f"to_char of an interval does not support {name}"
    return None


def _to_char(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    array, templates = arrays(args, info)
    finite = signs(array) == 0
    valid = all_valid((array, templates))
    shown = finite if valid is None else finite & valid
    parts = _Parts(array, finite)
    result = pa.nulls(info.length, pa.string())
    failed: list[tuple[int, str, str]] = []
    encoded = templates.dictionary_encode()
    index = encoded.indices.fill_null(-1).to_numpy()
    for place, template in enumerate(encoded.dictionary.to_pylist()):
        rows = (index == place) & shown
        if not template or not rows.any():
            continue
        refusal = _refusal(template) if parts.interval else None
        if refusal is not None:
            failed += [(row, *refusal) for row in np.flatnonzero(rows).tolist()]
            continue
        text = _rendered(template, parts, info.types[0])
        result = pc.if_else(pa.array(rows), text, result)
    errors: RowErrors | None = listed_errors(sorted(failed))
    return Evaluated(result, errors)


OVERLOADS: dict[str, list[Overload]] = {
    "to_char": [
        Overload((type_, TEXT), TEXT, _to_char, can_fail=True, nullable=True)
        for type_ in (TIMESTAMP, TIMESTAMPTZ, INTERVAL)
    ],
}
