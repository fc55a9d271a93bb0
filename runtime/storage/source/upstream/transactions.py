"""What a database sends of its log behind a position: transactions, in the order of their commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from .position import UpstreamPosition

P = TypeVar("P", bound=UpstreamPosition)
L = TypeVar("L", contravariant=True)
"""A place in the log."""


@dataclass(frozen=True, slots=True)
class Taken(Generic[P]):
    """Events of whole transactions, in order, and the position behind them, which is whole.  `ends`: there are such transactions, though they
    may have no events.  `is_there`: of what lies before the place that was asked about nothing is to come."""

    events: Sequence[bytes]
    ends: bool
    is_there: bool
    position: P


class Transactions(Protocol[P, L]):
    """One connection's.  Not thread-safe, and of no use after an error."""

    @property
    def nbytes(self) -> int:
        """Of what came and was not taken."""

    @property
    def is_empty(self) -> bool:
        """Whether all that came was taken."""

    def read(self, most: int, wait_s: float) -> bool:
        """Waits for more, up to some `most` bytes (0: the server is told that we are there); whether still more may be there already.
        Raises SourceStalled."""

    def whole(self, at: P, until: L | None) -> Taken[P]:
        """The whole transactions behind `at`, up to the first that a snapshot at `until` has not seen.  They are not taken yet."""

    def take(self, taken: Taken[P]) -> None:
        """They are handed out."""

    def part(self) -> Sequence[bytes]:
        """Of the transaction that is open, and the only one that is here, what there is of it: that is taken."""

    def acknowledge(self, at: P) -> None:
        """All up to there is durable: the server may forget it."""

    def close(self) -> None: ...
