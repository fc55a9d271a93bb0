"""Headers of objects, by which lines among dead letters are read again."""

from __future__ import annotations

from collections.abc import Mapping

from ...connections.values import Values
from ..line_stream import BEGIN, LineStream
from .bucket import Bucket
from .objects import buffered
from .options import S3Options


class ObjectHeaders:
    def __init__(self, options: S3Options, connections: Mapping[str, Values]) -> None:
        self._options = options
        self._connections = connections

    def fields(self, key: str) -> tuple[str, ...]:
        """The header of the object.  Raises SourceStalled where it cannot be read any more."""
        bucket = Bucket(self._options, self._connections[self._options.connection])
        raw = buffered(bucket.open(bucket.find(key)))
        delimiter = self._options.delimiter
        return LineStream(key, raw, BEGIN, header=True, delimiter=delimiter, what="object").fields()
