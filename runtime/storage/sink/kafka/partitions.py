"""The partition of a message: that of its key, as Java's producers choose it.

The number of partitions is the one that the topic had when the sink began: with more of them later a key stays where it is.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Hashes = npt.NDArray[np.uint32]

_SEED = np.uint32(0x9747B28C)
_M = np.uint32(0x5BD1E995)
_POSITIVE = np.uint32(0x7FFFFFFF)


def partitions_of_keys(keys: pa.Array, count: int) -> npt.NDArray[np.int64]:
    """int64[n]; `keys` are texts or bytes without NULL."""
    found: npt.NDArray[np.int64] = ((murmur2(keys) & _POSITIVE) % np.uint32(count)).astype(np.int64)
    return found


def murmur2(keys: pa.Array) -> Hashes:
    """MurmurHash2 with 32 bits and the seed of Kafka's clients, of all keys at once, four bytes of each at a step."""
    offsets = np.frombuffer(keys.buffers()[1], np.int32)[keys.offset : keys.offset + len(keys) + 1]
    # Three bytes more than there are, so that the last word of any key can be read whole.
    data = np.frombuffer(b"".join((memoryview(keys.buffers()[2] or b""), b"\0" * 4)), np.uint8)
    starts = offsets[:-1].astype(np.int64)
    lengths = np.diff(offsets).astype(np.int64)
    hashes = _SEED ^ lengths.astype(np.uint32)
    words, rest = lengths // 4, lengths % 4
    for step in range(int(words.max(initial=0))):
        (rows,) = np.nonzero(words > step)
        word = _words(data, starts[rows] + 4 * step) * _M
        word = (word ^ (word >> np.uint32(24))) * _M
        hashes[rows] = (hashes[rows] * _M) ^ word
    (rows,) = np.nonzero(rest)
    kept = (np.uint64(1) << (8 * rest[rows]).astype(np.uint64)) - np.uint64(1)
    tails = _words(data, starts[rows] + 4 * words[rows]) & kept.astype(np.uint32)
    hashes[rows] = (hashes[rows] ^ tails) * _M
    hashes = (hashes ^ (hashes >> np.uint32(13))) * _M
    return hashes ^ (hashes >> np.uint32(15))


def _words(data: npt.NDArray[np.uint8], places: npt.NDArray[np.int64]) -> Hashes:
    """The four bytes at each place, little-endian."""
    word = data[places].astype(np.uint32)
    for byte in (1, 2, 3):
        word |= data[places + byte].astype(np.uint32) << np.uint32(8 * byte)
    return word
