"""Infinite dates and timestamps: the greatest and the least number that their column can hold, as in PostgreSQL."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...repr.buffers import validity
from .arrays import numpy_values
from .row_errors import Mask

DATE_INFINITY, DATE_MINUS_INFINITY = (1 << 31) - 1, -(1 << 31)
INFINITY, MINUS_INFINITY = (1 << 63) - 1, -(1 << 63)


def infinite(array: pa.Array) -> Mask | None:
    """Which dates or timestamps are infinite, or None where none is; a NULL is not."""
    values = numpy_values(array)
    bounds = np.iinfo(values.dtype)
    found: Mask = (values == bounds.max) | (values == bounds.min)
    if not found.any():
        return None
    valid = validity(array)
    if valid is not None:
        found &= valid
    return found if found.any() else None
