"""A small environment on real stores: a catalog, and two shards that are changed together."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
from ptvc.clock import ManualClock
from ptvc.coord.storage.catalog_store import CATALOG_SHARD
from ptvc.persist.blob.base import Blob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.location import Location
from ptvc.persist.part import BlobKey
from ptvc.persist.read import read_snapshot
from ptvc.persist.stores import DurableStores, open_stores
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8, TEXT

SCHEMA = Schema((Column("amount", INT8), Column("text", TEXT)))
SHARDS = ("left", "right")
TOTAL = 1000
EPOCH = "coordinator"
PAIRS = [("sqlite", "file"), ("sqlite", "s3"), ("postgres", "file"), ("postgres", "s3")]


@dataclass
class World:
    """`sums` of what was committed, by time: what both shards add up to is always TOTAL, and what each does is random."""

    directory: Path
    stores: DurableStores
    client: PersistClient
    clock: ManualClock
    random: Random
    epoch: int
    time: int = 0

    @classmethod
    @contextmanager
    def open(cls, directory: Path, location: Location, seed: int = 1) -> Iterator[World]:
        stores = open_stores(directory, location)
        clock = ManualClock()
        client = PersistClient(stores.consensus, stores.blob, clock)
        try:
            yield cls(directory, stores, client, clock, Random(seed), client.take_epoch(EPOCH))
        finally:
            stores.consensus.close()

    def begin(self) -> None:
        """Makes the shards; the left one has all."""
        for shard in (CATALOG_SHARD, *SHARDS):
            self.client.create_shard(shard, SCHEMA)
            self.client.set_hold(shard, "critical", 0, critical=True)
        self._append({"left": TOTAL, "right": 0}, large=True)

    def move(self, *, large: bool = True) -> None:
        """Takes a random amount from one shard to the other, in one transaction; `large` parts are blobs."""
        amount = self.random.randrange(-50, 50)
        self._append({"left": -amount, "right": amount}, large=large)

    def _append(self, amounts: dict[str, int], *, large: bool) -> None:
        lower, upper = self.time, self.time + 1
        padding = self.random.randbytes(60_000).hex() if large else ""
        writes = {}
        for shard, amount in amounts.items():
            columns = (pa.array([amount], pa.int64()), pa.array([padding], pa.string()))
            delta = Delta(Batch(columns, np.array([lower], np.uint64), np.array([1], np.int64)), NO_ERRORS)
            writes[shard] = Write(
                lower, upper, write_parts(self.stores.blob, shard, SCHEMA, delta, writer="w")
            )
        assert isinstance(self.client.append(writes, epoch=self.epoch, mark=upper), Appended)
        self.time = upper

    def merge(self) -> None:
        """Makes one batch of those of each shard, and deletes what is garbage then as soon as that is allowed."""
        for shard in SHARDS:
            self.client.compact(shard, force=True)
        self.client.collect_garbage(grace_ms=0)

    def blobs(self) -> set[BlobKey]:
        return set(self.stores.blob.keys())


def sums(client: PersistClient) -> dict[str, int]:
    """What each shard adds up to at its last time, which is the same of both."""
    uppers = {client.state(shard).upper for shard in SHARDS}
    assert len(uppers) == 1, "both are changed together"
    found = {}
    for shard in SHARDS:
        rows = read_snapshot(client.blob, client.snapshot(shard, min(uppers) - 1)).oks
        found[shard] = int(np.dot(rows.columns[0].to_numpy(), rows.diffs))
    return found


class Watched:
    """Blobs that something happens at before each is read, one thing after the other."""

    def __init__(self, inner: Blob, before: list[Callable[[], object]]) -> None:
        self._inner = inner
        self._before = before
        self._lock = threading.Lock()

    def get(self, key: BlobKey) -> bytes:
        with self._lock:
            if self._before:
                self._before.pop(0)()
        return self._inner.get(key)

    def put(self, key: BlobKey, data: bytes) -> None:
        self._inner.put(key, data)

    def delete(self, key: BlobKey) -> None:
        self._inner.delete(key)

    def keys(self) -> Iterator[BlobKey]:
        return self._inner.keys()

    def owner(self) -> int | None:
        return self._inner.owner()

    def claim(self, identity: int) -> int:
        return self._inner.claim(identity)
