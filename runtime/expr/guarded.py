"""Kernels that fail: an exception that is none of ours is an error of the rows that it comes from, not of all.

A defect of a kernel that a value meets would otherwise end the dataflow that maintains a view, for good, although the
row may be corrected or deleted.  The rows are halved until those that fail are alone; the others have their values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from ..repr.limits import as_limit
from ..repr.types import ScalarType
from .columns.row_errors import Evaluated, concat_errors, same_error
from .tree.function import Datum

logger = logging.getLogger(__name__)

INTERNAL_ERROR = "XX000"

_DEFECTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)

Kernel = Callable[[Sequence[Datum], int], "Evaluated | pa.Array"]
"""Of the arguments and the number of rows."""


def guarded(
    kernel: Kernel, data: Sequence[Datum], count: int, type_: ScalarType, *, logged: bool = False
) -> Evaluated:
    """What `kernel` makes of the rows; an error (XX000) on those on which it raises what is neither an error of ours nor a
    limit of memory.  The log says so once (not if it is `logged` already)."""
    try:
        output = kernel(data, count)
        return output if isinstance(output, Evaluated) else Evaluated(output)
    except (pa.ArrowException, *_DEFECTS) as error:
        if as_limit(error) is not None:
            raise
        if not logged:
            logger.exception("internal error: a function failed on a row")
        if count > 1:
            return _halved(kernel, data, count, type_)
        failed = same_error(
            np.arange(count), INTERNAL_ERROR, f"internal error: {type(error).__name__}: {error}"
        )
        return Evaluated(pa.nulls(count, type_.arrow), failed)


def _halved(kernel: Kernel, data: Sequence[Datum], count: int, type_: ScalarType) -> Evaluated:
    middle = count // 2
    parts = [
        guarded(
            kernel, [_rows(datum, start, stop - start) for datum in data], stop - start, type_, logged=True
        )
        for start, stop in ((0, middle), (middle, count))
    ]
    values = [_flat(part.values) for part in parts]
    return Evaluated(
        pa.concat_arrays(values), concat_errors([(len(part.values), part.errors) for part in parts])
    )


def _rows(datum: Datum, start: int, count: int) -> Datum:
    return datum if isinstance(datum, pa.Scalar) else datum.slice(start, count)


def _flat(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
