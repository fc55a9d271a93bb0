"""Window functions: which there are, and the frames that they look at.

A window function is computed for every row of a partition, in the window's order.  Rows that are equal in that order
are *peers*.  Some functions look at the partition (`row_number`, `lag`), others at the row's *frame*, a range of the
partition around it (`first_value`, and every aggregate):

| unit   | an offset counts                                                     | CURRENT ROW is          |
|--------|----------------------------------------------------------------------|-------------------------|
| ROWS   | rows                                                                 | the row                 |
| GROUPS | groups of peers                                                      | the row and its peers   |
| RANGE  | by value: rows whose order key is within the offset of the row's own | the row and its peers   |
"""

from __future__ import annotations

import enum
from dataclasses import dataclass

from .scalar import Literal

RANKING = frozenset(("row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile"))
OFFSET = frozenset(("lag", "lead"))
FRAMED = frozenset(("first_value", "last_value", "nth_value"))

NULLS_IGNORED = OFFSET | FRAMED
"""Functions that can pass over rows on which their first argument is NULL: IGNORE NULLS."""

WINDOW_FUNCTIONS = RANKING | OFFSET | FRAMED
"""Functions that exist as window functions only; every aggregate is one as well."""


class FrameUnit(enum.Enum):
    ROWS = "rows"
    RANGE = "range"
    GROUPS = "groups"


class BoundKind(enum.Enum):
    """In the order in which they may follow one another."""

    UNBOUNDED_PRECEDING = "unbounded preceding"
    PRECEDING = "preceding"
    CURRENT = "current row"
    FOLLOWING = "following"
    UNBOUNDED_FOLLOWING = "unbounded following"


class Exclusion(enum.Enum):
    """What a frame leaves out."""

    NO_OTHERS = "no others"
    CURRENT_ROW = "current row"
    GROUP = "group"
    TIES = "ties"


@dataclass(frozen=True, slots=True)
class Bound:
    """`offset` goes with PRECEDING and FOLLOWING: an int8 for ROWS and GROUPS; for RANGE an int8, a float8 or a
    numeric, as the order key is, or an interval, for dates and times.  NULL and negative ones are errors of every row."""

    kind: BoundKind
    offset: Literal | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    unit: FrameUnit
    start: Bound
    end: Bound
    exclusion: Exclusion = Exclusion.NO_OTHERS


DEFAULT_FRAME = Frame(
    FrameUnit.RANGE, Bound(BoundKind.UNBOUNDED_PRECEDING), Bound(BoundKind.CURRENT), Exclusion.NO_OTHERS
)
