"""The ways between the workers of a replica, one for every two of them: a pair of sockets, or TLS between machines (`tls_wire`).

A message is pickled, as only two workers of one replica have the two ends; columns go as they lie in memory, behind it:

```
u32 length of the pickle | u32 number of buffers | u64 length of each | pickle | buffers, each at a multiple of 64
```

Whoever waits, be it for room in a socket, reads what comes from all others.  So nobody waits for somebody who waits for it.

The kernel says when a process of this machine has ended.  One of another machine says every KEEPALIVE_S that it is there, by a message of no
length, whatever its step is at; of which nothing has come for SILENCE_S, that is lost.
"""

from __future__ import annotations

import pickle
import select
import socket
import struct
import threading
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import monotonic, perf_counter

import pyarrow as pa

from ...compute.partitioned.messages import Message
from ...compute.partitioned.one_step import WorkerLost
from ..protocol import KEEPALIVE_S, SILENCE_S
from .tls_wire import TlsWire

_HEADER = struct.Struct("=II")
_KEEPALIVE = _HEADER.pack(0, 0)
_ALIGNMENT = 64
_MOST_PIECES = 512
"""Of one call: the system takes 1,024."""
_PADDING = bytes(_ALIGNMENT)


class WorkerSilent(WorkerLost):
    """Nothing comes from the worker, and nobody says why: its machine may be gone, or the way to it."""

    worker: int


@dataclass(slots=True)
class _Peer:
    """`pieces` are to be written; of what is read, `head` is complete before `body` is there.  `far`: the stream of one on another machine,
    from which something was `heard` last then."""

    stream: socket.socket | TlsWire
    far: TlsWire | None
    heard: float
    pieces: deque[memoryview] = field(default_factory=deque)
    head: bytearray = field(default_factory=bytearray)
    lengths: tuple[int, ...] | None = None
    body: memoryview | None = None
    filled: int = 0


class Wires:
    """Those of one worker, by the number of the other.  Raises WorkerLost when another has ended."""

    def __init__(self, streams: Mapping[int, socket.socket | TlsWire]) -> None:
        now = monotonic()
        self._peers = {
            worker: _Peer(stream, stream if isinstance(stream, TlsWire) else None, now)
            for worker, stream in streams.items()
        }
        self._far = [worker for worker, peer in self._peers.items() if peer.far is not None]
        self._by_file = {stream.fileno(): worker for worker, stream in streams.items()}
        self._poll = select.poll()
        self._arrived: deque[tuple[int, Message]] = deque()
        self._writing: set[int] = set()
        self.messages = self.nbytes = 0
        self.waited_s = 0.0
        for stream in streams.values():
            if isinstance(stream, TlsWire):
                stream.settle()
            else:
                stream.setblocking(False)
            self._poll.register(stream, select.POLLIN)
        for worker in self._far:  # the first messages may have come with the end of the handshake
            self._read(worker)
        self._closed = threading.Event()
        if self._far:
            threading.Thread(target=self._keep_alive, name="keepalive", daemon=True).start()

    def send(self, worker: int, message: Message) -> None:
        peer = self._peers[worker]
        if not peer.pieces:
            self._writing.add(worker)
        pieces = encoded(message)
        self.messages += 1
        self.nbytes += sum(map(len, pieces))
        peer.pieces.extend(pieces)

    def flush(self) -> None:
        """Writes all that was sent, and reads meanwhile what comes."""
        for worker in tuple(self._writing):
            self._write(worker)
        waiting = tuple(self._writing)
        for worker in waiting:
            self._poll.modify(self._peers[worker].stream, select.POLLIN | select.POLLOUT)
        while self._writing:
            self._wait(None)

    def receive(self, timeout_s: float) -> tuple[int, Message] | None:
        """The next message and its sender; None if none has come within that time."""
        deadline = monotonic() + timeout_s
        while not self._arrived:
            if (left := deadline - monotonic()) < 0:
                return None
            self._wait(left)
        return self._arrived.popleft()

    def next(self) -> tuple[int, Message]:
        """The next message and its sender, however long it takes."""
        while not self._arrived:
            self._wait(None)
        return self._arrived.popleft()

    def collect(self) -> tuple[Message, ...]:
        """What has come by now and was not received yet; it is still to be received."""
        self._wait(0.0)
        return tuple(message for _, message in self._arrived)

    def close(self) -> None:
        self._closed.set()
        for peer in self._peers.values():
            peer.stream.close()

    def _keep_alive(self) -> None:
        """On a thread of its own."""
        peers = [self._peers[worker] for worker in self._far]
        while not self._closed.wait(KEEPALIVE_S):
            for peer in peers:
                assert peer.far is not None
                with suppress(OSError, ValueError):  # lost, or closed: who waits sees it, too
                    peer.far.keep_alive(_KEEPALIVE, partial(len, peer.pieces))

    def _wait(self, timeout_s: float | None) -> None:
        """Returns early when somebody on another machine may have fallen silent."""
        if self._far:
            timeout_s = KEEPALIVE_S if timeout_s is None else min(timeout_s, KEEPALIVE_S)
        begun = perf_counter()
        found = self._poll.poll(None if timeout_s is None else timeout_s * 1e3)
        self.waited_s += perf_counter() - begun
        for file, event in found:
            worker = self._by_file[file]
            if event & (select.POLLIN | select.POLLHUP | select.POLLERR):
                self._read(worker)
            if event & select.POLLOUT:
                self._write(worker)
                if worker not in self._writing:
                    self._poll.modify(file, select.POLLIN)
        if self._far:
            self._check_heard()

    def _check_heard(self) -> None:
        """All that had come was read just before: what was not looked at for long has fallen silent only if nothing was there."""
        latest = monotonic() - SILENCE_S
        for worker in self._far:
            if self._peers[worker].heard < latest:
                silent = WorkerSilent(
                    f"nothing has come from worker {worker} of the replica for {SILENCE_S:.0f} s"
                )
                silent.worker = worker
                raise silent

    def _write(self, worker: int) -> None:
        peer = self._peers[worker]
        try:
            while peer.pieces:
                some = [peer.pieces[i] for i in range(min(len(peer.pieces), _MOST_PIECES))]
                written = peer.stream.sendmsg(some)
                while written and written >= len(peer.pieces[0]):
                    written -= len(peer.pieces.popleft())
                if written:
                    peer.pieces[0] = peer.pieces[0][written:]
            if peer.far is not None and peer.far.unsent:
                peer.far.sendmsg(())
        except BlockingIOError:
            return
        except OSError as error:
            raise _lost(worker) from error
        self._writing.discard(worker)

    def _read(self, worker: int) -> None:
        """Reads on in the message that is coming; at most one becomes complete, and those which came with it behind one seal."""
        peer = self._peers[worker]
        while self._read_one(worker, peer) and peer.far is not None and peer.far.buffered:
            pass

    def _read_one(self, worker: int, peer: _Peer) -> bool:
        """Whether a message became complete."""
        try:
            if peer.lengths is None and not self._read_head(worker, peer):
                return False
            assert peer.body is not None
            while peer.filled < len(peer.body):
                count = peer.stream.recv_into(peer.body[peer.filled :])
                if not count:
                    raise _lost(worker)
                peer.filled += count
                peer.heard = monotonic()
        except BlockingIOError:
            return False
        except OSError as error:
            raise _lost(worker) from error
        assert peer.lengths is not None
        self._arrived.append((worker, _from_body(peer.lengths, peer.body)))
        peer.head, peer.lengths, peer.body, peer.filled = bytearray(), None, None, 0
        return True

    def _read_head(self, worker: int, peer: _Peer) -> bool:
        """Whether the lengths are known by now."""
        while True:
            wanted = _HEADER.size
            if len(peer.head) >= wanted:
                _, buffers = _HEADER.unpack_from(peer.head)
                wanted += 8 * buffers
            if len(peer.head) == wanted and wanted >= _HEADER.size:
                size, buffers = _HEADER.unpack_from(peer.head)
                if not size:  # it is there
                    peer.head.clear()
                    continue
                peer.lengths = (size, *struct.unpack_from(f"={buffers}Q", peer.head, _HEADER.size))
                # Arrow wants what it computes on to be aligned.
                peer.body = memoryview(pa.allocate_buffer(sum(map(_padded, peer.lengths)))).cast("B")
                return True
            more = peer.stream.recv(wanted - len(peer.head))
            if not more:
                raise _lost(worker)
            peer.head += more
            peer.heard = monotonic()


def encoded(message: Message) -> list[memoryview]:
    """What crosses the socket."""
    buffers: list[pickle.PickleBuffer] = []
    pickled = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    raw = [buffer.raw() for buffer in buffers]
    lengths = [len(pickled), *map(len, raw)]
    head = _HEADER.pack(len(pickled), len(raw)) + struct.pack(f"={len(raw)}Q", *lengths[1:])
    out = [memoryview(head + pickled + _PADDING[: _padded(len(pickled)) - len(pickled)])]
    for view in raw:
        if len(view):
            out.append(view)
            if short := _padded(len(view)) - len(view):
                out.append(memoryview(_PADDING[:short]))
    return out


def decoded(crossed: bytes) -> Message:
    """The inverse of `encoded`, of all its pieces together."""
    size, buffers = _HEADER.unpack_from(crossed)
    lengths = (size, *struct.unpack_from(f"={buffers}Q", crossed, _HEADER.size))
    return _from_body(lengths, memoryview(crossed)[_HEADER.size + 8 * buffers :])


def _from_body(lengths: tuple[int, ...], body: memoryview) -> Message:
    buffers, at = [], 0
    for length in lengths:
        buffers.append(body[at : at + length])
        at += _padded(length)
    message: Message = pickle.loads(buffers[0], buffers=buffers[1:])
    return message


def _padded(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT


def _lost(worker: int) -> WorkerLost:
    return WorkerLost(f"worker {worker} of the replica has ended")
