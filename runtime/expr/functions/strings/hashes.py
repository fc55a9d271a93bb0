"""Hashes of text and bytes: those of pgcrypto, of checksums and of what partitions a topic; and a
comparison whose time does not tell where two differ.

A text is hashed as its bytes in UTF-8.  Functions that take text and bytea take both arguments of one kind, as pgcrypto's do.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa

from ....repr.types import BOOL, BYTEA, INT4, INT8, TEXT, UINT8, ScalarType
from ...datetimes.datetime_input import InputError
from ...tree.function import CallInfo, Datum, Function, Overload
from ..rowwise import rowwise

_ALGORITHMS = frozenset(("md5", "sha1", "sha224", "sha256", "sha384", "sha512"))


def _algorithm(name: str) -> str:
    """The name as hashlib knows it; 22023 for one that is not here."""
    known = name.lower()
    if known not in _ALGORITHMS:
        raise InputError("22023", f'Cannot use "{name}": No such hash algorithm')
    return known


def _digest(data: bytes, algorithm: str) -> bytes:
    return hashlib.new(_algorithm(algorithm), data, usedforsecurity=False).digest()


def _hmac(data: bytes, key: bytes, algorithm: str) -> bytes:
    return hmac.digest(key, data, _algorithm(algorithm))


# --- checksums and partitions ------------------------------------------------------------------------------------------


def _castagnoli() -> tuple[int, ...]:
    """The remainder of each byte by the polynomial of CRC-32C, bits reversed."""
    table = []
    for byte in range(256):
        for _ in range(8):
            byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
        table.append(byte)
    return tuple(table)


_CRC32C = _castagnoli()


def _crc32c(data: bytes) -> int:
    value = 0xFFFFFFFF
    for byte in data:
        value = _CRC32C[(value ^ byte) & 255] ^ value >> 8
    return value ^ 0xFFFFFFFF


_WORD = 0xFFFFFFFF
_MURMUR = 0x5BD1E995
_KAFKA_SEED = 0x9747B28C


def _kafka_murmur2(data: bytes) -> int:
    """MurmurHash2 with the seed of Kafka's default partitioner, its highest bit cleared, as that partitioner does."""
    value = _KAFKA_SEED ^ len(data)
    whole = len(data) & ~3
    for start in range(0, whole, 4):
        part = int.from_bytes(data[start : start + 4], "little") * _MURMUR & _WORD
        part = (part ^ part >> 24) * _MURMUR & _WORD
        value = value * _MURMUR & _WORD ^ part
    if whole < len(data):
        value = (value ^ int.from_bytes(data[whole:], "little")) * _MURMUR & _WORD
    value = (value ^ value >> 13) * _MURMUR & _WORD
    return (value ^ value >> 15) & 0x7FFFFFFF


_LONG = 0xFFFFFFFFFFFFFFFF
_SEA = 0x6EED0E9DA4D94A4F
_SEA_SEEDS = (0x16F11FE89B0D677C, 0xB480A793D8E6C86C, 0x6FE2E5AAF078EBC9, 0x14F994A4C5259381)


def _diffused(value: int) -> int:
    value = value * _SEA & _LONG
    value ^= value >> 32 >> (value >> 60)
    return value * _SEA & _LONG


def _seahash(data: bytes) -> int:
    """SeaHash with its default seeds: words of 8 bytes, the last filled up with zeros, over four lanes in turn."""
    a, b, c, d = _SEA_SEEDS
    for start in range(0, len(data), 8):
        a, b, c, d = b, c, d, _diffused(a ^ int.from_bytes(data[start : start + 8], "little"))
    return _diffused(a ^ b ^ c ^ d ^ len(data))


# --- overloads ---------------------------------------------------------------------------------------------------------


def _as_bytes(datum: Datum) -> Datum:
    return datum.cast(pa.binary())


def _of_text(kernel: Callable[..., Any], texts: int) -> Callable[..., Any]:
    """The kernel of bytes on texts: the first `texts` arguments become their bytes."""

    def on_text(args: Sequence[Datum], info: CallInfo) -> Any:
        return kernel([*map(_as_bytes, args[:texts]), *args[texts:]], info)

    return on_text


def _both(
    name: str,
    one: Callable[..., Any],
    result: ScalarType,
    *,
    subjects: int = 1,
    rest: tuple[ScalarType, ...] = (),
    fails: bool = False,
) -> Function:
    """A function of `subjects` texts, or of as many bytea, and then of `rest`."""
    kernel = rowwise(one)
    return Function(
        name,
        (
            Overload((TEXT,) * subjects + rest, result, _of_text(kernel, subjects), can_fail=fails),
            Overload((BYTEA,) * subjects + rest, result, kernel, can_fail=fails),
        ),
    )


FUNCTIONS: tuple[Function, ...] = (
    _both("digest", _digest, BYTEA, rest=(TEXT,), fails=True),
    _both("hmac", _hmac, BYTEA, subjects=2, rest=(TEXT,), fails=True),
    _both("constant_time_eq", hmac.compare_digest, BOOL, subjects=2),
    _both("seahash", _seahash, UINT8),
    _both("kafka_murmur2", _kafka_murmur2, INT4),
    Function("crc32c", (Overload((BYTEA,), INT8, rowwise(_crc32c)),)),
)
