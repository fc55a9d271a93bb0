"""A place in each of many payloads, moved on through all of them at once.

Payloads lie one after the other in one buffer, which ends with bytes that belong to none, so that a read of a few bytes never leaves it.
A payload that turns out not to be as its schema says is marked `bad` and stays where it is; what was read of it means nothing.
Places never leave their payloads, and ascend with them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

PADDING = 16
_STOPS = np.uint64(0x8080808080808080)
_SEVENS = np.uint64(0x7F7F7F7F7F7F7F7F)
_ONES = np.uint64(0x0101010101010101)


def folded(words: Words) -> tuple[Words, Ints, Words]:
    """Of numbers that begin with these eight bytes: their bits, the sign in the lowest one, and how many bytes they take, as far as that
    are eight at most; what is 0 of a number that takes more."""
    stops = ~words & _STOPS
    # The lowest byte without a mark is the last one: keep it and those below it.
    kept = stops ^ (stops - np.uint64(1))
    bits = words & kept & _SEVENS
    bits = (bits & np.uint64(0x007F007F007F007F)) | ((bits & np.uint64(0x7F007F007F007F00)) >> np.uint64(1))
    bits = (bits & np.uint64(0x00003FFF00003FFF)) | ((bits & np.uint64(0x3FFF00003FFF0000)) >> np.uint64(2))
    bits = (bits & np.uint64(0x000000000FFFFFFF)) | ((bits & np.uint64(0x0FFFFFFF00000000)) >> np.uint64(4))
    return bits, byte_counts(kept), stops


def byte_counts(kept: Words) -> Ints:
    """How many bytes, from the lowest on, are not 0."""
    return (((kept & _ONES) * _ONES) >> np.uint64(56)).view(np.int64)


class Payloads:
    """The buffer: `data` uint8 with its padding, and the views of it that read numbers at any byte."""

    def __init__(self, content: npt.NDArray[np.uint8]) -> None:
        self.data = np.zeros(len(content) + PADDING, np.uint8)
        self.data[: len(content)] = content
        self.buffer = pa.py_buffer(self.data)
        self.words = self._at_any_byte("<u8")
        self.floats = self._at_any_byte("<f4")
        self.doubles = self._at_any_byte("<f8")

    def _at_any_byte(self, dtype: str) -> npt.NDArray[Any]:
        size = np.dtype(dtype).itemsize
        return np.ndarray((len(self.data) - size + 1,), dtype, self.data, strides=(1,))


@dataclass(slots=True)
class Cursor:
    """n places `at`, each in front of the `end` of its payload."""

    payloads: Payloads
    at: Ints
    end: Ints
    bad: Mask

    @classmethod
    def over(cls, payloads: Payloads, starts: Ints, ends: Ints) -> Cursor:
        return cls(payloads, starts.copy(), ends, np.zeros(len(starts), np.bool_))

    def __len__(self) -> int:
        return len(self.at)

    def within(self, rows: Ints, read: Callable[[Cursor], Any]) -> Any:
        """What `read` does with the places of `rows` only, which it moves on."""
        part = Cursor(self.payloads, self.at[rows], self.end[rows], self.bad[rows])
        result = read(part)
        self.at[rows], self.bad[rows] = part.at, part.bad
        return result

    def mark(self, wrong: Mask) -> None:
        self.bad |= wrong

    def skip(self, size: int) -> Ints:
        """Moves over so many bytes; where they begin."""
        start = self.at
        self.at = start + size
        beyond = self.at > self.end
        if beyond.any():
            self.bad |= beyond
            self.at = np.minimum(self.at, self.end)
        return start

    def byte(self) -> npt.NDArray[np.uint8]:
        return self.payloads.data[self.skip(1)]

    def float32(self) -> npt.NDArray[np.float32]:
        found: npt.NDArray[np.float32] = self.payloads.floats[self.skip(4)]
        return found

    def float64(self) -> npt.NDArray[np.float64]:
        found: npt.NDArray[np.float64] = self.payloads.doubles[self.skip(8)]
        return found

    def slices(self) -> tuple[Ints, Ints]:
        """Where values begin and end that have their length in front of them."""
        length = self.number()
        start = self.at
        wrong = (length < 0) | (length > self.end - start)
        if wrong.any():
            self.bad |= wrong
            length = np.where(wrong, 0, length)
        self.at = start + length
        return start, self.at

    def number(self) -> Ints:
        """An integer: seven bits a byte, the least first, the sign in the lowest bit of all."""
        first = self.payloads.data[self.at]
        value = (first & 0x7F).astype(np.uint64)
        longer = np.flatnonzero(first & 0x80)
        self.at = self.at + 1
        if len(longer):
            self._finish_numbers(value, longer)
        beyond = self.at > self.end
        if beyond.any():
            self.bad |= beyond
            self.at = np.minimum(self.at, self.end)
        return (value >> np.uint64(1)).view(np.int64) ^ -(value & np.uint64(1)).view(np.int64)

    def _finish_numbers(self, value: npt.NDArray[np.uint64], rows: Ints) -> None:
        """Those of `rows` have a second byte; all of eight bytes at most are put together in one go."""
        start = self.at[rows] - 1
        bits, sizes, stops = folded(self.payloads.words[start])
        value[rows] = bits
        self.at[rows] = start + sizes
        if not stops.all():
            self._finish_long(value, rows[stops == 0])

    def _finish_long(self, value: npt.NDArray[np.uint64], rows: Ints) -> None:
        """Numbers of nine and ten bytes, of which eight are read; there are none of eleven."""
        data, at = self.payloads.data, self.at[rows]
        ninth, tenth = data[at].astype(np.uint64), data[at + 1].astype(np.uint64)
        more = ninth >= 0x80
        value[rows] |= (ninth & np.uint64(0x7F)) << np.uint64(56)
        value[rows] |= np.where(more, (tenth & np.uint64(1)) << np.uint64(63), np.uint64(0))
        self.at[rows] = at + 1 + more
        self.bad[rows] |= more & (tenth > 1)

    def binary(self, starts: Ints, ends: Ints) -> pa.BinaryArray:
        """The bytes between: one array of values and of what lies between them, of which every other one is taken."""
        if not len(starts):
            return pa.array([], pa.binary())
        offsets = np.empty(2 * len(starts), np.int32)
        offsets[0::2], offsets[1::2] = starts, ends
        pieces = pa.Array.from_buffers(
            pa.binary(), len(offsets) - 1, [None, pa.py_buffer(offsets), self.payloads.buffer]
        )
        return pieces.take(pa.array(np.arange(0, len(offsets), 2)))
