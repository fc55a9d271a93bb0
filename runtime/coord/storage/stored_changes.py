"""The changes of stored collections, piece by piece, for those who follow them.

A piece is bounded in memory.  Those who follow a collection closely read the same pieces: a small one is decoded once for all
of them.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from functools import partial

from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, PersistClient, ShardId
from ...persist.read import read_updates
from ...repr.batch import Delta
from ..thread_pool import EVALUATION
from .collections import Collections

MOST_BYTES = 32 << 20
"""About so many bytes of changes are read at once, in memory."""

AT_ONCE_BYTES = 256 << 10
"""What is less, and in no blob, is read on the loop: a thread would cost more."""

MOST_RECENT = 32
"""So many small pieces of changes are kept for others who follow the same."""

_Piece = tuple[ShardId, int, int, int]
"""A shard, an interval of times, and a number of columns."""


class StoredChanges:
    """Everything here runs on the event loop, but for the decoding of what is not small."""

    def __init__(self, persist: PersistClient, collections: Collections) -> None:
        self._persist = persist
        self._collections = collections
        self._recent: OrderedDict[_Piece, Delta] = OrderedDict()

    async def read(self, id: GlobalId, lower: int, upper: int) -> tuple[Delta | None, int]:
        """The changes from `lower` on, None if there are none, and before when: `upper` or, if they are many, earlier.

        The collection is complete below `upper`, and readable from `lower` on.
        """
        collection = self._collections[id]
        if collection.last_write < lower:
            return None, upper
        shard, schema = collection.shard, collection.schema
        piece = (shard, lower, upper, len(schema))
        if (recent := self._recent.get(piece)) is not None:
            return recent, upper
        known = min(upper, self._persist.mirror.state(shard).upper)
        if known <= lower:
            return None, upper
        parts = self._persist.mirror.updates(shard, lower, known)
        if (sooner := _bound(parts, lower)) is not None:
            known = upper = sooner
        if not parts:
            return None, upper
        read = partial(read_updates, self._persist.blob, parts, schema, lower, known)
        if sum(part.decoded_nbytes for part in parts) > AT_ONCE_BYTES:
            return await EVALUATION.run(read), upper
        stored = any(part.blob is not None for part in parts)
        delta = await asyncio.to_thread(read) if stored else read()
        self._keep(piece, delta)
        return delta, upper

    def _keep(self, piece: _Piece, delta: Delta) -> None:
        self._recent[piece] = delta
        if len(self._recent) > MOST_RECENT:
            self._recent.popitem(last=False)


def _bound(parts: tuple[PartRef, ...], lower: int) -> int | None:
    """A time before which there is not too much to be read; None when all of it is not."""
    size = 0
    for part in sorted(parts, key=lambda part: part.first_time):
        size += part.decoded_nbytes
        if size > MOST_BYTES and part.first_time > lower:
            return part.first_time
    return None
