"""Several machines of a replica without Spark: each is a thread of this process, and its address one of the loopback."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_bytes

from ptvc.compute.shared_files import MACHINE
from ptvc.persist.blob.base import Blob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.workers.crew import Members
from ptvc.replica.workers.layout import Layout
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.spread import Spread, members_of, serve_machine
from ptvc.replica.workers.team import Team

ENDS_WITHIN_S = 60.0
ATTEMPT = 7
EPOCH = 3


class Meeting:
    """What Spark is for the tasks of one stage."""

    def __init__(self, machines: int) -> None:
        self._all = threading.Barrier(machines)
        self._said = [""] * machines

    def gather(self, machine: int) -> Callable[[str], list[str]]:
        def told(said: str) -> list[str]:
            self._said[machine] = said
            self._all.wait(ENDS_WITHIN_S)
            return list(self._said)

        return told


def address(machine: int) -> str:
    return f"127.0.0.{2 + machine}"


@dataclass
class Machines:
    """`spreads` by machine; `ended` are those of the others that serve no more."""

    layout: Layout
    blob: Blob = field(default_factory=MemoryBlob)
    spreads: list[Spread] = field(init=False)
    threads: list[threading.Thread] = field(default_factory=list)

    def __post_init__(self) -> None:
        meeting, secret = Meeting(self.layout.machines), token_bytes(32)
        self.spreads = [
            Spread(self.layout, machine, address(machine), meeting.gather(machine), "c1-r1", EPOCH, secret)
            for machine in range(self.layout.machines)
        ]

    def start(self, machine: int) -> Start:
        return Start(self.blob, MACHINE, "test", dict(os.environ), address(machine))

    def serve(self, machine: int) -> None:
        """On a thread of its own."""
        thread = threading.Thread(target=self._serve, args=(machine,), daemon=True)
        thread.start()
        self.threads.append(thread)

    def _serve(self, machine: int) -> None:
        serve_machine(self.spreads[machine], lambda attempt: self.start(machine))

    def serve_all(self) -> None:
        """But the first, on which the leader is."""
        for machine in range(1, self.layout.machines):
            self.serve(machine)

    def team(self) -> Team:
        """Of the leader; the others serve it."""
        self.serve_all()
        return self.team_alone()

    def team_alone(self) -> Team:
        """The others are served already."""
        return Team(self.layout.workers, self.start(0), members=self.members())

    def members(self) -> Members:
        return members_of(self.spreads[0], self.start(0), ATTEMPT)

    def ended(self) -> bool:
        """Whether the other machines have ended what they had, or do so soon."""
        for thread in self.threads:
            thread.join(ENDS_WITHIN_S)
        return not any(thread.is_alive() for thread in self.threads)


@contextmanager
def spread_team(layout: Layout) -> Iterator[Team]:
    machines = Machines(layout)
    team = machines.team()
    try:
        yield team
    finally:
        team.close()
    assert machines.ended()
