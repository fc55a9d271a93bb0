"""Bytes cut into lines: where each one starts and ends, and its number in the file."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

NEWLINE, RETURN = 10, 13
BOM = b"\xef\xbb\xbf"

Offsets = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Lines:
    """Lines of `data` that are not empty: line i is `data[starts[i]:ends[i]]`, without its line end, and is number
    `numbers[i]` of its file (1-based).  `starts` ascends."""

    data: bytes
    starts: Offsets
    ends: Offsets
    numbers: Offsets

    def __len__(self) -> int:
        return len(self.starts)

    def bytes_of(self, index: int) -> bytes:
        return self.data[self.starts[index] : self.ends[index]]

    def payloads(self, indices: Offsets) -> pa.Array:
        """Those lines, as binaries; they are few."""
        return pa.array([self.bytes_of(index) for index in indices.tolist()], pa.binary())

    def array(self) -> npt.NDArray[np.uint8]:
        return np.frombuffer(self.data, np.uint8)

    def take(self, indices: Offsets) -> Lines:
        return Lines(self.data, self.starts[indices], self.ends[indices], self.numbers[indices])

    def joined(self) -> bytes:
        """The lines' bytes, each ended by a newline; without a copy per line where lines are adjacent."""
        if not len(self):
            return b""
        # A gap is at most a line end (1 or 2 bytes) between lines that follow each other in `data`.
        breaks = np.flatnonzero(self.numbers[1:] - self.numbers[:-1] != 1) + 1
        firsts = np.concatenate([[0], breaks])
        lasts = np.concatenate([breaks, [len(self)]]) - 1
        parts = [self.data[self.starts[a] : self.ends[b]] for a, b in zip(firsts, lasts, strict=True)]
        return b"\n".join(parts) + b"\n"

    def containing(self, *needles: bytes) -> npt.NDArray[np.bool_]:
        """Which lines contain one of `needles`, for needles that hardly ever occur: bool[n]."""
        found = np.zeros(len(self), np.bool_)
        for needle in needles:
            at = self.data.find(needle)
            while at >= 0 and len(self):
                line = int(np.searchsorted(self.starts, at, "right")) - 1
                stop = int(self.ends[line]) if line >= 0 else 0
                if line >= 0 and at < stop:
                    found[line] = True
                at = self.data.find(needle, max(at + 1, stop))
        return found

    def counts(self, hits: npt.NDArray[np.bool_]) -> Offsets:
        """How many bytes of each line are marked in `hits` (bool[len(data)]): int64[n]."""
        positions = np.flatnonzero(hits)
        counted: Offsets = np.searchsorted(positions, self.ends) - np.searchsorted(positions, self.starts)
        return counted

    def invalid_utf8(self) -> npt.NDArray[np.bool_]:
        """Which lines are not UTF-8: bool[n]."""
        bad = np.zeros(len(self), np.bool_)
        pending = [(0, len(self))] if not _is_utf8(self.data) else []
        while pending:
            low, high = pending.pop()
            if low >= high or _is_utf8(self.data[self.starts[low] : self.ends[high - 1]]):
                continue
            if high - low == 1:
                bad[low] = True
            else:
                middle = (low + high) // 2
                pending += [(low, middle), (middle, high)]
        return bad


def split_lines(data: bytes, first_number: int) -> Lines:
    """Cuts `data`, whose first line is number `first_number`, at LF or CRLF; a last line needs no line end."""
    array = np.frombuffer(data, np.uint8)
    newlines = np.flatnonzero(array == NEWLINE)
    if len(data) and data[-1] != NEWLINE:
        newlines = np.append(newlines, len(data))
    starts = np.empty(len(newlines), np.int64)
    starts[:1] = 0
    starts[1:] = newlines[:-1] + 1
    ends = newlines.astype(np.int64)
    if len(ends):
        ends = ends - ((ends > starts) & (array[np.maximum(ends - 1, 0)] == RETURN))
    numbers = np.arange(first_number, first_number + len(starts))
    filled = ends > starts
    if filled.all():
        return Lines(data, starts, ends, numbers)
    return Lines(data, starts[filled], ends[filled], numbers[filled])


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True
