"""What a replica's writes and reads of blobs outlast: a store that is away, and a disk that is full.

A replica can do nothing without its blobs, and what it writes was accepted already.  So neither a dataflow nor a source
fails for either, no state is taken for lost, and the thread that waits holds up what else runs on it.  Queries do not wait:
they fail with the store's error.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from ..errors import DiskFull, StoreAway
from ..persist.blob.base import Blob
from ..persist.part import BlobKey
from ..persist.write import PartRef, write_parts
from ..repr.batch import Delta
from ..repr.schema import Schema
from ..retry import Backoff, ThreadTiming, Timing, first_only, retry

logger = logging.getLogger(__name__)

T = TypeVar("T")

AWAY = Backoff(first_s=0.1, longest_s=1.0)
NO_ROOM = Backoff(first_s=0.1, longest_s=0.5)


class RetryingBlob:
    """Tries every operation of `blob` again while that is away.  Raises StoreAway once `gone` is set: the replica is to end."""

    def __init__(self, blob: Blob, gone: threading.Event, timing: Timing | None = None) -> None:
        self._blob = blob
        self._timing = timing or ThreadTiming(gone)

    def put(self, key: BlobKey, data: bytes) -> None:
        self._ask(lambda: self._blob.put(key, data))

    def get(self, key: BlobKey) -> bytes:
        return self._ask(lambda: self._blob.get(key))

    def delete(self, key: BlobKey) -> None:
        self._ask(lambda: self._blob.delete(key))

    def keys(self) -> Iterator[BlobKey]:
        return iter(self._ask(lambda: list(self._blob.keys())))

    def owner(self) -> int | None:
        return self._ask(self._blob.owner)

    def claim(self, identity: int) -> int:
        return self._ask(lambda: self._blob.claim(identity))

    def _ask(self, operation: Callable[[], T]) -> T:
        return retry(
            operation, lambda error: isinstance(error, StoreAway), AWAY, self._timing, first_only(_log_wait)
        )


def write_parts_when_there_is_room(
    blob: Blob,
    shard: str,
    schema: Schema,
    delta: Delta,
    *,
    writer: str,
    wanted: Callable[[], bool],
    passing: bool = False,
) -> tuple[PartRef, ...]:
    """`write_parts`, again and again while the disk is full.  Raises DiskFull once it is not `wanted` any more."""
    return retry(
        lambda: write_parts(blob, shard, schema, delta, writer=writer, passing=passing),
        lambda error: isinstance(error, DiskFull),
        NO_ROOM,
        ThreadTiming(wanted=wanted),
        first_only(_log_wait),
    )


def _log_wait(error: Exception) -> None:
    logger.warning("%s; it is tried again", error)
