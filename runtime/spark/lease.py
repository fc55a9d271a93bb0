"""What keeps the blobs of a snapshot while a job reads them: a leased hold, and the heartbeats of those who read.

Whoever plans a read takes the lease, at the shard's since: it moves no frontier, and a blob that is replaced from then on
stays.  Spark does not say when a plan has been read for the last time, so the lease ends by itself, its length after the
last heartbeat.  A task that comes later than that is told so, and reads nothing.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ..clock import SystemClock
from ..errors import ObjectNotReady
from ..persist.blob.base import Blob
from ..persist.client import PersistClient, ShardId
from ..persist.stores import open_consensus

_BEATS = 4
"""Heartbeats in the length of a lease."""

_ATTEMPTS = 10


@dataclass(frozen=True, slots=True)
class Lease:
    """`consensus` is a URL that any task can open."""

    consensus: str
    holder: str
    lease_ms: int

    @contextmanager
    def kept(self, blob: Blob) -> Iterator[None]:
        """Heartbeats, at once and until the end.  ObjectNotReady if the lease has expired."""
        consensus = open_consensus(self.consensus, create=False)
        ended = threading.Event()
        try:
            persist = PersistClient(consensus, blob, SystemClock())
            persist.heartbeat(self.holder)
            beating = threading.Thread(target=self._beat, args=(persist, ended), daemon=True)
            beating.start()
            try:
                yield
            finally:
                ended.set()
                beating.join()
        finally:
            consensus.close()

    def _beat(self, persist: PersistClient, ended: threading.Event) -> None:
        while not ended.wait(self.lease_ms / 1000 / _BEATS):
            try:
                persist.heartbeat(self.holder)
            except ObjectNotReady:
                return  # a blob that is gone says so to whoever reads it


def take_lease(persist: PersistClient, shard: ShardId, consensus: str, lease_ms: int) -> Lease:
    """A new lease on what is readable of the shard now.  ObjectNotReady if its since keeps moving away."""
    lease = Lease(consensus, f"spark-{secrets.token_hex(8)}", lease_ms)
    for attempt in range(_ATTEMPTS):
        try:
            persist.set_hold(
                shard, lease.holder, persist.state(shard).since, critical=False, lease_ms=lease_ms
            )
            break
        except ObjectNotReady:
            if attempt == _ATTEMPTS - 1:
                raise
    return lease
