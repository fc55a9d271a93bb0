"""Random draws that are functions of a seed, a stream's name and an index; and columns made of them.

Nothing is drawn in order, so row 5,000,000 of a table costs what the first does, and a row that was deleted can be made again.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr.types import ScalarType

Numbers = npt.NDArray[np.int64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


class Draws:
    """All streams of one seed."""

    def __init__(self, seed: int) -> None:
        self._seed = seed

    def bits(self, stream: str, indices: Numbers) -> npt.NDArray[np.uint64]:
        """64 random bits for each index: SplitMix64 at that place."""
        start = np.uint64(zlib.crc32(stream.encode()) * 0x1_0000_0001 & 0xFFFF_FFFF_FFFF_FFFF)
        seed = np.uint64(self._seed & 0xFFFF_FFFF_FFFF_FFFF)
        return _mixed(indices.astype(np.uint64) * _STEP + _mixed(np.array([seed ^ start])))

    def below(self, stream: str, values: int, indices: Numbers) -> Numbers:
        """A number of 0 to `values` - 1 for each index."""
        return ((self.bits(stream, indices) >> np.uint64(11)) % np.uint64(values)).astype(np.int64)

    def choice(self, stream: str, values: Sequence[str], indices: Numbers) -> pa.Array:
        return pa.array(values, pa.string()).take(pa.array(self.below(stream, len(values), indices)))


def _mixed(words: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


class Shuffle:
    """The numbers below `count` in another order, again and again: where a number stands is found without a search."""

    def __init__(self, count: int) -> None:
        self.count = count
        # An affine map of a factor without a divisor in common; near the golden section neighbours lie far apart.
        factor = max(1, round(count * 0.6180339887))
        while np.gcd(factor, count) != 1:
            factor += 1
        self._factor = factor % count
        self._inverse = pow(factor, -1, count) if count > 1 else 0

    def at(self, places: Numbers) -> Numbers:
        return places % self.count * self._factor % self.count

    def turns(self, numbers: Numbers, places: int) -> Numbers:
        """How often each of the numbers stands in the first `places`."""
        first = numbers * self._inverse % self.count
        return np.maximum(0, (places - first + self.count - 1) // self.count)

    def among(self, begin: int, end: int) -> Numbers:
        """The numbers that stand at the places from `begin` to `end`, each once."""
        return np.unique(self.at(np.arange(begin, min(end, begin + self.count))))


def times(milliseconds: Numbers) -> pa.Array:
    """As timestamp with time zone."""
    return pa.array(milliseconds * 1_000, pa.timestamp("us", tz="UTC"))


def decimals(unscaled: Numbers, type_: ScalarType) -> pa.Array:
    """As numeric of a scale, of which `unscaled` are the digits: two words of 64 bits each, the lower first."""
    words = np.stack((unscaled, unscaled >> 63), axis=1)
    return pa.Array.from_buffers(type_.arrow, len(unscaled), [None, pa.py_buffer(words.tobytes())])
