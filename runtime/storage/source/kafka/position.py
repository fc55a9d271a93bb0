"""How far a topic was read: which topic that is, and the next offset of each partition."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Offsets = Mapping[int, int]
"""By partition."""


@dataclass(frozen=True, slots=True)
class Position:
    """`next` are offsets up to which all is read, and what lies before one of them is read only once.  `until` are those at which
    the topic ended when the source began, where they are not reached.  `progress` are the outputs that have the offsets as rows.
    """

    topic_id: str
    next: Offsets
    until: Offsets = field(default_factory=dict)
    progress: tuple[str, ...] = ()

    def moved(self, to: Offsets) -> Position:
        until = {partition: end for partition, end in self.until.items() if to[partition] < end}
        return Position(self.topic_id, to, until, self.progress)

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = {"topic": self.topic_id, "next": _to_json(self.next)}
        if self.until:
            found["until"] = _to_json(self.until)
        if self.progress:
            found["progress"] = list(self.progress)
        return found

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Position:
        return cls(
            value["topic"],
            _from_json(value["next"]),
            _from_json(value.get("until", {})),
            tuple(value.get("progress", ())),
        )


def _to_json(offsets: Offsets) -> dict[str, int]:
    return {str(partition): offset for partition, offset in sorted(offsets.items())}


def _from_json(value: Mapping[str, int]) -> Offsets:
    return {int(partition): offset for partition, offset in value.items()}
