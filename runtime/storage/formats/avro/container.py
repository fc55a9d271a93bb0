"""Object container files: a header, and blocks of records, each with a sync marker behind it.

```
header: "Obj\\x01", a map (`avro.schema`, `avro.codec`), the marker of 16 bytes
block:  how many records, how many bytes, the bytes, the marker
```

A place in a file is the byte where a block begins.  A file that ends within a block, or within its header, is torn: it may still be
written.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from .codecs import CODECS, MOST_BYTES, BrokenBlock, decompressor
from .cursor import Ints

MAGIC = b"Obj\x01"
_SYNC_BYTES = 16
_SCAN_BYTES = 1 << 20
_MOST_ENTRY_BYTES = 64 << 20
"""Of a key or a value of the header."""
_SCHEMA, _CODEC = b"avro.schema", b"avro.codec"


class Torn(Exception):
    """The file ends in the middle of something."""


class Broken(Exception):
    """The file is no container of Avro, or is not whole at the byte `at`; `reason` is a part of a sentence about it."""

    def __init__(self, at: int, reason: str) -> None:
        super().__init__(reason)
        self.at = at
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Blocks:
    """Successive blocks of one file, decompressed: of block i the bytes of `data` up to `ends[i]`, with `counts[i]` records; it begins at
    the file's byte `places[i]`."""

    data: npt.NDArray[np.uint8]
    ends: Ints
    counts: Ints
    places: Ints

    @property
    def rows(self) -> int:
        return int(self.counts.sum())


@dataclass(frozen=True, slots=True)
class BlockRun:
    """What was read: blocks, None where there are none, and the place behind them.  `torn`: bytes follow that are no whole block."""

    blocks: Blocks | None
    end: int
    torn: bool


class Container:
    """The file in `stream`, of which `size` bytes are there.  `schema` is the writer's, JSON; `begin` the place of the first block.

    Raises Torn where the header is not whole, Broken, and OSError.
    """

    def __init__(self, stream: BinaryIO, size: int) -> None:
        self._stream = stream
        self._size = size
        self._at = 0
        stream.seek(0)
        if self._take(min(size, len(MAGIC))) != MAGIC[:size]:
            raise Broken(0, "it does not begin as a file of Avro does")
        entries = self._header()
        self._sync = self._take(_SYNC_BYTES)
        self.begin = self._at
        if (schema := entries.get(_SCHEMA)) is None:
            raise Broken(0, "its header has no schema")
        self.schema = schema.decode(errors="replace")
        self.codec = entries.get(_CODEC, b"null").decode(errors="replace")
        decompress = decompressor(self.codec)
        if decompress is None:
            raise Broken(
                0, f"its blocks are compressed by {self.codec}, which is none of {', '.join(CODECS)}"
            )
        self._decompress = decompress

    def read(self, place: int, limit: int, stop: int | None = None) -> BlockRun:
        """Blocks from `place` on, up to the first that begins at `stop` or behind it, or until they have `limit` bytes; at least one,
        if there is one.  Raises Broken where the first one is."""
        self._go_to(place)
        stop = self._size if stop is None else stop
        parts: list[bytes] = []
        counts: list[int] = []
        places: list[int] = []
        nbytes, torn = 0, False
        while self._at < min(stop, self._size) and nbytes < limit:
            at = self._at
            try:
                count, data = self._block()
            except (Torn, Broken) as error:
                if isinstance(error, Broken) and not parts:
                    raise
                # What was read before is whole, however much was asked for: a broken block is told of when it is the next one.
                self._go_to(at)
                torn = isinstance(error, Torn)
                break
            parts.append(data)
            counts.append(count)
            places.append(at)
            nbytes += len(data)
        if not parts:
            return BlockRun(None, place, torn)
        ends = np.cumsum([len(part) for part in parts])
        data = parts[0] if len(parts) == 1 else b"".join(parts)
        blocks = Blocks(np.frombuffer(data, np.uint8), ends, np.array(counts), np.array(places))
        return BlockRun(blocks, self._at, torn)

    def first_from(self, byte: int) -> tuple[int, int]:
        """The place of the first block that does not begin before that byte, and how many rows lie before it: the heads of blocks are
        read, and what lies between is passed over.  Of a torn file, at most where its whole blocks end."""
        self._go_to(self.begin)
        rows = 0
        while self._at < byte:
            at = self._at
            try:
                count, size = self._head()
                if self._size - self._at < size + _SYNC_BYTES:
                    raise Torn
            except Torn:
                return at, rows
            self._go_to(self._at + size + _SYNC_BYTES)
            rows += count
        return self._at, rows

    def marked_from(self, byte: int) -> int:
        """As `first_from` without the rows, and without what lies before: the place behind the first marker, or the end of the file."""
        at = max(self.begin, byte) - _SYNC_BYTES
        self._go_to(at)
        seen = b""
        while (found := seen.find(self._sync)) < 0:
            at += max(len(seen) - _SYNC_BYTES + 1, 0)
            more = self._take(min(_SCAN_BYTES, self._size - self._at))
            if not more:
                return self._size
            seen = seen[max(len(seen) - _SYNC_BYTES + 1, 0) :] + more
        return at + found + _SYNC_BYTES

    def _block(self) -> tuple[int, bytes]:
        at = self._at
        count, size = self._head()
        content = self._take(size)
        if self._take(_SYNC_BYTES) != self._sync:
            raise Broken(at, "the block there has not the file's marker behind it")
        try:
            return count, self._decompress(content)
        except BrokenBlock as error:
            raise Broken(at, f"of the block there {error}") from None

    def _head(self) -> tuple[int, int]:
        """How many records and how many bytes the block has that begins here."""
        at = self._at
        count, size = self._number(), self._number()
        if count < 0 or size < 0:
            raise Broken(at, f"there is no block of {count} records and {size} bytes")
        if size > MOST_BYTES:
            raise Broken(at, f"the block there has {size} bytes, more than {MOST_BYTES >> 20} MiB")
        return count, size

    def _header(self) -> dict[bytes, bytes]:
        entries: dict[bytes, bytes] = {}
        while count := self._number():
            if count < 0:
                self._number()
            for _ in range(abs(count)):
                key = self._take(self._entry_bytes())
                entries[key] = self._take(self._entry_bytes())
        return entries

    def _entry_bytes(self) -> int:
        at = self._at
        size = self._number()
        if not 0 <= size <= _MOST_ENTRY_BYTES:
            raise Broken(at, f"its header has an entry of {size} bytes")
        return size

    def _number(self) -> int:
        at, value = self._at, 0
        for shift in range(0, 70, 7):
            (byte,) = self._take(1)
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return (value >> 1) ^ -(value & 1)
        raise Broken(at, "a number there has more than ten bytes")

    def _take(self, size: int) -> bytes:
        if size > self._size - self._at:
            raise Torn
        found = self._stream.read(size)
        self._at += len(found)
        if len(found) < size:
            raise Torn
        return found

    def _go_to(self, place: int) -> None:
        if self._at != place:
            self._stream.seek(place)
            self._at = place
