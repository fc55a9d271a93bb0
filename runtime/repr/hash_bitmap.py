"""Which hashes are not among some: a Bloom filter of one function, which is the hash itself.

The bit of a hash is the number that its first bits are.  There are 8 to 16 bits for each hash, so that of others, as even as they are, at most
one in 8 has the bit of one; to see that costs a tenth of a search among a million.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .batch import Indices
from .buffers import Words

BITS_EACH = 8
"""For each hash, at least."""


@dataclass(frozen=True, slots=True, eq=False)
class HashBitmap:
    bits: int
    octets: npt.NDArray[np.uint8]

    @classmethod
    def of(cls, hashes: Words) -> HashBitmap:
        """Of 8 ascending hashes or more."""
        bits = (BITS_EACH * len(hashes) - 1).bit_length()
        places = hashes >> np.uint64(64 - bits)
        octets = (places >> np.uint64(3)).astype(np.int64)
        starts = np.flatnonzero(np.concatenate(([True], octets[1:] != octets[:-1])))
        found = np.zeros(1 << (bits - 3), np.uint8)
        found[octets[starts]] = np.bitwise_or.reduceat(_bit_of(places), starts)
        return cls(bits, found)

    @property
    def nbytes(self) -> int:
        return self.octets.nbytes

    def suspected(self, hashes: Words) -> Indices:
        """The positions of those that may be among them: of all that are, and of few others."""
        places = hashes >> np.uint64(64 - self.bits)
        return np.flatnonzero(self.octets[(places >> np.uint64(3)).astype(np.int64)] & _bit_of(places))


def _bit_of(places: Words) -> npt.NDArray[np.uint8]:
    """The bit of its octet that each place is."""
    return np.left_shift(np.uint8(1), (places & np.uint64(7)).astype(np.uint8))
