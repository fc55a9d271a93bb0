"""Blobs in memory: for tests, and for environments that need not outlive their process."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import StorageError
from ..part import BlobKey
from .base import check_key


class MemoryBlob:
    def __init__(self) -> None:
        self._blobs: dict[BlobKey, bytes] = {}
        self._owners: list[int] = []

    def put(self, key: BlobKey, data: bytes) -> None:
        check_key(key)
        if self._blobs.setdefault(key, data) != data:
            raise StorageError(f'blob "{key}" exists already, with other contents')

    def get(self, key: BlobKey) -> bytes:
        try:
            return self._blobs[key]
        except KeyError:
            raise StorageError(f'blob "{key}" does not exist') from None

    def delete(self, key: BlobKey) -> None:
        self._blobs.pop(key, None)

    def keys(self) -> Iterator[BlobKey]:
        return iter(list(self._blobs))

    def owner(self) -> int | None:
        return self._owners[0] if self._owners else None

    def claim(self, identity: int) -> int:
        self._owners.append(identity)
        return self._owners[0]
