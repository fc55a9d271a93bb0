"""Templates of to_char, to_date and to_timestamp: a text cut into fields and characters between them.

A field is one of PostgreSQL's keywords, whose case matters (`MONTH`, `Month`, `month`), perhaps with `FM` before it (no
padding) or `TH` behind (an ordinal).  What is no keyword stands for itself; double quotes protect what would be one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

_UPPER = (
    "A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "CC", "DAY", "DDD", "DD", "DY", "Day", "Dy", "D", "FF1", "FF2", "FF3", "FF4", "FF5", "FF6",
    "FX", "HH24", "HH12", "HH", "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I", "J", "MI", "MM", "MONTH", "MON", "MS", "Month", "Mon", "OF",
    "P.M.", "PM", "Q", "RM", "SSSSS", "SSSS", "SS", "TZH", "TZM", "TZ", "US", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y",
)  # fmt: skip
_KEYWORDS = tuple(sorted(dict.fromkeys((*_UPPER, *(word.lower() for word in _UPPER))), key=len, reverse=True))
_CASED = frozenset(
    ("A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "DAY", "DY", "MONTH", "MON", "P.M.", "PM", "RM", "TZ")
)
"""Fields whose text is written in the case of the keyword."""


@dataclass(frozen=True, slots=True)
class Field:
    """`name` is the keyword in upper case, but for those whose case is that of the result."""

    name: str
    keyword: str
    fill: bool = True
    ordinal: str = ""


@dataclass(frozen=True, slots=True)
class Character:
    """A character that stands for itself; `quoted` when it was in double quotes."""

    text: str
    quoted: bool = False


Node = Field | Character


@lru_cache(maxsize=1024)
def parse_template(text: str) -> tuple[Node, ...]:
    nodes: list[Node] = []
    at = 0
    while at < len(text):
        fill = True
        prefix = text[at : at + 2]
        if prefix in ("FM", "fm", "TM", "tm"):
            fill = False
            at += 2
        keyword = next((word for word in _KEYWORDS if text.startswith(word, at)), None)
        if keyword is not None:
            at += len(keyword)
            ordinal = text[at : at + 2] if text[at : at + 2] in ("TH", "th") else ""
            at += len(ordinal)
            if text[at : at + 2] == "SP" and not ordinal:
                at += 2  # spelled numbers, which PostgreSQL does not write either
            upper = keyword.upper()
            if prefix in ("TM", "tm") and upper not in ("MONTH", "MON", "DAY", "DY"):
                fill = True  # names alone are translated, into English
            nodes.append(Field(keyword if upper in _CASED else upper, keyword, fill, ordinal))
        elif at < len(text) and text[at] == '"':
            at += 1
            while at < len(text) and text[at] != '"':
                if text[at] == "\\" and at + 1 < len(text):
                    at += 1
                nodes.append(Character(text[at], quoted=True))
                at += 1
            at += 1
        elif at < len(text):
            if text[at] == "\\" and text[at + 1 : at + 2] == '"':
                at += 1
            nodes.append(Character(text[at]))
            at += 1
    return tuple(nodes)


MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
ROMAN = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
