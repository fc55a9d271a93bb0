"""What a replica's writes and reads of blobs outlast: a store that is away, and a disk that is full.

A replica can do nothing without its blobs, and what it writes was accepted already.  So neither a dataflow nor a source
fails for either, no state is taken for lost, and the thread that waits holds up what else runs on it.  Queries do not wait:
they fail with the store's error.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from ..errors import DiskFull, StoreAway
from ..persist.blob.base import Blob
from ..persist.blob.objects import Objects
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
        return _patiently(operation, self._timing)


class RetryingObjects:
    """As `RetryingBlob`, of objects."""

    def __init__(self, objects: Objects, gone: threading.Event, timing: Timing | None = None) -> None:
        self._objects = objects
        self._timing = timing or ThreadTiming(gone)

    def put(self, name: str, path: Path) -> None:
        _patiently(lambda: self._objects.put(name, path), self._timing)

    def get(self, name: str, path: Path) -> None:
        def get() -> None:
            path.unlink(missing_ok=True)
            self._objects.get(name, path)

        _patiently(get, self._timing)

    def read(self, name: str, offset: int, length: int) -> bytes:
        return _patiently(lambda: self._objects.read(name, offset, length), self._timing)

    def delete(self, names: Sequence[str]) -> None:
        _patiently(lambda: self._objects.delete(names), self._timing)

    def names(self, folder: str = "") -> Iterator[str]:
        return iter(_patiently(lambda: list(self._objects.names(folder)), self._timing))


def _patiently(operation: Callable[[], T], timing: Timing) -> T:
    return retry(operation, lambda error: isinstance(error, StoreAway), AWAY, timing, first_only(_log_wait))


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
