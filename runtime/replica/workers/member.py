"""What a member process runs: its parts of dataflows, as the leader says, until the leader is gone."""

from __future__ import annotations

import os
import pickle
import socket
import struct
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

from ...compute.partitioned.messages import Abort, Forget, Message
from ...compute.partitioned.one_step import LEADER, WorkerLost
from ...compute.partitioned.workers import Member
from ...compute.shared_files import SharedFiles
from ...config import MOST_WORKERS, SWITCH_INTERVAL_S
from ...errors import PtvcError, QueryCanceled
from ...interrupt import Interrupt, interruptible
from ...persist.blob.base import Blob
from ..blob_retry import RetryingBlob
from .doors import Door, Doors, Membership, Met, meet
from .index_look_ups import answer_look_ups
from .layout import Layout
from .part_store import PartStore
from .saves import BesideSteps
from .source_shares import read_shares
from .tls_wire import TlsWire
from .wires import Wires

PLACE = struct.Struct("=III")
"""The first message, with the sockets to the members beside it in their order, and, of the leader, one each for what is saved, look-ups and shares: the member's number,
how many workers there are, and how many may be on one machine.  Then comes a `Start`, with an `Introduction` or None."""
_LENGTH = struct.Struct("=Q")
_MOST_FILES = MOST_WORKERS + 1
"""Those to all other members, and three of the leader."""


@dataclass(frozen=True, slots=True)
class Start:
    """Where inputs and outputs are stored, and where state is; `writer` names this attempt of the replica in both.  The `environment` has
    the variables of the process that had it forked, which may have credentials: that of the fork server is of when it was started.
    `machine` is the address of the one that it is on, where replicas are not with the coordinator."""

    blob: Blob
    files: SharedFiles
    writer: str
    environment: Mapping[str, str] = field(repr=False)
    machine: str | None = None


@dataclass(frozen=True, slots=True)
class Opening:
    """Before that, of a replica on several machines: the address at which the member is to have a door, if others dial it; the answer is
    where that is."""

    host: str


@dataclass(frozen=True, slots=True)
class Introduction:
    """Where the others' doors are, and what is known to who may come in."""

    doors: Doors
    membership: Membership


@dataclass(frozen=True, slots=True)
class Ended:
    """Instead of what was to be heard: the other end is gone."""


def tell(to: socket.socket, what: object) -> None:
    """It crosses a pair of sockets between a process and one that it has had forked."""
    pickled = pickle.dumps(what)
    to.sendall(_LENGTH.pack(len(pickled)) + pickled)


def hear(of: socket.socket) -> Any:
    """What was told next, or Ended."""
    try:
        head = of.recv(_LENGTH.size, socket.MSG_WAITALL)
        if len(head) < _LENGTH.size:
            return Ended()
        (length,) = _LENGTH.unpack(head)
        told = of.recv(length, socket.MSG_WAITALL)
    except ConnectionError:
        return Ended()
    return pickle.loads(told) if len(told) == length else Ended()


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


def serve(parent: socket.socket) -> None:
    """Returns when another worker has ended."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    data, files, _, _ = socket.recv_fds(parent, PLACE.size, _MOST_FILES)
    if len(data) < PLACE.size:
        return
    here, *shape = PLACE.unpack(data)
    layout = Layout(*shape)
    beside = [worker for worker in layout.on(layout.machine_of(here)) if worker not in (here, LEADER)]
    near = {worker: socket.socket(fileno=file) for worker, file in zip(beside, files, strict=False)}
    told, door = hear(parent), None
    if isinstance(told, Opening):
        door = Door(told.host) if layout.dialing(here) else None
        tell(parent, None if door is None else door.address)
        told = hear(parent)
    if isinstance(told, Ended):
        return
    start, introduction = told
    assert isinstance(start, Start)
    os.environ.update(start.environment)
    steps: dict[int, socket.socket | TlsWire] = {**near}
    far = _met(layout, here, door, introduction)
    steps |= far.steps
    if LEADER in far.saves:
        saves: socket.socket | TlsWire = far.saves[LEADER]
        look_ups: socket.socket | TlsWire = far.look_ups[LEADER]
        shares: socket.socket | TlsWire = far.shares[LEADER]
        far.saves[LEADER].watch()
    else:
        steps[LEADER] = parent
        saves, look_ups, shares = (socket.socket(fileno=file) for file in files[-3:])
    _work(layout, here, Wires(steps), saves, look_ups, shares, start)


def _met(layout: Layout, here: int, door: Door | None, introduction: Introduction | None) -> Met:
    if introduction is None:
        return Met({}, {}, {}, {})
    return meet(layout, here, os.getpid(), door, introduction.doors, introduction.membership)


def _work(
    layout: Layout,
    here: int,
    wires: Wires,
    saves: socket.socket | TlsWire,
    look_ups: socket.socket | TlsWire,
    shares: socket.socket | TlsWire,
    start: Start,
) -> None:
    # A step that waits for the store is looked after by the leader: there is nobody else to end it.
    blob = RetryingBlob(start.blob, threading.Event())
    store = PartStore(blob, start.writer)
    far = LEADER in layout.dialed_by(here)
    beside = BesideSteps(saves, start.files, start.writer, far=far)
    member = Member(here, layout.workers, wires, store, beside, start.machine, far=far)
    answering = look_ups, member.index
    threading.Thread(target=answer_look_ups, args=answering, name="look-ups", daemon=True).start()
    reading = shares, blob, start.writer
    threading.Thread(target=read_shares, args=reading, name="shares", daemon=True).start()
    try:
        with interruptible(_Aborted(member, wires)):
            while True:
                member.receive(*wires.next())
    except WorkerLost:
        return
