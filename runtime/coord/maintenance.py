"""Upkeep of stored collections: frontiers made durable, read frontiers advanced, batches merged, garbage collected; and what
sessions could not drop as they ended.

A collection is held readable at the least of: what its dependents' durable outputs were computed from, and the cuts of
their checkpoints (so that they can go on after a restart), what sinks have written and subscriptions have told, the retained
history, and the reads under way.

A merge is made here, one after the other, unless it is a large one (`compaction_jobs`): then it is Spark's, and nothing
waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from ..config import Settings
from ..errors import UndefinedObject
from ..expr.tree.relation import GlobalId
from ..persist.client import DEFAULT_GRACE_MS, MAX_MERGE_BYTES, PersistClient, ShardId
from ..replica.protocol import Updates
from ..sql.catalog.catalog_view import ItemKind
from .catalog.catalog import Catalog
from .catalog.entries import Item
from .catalog.views import stored_inputs
from .controller import Controller
from .controller.compaction_jobs import LargeMerge
from .storage.catalog_store import CATALOG_SHARD
from .storage.collections import HOLDER, Collection, Collections
from .storage.group_commit import GroupCommit
from .storage.oracle import Oracle
from .storage.reads import ActiveReads

logger = logging.getLogger(__name__)

GARBAGE_EVERY = 12  # rounds


class Maintenance:
    """`run` goes on until it is cancelled; `round` is one pass, for tests."""

    def __init__(
        self,
        settings: Settings,
        persist: PersistClient,
        oracle: Oracle,
        collections: Collections,
        catalog: Catalog,
        reads: ActiveReads,
        controller: Controller,
        commit: GroupCommit,
        epoch: int,
        settle_sinks: Callable[[Iterable[GlobalId]], Awaitable[None]],
        drop_left_behind: Callable[[], Awaitable[None]],
    ) -> None:
        self._settings = settings
        self._persist = persist
        self._oracle = oracle
        self._collections = collections
        self._catalog = catalog
        self._reads = reads
        self._controller = controller
        self._commit = commit
        self._epoch = epoch
        self._settle_sinks = settle_sinks
        self._drop_left_behind = drop_left_behind
        self._thread = ThreadPoolExecutor(1, "maintenance")
        self._rounds = 0
        self._sinces: dict[ShardId, int] = {}
        self._inputs: dict[GlobalId, set[GlobalId]] = {}
        self._inputs_version = -1

    async def run(self) -> None:
        while True:
            await asyncio.sleep(self._settings.compaction_interval_ms / 1000)
            try:
                await self.round()
            except asyncio.CancelledError:
                raise
            except Exception:  # upkeep is tried again; what it found is in the log
                logger.exception("maintenance failed")

    async def round(self) -> None:
        """One pass.  Holds move in one transaction; merges run on a thread of their own, beside commits."""
        await self._drop_left_behind()
        switched = [i.id for i in self._catalog.user_items() if self._controller.sinks.has_switched(i)]
        await self._make_frontiers_durable()
        if switched:  # a restart finds them beyond the switch
            await self._settle_sinks(switched)
        loop = asyncio.get_running_loop()
        holds = self._holds()
        compactions = self._controller.compactions
        ids = {collection.shard: collection.id for collection in self._collections.all()}
        shards = {shard: ids.get(shard) for shard in [*holds, *sorted(compactions.waiting & ids.keys())]}
        work = partial(self._upkeep, holds, shards, compactions.busy())
        compactions.offer(await loop.run_in_executor(self._thread, work), self._thread)
        self._rounds += 1
        if self._rounds % GARBAGE_EVERY == 0:
            grace_ms = DEFAULT_GRACE_MS + max(0, self._controller.jobs.running_ms())
            await loop.run_in_executor(self._thread, self._collect, grace_ms)

    def _holds(self) -> dict[ShardId, int]:
        """Where the read frontier of each shard may go now."""
        holds: dict[ShardId, int] = {}
        sinces = self._readable_from()
        for collection in self._collections.all():
            holds[collection.shard] = min(sinces[collection.id], collection.durable_upper - 1)
        for item in self._catalog.user_items():
            if item.remap is not None:
                holds[item.remap] = self._persist.mirror.state(item.remap).upper - 1
        holds[CATALOG_SHARD] = self._persist.mirror.state(CATALOG_SHARD).upper - 1
        # Persist is asked once per shard: nobody else moves what this holder holds.
        self._sinces = {
            shard: self._sinces[shard] if shard in self._sinces else self._persist.mirror.state(shard).since
            for shard in holds
        }
        return {shard: since for shard, since in holds.items() if since > self._sinces[shard]}

    def _upkeep(
        self,
        holds: dict[ShardId, int],
        shards: dict[ShardId, GlobalId | None],
        busy: tuple[ShardId, int] | None,
    ) -> dict[ShardId, LargeMerge | None]:
        """Moves holds, and merges batches of `shards`; returns what is a job's work, by shard.  Those that are not a
        collection (bookkeeping) have no such work, nor has the one of which a job merges batches now."""
        large: dict[ShardId, LargeMerge | None] = {}
        try:
            if holds:
                self._persist.set_holds(HOLDER, holds, critical=True, epoch=self._epoch)
            self._sinces.update(holds)
            for shard, id_ in shards.items():
                after = busy[1] if busy is not None and busy[0] == shard else 0
                most = MAX_MERGE_BYTES if id_ is None else self._settings.compaction_job_min_bytes
                while self._persist.compact(shard, max_bytes=most, after=after, epoch=self._epoch):
                    continue
                if id_ is not None and not after:
                    merge = self._persist.next_merge(shard)
                    large[shard] = LargeMerge(id_, merge) if merge is not None else None
        except UndefinedObject:
            pass  # a shard was dropped meanwhile: the next round knows
        return large

    def _collect(self, grace_ms: int) -> None:
        """Blobs of writers that cannot append any more, and that nothing refers to, go.  Who is alive is asked when
        a blob has been seen: its writer may have begun a moment ago.  What was replaced goes after `grace_ms`: jobs that
        began before may read it."""
        self._controller.holds.renew()
        self._persist.collect_garbage(
            grace_ms=grace_ms,
            writer_is_dead=lambda writer: writer not in self._controller.writers(),
            epoch=self._epoch,
        )

    async def _make_frontiers_durable(self) -> None:
        """Where a frontier was promised and no data came, persist hears of it when that lets inputs be compacted;
        and how far sinks have come.

        What is idle costs nothing: a collection that nobody writes has nothing to compact.
        """
        timed = [
            Updates(collection.id, 0, collection.upper, ())
            for collection in self._collections.all()
            if not collection.timestamped and self._holds_inputs_back(collection)
        ]
        companions, positions = {}, {}
        for item in self._catalog.user_items():
            if item.kind is not ItemKind.SINK or item.remap is None:
                continue
            position = str(self._controller.sinks.upper(item))
            if position != self._controller.remap.position(item.remap):
                companions[item.remap] = self._controller.remap.parts(item.remap, position)
                positions[item.remap] = position

        def durable() -> None:
            for shard, position in positions.items():
                self._controller.remap.committed(shard, position)

        if timed:
            await self._commit.append(tuple(timed))
        if companions:
            await self._commit.write({}, companions=companions, on_durable=durable)

    def _holds_inputs_back(self, view: Collection) -> bool:
        """An input has data that can be compacted no further than to the view's durable frontier; or the view is hydrated, and
        has no rows: nobody else says so to those who read persist."""
        if view.upper <= view.durable_upper:
            return False
        if view.durable_upper <= self._sinces.get(view.shard, -1):
            return True
        item = self._catalog.find_by_id(view.id)
        return item is not None and any(
            self._collections[id_].durable_upper > view.durable_upper
            for id_ in self._inputs_of(item)
            if id_ in self._collections
        )

    def _inputs_of(self, item: Item) -> set[GlobalId]:
        """The stored collections that the item is computed from, until the catalog changes."""
        if self._inputs_version != self._catalog.version:
            self._inputs_version = self._catalog.version
            self._inputs.clear()
        if item.id not in self._inputs:
            self._inputs[item.id] = stored_inputs(item, self._catalog)
        return self._inputs[item.id]

    def _readable_from(self) -> dict[GlobalId, int]:
        """For each collection the least time that somebody may still read it at."""
        latest = self._oracle.read_time
        floor = min(self._reads.since(), latest - self._settings.retain_history_ms)
        sinces = {}
        for collection in self._collections.all():
            item = self._catalog.find_by_id(collection.id)
            retain = item.options.get("retain_history_ms") if item is not None else None
            sinces[collection.id] = min(floor, latest - retain) if retain is not None else floor
        for id_, time in self._reads.followed().items():
            if id_ in sinces:
                sinces[id_] = min(sinces[id_], time)
        for item in self._catalog.user_items():
            match item.kind:
                case ItemKind.MATERIALIZED_VIEW | ItemKind.INDEX:
                    needed = self._needed(item, latest)
                    if needed is None:
                        continue
                    for id_ in self._inputs_of(item):
                        sinces[id_] = min(sinces.get(id_, needed), needed)
                case ItemKind.SINK:
                    # What it has said since then may be gone by a restart.
                    for id_, needed in self._controller.sinks.reads(item):
                        sinces[id_] = min(sinces.get(id_, needed), needed)
        return sinces

    def _needed(self, item: Item, latest: int) -> int | None:
        """The time from which on the object's inputs are read again: after a restart, or since an index promises their
        history; None when any time will do."""
        stored = item.id in self._collections
        durable_upper = self._collections[item.id].durable_upper if stored else None
        uppers = [u for u in (durable_upper, self._controller.checkpoints.cut(item.id)) if u is not None]
        times = [upper - 1 for upper in uppers]
        if item.kind is ItemKind.INDEX and (retain := item.options.get("retain_history_ms")) is not None:
            times.append(latest - retain)
        return min(times, default=None)
