"""Partitions of keys: as Java's producers choose them."""

from __future__ import annotations

from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.storage.sink.kafka.partitions import murmur2, partitions_of_keys

KNOWN = {
    b"21": -973932308,
    b"foobar": -790332482,
    b"a-little-bit-long-string": -985981536,
    b"a-little-bit-longer-string": -1486304829,
    b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
    b"abc": 479470107,
}
"""The hashes that Kafka's own clients are tested with."""


def plain(key: bytes) -> int:
    """MurmurHash2, word after word."""
    h = (0x9747B28C ^ len(key)) & 0xFFFFFFFF
    for at in range(0, len(key) - 3, 4):
        word = int.from_bytes(key[at : at + 4], "little") * 0x5BD1E995 & 0xFFFFFFFF
        word = (word ^ word >> 24) * 0x5BD1E995 & 0xFFFFFFFF
        h = h * 0x5BD1E995 & 0xFFFFFFFF ^ word
    if rest := key[len(key) // 4 * 4 :]:
        h = (h ^ int.from_bytes(rest, "little")) * 0x5BD1E995 & 0xFFFFFFFF
    h = (h ^ h >> 13) * 0x5BD1E995 & 0xFFFFFFFF
    return h ^ h >> 15


def test_hashes_are_those_of_kafkas_clients() -> None:
    assert murmur2(pa.array(list(KNOWN))).view(np.int32).tolist() == list(KNOWN.values())


@pytest.mark.parametrize("seed", range(20))
def test_hashes_of_many_keys_are_those_of_each(seed: int) -> None:
    random = Random(seed)
    keys = [random.randbytes(random.randrange(40)) for _ in range(random.randrange(1, 300))]
    skipped = random.randrange(len(keys))
    found = murmur2(pa.array(keys).slice(skipped))
    assert found.tolist() == [plain(key) for key in keys[skipped:]]
    count = random.randrange(1, 12)
    partitions = partitions_of_keys(pa.array(keys), count)
    assert partitions.tolist() == [(plain(key) & 0x7FFFFFFF) % count for key in keys]


def test_no_keys_have_no_hashes() -> None:
    assert len(murmur2(pa.array([], pa.binary()))) == 0
