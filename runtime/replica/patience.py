"""Blobs that may be away for a while: a replica waits until they are back, as it can do nothing without them.

Neither a dataflow nor a source fails for it, and no state is taken for lost.  Whoever waits holds up what runs on the same
thread.  Queries do not wait: who asked hears of it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import TypeVar

from ..errors import StoreAway
from ..persist.blob.base import Blob
from ..persist.part import BlobKey

logger = logging.getLogger(__name__)

T = TypeVar("T")

INTERVAL_S = 0.5


class PatientBlob:
    """Asks `blob` again and again while it is away.  Raises StoreAway once `gone` is set: the replica is to end."""

    def __init__(self, blob: Blob, gone: threading.Event) -> None:
        self._blob = blob
        self._gone = gone

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
        said = False
        while True:
            try:
                return operation()
            except StoreAway as error:
                if self._gone.is_set():
                    raise
                if not said:
                    logger.warning("%s; waiting for it", error.message)
                    said = True
                self._gone.wait(INTERVAL_S)
