"""Text input of intervals: PostgreSQL's words and clock times, the SQL standard's fields, and ISO 8601 durations.

A text is cut into fields, which are read from the last to the first, since a unit follows its number: `1 day 02:03`,
`1-2 3 4:05`, `1.5 weeks ago`.  Parts of a unit go down to the next smaller ones: months to days of 30, days to hours.
What is no interval is 22007; a number that does not fit is 22015.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from ..text.digits import whole
from .datetime_input import InputError

MICROS_PER_DAY = 86_400_000_000
_INT32, _INT64 = 1 << 31, 1 << 63
INFINITE = struct.pack("<qii", _INT64 - 1, _INT32 - 1, _INT32 - 1)
MINUS_INFINITE = struct.pack("<qii", -_INT64, -_INT32, -_INT32)

_UNITS: dict[str, str] = {
    spelled: unit
    for unit, spellings in {
        "microsecond": "us usec usecs usecond useconds microsecon",
        "millisecond": "ms msec msecs msecond mseconds millisecon",
        "second": "s sec secs second seconds",
        "minute": "m min mins minute minutes",
        "hour": "h hr hrs hour hours",
        "day": "d day days",
        "week": "w week weeks",
        "month": "mon mons month months",
        "year": "y yr yrs year years",
        "decade": "dec decs decade decades",
        "century": "c cent century centuries",
        "millennium": "mil mils millennia millennium",
    }.items()
    for spelled in spellings.split()
}
_BEFORE_DIGITS = frozenset(("d", "h", "m", "s", "y", "mon", "dec"))
"""Units that a digit may follow directly: those that are words of PostgreSQL's dates, too."""

_YEARS = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
_MICROS = {
    "microsecond": 1,
    "millisecond": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
}
_SECONDS = ("second", "millisecond", "microsecond")
_TOKEN = 10
"""PostgreSQL looks at so many letters of a word."""


class _Invalid(Exception):
    """Not an interval."""


class _Overflow(Exception):
    """An interval whose parts are too large."""


@dataclass(slots=True)
class _Parts:
    years: int = 0
    months: int = 0
    days: int = 0
    micros: int = 0

    def add_months(self, count: int) -> None:
        self.months = _checked(self.months + count, _INT32)

    def add_days(self, count: int) -> None:
        self.days = _checked(self.days + count, _INT32)

    def add_micros(self, count: int) -> None:
        self.micros = _checked(self.micros + count, _INT64)

    def add_fraction_of_micros(self, fraction: float, scale: int) -> None:
        if fraction == 0:
            return
        exact = fraction * scale
        whole = int(exact)
        rest = exact - whole
        self.add_micros(whole + (1 if rest > 0.5 else -1 if rest < -0.5 else 0))

    def add_fraction_of_days(self, fraction: float, scale: int) -> None:
        exact = fraction * scale
        whole = int(exact)
        self.add_days(whole)
        self.add_fraction_of_micros(exact - whole, MICROS_PER_DAY)

    def add(self, unit: str, value: int, fraction: float) -> None:
        if unit in _MICROS:
            self.add_micros(value * _MICROS[unit])
            self.add_fraction_of_micros(fraction, _MICROS[unit])
        elif unit in _YEARS:
            self.years = _checked(self.years + value * _YEARS[unit], _INT32)
            self.add_months(round(fraction * _YEARS[unit] * 12))
        elif unit == "day":
            self.add_days(value)
            self.add_fraction_of_micros(fraction, MICROS_PER_DAY)
        elif unit == "ago":
            raise _Invalid
        elif unit == "week":
            self.add_days(value * 7)
            self.add_fraction_of_days(fraction, 7)
        else:
            self.add_months(value)
            self.add_fraction_of_days(fraction, 30)

    def pack(self) -> bytes:
        months = self.years * 12 + self.months
        if not -_INT32 <= months < _INT32:
            raise InputError("22008", "interval out of range")
        return struct.pack("<qii", self.micros, self.days, months)


def _checked(value: int, bound: int) -> int:
    if not -bound <= value < bound:
        raise _Overflow
    return value


def parse_interval(text: str, last: str = "second", minutes: bool = False) -> bytes:
    """The interval as its 16 bytes (see `repr.intervals`); a number without a unit counts `last`, and with `minutes`
    two fields of a clock are minutes and seconds."""
    try:
        try:
            return _decode(_fields(text), last, minutes)
        except _Invalid:
            return _iso(text).pack()
    except _Invalid:
        raise InputError("22007", f'invalid input syntax for type interval: "{text}"') from None
    except _Overflow:
        raise InputError("22015", f'interval field value out of range: "{text}"') from None


# --- words and numbers -------------------------------------------------------------------------------------------------

_FIELD = re.compile(
    r"""(?P<time>\d+:[\d:.]*)
      | (?P<date>\d+-\d+(?:-[\d-]*)?|\d+/\w*)
      | (?P<number>\d+(?:\.\d*)?|\.\d*)
      | (?P<word>[A-Za-z]+)
      | (?P<signed>[+-]\s*\d[\d:.-]*)
      | (?P<special>[+-]\s*[A-Za-z]+)
      | (?P<ignored>[\s!-*,;-@\[-`{-~]+)""",
    re.VERBOSE | re.ASCII,
)


def _fields(text: str) -> list[tuple[str, str]]:
    """(kind, text) of each field, in order."""
    fields: list[tuple[str, str]] = []
    position = 0
    while position < len(text):
        match = _FIELD.match(text, position)
        if match is None:
            raise _Invalid
        position = match.end()
        kind = match.lastgroup
        assert kind is not None
        following = text[position : position + 1]
        if kind == "word" and (
            (following and following in "-/.")
            or (following and following in "+0123456789" and match.group().lower() not in _BEFORE_DIGITS)
        ):
            raise _Invalid  # read as a date by PostgreSQL, which no interval has
        if kind != "ignored":
            fields.append((kind, re.sub(r"\s", "", match.group()).lower()))
    if len(fields) > 25:
        raise _Invalid
    return fields


def _decode(fields: Sequence[tuple[str, str]], last: str, minutes: bool) -> bytes:
    parts, seen = _Parts(), set[str]()
    unit: str | None = None
    waiting = before = False
    for place in range(len(fields) - 1, -1, -1):
        kind, text = fields[place]
        if kind in ("word", "special"):
            final = place == len(fields) - 1
            infinite = _infinite(text)
            if waiting or ((text == "ago" or infinite is not None) and not final):
                raise _Invalid
            if infinite is not None:
                if len(fields) > 1:
                    raise _Invalid
                return infinite
            if text == "ago":
                before, unit = True, "ago"
                continue
            if kind == "special" or (unit := _UNITS.get(text[:_TOKEN])) is None:
                raise _Invalid
            waiting = True
            continue
        if kind == "time" or (kind == "signed" and ":" in text):
            taken = {"hour", "minute", "second"}
            _clock(text, parts, minutes)
            unit = "day"
        else:
            unit, taken = _number(text, unit or last, parts)
        waiting = False
        if taken & seen:
            raise _Invalid
        seen |= taken
    if not seen or waiting:
        raise _Invalid
    if before:
        parts.years, parts.months = _checked(-parts.years, _INT32), _checked(-parts.months, _INT32)
        parts.days = _checked(-parts.days, _INT32)
        parts.micros = _checked(-parts.micros, _INT64)
    return parts.pack()


def _infinite(text: str) -> bytes | None:
    return {"infinity": INFINITE, "+infinity": INFINITE, "-infinity": MINUS_INFINITE}.get(text)


def _clock(text: str, parts: _Parts, short: bool) -> None:
    match = re.fullmatch(r"([+-]?)(\d+):(\d+)(?::(\d+))?(\.\d*)?", text)
    if match is None:
        raise _Invalid
    sign, hour, minute, second, fraction = match.groups()
    if second is None and (short or fraction is not None):  # minutes and seconds
        hours, minutes, seconds = 0, whole(hour), whole(minute)
    else:
        hours, minutes, seconds = whole(hour), whole(minute), whole(second or "0")
    if minutes > 59 or seconds > 60:
        raise _Overflow
    micros = ((hours * 60 + minutes) * 60 + seconds) * 1_000_000 + round(
        float(f"0{fraction or ''}") * 1_000_000
    )
    parts.add_micros(-micros if sign == "-" else micros)


def _number(text: str, unit: str, parts: _Parts) -> tuple[str, set[str]]:
    """A number of `unit`, or `years-months`: what it was taken for, and which fields that leaves no room for."""
    if match := re.fullmatch(r"([+-]?)(\d+)-(\d+)", text):
        months = whole(match[3])
        if months >= 12:
            raise _Overflow
        total = whole(match[2]) * 12 + months
        parts.add_months(-total if match[1] == "-" else total)  # not years: PostgreSQL checks them as months
        return "month", {"month"}
    match = re.fullmatch(r"([+-]?)(\d*)(\.\d*)?", text)
    if match is None:
        raise _Invalid
    sign = -1 if match[1] == "-" else 1
    value = sign * whole(match[2] or "0")
    _checked(value, _INT64)
    fraction = sign * float(f"0{match[3] or ''}")
    parts.add(unit, value, fraction)
    if unit == "second" and fraction:
        return unit, set(_SECONDS)
    return ("day" if unit == "hour" else unit), {unit}


# --- ISO 8601 ----------------------------------------------------------------------------------------------------------

_DATE_UNITS = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_TIME_UNITS = {"H": "hour", "M": "minute", "S": "second"}
_NUMBER = r"[+-]?\d*\.?\d*(?:[eE][+-]?\d+)?"
_DESIGNATED = re.compile(rf"({_NUMBER})([YMWDHS])")
_ALTERNATIVE = re.compile(
    rf"P({_NUMBER})-({_NUMBER})(?:-({_NUMBER}))?(?:T({_NUMBER}):({_NUMBER})(?::({_NUMBER}))?)?\Z"
)


def _iso(text: str) -> _Parts:
    """`P1Y2M3DT4H5M6S`, and `P0001-02-03T04:05:06`."""
    parts = _Parts()
    if match := _ALTERNATIVE.match(text):
        units = ("year", "month", "day", "hour", "minute", "second")
        for number, unit in zip(match.groups(), units, strict=True):
            if number is not None:
                parts.add(unit, *_split(number))
        return parts
    if len(text) < 2 or text[0] != "P":
        raise _Invalid
    date, mark, time = text[1:].partition("T")
    if not date and not mark:
        raise _Invalid
    for piece, known in ((date, _DATE_UNITS), (time, _TIME_UNITS)):
        position = 0
        while position < len(piece):
            match = _DESIGNATED.match(piece, position)
            if match is None or match[2] not in known:
                raise _Invalid
            parts.add(known[match[2]], *_split(match[1]))
            position = match.end()
    return parts


def _split(number: str) -> tuple[int, float]:
    if not re.search(r"\d", number.partition("e")[0].partition("E")[0]):
        raise _Invalid
    if "e" in number.lower():
        value = float(number)
        if abs(value) > 1e15:
            raise _Invalid
        return int(value), value - int(value)
    integral, _, fraction = number.partition(".")
    negative = integral.startswith("-")
    value = whole(integral) if integral.strip("+-") else 0
    _checked(value, _INT64)
    part = float(f"0.{fraction or 0}")
    return value, -part if negative else part
