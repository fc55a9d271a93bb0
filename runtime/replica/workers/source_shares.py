"""What a source has to read, read by all workers: beside the steps, over a pair of sockets between the leader and each member that nothing
else uses.

```
leader   thread of a source ── the next share ──┬── reads it itself, and writes its parts
                                                └── ReadShare ──> member   thread of shares ── reads it, and writes its parts
                                               <── WrittenShare ───────────┘
```

A worker has one share at a time, of whichever source.  A share whose member is gone goes to another worker; one that cannot be read ends the
whole reading, of which nothing was committed then.
"""

from __future__ import annotations

import logging
import math
import socket
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic

from ...compute.memory import hand_back
from ...errors import PtvcError, QueryCanceled
from ...interrupt import Interrupt, interruptible
from ...persist.blob.base import Blob
from ...storage.share_reading import ShareReader, WrittenShare
from ...storage.shares import Share
from .message_stream import MessageStream
from .tls_wire import TlsWire

logger = logging.getLogger(__name__)

LOOK_S = 0.05
"""So often it is looked whether a share is still wanted."""
REST_S = 1.0
"""A member that had no share for so long hands memory back."""


@dataclass(frozen=True, slots=True)
class ReadShare:
    reader: ShareReader
    share: Share


@dataclass(frozen=True, slots=True)
class CancelShare:
    """Nobody waits for what the member was asked for last; its answer comes all the same."""


@dataclass(frozen=True, slots=True)
class ShareFailed:
    reason: str


class SharesAmongWorkers:
    """The leader's end, by member.  For any thread, of several sources at once."""

    def __init__(self, streams: Mapping[int, socket.socket | TlsWire]) -> None:
        self._ending = threading.Event()
        self._members = [
            _Member(number, MessageStream(stream, self._ending)) for number, stream in streams.items()
        ]

    def read(
        self, reader: ShareReader, shares: Sequence[Share], blob: Blob, wanted: Callable[[], bool]
    ) -> tuple[WrittenShare, ...]:
        """What was written of them, in their order.  Raises PtvcError: one could not be read, or it is not `wanted` any more.  What was
        written of the others goes then."""
        for member in self._members:
            member.settle(blob)
        reading = _Reading(reader, shares, lambda: wanted() and not self._ending.is_set())
        threads = [
            threading.Thread(target=member.take_part, args=(reading, blob), name="shares", daemon=True)
            for member in self._members[: len(shares) - 1]
        ]
        for thread in threads:
            thread.start()
        with interruptible(_Unwanted(lambda: reading.is_over)):
            while True:
                others = any(thread.is_alive() for thread in threads)  # who may still put a share back
                if (number := reading.take()) is not None:
                    reading.answered(number, _answered(reader, shares[number], blob))
                elif others:
                    reading.wait(LOOK_S)
                else:
                    break
        if (written := reading.written()) is not None:
            return written
        for some in reading.found.values():
            some.forget(blob)
        if reading.failure is not None:
            raise PtvcError(reading.failure)
        raise QueryCanceled("the source is not read any more")

    def close(self) -> None:
        """Readings under way end, of which nobody waits for anything."""
        self._ending.set()
        for member in self._members:
            member.close()


@dataclass(slots=True)
class _Reading:
    """Which shares are still to be read, and what was written of the others; for all threads that have a part in it."""

    reader: ShareReader
    shares: Sequence[Share]
    wanted: Callable[[], bool]
    failure: str | None = None
    found: dict[int, WrittenShare] = field(default_factory=dict)
    _left: deque[int] = field(init=False)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def __post_init__(self) -> None:
        largest_first = sorted(range(len(self.shares)), key=lambda number: -self.shares[number].nbytes)
        self._left = deque(largest_first)

    @property
    def is_over(self) -> bool:
        """Whether nobody wants any of it."""
        return self.failure is not None or not self.wanted()

    def take(self) -> int | None:
        """The next one to read."""
        with self._changed:
            return self._left.popleft() if self._left and not self.is_over else None

    def put_back(self, number: int) -> None:
        with self._changed:
            self._left.append(number)
            self._changed.notify_all()

    def answered(self, number: int, answer: WrittenShare | ShareFailed) -> None:
        with self._changed:
            if isinstance(answer, WrittenShare):
                self.found[number] = answer
            elif self.failure is None and self.wanted():
                self.failure = answer.reason
            self._changed.notify_all()

    def wait(self, seconds: float) -> None:
        with self._changed:
            self._changed.wait(seconds)

    def written(self) -> tuple[WrittenShare, ...] | None:
        """None: not all of it."""
        if self.is_over or len(self.found) < len(self.shares):
            return None
        return tuple(self.found[number] for number in range(len(self.shares)))


class _Member:
    """The leader's way to one of them.  What it was asked for and nobody waits for it `owes`: it is not asked before it has answered."""

    def __init__(self, number: int, stream: MessageStream) -> None:
        self._number = number
        self._stream = stream
        self._turn = threading.Lock()
        self._owes = self._gone = False

    def take_part(self, reading: _Reading, blob: Blob) -> None:
        """Has the member read shares as long as there are any."""
        while not reading.is_over:
            with self._turn:
                if self._gone or not self._settled(blob) or (number := reading.take()) is None:
                    return
                try:
                    answer = self._asked(ReadShare(reading.reader, reading.shares[number]), reading)
                except (EOFError, OSError, ValueError):  # or it is closed
                    self._gone = True
                    self._stream.close()
                    if not reading.is_over:
                        logger.warning("worker %d reads no more of sources", self._number)
                    reading.put_back(number)
                    return
            if answer is not None:
                reading.answered(number, answer)

    def settle(self, blob: Blob) -> None:
        """Removes what it has written in vain, if it has said so, and nobody asks it for something now."""
        if self._turn.acquire(blocking=False):
            try:
                if not self._gone:
                    self._settled(blob)
            finally:
                self._turn.release()

    def _settled(self, blob: Blob) -> bool:
        """Whether it may be asked: what nobody has waited for has come."""
        if self._owes:
            try:
                late = self._stream.receive(monotonic())
            except TimeoutError:
                return False
            except (EOFError, OSError, ValueError):
                self._gone = True
                return False
            self._owes = False
            if isinstance(late, WrittenShare):
                late.forget(blob)
        return True

    def _asked(self, message: ReadShare, reading: _Reading) -> WrittenShare | ShareFailed | None:
        """None: nobody waits for it any more."""
        self._stream.send(message, math.inf)
        while True:
            try:
                answer: WrittenShare | ShareFailed = self._stream.receive(monotonic() + LOOK_S)
                return answer
            except TimeoutError:
                if reading.is_over:
                    self._owes = True
                    self._stream.send(CancelShare(), math.inf)
                    return None

    def close(self) -> None:
        with self._turn:
            self._gone = True
            self._stream.close()


class _Unwanted(Interrupt):
    """Set once `over` is true."""

    __slots__ = ("_over",)

    def __init__(self, over: Callable[[], bool]) -> None:
        self._over = over

    @property
    def error(self) -> PtvcError | None:
        return QueryCanceled("the source is not read any more") if self._over() else None

    @error.setter
    def error(self, error: PtvcError | None) -> None:
        raise AttributeError("who reads the shares says when they are not wanted")


def read_shares(leader: socket.socket | TlsWire, blob: Blob, writer: str) -> None:
    """The member's end, on a thread of its own: until the leader is gone.  Parts are written as those of `writer`."""
    stream, holds = MessageStream(leader, threading.Event()), False
    try:
        while True:
            try:
                asked = stream.receive(monotonic() + REST_S if holds else None)
            except TimeoutError:
                hand_back()
                holds = False
                continue
            if isinstance(asked, ReadShare):  # what is canceled was answered already
                with interruptible(_Unwanted(_Canceled(stream))):
                    answer = _answered(replace(asked.reader, writer=writer), asked.share, blob)
                stream.send(answer)
                holds = True
    except (EOFError, OSError):
        return
    finally:
        stream.close()  # whatever has ended it, the leader sees that


class _Canceled:
    """Whether the leader has canceled what is read: looked for meanwhile, every LOOK_S."""

    def __init__(self, stream: MessageStream) -> None:
        self._stream = stream
        self._looked = monotonic()
        self._found = False

    def __call__(self) -> bool:
        if not self._found and (now := monotonic()) - self._looked >= LOOK_S:
            self._looked = now
            try:
                self._found = isinstance(self._stream.receive(now), CancelShare)
            except TimeoutError:
                return False
            except (EOFError, OSError):
                self._found = True  # the leader is gone
        return self._found


def _answered(reader: ShareReader, share: Share, blob: Blob) -> WrittenShare | ShareFailed:
    try:
        return reader.read(share, blob)
    except PtvcError as error:
        return ShareFailed(error.message)
    except Exception as error:  # the source reads by itself, and says what is wrong
        logger.exception("a share of a source cannot be read")
        return ShareFailed(f"internal error: {error!r}")
