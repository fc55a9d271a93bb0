"""The commit feed of replicas: the updates of what they read, and the frontier of time.

Messages of a connection keep their order.  So a replica that gets a collection's parts and is subscribed to it
without anything in between misses no commit and gets none twice.
"""

from __future__ import annotations

from collections.abc import Callable

from ...expr.tree.relation import GlobalId
from ...replica.protocol import Progress, Updates
from ..catalog.catalog import Catalog
from ..catalog.items import Maintained
from ..storage.input_holds import HYDRATION_LEASE_MS
from ..storage.storage import Storage
from .clusters import Clusters
from .replicas import ReplicaClient

PATIENCE_MS = HYDRATION_LEASE_MS
"""Indexes are kept readable for so long for what is being installed: as long as the inputs of its hydration."""


class CommitFeed:
    """Everything here runs on the coordinator's event loop."""

    def __init__(
        self,
        clusters: Clusters,
        catalog: Catalog,
        storage: Storage,
        now_ms: Callable[[], int],
    ) -> None:
        self._clusters = clusters
        self._catalog = catalog
        self._collections = storage.collections
        self._oracle = storage.oracle
        self._reads = storage.reads
        self._now_ms = now_ms
        self._told = 0

    def begin(self, replica: ReplicaClient) -> None:
        """The replica has dialled in: its indexes are left alone until what shares them is there again."""
        replica.send(Progress(self._oracle.closed, since=0))

    def committed(self, updates: tuple[Updates, ...]) -> None:
        """Tells every replica what it reads of a commit, and how far time has come, if that is news: each message has a
        replica wake up, and step."""
        closed = self._oracle.closed
        before, self._told = self._told, closed
        for replica in self._clusters:
            if replica.connected.is_set():
                relevant = tuple(u for u in updates if u.id in replica.subscriptions)
                if relevant or closed > before:
                    replica.send(Progress(closed, self._index_since(replica), relevant))
        self._collections.wake()

    def advanced(self, uppers: tuple[tuple[GlobalId, int], ...]) -> None:
        """Frontiers of views, to the replicas that read them from persist."""
        for replica in self._clusters:
            relevant = tuple(u for u in uppers if u[0] in replica.subscriptions)
            if relevant:
                replica.send(Progress(self._oracle.closed, self._index_since(replica), (), relevant))

    def _index_since(self, replica: ReplicaClient) -> int:
        """The since that is sent to the replica, which compacts to it eventually."""
        since = self.index_since(replica)
        replica.index_since = max(replica.index_since, since)
        return since

    def index_since(self, replica: ReplicaClient) -> int:
        """From when on indexes are read.  While something is installed that may share them, they are left alone, as it
        has yet to say when it begins; but not for ever, as they grow: then it holds the arrangement itself."""
        begun = self._now_ms() - PATIENCE_MS
        for id_, installing in replica.installing.items():
            item = self._catalog.find_by_id(id_)
            if installing.begun_ms > begun and isinstance(item, Maintained) and item.shares:
                return 0
        return self._reads.since()
