"""Clusters and their replicas: who is there, who leads, who answers.

Every replica of a cluster runs all of its dataflows, and all of them write the same history: whichever is first has
its output committed, and any that is up can answer.  Sources and sinks talk to the outside and run once: on the
leader, which is the replica that connected first, until it disconnects.

Replicas that others are to replace (`rescaling`) are `leaving`: they come first of their cluster, and answer, until the others have caught
up; then they are let go, and only end what they have begun.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, count, islice
from pathlib import Path

from ...config import ClusterOptions
from ...errors import ObjectNotReady, PtvcError
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Hydrated
from ..catalog.entries import ClusterEntry
from .replicas import ReplicaClient, Shape

START_TIMEOUT_S = 180


class Clusters:
    """Clusters are found by name, replicas by id (`c1-r2`).  `answers` is where their answers wait for slow clients."""

    def __init__(self, answers: Path | None = None) -> None:
        self._answers = answers
        self._replicas: dict[str, list[ReplicaClient]] = {}
        self._leaders: dict[str, ReplicaClient] = {}
        self._let_go: list[ReplicaClient] = []

    def set_replicas(
        self, cluster: ClusterEntry, shape: Shape, names: Sequence[str] = ()
    ) -> tuple[list[ReplicaClient], list[ReplicaClient]]:
        """Makes the cluster have as many replicas of this shape as its options say; returns (added, removed).  Those of another shape are
        leaving from now on.  New ones take these `names` first, which differ."""
        options = ClusterOptions.from_mapping(cluster.options)
        there = self._replicas.get(cluster.name, [])
        replaced = any(replica.leaving for replica in there)
        fit = [replica for replica in there if replica.shape == shape]
        others = [replica for replica in there if replica.shape != shape]
        leaving = [replica for replica in others if replica.leaving or not replaced]
        kept = fit[: options.replication_factor]
        for replica in kept:
            replica.leaving = False
        for replica in leaving:
            replica.leaving = True
        taken = {replica.name for replica in (*there, *self._let_go_of(cluster.id))}
        numbered = (f"r{n}" for n in count(1))
        other_names = (name for name in numbered if name not in names)
        free = (name for name in chain(names, other_names) if name not in taken)
        added = [
            ReplicaClient(cluster.id, cluster.name, name, self._answers)
            for name in sorted(islice(free, options.replication_factor - len(kept)), key=_number)
        ]
        for replica in added:
            replica.shape = shape
        self._replicas[cluster.name] = [*leaving, *kept, *added]
        return added, [replica for replica in there if replica not in (*leaving, *kept)]

    def remove(self, cluster: ClusterEntry) -> list[ReplicaClient]:
        self._leaders.pop(cluster.name, None)
        gone = [*self._replicas.pop(cluster.name), *self._let_go_of(cluster.id)]
        self._let_go = [replica for replica in self._let_go if replica not in gone]
        return gone

    def let_go(self, cluster: str) -> list[ReplicaClient]:
        """Those that are leaving are asked nothing any more; returns them."""
        leaving = [replica for replica in self.of(cluster) if replica.leaving]
        self._replicas[cluster] = [replica for replica in self.of(cluster) if not replica.leaving]
        self._let_go += leaving
        return leaving

    def end(self, replica: ReplicaClient) -> None:
        """One that is leaving is gone."""
        self.resign(replica)
        of_cluster = self._replicas.get(replica.cluster, [])
        self._replicas[replica.cluster] = [other for other in of_cluster if other is not replica]
        self._let_go = [other for other in self._let_go if other is not replica]

    @property
    def ending(self) -> tuple[ReplicaClient, ...]:
        """Those that were let go, and are not gone yet."""
        return tuple(self._let_go)

    def _let_go_of(self, cluster_id: str) -> list[ReplicaClient]:
        return [replica for replica in self._let_go if replica.cluster_id == cluster_id]

    def rename(self, names: Mapping[str, str]) -> None:
        """Gives clusters other names, all at once."""
        self._replicas = {names.get(name, name): found for name, found in self._replicas.items()}
        self._leaders = {names.get(name, name): leader for name, leader in self._leaders.items()}
        for replica in self._let_go:
            replica.cluster = names.get(replica.cluster, replica.cluster)
        for name in names.values():
            for replica in self._replicas[name]:
                replica.cluster = name

    def __iter__(self) -> Iterator[ReplicaClient]:
        for replicas in (*self._replicas.values(), self._let_go):  # other threads may look, too
            yield from replicas

    def all_of(self, cluster: str) -> list[ReplicaClient]:
        """Those that were let go, too."""
        return [*self.of(cluster), *(replica for replica in self._let_go if replica.cluster == cluster)]

    def of(self, cluster: str) -> list[ReplicaClient]:
        """The replicas of the cluster of that name."""
        if (replicas := self._replicas.get(cluster)) is None:
            raise PtvcError(f'unknown cluster "{cluster}"', sqlstate="42704")
        return replicas

    def find(self, replica_id: str) -> ReplicaClient | None:
        return next((replica for replica in self if replica.id == replica_id), None)

    # -- the leader --

    def leads(self, replica: ReplicaClient) -> bool:
        return self._leaders.get(replica.cluster) is replica

    def elect(self, cluster: str) -> ReplicaClient | None:
        """The new leader of a cluster that has none; None when it keeps the old one, or no replica is up."""
        if cluster in self._leaders:
            return None
        new = next((r for r in self._replicas.get(cluster, ()) if r.connected.is_set()), None)
        if new is not None:
            self._leaders[cluster] = new
        return new

    def resign(self, replica: ReplicaClient) -> None:
        """The replica is gone: if it led, somebody else is to be elected."""
        if self.leads(replica):
            del self._leaders[replica.cluster]

    # -- answers --

    def connected(self, cluster: str) -> ReplicaClient | None:
        """A replica that is up."""
        return next((replica for replica in self.of(cluster) if replica.connected.is_set()), None)

    async def serving(self, cluster: str) -> ReplicaClient:
        """A replica that is up; waits for one, and raises when none can be started or it takes too long."""
        deadline = asyncio.get_running_loop().time() + START_TIMEOUT_S
        while True:
            replicas = self.of(cluster)
            if (up := self.connected(cluster)) is not None:
                return up
            if all(replica.failure is not None for replica in replicas):
                assert replicas[0].failure is not None
                raise replicas[0].failure
            waits = [asyncio.create_task(replica.connected.wait()) for replica in replicas]
            try:
                await asyncio.wait(waits, timeout=0.2, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for wait in waits:
                    wait.cancel()
            if asyncio.get_running_loop().time() > deadline:
                raise ObjectNotReady(
                    f'no replica of cluster "{cluster}" has come up within {START_TIMEOUT_S} s',
                    hint="The file log/driver.log in the environment's directory says what Spark is doing.",
                )

    def has_index(self, cluster: str, index: GlobalId, time: int) -> bool:
        """A replica has the index, readable at `time`, if not yet complete at it.  One that was created after a
        transaction's first read cannot answer that transaction, nor any one a read of what it has compacted."""
        return any(replica.holds_index(index, time) for replica in self.of(cluster))

    def with_index(self, cluster: str, index: GlobalId, time: int) -> ReplicaClient | None:
        """A replica in which the index is readable at `time`; None when there is none (any more)."""
        for replica in self.of(cluster):
            if replica.holds_index(index, time) and time < replica.frontiers.get(index, 0):
                return replica
        return None

    def with_view(self, cluster: str, view: GlobalId, time: int) -> ReplicaClient | None:
        """A replica that maintains the view and has computed it at `time`; None when there is none (any more)."""
        for replica in self.of(cluster):
            come = max(replica.computed.get(view, 0), replica.frontiers.get(view, 0))
            if view in replica.hydrated and view not in replica.failed and time < come:
                return replica
        return None

    # -- what is hydrated --

    def hydration(self, id: GlobalId) -> Hydrated | None:
        """How the object was hydrated, by the first replica that has it."""
        return next((replica.hydrated[id] for replica in self if id in replica.hydrated), None)

    def frontier(self, id: GlobalId) -> int:
        """How far the replicas that are up have come with the object."""
        return max((replica.frontiers.get(id, 0) for replica in self), default=0)

    def maintains(self, cluster: str, id: GlobalId) -> bool:
        """A replica of the cluster that is up has the object installed, and has not given it up."""
        return any(
            replica.connected.is_set() and id in replica.installed and id not in replica.failed
            for replica in self.of(cluster)
        )

    def failed(self, cluster: str, id: GlobalId) -> bool:
        """No replica of the cluster that is up maintains the object any more."""
        return all(id in replica.failed for replica in self.of(cluster) if replica.connected.is_set())


def _number(name: str) -> int:
    """Of a replica of that name."""
    return int(name[1:])
