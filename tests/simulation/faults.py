"""What goes wrong, and when: stores, replicas, the driver, the process; each for a while."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from random import Random

from .loop import SimulatedLoop
from .replicas import SimulatedDriver
from .stores import StoreFaults


class Latencies:
    """How long messages are under way, and how long work waits for its thread and takes there, in seconds."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self.slow = False

    def message(self) -> float:
        return self._random.random() * self._random.choice((0.0002, 0.002, 0.02))

    def work(self) -> float:
        if self.slow and self._random.random() < 0.3:
            return self._random.random() * 3.0
        return self._random.random() * self._random.choice((0.0005, 0.003, 0.01))


class Faults:
    """`run` makes them, one after the other, until it is cancelled; `heal` ends all that are."""

    def __init__(
        self, random: Random, latencies: Latencies, allowed: bool, say: Callable[[str], None]
    ) -> None:
        self._random = random
        self._latencies = latencies
        self.allowed = allowed
        self._say = say
        self.stores = StoreFaults()
        self.driver: SimulatedDriver | None = None

    def heal(self) -> None:
        self.stores.heal()
        self._latencies.slow = False
        if self.driver is not None:
            self.driver.heal()

    async def run(self, loop: SimulatedLoop) -> None:
        while self.allowed:
            await asyncio.sleep(self._random.random() * self._random.choice((0.05, 0.3, 1.0)))
            (fault,) = self._random.choices(_FAULTS, _WEIGHTS)
            self._say(f"fault: {fault.__name__}")
            fault(self, loop)
            await asyncio.sleep(self._random.random() * self._random.choice((0.02, 0.2, 2.0)))
            self._say("healed")
            self.heal()

    def slow(self, loop: SimulatedLoop) -> None:
        self._latencies.slow = True

    def unreliable(self, loop: SimulatedLoop) -> None:
        self.stores.fail = self._random.random() * 0.5
        self.stores.lose = self._random.random() * 0.5

    def away(self, loop: SimulatedLoop) -> None:
        self.stores.away = True
        self.stores.unread = self._random.random() < 0.3

    def cut(self, loop: SimulatedLoop) -> None:
        self.stores.cut = True

    def full(self, loop: SimulatedLoop) -> None:
        self.stores.full = True

    def kill_replica(self, loop: SimulatedLoop) -> None:
        if self.driver is not None and (replicas := self.driver.replicas):
            self.driver.kill_replica(self._random.choice(replicas))

    def slow_replica(self, loop: SimulatedLoop) -> None:
        if self.driver is not None and (replicas := self.driver.replicas):
            self.driver.slow_down(self._random.choice(replicas))

    def kill_driver(self, loop: SimulatedLoop) -> None:
        if self.driver is not None:
            self.driver.kill()

    def die_at_a_commit(self, loop: SimulatedLoop) -> None:
        self.stores.die_at = self._random.randrange(1, 8)
        self.stores.die_after = self._random.random() < 0.5

    def die(self, loop: SimulatedLoop) -> None:
        loop.in_so_many_turns(self._random.randrange(1, 40), loop.kill)


_FAULTS: list[Callable[[Faults, SimulatedLoop], None]] = [
    Faults.slow,
    Faults.unreliable,
    Faults.away,
    Faults.cut,
    Faults.full,
    Faults.kill_replica,
    Faults.kill_driver,
    Faults.die_at_a_commit,
    Faults.die,
    Faults.slow_replica,
]
_WEIGHTS = [4, 3, 3, 1, 2, 4, 2, 2, 1, 2]
