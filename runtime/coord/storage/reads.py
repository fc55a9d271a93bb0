"""Reads under way: nothing that they may still need is compacted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from weakref import WeakSet

from ...expr.tree.relation import GlobalId
from .oracle import Oracle


class Following:
    """Collections that somebody reads on from a time that moves: they stay readable there until `end`, or until nobody has
    this object any more."""

    def __init__(self, ids: Collection[GlobalId], time: int, on_end: Callable[[Following], None]) -> None:
        self.ids = ids
        self.time = time
        self._on_end = on_end

    def advance(self, time: int) -> None:
        self.time = max(self.time, time)

    def end(self) -> None:
        self._on_end(self)


class ActiveReads:
    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._times: Counter[int] = Counter()
        self._following: WeakSet[Following] = WeakSet()

    def since(self) -> int:
        """No read below this time is under way or will begin, but for those AS OF a time that may be gone by then."""
        return min((*self._times, self._oracle.read_time))  # a read may wait for a time that is still to come

    def follow(self, ids: Collection[GlobalId], time: int) -> Following:
        following = Following(ids, time, self._following.discard)
        self._following.add(following)
        return following

    def followed(self) -> dict[GlobalId, int]:
        """From when on collections are read by those who follow them."""
        found: dict[GlobalId, int] = {}
        for following in list(self._following):
            for id_ in following.ids:
                found[id_] = min(following.time, found.get(id_, following.time))
        return found

    def hold(self, time: int) -> Callable[[], None]:
        """Holds `time` readable until the result is called (once)."""
        self._times[time] += 1

        def release() -> None:
            self._times[time] -= 1
            if not self._times[time]:
                del self._times[time]

        return release

    @contextmanager
    def at(self, time: int) -> Iterator[int]:
        """Holds `time` readable while the block runs."""
        release = self.hold(time)
        try:
            yield time
        finally:
            release()
