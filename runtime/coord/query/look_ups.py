"""Look-ups through an index, by a key of a table, or by columns of a view; those of several clients together.

```
look-up ──┐
look-up ──┼── waiting, by replica, index and columns ── one LookUp at a time ── LookedUp ── to each its rows
look-up ──┘
```

What asks while an answer is under way goes with the next message: one client waits for nothing, and for many a replica does in one
probe what would be as many.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import pyarrow as pa

from ...expr.tree.relation import GlobalId
from ...replica.protocol import LookedUp, LookUp, LookUpStored, LookUpView, StoredChange
from ...repr.batch import from_record
from ...repr.schema import Schema
from ..catalog.items import Index
from ..controller.replicas import ReplicaClient
from ..results.results import Columns
from ..storage.collections import Collections
from ..storage.expectation import KeyId
from .key_choice import MOST_TOGETHER, TableKey, ViewColumns

MOST_TABLES = 100
"""A replica is told of the parts of so many tables, and views."""

Of = Index | TableKey | ViewColumns
"""By what rows are looked up."""

Keys = tuple[list[Any] | pa.Array, ...]
"""The values of all keys that are looked up, for each of the index's columns of keys: lists, or arrays of more than MOST_TOGETHER."""


@dataclass(frozen=True, slots=True)
class _Request:
    keys: Keys
    time: int
    answer: asyncio.Future[Columns | None]


class LookUps:
    """On the event loop."""

    def __init__(self, collections: Collections) -> None:
        self._collections = collections
        self._queues: dict[tuple[str, GlobalId | TableKey | ViewColumns, tuple[int, ...]], _Queue] = {}

    async def rows(
        self,
        replica: ReplicaClient,
        by: Of,
        schema: Schema,
        columns: tuple[int, ...],
        keys: Keys,
        time: int,
    ) -> Columns | None:
        """These columns, of `schema`, of the rows of the keys at `time`, at which the replica has the index, or has computed the view, or
        which is held: each as often as it occurs.

        None: they cannot be had like this, and whoever asks in another way will hear why.  At least one column; of an index or a view at
        most MOST_TOGETHER keys.
        """
        of = by if isinstance(by, TableKey | ViewColumns) else by.id
        name = (replica.id, of, columns)
        queue = self._queues.get(name)
        if queue is None or len(keys[0]) > MOST_TOGETHER:
            queue = _Queue(replica, of, schema, columns, self._collections)
            if len(keys[0]) <= MOST_TOGETHER:  # who asks for many keys holds nobody up
                self._queues[name] = queue
        request = _Request(keys, time, asyncio.get_running_loop().create_future())
        queue.add(request)
        try:
            return await request.answer
        finally:
            if queue.idle and self._queues.get(name) is queue:
                del self._queues[name]


class _Queue:
    """Requests for the same columns of an index of a replica; of one message the answer is under way at most."""

    def __init__(
        self,
        replica: ReplicaClient,
        of: GlobalId | TableKey | ViewColumns,
        schema: Schema,
        columns: tuple[int, ...],
        collections: Collections,
    ) -> None:
        self._replica = replica
        self._of = of
        self._schema = schema
        self._columns = columns
        self._collections = collections
        self._waiting: list[_Request] = []
        self._under_way: list[_Request] = []

    @property
    def idle(self) -> bool:
        return not self._waiting and not self._under_way

    def add(self, request: _Request) -> None:
        self._waiting.append(request)
        if not self._under_way:
            self._send()

    def _send(self) -> None:
        """Those at the time of the first one; the others wait for the next message."""
        waiting = [request for request in self._waiting if not request.answer.done()]
        taken: list[_Request] = []
        self._waiting = []
        left = MOST_TOGETHER
        for request in waiting:
            fits = not taken or (request.time == taken[0].time and len(request.keys[0]) <= left)
            if fits:
                taken.append(request)
                left -= len(request.keys[0])
            else:
                self._waiting.append(request)
        if taken:
            self._under_way = taken
            self._replica.look_up(self._asked, self._answered)

    def _asked(self, peek_id: int) -> LookUp | LookUpStored | LookUpView:
        keys = _together([request.keys for request in self._under_way])
        columns, time = self._columns, self._under_way[0].time
        match self._of:
            case TableKey() as key:
                change = self._change(key.table, key.oid, key.columns)
                return LookUpStored(peek_id, key.oid, keys, columns, time, change)
            case ViewColumns(view=view, columns=by):
                change = self._change(view, view, ())
                shard, durable = "", 0  # of one that was dropped there is nothing
                if view in self._collections:
                    # All below what is promised is in the parts, as nothing comes between that and what they say.
                    shard = self._collections[view].shard
                    durable = max(self._replica.told[view].upper, self._collections[view].upper)
                return LookUpView(peek_id, view, shard, durable, by, keys, columns, time, change)
            case index:
                return LookUp(peek_id, index, keys, columns, time)

    def _change(self, id: GlobalId, name: KeyId | GlobalId, by: tuple[int, ...]) -> StoredChange | None:
        """What the replica is yet to be told of the parts of the table or view.  One that was dropped has none any more."""
        if id not in self._collections:
            return None
        told = self._replica.told
        if name not in told:
            if len(told) >= MOST_TABLES:
                del told[next(iter(told))]
            told[name] = self._collections.told_parts()
        collection = self._collections[id]
        return told[name].change(collection.shard, collection.schema, by)

    def _answered(self, answer: LookedUp | None) -> None:
        if answer is not None and answer.forgotten:
            match self._of:
                case TableKey(oid=name) | ViewColumns(view=name):
                    self._replica.told.pop(name, None)
        asked, self._under_way = self._under_way, []
        if answer is None or answer.rows is None:
            for request in asked:
                if not request.answer.done():
                    request.answer.set_result(None)
        else:
            columns = from_record(self._schema, answer.rows)
            if len(asked) == 1:
                if not asked[0].answer.done():
                    asked[0].answer.set_result(columns)
            else:
                _divide(asked, columns, answer.counts)
        if self._waiting:
            self._send()


def _divide(requests: Sequence[_Request], columns: Columns, counts: Sequence[int]) -> None:
    """To each its rows; each key has so many."""
    key = row = 0
    for request in requests:
        number = len(request.keys[0])
        count = sum(counts[key : key + number])
        if not request.answer.done():
            request.answer.set_result(tuple(column.slice(row, count) for column in columns))
        key, row = key + number, row + count


def listed(keys: Sequence[pa.Array]) -> Keys | None:
    """Columns of keys as lists; None for instants and dates that Python does not know."""
    try:
        return tuple(column.to_pylist() for column in keys)
    except (OverflowError, ValueError):
        return None


def _together(keys: Sequence[Keys]) -> Keys:
    if len(keys) == 1:
        return keys[0]
    return tuple(list(chain.from_iterable(columns)) for columns in zip(*keys, strict=True))
