"""Holds on the inputs of objects that are being installed: readable where a replica, or a job, begins to read them.

Later the object's durable frontier, or its checkpoint, holds them; until then that may move without the reader.
"""

from __future__ import annotations

from contextlib import suppress

from ...errors import ObjectNotReady
from ...expr.tree.relation import GlobalId
from ...persist.client import PersistClient, ShardId
from ...replica.protocol import Import
from .replicas import ReplicaClient

HYDRATION_LEASE_MS = 3_600_000
"""How long inputs are held after the last `renew`: at most, should this process end in the middle."""


class InputHolds:
    def __init__(self, persist: PersistClient) -> None:
        self._persist = persist
        self._held: dict[str, tuple[ShardId, ...]] = {}

    def hold(self, replica: ReplicaClient, id: GlobalId, imports: tuple[Import, ...]) -> None:
        """Keeps the inputs, and their blobs, as they are.  Each is held where it is readable from: the only hold on a
        shard moves that to itself."""
        holder = _holder(replica, id)
        sinces = self._readable_from(imports)
        while True:
            try:
                self._persist.set_holds(holder, sinces, critical=False, lease_ms=HYDRATION_LEASE_MS)
                break
            except ObjectNotReady:
                # Upkeep, on a thread of its own, may have moved one in between: then it is held where it is now.
                moved = self._readable_from(imports)
                if moved == sinces:
                    raise
                sinces = moved
        self._held[holder] = tuple(sinces)

    def _readable_from(self, imports: tuple[Import, ...]) -> dict[ShardId, int]:
        return {source.shard: self._persist.state(source.shard).since for source in imports}

    def renew(self) -> None:
        """Those who hold are alive: upkeep says so, before it ends holds whose leases are over.  From any thread."""
        for holder in tuple(self._held):
            with suppress(ObjectNotReady):  # it has let go a moment ago
                self._persist.heartbeat(holder)

    def release(self, replica: ReplicaClient, id: GlobalId) -> None:
        """The replica has read the inputs of the object as of its beginning, or will not."""
        holder = _holder(replica, id)
        for shard in self._held.pop(holder, ()):
            self._persist.drop_hold(shard, holder)


def _holder(replica: ReplicaClient, id: GlobalId) -> str:
    return f"{id} on {replica.id}"
