"""INSERT, UPDATE, DELETE, MERGE, TRUNCATE and COPY FROM: statements to encoded changes in the transaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa

from ...errors import DroppedMeanwhile, SerializationFailure, UniqueViolation
from ...expr.tree.relation import Get, GlobalId, Relation
from ...expr.tree.relation_tree import dependencies, walk
from ...repr.batch import Batch, concat_batches
from ...repr.buffers import Words
from ...repr.consolidate import consolidate_in_order
from ...repr.multiplicity import check_written
from ...repr.order import hash_order
from ...sql.plans.data_plans import CopyFrom, Delete, Insert, Merge, OnConflict, Returning, Truncate, Update
from ...sql.syntax.constraints import Constraint
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.items import Computed, Table
from ..catalog.views import expand
from ..query.key_choice import read_keys
from ..query.peeks import Peeks
from ..query.read_context import ReadContext
from ..query.result_rows import repeat
from ..results.results import Columns, Command, Rows
from ..storage.expectation import Expected, KeyId
from ..storage.key_counts import Counts, KeyCounts
from ..storage.parts import WrittenPart
from ..storage.storage import Storage
from ..storage.unique_keys import KeysTaken, key_changes
from ..thread_pool import over_rows
from ..transaction.transaction import Transaction
from .key_lookup import check_duplicates, duplicate, not_unique
from .merges import merged
from .row_checks import check_rows, computed
from .upserts import in_order, upserted

COPY_BYTES = 16 << 20
"""So many bytes of rows, in Arrow, are a part of what is copied in."""


class Writes:
    def __init__(self, storage: Storage, catalog: Catalog, peeks: Peeks) -> None:
        self._storage = storage
        self._catalog = catalog
        self._peeks = peeks
        self._unique = storage.unique

    async def insert(self, plan: Insert, context: ReadContext, transaction: Transaction) -> Command | Rows:
        item = context.catalog.get_as(plan.table, Table)
        rows = await self.read(plan.relation, context, transaction, item)
        if plan.conflict is not None:
            return await self._upsert(item, plan, plan.conflict, rows, context, transaction)

        def checked() -> Batch:
            new = in_order(rows, len(item.schema)) if plan.numbered else rows
            check_rows(item, new)
            return new

        new = await over_rows(len(rows), checked)
        await self._change(item, new, context, transaction)
        return await self._answer("INSERT 0", plan.returning, new)

    async def _upsert(
        self,
        item: Table,
        plan: Insert,
        conflict: OnConflict,
        rows: Batch,
        context: ReadContext,
        transaction: Transaction,
    ) -> Command | Rows:
        arbiters = [constraint for constraint in item.constraints if constraint.name in conflict.arbiters]
        await self._ready(item, arbiters)

        async def known(constraint: Constraint, hashes: Words) -> Counts:
            counted = [self._committed(item, constraint)]
            if (own := transaction.keys.get(constraint.oid)) is not None:
                counted.append(own)
            return await over_rows(len(hashes), lambda: _total(counted, hashes))

        def read(relation: Relation) -> Awaitable[Batch]:
            return self.read(relation, context, transaction, item)

        transaction.upserted.update(constraint.oid for constraint in arbiters)
        changes, written = await upserted(item, conflict, arbiters, rows, known, read)
        try:
            await self._change(item, changes, context, transaction)
        except UniqueViolation as violation:
            if violation.about is not None and violation.about.constraint in conflict.arbiters:
                raise SerializationFailure() from None  # it was not there when it was looked for
            raise
        return await self._answer("INSERT 0", plan.returning, written)

    async def merge(self, plan: Merge, context: ReadContext, transaction: Transaction) -> Command:
        item = context.catalog.get_as(plan.table, Table)
        rows = await self.read(plan.relation, context, transaction, item)
        changes, new, count = await merged(
            item, rows, lambda relation: self.read(relation, context, transaction, item)
        )
        await over_rows(len(new), lambda: check_rows(item, new))
        await self._change(item, changes, context, transaction)
        return Command(f"MERGE {count}")

    async def delete(self, plan: Delete, context: ReadContext, transaction: Transaction) -> Command | Rows:
        item = context.catalog.get_as(plan.table, Table)
        rows = await self.read(plan.relation, context, transaction, item)
        await self._change(item, rows.negate(), context, transaction)
        return await self._answer("DELETE", plan.returning, rows)

    async def update(self, plan: Update, context: ReadContext, transaction: Transaction) -> Command | Rows:
        item = context.catalog.get_as(plan.table, Table)
        rows = await self.read(plan.relation, context, transaction, item)
        width = len(item.schema)
        old = rows.select(range(width))
        new = rows.select(range(width, 2 * width))

        def checked() -> Batch:
            changes = consolidate_in_order(concat_batches(item.schema, [old.negate(), new]))
            check_rows(item, new)
            return changes

        changes = await over_rows(len(rows), checked)
        await self._change(item, changes, context, transaction)
        return await self._answer("UPDATE", plan.returning, new)

    async def truncate(self, plan: Truncate, context: ReadContext, transaction: Transaction) -> Command:
        for item in [context.catalog.get_as(table, Table) for table in plan.tables]:
            rows = await self.read(item.contents, context, transaction, item)
            await self._change(item, rows.negate(), context, transaction)
        return Command("TRUNCATE TABLE")

    async def copy_from(
        self, plan: CopyFrom, chunks: AsyncIterator[Columns], context: ReadContext, transaction: Transaction
    ) -> Command:
        """Encodes as many chunks together as make a part of COPY_BYTES, so that a load of any size takes little memory, and whoever
        reads it opens few parts."""
        item = context.catalog.find_by_id(plan.table)
        if item is None:
            raise DroppedMeanwhile("the relation was dropped while it was written")
        assert isinstance(item, Table)
        if len(plan.defaults.keys() | set(plan.columns)) != len(item.schema):
            raise SerializationFailure("The table was altered meanwhile; run the statement again.")
        total = held = 0
        waiting: list[Batch] = []

        async def write() -> None:
            batches, waiting[:] = list(waiting), []
            together = partial(concat_batches, item.schema, batches)
            rows = await over_rows(sum(map(len, batches)), together) if len(batches) > 1 else batches[0]
            await self._change(item, rows, context, transaction)

        async for chunk in chunks:
            count = max((len(column) for column in chunk if column is not None), default=0)
            if count:
                rows = await over_rows(count, partial(_copied, item, plan, chunk, total, count))
                waiting.append(rows)
                total += count
                held += rows.nbytes
                if held >= COPY_BYTES:
                    await write()
                    held = 0
        if waiting:
            await write()
        return Command(f"COPY {total}")

    async def read(
        self, relation: Relation, context: ReadContext, transaction: Transaction, into: Table | None
    ) -> Batch:
        """The rows that a statement writes to a table or deletes there, or (None) judges a definition by, and a note of what they were
        computed from.

        No note of what goes to a table that others do not see: nobody can tell by it that something else was written later.
        """
        time = self._peeks.read_time(context)
        reads = _inputs([relation], context.catalog)
        if reads and transaction.time is None and not transaction.single:
            transaction.fix_time(time, self._peeks.hold)
        rows = await self._peeks.collect(relation, self._peeks.at(context, time))
        if into is None or self._is_seen_by_others(into):
            keys = _keys(relation, context.catalog)
            transaction.read_for_write(
                {id_: Expected(time, keys.get(id_)) for id_ in reads if id_ in self._storage.collections}
            )
        return rows

    def _is_seen_by_others(self, table: Table) -> bool:
        """Not one of the session's own, nor one that the block has made."""
        return not table.temporary and self._catalog.find_by_id(table.id) is not None

    async def _change(
        self, item: Table, changes: Batch, context: ReadContext, transaction: Transaction
    ) -> None:
        """Notes what the statement changes, of the item as it was when the statement began; 23505 if two rows would have one key, as far as is known before the
        commit."""
        keys = [constraint for constraint in item.constraints if constraint.is_key and len(changes)]
        if keys:
            await self._ready(item, keys)
        check_written(changes.diffs)
        encoding = asyncio.create_task(self._encoded(item, changes))
        try:
            counted = [await self._counted(item, constraint, changes, transaction) for constraint in keys]
            parts = await encoding
        finally:
            encoding.cancel()
        transaction.add(item.id, parts)
        if transaction.shapes.setdefault(item.id, item.shape) != item.shape:
            raise SerializationFailure("A table was altered meanwhile; run the transaction again.")
        for constraint, (own, repeated) in zip(keys, counted, strict=True):
            transaction.keys[constraint.oid] = own
            if len(repeated):
                await self._check_duplicates(item, constraint, repeated, context, transaction)

    async def _counted(
        self, item: Table, constraint: Constraint, changes: Batch, transaction: Transaction
    ) -> tuple[KeyCounts, Words]:
        """The keys that the transaction has changed with these; and the hashes that more than one row has then."""
        own = transaction.keys.get(constraint.oid, KeyCounts(zeros=True)).copy()
        count = partial(_count, item, constraint, changes, own, self._committed(item, constraint))
        return own, await over_rows(len(changes), count)

    async def verify(
        self, taken: KeysTaken, context: ReadContext, transaction: Transaction
    ) -> tuple[GlobalId, int]:
        """Looks at the rows of keys that a commit has found taken: 23505 (40001 behind an ON CONFLICT) if they are.

        Otherwise their hashes only collide: returns the table and the time at which that was so.
        """
        for table in transaction.writes:
            item = context.catalog.find_by_id(table)
            if not isinstance(item, Table):
                continue
            for constraint in item.constraints:
                if constraint.oid == taken.key:
                    try:
                        time = await self._check_duplicates(
                            item, constraint, taken.hashes, context, transaction
                        )
                    except UniqueViolation:
                        if taken.key in transaction.upserted:
                            raise SerializationFailure() from None
                        raise
                    return table, time
        raise SerializationFailure()

    async def _check_duplicates(
        self,
        item: Table,
        constraint: Constraint,
        hashes: Words,
        context: ReadContext,
        transaction: Transaction,
    ) -> int:
        latest = self._peeks.latest(context)
        assert latest.time is not None
        own = await self._storage.decode(transaction.writes.get(item.id, ()), item.stored_schema)
        own = own.with_columns(item.layout.visible(own.columns))
        await check_duplicates(
            lambda relation: self._peeks.collect(relation, latest), item, constraint, own, hashes
        )
        return latest.time

    async def _ready(self, item: Table, keys: list[Constraint]) -> None:
        """Returns once it is known which keys everybody's rows have, as far as they are keys for everybody."""
        known = self._catalog.find_by_id(item.id)
        if isinstance(known, Table):
            oids = {constraint.oid for constraint in keys}
            await self._unique.ready(known, [c for c in known.constraints if c.oid in oids])

    def _committed(self, item: Table, constraint: Constraint) -> KeyCounts:
        """The keys of everybody's rows as they are now.  A table, or a key, that a block has created is the block's alone."""
        known = self._catalog.find_by_id(item.id)
        if not isinstance(known, Table) or all(constraint.oid != other.oid for other in known.constraints):
            return KeyCounts()
        return self._unique.counts(constraint.oid)

    async def add_key(
        self, old: Table, new: Table, constraint: Constraint, context: ReadContext, transaction: Transaction
    ) -> None:
        """Raises 23505 if rows that the block sees are of one key.  All of them count as the block's from then on: with a
        write of somebody else it does not commit."""
        catalog = context.catalog.fork([Change(old, new)])
        rows = await self.read(new.contents, replace(context, catalog=catalog), transaction, new)

        def counted() -> KeyCounts:
            if (found := duplicate(new, constraint, rows)) is not None:
                raise not_unique(new, constraint, rows, found)
            counts = KeyCounts(zeros=True)
            counts.add(*key_changes(new, constraint, rows))
            return counts

        transaction.keys[constraint.oid] = await over_rows(len(rows), counted)

    def valid(self, transaction: Transaction) -> bool:
        """Whether the tables still have the definitions that the transaction's rows were made for."""
        catalog = transaction.own.catalog if transaction.own is not None else self._catalog
        for table, shape in transaction.shapes.items():
            item = catalog.find_by_id(table)
            if not isinstance(item, Table) or item.shape != shape:
                return False
        return True

    async def _encoded(self, item: Table, rows: Batch) -> tuple[WrittenPart, ...]:
        """Times are open: the commit gives them."""
        stored = rows.with_columns(item.layout.as_stored(rows.columns, len(rows)))
        return await self._storage.encode(item.shard, item.physical, stored)

    async def _answer(self, tag: str, returning: Returning | None, rows: Batch) -> Command | Rows:
        count = int(rows.diffs.sum())
        if returning is None:
            return Command(f"{tag} {count}")
        scalars = returning.scalars

        def shown() -> Columns:
            written = repeat(rows)
            return tuple(computed(scalar, written, count) for scalar in scalars)

        columns = await over_rows(count, shown)

        async def chunks() -> AsyncIterator[Columns]:
            yield columns

        return Rows(returning.schema, chunks(), tag)


def _rows(columns: Columns, count: int) -> Batch:
    return Batch(columns, np.zeros(count, np.uint64), np.ones(count, np.int64))


def _copied(item: Table, plan: CopyFrom, chunk: Sequence[pa.Array | None], first: int, count: int) -> Batch:
    """The rows that COPY was given, with the defaults of the columns that it does not name, which are over the rows' numbers,
    from `first` on."""
    numbers = (pa.array(np.arange(first, first + count)),)
    given = zip(plan.columns, chunk, strict=True)
    columns = {position: column for position, column in given if column is not None}
    for position, default in plan.defaults.items():
        if position not in columns:
            columns[position] = computed(default, numbers, count)
    ordered = tuple(
        columns[i] if i in columns else pa.nulls(count, column.type.arrow)
        for i, column in enumerate(item.schema)
    )
    rows = _rows(ordered, count)
    check_rows(item, rows)
    return rows


def _count(
    item: Table, constraint: Constraint, changes: Batch, own: KeyCounts, committed: KeyCounts
) -> Words:
    """Adds the keys of the changes to `own`; the hashes among them that more than one row has then."""
    free = not own or own.free_beside == committed.version
    hashes, diffs = key_changes(item, constraint, changes)
    order = hash_order(hashes)  # once, not for each look into counts
    hashes, diffs = hashes[order], diffs[order]
    own.add(hashes, diffs)
    added = hashes[diffs > 0]
    repeated = added[_total([own, committed], added) > 1]
    if free and not len(repeated):
        own.free_beside = committed.version
    return repeated


def _total(counted: Sequence[KeyCounts], hashes: Words) -> Counts:
    """How often each of the hashes occurs in all of them."""
    return sum((counts.of(hashes) for counts in counted), np.zeros(len(hashes), np.int32))


def _keys(relation: Relation, catalog: Catalog) -> Mapping[GlobalId, Mapping[KeyId, Words]]:
    """The tables of which the relation reads the rows of some keys only, and not the whole by way of a view."""
    keys = read_keys(relation, catalog)
    if not keys:
        return keys
    views = [
        node
        for node in walk(relation)
        if isinstance(node, Get) and not isinstance(catalog.find_by_id(node.id), Table)
    ]
    whole = _inputs(views, catalog)
    return {id_: hashes for id_, hashes in keys.items() if id_ not in whole}


def _inputs(relations: Iterable[Relation], catalog: Catalog) -> set[GlobalId]:
    """The stored collections that the relations depend on, by way of materialized views as well: a view that has not changed
    since it was read may only be late."""
    found: set[GlobalId] = set()
    pending = list(relations)
    while pending:
        for id_ in dependencies(expand(pending.pop(), catalog)) - found:
            if (item := catalog.find_by_id(id_)) is not None:
                found.add(id_)
                if isinstance(item, Computed):
                    pending.append(item.relation)
    return found
