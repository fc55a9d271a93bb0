"""Times of collections and whole milliseconds: mz_timestamp + n, mz_timestamp - n, and how far two of them are apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....repr.buffers import validity
from ....repr.types import INT8, MZ_TIMESTAMP
from ...columns.arrays import array_of_numpy, both_valid, numpy_values
from ...columns.row_errors import Evaluated, same_error
from ...tree.function import CallInfo, Datum, Kernel, Overload, as_array

Compute = Callable[[Any, Any], tuple[Any, Any]]
"""(uint64, uint64) to the result, which may wrap, and where it does."""


def _later(times: Any, millis: Any) -> tuple[Any, Any]:
    moved = times + millis
    return moved, np.where(millis.view(np.int64) < 0, moved > times, moved < times)


def _earlier(times: Any, millis: Any) -> tuple[Any, Any]:
    moved = times - millis
    return moved, np.where(millis.view(np.int64) < 0, moved < times, moved > times)


def _apart(times: Any, others: Any) -> tuple[Any, Any]:
    millis = (times - others).view(np.int64)
    return millis, (times >= others) != (millis >= 0)


def _kernel(compute: Compute) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> Evaluated:
        left, right = (as_array(datum, info.length) for datum in args)
        values, wrong = compute(numpy_values(left), numpy_values(right).view(np.uint64))
        valid = both_valid(validity(left), validity(right))
        rows = np.flatnonzero(wrong if valid is None else wrong & valid)
        if len(rows):
            valid = both_valid(valid, ~wrong)
        errors = same_error(rows, "22003", f"{info.result} out of range")
        return Evaluated(array_of_numpy(values, valid, info.result.arrow), errors)

    return kernel


OVERLOADS: dict[str, list[Overload]] = {
    "add": [Overload((MZ_TIMESTAMP, INT8), MZ_TIMESTAMP, _kernel(_later), can_fail=True)],
    "subtract": [
        Overload((MZ_TIMESTAMP, INT8), MZ_TIMESTAMP, _kernel(_earlier), can_fail=True),
        Overload((MZ_TIMESTAMP, MZ_TIMESTAMP), INT8, _kernel(_apart), can_fail=True),
    ],
}
