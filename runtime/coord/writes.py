"""INSERT, UPDATE, DELETE, TRUNCATE and COPY FROM: statements to encoded changes in the transaction."""

from __future__ import annotations

from collections.abc import AsyncIterator

import numpy as np
import pyarrow as pa

from ..errors import NotNullViolation, PtvcError
from ..expr.evaluate import evaluate
from ..expr.relation import Get, GlobalId, Relation, dependencies
from ..expr.scalar import Scalar
from ..persist.client import PersistClient
from ..persist.write import write_parts
from ..repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ..repr.consolidate import consolidate
from ..sql.plans import CopyFrom, Delete, Insert, ItemKind, Returning, Truncate, Update
from .catalog import Catalog, Item
from .collections import Collections
from .peeks import Peeks, ReadContext, repeat
from .results import Columns, Command, Rows
from .transaction import Transaction
from .views import expand


class Writes:
    def __init__(
        self, persist: PersistClient, catalog: Catalog, collections: Collections, peeks: Peeks
    ) -> None:
        self._persist = persist
        self._catalog = catalog
        self._collections = collections
        self._peeks = peeks

    async def insert(self, plan: Insert, context: ReadContext, transaction: Transaction) -> Command | Rows:
        rows = await self._read(plan.relation, context, transaction)
        self._add(plan.table, rows, transaction)
        return self._answer("INSERT 0", plan.returning, rows)

    async def delete(self, plan: Delete, context: ReadContext, transaction: Transaction) -> Command | Rows:
        rows = await self._read(plan.relation, context, transaction)
        self._add(plan.table, rows.negate(), transaction)
        return self._answer("DELETE", plan.returning, rows)

    async def update(self, plan: Update, context: ReadContext, transaction: Transaction) -> Command | Rows:
        rows = await self._read(plan.relation, context, transaction)
        schema = self._catalog.get(plan.table).schema
        width = len(schema)
        old = rows.select(range(width))
        new = rows.select(range(width, 2 * width))
        changes = consolidate(concat_batches(schema, [old.negate(), new]))
        self._check_not_null(self._catalog.get(plan.table), new)
        self._encode(plan.table, changes, transaction)
        return self._answer("UPDATE", plan.returning, new)

    async def truncate(self, plan: Truncate, context: ReadContext, transaction: Transaction) -> Command:
        for table in plan.tables:
            relation = Get(table, self._catalog.get(table).schema)
            rows = await self._read(relation, context, transaction)
            self._add(table, rows.negate(), transaction)
        return Command("TRUNCATE TABLE")

    async def copy_from(
        self, plan: CopyFrom, chunks: AsyncIterator[Columns], transaction: Transaction
    ) -> Command:
        """Encodes chunk by chunk, so that a load of any size takes little memory."""
        item = self._catalog.get(plan.table)
        total = 0
        async for chunk in chunks:
            count = len(chunk[0]) if chunk else 0
            if not count:
                continue
            columns = dict(zip(plan.columns, chunk, strict=True))
            for position, default in plan.defaults.items():
                columns[position] = _computed(default, (), count)
            ordered = tuple(
                columns[i] if i in columns else pa.nulls(count, column.type.arrow)
                for i, column in enumerate(item.schema)
            )
            self._add(plan.table, _rows(ordered, count), transaction)
            total += count
        return Command(f"COPY {total}")

    async def _read(self, relation: Relation, context: ReadContext, transaction: Transaction) -> Batch:
        """The rows that a statement writes or deletes, and a note of what they were computed from."""
        time = self._peeks.read_time(context)
        reads = self._inputs(relation)
        if reads and transaction.time is None and not transaction.single:
            transaction.fix_time(time, self._peeks.hold)
        fixed = ReadContext(context.cluster, time, context.overlay, context.system_rows)
        rows = await self._peeks.collect(relation, fixed)
        transaction.read_for_write({i for i in reads if i in self._collections}, time)
        return rows

    def _inputs(self, relation: Relation) -> set[GlobalId]:
        """The stored collections that the relation depends on, by way of materialized views as well: a view that has
        not changed since it was read may only be late."""
        found: set[GlobalId] = set()
        pending = [relation]
        while pending:
            for id_ in dependencies(expand(pending.pop(), self._catalog)) - found:
                if (item := self._catalog.find_by_id(id_)) is not None:
                    found.add(id_)
                    if item.relation is not None:
                        pending.append(item.relation)
        return found

    def _add(self, table: GlobalId, rows: Batch, transaction: Transaction) -> None:
        item = self._catalog.get(table)
        self._check_not_null(item, rows)
        self._encode(table, rows, transaction)

    def _encode(self, table: GlobalId, rows: Batch, transaction: Transaction) -> None:
        """Times are open: the commit gives them."""
        item = self._catalog.get(table)
        if item.kind is not ItemKind.TABLE or item.shard is None:
            raise PtvcError(f'cannot change {item.kind.value} "{item.name}"', sqlstate="42809")
        untimed = Batch(rows.columns, np.zeros(len(rows), np.uint64), rows.diffs)
        parts = write_parts(
            self._persist.blob,
            item.shard,
            item.schema,
            Delta(untimed, NO_ERRORS),
            writer=self._persist.writer_id,
        )
        transaction.add(table, parts)

    def _check_not_null(self, item: Item, rows: Batch) -> None:
        if not len(rows) or rows.diffs[0] < 0:
            return
        for column, values in zip(item.schema, rows.columns, strict=True):
            if not column.nullable and values.null_count:
                raise NotNullViolation(
                    f'null value in column "{column.name}" of relation "{item.name}" violates not-null constraint'
                )

    def _answer(self, tag: str, returning: Returning | None, rows: Batch) -> Command | Rows:
        count = int(rows.diffs.sum())
        if returning is None:
            return Command(f"{tag} {count}")
        written = repeat(rows)
        columns = tuple(_computed(scalar, written, count) for scalar in returning.scalars)

        async def chunks() -> AsyncIterator[Columns]:
            yield columns

        return Rows(returning.schema, chunks(), tag)


def _rows(columns: Columns, count: int) -> Batch:
    return Batch(columns, np.zeros(count, np.uint64), np.ones(count, np.int64))


def _computed(scalar: Scalar, columns: Columns, count: int) -> pa.Array:
    result = evaluate(scalar, columns, count)
    if result.errors is not None and len(result.errors.indices):
        raise PtvcError(result.errors.messages[0].as_py(), sqlstate=result.errors.sqlstates[0].as_py())
    return result.values
