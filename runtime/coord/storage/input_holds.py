"""Holds on the inputs of objects that are being installed: readable where a reader, which is a replica or a job, begins.

Later the object's durable frontier, or its checkpoint, holds them; until then that may move without the reader.
"""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from ...errors import ObjectNotReady, PtvcError
from ...expr.tree.relation import GlobalId
from ...persist.client import PersistClient, ShardId
from ...replica.protocol import Import
from .acceptance import settled

logger = logging.getLogger(__name__)

HYDRATION_LEASE_MS = 3_600_000
"""How long inputs are held after the last `renew`: at most, should this process end in the middle."""


class InputHolds:
    def __init__(self, persist: PersistClient) -> None:
        self._persist = persist
        self._held: dict[str, tuple[ShardId, ...]] = {}
        # One thread, so that a hold and its release take effect in their order.
        self._thread = ThreadPoolExecutor(1, "holds")

    async def hold(self, reader: str, id: GlobalId, imports: tuple[Import, ...]) -> None:
        """Keeps the inputs, and their blobs, as they are.  Each is held where it is readable from: the only hold on a
        shard moves that to itself."""
        holder = _holder(reader, id)
        loop = asyncio.get_running_loop()
        self._held[holder] = tuple(dict.fromkeys(source.shard for source in imports))
        await settled(loop.run_in_executor(self._thread, self._hold, holder, imports))

    def _hold(self, holder: str, imports: tuple[Import, ...]) -> None:
        sinces = self._readable_from(imports)
        while True:
            try:
                self._persist.set_holds(holder, sinces, critical=False, lease_ms=HYDRATION_LEASE_MS)
                break
            except ObjectNotReady:
                # Maintenance, on a thread of its own, may have moved one in between: then it is held where it is now.
                moved = self._readable_from(imports)
                if moved == sinces:
                    raise
                sinces = moved

    def _readable_from(self, imports: tuple[Import, ...]) -> dict[ShardId, int]:
        return {source.shard: self._persist.state(source.shard).since for source in imports}

    def renew(self) -> None:
        """Those who hold are alive: maintenance calls this, before it ends holds whose leases are over.  From any thread."""
        for holder in tuple(self._held):
            with suppress(ObjectNotReady):  # it has let go a moment ago
                self._persist.heartbeat(holder)

    def release(self, reader: str, id: GlobalId) -> None:
        """The reader has read the inputs of the object as of its beginning, or will not."""
        holder = _holder(reader, id)
        if shards := self._held.pop(holder, ()):
            self._thread.submit(self._release, holder, shards)

    def _release(self, holder: str, shards: tuple[ShardId, ...]) -> None:
        try:
            for shard in shards:
                self._persist.drop_hold(shard, holder)
        except PtvcError as error:
            logger.warning("the hold of %s ends with its lease: %s", holder, error)

    def close(self) -> None:
        self._thread.shutdown()


def _holder(reader: str, id: GlobalId) -> str:
    return f"{id} on {reader}"
