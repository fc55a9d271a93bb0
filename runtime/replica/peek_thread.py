"""One-off queries in a replica: few rows of an index here, everything else in processes of their own.

```
columns of few rows by their key, of an index or
of a table (`stored_rows`) ───────────────── looked up and answered by the thread that reads messages
of many rows of a table, or with blobs that
are yet to be fetched ────────────────────── by a thread beside it
rows of an index otherwise ──────────────── taken by the step thread; few that are only sent, it answers itself
anything that computes, snapshots ───────── a query of the pool, to which rows of an index are handed over
```
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import partial

import numpy as np

from ..config import Settings
from ..errors import PtvcError
from ..expr.tree.relation import Get, GlobalId, Project
from ..persist.blob.base import Blob
from ..persist.column_cache import ColumnCache
from ..repr.batch import Batch, Delta, from_ipc, to_record
from ..repr.consolidate import consolidate_in_order
from ..repr.schema import Schema
from ..supervision import Supervisor
from .index import Index, Numbers
from .protocol import CancelPeek, Connection, LookedUp, LookUp, LookUpStored, Peek, PeekIndex
from .queries.answers import Start, answer, or_failure
from .queries.pool import Pool
from .queries.query import IndexContents, Query
from .stored_rows import KeptRuns, StoredParts, StoredRows

logger = logging.getLogger(__name__)

AT_ONCE = 1_000
"""So many rows that only need to be sent are answered at once: to hand them over would take longer."""

AT_ONCE_BYTES = 1 << 20
"""So many bytes of rows are an answer to look-ups, which is one message."""

MOST_ROWS, MOST_BYTES = 100_000, 16 << 20
"""The same of look-ups by many keys of a table, which a thread of their own makes."""

MOST_TABLES = 100
"""Of so many tables the parts are known; then that one is forgotten which has been known for the longest time."""


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
        if peek.keys is None and not (index.held <= AT_ONCE and isinstance(wanted, tuple)):
            runs = index.runs(peek.as_of)
            contents = IndexContents.of_runs(peek.index_id, index.schema, runs, errors)
        else:
            if peek.keys is None:
                rows = index.rows(peek.as_of)
            else:
                rows = index.lookup(from_ipc(peek.keys).columns, peek.as_of)
            if len(rows) <= AT_ONCE and isinstance(wanted, tuple):
                self._send(peek, index.schema.project(wanted), rows.select(wanted), errors)
                self._pool.interrupts.forget(peek.peek_id)
                return
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


def looked_up(asked: LookUp, find: Callable[[GlobalId], Index]) -> LookedUp:
    """The answer, with few rows; with none if anything is in the way, of which `submit_index` will say more."""
    try:
        found = _found(asked, find)
    except (KeyError, PtvcError):
        found = None
    except Exception:  # a defect of ours, which is no reason for the replica to end
        logger.exception("a look-up failed")
        found = None
    return LookedUp(asked.peek_id, None) if found is None else found


def _found(asked: LookUp, find: Callable[[GlobalId], Index]) -> LookedUp | None:
    """`find` is asked for the index before and after, while the step thread may be at work: one that fails lets go of its rows."""
    index = find(asked.index_id)
    keys = index.keys_of(asked.keys)
    rows, numbers = index.lookup_each(keys, asked.as_of, asked.columns)
    if len(index.errors(asked.as_of)) or find(asked.index_id) is not index:
        return None
    return _few(asked, index.schema, rows, numbers, AT_ONCE, AT_ONCE_BYTES)


def _few(
    asked: LookUp | LookUpStored,
    schema: Schema,
    rows: Batch,
    numbers: Numbers,
    most: int,
    most_bytes: int,
) -> LookedUp | None:
    """The answer of these rows, with the numbers of their keys; None if it would be a larger one."""
    if len(rows) > most or rows.nbytes > most_bytes:
        return None
    if (rows.diffs != 1).any():
        if (rows.diffs < 1).any() or int(rows.diffs.sum()) > most:
            return None
        rows, numbers = rows.take(np.repeat(np.arange(len(rows)), rows.diffs)), np.repeat(numbers, rows.diffs)
    payload = to_record(schema.project(asked.columns), rows.columns)
    count = len(asked.keys[0])
    if count > AT_ONCE:
        return LookedUp(asked.peek_id, payload)
    return LookedUp(asked.peek_id, payload, tuple(np.bincount(numbers, minlength=count).tolist()))


class StoredLookUps:
    """Tables that are looked up by their keys, as far as this replica was told of their parts.

    `receive` is for one thread.  It answers for few keys that are found in memory and in files; the other look-ups, which may fetch
    blobs, `beside` runs one after the other.
    """

    def __init__(
        self,
        blob: Blob,
        cache: ColumnCache,
        send: Callable[[LookedUp], None],
        beside: Callable[[Callable[[], None]], object],
    ) -> None:
        self._blob = blob
        self._send = send
        self._beside = beside
        self._cache = copy(cache)  # each has one thread
        self._cache_beside = copy(cache)
        self._kept = KeptRuns()
        self._tables: dict[int, StoredRows] = {}

    def receive(self, asked: LookUpStored) -> None:
        """Sends the answer, with few rows or many; with none if anything is in the way."""
        try:
            table = self._changed(asked)
            parts = None if table is None else table.now()
            found = None
            if parts is not None and len(asked.keys[0]) <= AT_ONCE:
                found = parts.lookup_each(asked.keys, asked.as_of, asked.columns, self._cache)
            answer = None
            if parts is not None and found is not None:
                answer = _few(asked, parts.schema, *found, AT_ONCE, AT_ONCE_BYTES)
        except Exception:  # a defect of ours: the query says what it finds
            logger.exception("a look-up in stored rows failed")
            table = None
            self._forget(asked.key)
        if table is None:
            self._send(LookedUp(asked.peek_id, None, forgotten=True))
        elif parts is None or found is not None:
            self._send(answer or LookedUp(asked.peek_id, None))
        else:
            self._beside(partial(self._look_up_beside, asked, parts))

    def _look_up_beside(self, asked: LookUpStored, parts: StoredParts) -> None:
        answer = None
        try:
            found = parts.lookup_each(asked.keys, asked.as_of, asked.columns, self._cache_beside, self._blob)
            if found is not None:
                answer = _few(asked, parts.schema, *found, MOST_ROWS, MOST_BYTES)
        except PtvcError as error:  # the query tries again, and says what is wrong
            logger.warning("a look-up cannot read what is stored: %s", error)
        except Exception:
            logger.exception("a look-up in stored rows failed")
        with suppress(ConnectionError):  # the coordinator is gone, and this replica with it
            self._send(answer or LookedUp(asked.peek_id, None))

    def _changed(self, asked: LookUpStored) -> StoredRows | None:
        """The table with the parts that it has now; None if those before are not known here."""
        change = asked.change
        if change is not None and change.begin is not None:
            self._forget(asked.key)
            if len(self._tables) >= MOST_TABLES:
                self._forget(next(iter(self._tables)))
            self._tables[asked.key] = StoredRows(*change.begin, self._kept)
        table = self._tables.get(asked.key)
        if table is not None and change is not None:
            table.change(change)
        return table

    def _forget(self, key: int) -> None:
        if (table := self._tables.pop(key, None)) is not None:
            table.forget()
