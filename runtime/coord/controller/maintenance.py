"""Maintenance of stored collections: what they are still needed for, and `coord.storage.upkeep` of what they are not; and what
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
from collections.abc import Awaitable, Callable

from ...config import Settings
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Updates
from ..catalog.catalog import Catalog
from ..catalog.items import Index, Item, Maintained, MaterializedView, Retaining, Sink, shards_beside
from ..catalog.views import stored_inputs
from ..storage.collections import Collection
from ..storage.storage import Storage
from .controller import Controller

logger = logging.getLogger(__name__)

GARBAGE_EVERY = 12  # rounds


class Maintenance:
    """`run` goes on until it is cancelled; `round` is one pass, for tests."""

    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        catalog: Catalog,
        controller: Controller,
        settle_sinks: Callable[[], Awaitable[None]],
        drop_left_behind: Callable[[], Awaitable[None]],
        needs_answers: Callable[[], Callable[[str], bool]],
    ) -> None:
        """`needs_answers` as `QueryJobs.needs`."""
        self._settings = settings
        self._storage = storage
        self._oracle = storage.oracle
        self._collections = storage.collections
        self._catalog = catalog
        self._reads = storage.reads
        self._controller = controller
        self._settle_sinks = settle_sinks
        self._drop_left_behind = drop_left_behind
        self._needs_answers = needs_answers
        self._rounds = 0
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
        """One pass.  Holds move in one transaction; merges run in a thread, beside commits."""
        await self._drop_left_behind()
        await self._make_frontiers_durable()
        await self._settle_sinks()
        compactions = self._controller.compactions
        beside = [shard for item in self._catalog.user_items() for shard in shards_beside(item)]
        found = await self._storage.compact(
            self._readable_from(),
            beside,
            compactions.waiting,
            compactions.busy(),
            self._settings.compaction_job_min_bytes,
        )
        compactions.offer(found)
        self._rounds += 1
        if self._rounds % GARBAGE_EVERY == 0:
            running_ms = max(0, self._controller.jobs.running_ms())
            await self._storage.collect_garbage(running_ms, self._controller.writers)
            await self._collect_files()

    async def _collect_files(self) -> None:
        """Files that were published, and that no checkpoint, dataflow or job has any more, go."""
        files = self._controller.files
        if not files.copied:
            return
        names = await asyncio.to_thread(files.published)
        # Asked after they were seen: what is needed then was begun before, or has other names.
        state, answers = self._controller.needs_files(), self._needs_answers()
        unneeded = [name for name in names if not state(name) and not answers(name)]
        if unneeded:
            # The files of a coordinator that takes over later have not been among these.
            await self._storage.confirm_epoch()
            await asyncio.to_thread(files.unpublish, unneeded)
            logger.info("removed %d files of state that nobody needs", len(unneeded))

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
        if timed:
            await self._storage.append(tuple(timed))
        await self._storage.record(
            lambda: self._controller.sinks.positions(
                item for item in self._catalog.user_items() if isinstance(item, Sink)
            )
        )

    def _holds_inputs_back(self, view: Collection) -> bool:
        """An input has data that can be compacted no further than to the view's durable frontier; or the view is hydrated, and
        has no rows: nobody else says so to those who read persist."""
        if view.upper <= view.durable_upper:
            return False
        held_at = self._storage.held_at(view.shard)
        if held_at is not None and view.durable_upper <= held_at:
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
            retain = item.retain_history_ms if isinstance(item, Retaining) else None
            sinces[collection.id] = min(floor, latest - retain) if retain is not None else floor
        for id_, time in self._reads.followed().items():
            if id_ in sinces:
                sinces[id_] = min(sinces[id_], time)
        for item in self._catalog.user_items():
            match item:
                case MaterializedView() | Index():
                    needed = self._needed(item, latest)
                    if needed is None:
                        continue
                    for id_ in self._inputs_of(item):
                        sinces[id_] = min(sinces.get(id_, needed), needed)
                case Sink():
                    # What it has said since then may be gone by a restart.
                    for id_, needed in self._controller.sinks.reads(item):
                        sinces[id_] = min(sinces.get(id_, needed), needed)
        return sinces

    def _needed(self, item: Maintained, latest: int) -> int | None:
        """The time from which on the object's inputs are read again: after a restart, or since an index promises their
        history; None when any time will do."""
        stored = item.id in self._collections
        durable_upper = self._collections[item.id].durable_upper if stored else None
        uppers = [u for u in (durable_upper, self._controller.checkpoints.cut(item.id)) if u is not None]
        times = [upper - 1 for upper in uppers]
        if isinstance(item, Index) and item.retain_history_ms is not None:
            times.append(latest - item.retain_history_ms)
        return min(times, default=None)
