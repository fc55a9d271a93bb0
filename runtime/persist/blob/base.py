"""Blob: immutable bytes under write-once keys.

A key is `<shard>/<writer>/<attempt>-<ordinal>.parquet`: the writer tells garbage collection whose an unreferenced
one was, the attempt makes every key new.  A blob is durable when `put` returns.  A store that cannot be reached now
raises StoreAway.  Implementations are thread-safe, picklable where a replica needs them, and hold no state but their
place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Protocol
from urllib.parse import quote, unquote

from ...errors import InvalidUsage, StorageError
from ..part import BlobKey, ShardId

_KEY = re.compile(r"[^/]+/[^/]+/[^/]+")


class Blob(Protocol):
    def put(self, key: BlobKey, data: bytes) -> None:
        """Store `data` durably under a new key.  The same data again is accepted (a repeated call), other data is
        a StorageError; DiskFull if there is no room."""

    def get(self, key: BlobKey) -> bytes:
        """The bytes under `key`.  StorageError if there are none."""

    def delete(self, key: BlobKey) -> None:
        """Remove the blob, if it is there."""

    def keys(self) -> Iterator[BlobKey]:
        """All keys, in no order; objects (`blob.objects`) have none."""

    def owner(self) -> int | None:
        """The identity of the environment whose blobs these are; None if no environment has claimed them."""

    def claim(self, identity: int) -> int:
        """Mark the store durably as that environment's, unless it is somebody's; returns whose it is then."""


def blob_key(shard: ShardId, writer: str, attempt: str, ordinal: int) -> BlobKey:
    """The key of the `ordinal`th part of one attempt of `writer` to write to `shard`."""
    return BlobKey(f"{_segment(shard)}/{_segment(writer)}/{_segment(attempt)}-{ordinal}.parquet")


def key_writer(key: BlobKey) -> str:
    """The writer that a key names."""
    return unquote(key.split("/")[1])


def check_key(key: BlobKey) -> None:
    """A key is three path segments, none of them a way out of the store's directory."""
    if not _KEY.fullmatch(key) or any(segment in (".", "..") for segment in key.split("/")):
        raise InvalidUsage(f'"{key}" is not a key of a blob')


OBJECTS = ".state"
"""The folder of what is no blob: no shard has that name (`_segment`)."""

OWNER_NAME = "environment.json"
"""Under which a store keeps its mark: beside the keys, which have three segments."""


def encode_owner(identity: int) -> bytes:
    return json.dumps({"environment": f"{identity:x}"}).encode()


def decode_owner(data: bytes, place: str) -> int:
    """Raises StorageError, which names `place`."""
    try:
        return int(json.loads(data)["environment"], 16)
    except (ValueError, TypeError, KeyError) as error:
        raise StorageError(
            f"{OWNER_NAME} in {place} is not what was written: {error}",
            sqlstate="XX001",
            hint="Restore it from a backup, or write the environment from stores.json into it.",
        ) from error


def _segment(name: str) -> str:
    """A name as one path segment: no slash, no leading dot, no upper limit but the file system's."""
    quoted = quote(name, safe="")
    return "%2E" + quoted[1:] if quoted.startswith(".") else quoted
