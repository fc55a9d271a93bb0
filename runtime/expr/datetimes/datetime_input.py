"""Text input of dates and timestamps: ISO 8601 and PostgreSQL's plain variants of it.

A zone may be an offset, a name or an abbreviation.  What PostgreSQL reads beyond that (month names, day-first orders, `today`) is
refused with 0A000 and never guessed; what no date format allows is 22007, a field out of its range 22008.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .zones import Zone

_YEAR = r"(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])"
PLAIN_DATE = rf"^{_YEAR}-[0-9]{{2}}-[0-9]{{2}}$"
PLAIN_TIMESTAMP = rf"^{_YEAR}-[0-9]{{2}}-[0-9]{{2}}[ T][0-9]{{2}}:[0-9]{{2}}:[0-9]{{2}}(?:\.[0-9]{{1,6}})?$"
"""RE2 patterns of what Arrow's own cast reads in the same way."""

MICROS_PER_DAY = 86_400_000_000
MIN_DATE, MAX_DATE = -2_440_588, 2_145_042_905  # 4714-11-24 BC and 5874897-12-31, in days from 1970
MIN_TIMESTAMP = MIN_DATE * MICROS_PER_DAY
MAX_TIMESTAMP = (1 << 63) - 2  # 294247-01-10, where Arrow's microseconds end; PostgreSQL's go 29 years on

_SPACE = " \t\n\r\v\f"


class InputError(Exception):
    """One text that is not a value: the SQLSTATE and the message of its row's error."""

    def __init__(self, sqlstate: str, message: str) -> None:
        super().__init__(message)
        self.sqlstate = sqlstate
        self.message = message


_ZONE = r"(?P<zone>[+-]\d{1,2}(?::?\d{2}(?::\d{2})?)?|(?!(?:bc|ad|am|pm|dst)\b)[a-z]+(?:[-/.+\d][-/.+:\w]*)?)"
"""An offset, or a word as PostgreSQL cuts the text: one with signs in it begins with letters and goes on with a sign or a digit."""

_STAMP = re.compile(
    r"""(?:(?P<year>\d{4,7})-(?P<month>\d{1,2})-(?P<day>\d{1,2})|(?P<compact>\d{8}))
        (?:(?:\s+|[tT])(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{1,2})(?P<fraction>\.\d*)?)?
           (?:\s*(?P<half>[ap]m(?![a-z])))?)?
        (?:\s*(?!t\d)"""  # that is ISO 8601's time without colons, and no zone
    + _ZONE
    + r""")?
        (?:\s+(?P<era>bc|ad))?\Z""",
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
_WORDS = frozenset(("now", "today", "tomorrow", "yesterday"))
_INFINITE = {"infinity": 1, "+infinity": 1, "-infinity": -1}
_MONTH = re.compile(r"(?i)(?<![a-z])(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*(?![a-z])")


def parse_date(text: str) -> int:
    """Days since 1970-01-01."""
    if text.strip(_SPACE).lower() == "epoch":
        return 0
    if sign := _INFINITE.get(text.strip(_SPACE).lower()):
        return (1 << 31) - 1 if sign > 0 else -(1 << 31)
    match = _match(text, "date")
    days = _days(match, text)
    if match["zone"] is not None and match["zone"][0] not in "+-":
        _named(match["zone"], text, "date")
    if not MIN_DATE <= days <= MAX_DATE:
        raise InputError("22008", f'date out of range: "{text}"')
    return days


def parse_timestamp(text: str) -> int:
    """Microseconds since 1970-01-01 00:00; a zone in the text is read and ignored, as PostgreSQL does."""
    return _micros(text, "timestamp", use_zone=False)


def parse_timestamptz(text: str, session: Zone | None = None) -> int:
    """Microseconds since 1970-01-01 00:00 UTC; text without a zone is in the session's, or in UTC."""
    return _micros(text, "timestamp with time zone", use_zone=True, session=session)


_CLOCK = re.compile(
    r"""(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{1,2})(?P<fraction>\.\d*)?)?
        (?:\s*(?P<half>[ap]m(?![a-z])))?
        (?:\s*"""
    + _ZONE
    + r""")?\Z""",
    re.VERBOSE | re.ASCII | re.IGNORECASE,
)
_COMPACT_CLOCK = re.compile(r"[tT]?(\d{2})(\d{2})(\d{2})(\.\d*)?\Z", re.ASCII)


def parse_time(text: str) -> int:
    """Microseconds since midnight, up to 24:00:00; a zone in the text is read and ignored, as PostgreSQL does."""
    trimmed = text.strip(_SPACE)
    if trimmed.lower() == "allballs":
        return 0
    if match := _COMPACT_CLOCK.match(trimmed):
        hour, minute, second, fraction = match.groups()
        trimmed = f"{hour}:{minute}:{second}{fraction or ''}"
    match = _CLOCK.match(trimmed) or _STAMP.match(trimmed)
    if match is None or match["hour"] is None:
        if match is not None and (zone := match["zone"]) is not None and zone[0] not in "+-":
            _named(zone, text, "time")
        if trimmed.lower() == "now" or (re.search(r"\d", trimmed) and re.search(r"[:]", trimmed)):
            raise InputError("0A000", f'format not supported for type time: "{text}"; use HH:MM:SS')
        raise InputError("22007", f'invalid input syntax for type time: "{text}"')
    micros = _time(match, text)
    zone = match["zone"]
    if zone is not None and zone[0] not in "+-":
        dated = match.re is _STAMP
        if len(_named(zone, text, "time").transitions) and not dated:  # its offset depends on the day
            raise InputError("22007", f'invalid input syntax for type time: "{text}"')
        if dated and match["compact"]:
            raise InputError("0A000", f'format not supported for type time: "{text}"; use HH:MM:SS')
    return micros


def _micros(text: str, type_name: str, *, use_zone: bool, session: Zone | None = None) -> int:
    if text.strip(_SPACE).lower() == "epoch":
        return 0
    if sign := _INFINITE.get(text.strip(_SPACE).lower()):
        return (1 << 63) - 1 if sign > 0 else -(1 << 63)
    match = _match(text, type_name)
    micros = _days(match, text) * MICROS_PER_DAY + _time(match, text)
    zone = match["zone"]
    if zone is None:
        offset = 0 if session is None else session.offset_at_local(micros // 1_000_000) * 1_000_000
    elif zone[0] in "+-":
        offset = _offset(zone, text)
    else:
        offset = _named(zone, text, type_name, session).offset_at_local(micros // 1_000_000) * 1_000_000
    if use_zone:
        micros -= offset
    if not MIN_TIMESTAMP <= micros <= MAX_TIMESTAMP:
        raise InputError("22008", f'timestamp out of range: "{text}"')
    return micros


def _named(name: str, text: str, type_name: str, session: Zone | None = None) -> Zone:
    from .zones import zone_in_text

    return zone_in_text(name, text, type_name, session)


def _match(text: str, type_name: str) -> re.Match[str]:
    trimmed = text.strip(_SPACE)
    match = _STAMP.match(trimmed)
    if match is not None:
        return match
    lowered = trimmed.lower()
    if lowered in _WORDS:
        raise InputError("0A000", f'"{trimmed}" is not supported as input for type {type_name}')
    if re.match(r"j\d+|\d{8}\s*t\d", lowered):
        raise InputError("0A000", f'format not supported for type {type_name}: "{text}"; use YYYY-MM-DD')
    digits = any(char.isdigit() for char in trimmed)
    if (
        digits
        and re.search(r"[/.:,-]|\s|\d{6}", trimmed)
        and (
            _MONTH.search(trimmed)
            or not re.search(r"[^0-9\s/.:,+-]", trimmed)
            or re.match(r"\d{1,7}-\d+-\d+", trimmed)
        )
    ):
        raise InputError("0A000", f'format not supported for type {type_name}: "{text}"; use YYYY-MM-DD')
    raise InputError("22007", f'invalid input syntax for type {type_name}: "{text}"')


def _days(match: re.Match[str], text: str) -> int:
    if compact := match["compact"]:
        year, month, day = int(compact[:4]), int(compact[4:6]), int(compact[6:])
    else:
        year, month, day = int(match["year"]), int(match["month"]), int(match["day"])
    before_christ = (match["era"] or "").lower() == "bc"
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= 31:
        raise _out_of_range(text)
    if before_christ:
        year = 1 - year
    if day > days_in_month(year, month):
        raise _out_of_range(text)
    return days_from_civil(year, month, day)


def _time(match: re.Match[str], text: str) -> int:
    if match["hour"] is None:
        return 0
    hour, minute, second = int(match["hour"]), int(match["minute"]), int(match["second"] or 0)
    if half := (match["half"] or "").lower():
        if hour > 12:
            raise _out_of_range(text)
        hour = hour % 12 + (12 if half == "pm" else 0)
    # As PostgreSQL does: the fraction as a double, rounded half to even.
    fraction = match["fraction"]
    micros = round(float(fraction) * 1_000_000) if fraction and fraction != "." else 0
    total = ((hour * 60 + minute) * 60 + second) * 1_000_000 + micros
    if minute > 59 or second > 60 or total > MICROS_PER_DAY:
        raise _out_of_range(text)
    return total


def _offset(zone: str, text: str) -> int:
    """Microseconds east of UTC."""
    digits = zone[1:].replace(":", "")
    if len(digits) % 2:
        digits = "0" + digits
    hours, minutes, seconds = int(digits[:2]), int(digits[2:4] or 0), int(digits[4:6] or 0)
    if hours > 15 or minutes > 59 or seconds > 59:
        raise InputError("22009", f'time zone displacement out of range: "{text}"')
    return (1 if zone[0] == "+" else -1) * ((hours * 60 + minutes) * 60 + seconds) * 1_000_000


def _out_of_range(text: str) -> InputError:
    return InputError("22008", f'date/time field value out of range: "{text}"')


def days_in_month(year: int, month: int) -> int:
    """Days of a month in the proleptic Gregorian calendar; year 0 is 1 BC."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date of the proleptic Gregorian calendar; year 0 is 1 BC."""
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468
