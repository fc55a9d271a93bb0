"""Blobs as objects in S3, or in what speaks its protocol.

```
prefix/environment.json                  the mark: whose blobs these are
prefix/shard/writer/attempt-n.parquet    a blob
```

An object appears whole or not at all, and is durable when it was acknowledged.  It is written only if there is none of its
name (`If-None-Match: *`): an attempt whose answer was lost finds on the next one that the name is taken, looks at what is
there, and finds its own bytes.
"""

from __future__ import annotations

from collections.abc import Iterator

import obstore
from obstore import exceptions

from ...errors import StorageError, StoreAway
from ...retry import retry
from ..part import BlobKey
from . import s3_client, s3_errors
from .base import OBJECTS, OWNER_NAME, check_key, decode_owner, encode_owner
from .s3_client import Place


class _Contended(StoreAway):
    """The name is taken, and there is nothing of it."""


class S3Blob:
    """Picklable: a place.  The client is the process's own."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def put(self, key: BlobKey, data: bytes) -> None:
        check_key(key)
        if self._create(key, data) != data:
            raise StorageError(f'blob "{key}" exists already, with other contents')

    def get(self, key: BlobKey) -> bytes:
        check_key(key)
        data = self._read(key)
        if data is None:
            raise StorageError(f'blob "{key}" does not exist in {self._place}')
        return data

    def delete(self, key: BlobKey) -> None:
        check_key(key)
        store = s3_client.client(self._place)
        try:
            s3_client.attempt("delete", key, self._place, lambda: obstore.delete(store, key))
        except s3_errors.ABSENT:
            return

    def keys(self) -> Iterator[BlobKey]:
        store = s3_client.client(self._place)

        def names() -> list[str]:
            return [meta["path"] for metas in obstore.list(store) for meta in metas]

        for name in s3_client.attempt("list", "*", self._place, names):
            if name.count("/") == 2 and not name.startswith(f"{OBJECTS}/"):
                yield BlobKey(name)

    def owner(self) -> int | None:
        data = self._read(OWNER_NAME)
        return None if data is None else decode_owner(data, str(self._place))

    def claim(self, identity: int) -> int:
        """Besides: StorageError if the store writes over what is there, whatever the condition."""
        mark = encode_owner(identity)
        found = self._create(OWNER_NAME, mark)
        store = s3_client.client(self._place)

        def write_again() -> None:
            obstore.put(store, OWNER_NAME, found, mode="create", use_multipart=False)

        try:
            s3_client.attempt("write", OWNER_NAME, self._place, write_again)
        except exceptions.AlreadyExistsError:
            return decode_owner(found, str(self._place))
        raise StorageError(
            f"{self._place} writes over objects that are there, although it is asked not to (If-None-Match)",
            hint="Use a store that knows conditional writes: S3 itself, MinIO, Cloudflare R2, Ceph.",
        )

    def _create(self, name: str, data: bytes) -> bytes:
        """Write the object unless it is there; returns what is there then."""
        store = s3_client.client(self._place)

        def write() -> None:
            obstore.put(store, name, data, mode="create", use_multipart=False)

        def create() -> bytes:
            try:
                s3_client.attempt("write", name, self._place, write)
            except exceptions.AlreadyExistsError:
                if (found := self._read(name)) is None:
                    # Refused because of another one under way: an attempt of ours that was given up, or a deletion.
                    raise _Contended(
                        f'could not write blob "{name}" in {self._place}: others are writing it'
                    ) from None
                return found
            return data

        return retry(create, lambda error: isinstance(error, _Contended), s3_client.BACKOFF)

    def _read(self, name: str) -> bytes | None:
        store = s3_client.client(self._place)
        try:
            return s3_client.attempt(
                "read", name, self._place, lambda: obstore.get(store, name).bytes().to_bytes()
            )
        except s3_errors.ABSENT:
            return None
