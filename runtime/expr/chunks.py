"""Expressions over many rows, some rows at a time where their values are large.

`length(repeat('x', 20000) || a)` is an integer per row and takes 20 kB for each on the way.  Over 1M rows that is 20 GB,
so what an expression makes on the way is measured on a sample of the rows; if it is much for all of them, they are taken
in chunks of about CHUNK_BYTES.  Only values of no fixed width are measured: of others, a kernel never makes more than some
bytes per row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from typing import TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..interrupt import check_interrupt
from .tree.scalar import Call, Cast, ExternalCall, Scalar, children

T = TypeVar("T")

LEAST_ROWS = 16_384
"""Fewer are taken at once: a sample of them would be a large part of the work."""

SAMPLE_ROWS = 64
AT_ONCE_BYTES = 64 << 20
"""If all rows take no more than so much, they are taken at once: the results of chunks have to be put together."""

CHUNK_BYTES = 8 << 20
MOST_CHUNK_ROWS = 65_536


class _Made:
    """Bytes that were made since it was last reset."""

    __slots__ = ("nbytes",)

    def __init__(self) -> None:
        self.nbytes = 0


_made: ContextVar[_Made | None] = ContextVar("made", default=None)


def count_made(values: pa.Array | pa.ChunkedArray) -> None:
    """A kernel has made these values."""
    made = _made.get()
    if made is not None and not pa.types.is_primitive(values.type):
        made.nbytes += values.nbytes


def in_chunks(
    length: int, run: Callable[[int, int], T], sample: Callable[[npt.NDArray[np.int64]], object]
) -> list[T]:
    """The results of `run` on all rows, or on ranges of them in order.  `sample` does the same work on the rows that it is
    given, for what it takes.  Inside of another `in_chunks`, the outer one decides."""
    if length < LEAST_ROWS or _made.get() is not None:
        return [run(0, length)]
    made = _Made()
    token = _made.set(made)
    try:
        sample(np.arange(SAMPLE_ROWS) * (length // SAMPLE_ROWS))
        each = made.nbytes / SAMPLE_ROWS
        if each * length <= AT_ONCE_BYTES:
            return [run(0, length)]
        results: list[T] = []
        start = 0
        while start < length:
            check_interrupt()
            stop = min(start + _rows(each), length)
            made.nbytes = 0
            results.append(run(start, stop))
            # Growing values are seen late, so it is believed at once that they grow, and slowly that they shrink.
            each = max(made.nbytes / (stop - start), each / 2)
            start = stop
        return results
    finally:
        _made.reset(token)


def _rows(each: float) -> int:
    return max(min(int(CHUNK_BYTES / max(each, 1.0)), MOST_CHUNK_ROWS), 1)


def makes_values(scalars: Iterable[Scalar]) -> bool:
    """Whether values of no fixed width are made on the way.  Code of users, which may take its time for a sample, cuts its
    rows by itself."""
    nodes, found = list(scalars), False
    while nodes:
        node = nodes.pop()
        if isinstance(node, ExternalCall):
            return False
        found = found or (isinstance(node, Call | Cast) and not pa.types.is_primitive(node.type.arrow))
        nodes += children(node)
    return found
