"""What a write was computed from, and what must not have been written since for it to be committed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ...repr.buffers import Words

KeyId = int
"""A unique constraint's oid: never used again."""

MOST_KEYS = 1_000
"""Of more keys than this the whole table is meant: they are looked at on the event loop, when the write's turn has come."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A table as it was at `time`: all of its rows, or those with some keys.

    `keys` are hashes of keys by unique constraint: of each of these constraints the rows were read that have one of them, and of the
    table nothing else.
    """

    time: int
    keys: Mapping[KeyId, Words] | None = None

    def __post_init__(self) -> None:
        if self.keys is not None and sum(map(len, self.keys.values())) > MOST_KEYS:
            object.__setattr__(self, "keys", None)

    def and_(self, other: Expected | None) -> Expected:
        """What both were computed from."""
        if other is None:
            return self
        time = min(self.time, other.time)
        if self.keys is None or other.keys is None:
            return Expected(time)
        both = dict(self.keys)
        for key, hashes in other.keys.items():
            both[key] = np.union1d(both[key], hashes) if key in both else hashes
        return Expected(time, both)


class RecentKeys:
    """When the keys of one unique constraint were last written, as far back as `since`."""

    def __init__(self, since: int) -> None:
        self._since = since
        self._last: dict[int, int] = {}

    def wrote(self, hashes: Words, time: int) -> None:
        """In order of time."""
        if len(hashes) + len(self._last) > MOST_KEPT:
            self.forget(time)
        else:
            self._last.update(dict.fromkeys(hashes.tolist(), time))

    def forget(self, time: int) -> None:
        """Anything may have been written at `time`."""
        self._last.clear()
        self._since = time

    def written_since(self, hashes: Words, time: int) -> bool:
        """Whether one of them may have been written after `time`."""
        last = self._last
        return time < self._since or any(last.get(known, 0) > time for known in hashes.tolist())


MOST_KEPT = 10_000
"""So many keys' last writes are remembered.  Who has read before that finds that somebody may have written."""
