"""Upkeep of stored collections: frontiers made durable, read frontiers advanced, batches merged, garbage collected.

A collection is held readable at the least of: what its dependents' durable outputs were computed from (so that they can
go on after a restart), what sinks have written, the retained history, and the reads under way.
"""

from __future__ import annotations

import asyncio
import logging

from ..config import Settings
from ..expr.relation import GlobalId
from ..persist.client import PersistClient
from ..replica.protocol import Updates
from ..sql.plans import ItemKind
from .catalog import Catalog
from .collections import Collections
from .controller import Controller
from .group_commit import GroupCommit
from .installation import Installation
from .oracle import Oracle
from .reads import ActiveReads

logger = logging.getLogger(__name__)

HOLDER = "controller"
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
        self._held: dict[GlobalId, int] = {}
        self._rounds = 0

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
        await self._make_frontiers_durable()
        loop = asyncio.get_running_loop()
        sinces = self._readable_from()
        for collection in self._collections.all():
            since = min(sinces[collection.id], collection.durable_upper - 1)
            if since > self._held.get(collection.id, -1):
                self._held[collection.id] = since
                shard = collection.shard
                await loop.run_in_executor(self._commit.thread, self._compact, shard, since)
        for gone in self._held.keys() - sinces.keys():
            del self._held[gone]
        self._rounds += 1
        if self._rounds % GARBAGE_EVERY == 0:
            await loop.run_in_executor(self._commit.thread, self._persist.collect_garbage)

    def _compact(self, shard: str, since: int) -> None:
        state = self._persist.state(shard)
        if state.since < since < state.upper:
            self._persist.set_hold(shard, HOLDER, since, critical=True, epoch=self._epoch)
            while self._persist.compact(shard):
                continue

    async def _make_frontiers_durable(self) -> None:
        """Where a frontier was promised and no data came, persist hears of it now, so that inputs can be
        compacted; and how far sinks have come."""
        timed, stamped = [], {}
        for collection in self._collections.all():
            if collection.stamped:
                if self._oracle.closed > collection.durable_upper:
                    stamped[collection.id] = ()
            elif collection.upper > collection.durable_upper:
                timed.append(Updates(collection.id, 0, collection.upper, ()))
        companions = {}
        for item in self._catalog.user_items():
            if item.kind is not ItemKind.SINK or item.remap is None:
                continue
            position = str(self._controller.sink_upper(item))
            if position != self._controller.remap.position(item.remap):
                companions[item.remap] = self._controller.remap.parts(item.remap, position)
                self._controller.remap.committed(item.remap, position)
        if timed:
            await self._commit.append(tuple(timed))
        if stamped or companions:
            await self._commit.write(stamped, companions=companions)

    def _readable_from(self) -> dict[GlobalId, int]:
        """For each collection the least time that somebody may still read it at."""
        latest = self._oracle.read_time
        floor = min(self._reads.since(), latest - self._settings.retain_history_ms)
        sinces = {}
        for collection in self._collections.all():
            item = self._catalog.find_by_id(collection.id)
            retain = item.options.get("retain_history_ms") if item is not None else None
            sinces[collection.id] = min(floor, latest - retain) if retain is not None else floor
        for item in self._catalog.user_items():
            match item.kind:
                case ItemKind.MATERIALIZED_VIEW if item.id in self._collections:
                    needed = self._collections[item.id].durable_upper - 1
                    for id_ in Installation.reads(item, self._catalog):
                        sinces[id_] = min(sinces.get(id_, needed), needed)
                case ItemKind.SINK:
                    needed = self._controller.sink_upper(item) - 1
                    sinces[item.on] = min(sinces.get(item.on, needed), needed)
        return sinces
