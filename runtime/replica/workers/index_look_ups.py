"""Look-ups in a divided index, beside the steps: over a pair of sockets between the leader and each member that nothing else uses.

```
leader   thread that reads messages ── KeysAsked ──> member   look-up thread ── its spine, as of now
                                    <── RowsFound ──────────────────────────────┘
```

Several members are asked at once, and the leader finds its own rows meanwhile.  An answer that does not come in time is not waited for, and
nobody asks that member before it has come.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

import numpy as np

from ...compute.partitioned.one_step import WorkerLost
from ...compute.spine import Spine
from ...errors import ObjectNotReady
from ...repr.batch import Batch, concat_batches, from_record, to_record
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..index import ManyFound, Numbers, rows_of_each
from ..look_ups.answers import AT_ONCE, AT_ONCE_BYTES
from .message_stream import MessageStream
from .tls_wire import TlsWire

logger = logging.getLogger(__name__)

PATIENCE_S = 5.0
"""So long the leader waits for a member.  Its thread that reads messages does nothing else meanwhile."""


@dataclass(frozen=True, slots=True)
class KeysAsked:
    """These columns of the rows of a dataflow's index at `as_of` that have the keys (`to_record`)."""

    dataflow: int
    keys: bytes
    columns: tuple[int, ...]
    as_of: int


@dataclass(frozen=True, slots=True)
class RowsFound:
    """The rows at that time (`to_record`; None: these are too many), and of each how often it is there, and the number of its key: bytes, as
    an array of few takes ten times as long here and there."""

    rows: bytes | None
    diffs: bytes = b""
    numbers: bytes = b""

    def batch(self, schema: Schema, as_of: int) -> tuple[Batch, Numbers]:
        assert self.rows is not None
        diffs = np.frombuffer(self.diffs, np.int64)
        times = np.full(len(diffs), as_of, np.uint64)
        return Batch(from_record(schema, self.rows), times, diffs), np.frombuffer(self.numbers, np.int64)


class IndexLookUps:
    """The leader's end, by member.  For any thread, one exchange at a time.  A member that has been asked is not asked again before it has
    answered."""

    def __init__(self, streams: Mapping[int, socket.socket | TlsWire]) -> None:
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._asked: set[int] = set()
        self._streams = {member: MessageStream(stream, self._ending) for member, stream in streams.items()}

    def exchange(self, asked: Mapping[int, KeysAsked], meanwhile: Callable[[], None]) -> dict[int, RowsFound]:
        """What the members find.  Raises WorkerLost, ManyFound, and ObjectNotReady if one does not answer in time, has still to answer what was
        asked before, or does not have the dataflow any more."""
        with self._lock:
            for member in self._asked & asked.keys():
                self._answer(member, monotonic())  # to what nobody waits for any more
            deadline = monotonic() + PATIENCE_S
            for member, keys in asked.items():
                self._send(member, keys, deadline)
            meanwhile()
            answers = {member: self._answer(member, deadline) for member in asked}
        found = {}
        for member, answer in answers.items():
            if answer is None:
                raise ObjectNotReady(f"worker {member} of the replica cannot look the keys up")
            if answer.rows is None:
                raise ManyFound(f"worker {member} has more rows of the keys than are looked up")
            found[member] = answer
        return found

    def _send(self, member: int, keys: KeysAsked, deadline: float) -> None:
        stream = self._streams[member]
        try:
            stream.send(keys, deadline)
        except (EOFError, OSError, ValueError) as error:
            stream.close()  # what was sent may be in pieces
            raise _lost(member) from error
        self._asked.add(member)

    def _answer(self, member: int, deadline: float) -> RowsFound | None:
        try:
            answer: RowsFound | None = self._streams[member].receive(deadline)
        except TimeoutError as error:
            raise ObjectNotReady(f"worker {member} of the replica does not answer") from error
        except (EOFError, OSError, ValueError) as error:  # or it is closed
            raise _lost(member) from error
        self._asked.discard(member)
        return answer

    def close(self) -> None:
        """An exchange under way ends."""
        self._ending.set()
        with self._lock:
            for stream in self._streams.values():
                stream.close()


def _lost(member: int) -> WorkerLost:
    return WorkerLost(f"worker {member} of the replica has ended")


def answer_look_ups(leader: socket.socket | TlsWire, index: Callable[[int], Spine | None]) -> None:
    """The member's end, on a thread of its own: until the leader is gone.  `index` finds the rows that are here of a dataflow's index."""
    stream = MessageStream(leader, threading.Event())
    try:
        while True:
            stream.send(_answered(stream.receive(), index))
    except (EOFError, OSError):
        return
    finally:
        stream.close()  # whatever has ended it, the leader sees that


def _answered(asked: KeysAsked, index: Callable[[int], Spine | None]) -> RowsFound | None:
    try:
        spine = index(asked.dataflow)
        return None if spine is None else _found(asked, spine)
    except Exception:  # a defect of ours: who asked asks otherwise
        logger.exception("a look-up in a worker failed")
        return None


def _found(asked: KeysAsked, spine: Spine) -> RowsFound:
    keys = from_record(spine.schema.project(spine.key), asked.keys)
    hashes = hash_columns(keys, len(keys[0]))
    rows, numbers = rows_of_each(
        spine.schema, spine.key, spine.handle(), keys, hashes, asked.columns, asked.as_of
    )
    if len(rows) > AT_ONCE or rows.nbytes > AT_ONCE_BYTES:
        return RowsFound(None)
    record = to_record(spine.schema.project(asked.columns), rows.columns)
    return RowsFound(record, rows.diffs.tobytes(), numbers.tobytes())


def in_order(schema: Schema, found: Sequence[tuple[Batch, Numbers]]) -> tuple[Batch, Numbers]:
    """What several have found of different keys, by the numbers of these."""
    rows = concat_batches(schema, [rows for rows, _ in found])
    numbers = np.concatenate([numbers for _, numbers in found])
    order = np.argsort(numbers, kind="stable")
    return rows.take(order), numbers[order]
