"""How far sinks have come: what is known to be in their targets.

A sink says so whenever it has written something; maintenance puts it into the sink's remap shard, where a restart finds it.
The target itself may be further, and knows: a sink that begins asks its target first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...expr.tree.relation import GlobalId
from ...replica.protocol import SinkProgress
from ..catalog.items import Sink
from ..storage.storage import Storage


class SinkFrontiers:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._latest: dict[GlobalId, SinkProgress] = {}

    def moved(self, progress: SinkProgress) -> None:
        """Takes in progress; that of a replica where the sink ran before may come late, and is older."""
        latest = self._latest.get(progress.id)
        if latest is None or progress.upper >= latest.upper:
            self._latest[progress.id] = progress

    def left(self, item: Sink) -> int | None:
        """The generation that the sink's target has come to, where it shows nothing of some former input any more."""
        latest = self._latest.get(item.id)
        if latest is None or not any(former.generation < latest.generation for former in item.formers):
            return None
        return latest.generation

    def reads(self, item: Sink) -> Iterator[tuple[GlobalId, int]]:
        """What the sink would read after a restart, and from which time on."""
        return item.begins(self.durable_upper(item) - 1)

    def upper(self, item: Sink) -> int:
        """Everything below is known to be in the sink's target; the target itself may be further."""
        durable = self.durable_upper(item)
        latest = self._latest.get(item.id)
        return (
            durable if latest is None else max(latest.upper, durable)
        )  # it may have a part of its beginning

    def positions(self, sinks: Iterable[Sink]) -> dict[str, str]:
        """How far their targets have come, by the shards that hold it."""
        return {sink.remap: str(self.upper(sink)) for sink in sinks}

    def statistics(self) -> Iterator[tuple[GlobalId, Mapping[str, int]]]:
        for id_, latest in self._latest.items():
            yield id_, latest.statistics

    def durable_upper(self, item: Sink) -> int:
        """What a restart finds: the sink goes on from there, and needs its input readable there."""
        position = self._storage.position(item.remap)
        return int(position) if position is not None else item.as_of + 1

    def forget(self, id: GlobalId) -> None:
        """The sink was dropped."""
        self._latest.pop(id, None)
