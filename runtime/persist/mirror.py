"""Shards as this process has last seen them: reads of metadata that ask no store.

For shards to which nobody else appends, that is all there is: every commit of the client's own is here in the moment in
which it succeeds.  Only a `since` may be behind the durable one, as readers elsewhere end leases; the batches that go
with it are still there, because only the owner of a shard merges them.
"""

from __future__ import annotations

from collections.abc import Iterable

from . import state
from .cache import ShardCache
from .part import PartRef, ShardId
from .state import Head, ShardBatch, ShardState, Snapshot


class Mirror:
    """Thread-safe; never waits for a store.  UndefinedObject for a shard that was not loaded, or was dropped."""

    def __init__(self, cache: ShardCache) -> None:
        self._cache = cache

    def load(self, shard: ShardId) -> ShardState:
        """Asks the store for the shard's head and batches.  The only method here that does."""
        return self._cache.batches(shard)[0].state()

    def state(self, shard: ShardId) -> ShardState:
        return self._cache.remembered_head(shard).state()

    def version(self, shard: ShardId) -> int:
        """Rises with every commit to the shard."""
        return self._cache.remembered_head(shard).version

    def batches(self, shard: ShardId) -> tuple[Head, list[ShardBatch]]:
        """All batches in order of time, and the head of the shard with these."""
        return self._cache.remembered_between(shard, 0, None)

    def snapshot(self, shard: ShardId, as_of: int) -> Snapshot:
        """As `PersistClient.snapshot`."""
        return snapshot_of(*self._cache.remembered_between(shard, 0, as_of + 1), as_of)

    def updates(self, shard: ShardId, lower: int, upper: int) -> tuple[PartRef, ...]:
        """As `PersistClient.updates`."""
        return updates_of(*self._cache.remembered_between(shard, lower, upper), lower, upper)


def snapshot_of(head: Head, batches: Iterable[ShardBatch], as_of: int) -> Snapshot:
    """`batches` meet `[0, as_of]`.  ObjectNotReady unless the shard is readable at `as_of`."""
    state.check_readable(head, as_of)
    parts = tuple(part for batch in batches for part in batch.parts if part.first_time <= as_of)
    return Snapshot(head.shard, as_of, head.schema, parts)


def updates_of(head: Head, batches: Iterable[ShardBatch], lower: int, upper: int) -> tuple[PartRef, ...]:
    """`batches` meet `[lower, upper)`.  ObjectNotReady unless the shard has all of that interval."""
    state.check_listenable(head, lower, upper)
    return tuple(
        part
        for batch in batches
        for part in batch.parts
        if part.first_time < upper and lower <= part.max_time
    )
