"""The output of a merge: a run that is given chunk by chunk.

```
chunk ── append ──┐
chunk ── append ──┼──> one array of each column, made for as many rows as the merge takes in ── run ──> cut to what came
chunk ── append ──┘
```

A merge needs memory for what it takes in, for what it yields, and for one chunk.  Chunks that were kept until the end
and then put together would need what it yields twice: at 1M rows, 20 MiB on top of 100.  Room that nothing is
written to is no memory yet.
"""

from __future__ import annotations

import mmap
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..repr import buffers
from ..repr.batch import Batch
from .run import Run

PAGES_BYTES = 1 << 20
"""Arrays of so many bytes have pages of their own: what is not written to is no memory, and when the run goes, so do
they, with nothing left to an allocator."""

HUGE_PAGES_BYTES = 1 << 22
"""Arrays of so many bytes are to have large pages, as numpy's own have: a search of 100 keys takes 97 us, 133 without."""


class MergeOutput:
    """The chunks of a merge of `runs`, end to end; together they have no more rows than these."""

    def __init__(self, runs: Sequence[Run]) -> None:
        rows = sum(map(len, runs))
        columns = zip(*(run.batch.columns for run in runs), strict=True)
        self._hashes = _Values(rows)
        self._times = _Values(rows)
        self._diffs = _Values(rows)
        self._columns = [_Numbers(rows) if _numbers(column) else _Parts() for column in columns]

    def append(self, chunk: Run) -> None:
        """Adds at least one row."""
        self._hashes.append(chunk.hashes)
        self._times.append(chunk.batch.times)
        self._diffs.append(chunk.batch.diffs)
        for output, column in zip(self._columns, chunk.batch.columns, strict=True):
            output.append(column)

    def run(self) -> Run:
        """What was added, at least one chunk of it; nothing can be added any more."""
        columns = tuple(column.whole() for column in self._columns)
        return Run(self._hashes.whole(), Batch(columns, self._times.repeated(), self._diffs.repeated()))


def _numbers(column: Sequence[pa.Array]) -> bool:
    """Whether the arrays are of one machine number each, without NULLs."""
    return column[0].type.id in buffers.FIXED and not any(array.null_count for array in column)


class _Values:
    """Up to `rows` values; as long as all are the same one, they take no memory."""

    def __init__(self, rows: int) -> None:
        self._rows = rows
        self._count = 0
        self._one: npt.NDArray[Any] | None = None
        self._all: npt.NDArray[Any] | None = None
        self._pages: mmap.mmap | None = None

    def append(self, values: npt.NDArray[Any]) -> None:
        """Adds at least one value."""
        start, self._count = self._count, self._count + len(values)
        if self._all is None:
            if self._one is None:
                self._one = values[:1].copy()
            if (values == self._one[0]).all():
                return
            self._all = self._room(values.dtype)
            self._all[:start] = self._one[0]
        self._all[start : self._count] = values

    def repeated(self) -> npt.NDArray[Any]:
        """As `whole`; values that are all the same as `batch.repeated` has them."""
        if self._all is not None or self._one is None:
            return self.whole()
        return np.broadcast_to(self._one, (self._count,))

    def whole(self) -> npt.NDArray[Any]:
        """One array of what was added, at least one value."""
        if self._all is None:
            assert self._one is not None
            return np.full(self._count, self._one[0])
        if self._pages is None:
            self._all.resize(self._count, refcheck=False)  # in place: there is no view of it
            return self._all
        used = -(-self._count * self._all.itemsize // mmap.PAGESIZE) * mmap.PAGESIZE
        if used < len(self._pages) and hasattr(mmap, "MADV_DONTNEED"):
            self._pages.madvise(mmap.MADV_DONTNEED, used)  # the rest of the last large page
        return self._all[: self._count]

    def _room(self, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        nbytes = self._rows * dtype.itemsize
        if nbytes < PAGES_BYTES:
            return np.empty(self._rows, dtype)
        self._pages = mmap.mmap(-1, nbytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        if nbytes >= HUGE_PAGES_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
            with suppress(OSError):  # a kernel without them
                self._pages.madvise(mmap.MADV_HUGEPAGE)
        return np.frombuffer(self._pages, dtype)


class _Numbers:
    """A column of numbers."""

    def __init__(self, rows: int) -> None:
        self._values = _Values(rows)
        self._type: pa.DataType | None = None

    def append(self, column: pa.Array) -> None:
        self._type = column.type
        self._values.append(buffers.fixed(column))

    def whole(self) -> pa.Array:
        values = self._values.whole()
        return pa.Array.from_buffers(self._type, len(values), [None, pa.py_buffer(values)])


class _Parts:
    """Any other column: Arrow puts it together."""

    def __init__(self) -> None:
        self._parts: list[pa.Array] = []

    def append(self, column: pa.Array) -> None:
        self._parts.append(column)

    def whole(self) -> pa.Array:
        whole = pa.concat_arrays(self._parts)
        self._parts.clear()
        return whole
