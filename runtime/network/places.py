"""Places of connections: at most so many at once, and of these so many of one client.

Who a client is, is told from its address (`network_of`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")


class Places:
    """`most` in all, `most_of_one` of one network; 0 is any number."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._taken: Counter[str] = Counter()
        self.taken = 0
        """How many there are."""

    def has_room_for(self, network: str) -> bool:
        """Whether the network may have one more, however many there are in all."""
        return not self._most_of_one or self._taken[network] < self._most_of_one

    def take(self, network: str, *, beyond: bool = False) -> bool:
        """Takes one; False where there is none, unless it is taken `beyond` what there is."""
        if not beyond and (not self.has_room_for(network) or (self._most and self.taken >= self._most)):
            return False
        self._taken[network] += 1
        self.taken += 1
        return True

    def free(self, network: str) -> None:
        """Gives back one that was taken."""
        self.taken -= 1
        self._taken[network] -= 1
        if not self._taken[network]:
            del self._taken[network]


class GivesWay(Protocol):
    def give_way(self) -> None:
        """Ends the connection, and gives its place back before it returns."""


class YieldingPlaces(Places):
    """Where none is left, a connection that waits for its client makes way for one that comes: the oldest of the network that has
    most.  It does not where its network would have fewer than the one that comes."""

    def __init__(self, most: int, most_of_one: int) -> None:
        super().__init__(most, most_of_one)
        self._idle: dict[GivesWay, str] = {}

    def take(self, network: str, *, beyond: bool = False) -> bool:
        if super().take(network, beyond=beyond):
            return True
        oldest = self._oldest_idle(network)
        if oldest is None:
            return False
        self.busy(oldest)
        oldest.give_way()
        return super().take(network)

    def idle(self, connection: GivesWay, network: str) -> None:
        """From now on it waits for its client; of one that does already, nothing."""
        self._idle.setdefault(connection, network)

    def busy(self, connection: GivesWay) -> None:
        """It keeps its place from now on, or is not there any more."""
        self._idle.pop(connection, None)

    def _oldest_idle(self, network: str) -> GivesWay | None:
        if not self.has_room_for(network):
            return next((idle for idle, other in self._idle.items() if other == network), None)
        sizes = {other: self._taken[other] + (other == network) for other in self._idle.values()}
        most = max(sizes.values(), default=0)
        if most <= self._taken[network]:
            return None
        return next(idle for idle, other in self._idle.items() if sizes[other] == most)


class Waiting(Generic[T]):
    """Connections that have not proved anything: one more than there may be ends another, so that those which never go on keep
    nobody out.  It is the oldest of the network that has most of them, so a crowd makes way before somebody who is alone.  One network
    has room for `most_of_one`: beyond, its own oldest one goes.  0 is any number, but of `most`."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self._most = most
        self._most_of_one = most_of_one
        self._all: dict[T, str] = {}
        self._of: dict[str, dict[T, None]] = {}

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[T]:
        """The oldest first."""
        return iter(self._all)

    def add(self, connection: T, network: str) -> T | None:
        """The one that has to make way, if one has."""
        own = self._of.get(network, {})
        gone: T | None = None
        if self._most_of_one and len(own) >= self._most_of_one:
            gone = next(iter(own))
        elif len(self._all) >= self._most:
            gone = self._oldest_of_a_crowd(network)
        if gone is not None:
            self.remove(gone)
        self._all[connection] = network
        self._of.setdefault(network, {})[connection] = None
        return gone

    def _oldest_of_a_crowd(self, network: str) -> T:
        """Of those whose networks have most, the one that is about to come counted."""
        sizes = {other: len(own) + (other == network) for other, own in self._of.items()}
        most = max(sizes.values())
        return next(connection for connection, other in self._all.items() if sizes[other] == most)

    def remove(self, connection: T) -> None:
        """Of one that is not there any more, nothing."""
        network = self._all.pop(connection, None)
        if network is not None:
            own = self._of[network]
            del own[connection]
            if not own:
                del self._of[network]
