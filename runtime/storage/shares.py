"""Shares: what a connector has to read, divided among tasks of a job, or workers of a replica, that know nothing of each other.

```
connector: shares() ── Share ──> task: a connector over the share alone ── ShareRead ──> connector: read_by_shares()
```

All shares together are what comes after a position, and the position behind them is known once all are read.  So they are of one
commit: before it nothing of them is there, and a task that dies or runs twice changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from .statistics import OutputId

if TYPE_CHECKING:
    from .ingestion import Outputs, Polled


@dataclass(frozen=True, slots=True)
class Sizes:
    """How what is there is divided.  Small files are put together up to `share` bytes.  A file of more than `piece` is divided, if it is of
    Parquet, by its row groups, of Avro, by its blocks, of lines in a directory that are not compressed, at their ends.  One commit has
    `most_bytes` and `most_files`, unless a single file that is read at once is more.  Of a topic a share has up to so many `messages`, and
    `topic_bytes`; 0: it is not divided."""

    share: int
    piece: int
    most_bytes: int
    most_files: int
    messages: int = 0
    topic_bytes: int = 32 << 20


OF_JOBS = Sizes(32 << 20, 128 << 20, 256 << 30, 20_000)
OF_WORKERS = Sizes(4 << 20, 4 << 20, 256 << 20, 1_000, messages=250_000)
"""A part of 1 MB of JSON costs a fifth more of CPU time than one of 4 MB, which costs as much as one of 16."""
WORKERS_MIN_BYTES = 4 << 20
"""From so much on what is there is read by all workers of a replica that has several."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The part `number` of `of` of a file: of its `count` row groups (Parquet) or bytes, of which those count where a block begins (Avro),
    `[count * number // of, count * (number + 1) // of)`."""

    number: int = 0
    of: int = 1

    def units(self, count: int) -> tuple[int, int]:
        return count * self.number // self.of, count * (self.number + 1) // self.of


WHOLE = Piece()


def pieces_of(nbytes: int, piece: int) -> tuple[Piece, ...]:
    """Those of a file of that size, of so many bytes each."""
    of = max(1, -(-nbytes // piece))
    return tuple(Piece(number, of) for number in range(of))


@dataclass(frozen=True, slots=True)
class Share:
    """`what` is to be read, in words of the connector, from `position`, which is None at its beginning.  It has `nbytes` upstream."""

    what: Any
    position: Mapping[str, Any] | None
    nbytes: int
    piece: Piece = WHOLE


@dataclass(frozen=True, slots=True)
class ShareRead:
    """How a share was read: the position behind it, None if nothing was to be had, and counts."""

    position: Mapping[str, Any] | None
    records: int
    nbytes: int
    errors: int
    dead_letters: int
    updates: Mapping[OutputId, int]
    left_out: Mapping[OutputId, int]


@runtime_checkable
class Divisible(Protocol):
    """A connector whose reading can be divided."""

    def shares(self, position: Mapping[str, Any] | None, min_bytes: int, sizes: Sizes) -> Sequence[Share]:
        """What comes after the position, if that is so much; else nothing, and `poll` is to be asked, which raises what is wrong."""

    def read_by_shares(self, reads: Sequence[ShareRead], outputs: Outputs) -> Polled:
        """Of the shares that were handed out last, without their contents, now that all of them were read.  Raises PtvcError if they do
        not go together."""
