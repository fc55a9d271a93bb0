"""How far a server's binary log was read, and of which outputs that speaks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ...changes import Changes
from ...statistics import OutputId
from .progress import PROGRESS_SCHEMA


class Place(NamedTuple):
    """Where in the binary log something is: the number of its file, and the byte there."""

    file: int
    byte: int


def file_number(name: str) -> int:
    """Of a file of the log, such as `bin.000007`."""
    return int(name.rpartition(".")[2])


class Gtid(NamedTuple):
    """A transaction of MariaDB: `sequence` ascends in the domain, over all servers."""

    domain: int
    server: int
    sequence: int


def gtids_of(text: str) -> dict[int, Gtid]:
    """The last transaction of each domain, as MariaDB writes it: `0-1-7,3-2-9`."""
    found = [Gtid(*map(int, part.split("-"))) for part in text.split(",") if part.strip()]
    return {gtid.domain: gtid for gtid in found}


def gtids_text(gtids: Mapping[int, Gtid]) -> str:
    return ",".join("-".join(map(str, gtids[domain])) for domain in sorted(gtids))


class Last(NamedTuple):
    """The transaction that was read last: its GTID, the second in which it began, and the GTID before it in its domain, if that is known.

    A GTID has no more of a server than a number that anybody can have, so that is how the history is known again: the server is asked for
    this transaction once more.
    """

    gtid: Gtid
    time: int
    before: Gtid | None

    @property
    def text(self) -> str:
        return f"{self.time} {gtids_text({0: self.gtid})} {gtids_text({} if self.before is None else {0: self.before})}"

    @classmethod
    def of(cls, text: str) -> Last:
        time, gtid, before = text.split(" ")
        (own,) = gtids_of(gtid).values()
        return cls(own, int(time), next(iter(gtids_of(before).values()), None))


@dataclass(frozen=True, slots=True)
class Position:
    """All transactions up to `gtids` (the last one of each domain) are read; where there was none yet, the log up to `byte` of `file`.

    `outputs` has why a table takes nothing more, or None.  `progress` has the outputs that have the position as a row, and which.  `piece`
    counts the pieces of a transaction or of a snapshot that was not whole yet.  `last` is a `Last` as text, once there was one.
    """

    gtids: str
    file: str
    byte: int
    outputs: Mapping[OutputId, str | None] = field(default_factory=dict)
    progress: Mapping[OutputId, str] = field(default_factory=dict)
    piece: int = 0
    last: str = ""

    def at(self, gtids: str) -> Position:
        return replace(self, gtids=gtids, piece=0)

    def to_json(self) -> dict[str, Any]:
        return {
            "gtids": self.gtids,
            "file": self.file,
            "byte": self.byte,
            "outputs": dict(self.outputs),
            "progress": dict(self.progress),
            "piece": self.piece,
            "last": self.last,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Position:
        return cls(**value)


def progress_changes(before: str | None, now: str) -> Changes:
    """From the row of the one position to that of the other."""
    gone = [] if before is None else [before]
    positions = pa.array([*gone, now], PROGRESS_SCHEMA[0].type.arrow)
    return Changes((positions,), np.array([-1] * len(gone) + [1], np.int64))
