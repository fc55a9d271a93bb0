"""Handing views over from their dataflows to those of their replacements: all halt, then one of two goes on in the place of the other.

```
Halt(view, t), Halt(replacement, t + 1) ── time goes beyond t ── all are there, on every replica
    ── the differences at t are committed ── Uninstall(view), Progress(difference), Adopt(view), Repoint(reader)
    ── Halt(..., None)
```

Halts are sent before time passes them, so no replica has stepped further, and who reads the views stands still with them.
A replica that connects meanwhile gets them before anything to run.  What reads a replacement comes to rest with it, at t + 1, and
goes on from there with the view as its input.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ...compute.plan import DataflowPlan
from ...errors import ObjectNotReady
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Adopt, Halt, Import, Repoint, ViewOutput
from ..catalog.applications import Application, Repointed
from ..catalog.items import Index, Maintained, MaterializedView
from ..storage.collections import Collections
from .clusters import Clusters
from .replicas import ReplicaClient


@dataclass(frozen=True, slots=True)
class Switch:
    """What maintains replacements maintains the views from now on, and what read those reads the views, by these plans.  All is known
    below `uppers`, which are by the ids that remain."""

    uppers: Mapping[GlobalId, int]
    applied: tuple[Application, ...]
    moved: tuple[tuple[Repointed, DataflowPlan], ...]

    @property
    def views(self) -> dict[GlobalId, GlobalId]:
        """The views by their replacements."""
        return {application.replacement.id: application.after.id for application in self.applied}

    @property
    def ending(self) -> Iterator[tuple[Maintained, int]]:
        """How far has to be what others in a replica read, or its readers there would miss something."""
        for application in self.applied:
            yield application.before, self.uppers[application.after.id] - 1
        for item, _ in self.moved:
            if isinstance(item.before, MaterializedView):
                yield item.before, self.uppers[item.after.id]


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

    def reached(self, item: Maintained, upper: int) -> bool:
        """Whether the dataflow stands at `upper` on every replica that is up.  Raises when one has given it up.  An index that is
        not there may come later."""
        index = isinstance(item, Index)
        for replica in self._clusters.of(item.cluster):
            if index and (item.id in replica.failed or item.id not in replica.hydrated):
                continue
            if item.id in replica.failed:
                raise ObjectNotReady(
                    f'"{item.full_name}" is not maintained any more on replica {replica.name}',
                    hint="See mz_internal.mz_hydration_statuses and the runtime's log.",
                )
            if item.id in replica.installing:
                return False
            if item.id in replica.installed and replica.frontiers.get(item.id, 0) < upper:
                return False
        return index or self._collections.frontier(item.id) >= upper


def adopt(replica: ReplicaClient, item: MaterializedView, replacement: GlobalId, upper: int) -> bool:
    """Has the replica's dataflow of `replacement` go on as that of `item`; False when it is not there, at `upper`."""
    if replacement not in replica.hydrated or replica.frontiers.get(replacement) != upper:
        return False
    replica.installed.remove(replacement)
    replica.installed.add(item.id)
    replica.hydrated[item.id] = replace(replica.hydrated.pop(replacement), id=item.id)
    replica.frontiers[item.id] = replica.frontiers.pop(replacement)
    replica.beginnings[item.id] = replica.beginnings.pop(replacement)
    replica.few[item.id] = replica.few.pop(replacement, ())
    replica.statistics.pop(replacement, None)
    replica.send(Adopt(item.id, replacement, ViewOutput(item.shard, upper)))
    return True


def repoint(
    replica: ReplicaClient,
    item: Maintained,
    plan: DataflowPlan,
    fingerprint: str,
    sources: Mapping[GlobalId, Import],
    upper: int,
) -> bool:
    """Has the replica's dataflow of the item read `sources` in place of what it has read; False when it is not there, at `upper`."""
    if (
        item.id not in replica.hydrated
        or replica.frontiers.get(item.id) != upper
        or item.id in replica.failed
    ):
        return False
    if isinstance(item, Index):
        replica.beginnings[item.id] = upper - 1  # what it has of earlier times is the replacement's
    replica.send(Repoint(item.id, plan, tuple(sources.items()), fingerprint))
    return True
