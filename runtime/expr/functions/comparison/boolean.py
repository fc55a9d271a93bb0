"""Tests on booleans.  AND, OR and NOT-of-errors are the evaluator's own; NOT is an ordinary strict function."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ....repr.types import BOOL
from ...tree.function import CallInfo, Datum, Function, Kernel, Overload


def _test(check: Callable[[Any], Any]) -> Kernel:
    def kernel(args: Sequence[Datum], info: CallInfo) -> pa.Array:
        return check(args[0])

    return kernel


_TESTS: dict[str, Kernel] = {
    "is_true": _test(lambda x: x.fill_null(False)),
    "is_not_true": _test(lambda x: pc.invert(x.fill_null(False))),
    "is_false": _test(lambda x: pc.invert(x.fill_null(True))),
    "is_not_false": _test(lambda x: x.fill_null(True)),
    "is_unknown": _test(pc.is_null),
    "is_not_unknown": _test(pc.is_valid),
}

FUNCTIONS: tuple[Function, ...] = (
    Function("not", (Overload((BOOL,), BOOL, _test(pc.invert)),), "NOT"),
    *(
        Function(name, (Overload((BOOL,), BOOL, kernel, strict=False, nullable=False),))
        for name, kernel in _TESTS.items()
    ),
)
