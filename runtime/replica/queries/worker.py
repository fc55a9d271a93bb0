"""What a worker process runs: queries, one after the other, each over snapshots that it reads itself.

An answer is a sequence of messages to the coordinator as they cross its stream, each behind an `ANSWER` header: the replica
relays them without looking into them.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from types import FrameType

from ...compute.oneshot import evaluate_once
from ...errors import COLLECTION_ERROR_HINT, PtvcError
from ...expr.columns.value_size import limited_values
from ...expr.tree.relation import (
    Constant,
    Distinct,
    Filter,
    Get,
    Map,
    Project,
    Reduce,
    Relation,
    Union,
)
from ...expr.tree.relation_tree import walk
from ...interrupt import Interrupt, interruptible
from ...persist.blob.base import Blob
from ...repr.batch import Batch, Delta, to_ipc
from ...repr.limits import as_limit
from ..inputs import load_rows, load_snapshot
from ..protocol import Connection, Message, PeekFailed, PeekRows, encode
from .query import Query

ANSWER = struct.Struct("=?I")
"""Whether it is the last message of the answer, and how long it is."""

CHUNK_ROWS = 65_536
CHUNK_BYTES = 16 << 20
"""A message of an answer has no more rows than these, and about no more bytes."""

INTERNAL_ERROR = "XX000"


@dataclass(frozen=True, slots=True)
class Start:
    """The first message: where blobs are, and the variables of the replica's environment, which may have credentials."""

    blob: Blob
    environment: Mapping[str, str]


class _Requested:
    """The interrupt of the query under way, which SIGUSR1 sets."""

    def __init__(self) -> None:
        self.interrupt = Interrupt()
        signal.signal(signal.SIGUSR1, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        self.interrupt.set()


def serve(stream: socket.socket) -> None:
    """Answers queries until the replica closes the socket.  Raises ConnectionError when it does so under way."""
    requested = _Requested()
    connection = Connection(stream)
    start = connection.receive()
    if start is None:
        return
    assert isinstance(start, Start)
    os.environ.update(start.environment)
    while (query := connection.receive()) is not None:
        assert isinstance(query, Query)
        requested.interrupt = Interrupt()
        with interruptible(requested.interrupt):
            for message in or_failure(query.peek_id, _answered(start.blob, query)):
                last = isinstance(message, PeekFailed) or message.done
                pieces = encode(message)
                stream.sendall(ANSWER.pack(last, sum(map(len, pieces))))
                for piece in pieces:
                    stream.sendall(piece)
        del query


def _answered(blob: Blob, query: Query) -> Iterator[Message]:
    load = load_rows if _looks_once(query.relation) else load_snapshot
    contents = {source.id: load(blob, source) for source in query.inputs}
    if (index := query.index) is not None:
        contents[index.id] = Delta(index.rows_at(query.as_of), index.errors_at(query.as_of))
    # A query over constants keeps to the limits that it has where cheap ones are computed.
    with limited_values() if not contents else nullcontext():
        result = evaluate_once(query.relation, contents, query.as_of)
    del contents
    yield from answer(query.peek_id, query.relation, result)


_ONCE = (Get, Constant, Map, Filter, Project, Reduce, Distinct, Union)


def _looks_once(relation: Relation) -> bool:
    """Whether every row is looked at a fixed number of times, so that it costs less to look at equal rows each by itself
    than to find them.  A join makes pairs of them."""
    return all(isinstance(node, _ONCE) for node in walk(relation))


def answer(peek_id: int, relation: Relation, result: Delta) -> Iterator[PeekRows | PeekFailed]:
    """The rows, a chunk at a time, or the first error."""
    if len(result.errs):
        sqlstates, messages = result.errs.columns
        yield PeekFailed(peek_id, sqlstates[0].as_py(), messages[0].as_py(), COLLECTION_ERROR_HINT)
        return
    yield from _chunks(peek_id, relation, result.oks)


def _chunks(peek_id: int, relation: Relation, rows: Batch) -> Iterator[PeekRows]:
    schema = relation.schema
    each = max(rows.nbytes // max(len(rows), 1), 1)
    most = min(max(CHUNK_BYTES // each, 1), CHUNK_ROWS)
    for start in range(0, max(len(rows), 1), most):
        stop = min(start + most, len(rows))
        yield PeekRows(peek_id, to_ipc(schema, rows.slice(start, stop)), done=stop == len(rows))


def or_failure(peek_id: int, messages: Iterator[Message]) -> Iterator[Message]:
    """The answer; an error while it is computed is its last message, and the process goes on."""
    try:
        yield from messages
    except PtvcError as error:
        yield PeekFailed(peek_id, error.sqlstate, error.message, error.hint)
    except Exception as error:
        limit = as_limit(error)
        if limit is not None:
            yield PeekFailed(peek_id, limit.sqlstate, limit.message, limit.hint)
        else:
            yield PeekFailed(peek_id, INTERNAL_ERROR, f"internal error: {error!r}")
