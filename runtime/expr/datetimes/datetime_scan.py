"""Dates and times read by a template: to_date and to_timestamp.

The template's fields are read one after the other.  A number takes as many digits as its keyword has letters, or as many as
there are where something that is no digit follows in the template (or with FM).  Spaces before a field do not count;
punctuation in the template matches any punctuation or space, or nothing.  What stands behind the last field is ignored,
as are the fields for which nothing is left.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..text.digits import whole
from .datetime_input import (
    MAX_DATE,
    MAX_TIMESTAMP,
    MICROS_PER_DAY,
    MIN_DATE,
    MIN_TIMESTAMP,
    InputError,
    days_from_civil,
    days_in_month,
)
from .datetime_template import DAYS, MONTHS, Character, Field, Node, parse_template

_NOT_DIGITS = frozenset(
    (
        "AM",
        "PM",
        "A.M.",
        "P.M.",
        "AD",
        "BC",
        "A.D.",
        "B.C.",
        "MONTH",
        "MON",
        "DAY",
        "DY",
        "RM",
        "TZ",
        "TZH",
        "OF",
        "FX",
    )
)
_REFUSED = frozenset(
    ("CC", "Y,YYY", "IYYY", "IYY", "IY", "I", "IW", "ID", "IDDD", "RM", "TZ", "TZH", "TZM", "OF")
)
_NUMBERS = {
    "HH": "hour", "HH12": "hour", "HH24": "hour", "MI": "minute", "SS": "second", "SSSS": "seconds", "SSSSS": "seconds", "MM": "month",
    "DD": "day", "DDD": "day_of_year", "D": "weekday", "WW": "week", "W": "week_of_month", "J": "julian", "YYYY": "year", "YYY": "year",
    "YY": "year", "Y": "year", "Q": "quarter",
}  # fmt: skip
_INTEGER = re.compile(r"\s*[+-]?\d+", re.ASCII)
_SPACE = " \t\n\r\v\f"
_EPOCH_JULIAN = 2_440_588


@dataclass(slots=True)
class _Found:
    """What was read.  0 is: not there."""

    values: dict[str, int] = field(default_factory=dict)
    twelve: bool = False

    def __getitem__(self, name: str) -> int:
        return self.values.get(name, 0)

    def put(self, name: str, value: int, node: Field) -> None:
        known = self[name]
        if known not in (0, value):
            raise InputError("22007", f'conflicting values for "{node.keyword}" field in formatting string')
        self.values[name] = value


def parse_by_template(text: str, template: str) -> tuple[int, int]:
    """(days since 1970, microseconds of the day).  Raises InputError."""
    nodes = parse_template(template)
    for node in nodes:
        if isinstance(node, Field) and node.name.upper() in _REFUSED:
            raise InputError("0A000", f'the format "{node.keyword}" is not supported for input')
    return _value(_read(text, nodes), text)


# --- reading ---------------------------------------------------------------------------------------------------------


def _is_separator(char: str) -> bool:
    return " " < char < "\x7f" and not char.isalnum()


def _read(text: str, nodes: Sequence[Node]) -> _Found:
    found = _Found()
    at = skipped = 0
    exact = False
    for place, node in enumerate(nodes):
        if at >= len(text):
            break
        action = isinstance(node, Field)
        if not exact and not (isinstance(node, Field) and node.name == "FX") and (action or place == 0):
            start, at = at, _past_spaces(text, at)
            skipped += at - start
        if at >= len(text) and not action:
            continue
        if isinstance(node, Character):
            if not node.quoted and (node.text in _SPACE or _is_separator(node.text)):
                if exact:
                    at += 1
                else:
                    skipped -= 1
                    if text[at] in _SPACE or _is_separator(text[at]):
                        at += 1
                        skipped += 1
            elif not exact and skipped > 0:
                skipped -= 1
            else:
                at += 1
            continue
        if node.name == "FX":
            exact = True
            continue
        at = _read_field(text, at, node, nodes[place + 1 :], found)
        if not exact:
            start, at = at, _past_spaces(text, at)
            skipped = at - start
    return found


def _past_spaces(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _read_field(text: str, at: int, node: Field, rest: Sequence[Node], found: _Found) -> int:
    """Where the text goes on behind the field."""
    name = node.name.upper()
    if name in ("AM", "PM", "A.M.", "P.M.", "AD", "BC", "A.D.", "B.C."):
        half = "M" in name
        plain = ("AM", "PM") if half else ("AD", "BC")
        dotted = ("A.M.", "P.M.") if half else ("A.D.", "B.C.")
        value, at = _word(text, at, dotted if "." in name else plain, node)
        found.put("half" if half else "before_christ", value, node)
        found.twelve |= half
        return at
    if name in ("MONTH", "MON", "DAY", "DY"):
        full = MONTHS if name.startswith("MON") else DAYS
        names = full if name in ("MONTH", "DAY") else tuple(word[:3] for word in full)
        value, at = _word(text, at, names, node)
        if full is MONTHS:
            found.put("month", value + 1, node)
        return at
    if name in ("MS", "US") or name.startswith("FF"):
        digits = {"MS": 3, "US": 6}.get(name) or int(name[2:])
        value, end = _integer(text, at, digits, node, rest)
        scale = 10 ** max((3 if name == "MS" else 6) - (end - at), 0)
        found.put("milliseconds" if name == "MS" else "microseconds", value * scale, node)
        return _past_ordinal(text, end, node)
    found.twelve |= name in ("HH", "HH12")
    size = 2 if name.startswith("HH") else len(name)
    value, end = _integer(text, at, size, node, rest)
    if name in ("YYY", "YY", "Y") and end - at < 4:
        value = _full_year(value)
    if name != "Q":
        found.put(_NUMBERS[name], value, node)
    return _past_ordinal(text, end, node)


def _full_year(year: int) -> int:
    """The year nearest to 2020 that ends so."""
    if year < 70:
        return year + 2000
    if year < 100:
        return year + 1900
    if year < 520:
        return year + 2000
    return year + 1000 if year < 1000 else year


def _past_ordinal(text: str, at: int, node: Field) -> int:
    return min(at + 2, len(text)) if node.ordinal else at


def _word(text: str, at: int, names: Sequence[str], node: Field) -> tuple[int, int]:
    lowered = text[at:].lower()
    for place, name in enumerate(names):
        if lowered.startswith(name.lower()):
            return place, at + len(name)
    shown = re.split(r"\s", text[at:], maxsplit=1)[0]
    raise InputError("22007", f'invalid value "{shown}" for "{node.keyword}"')


def _integer(text: str, at: int, size: int, node: Field, rest: Sequence[Node]) -> tuple[int, int]:
    """(value, where it ends)."""
    start = _past_spaces(text, at)
    copy = text[start : start + size]
    if not node.fill or _digits_end(node, rest):
        match = _INTEGER.match(text, at)
        end = at if match is None else match.end()
    else:
        if len(text) - start < size:
            raise InputError("22007", f'source string too short for "{node.keyword}" formatting field')
        match = _INTEGER.match(copy)
        used = 0 if match is None else match.end()
        if 0 < used < size:
            raise InputError("22007", f'invalid value "{copy}" for "{node.keyword}"')
        end = start + used if match is not None else at
    if match is None:
        raise InputError("22007", f'invalid value "{copy}" for "{node.keyword}"')
    value = whole(match.group())
    if not -(1 << 31) <= value < 1 << 31:
        raise InputError("22008", f'value for "{node.keyword}" in source string is out of range')
    return value, end


def _digits_end(node: Field, rest: Sequence[Node]) -> bool:
    """Whether what follows the field in the template is no digit."""
    if node.ordinal or not rest:
        return True
    following = rest[0]
    if isinstance(following, Field):
        return following.name.upper() in _NOT_DIGITS
    return not following.text.isdigit()


# --- what was read, as a date and a time -----------------------------------------------------------------------------


def _value(found: _Found, text: str) -> tuple[int, int]:
    micros = _time(found, text)
    year = -found["year"] if found["before_christ"] else found["year"]
    known = {"year"} if year else set()
    year += year < 0
    month = day = 1
    if julian := found["julian"]:
        year, month, day = _civil(julian - _EPOCH_JULIAN)
        known = {"year", "month", "day"}
    of_year = (found["week"] - 1) * 7 + 1 if found["week"] else found["day_of_year"]
    of_month = (found["week_of_month"] - 1) * 7 + 1 if found["week_of_month"] else found["day"]
    if of_month:
        day = of_month
        known.add("day")
    if found["month"]:
        month = found["month"]
        known.add("month")
    if of_year and (month <= 1 or day <= 1):
        if not year and not found["before_christ"]:
            raise InputError("22007", "cannot calculate day of year without year information")
        ends, month_of = 0, 1
        while month_of < 12 and of_year > ends + days_in_month(year, month_of):
            ends += days_in_month(year, month_of)
            month_of += 1
        if month <= 1:
            month = month_of
        if day <= 1:
            day = of_year - ends
        known |= {"month", "day"}
    wrong = ("month" in known and not 1 <= month <= 12) or ("day" in known and not 1 <= day <= 31)
    if wrong or (len(known) == 3 and day > days_in_month(year, month)):
        raise _out_of_range(text)
    return days_from_civil(year, month, day), micros


def _time(found: _Found, text: str) -> int:
    seconds = found["seconds"]
    hour, minute, second = seconds // 3600, seconds % 3600 // 60, seconds % 60
    hour, minute, second = found["hour"] or hour, found["minute"] or minute, found["second"] or second
    if found.twelve:
        if not 1 <= hour <= 12:
            raise InputError("22007", f'hour "{hour}" is invalid for the 12-hour clock')
        hour = hour % 12 + (12 if found["half"] else 0)
    fraction = found["milliseconds"] * 1000 + found["microseconds"]
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= fraction < 1_000_000):
        raise _out_of_range(text)
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction


def _civil(days: int) -> tuple[int, int, int]:
    """(year, month, day) of days since 1970: the inverse of `days_from_civil`."""
    shifted = days + 719_468
    era, of_era = divmod(shifted, 146_097)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    place = (5 * of_year + 2) // 153
    month = place + 3 if place < 10 else place - 9
    return year + era * 400 + (month <= 2), month, of_year - (153 * place + 2) // 5 + 1


def _out_of_range(text: str) -> InputError:
    return InputError("22008", f'date/time field value out of range: "{text}"')


def date_by_template(text: str, template: str) -> int:
    """Days since 1970: the time is read, and must be one, but does not count."""
    days = parse_by_template(text, template)[0]
    if not MIN_DATE <= days <= MAX_DATE:
        raise InputError("22008", f'date out of range: "{text}"')
    return days


def timestamp_by_template(text: str, template: str) -> int:
    """Microseconds since 1970 UTC."""
    days, micros = parse_by_template(text, template)
    total = days * MICROS_PER_DAY + micros
    if not MIN_TIMESTAMP <= total <= MAX_TIMESTAMP:
        raise InputError("22008", "timestamp out of range")
    return total
