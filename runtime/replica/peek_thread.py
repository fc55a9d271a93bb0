"""One-off queries in a replica: rows of an index here, everything else in processes of their own.

The step thread owns the arrangements, so it looks rows up in an index, and sends them if there are few and nothing is to
be computed from them.  Whatever computes is a query of the pool: snapshots are read there, and rows of an index are
handed over.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from ..compute.oneshot import evaluate_in_order
from ..config import Settings
from ..expr.tree.relation import Get, Project, Relation
from ..persist.blob.base import Blob
from ..persist.column_cache import ColumnCache
from ..repr.batch import Delta, from_ipc
from ..supervision import Supervisor
from .index import Index
from .protocol import CancelPeek, Connection, Message, Peek, PeekIndex
from .queries import IndexContents, Pool, Query
from .queries.answers import Start, answer, or_failure

AT_ONCE = 1_000
"""So many rows that only need to be sent are answered by the step thread itself: to hand them over would take longer."""


class Peeks:
    """`receive` and `cancel` are for the thread that reads messages, `submit_index` for the one that steps."""

    def __init__(
        self, blob: Blob, cache: ColumnCache, connection: Connection, supervisor: Supervisor
    ) -> None:
        self.duckdb_min_rows = Settings().duckdb_min_rows
        self._connection = connection
        self._pool = Pool(Start(blob, cache, dict(os.environ)), connection.send_encoded, supervisor)

    def warm(self) -> None:
        """Has a process ready for the first query."""
        self._pool.warm()

    def limit(self, memory: int) -> None:
        """Bytes that each query may take."""
        self._pool.budget = memory

    def receive(self, peek: Peek | PeekIndex) -> None:
        """From now on the query can be cancelled.  One over snapshots begins: it needs nothing of the step thread."""
        self._pool.interrupts.of(peek.peek_id)
        if isinstance(peek, Peek):
            query = Query(peek.peek_id, peek.relation, peek.as_of, peek.inputs)
            self._submit(replace(query, limit=peek.limit, consolidated=peek.consolidated))

    def submit_index(self, peek: PeekIndex, index: Index) -> None:
        """Takes the rows now, or a hold on them; computes later."""
        errors = index.errors(peek.as_of)
        if peek.keys is None and not (index.held <= AT_ONCE and _is_plain(peek.relation)):
            runs = index.runs(peek.as_of)
            contents = IndexContents.of_runs(peek.index_id, index.schema, runs, errors)
        else:
            if peek.keys is None:
                rows = index.rows(peek.as_of)
            else:
                rows = index.lookup(from_ipc(peek.keys).columns, peek.as_of)
            if len(rows) <= AT_ONCE and _is_plain(peek.relation):
                self._send(peek, Delta(rows, errors))
                return
            contents = IndexContents.of_rows(peek.index_id, index.schema, rows, errors)
        query = Query(peek.peek_id, peek.relation, peek.as_of, (), contents)
        self._submit(replace(query, consolidated=peek.consolidated))

    def _submit(self, query: Query) -> None:
        self._pool.submit(replace(query, duckdb_min_rows=self.duckdb_min_rows))

    def refuse(self, peek_id: int) -> None:
        """The query was answered with an error."""
        self._pool.interrupts.forget(peek_id)

    def _send(self, peek: PeekIndex, contents: Delta) -> None:
        def messages() -> Iterator[Message]:
            result = evaluate_in_order(peek.relation, {peek.index_id: contents}, peek.as_of)
            yield from answer(peek.peek_id, peek.relation, result)

        for message in or_failure(peek.peek_id, messages()):
            self._connection.send(message)
        self._pool.interrupts.forget(peek.peek_id)

    def cancel(self, command: CancelPeek) -> None:
        """A query that waits is forgotten; one that runs stops, or is stopped."""
        self._pool.interrupts.set_known(command.peek_id)

    def close(self) -> None:
        """Ends all queries, and their processes."""
        self._pool.close()


def _is_plain(relation: Relation) -> bool:
    """Whether it is the columns of what is read, and nothing computed from them."""
    while isinstance(relation, Project):
        relation = relation.input
    return isinstance(relation, Get)
