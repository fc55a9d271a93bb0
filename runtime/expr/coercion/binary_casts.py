"""Casts between integers and bytea: two's complement, most significant byte first."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr import buffers
from ...repr.buffers import validity
from ...repr.types import ScalarType
from ..columns.arrays import array_of_numpy, numpy_values
from ..columns.row_errors import Evaluated, same_error


def integer_to_bytes(array: pa.Array) -> pa.Array:
    """binary[n]: as many bytes as the integers have."""
    values = numpy_values(array)
    width = values.dtype.itemsize
    fixed = pa.Array.from_buffers(
        pa.binary(width), len(array), [None, pa.py_buffer(values.astype(values.dtype.newbyteorder(">")))]
    ).cast(pa.binary())
    return (
        fixed if array.null_count == 0 else pc.if_else(array.is_valid(), fixed, pa.scalar(None, pa.binary()))
    )


def bytes_to_integer(array: pa.Array, target: ScalarType) -> Evaluated:
    """Bytes as an integer of `target`; a short value has no sign, a longer one than the type is 22003."""
    width = target.typlen
    offsets = buffers.text_offsets(array)
    sizes = np.diff(offsets)
    valid = validity(array)
    wrong = sizes > width if valid is None else (sizes > width) & valid
    sizes = np.where(wrong, 0, sizes) if valid is None else np.where(wrong | ~valid, 0, sizes)
    data = buffers.text_data(array)
    wide = np.zeros((len(array), 8), np.uint8)
    for place in range(width):  # from the last byte on
        has = sizes > place
        wide[has, 7 - place] = data[(offsets[:-1] + sizes)[has] - 1 - place]
    unsigned = wide.view(">u8")[:, 0].astype(np.uint64)
    physical = np.dtype(f"int{width * 8}")
    values = unsigned.astype(np.dtype(f"uint{width * 8}")).view(physical)
    if wrong.any():
        valid = ~wrong if valid is None else valid & ~wrong
    result = array_of_numpy(values, valid, target.arrow)
    return Evaluated(result, same_error(np.flatnonzero(wrong), "22003", f"{target} out of range"))
