"""The changes of a stored collection, filtered and projected, read from persist as they are taken.

Nothing waits in memory for a client that takes its time: what it has not taken is in persist, which is held readable from there
on.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from ...compute.row_chain import evaluate_chain
from ...errors import UndefinedTable
from ...expr.tree.relation import Get, Relation
from ...persist.client import PartRef, PersistClient, ShardId
from ...persist.read import read_updates
from ...repr.batch import NO_ERRORS, Batch, Delta, empty_delta
from ...repr.consolidate import consolidate
from ..storage.collections import Collections
from ..thread_pool import EVALUATION
from .subscription_rows import Step

MOST_BYTES = 32 << 20
"""About so many bytes of changes are read at once, in memory."""

AT_ONCE_BYTES = 256 << 10
"""What is less, and in no blob, is read on the loop: a thread would cost more."""

MOST_RECENT = 32
"""So many small pieces of changes are kept for others who follow the same."""


class RecentUpdates:
    """What was read last, by shard, interval and number of columns.  Those who follow a collection closely read the same: it is
    decoded once for all of them."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[ShardId, int, int, int], Delta] = OrderedDict()

    def get(self, key: tuple[ShardId, int, int, int]) -> Delta | None:
        return self._known.get(key)

    def put(self, key: tuple[ShardId, int, int, int], delta: Delta) -> None:
        self._known[key] = delta
        if len(self._known) > MOST_RECENT:
            self._known.popitem(last=False)


@dataclass(frozen=True, slots=True)
class StoredSubscription:
    """`relation` is a chain over `source`.  `check` raises when the definitions are not any more what they were; `snapshot` gives
    the rows as of `begin`, and is None if they are not wanted."""

    relation: Relation
    source: Get
    begin: int
    up_to: int | None
    snapshot: AsyncIterator[Batch] | None
    check: Callable[[], None]
    persist: PersistClient
    collections: Collections
    recent: RecentUpdates

    async def steps(self) -> AsyncGenerator[Step, None]:
        schema = self.relation.schema
        if self.snapshot is not None:
            async for batch in self.snapshot:
                times = np.full(len(batch), self.begin, np.uint64)
                yield Step(Delta(Batch(batch.columns, times, batch.diffs), NO_ERRORS), None)
        lower = self.begin + 1
        yield Step(empty_delta(schema), lower)
        while self.up_to is None or lower < self.up_to:
            await self.collections.wait_until_readable((self.source.id,), lower)
            self._check_there()
            upper = self.collections.frontier(self.source.id)
            if self.up_to is not None:
                upper = min(upper, self.up_to)
            delta, lower = await self._changes(lower, upper)
            yield Step(delta, lower)

    def _check_there(self) -> None:
        self.check()
        if self.source.id not in self.collections:
            raise UndefinedTable("the relation was dropped while it was subscribed to")

    async def _changes(self, lower: int, upper: int) -> tuple[Delta, int]:
        """The changes from `lower` on, and before when: `upper` or, if they are many, earlier."""
        collection = self.collections[self.source.id]
        nothing = empty_delta(self.relation.schema)
        if collection.last_write < lower:
            return nothing, upper
        shard, schema = collection.shard, collection.schema
        key = (shard, lower, upper, len(schema))
        if (shared := self.recent.get(key)) is not None:
            return self._projected(shared), upper
        known = min(upper, self.persist.mirror.state(shard).upper)
        if known <= lower:
            return nothing, upper
        parts = self.persist.mirror.updates(shard, lower, known)
        if (sooner := _bound(parts, lower)) is not None:
            known = upper = sooner
        if not parts:
            return nothing, upper
        blob = self.persist.blob
        if sum(part.decoded_nbytes for part in parts) <= AT_ONCE_BYTES:
            read = partial(read_updates, blob, parts, schema, lower, known)
            stored = any(part.blob is not None for part in parts)
            whole = await asyncio.to_thread(read) if stored else read()
            self.recent.put(key, whole)
            return self._projected(whole), upper
        return await EVALUATION.run(
            lambda: self._projected(read_updates(blob, parts, schema, lower, known))
        ), upper

    def _projected(self, whole: Delta) -> Delta:
        """What the relation makes of changes of its source."""
        width = len(self.source.schema)
        rows = whole if width >= len(whole.oks.columns) else Delta(whole.oks.select(range(width)), whole.errs)
        found = evaluate_chain(self.relation, {self.source.id: rows})
        assert found is not None
        return Delta(consolidate(found.oks), consolidate(found.errs))


def _bound(parts: tuple[PartRef, ...], lower: int) -> int | None:
    """A time before which there is not too much to be read; None when all of it is not."""
    size = 0
    for part in sorted(parts, key=lambda part: part.first_time):
        size += part.decoded_nbytes
        if size > MOST_BYTES and part.first_time > lower:
            return part.first_time
    return None
