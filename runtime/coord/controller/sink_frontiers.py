"""How far sinks have come: what is known to be in their targets.

A sink says so whenever it has written something; upkeep puts it into the sink's remap shard, where a restart finds it.
The target itself may be further, and knows: a sink that begins asks its target first.
"""

from __future__ import annotations

from ...expr.relation import GlobalId
from ...replica.protocol import SinkProgress
from ..catalog import Item
from ..remap import Remap


class SinkFrontiers:
    def __init__(self, remap: Remap) -> None:
        self._remap = remap
        self._said: dict[GlobalId, SinkProgress] = {}

    def moved(self, progress: SinkProgress) -> None:
        self._said[progress.id] = progress

    def upper(self, item: Item) -> int:
        """Everything below is known to be in the sink's target; the target itself may be further."""
        if (progress := self._said.get(item.id)) is not None:
            return progress.upper
        return self.durable_upper(item)

    def durable_upper(self, item: Item) -> int:
        """What a restart finds: the sink goes on from there, and needs its input readable there."""
        assert item.remap is not None
        position = self._remap.position(item.remap)
        return int(position) if position is not None else int(item.options["as_of"]) + 1

    def forget(self, id: GlobalId) -> None:
        """The sink was dropped."""
        self._said.pop(id, None)
