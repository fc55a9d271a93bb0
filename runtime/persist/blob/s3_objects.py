"""Objects in S3, or in what speaks its protocol: sent and read in pieces, so that a large one is never in memory as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

import obstore

from ...errors import StorageError
from ...interrupt import check_interrupt
from . import s3_client, s3_errors
from .base import OBJECTS
from .objects import check_name
from .s3_client import Place

T = TypeVar("T")

PIECE_BYTES = 16 << 20
"""What one request sends or reads, which has to be done within the time that the client gives it."""
AT_ONCE = 4
"""So many requests for one object are under way at once."""
_DELETED_AT_ONCE = 1_000
"""Names in one request to delete."""


class S3Objects:
    """Picklable: a place.  The client is the process's own."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def put(self, name: str, path: Path) -> None:
        key = _key(name)
        store = s3_client.client(self._place)

        def write() -> None:
            multipart = path.stat().st_size > PIECE_BYTES
            obstore.put(
                store, key, path, use_multipart=multipart, chunk_size=PIECE_BYTES, max_concurrency=AT_ONCE
            )

        s3_client.attempt("write", key, self._place, write)

    def get(self, name: str, path: Path) -> None:
        key = _key(name)
        store = s3_client.client(self._place)
        size = self._found(name, lambda: obstore.head(store, key)["size"])
        with path.open("xb") as target:
            for start in range(0, size, PIECE_BYTES):
                check_interrupt()
                target.write(self.read(name, start, min(PIECE_BYTES, size - start)))

    def read(self, name: str, offset: int, length: int) -> bytes:
        key = _key(name)
        store = s3_client.client(self._place)
        data = self._found(
            name, lambda: obstore.get_range(store, key, start=offset, length=length).to_bytes()
        )
        if len(data) != length:
            raise StorageError(f'object "{name}" in {self._place} is cut off', sqlstate="XX001")
        return data

    def delete(self, names: Sequence[str]) -> None:
        store = s3_client.client(self._place)
        for start in range(0, len(names), _DELETED_AT_ONCE):
            keys = [_key(name) for name in names[start : start + _DELETED_AT_ONCE]]
            try:
                s3_client.attempt("delete", keys[0], self._place, partial(obstore.delete, store, keys))
            except s3_errors.ABSENT:
                continue  # where names are deleted together, it is no error that one is absent

    def names(self, folder: str = "") -> Iterator[str]:
        store = s3_client.client(self._place)
        prefix = f"{OBJECTS}/{folder}" if folder else OBJECTS

        def found() -> list[str]:
            return [meta["path"] for metas in obstore.list(store, prefix=prefix) for meta in metas]

        for name in s3_client.attempt("list", prefix, self._place, found):
            yield name.removeprefix(f"{OBJECTS}/")

    def _found(self, name: str, operation: Callable[[], T]) -> T:
        """What `operation` returns.  StorageError if there is no such object."""
        try:
            return s3_client.attempt("read", name, self._place, operation)
        except s3_errors.ABSENT:
            raise StorageError(f'object "{name}" does not exist in {self._place}') from None


def _key(name: str) -> str:
    return f"{OBJECTS}/{check_name(name)}"
