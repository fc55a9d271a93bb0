"""What an expression of another warehouse has become: PostgreSQL's text, and the kind of its values.

Meanings depend on kinds: `/` of integers is one thing, of floats another.  A kind that is not known is None, and what depends on
it is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum


class Kind(Enum):
    """`NULL` is that of a bare NULL, which takes any.  `WHOLE` is of whole numbers of four bytes that may be integers or floats:
    what tells these apart is refused."""

    INT = "integer"
    NUMERIC = "numeric"
    FLOAT = "double precision"
    TEXT = "text"
    BOOL = "boolean"
    DATE = "date"
    TIMESTAMP = "timestamp"
    TIMESTAMPTZ = "timestamptz"
    TIME = "time"
    INTERVAL = "interval"
    JSON = "jsonb"
    NULL = "NULL"
    WHOLE = "integer or double precision"


NUMBERS = frozenset({Kind.INT, Kind.NUMERIC, Kind.FLOAT})
EXACT = frozenset({Kind.INT, Kind.NUMERIC})
STAMPS = frozenset({Kind.TIMESTAMP, Kind.TIMESTAMPTZ})
DAYS = frozenset({Kind.DATE, *STAMPS})
TEXT = frozenset({Kind.TEXT})


@dataclass(frozen=True, slots=True)
class Value:
    """`scale`: digits behind the point of a NUMERIC, where that is known; `most`: how many its values have at most, where only that
    is.  `literal`: the text or the digits of a literal."""

    sql: str
    kind: Kind | None = None
    scale: int | None = None
    literal: str | None = None
    most: int | None = None

    def written(self, sql: str) -> Value:
        """The same values, or some of them, by another text."""
        return replace(self, sql=sql, literal=None)

    def named(self, sql: str) -> Value:
        """A column that has these values."""
        return replace(self.written(sql), kind=None if self.kind is Kind.NULL else self.kind)


def scale_of(value: Value) -> int | None:
    return 0 if value.kind in (Kind.INT, Kind.NULL) else value.scale


def most_of(value: Value) -> int | None:
    """Digits behind the point that the values have at most."""
    scale = scale_of(value)
    return value.most if scale is None else scale


_TYPES = {
    "smallint": Kind.INT,
    "integer": Kind.INT,
    "bigint": Kind.INT,
    "int": Kind.INT,
    "int2": Kind.INT,
    "int4": Kind.INT,
    "int8": Kind.INT,
    "numeric": Kind.NUMERIC,
    "double precision": Kind.FLOAT,
    "float8": Kind.FLOAT,
    "text": Kind.TEXT,
    "character varying": Kind.TEXT,
    "varchar": Kind.TEXT,
    "boolean": Kind.BOOL,
    "bool": Kind.BOOL,
    "date": Kind.DATE,
    "timestamp": Kind.TIMESTAMP,
    "timestamp without time zone": Kind.TIMESTAMP,
    "timestamptz": Kind.TIMESTAMPTZ,
    "timestamp with time zone": Kind.TIMESTAMPTZ,
    "time": Kind.TIME,
    "time without time zone": Kind.TIME,
    "interval": Kind.INTERVAL,
    "jsonb": Kind.JSON,
}

_TYPE = re.compile(r"([a-z0-9 ]+?)(?:\((\d+)(?:,\s*(\d+))?\)(.*))?")


def of_type(type_: str, sql: str) -> Value:
    """A column of one of PostgreSQL's types; of no kind for types that nothing is known of."""
    match = _TYPE.fullmatch(type_.strip().lower())
    if match is None:
        return Value(sql)
    kind = _TYPES.get((match[1] + (match[4] or "")).strip())
    scale = int(match[3] or 0) if kind is Kind.NUMERIC and match[2] else None
    return Value(sql, kind, scale)


def text_literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
