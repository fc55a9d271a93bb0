"""Tuples of pgoutput, in messages that lie end to end: read a column at a time, for all messages at once.

tuple  = number of columns (int16), then of each
column = b"n" (NULL) | b"u" (TOASTed, and as it was before) | b"t", length (int32), bytes
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....errors import StorageError
from ....repr import buffers

Bytes = npt.NDArray[np.uint8]
Positions = npt.NDArray[np.int64]

_NULL, _UNCHANGED, _TEXT = b"nut"
_PADDING = bytes(16)
"""So that what is read of a message that is too short is there; then it is noticed."""
_MOST_BYTES = (1 << 31) - 1 - len(_PADDING)


def not_pgoutput(what: str) -> StorageError:
    return StorageError(f"the server's replication stream has {what}", sqlstate="08P01")


class Stream:
    """Messages end to end, less than 2 GiB.  Message i is bytes `[starts[i], ends[i])` of `raw`."""

    def __init__(self, messages: Sequence[bytes | memoryview]) -> None:
        lengths = np.fromiter(map(len, messages), np.int64, len(messages))
        self.ends: Positions = np.cumsum(lengths)
        self.starts: Positions = self.ends - lengths
        if len(messages) and self.ends[-1] > _MOST_BYTES:
            raise not_pgoutput("more than 2 GiB in one piece")
        self.data = b"".join([*messages, _PADDING])
        self.buffer = pa.py_buffer(self.data)
        self.raw: Bytes = np.frombuffer(self.data, np.uint8)
        # A number may begin at any byte: these are as many as there are bytes, each over the next one's.
        self._int16 = np.ndarray((len(self.raw) - 1,), ">u2", self.data, strides=(1,))
        self._int32 = np.ndarray((len(self.raw) - 3,), ">u4", self.data, strides=(1,))

    def int16(self, at: Positions) -> Positions:
        return self._int16[at].astype(np.int64)

    def int32(self, at: Positions) -> Positions:
        return self._int32[at].astype(np.int64)


@dataclass(frozen=True, slots=True)
class Field:
    """A column of n tuples: bytes `[starts[i], ends[i])`, which are none unless `kinds[i]` is a text.  None: all are."""

    kinds: Bytes | None
    starts: Positions
    ends: Positions

    def values(self, stream: Stream) -> pa.Array:
        """Binaries.  What is unchanged must have been `filled`."""
        null = None if self.kinds is None else self.kinds == _NULL
        return buffers.spans(stream.buffer, self.starts, self.ends, null)

    def has_unchanged(self) -> bool:
        return self.kinds is not None and bool((self.kinds == _UNCHANGED).any())

    def filled(self, old: Field, old_of: Positions) -> Field:
        """What is unchanged is that of `old`: tuple i's old one is number `old_of[i]`, or -1 if there is none."""
        assert self.kinds is not None
        rows = np.flatnonzero(self.kinds == _UNCHANGED)
        source = old_of[rows]
        if (source < 0).any():
            raise not_pgoutput("a new row with an unchanged value")
        kinds, starts, ends = self.kinds.copy(), self.starts.copy(), self.ends.copy()
        kinds[rows] = _TEXT if old.kinds is None else old.kinds[source]
        starts[rows], ends[rows] = old.starts[source], old.ends[source]
        return Field(kinds, starts, ends)


def walk(stream: Stream, at: Positions, limits: Positions, width: int) -> tuple[list[Field], Positions]:
    """The tuples of `width` columns that begin `at`, and where each ends, which is not beyond its one of `limits`."""
    if (stream.int16(at) != width).any():
        raise not_pgoutput("rows of another number of columns than their table")
    fields = []
    at = at + 2
    for _ in range(width):
        kinds = stream.raw[at]
        text = kinds == _TEXT
        all_text = bool(text.all())
        if all_text:
            starts = at + 5
            at = starts + stream.int32(at + 1)
        else:
            if not (text | (kinds == _NULL) | (kinds == _UNCHANGED)).all():
                raise not_pgoutput("values that are not text")
            starts = at + np.where(text, 5, 1)
            at = starts + np.where(text, stream.int32(at + 1), 0)
        if (at > limits).any():
            raise not_pgoutput("rows that are cut off")
        fields.append(Field(None if all_text else kinds, starts, at))
    return fields, at
