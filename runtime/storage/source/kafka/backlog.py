"""What of a topic is read by others: ranges of offsets, each of one partition.

A reader of its own takes some tenths of a second to begin, so a range has many messages; a partition with more has several ranges.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from ...shares import Sizes
from .position import Offsets, Position

_RANGES = 8
"""As many there are at least, where messages are many enough for that."""


@dataclass(frozen=True, slots=True)
class Range:
    """The offsets from `begin` up to `end`, exclusive."""

    partition: int
    begin: int
    end: int

    def described(self, topic: str) -> str:
        return f'topic "{topic}", partition {self.partition}, from offset {self.begin} to {self.end - 1}'


@dataclass(slots=True)
class Backlog:
    """`out` was handed out at the position `at`, where partitions had these `ends`; `end` is where it is read.  `measured`: it is known how large
    messages are."""

    measured: bool = False
    at: Position | None = None
    out: list[Range] = field(default_factory=list)
    ends: Offsets = field(default_factory=dict)
    end: Offsets | None = None
    asks_at: float = 0.0

    def begin(self, at: Position, ranges: list[Range], ends: Offsets) -> None:
        self.at, self.out, self.ends, self.end = at, ranges, ends, None

    @staticmethod
    def ranges(next: Offsets, ends: Offsets, min_bytes: int, bytes_each: float, sizes: Sizes) -> list[Range]:
        """Of the messages up to the ends, if they have so many bytes, as many as one commit may have; none if one reader has them as soon."""
        left = {partition: max(0, end - next[partition]) for partition, end in ends.items()}
        total = sum(left.values())
        if total * bytes_each < min_bytes or any(ends[partition] < at for partition, at in next.items()):
            return []
        most = min(total, int(sizes.most_bytes / bytes_each))
        full = min(sizes.messages, int(sizes.topic_bytes / bytes_each))
        each = max(1, full // 4, min(full, -(-most // _RANGES)))
        found: list[Range] = []
        for partition, count in left.items():
            taken = -(-count * most // total)
            pieces = -(-taken // each)
            bounds = (
                [next[partition] + taken * piece // pieces for piece in range(pieces + 1)] if pieces else []
            )
            found += [Range(partition, *bound) for bound in pairwise(bounds)]
        return found if len(found) > 1 else []
