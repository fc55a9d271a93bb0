"""What `random()` and its like draw, as functions of a seed and a row's number.

A query that draws has a seed for each call that is written, new in each execution, and numbers the rows that the call is made for.
So the values of one execution are the same wherever and however often they are computed, and no rule has to know that
they are random.  They are the first words of a ChaCha8 block (D. J. Bernstein, ChaCha, 2008), whose key is the seed and whose
counter is the number.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....repr.types import BYTEA, FLOAT8, INT8, UUID
from ...tree.function import CallInfo, Datum, Function, Overload, as_array

FLOAT, UUID_V4 = "random float8", "random uuid"

DRAWING = {FLOAT: "random", UUID_V4: "gen_random_uuid"}
"""By their names here, by which they cannot be called, what they are written as."""

_SEED_BYTES = 32
_CONSTANTS = (0x61707865, 0x3320646E, 0x79622D32, 0x6B206574)
_DOUBLE_ROUNDS = 4
_QUARTERS = (
    (0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15),
    (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14),
)  # fmt: skip
_MANTISSA = 53
_MOST_AT_ONCE = 1 << 16
"""Rows of a pass, so that its sixteen words stay in the cache."""

Words = npt.NDArray[np.uint32]


def new_seed() -> bytes:
    return secrets.token_bytes(_SEED_BYTES)


def _quarter(state: list[Words], places: tuple[int, int, int, int]) -> None:
    a, b, c, d = places
    for first, second, third, turn in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
        state[first] += state[second]
        mixed = state[third] ^ state[first]
        state[third] = (mixed << np.uint32(turn)) | (mixed >> np.uint32(32 - turn))


def _blocks(seed: bytes, counters: npt.NDArray[np.uint64], count: int) -> Words:
    """uint32[len(counters), count]: the first words of the block of each counter."""
    found = np.empty((len(counters), count), np.uint32)
    key = np.frombuffer(seed, "<u4")
    for start in range(0, len(counters), _MOST_AT_ONCE):
        some = counters[start : start + _MOST_AT_ONCE]
        low, high = some.astype(np.uint32), (some >> np.uint64(32)).astype(np.uint32)
        fixed = [np.full(len(some), word, np.uint32) for word in (*_CONSTANTS, *key.tolist())]
        first = [*fixed, low, high, np.zeros(len(some), np.uint32), np.zeros(len(some), np.uint32)]
        state = [words.copy() for words in first]
        for _ in range(_DOUBLE_ROUNDS):
            for places in _QUARTERS:
                _quarter(state, places)
        for word in range(count):
            found[start : start + len(some), word] = state[word] + first[word]
    return found


def _drawn(args: Sequence[Datum], info: CallInfo, count: int) -> Words:
    seed, rows = args
    if not isinstance(seed, pa.Scalar):  # of a call without columns, which is made for one row
        assert len(seed) == 1, "one call has one seed"
        seed = seed[0]
    numbers = as_array(rows, info.length).to_numpy(zero_copy_only=False)
    return _blocks(seed.as_py(), numbers.astype(np.uint64), count)


def _float(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """Uniform in [0, 1): every multiple of 2^-53 is as likely."""
    words = _drawn(args, info, 2).astype(np.uint64)
    bits = ((words[:, 0] << np.uint64(32)) | words[:, 1]) >> np.uint64(64 - _MANTISSA)
    return pa.array(bits.astype(np.float64) / (1 << _MANTISSA))


def _uuid(args: Sequence[Datum], info: CallInfo) -> pa.Array:
    """Version 4: 122 random bits."""
    values = np.ascontiguousarray(_drawn(args, info, 4)).view(np.uint8).reshape(-1, 16)
    values[:, 6] = values[:, 6] & 0x0F | 0x40
    values[:, 8] = values[:, 8] & 0x3F | 0x80
    offsets = np.arange(len(values) + 1, dtype=np.int32) * 16
    return pa.Array.from_buffers(
        UUID.arrow, len(values), [None, pa.py_buffer(offsets), pa.py_buffer(values.tobytes())]
    )


FUNCTIONS = (
    Function(FLOAT, (Overload((BYTEA, INT8), FLOAT8, _float),)),
    Function(UUID_V4, (Overload((BYTEA, INT8), UUID, _uuid),)),
)
