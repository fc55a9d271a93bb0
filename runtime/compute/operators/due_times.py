"""Due times: when something that waits falls due, the first one at hand.

Sorted pieces of geometrically growing sizes, as in a spine: times are added a batch at once, and each is moved
O(log n) times.  A time may stand in several pieces.
"""

from __future__ import annotations

import numpy as np

from ...repr.batch import Times
from .base import NEVER_DUE


class DueTimes:
    def __init__(self) -> None:
        self._pieces: list[Times] = []
        self._first = NEVER_DUE

    def __len__(self) -> int:
        """Times held, those that stand in several pieces counted for each."""
        return sum(len(piece) for piece in self._pieces)

    def add(self, times: Times) -> None:
        """Adds times (uint64[n], in any order, repeated or not)."""
        if not len(times):
            return
        self._pieces.append(np.unique(times))
        while len(self._pieces) > 1 and len(self._pieces[-2]) < 2 * len(self._pieces[-1]):
            last = self._pieces.pop()
            self._pieces[-1] = np.unique(np.concatenate((self._pieces[-1], last)))
        self._first = min(self._first, int(times.min()))

    def first(self) -> int:
        """The earliest time; NEVER_DUE when there is none."""
        return self._first

    def take(self, upper: int) -> Times:
        """The times before `upper`, ascending, each once; they are held no longer."""
        if self._first >= upper:
            return np.empty(0, np.uint64)
        end = np.uint64(upper)
        cuts = [int(piece.searchsorted(end)) for piece in self._pieces]
        taken = np.unique(np.concatenate([p[:cut] for p, cut in zip(self._pieces, cuts, strict=True)]))
        left = [piece[cut:] for piece, cut in zip(self._pieces, cuts, strict=True)]
        self._pieces = [piece for piece in left if len(piece)]
        self._first = min((int(piece[0]) for piece in self._pieces), default=NEVER_DUE)
        return taken
