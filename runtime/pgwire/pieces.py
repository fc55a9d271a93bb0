"""Pieces: Arrow binary arrays of one entry per row, made from numpy data and joined into the rows of a message."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Lengths = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


def join(pieces: Sequence[pa.Array]) -> pa.Array:
    """The rows: the pieces of each concatenated.  A NULL piece is empty."""
    return pc.binary_join_element_wise(*pieces, b"", null_handling="replace", null_replacement=b"")


def joined_bytes(rows: pa.Array) -> memoryview:
    """All rows of a joined array, one after the other."""
    bounds = offsets_of(rows)
    return memoryview(rows.buffers()[2] or b"")[int(bounds[0]) : int(bounds[-1])]


def offsets_of(array: pa.Array) -> npt.NDArray[np.int32]:
    """The `n + 1` offsets of a binary or string array into its data buffer."""
    if len(array) == 0:
        return np.zeros(1, np.int32)
    return np.frombuffer(array.buffers()[1], np.int32)[array.offset : array.offset + len(array) + 1]


def strided(records: npt.NDArray[np.generic]) -> pa.Array:
    """A binary array of fixed-width entries: the items of a one-dimensional array."""
    width = records.dtype.itemsize
    offsets = np.arange(0, (len(records) + 1) * width, width, dtype=np.int32)
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(np.ascontiguousarray(records))]
    return pa.Array.from_buffers(pa.binary(), len(records), buffers)


def packed(lengths: Lengths, data: bytes | npt.NDArray[np.generic]) -> pa.Array:
    """A binary array of entries that lie one after the other in `data`."""
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.binary(), len(lengths), buffers)


def words(lengths: Lengths) -> npt.NDArray[np.generic]:
    """Length words, as the wire wants them."""
    return lengths.astype(">i4")
