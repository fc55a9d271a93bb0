"""How far a database was read, and of which outputs that speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa

from ...changes import Changes
from ...statistics import OutputId
from .progress import PROGRESS_SCHEMA


@dataclass(frozen=True, slots=True)
class Position:
    """All transactions whose commit lies before `lsn` are read, of the cluster `system` on `timeline`.

    `outputs` has why a table takes nothing more, or None.  `progress` has the outputs that have the position as a row, and which.  `piece`
    counts the pieces of a transaction or of a snapshot that was not whole yet.
    """

    system: str
    timeline: int
    lsn: int
    outputs: Mapping[OutputId, str | None] = field(default_factory=dict)
    progress: Mapping[OutputId, int] = field(default_factory=dict)
    piece: int = 0

    def at(self, lsn: int) -> Position:
        return replace(self, lsn=lsn, piece=0)

    def to_json(self) -> dict[str, Any]:
        return {
            "system": self.system,
            "timeline": self.timeline,
            "lsn": self.lsn,
            "outputs": dict(self.outputs),
            "progress": dict(self.progress),
            "piece": self.piece,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Position:
        return cls(**value)


def progress_changes(before: int | None, now: int) -> Changes:
    """From the row of the one position to that of the other."""
    gone = [] if before is None else [before]
    lsns = pa.array([*gone, now], PROGRESS_SCHEMA[0].type.arrow)
    return Changes((lsns,), np.array([-1] * len(gone) + [1], np.int64))


def lsn_of(text: str) -> int:
    """The position in the log that PostgreSQL writes as `16/B374D848`."""
    high, low = text.split("/")
    return int(high, 16) << 32 | int(low, 16)


def lsn_text(lsn: int) -> str:
    return f"{lsn >> 32:X}/{lsn & 0xFFFFFFFF:X}"
