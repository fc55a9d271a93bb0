"""Upkeep of shards: read frontiers advanced, batches merged, garbage collected, all in one thread beside commits.

One thread, so that batches which a job has merged are replaced between merges, and between collections of garbage, which
therefore find all parts that are referred to.  Its priority is that of the others: where cores are short, a thread of a lower one is put
off while it holds the interpreter, or the store, and commits and queries wait for it all that time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from ...errors import UndefinedObject
from ...expr.tree.relation import GlobalId
from ...persist.client import DEFAULT_GRACE_MS, MAX_MERGE_BYTES, Merge, PersistClient, ShardId
from ...replica.protocol import Import
from .audit_store import AUDIT_SHARDS
from .catalog_store import CATALOG_SHARD
from .collections import HOLDER, Collections
from .input_holds import InputHolds
from .parts import WrittenPart

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LargeMerge:
    """Batches of the stored collection `id` that are too many bytes to be merged in this process."""

    id: GlobalId
    merge: Merge

    @property
    def shard(self) -> str:
        return self.merge.shard

    @property
    def batches(self) -> int:
        return len(self.merge.batches)

    @property
    def source(self) -> Import:
        """The batches as an input, whose contents from its time on are what the merge has to give, below its upper."""
        merge = self.merge
        upper = max(merge.upper, merge.since + 1)  # what has been advanced may be later than its batch
        return Import(self.id, merge.shard, merge.schema, True, merge.since, merge.parts, (), upper)


class Upkeep:
    def __init__(
        self, persist: PersistClient, collections: Collections, holds: InputHolds, epoch: int
    ) -> None:
        self._persist = persist
        self._collections = collections
        self._holds = holds
        self._epoch = epoch
        self._thread = ThreadPoolExecutor(1, "upkeep")
        self._sinces: dict[ShardId, int] = {}

    def held_at(self, shard: str) -> int | None:
        """Where the shard was last held readable; None before the first `compact`."""
        return self._sinces.get(shard)

    async def compact(
        self,
        readable_from: Mapping[GlobalId, int],
        beside: Iterable[str],
        waiting: AbstractSet[str],
        busy: LargeMerge | None,
        most_bytes: int,
    ) -> dict[str, LargeMerge | None]:
        """Lets read frontiers go to `readable_from`, and those of the shards `beside` to their ends, then merges batches where one has
        moved and in the shards that are `waiting`.  What has more than `most_bytes` is returned instead, by shard.

        None stands for a shard without such a merge.  Shards that are no collection have none, nor has the one of which a job
        merges the batches that are `busy`.
        """
        holds = self._movable(readable_from, beside)
        ids = {collection.shard: collection.id for collection in self._collections.all()}
        shards = {shard: ids.get(shard) for shard in [*holds, *sorted(waiting & ids.keys())]}
        return await self._in_thread(partial(self._compact, holds, shards, busy, most_bytes))

    async def replace(self, large: LargeMerge, parts: tuple[WrittenPart, ...]) -> bool:
        """Puts `parts`, which a job has made of the batches, in their place; False if they are not there any more."""
        return await self._in_thread(partial(self._persist.replace, large.merge, parts, epoch=self._epoch))

    async def collect_garbage(self, reads_ms: int, writers: Callable[[], Collection[str]]) -> None:
        """Blobs of writers that cannot append any more, and that nothing refers to, go.

        `writers` are those that can, and is asked from the thread when a blob has been seen: its writer may have begun a
        moment ago.  What was replaced stays for as long as somebody may read it who began `reads_ms` ago.
        """
        await self._in_thread(partial(self._collect, DEFAULT_GRACE_MS + reads_ms, writers))

    async def confirm_epoch(self) -> None:
        """Raises Fenced when another process has a newer one."""
        await self._in_thread(partial(self._persist.check_epoch, self._epoch))

    def close(self) -> None:
        self._thread.shutdown(wait=False)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    def _movable(self, readable_from: Mapping[GlobalId, int], beside: Iterable[str]) -> dict[ShardId, int]:
        """The shards whose read frontier may move now, and where to."""
        mirror = self._persist.mirror
        holds = {
            collection.shard: min(readable_from[collection.id], collection.durable_upper - 1)
            for collection in self._collections.all()
        }
        holds.update(
            (shard, mirror.state(shard).upper - 1) for shard in (*beside, CATALOG_SHARD, *AUDIT_SHARDS)
        )
        # Persist is asked once per shard: nobody else moves what this holder holds.
        self._sinces = {
            shard: self._sinces[shard] if shard in self._sinces else mirror.state(shard).since
            for shard in holds
        }
        return {shard: since for shard, since in holds.items() if since > self._sinces[shard]}

    def _compact(
        self,
        holds: dict[ShardId, int],
        shards: dict[ShardId, GlobalId | None],
        busy: LargeMerge | None,
        most_bytes: int,
    ) -> dict[ShardId, LargeMerge | None]:
        large: dict[ShardId, LargeMerge | None] = {}
        try:
            if holds:
                self._persist.set_holds(HOLDER, holds, critical=True, epoch=self._epoch)
            self._sinces.update(holds)
            for shard, id_ in shards.items():
                after = busy.merge.upper if busy is not None and busy.shard == shard else 0
                most = MAX_MERGE_BYTES if id_ is None else most_bytes
                while self._persist.compact(shard, max_bytes=most, after=after, epoch=self._epoch):
                    continue
                if id_ is not None and not after:
                    merge = self._persist.next_merge(shard)
                    large[shard] = LargeMerge(id_, merge) if merge is not None else None
        except UndefinedObject:
            pass  # a shard was dropped meanwhile: the next round knows
        return large

    def _collect(self, grace_ms: int, writers: Callable[[], Collection[str]]) -> None:
        self._holds.renew()
        self._persist.collect_garbage(
            grace_ms=grace_ms, writer_is_dead=lambda writer: writer not in writers(), epoch=self._epoch
        )
