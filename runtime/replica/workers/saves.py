"""What members save beside their steps, and how the leader hears of it: over a pair of sockets, or a TLS stream, that only their
checkpoint threads use.

```
leader   step thread ── Save, in its turn ─────────> member   step thread ── what its spines hold
         checkpoint thread <── Saved ──────────────────────── checkpoint thread
```
"""

from __future__ import annotations

import logging
import pickle
import select
import socket
import struct
import threading
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor

from ...compute.checkpoint import StoredState
from ...compute.partitioned.messages import Saved
from ...compute.partitioned.one_step import WorkerLost
from ...compute.shared_files import CopiedFiles, SharedFiles
from ...errors import ReplicaUnavailable
from ..blob_retry import RetryingObjects
from .tls_wire import TlsWire

logger = logging.getLogger(__name__)

_LENGTH = struct.Struct("=Q")
_LOOK_MS = 100
_PIECE = 1 << 20


class Saves:
    """The leader's end, by member; `wait` is for one thread.  Once `ending` is set, nothing is waited for any more."""

    def __init__(self, streams: Mapping[int, socket.socket | TlsWire]) -> None:
        self.ending = threading.Event()
        self._streams = dict(streams)
        for stream in self._streams.values():
            if isinstance(stream, TlsWire):
                stream.settle()
            else:
                stream.setblocking(False)
        self._last: dict[tuple[int, int], Saved] = {}

    def wait(self, dataflow: int, number: int) -> tuple[StoredState, ...]:
        """What the members have saved when they were asked to with this number, in their order.  Raises why one could not."""
        answers = [self._answer(member, dataflow, number) for member in self._streams]
        for answer in answers:
            if answer.error is not None:
                raise answer.error
        return tuple(answer.state for answer in answers)

    def _answer(self, member: int, dataflow: int, number: int) -> Saved:
        """Dataflows may be waited for in another order than they were saved in, each of them one save after the other."""
        while (last := self._last.pop((member, dataflow), None)) is None or last.number != number:
            saved = self._receive(member)
            self._last[member, saved.dataflow] = saved
        return last

    def _receive(self, member: int) -> Saved:
        """The member's next answer."""
        (length,) = _LENGTH.unpack(self._exactly(member, _LENGTH.size))
        saved: Saved = pickle.loads(self._exactly(member, length))
        return saved

    def _exactly(self, member: int, size: int) -> bytes:
        """The next so many bytes; whoever leads the steps sees when a machine falls silent."""
        stream, data = self._streams[member], bytearray()
        while len(data) < size:
            try:
                more = stream.recv(min(size - len(data), _PIECE))
            except BlockingIOError:
                self._await(stream)
                continue
            except OSError:
                more = b""
            if not more:
                raise WorkerLost(f"worker {member} of the replica has ended")
            data += more
        return bytes(data)

    def _await(self, stream: socket.socket | TlsWire) -> None:
        poll = select.poll()
        poll.register(stream, select.POLLIN)
        while not poll.poll(_LOOK_MS):
            if self.ending.is_set():
                raise ReplicaUnavailable("the replica ends")

    def close(self) -> None:
        for stream in self._streams.values():
            stream.close()


class BesideSteps:
    """The member's end: one thread, which saves and sweeps."""

    def __init__(
        self, leader: socket.socket | TlsWire, files: SharedFiles, writer: str, *, far: bool = False
    ) -> None:
        """`far`: the leader is on another machine."""
        if isinstance(files, CopiedFiles):
            never = threading.Event()  # the process is ended when nobody needs it any more
            files = files.over(lambda objects: RetryingObjects(objects, never))
        self.files = files
        self.writer = writer
        self.apart = far and files.copied
        self._leader = leader
        self._thread = ThreadPoolExecutor(1, "checkpoint")

    def submit(self, work: Callable[[], None]) -> None:
        self._thread.submit(self._do, work)

    def _do(self, work: Callable[[], None]) -> None:
        try:
            work()
        except ConnectionError:
            return  # the leader is gone
        except Exception:  # nothing is lost: the checkpoint before stays
            logger.exception("a worker cannot save its part")

    def answer(self, saved: Saved) -> None:
        body = pickle.dumps(saved, protocol=5)
        self._leader.sendall(_LENGTH.pack(len(body)) + body)
