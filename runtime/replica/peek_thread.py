"""One-off queries in a replica: a thread of their own, so that a long one never delays a step.

The step thread owns the arrangements, so it looks rows up in an index, and sends them if there are few and nothing is to
be computed from them; everything else, and every query over snapshots, runs here.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterator

from ..compute.oneshot import evaluate_once
from ..errors import COLLECTION_ERROR_HINT, PtvcError
from ..expr.interrupt import interruptible
from ..expr.tree.relation import Get, GlobalId, Project, Relation
from ..persist.blob.base import Blob
from ..repr.batch import Batch, Delta, from_ipc, to_ipc
from ..repr.limits import as_limit
from .index import Index
from .inputs import load_snapshot
from .protocol import CancelPeek, Message, Peek, PeekFailed, PeekIndex, PeekRows

CHUNK_ROWS = 65_536
AT_ONCE = 1_000
"""So many rows that only need to be sent are answered by the step thread itself: to hand them over would take longer."""
INTERNAL_ERROR = "XX000"


class Peeks:
    """`send` delivers a message to the coordinator."""

    def __init__(self, blob: Blob, send: Callable[[Message], None]) -> None:
        self._blob = blob
        self._send = send
        self._queue: queue.SimpleQueue[tuple[int, Callable[[], Iterator[Message]]] | None] = (
            queue.SimpleQueue()
        )
        self._canceled: set[int] = set()
        self._thread = threading.Thread(target=self._run, name="peeks", daemon=True)
        self._thread.start()

    def submit(self, peek: Peek) -> None:
        self._queue.put((peek.peek_id, lambda: self._peek(peek)))

    def submit_index(self, peek: PeekIndex, index: Index) -> None:
        """Called on the step thread: takes the rows now, computes later."""
        errors = index.errors(peek.as_of)
        if peek.keys is None:
            rows = index.rows(peek.as_of)
        else:
            rows = index.lookup(from_ipc(peek.keys).columns, peek.as_of)
        contents = {peek.index_id: Delta(rows, errors)}
        if len(rows) <= AT_ONCE and _is_plain(peek.relation):
            for message in _or_failure(
                peek.peek_id, lambda: _answer(peek.peek_id, peek.relation, contents, peek.as_of)
            ):
                self._send(message)
            return
        self._queue.put((peek.peek_id, lambda: _answer(peek.peek_id, peek.relation, contents, peek.as_of)))

    def cancel(self, command: CancelPeek) -> None:
        """A query that waits is forgotten; one that runs stops between the iterations of a loop, or is finished and its
        answer dropped.  For any thread."""
        self._canceled.add(command.peek_id)

    def close(self) -> None:
        """Ends the thread once it has answered what was asked before."""
        self._queue.put(None)

    def _peek(self, peek: Peek) -> Iterator[Message]:
        contents = {source.id: load_snapshot(self._blob, source) for source in peek.inputs}
        yield from _answer(peek.peek_id, peek.relation, contents, peek.as_of)

    def _run(self) -> None:
        while (work := self._queue.get()) is not None:
            peek_id, answer = work
            if peek_id in self._canceled:
                self._canceled.discard(peek_id)
                continue
            try:
                with interruptible(lambda id_=peek_id: id_ not in self._canceled):  # type: ignore[misc]
                    for message in _or_failure(peek_id, answer):
                        if peek_id in self._canceled:
                            break
                        self._send(message)
            except ConnectionError:
                return  # the coordinator is gone, and this replica with it
            self._canceled.discard(peek_id)


def _is_plain(relation: Relation) -> bool:
    """Whether it is the columns of what is read, and nothing computed from them."""
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, Get)


def _or_failure(peek_id: int, answer: Callable[[], Iterator[Message]]) -> Iterator[Message]:
    """The answer; an error while it is computed is its last message, and the replica goes on."""
    try:
        yield from answer()
    except PtvcError as error:
        yield PeekFailed(peek_id, error.sqlstate, error.message, error.hint)
    except Exception as error:
        limit = as_limit(error)
        if limit is not None:
            yield PeekFailed(peek_id, limit.sqlstate, limit.message, limit.hint)
        else:
            yield PeekFailed(peek_id, INTERNAL_ERROR, f"internal error: {error!r}")


def _answer(
    peek_id: int, relation: Relation, contents: dict[GlobalId, Delta], as_of: int
) -> Iterator[Message]:
    result = evaluate_once(relation, contents, as_of)
    if len(result.errs):
        sqlstates, messages = result.errs.columns
        yield PeekFailed(peek_id, sqlstates[0].as_py(), messages[0].as_py(), COLLECTION_ERROR_HINT)
        return
    yield from _chunks(peek_id, relation, result.oks)


def _chunks(peek_id: int, relation: Relation, rows: Batch) -> Iterator[Message]:
    schema = relation.schema
    for start in range(0, max(len(rows), 1), CHUNK_ROWS):
        stop = min(start + CHUNK_ROWS, len(rows))
        yield PeekRows(peek_id, to_ipc(schema, rows.slice(start, stop)), done=stop == len(rows))
