"""Codecs of blocks in object container files, by the names that files have for them.

A block of more than `MOST_BYTES` after decompression is refused before it is held: a few bytes can claim to be any number of them.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

import pyarrow as pa

MOST_BYTES = 512 << 20
_CHECKSUM_BYTES = 4
_LENGTH_BYTES = 5
"""Of a number below 2**32, seven bits a byte."""


class BrokenBlock(Exception):
    """The bytes are not what the codec makes; `args` say why."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def decompressor(codec: str) -> Callable[[bytes], bytes] | None:
    """What raises BrokenBlock; None: there is no such codec."""
    return _CODECS.get(codec)


def _plain(data: bytes) -> bytes:
    return data


def _deflated(data: bytes) -> bytes:
    return _by(zlib.decompressobj(-zlib.MAX_WBITS), data)


def _bzip2(data: bytes) -> bytes:
    return _by(bz2.BZ2Decompressor(), data)


def _xz(data: bytes) -> bytes:
    return _by(lzma.LZMADecompressor(), data)


def _by(stream: _Decompressor, data: bytes) -> bytes:
    try:
        found = stream.decompress(data, MOST_BYTES + 1)
    except (zlib.error, lzma.LZMAError, OSError, ValueError) as error:
        raise BrokenBlock(f"it cannot be decompressed: {error}") from None
    _check_size(len(found))
    if not stream.eof:
        raise BrokenBlock("its compressed content has no end")
    # What follows is not looked at: fastavro leaves a part of zlib's checksum behind what it deflates.
    return found


def _zstandard(data: bytes) -> bytes:
    if not data:
        raise BrokenBlock("its compressed content has no end")
    try:
        found = pa.CompressedInputStream(pa.BufferReader(data), "zstd").read(MOST_BYTES + 1)
    except (OSError, pa.ArrowInvalid) as error:
        raise BrokenBlock(f"it cannot be decompressed: {error}") from None
    _check_size(len(found))
    return bytes(found)


def _snappy(data: bytes) -> bytes:
    """Snappy's content begins with its length; Avro puts a CRC32 of what is compressed behind it."""
    content, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
    size = shift = 0
    for byte in content[:_LENGTH_BYTES]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    _check_size(size)
    try:
        found: bytes = pa.decompress(content, decompressed_size=size, codec="snappy", asbytes=True)
    except (OSError, pa.ArrowInvalid) as error:
        raise BrokenBlock(f"it cannot be decompressed: {error}") from None
    if zlib.crc32(found) != int.from_bytes(checksum, "big"):
        raise BrokenBlock("its checksum is wrong")
    return found


def _check_size(size: int) -> None:
    if size > MOST_BYTES:
        raise BrokenBlock(f"it has more than {MOST_BYTES >> 20} MiB")


_CODECS: dict[str, Callable[[bytes], bytes]] = {
    "null": _plain,
    "deflate": _deflated,
    "snappy": _snappy,
    "zstandard": _zstandard,
    "bzip2": _bzip2,
    "xz": _xz,
}
CODECS = tuple(_CODECS)
