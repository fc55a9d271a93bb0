"""Shares: what a connector has to read, divided among tasks that know nothing of each other.

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
    from .ingestion import Polled

SHARE_BYTES = 32 << 20
"""Small files are put together up to here."""
PIECE_BYTES = 128 << 20
"""A file of more is divided, if it is of Parquet, by its row groups, or of Avro, by its blocks."""
MOST_BYTES = 256 << 30
MOST_FILES = 20_000
"""Of one commit."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The part `number` of `of` of a file: of its `count` row groups (Parquet) or bytes, of which those count where a block begins (Avro),
    `[count * number // of, count * (number + 1) // of)`."""

    number: int = 0
    of: int = 1

    def units(self, count: int) -> tuple[int, int]:
        return count * self.number // self.of, count * (self.number + 1) // self.of


WHOLE = Piece()


def pieces_of(nbytes: int) -> tuple[Piece, ...]:
    """Those of a file of that size."""
    of = max(1, -(-nbytes // PIECE_BYTES))
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

    def shares(self, position: Mapping[str, Any] | None, min_bytes: int) -> Sequence[Share]:
        """What comes after the position, if that is so much; else nothing, and `poll` is to be asked, which raises what is wrong."""

    def read_by_shares(self, reads: Sequence[ShareRead]) -> Polled:
        """Of the shares that were handed out last, without contents, now that all of them were read.  Raises PtvcError if they do not
        go together."""
