"""One-off queries in a replica: few rows of an index here, everything else in processes of their own.

```
columns of few rows by a key ─────────────── looked up (`look_ups`)
rows of an index otherwise ──────────────── taken by the step thread; few that are only sent, it answers itself
anything that computes, snapshots ───────── a query of the pool, to which rows of an index are handed over
```
"""

from __future__ import annotations

import os
from dataclasses import replace

from ..config import Settings
from ..expr.tree.relation import Get, Project
from ..persist.blob.base import Blob
from ..persist.column_cache import ColumnCache
from ..repr.batch import Batch, Delta, from_ipc
from ..repr.consolidate import consolidate_in_order
from ..repr.schema import Schema
from ..supervision import Supervisor
from .index import Index
from .look_ups.answers import AT_ONCE
from .protocol import CancelPeek, Connection, Peek, PeekIndex
from .queries.answers import Start, answer, or_failure
from .queries.pool import Pool
from .queries.query import IndexContents, Query


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
        wanted = peek.wanted
        rows: Batch | None = None
        if peek.keys is not None:
            rows = index.lookup(from_ipc(peek.keys).columns, peek.as_of)
        else:
            held = index.held(peek.as_of)
            if len(held) <= AT_ONCE and isinstance(wanted, tuple):
                rows = held.at(index.schema, peek.as_of)
        if rows is None:
            contents = IndexContents.of_held(peek.index_id, index.schema, held, errors)
        elif len(rows) <= AT_ONCE and isinstance(wanted, tuple):
            self._send(peek, index.schema.project(wanted), rows.select(wanted), errors)
            self._pool.interrupts.forget(peek.peek_id)
            return
        else:
            contents = IndexContents.of_rows(peek.index_id, index.schema, rows, errors)
        relation = Project(Get(peek.index_id, index.schema), wanted) if isinstance(wanted, tuple) else wanted
        query = Query(peek.peek_id, relation, peek.as_of, (), contents)
        self._submit(replace(query, consolidated=peek.consolidated))

    def _submit(self, query: Query) -> None:
        self._pool.submit(replace(query, duckdb_min_rows=self.duckdb_min_rows))

    def refuse(self, peek_id: int) -> None:
        """The query was answered with an error."""
        self._pool.interrupts.forget(peek_id)

    def _send(self, peek: PeekIndex, schema: Schema, rows: Batch, errors: Batch) -> None:
        if peek.consolidated:
            rows = consolidate_in_order(rows)
        for message in or_failure(peek.peek_id, answer(peek.peek_id, schema, Delta(rows, errors))):
            self._connection.send(message)

    def cancel(self, command: CancelPeek) -> None:
        """A query that waits is forgotten; one that runs stops, or is stopped."""
        self._pool.interrupts.set_known(command.peek_id)

    def close(self) -> None:
        """Ends all queries, and their processes."""
        self._pool.close()
