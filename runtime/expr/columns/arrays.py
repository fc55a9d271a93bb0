"""Arrow arrays as numpy arrays and back, without copying where that is possible."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.buffers import truth
from .row_errors import Indices, Mask

_VIEW = {
    pa.int16(): np.int16,
    pa.int32(): np.int32,
    pa.int64(): np.int64,
    pa.uint16(): np.uint16,
    pa.uint32(): np.uint32,
    pa.uint64(): np.uint64,
    pa.float32(): np.float32,
    pa.float64(): np.float64,
    pa.date32(): np.int32,
    pa.timestamp("us"): np.int64,
    pa.timestamp("us", tz="UTC"): np.int64,
}


def numpy_values(array: pa.Array) -> npt.NDArray[Any]:
    """The values of a fixed-width array; dates and timestamps as days and microseconds since 1970.

    Entries of NULL rows are whatever lies in the buffer.  Read-only.
    """
    if pa.types.is_boolean(array.type):
        return truth(array)
    dtype = np.dtype(_VIEW[array.type])
    data = array.buffers()[1]
    if data is None or not len(array):
        return np.zeros(len(array), dtype)
    return np.frombuffer(data, dtype, len(array), array.offset * dtype.itemsize)


def both_valid(left: Mask | None, right: Mask | None) -> Mask | None:
    if left is None:
        return right
    return left if right is None else left & right


def array_of_numpy(values: npt.NDArray[Any], valid: Mask | None, type_: pa.DataType) -> pa.Array:
    """An array of `type_` from its physical values; rows outside `valid` are NULL."""
    array = pa.array(values, mask=None if valid is None else ~valid)
    return array if array.type == type_ else array.view(type_)


def with_nulls(array: pa.Array, rows: Indices) -> pa.Array:
    """The array with NULL at `rows`."""
    if not len(rows):
        return array
    keep = np.ones(len(array), np.bool_)
    keep[rows] = False
    return pc.if_else(pa.array(keep), array, pa.scalar(None, array.type))


def put(array: pa.Array, rows: Indices, values: pa.Array) -> pa.Array:
    """The array with `values` at `rows` (ascending)."""
    if not len(rows):
        return array
    order = np.arange(len(array), dtype=np.int64)
    order[rows] = len(array) + np.arange(len(rows))
    return pa.concat_arrays([array, values]).take(pa.array(order))
