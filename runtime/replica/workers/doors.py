"""How workers on different machines come to each other: over the handshake and the TLS of the control protocol.

```
worker 0, machine 0                  worker 2, machine 1               a door: a port, and a certificate of the worker's own, made for it
  door <──────── steps ──────────────── dials, by the address             who has proven within HANDSHAKE_S that it knows the replica's
  door <── saves, look-ups, shares ──── and the hash of the certificate   secret, and is somebody who is awaited, comes in
```

The addresses of doors, and the secret, are told by Spark (`spread`).  A door is open until all who are awaited have come.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Collection, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from ...compute.partitioned.one_step import LEADER, WorkerLost
from ...compute.spark.node_directory import node_directory
from ...errors import PtvcError
from ...network.addresses import network_of
from ...network.places import Waiting
from ..protocol import (
    HANDSHAKE_S,
    HEAD_BYTES,
    Admission,
    Hello,
    TcpAddress,
    dial_tls,
    exactly,
)
from .layout import Layout
from .tls_wire import TlsWire

if TYPE_CHECKING:
    from ...network.self_signed import SelfSigned

logger = logging.getLogger(__name__)

MEET_WITHIN_S = 60.0
"""So long after they know each other's addresses all workers may take to be connected."""
MOST_STRANGERS = 200
MOST_OF_ONE = 100
"""As those of the coordinator, which has proved nothing: so many at once, and of one address."""
_LOOK_S = 0.1

Doors = Mapping[int, TcpAddress]
"""Where workers that others dial are, by their numbers."""


@dataclass(frozen=True, slots=True)
class Membership:
    """What the workers of an attempt of a replica have in common, and others do not know."""

    replica: str
    epoch: int
    attempt: int
    secret: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Met:
    """A worker's ways to those on other machines: of its steps by their numbers, and of what is saved, of look-ups, and of what sources read,
    between the leader and members."""

    steps: Mapping[int, TlsWire]
    saves: Mapping[int, TlsWire]
    look_ups: Mapping[int, TlsWire]
    shares: Mapping[int, TlsWire]


class Door:
    """Listens at that address of this machine, at a free port.  Raises OSError."""

    def __init__(self, host: str) -> None:
        # Takes its time to be imported, and most do without.
        from ...network.self_signed import self_signed

        self._shown = self_signed(node_directory())
        self._listener = socket.create_server((host, 0), backlog=MOST_STRANGERS)
        self._listener.settimeout(_LOOK_S)
        self.address = TcpAddress(host, self._listener.getsockname()[1], self._shown.fingerprint)

    def admit(self, names: Collection[str], membership: Membership) -> dict[str, TlsWire]:
        """Those of these names, once all of them are there, and closes the door.  Raises WorkerLost when one does not come."""
        guests = _Guests(self._shown, names, membership)
        deadline = monotonic() + MEET_WITHIN_S
        try:
            while (missing := guests.missing()) and monotonic() < deadline:
                try:
                    plain, peer = self._listener.accept()
                except TimeoutError:
                    continue
                guests.begin(plain, network_of(peer[0]))
        finally:
            self.close()
            found = guests.end()
        if missing:
            for stream in found.values():
                stream.close()
            raise WorkerLost(f"worker {min(missing)} does not come within {MEET_WITHIN_S:.0f} s")
        return found

    def close(self) -> None:
        self._listener.close()


class _Guests:
    """Who has come to a door: each is looked at on a thread of its own, so that who says nothing keeps nobody waiting."""

    def __init__(self, shown: SelfSigned, names: Collection[str], membership: Membership) -> None:
        self._shown = shown
        self._names = frozenset(names)
        self._membership = membership
        self._lock = threading.Lock()
        self._strangers: Waiting[socket.socket] = Waiting(MOST_STRANGERS, MOST_OF_ONE)
        self._since: dict[socket.socket, float] = {}
        self._found: dict[str, TlsWire] = {}
        self._ended = self._heard = False

    def missing(self) -> frozenset[str]:
        with self._lock:
            late = [plain for plain, since in self._since.items() if monotonic() - since > HANDSHAKE_S]
            for plain in late:
                _cut(plain)
            return self._names - self._found.keys()

    def begin(self, plain: socket.socket, network: str) -> None:
        with self._lock:
            self._since[plain] = monotonic()
            if (gone := self._strangers.add(plain, network)) is not None:
                _cut(gone)
        threading.Thread(target=self._look_at, args=(plain,), name="door", daemon=True).start()

    def end(self) -> dict[str, TlsWire]:
        """Those who have come in; who has not will not."""
        with self._lock:
            self._ended = True
            for plain in self._since:
                _cut(plain)
            return dict(self._found)

    def _look_at(self, plain: socket.socket) -> None:
        came: tuple[str, TlsWire] | None = None
        try:
            plain.settimeout(HANDSHAKE_S)
            stream = TlsWire(plain, self._shown.context, server_side=True)
            came = self._admitted(stream).name, stream
        except (OSError, PtvcError) as error:
            self._turned_away(str(error))
        with self._lock:
            self._strangers.remove(plain)
            del self._since[plain]
            if came is not None and not self._ended and self._found.setdefault(*came) is came[1]:
                return
        plain.close()

    def _turned_away(self, reason: str) -> None:
        """The log hears of the first one: how many they are is theirs to choose."""
        with self._lock:
            heard, self._heard = self._heard, True
        if not heard:
            logger.warning("a connection to a worker is turned away: %s", reason)

    def _admitted(self, stream: TlsWire) -> Hello:
        admission = Admission(self._shown.fingerprint)
        stream.sendall(admission.challenge)
        rest = admission.rest(exactly(stream, HEAD_BYTES))
        hello, proof = admission.admit(exactly(stream, rest), self._secret_of)
        stream.sendall(proof)
        return hello

    def _secret_of(self, hello: Hello) -> bytes | None:
        """None: it is nobody who is awaited, or it is there already."""
        own = self._membership
        with self._lock:
            awaited = hello.name in self._names and hello.name not in self._found
        same = (hello.epoch, hello.attempt) == (own.epoch, own.attempt)
        return own.secret if awaited and same else None


def _cut(plain: socket.socket) -> None:
    """Ends what a thread waits for in it, which closes it."""
    try:
        plain.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # the peer has gone


def steps_of(worker: int) -> str:
    """By which name a worker dials another for their steps."""
    return f"{worker}"


def saves_of(worker: int) -> str:
    """By which name it dials the leader for what it saves."""
    return f"{worker} saves"


def look_ups_of(worker: int) -> str:
    """By which name it dials the leader for look-ups in what it holds of indexes."""
    return f"{worker} look-ups"


def shares_of(worker: int) -> str:
    """By which name it dials the leader for what it is to read of sources."""
    return f"{worker} shares"


_TO_THE_LEADER = (saves_of, look_ups_of, shares_of)


def meet(layout: Layout, here: int, pid: int, door: Door | None, doors: Doors, membership: Membership) -> Met:
    """Connects a worker with all on other machines, who do the same.  Raises OSError and PtvcError: WorkerLost where one does not come."""
    awaited = [steps_of(worker) for worker in layout.dialing(here)]
    if here == LEADER:
        awaited += [of(worker) for worker in layout.dialing(here) for of in _TO_THE_LEADER]

    def dialed(worker: int, name: str) -> TlsWire:
        hello = Hello(name, membership.epoch, membership.attempt, pid)
        return dial_tls(doors[worker], hello, membership.secret, TlsWire)

    with ThreadPoolExecutor(1, "door") as pool:
        coming = None if door is None else pool.submit(door.admit, awaited, membership)
        try:
            steps = {worker: dialed(worker, steps_of(here)) for worker in layout.dialed_by(here)}
            far = LEADER in layout.dialed_by(here)
            beside = [{LEADER: dialed(LEADER, of(here))} if far else {} for of in _TO_THE_LEADER]
        except BaseException:
            if door is not None:
                door.close()  # nobody waits behind it any more
            raise
        came = {} if coming is None else coming.result()
    steps |= {worker: came[steps_of(worker)] for worker in layout.dialing(here)}
    if here == LEADER:
        beside = [{worker: came[of(worker)] for worker in layout.dialing(here)} for of in _TO_THE_LEADER]
    return Met(steps, *beside)
