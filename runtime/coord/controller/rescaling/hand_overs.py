"""Hand-overs: a cluster's options ask for replicas of another shape, which take the place of those that it has.

```
leaving:  answers, leads ────────────────────────────────────── let go ── ends what it has begun ── ended, its state removed
new:      starts ── borrows checkpoints ── hydrates, catches up ── answers, leads
                                              `Readiness`
```

Both write the same history of each view (`clusters`), and each has its own state (`checkpoints`).  What talks to the outside moves with the
leadership, when the leaving replicas are let go.  As long as the new ones are not ready, or cannot start, the others go on.

Where there is no room for both, those that are leaving end at once: the new ones go on from what they have left, and readers wait.  So they do
if there is state of replicas only, as after a crash of the runtime: which replicas there are, follows from the catalog and from that.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import suppress

from ....errors import PtvcError, ReplicaUnavailable
from ...catalog.catalog import Catalog
from ...catalog.entries import ClusterEntry
from ...catalog.items import External, Running
from ..checkpoints import Checkpoints
from ..clusters import Clusters
from ..installer import Installer
from ..replicas import ReplicaClient
from .readiness import Readiness, answers

logger = logging.getLogger(__name__)

LOOK_S = 0.05
MOST_ENDING_S = 60.0
"""So long a replica that was let go may take to end what it has begun."""


class HandOver:
    """That of one cluster.  It is `crowded` if replicas have ended for want of room; it is `beside` as long as these are there; `over` is set when the new ones do, or another
    hand-over is in its place."""

    def __init__(self, cluster_id: str, readiness: Readiness, *, crowded: bool, beside: bool) -> None:
        self.cluster_id = cluster_id
        self.readiness = readiness
        self.crowded = crowded
        self.beside = beside
        self.over = asyncio.Event()
        self.task: asyncio.Task[None] | None = None


class HandOvers:
    """Everything here runs on the coordinator's event loop.  `stop` ends a replica; `elect` gives a cluster that has no leader one."""

    def __init__(
        self,
        clusters: Clusters,
        catalog: Catalog,
        checkpoints: Checkpoints,
        installer: Installer,
        stop: Callable[[ReplicaClient, PtvcError], None],
        elect: Callable[[str], Coroutine[None, None, None]],
        spawn: Callable[[Coroutine[None, None, None]], asyncio.Task[None]],
    ) -> None:
        self._clusters = clusters
        self._catalog = catalog
        self._checkpoints = checkpoints
        self._installer = installer
        self._stop = stop
        self._elect = elect
        self._spawn = spawn
        self._under_way: dict[str, HandOver] = {}

    def of(self, cluster_id: str) -> HandOver | None:
        """The hand-over that is under way there."""
        return self._under_way.get(cluster_id)

    def begin(self, cluster: ClusterEntry, room: int) -> None:
        """The replicas of the cluster are set, and there is room for so many in all: who is leaving and not up, or has no room, ends.  A
        hand-over that is under way makes way for this one."""
        leaving_before = [replica for replica in self._clusters.of(cluster.name) if replica.leaving]
        for replica in leaving_before:
            if (
                not replica.connected.is_set()
            ):  # it would take the room of those that are wanted, and answers nobody
                self._end(replica)
        crowded = self._make_room(room, cluster.name)
        ended = bool(leaving_before)
        self.cancel(cluster.id)
        replicas = self._clusters.of(cluster.name)
        names = {replica.name for replica in replicas}
        ids = [item.id for item in self._running(cluster.name)]
        leaving = any(replica.leaving for replica in replicas)
        if not leaving and not ended and not any(self._checkpoints.has_others(id_, names) for id_ in ids):
            self._retain(cluster.name)
            return
        readiness = Readiness(self._clusters, self._catalog, self._checkpoints)
        hand_over = HandOver(cluster.id, readiness, crowded=crowded, beside=leaving)
        self._under_way[cluster.id] = hand_over
        hand_over.task = self._spawn(self._run(hand_over))

    def cancel(self, cluster_id: str) -> None:
        """The cluster was dropped, or its replicas are set anew."""
        if (hand_over := self._under_way.pop(cluster_id, None)) is not None:
            hand_over.over.set()
            if hand_over.task is not None:
                hand_over.task.cancel()

    def force(self, cluster: str) -> None:
        """The leaving replicas of the cluster end now."""
        for replica in self._clusters.all_of(cluster):
            if replica.leaving:
                self._end(replica)

    def _make_room(self, room: int, cluster: str) -> bool:
        """Ends leaving replicas, first those of this cluster, until there are no more than `room` in all.  Whether some of this cluster were."""
        leaving = [replica for replica in self._clusters if replica.leaving]
        leaving.sort(key=lambda replica: replica.cluster != cluster)
        ended = leaving[: max(sum(1 for _ in self._clusters) - room, 0)]
        for replica in ended:
            logger.info("replica %s ends before its successors are ready: there is no room", replica.id)
            self._end(replica)
        return any(replica.cluster == cluster for replica in ended)

    def end_let_go(self) -> None:
        """Those that were let go end now."""
        for replica in self._clusters.ending:
            self._end(replica)

    async def _run(self, hand_over: HandOver) -> None:
        await self._ready(hand_over)
        cluster = self._name(hand_over.cluster_id)
        if let_go := self._clusters.let_go(cluster):
            ids = (replica.id for replica in self._clusters.of(cluster))
            logger.info("replicas %s are ready, and take over", ", ".join(ids))
        for replica in let_go:
            self._withdraw_outward(replica)
        del self._under_way[hand_over.cluster_id]
        self._spawn(self._finish(hand_over.cluster_id, let_go))
        await self._elect(cluster)
        hand_over.over.set()

    async def _ready(self, hand_over: HandOver) -> None:
        """Returns in the moment in which the new replicas are ready, and each attempt of one has answered a query."""
        answered: set[tuple[str, tuple[int, int]]] = set()
        while True:
            cluster = self._name(hand_over.cluster_id)
            ready = hand_over.readiness.look(cluster)
            new = {(r.id, r.attempt): r for r in self._clusters.of(cluster) if not r.leaving}
            if ready and new.keys() <= answered:
                return
            if ready:
                answered |= {key for key in new.keys() - answered if await answers(new[key])}
            await asyncio.sleep(LOOK_S)

    async def _finish(self, cluster_id: str, let_go: list[ReplicaClient]) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(MOST_ENDING_S):
                while any(replica.is_awaited for replica in let_go):
                    await asyncio.sleep(LOOK_S)
        for replica in let_go:
            if replica in self._clusters.ending:
                self._end(replica)
        if cluster_id not in self._under_way and (name := self._find(cluster_id)) is not None:
            self._retain(name)

    def _withdraw_outward(self, replica: ReplicaClient) -> None:
        """What talks to the outside is another's from now on."""
        self._clusters.resign(replica)
        for item in self._running(replica.cluster):
            if isinstance(item, External) and (item.id in replica.installed or item.id in replica.installing):
                self._installer.uninstall(replica, item)

    def _end(self, replica: ReplicaClient) -> None:
        self._stop(replica, ReplicaUnavailable(f"replica {replica.name} was replaced"))
        self._clusters.end(replica)
        hand_over = self._under_way.get(replica.cluster_id)
        if hand_over is not None and not any(r.leaving for r in self._clusters.of(replica.cluster)):
            hand_over.beside = False
        self._spawn(self._elect(replica.cluster))

    def _retain(self, cluster: str) -> None:
        """The state of replicas that there are no more goes."""
        names = {replica.name for replica in self._clusters.all_of(cluster)}
        for item in self._running(cluster):
            self._checkpoints.retain(item.id, names)

    def _running(self, cluster: str) -> list[Running]:
        return [
            item
            for item in self._catalog.user_items()
            if isinstance(item, Running) and item.cluster == cluster
        ]

    def _name(self, cluster_id: str) -> str:
        """The cluster's name, which may change at any time."""
        name = self._find(cluster_id)
        assert name is not None, "its hand-over is cancelled when a cluster is dropped"
        return name

    def _find(self, cluster_id: str) -> str | None:
        return next((e.name for e in self._catalog.cluster_entries() if e.id == cluster_id), None)
