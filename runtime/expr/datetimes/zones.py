"""Time zones: where the clocks of a zone stood, as sorted arrays, so that whole columns are looked up at once.

```
transitions (UTC seconds)        t0          t1          t2   ...
offset east of UTC       o0   |      o1   |      o2   |
```

The tables are those of the tzdata package, whatever the machine has: a view's contents must not depend on that.  Behind
the last transition a zone follows its rule for 400 years, after which the calendar, weekdays included, repeats itself.

A local time that a zone skips is taken by the offset before the gap, one that it has twice by the later offset, as in
PostgreSQL.
"""

from __future__ import annotations

import functools
import re
import struct
from dataclasses import dataclass, replace
from importlib import resources

import numpy as np
import numpy.typing as npt

from .datetime_input import InputError, days_from_civil, days_in_month

Ints = npt.NDArray[np.int64]
_CYCLE = 146_097 * 86_400
"""Seconds of 400 years."""

ABBREVIATIONS: dict[str, int] = {
    name: round(hours * 3600)
    for name, hours in {
        "acdt": 10.5, "acsst": 10.5, "acst": 9.5, "act": -5, "acwst": 8.75, "adt": -3, "aedt": 11, "aesst": 11, "aest": 10,
        "aft": 4.5, "akdt": -8, "akst": -9, "almst": 7, "almt": 6, "amt": -4, "ast": -4, "awsst": 9, "awst": 8, "azost": 0,
        "azot": -1, "bdst": 2, "bdt": 6, "bnt": 8, "bort": 8, "bot": -4, "bra": -3, "brst": -2, "brt": -3, "bst": 1, "btt": 6,
        "cadt": 10.5, "cast": 9.5, "cct": 8, "cdt": -5, "cest": 2, "cet": 1, "cetdst": 2, "chadt": 13.75, "chast": 12.75,
        "chut": 10, "clst": -3, "cot": -5, "cst": -6, "cxt": 7, "ddut": 10, "eat": 3, "edt": -4, "eest": 3, "eet": 2,
        "eetdst": 3, "egst": 0, "egt": -1, "est": -5, "fet": 3, "fjst": 13, "fjt": 12, "fnst": -1, "fnt": -2, "galt": -6,
        "gamt": -9, "gft": -3, "gilt": 12, "gmt": 0, "hkt": 8, "hst": -10, "ict": 7, "idt": 3, "irt": 3.5, "ist": 2, "jayt": 9,
        "jst": 9, "kdt": 10, "kgst": 6, "kst": 9, "lhst": 10.5, "ligt": 10, "mart": -9.5, "mdt": -6, "mest": 2, "mesz": 2,
        "met": 1, "metdst": 2, "mez": 1, "mht": 12, "mmt": 6.5, "mpt": 10, "msd": 4, "mst": -7, "must": 5, "mut": 4, "mvt": 5,
        "myt": 8, "ndt": -2.5, "nft": -3.5, "npt": 5.75, "nst": -3.5, "nzdt": 13, "nzst": 12, "nzt": 12, "pdt": -7, "pet": -5,
        "pgt": 10, "pht": 8, "pkst": 6, "pkt": 5, "pmdt": -2, "pmst": -3, "pont": 11, "pst": -8, "pwt": 9, "pyst": -3, "ret": 4,
        "sadt": 10.5, "sast": 2, "sct": 4, "taht": -10, "tft": 5, "tjt": 5, "tot": 13, "trut": 10, "tvt": 12, "uct": 0,
        "ulast": 9, "ut": 0, "utc": 0, "uyst": -2, "uyt": -3, "uzst": 6, "uzt": 5, "vut": 11, "wadt": 8, "wakt": 12, "wast": 7,
        "wat": 1, "wdt": 9, "wet": 0, "wetdst": 1, "wft": 12, "wgst": -2, "wgt": -3, "xjt": 6, "yapt": 10, "yekst": 6, "z": 0,
        "zulu": 0,
    }.items()
}  # fmt: skip
"""Abbreviations that PostgreSQL takes for one offset in all years."""

CHANGING = frozenset(
    (
        "amst", "anast", "anat", "arst", "art", "azst", "azt", "ckt", "clt", "davt", "easst", "east", "fkst", "fkt",
        "gest", "get", "gyt", "iot", "irkst", "irkt", "kgt", "kost", "krast", "krat", "lhdt", "lint", "lkt", "magst",
        "magt", "mawt", "msk", "novst", "novt", "nut", "omsst", "omst", "petst", "pett", "pyt", "sgt", "tkt", "tmt",
        "ulat", "vet", "vlast", "vlat", "volt", "yakst", "yakt", "yekt",
    )
)  # fmt: skip
"""Abbreviations whose offset depends on the year."""


@dataclass(frozen=True, slots=True)
class Zone:
    """`offsets[i]` seconds east of UTC up to (without) `transitions[i]`; one more offset than transitions."""

    transitions: Ints
    offsets: Ints
    abbreviations: frozenset[tuple[str, int]] = frozenset()
    """Those that the zone itself has had, in lower case, with their offsets."""

    def at_utc(self, seconds: Ints) -> Ints:
        """The offset at each instant (seconds since 1970)."""
        found: Ints = self.offsets[np.searchsorted(self.transitions, self._within(seconds), side="right")]
        return found

    def at_local(self, seconds: Ints) -> Ints:
        """The offset that each local time (seconds as if it were UTC) is meant by."""
        if not len(self.transitions):
            return np.full(len(seconds), self.offsets[0])
        local = self._within(seconds)
        place = np.searchsorted(self.transitions, local - 86_400, side="right")
        known = place < len(self.transitions)
        at = np.minimum(place, len(self.transitions) - 1)
        boundary, before, after = self.transitions[at], self.offsets[at], self.offsets[at + 1]
        early, late = local - before, local - after
        take_before = (early < boundary) & (late < boundary)
        take_after = (early > boundary) & (late >= boundary)
        unclear = ~take_before & ~take_after
        chosen = np.where(take_after | (unclear & (early <= late)), after, before)
        return np.where(known, chosen, self.offsets[-1])

    def offset_at_local(self, second: int) -> int:
        """As `at_local`, of one time."""
        return int(self.at_local(np.array([second], np.int64))[0])

    def _within(self, seconds: Ints) -> Ints:
        """Times behind the last transition moved back by whole cycles, where the zone goes on by a rule."""
        if len(self.transitions) < 2 or self.transitions[-1] - self.transitions[0] < _CYCLE:
            return seconds
        last = self.transitions[-1] - 86_400 * 366
        beyond = np.maximum(seconds - last, 0)
        moved: Ints = seconds - -(-beyond // _CYCLE) * _CYCLE
        return moved


@functools.lru_cache(maxsize=1)
def zone_names() -> dict[str, str]:
    """Every zone's name by its lower case."""
    text = (resources.files("tzdata") / "zones").read_text()
    return {name.lower(): name for name in text.split()}


_POSIX = re.compile(r"[a-z]{3,}[+-]?\d[\d:]*(?:[a-z]{3,}.*)?")
_NOISE = frozenset(
    (
        "at", "on", "sun", "sunday", "mon", "monday", "tue", "tues", "tuesday", "wed", "weds", "wednesday", "thu", "thur", "thurs",
        "thursday", "fri", "friday", "sat", "saturday",
    )
)  # fmt: skip


def zone_in_text(name: str, text: str, type_name: str, session: Zone | None) -> Zone:
    """The zone that a word within `text` names, which is input of the type.

    Raises InputError: 22023 for what can be nothing but a zone and is none, 22007 for another word; 0A000 for what PostgreSQL reads
    and is not supported: POSIX's own rules, abbreviations whose meaning changes with the years or is another one in the
    session's zone, words that mean nothing.
    """
    lowered = name.lower()
    offset = ABBREVIATIONS.get(lowered)
    own = {at for known, at in session.abbreviations if known == lowered} if session is not None else set()
    if lowered in _NOISE or lowered in CHANGING or own - {offset}:
        raise InputError(
            "0A000", f'"{name}" is not supported as a part of input for type {type_name}: "{text}"'
        )
    if offset is not None or lowered in zone_names():
        return find_zone(name)
    if lowered.isalpha():
        raise InputError("22007", f'invalid input syntax for type {type_name}: "{text}"')
    if _POSIX.fullmatch(lowered):
        raise InputError("0A000", f'time zone "{name}" is not supported; use a name such as Europe/Vienna')
    raise InputError("22023", f'time zone "{lowered}" not recognized')


UTC_NAMES = frozenset(("UTC", "UCT", "Zulu", "Universal", "Etc/UTC", "Etc/UCT", "Etc/Zulu", "Etc/Universal"))
"""The zones that are UTC under that name."""


def session_zone(name: str) -> str:
    """The zone that a session may be in, as it is spelled.

    Raises InputError as `find_zone`; an abbreviation alone is none (22023), one that is the name of a zone too, whose
    offsets are others, is refused (0A000).
    """
    known = zone_names().get(name.lower())
    if known is None and name.lower() not in ABBREVIATIONS:
        find_zone(name)  # which says what is wrong with it
    if known is None:
        raise InputError("22023", f'invalid value for parameter "TimeZone": "{name}"')
    if known.lower() in ABBREVIATIONS and known not in UTC_NAMES and known != "GMT":
        raise InputError("0A000", f'time zone "{name}" is not supported; use a name such as Europe/Vienna')
    return known


@functools.lru_cache(maxsize=1024)
def find_zone(name: str) -> Zone:
    """The zone of that name or abbreviation, in any case.

    Raises InputError: 22023 for what is none; 0A000 for PostgreSQL's other ways to write one, which are not supported.
    """
    lowered = name.lower()
    offset = ABBREVIATIONS.get(lowered)
    if offset is not None:
        return Zone(np.empty(0, np.int64), np.array([offset], np.int64))
    known = zone_names().get(lowered)
    if known is None:
        if re.fullmatch(r"[a-z]{0,6}[+-]?\d[\d:]*[a-z]*\d*|[a-z]{3,5}", lowered):
            raise InputError(
                "0A000", f'time zone "{name}" is not supported; use a name such as Europe/Vienna'
            )
        raise InputError("22023", f'time zone "{name}" not recognized')
    data = resources.files("tzdata") / "zoneinfo"
    for part in known.split("/"):
        data = data / part
    return _parse(data.read_bytes())


# --- the files -----------------------------------------------------------------------------------------------------------

_HEADER = struct.Struct(">4sc15x6I")


def _parse(data: bytes) -> Zone:
    """A file of the format TZif (RFC 9636): the second block, of 64-bit times, and the rule behind it."""
    _, _, isut, isstd, leap, count, types, chars = _HEADER.unpack_from(data)
    start = _HEADER.size + count * 5 + types * 6 + chars + leap * 8 + isstd + isut
    _, _, isut, isstd, leap, count, types, chars = _HEADER.unpack_from(data, start)
    start += _HEADER.size
    transitions = np.frombuffer(data, ">i8", count, start).astype(np.int64)
    index = np.frombuffer(data, np.uint8, count, start + count * 8)
    start += count * 9
    offsets = np.array([struct.unpack_from(">i", data, start + 6 * i)[0] for i in range(types)], np.int64)
    texts = data[start + types * 6 : start + types * 6 + chars]
    places = [data[start + 6 * i + 5] for i in range(types)]
    names = [texts[place : texts.index(b"\0", place)].decode().lower() for place in places]
    start += types * 6 + chars + leap * 12 + isstd + isut
    rule = data[start:].strip(b"\n").decode()
    every = np.concatenate(([offsets[0]], offsets[index]))
    zone = _extended(transitions, every, rule)
    return replace(zone, abbreviations=frozenset(zip(names, map(int, offsets), strict=True)))


_RULE = re.compile(
    r"(?:<[^>]+>|[A-Za-z]+)(?P<std>[+-]?[\d:]+)(?:(?:<[^>]+>|[A-Za-z]+)(?P<dst>[+-]?[\d:]+)?,(?P<start>[^,]+),(?P<end>[^,]+))?"
)


def _extended(transitions: Ints, offsets: Ints, rule: str) -> Zone:
    match = _RULE.fullmatch(rule)
    if match is None or match["start"] is None:
        return Zone(transitions, offsets)
    standard = -_seconds(match["std"])
    summer = standard + 3600 if match["dst"] is None else -_seconds(match["dst"])
    last = int(transitions[-1]) if len(transitions) else 0
    first_year = int(np.datetime64(last, "s").astype("datetime64[Y]").astype(np.int64)) + 1970
    added: list[tuple[int, int]] = []
    for year in range(first_year, first_year + 403):
        added.append((_moment(match["start"], year) - standard, summer))
        added.append((_moment(match["end"], year) - summer, standard))
    added = sorted(pair for pair in added if pair[0] > last)
    times, then = zip(*added, strict=True)
    return Zone(
        np.concatenate((transitions, np.array(times, np.int64))),
        np.concatenate((offsets, np.array(then, np.int64))),
    )


def _seconds(text: str) -> int:
    sign = -1 if text.startswith("-") else 1
    parts = [int(part) for part in text.lstrip("+-").split(":")]
    return sign * sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))


def _moment(rule: str, year: int) -> int:
    """`M3.2.0/2`, `J60` or `59`: local seconds since 1970, of that year."""
    date, _, time = rule.partition("/")
    seconds = _seconds(time) if time else 7200
    if date.startswith("M"):
        month, week, weekday = (int(part) for part in date[1:].split("."))
        first = days_from_civil(year, month, 1)
        day = first + (weekday - (first + 4)) % 7 + 7 * (week - 1)
        while day >= first + days_in_month(year, month):
            day -= 7
    elif date.startswith("J"):
        number = int(date[1:])  # February 29th is never counted
        leap = days_in_month(year, 2) == 29 and number >= 60
        day = days_from_civil(year, 1, 1) + number - 1 + leap
    else:
        day = days_from_civil(year, 1, 1) + int(date)
    return day * 86_400 + seconds
