"""Whether the new replicas of a cluster answer whatever the leaving ones do, as far as these have come, and as quickly."""

from __future__ import annotations

import logging

from ....errors import PtvcError
from ....expr.tree.relation import Constant, GlobalId
from ....replica.protocol import Peek
from ....repr.schema import Column, Schema
from ....repr.types import INT4
from ...catalog.catalog import Catalog
from ...catalog.items import Maintained
from ..checkpoints import Checkpoints
from ..clusters import Clusters
from ..replicas import ReplicaClient

logger = logging.getLogger(__name__)

_ONE = Constant(((1,),), Schema((Column("one", INT4),)))


async def answers(replica: ReplicaClient) -> bool:
    """Whether a query is answered there.  The first one waits for a process to be there for it, which takes seconds."""
    peek = Peek(replica.new_peek(), _ONE, 0, ())
    replica.send(peek)
    try:
        async for _ in replica.answers(peek.peek_id):
            pass
    except PtvcError as error:
        logger.info("replica %s does not answer yet: %s", replica.id, error.message)
        return False
    return True


class Readiness:
    """To be asked again and again (`look`), as what is required is what the leaving replicas have been seen to have: one that goes away meanwhile
    does not lower it."""

    def __init__(self, clusters: Clusters, catalog: Catalog, checkpoints: Checkpoints) -> None:
        self._clusters = clusters
        self._catalog = catalog
        self._checkpoints = checkpoints
        self._required: set[GlobalId] = set()
        self._behind: dict[GlobalId, int] = {}

    def look(self, cluster: str) -> bool:
        """Every new replica is up, and has hydrated all that is required, up to where the leaving ones were at the last look; and it
        would not lose by a restart what it has borrowed of their state."""
        replicas = self._clusters.of(cluster)
        old = [replica for replica in replicas if replica.leaving]
        new = [replica for replica in replicas if not replica.leaving]
        self._require(cluster, replicas, old)
        behind, self._behind = self._behind, {id_: _come(old, id_) for id_ in self._required}
        answered = {id_ for replica in old for id_ in replica.hydrated.keys() - replica.failed}
        return all(
            replica.connected.is_set()
            and all(
                self._has(replica, id_, behind.get(id_)) or (id_ in replica.failed and id_ not in answered)
                for id_ in self._required
            )
            for replica in new
        )

    def _require(self, cluster: str, replicas: list[ReplicaClient], old: list[ReplicaClient]) -> None:
        """What a leaving replica has, or has left state of.  What was dropped, or all that are up have given up, is not required any more."""
        there = [
            item.id
            for item in self._catalog.user_items()
            if isinstance(item, Maintained) and item.cluster == cluster
        ]
        names = {replica.name for replica in replicas}
        up = [replica for replica in old if replica.connected.is_set()]
        for id_ in there:
            left = self._checkpoints.has_others(id_, names)
            if left or any(id_ in replica.hydrated for replica in old):
                self._required.add(id_)
            if up and all(id_ in replica.failed for replica in up):
                self._required.discard(id_)
        self._required.intersection_update(there)

    def _has(self, replica: ReplicaClient, id: GlobalId, upper: int | None) -> bool:
        """None: it was not known at the last look how far it is to be."""
        return (
            upper is not None
            and id in replica.hydrated
            and id not in replica.failed
            and replica.frontiers.get(id, 0) >= upper
            and not self._checkpoints.borrows(id, replica.name)
        )


def _come(replicas: list[ReplicaClient], id: GlobalId) -> int:
    """How far the first of them has come with the object."""
    return max((replica.frontiers.get(id, 0) for replica in replicas), default=0)
