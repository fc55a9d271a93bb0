"""Look-ups by the keys of tables: few keys by the thread that reads messages, many, or with blobs to fetch, by one beside it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from copy import copy
from functools import partial

from ...errors import PtvcError
from ...persist.blob.base import Blob
from ...persist.column_cache import ColumnCache
from ..protocol import LookedUp, LookUpStored
from .answers import AT_ONCE, AT_ONCE_BYTES, few
from .stored_rows import KeptRuns, StoredParts, StoredRows

logger = logging.getLogger(__name__)

MOST_ROWS, MOST_BYTES = 100_000, 16 << 20
"""So large is an answer to look-ups by many keys of a table, which a thread of their own makes."""

MOST_TABLES = 100
"""Of so many tables the parts are known; then that one is forgotten which has been known for the longest time."""


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
                answer = few(asked, parts.schema, *found, AT_ONCE, AT_ONCE_BYTES)
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
                answer = few(asked, parts.schema, *found, MOST_ROWS, MOST_BYTES)
        except PtvcError as error:  # the query tries again, and says what is wrong
            logger.warning("a look-up cannot read what is stored: %s", error)
        except Exception:
            logger.exception("a look-up in stored rows failed")
        with suppress(ConnectionError):  # the coordinator is gone, and this replica with it
            self._send(answer or LookedUp(asked.peek_id, None))
        try:
            self._kept.gather(parts)  # those that come next find less to look through
        except Exception:
            logger.exception("the small parts of a table cannot be put together")

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
