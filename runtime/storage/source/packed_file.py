"""Compressed text files of a FILE source: each is read once, when it is whole.

Their marks in the position: `{"offset": bytes after decompression, "lines": lines, "size": of the file, "check": crc, "done": read to its end}`.
One that is still written, so that its end is missing, waits; one that changes after it was begun stalls the source.
"""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from .directory import FoundFile, SourceStalled, changed, checksum, compressed_by
from .line_stream import BEGIN, BLOCK, CODECS, LineStream, Piece, Place

_TRUNCATED = "Truncated"
"""In Arrow's message of a stream whose end is missing."""
_MAGIC_BYTES = 8
Identity = tuple[int, int, int]


class PackedFiles:
    """It keeps what it has found out of files as long as these are not written to; positions do not depend on it."""

    def __init__(self, *, header: bool, delimiter: str) -> None:
        self._header = header
        self._delimiter = delimiter
        self._kinds: dict[str, tuple[Identity, str | None]] = {}
        self._cut: dict[str, Identity] = {}
        self._verified: dict[str, Identity] = {}
        self._open: tuple[Identity, Place, LineStream] | None = None

    def has(self, file: FoundFile, mark: dict[str, Any] | None) -> bool:
        """Whether the file is one of them.  Raises OSError."""
        if mark is not None:
            return "size" in mark
        return self._kind(file) is not None

    def done(self, file: FoundFile, mark: dict[str, Any] | None) -> bool:
        """Whether nothing of it is to be read, as far as is known."""
        if mark is None:
            return self._cut.get(file.name) == file.identity
        return bool(mark["done"])

    def read(self, file: FoundFile, known: dict[str, Any], limit: int) -> Piece | None:
        """What comes next, about `limit` bytes, None of one that was read to its end or waits; its new mark is among the `known` then.

        Raises SourceStalled and OSError."""
        mark = known.get(file.name)
        if mark is not None:
            self._verify(file, mark)
            if mark["done"]:
                return None
        elif not self._is_whole(file):
            return None
        place = BEGIN if mark is None else (mark["offset"], mark["lines"])
        if self._open is None or self._open[:2] != (file.identity, place):
            self._open = (file.identity, place, self.stream(file, place))
        stream = self._open[2]
        piece, end = stream.read(limit)
        self._open = None if end is None else (file.identity, end, stream)
        offset, lines = end or BEGIN
        check = mark["check"] if mark is not None else self._checksum(file)
        known[file.name] = {
            "offset": offset,
            "lines": lines,
            "size": file.size,
            "check": check,
            "done": end is None,
        }
        self._verified[file.name] = file.identity
        return piece

    def stream(self, file: FoundFile, place: Place) -> LineStream:
        return LineStream(
            file.name, pa.OSFile(str(file.path)), place, header=self._header, delimiter=self._delimiter
        )

    def _kind(self, file: FoundFile) -> str | None:
        known = self._kinds.get(file.name)
        if known is None or known[0] != file.identity:
            with file.path.open("rb") as stream:
                known = (file.identity, compressed_by(stream.read(_MAGIC_BYTES)))
            self._kinds[file.name] = known
        return known[1]

    def _verify(self, file: FoundFile, mark: dict[str, Any]) -> None:
        if mark["size"] != file.size:
            raise changed(file, "was changed after it was read")
        if self._verified.get(file.name) != file.identity:
            if self._checksum(file) != mark["check"]:
                raise changed(file, "was replaced or edited after it was read")
            self._verified[file.name] = file.identity

    def _checksum(self, file: FoundFile) -> int:
        with file.path.open("rb") as stream:
            return checksum(stream, file.size)

    def _is_whole(self, file: FoundFile) -> bool:
        """Whether its end is there: no row of one that is still written must be seen, for its size is part of what was read."""
        if self._cut.get(file.name) == file.identity:
            return False
        kind = self._kind(file)
        if kind not in CODECS:
            raise SourceStalled(
                f'file "{file.name}" is compressed by {kind}, which is not supported',
                sqlstate="0A000",
                hint=f'gzip, bzip2 and zstd are; or replace it with its uncompressed content: "{file.path}".',
            )
        with pa.OSFile(str(file.path)) as raw:
            stream = pa.CompressedInputStream(raw, CODECS[kind])
            try:
                while stream.read(BLOCK):
                    pass
            except OSError as error:
                if _TRUNCATED not in str(error):
                    raise SourceStalled(
                        f'file "{file.name}" cannot be decompressed: {error}', hint="Write it again, whole."
                    ) from error
                self._cut[file.name] = file.identity
                return False
        return True
