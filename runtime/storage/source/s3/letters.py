"""Headers of objects, by which records among dead letters are read again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import BinaryIO

from ...connections.values import Values
from ...formats.avro.container import Broken, Container, Torn
from ..line_stream import BEGIN, LineStream
from .bucket import Bucket, Found, changed
from .objects import buffered
from .options import S3Options


class ObjectHeaders:
    def __init__(self, options: S3Options, connections: Mapping[str, Values]) -> None:
        self._options = options
        self._connections = connections

    def fields(self, key: str) -> tuple[str, ...]:
        """The header of the object.  Raises SourceStalled where it cannot be read any more."""
        raw, _ = self._opened(key)
        delimiter = self._options.delimiter
        return LineStream(key, raw, BEGIN, header=True, delimiter=delimiter, what="object").fields()

    def schema(self, key: str) -> str:
        """What the object, of Avro, was written with.  Raises SourceStalled where it cannot be read any more."""
        raw, found = self._opened(key)
        try:
            return Container(raw, found.size).schema
        except (Torn, Broken):
            raise changed(found) from None

    def _opened(self, key: str) -> tuple[BinaryIO, Found]:
        bucket = Bucket(self._options, self._connections[self._options.connection])
        found = bucket.find(key)
        return buffered(bucket.open(found)), found
