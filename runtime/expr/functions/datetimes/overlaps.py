"""(start, end) OVERLAPS (start, end): whether two periods have a moment in common.

A period goes from the earlier of its ends to the later, which it does not contain unless it is a single moment.  The second
of a pair may be an interval from the first.  A NULL leaves open what it might decide.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from ....repr.buffers import validity
from ....repr.types import BOOL, INTERVAL, TIME, TIMESTAMP, TIMESTAMPTZ, ScalarType
from ...columns.arrays import array_of_numpy, numpy_values
from ...columns.row_errors import Evaluated, Mask, RowErrors, merge_errors
from ...tree.function import CallInfo, Datum, Overload
from .interval_arithmetic import OVERLOADS as _ARITHMETIC
from .interval_results import Ints, arrays

_ADD = {overload.params: overload for overload in _ARITHMETIC["add"]}


def _present(array: object, length: int) -> Mask:
    valid = validity(array)
    return np.ones(length, np.bool_) if valid is None else valid


def _period(
    args: Sequence[Datum], types: Sequence[ScalarType], length: int
) -> tuple[Ints, Ints, Mask, Mask, RowErrors | None]:
    """(start, end, whether the start is known, whether the end is); where only one is known it is the start."""
    start, end = args
    errors = None
    if types[1] == INTERVAL:
        added = _ADD[(types[0], INTERVAL)].kernel(
            (start, end), CallInfo((types[0], INTERVAL), types[0], length)
        )
        assert isinstance(added, Evaluated)
        end, errors = added.values, added.errors
    a, b = numpy_values(start), numpy_values(end)
    has_a, has_b = _present(start, length), _present(end, length)
    swapped = (has_a & has_b & (a > b)) | (~has_a & has_b)
    a, b = np.where(swapped, b, a), np.where(swapped, a, b)
    return a, b, has_a | has_b, has_a & has_b, errors


def _overlaps(args: Sequence[Datum], info: CallInfo) -> Evaluated:
    found = arrays(args, info)
    s1, e1, has_s1, has_e1, errors = _period(found[:2], info.types[:2], info.length)
    s2, e2, has_s2, has_e2, more = _period(found[2:], info.types[2:], info.length)
    later = np.where(s1 > s2, s1, s2)
    other_end = np.where(s1 > s2, e2, e1)
    has_other, has_own = np.where(s1 > s2, has_e2, has_e1), np.where(s1 > s2, has_e1, has_e2)
    tied = s1 == s2
    yes = tied | (later < other_end)
    known = has_s1 & has_s2 & np.where(tied, has_e1 & has_e2, has_other & (yes | has_own))
    merged = merge_errors([errors, more])
    if merged is not None:
        known[merged.indices] = False
    return Evaluated(array_of_numpy(yes, known, BOOL.arrow), merged)


OVERLOADS: dict[str, list[Overload]] = {
    "overlaps": [
        Overload((type_, first, type_, second), BOOL, _overlaps, can_fail=True, strict=False)
        for type_ in (TIMESTAMP, TIMESTAMPTZ, TIME)
        for first, second in product((type_, INTERVAL), repeat=2)
    ]
}
