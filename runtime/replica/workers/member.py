"""What a member process runs: its parts of dataflows, as the leader says, until the leader is gone."""

from __future__ import annotations

import os
import pickle
import socket
import struct
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from time import monotonic

from ...compute.partitioned.messages import Abort, Forget, Message
from ...compute.partitioned.one_step import LEADER, WorkerLost
from ...compute.partitioned.workers import Member
from ...compute.shared_files import SharedFiles
from ...config import MOST_WORKERS, SWITCH_INTERVAL_S
from ...errors import PtvcError, QueryCanceled
from ...interrupt import Interrupt, interruptible
from ...persist.blob.base import Blob
from ..blob_retry import RetryingBlob
from .part_store import PartStore
from .saves import BesideSteps
from .wires import Wires

START = struct.Struct("=III")
"""The first message, with the sockets to all other members in their order, and one for what is saved: the member's number, how many
workers there are, and the bytes of a pickled `Start`, which follows."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where inputs and outputs are stored, and where state is; `writer` names this attempt of the replica in both.  The `environment` has
    the leader's variables, which may have credentials: that of the fork server is of when it was started."""

    blob: Blob
    files: SharedFiles
    writer: str
    environment: Mapping[str, str]


LOOK_S = 0.05


class _Aborted(Interrupt):
    """Set once the leader gives up the step that is under way, or lets go of the dataflow that is beginning: looked for meanwhile, every
    LOOK_S."""

    __slots__ = ("_found", "_looked", "_member", "_wires")

    def __init__(self, member: Member, wires: Wires) -> None:
        self._member = member
        self._wires = wires
        self._looked = monotonic()
        self._found: tuple[int | None, int | None] | None = None

    @property
    def error(self) -> PtvcError | None:
        now, at = monotonic(), (self._member.step, self._member.beginning)
        if now - self._looked >= LOOK_S:
            self._looked = now
            if any(map(self._ends, self._wires.collect())):
                self._found = at
        if at == (None, None) or self._found != at:
            return None
        return QueryCanceled("canceling statement due to user request")

    @error.setter
    def error(self, error: PtvcError | None) -> None:
        raise AttributeError("the leader alone gives up a step")

    def _ends(self, message: Message) -> bool:
        match message:
            case Abort(step=step):
                return step == self._member.step
            case Forget(dataflow=dataflow):
                return dataflow == self._member.beginning
        return False


def serve(leader: socket.socket) -> None:
    """Returns when another worker has ended."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    data, files, _, _ = socket.recv_fds(leader, START.size, MOST_WORKERS)
    if len(data) < START.size:
        return
    here, workers, length = START.unpack(data)
    told = leader.recv(length, socket.MSG_WAITALL)
    if len(told) < length:
        return
    start: Start = pickle.loads(told)
    os.environ.update(start.environment)
    others = [worker for worker in range(1, workers) if worker != here]
    *files, saves = files
    streams = {worker: socket.socket(fileno=file) for worker, file in zip(others, files, strict=True)}
    wires = Wires({LEADER: leader, **streams})
    # A step that waits for the store is looked after by the leader: there is nobody else to end it.
    store = PartStore(RetryingBlob(start.blob, threading.Event()), start.writer)
    beside = BesideSteps(socket.socket(fileno=saves), start.files, start.writer)
    member = Member(here, workers, wires, store, beside)
    try:
        with interruptible(_Aborted(member, wires)):
            while True:
                member.receive(*wires.next())
    except WorkerLost:
        return
