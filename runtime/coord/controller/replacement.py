"""Handing views over from their dataflows to those of their replacements: all halt, then one of two goes on in the place of the other.

```
Halt(view, t), Halt(replacement, t + 1) ── time goes beyond t ── all are there, on every replica
    ── the differences at t are committed ── Uninstall(view), Progress(difference), Adopt(view) ── Halt(..., None)
```

Halts are sent before time passes them, so no replica has stepped further, and who reads the views stands still with them.
A replica that connects meanwhile gets them before anything to run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...errors import ObjectNotReady
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Adopt, Halt, ViewOutput
from ..catalog.applications import Application
from ..catalog.items import MaterializedView
from ..storage.collections import Collections
from .clusters import Clusters
from .replicas import ReplicaClient


@dataclass(frozen=True, slots=True)
class Switch:
    """What maintains replacements maintains the views from now on.  Below `upper` all is known."""

    upper: int
    applied: tuple[Application, ...]

    @property
    def replacements(self) -> frozenset[GlobalId]:
        return frozenset(application.replacement.id for application in self.applied)


class Halts:
    """The dataflows that are to stand still, each at its frontier."""

    def __init__(self, clusters: Clusters, collections: Collections) -> None:
        self._clusters = clusters
        self._collections = collections
        self._uppers: dict[GlobalId, int] = {}

    def begin(self, replica: ReplicaClient) -> None:
        """The replica has dialled in."""
        for id_, upper in self._uppers.items():
            replica.send(Halt(id_, upper))

    def halt(self, uppers: Mapping[GlobalId, int]) -> None:
        """To be called before time passes any of `uppers`."""
        self._uppers.update(uppers)
        for replica in self._clusters:
            for id_, upper in uppers.items():
                replica.send(Halt(id_, upper))

    def end(self) -> None:
        """All go on."""
        for replica in self._clusters:
            for id_ in self._uppers:
                replica.send(Halt(id_, None))
        self._uppers.clear()

    def reached(self, item: MaterializedView) -> bool:
        """Whether the dataflow stands at its halt on every replica that is up.  Raises when one has given it up."""
        upper = self._uppers[item.id]
        for replica in self._clusters.of(item.cluster):
            if item.id in replica.failed:
                raise ObjectNotReady(
                    f'"{item.full_name}" is not maintained any more on replica {replica.name}',
                    hint="See mz_internal.mz_hydration_statuses and the runtime's log.",
                )
            if item.id in replica.installing:
                return False
            if item.id in replica.installed and replica.frontiers.get(item.id, 0) < upper:
                return False
        return self._collections.frontier(item.id) >= upper


def adopt(replica: ReplicaClient, item: MaterializedView, replacement: GlobalId, upper: int) -> bool:
    """Has the replica's dataflow of `replacement` go on as that of `item`; False when it is not there, at `upper`."""
    if replacement not in replica.hydrated or replica.frontiers.get(replacement) != upper:
        return False
    replica.installed.remove(replacement)
    replica.installed.add(item.id)
    replica.hydrated[item.id] = replace(replica.hydrated.pop(replacement), id=item.id)
    replica.frontiers[item.id] = replica.frontiers.pop(replacement)
    replica.beginnings[item.id] = replica.beginnings.pop(replacement)
    replica.operators.pop(replacement, None)
    replica.send(Adopt(item.id, replacement, ViewOutput(item.shard, upper)))
    return True
