"""What a member process runs: its parts of dataflows, as the leader says, until the leader is gone."""

from __future__ import annotations

import socket
import struct
import sys
from time import monotonic

from ...compute.partitioned.messages import Abort
from ...compute.partitioned.workers import LEADER, Member, WorkerLost
from ...config import MOST_WORKERS, SWITCH_INTERVAL_S
from ...errors import PtvcError, QueryCanceled
from ...interrupt import Interrupt, interruptible
from .wires import Wires

START = struct.Struct("=II")
"""The first message, with the sockets to all other members in their order: the member's number, and how many workers there are."""

LOOK_S = 0.05


class _Aborted(Interrupt):
    """Set once the leader gives up the step that is under way: looked for while the step computes, every LOOK_S."""

    __slots__ = ("_found", "_looked", "_member", "_wires")

    def __init__(self, member: Member, wires: Wires) -> None:
        self._member = member
        self._wires = wires
        self._looked = monotonic()
        self._found: int | None = None

    @property
    def error(self) -> PtvcError | None:
        now, step = monotonic(), self._member.step
        if now - self._looked >= LOOK_S:
            self._looked = now
            if any(isinstance(m, Abort) and m.step == step for m in self._wires.collect()):
                self._found = step
        if step is None or self._found != step:
            return None
        return QueryCanceled("canceling statement due to user request")

    @error.setter
    def error(self, error: PtvcError | None) -> None:
        raise AttributeError("the leader alone gives up a step")


def serve(leader: socket.socket) -> None:
    """Returns when another worker has ended."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    data, files, _, _ = socket.recv_fds(leader, START.size, MOST_WORKERS)
    if len(data) < START.size:
        return
    here, workers = START.unpack(data)
    others = [worker for worker in range(1, workers) if worker != here]
    streams = {worker: socket.socket(fileno=file) for worker, file in zip(others, files, strict=True)}
    wires = Wires({LEADER: leader, **streams})
    member = Member(here, workers, wires)
    try:
        with interruptible(_Aborted(member, wires)):
            while True:
                member.receive(*wires.next())
    except WorkerLost:
        return
