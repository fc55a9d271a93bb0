"""Queries over few rows of tables, found by their keys: the rows are looked up in a replica, and the rest is computed here.

A replica looks up more quickly than it hands a query over to one of its processes, and what is left to do on few rows is less than that.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from ...compute.oneshot import evaluate_in_order
from ...expr.cost import is_cheap_over
from ...expr.tree.relation import Get, GlobalId, Relation
from ...expr.tree.relation_tree import scalars_of, walk
from ...expr.tree.scalar import calls_external
from ...repr.batch import Batch, concat_batches
from ...repr.consolidate import consolidate_in_order
from ...repr.order import sql_ranks
from ...repr.schema import Schema
from ...transform.narrow_reads import narrow_reads
from ..controller.replicas import ReplicaClient
from ..storage.parts import WrittenPart, row_count
from ..storage.storage import Storage
from ..thread_pool import FEW_ROWS, SOME_ROWS, over_rows
from .fixed_values import MOST_KEYS
from .key_choice import MOST_TOGETHER, KeyRead, without_told
from .look_ups import Keys, LookUps, listed

MOST_PARTS = 64
"""Of a transaction that has written more parts, a process of the replica reads them: it does not read them again for each statement."""


class KeyedRows:
    def __init__(self, storage: Storage, look_ups: LookUps) -> None:
        self._storage = storage
        self._look_ups = look_ups

    async def evaluated(
        self,
        relation: Relation,
        reads: Mapping[GlobalId, KeyRead],
        written: Mapping[GlobalId, tuple[WrittenPart, ...]],
        replica: ReplicaClient,
        time: int,
    ) -> Batch | None:
        """The rows of `relation`, which reads nothing but what `reads` says, with what the transaction has `written`.  None where a process
        of a replica is to answer: for many rows, or an error.  There `are_few` keys."""
        own = [written[id_] for id_ in reads if id_ in written]
        if any(len(parts) > MOST_PARTS or row_count(parts) > FEW_ROWS for parts in own):
            return None
        if any(calls_external(scalar) for node in walk(relation) for scalar in scalars_of(node)):
            return None
        relation = without_told(relation, {id_: read for id_, read in reads.items() if id_ not in written})
        widths = {node.id: len(node.schema) for node in walk(relation) if isinstance(node, Get)}
        relation, columns = narrow_reads(relation)
        inputs = {}
        for id_, read in reads.items():
            if id_ not in self._storage.collections:
                return None
            stored = self._storage.collections[id_].schema
            places = columns.get(id_, tuple(range(widths[id_])))
            found = await self._found(read, stored, places, written.get(id_, ()), replica, time)
            if found is None:
                return None
            inputs[id_] = found
        count = sum(map(len, inputs.values()))
        longest = max((rows.nbytes for rows in inputs.values()), default=0)
        if not is_cheap_over(relation, count, longest):
            return None
        few = SOME_ROWS if isinstance(relation, Get) else FEW_ROWS
        result = await over_rows(count, lambda: evaluate_in_order(relation, inputs, time), few)
        return None if len(result.errs) else result.oks

    async def _found(
        self,
        read: KeyRead,
        stored: Schema,
        places: tuple[int, ...],
        written: tuple[WrittenPart, ...],
        replica: ReplicaClient,
        time: int,
    ) -> Batch | None:
        """These columns of everybody's rows of the keys, and of all rows that the transaction has written: a filter is yet to come."""
        count = len(read.values[0])
        integers = all(pa.types.is_integer(column.type) for column in read.values)
        keys = await over_rows(count, lambda: _keys(read.values), SOME_ROWS if integers else FEW_ROWS)
        if keys is None or (written and not places):
            return None
        asked = places or read.key.columns[:1]  # rows of no columns are counted
        columns = await self._look_ups.rows(replica, read.key, stored.project(asked), asked, keys, time)
        if columns is None:
            return None
        count = len(columns[0])
        schema = stored.project(places)
        rows = Batch(columns[: len(places)], np.zeros(count, np.uint64), np.ones(count, np.int64))
        if not written:
            return rows
        own = (await self._storage.decode(written, stored)).select(places)
        own = Batch(own.columns, np.zeros(len(own), np.uint64), own.diffs)
        return consolidate_in_order(concat_batches(schema, [rows, own]))


def are_few(reads: Mapping[GlobalId, KeyRead]) -> bool:
    """Whether there are keys, and not more than are looked up at once."""
    return 0 < sum(len(read.values[0]) for read in reads.values()) <= MOST_KEYS


def _keys(values: tuple[pa.Array, ...]) -> Keys | None:
    """In their order; those that go alone as arrays."""
    ordered = _ascending(values)
    return ordered if len(ordered[0]) > MOST_TOGETHER else listed(ordered)


def _ascending(keys: tuple[pa.Array, ...]) -> tuple[pa.Array, ...]:
    """Rows come in the order of their keys, which is most often that in which they were inserted."""
    if len(keys[0]) == 1 or (len(keys) == 1 and pa.types.is_integer(keys[0].type)):
        return keys  # fixed integers come in their order
    order = pa.array(np.lexsort([sql_ranks(column) for column in reversed(keys)]))
    return tuple(column.take(order) for column in keys)
