"""Arithmetic of multiplicities, which never wraps: how often a row occurs is an int64, and a wrapped one is a wrong answer.

A product of two is at most `MOST`, so that sums of a great many of them are exact.  A sum is refused before it reaches 2^62.  The
common case costs the extremes of the operands.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from ..errors import PtvcError

Diffs = npt.NDArray[np.int64]

MOST: Final = 1 << 47
"""Of how often a join finds one row."""
MOST_WRITTEN: Final = 1 << 40
"""Of how often one statement writes a row: many thousand such writes can be summed up, so what was written can be deleted."""
_MOST_SUM: Final = 1 << 62

_FEW: Final = 16
"""So few values are looked at in Python, in 1 to 2 us: steps are small most often, and two reductions by numpy take 6 us."""


class TooManyRows(PtvcError):
    sqlstate = "54000"

    def __init__(self) -> None:
        super().__init__(
            f"a row occurs more than {MOST:,} times in an intermediate result",
            hint="Aggregate or remove duplicates before the join.",
        )


def product(left: Diffs, right: Diffs) -> Diffs:
    """Element by element."""
    if largest(left) * largest(right) > MOST:
        exact_enough = np.abs(left.astype(np.float64)) * np.abs(right.astype(np.float64))
        if (exact_enough > MOST).any():
            raise TooManyRows
    return left * right


def check_sum(diffs: Diffs) -> None:
    """No sum of some of the diffs wraps."""
    if (
        largest(diffs) * len(diffs) >= _MOST_SUM
        and float(np.abs(diffs.astype(np.float64)).sum()) >= _MOST_SUM
    ):
        raise TooManyRows


def check_written(diffs: Diffs) -> None:
    """Of a statement's insertions."""
    if len(diffs) and int(diffs.max()) > MOST_WRITTEN:
        raise PtvcError(
            f"a statement writes a row more than {MOST_WRITTEN:,} times",
            sqlstate="54000",
            hint="Keep one row with a column that says how often it occurs.",
        )


def largest(diffs: Diffs) -> int:
    """The greatest absolute value; 0 of none."""
    if not len(diffs):
        return 0
    if not diffs.strides[0]:  # repeated
        return abs(int(diffs[0]))
    if len(diffs) <= _FEW:
        return int(max(map(abs, diffs.tolist())))
    return max(int(diffs.max()), -int(diffs.min()))
