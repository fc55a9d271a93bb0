"""The copies of an environment's blobs that a place has, under names that say which backup has written each.

`<shard>/<writer>/<attempt>.parquet~<token>` is a copy of the blob before the `~`; a blob may have several, all alike.  Places of the first
format have copies without a token.
"""

from __future__ import annotations

from collections.abc import Collection

from ..persist.blob.base import Blob
from ..persist.part import BlobKey

_MARK = "~"
_SUFFIX = ".parquet"


def copy_key(blob: BlobKey, token: str) -> BlobKey:
    return BlobKey(f"{blob}{_MARK}{token}")


def blob_of(copy: BlobKey) -> BlobKey:
    """The blob that it is a copy of."""
    blob, _, token = copy.rpartition(_MARK)
    return BlobKey(blob) if blob.endswith(_SUFFIX) and token else copy


def copies(blobs: Blob, but: Collection[BlobKey] = ()) -> dict[BlobKey, list[BlobKey]]:
    """The copies that are there, by what they are of, `but` for some."""
    found: dict[BlobKey, list[BlobKey]] = {}
    for key in blobs.keys():  # noqa: SIM118
        if key not in but:
            found.setdefault(blob_of(key), []).append(key)
    return found
