"""Reading: a relation at a time, by the cheapest way there is.

constants and catalog relations, if it is cheap, and counts of whole collections -> computed here | an index -> looked up in a
replica's memory | a large input -> a Spark job | anything else -> a one-off dataflow in a replica, over snapshots

`Overlay` adds the transaction's own writes to the tables that it reads.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from ...compute.oneshot import evaluate_once
from ...errors import DroppedMeanwhile, ObjectNotReady, PtvcError, ReplicaLost
from ...expr.cost import is_computed_here
from ...expr.temporal import at_time, finds_now
from ...expr.tree.relation import Finishing, Get, GlobalId, OrderBy, Relation, TopK
from ...expr.tree.relation_tree import dependencies, walk
from ...replica.protocol import Import, Peek, PeekIndex, encode
from ...repr.batch import Batch, concat_batches, from_ipc, to_ipc
from ...repr.consolidate import advance, consolidate_in_order
from ...repr.schema import Column, Schema
from ...retry import Backoff, Pauses
from ...sql.plans.query_plans import Select
from ...transform.narrow_reads import narrow_reads
from ...transform.pipeline import optimize
from ..catalog.catalog import Catalog
from ..catalog.items import Table
from ..catalog.system_items import is_system
from ..catalog.unaltered import check_columns
from ..catalog.views import expand, expand_unbuilt, own_writes_show
from ..controller import Controller
from ..controller.query_jobs import QueryJobs
from ..controller.replicas import ReplicaClient
from ..results.results import Columns, TaskFiles
from ..storage.part_choice import Conditions, filtered_reads, part_conditions
from ..storage.parts import known_count, row_count
from ..storage.storage import Storage
from ..thread_pool import EVALUATION, FEW_ROWS, PLANNING, over_rows, release_rows
from .changes_reads import changes_in, check_size, without_changes
from .computed_rows import ComputedRows
from .counted_rows import with_counts
from .index_choice import IndexRead, choose_index
from .key_choice import MOST_TOGETHER, TableKey, ViewColumns, key_reads
from .keyed_rows import KeyedRows, are_few
from .look_up_plan import LookUpPlan
from .look_ups import Keys, LookUps, listed
from .read_context import ReadContext
from .read_times import ReadTimes
from .result_rows import OrderedRows, repeat
from .row_errors import explain
from .system_reads import (
    CatalogQueries,
    inputs_of,
    trivial_rows,
    with_catalogs,
    with_system_rows,
)

ASK_AGAIN = Backoff(first_s=0.05, longest_s=2.0, attempts=10)
"""Of a query whose replica dies under it: some queries are why it does.  Until one is up there is no attempt."""

FEW_EXPRESSIONS = 2_000
"""A query of no more is looked through and encoded on the loop; one of more in another thread."""


class Peeks:
    def __init__(self, storage: Storage, catalog: Catalog, controller: Controller, jobs: QueryJobs) -> None:
        self._storage = storage
        self._oracle = storage.oracle
        self._collections = storage.collections
        self._catalog = catalog
        self._reads = storage.reads
        self._controller = controller
        self._jobs = jobs
        self._catalogs = CatalogQueries()
        self._look_ups = LookUps(self._collections)
        self._keyed = KeyedRows(storage, self._look_ups)
        self._computed = ComputedRows(catalog, self._collections, controller.clusters, self._keyed)
        self.times = ReadTimes(storage, catalog)

    async def select(
        self, query: Select, context: ReadContext, files: TaskFiles | None = None
    ) -> AsyncIterator[Columns]:
        """The rows that the client sees, in order, in chunks; none if they are written as `files`, of a query without order and limit."""
        finishing = query.finishing
        schema = query.relation.schema
        if finishing.order:
            batches = [batch async for batch in self.batches(query.relation, context, finishing, whole=True)]
            rows = await over_rows(sum(map(len, batches)), lambda: OrderedRows(schema, batches, finishing))
            try:
                for start in rows.starts():
                    yield await over_rows(len(rows), lambda at=start: rows.chunk(at))  # type: ignore[misc]
            finally:
                release_rows(len(rows), rows.release)
            return
        skip, left = finishing.offset, finishing.limit
        async for batch in self.batches(query.relation, context, finishing, files=files):
            count = int(batch.diffs.sum())
            few = max(count, len(batch)) <= FEW_ROWS
            columns = repeat(batch) if few else await EVALUATION.run(lambda rows=batch: repeat(rows))  # type: ignore[misc]
            take = count - skip if left is None else min(left, count - skip)
            if take > 0:
                yield tuple(columns[i].slice(skip, take) for i in finishing.indices)
                left = None if left is None else left - take
            skip = max(skip - count, 0)
            if left == 0:
                return

    async def collect(self, relation: Relation, context: ReadContext) -> Batch:
        """All rows with their multiplicities, at one time."""
        batches = [batch async for batch in self.batches(relation, context, whole=True)]
        if len(batches) == 1:
            return batches[0]

        def together() -> Batch:
            rows = concat_batches(relation.schema, batches)
            batches.clear()
            return rows

        return await over_rows(sum(map(len, batches)), together)

    def at(self, context: ReadContext, time: int | None) -> ReadContext:
        return replace(context, time=time)

    async def look_up(self, plan: LookUpPlan, keys: Keys, cluster: str, time: int) -> Columns | None:
        """The rows that the client sees; None if only `select` can say them, or what is wrong."""
        index, clusters = plan.index, self._controller.clusters
        if isinstance(index, TableKey):
            with self._reads.at(time):
                replica = clusters.connected(cluster)
                if replica is None or not self._readable(index.table, time):
                    return None
                return await self._look_ups.rows(replica, index, plan.schema, plan.columns, keys, time)
        if isinstance(index, ViewColumns):
            with self._reads.at(time):
                replica = await self._computed.replica({index.view}, {index.view}, cluster, time)
                if replica is None:
                    return None
                return await self._look_ups.rows(replica, index, plan.schema, plan.columns, keys, time)
        if not clusters.has_index(cluster, index.id, time):
            return None
        with self._reads.at(time):
            await self._collections.wait_until_readable((index.id,), time)
            replica = clusters.with_index(cluster, index.id, time)
            if replica is None:
                return None
            return await self._look_ups.rows(replica, index, plan.schema, plan.columns, keys, time)

    def _readable(self, table: GlobalId, time: int) -> bool:
        """Whether the table's rows at `time` are known now."""
        if table not in self._collections or self._collections.frontier(table) <= time:
            return False
        return self._collections.frontiers(self._collections[table].shard).since <= time

    def as_of(self, query: Select, context: ReadContext) -> ReadContext:
        """At the time that the statement names, if it names one."""
        if query.as_of is None:
            return context
        return replace(context, time=self.times.chosen(query.as_of, query.relation, context), as_of=True)

    def latest(self, context: ReadContext) -> ReadContext:
        """What everybody may read now, without what the transaction has written."""
        return replace(context, time=self._oracle.read_time, overlay={})

    def hold(self, time: int) -> Callable[[], None]:
        """Keeps `time` readable until the result is called."""
        return self._reads.hold(time)

    def read_time(self, context: ReadContext) -> int:
        """Now, unless a time is fixed.  DroppedMeanwhile if names mean something else by now than when the query was planned: read
        at a later time, what it names would be mixed with what came in the same transaction."""
        if context.time is not None:
            return context.time
        if context.catalog.redefined != context.redefined:
            raise DroppedMeanwhile("what the query reads may have been defined anew meanwhile")
        return self._oracle.read_time

    async def batches(
        self,
        relation: Relation,
        context: ReadContext,
        finishing: Finishing | None = None,
        *,
        whole: bool = False,
        files: TaskFiles | None = None,
    ) -> AsyncIterator[Batch]:
        """The rows of `relation`, multiplicities at least 1; raises the collection's error if it has one.

        `relation` is optimized.  Rows that `finishing` will not show may be missing; if it shows none of a collection's, whatever they are,
        none is looked at, and none is in error.  With `whole`, none are given out before
        all are here: so the query is asked again whenever its replica dies.
        """
        reads = dependencies(relation)
        await context.prepare(reads)
        if any(map(is_system, reads)) and not all(map(is_system, reads)):
            relation = await PLANNING.run(_with_rows(relation, inputs_of(relation, context.system_rows)))
            reads = dependencies(relation)
        if not reads and (trivial := trivial_rows(relation)) is not None:
            yield consolidate_in_order(trivial) if finishing is None else trivial
            return
        if reads and _shows_none(finishing) and all(map(is_system, reads)):
            return
        if all(map(is_system, reads)) and is_computed_here(relation):
            time = self.read_time(context)
            compute = self._catalogs.computation(relation, context.system_rows, time)
            result = await EVALUATION.run(compute)
            raise_first_error(result.errs)
            rows = result.oks
            if finishing is None:
                rows = await over_rows(len(rows), lambda: consolidate_in_order(rows))
            yield _checked(rows)
            return
        if reads and all(map(is_system, reads)):
            catalogs = inputs_of(relation, context.system_rows)
            relation = await PLANNING.run(lambda: with_catalogs(relation, catalogs.__getitem__))
            reads = set()
        pauses = Pauses(ASK_AGAIN)
        while True:
            answered = False
            try:
                answers = self._read(relation, context, finishing, files)
                if whole:
                    answers = _each([batch async for batch in answers])
                async for batch in answers:
                    answered = True
                    yield _checked(batch)
                return
            except ReplicaLost:
                # The replica died under the query: nothing was sent yet, so it is asked again when it is back.
                pause = None if answered else pauses.next()
                if pause is None:
                    raise
                await asyncio.sleep(pause)
                continue
            except PtvcError as error:
                explain(error, context.catalog, reads)
                raise

    async def _read(
        self,
        relation: Relation,
        context: ReadContext,
        finishing: Finishing | None,
        files: TaskFiles | None,
    ) -> AsyncIterator[Batch]:
        time = self.read_time(context)
        with self._reads.at(time):
            await self._controller.clusters.serving(context.cluster)
            context.check()
            # What is written goes on as one update of each row: else a table that is copied into itself would have as many
            # as rows.
            consolidated = finishing is None
            answers = None
            if not _shows_none(finishing):
                now = await _at_time(relation, time)
                answers = await self._peek_index(now, context, time, consolidated)
            if answers is None:
                catalog = context.catalog
                expanded = await _at_time(expand_unbuilt(expand(relation, catalog), catalog), time)
                if expanded is not relation:  # else it is optimized already
                    expanded = await PLANNING.run(lambda: optimize(expanded))
                answers = self._peek(expanded, context, time, finishing, files)
            async for batch in answers:
                yield batch

    async def _peek(
        self,
        relation: Relation,
        context: ReadContext,
        time: int,
        finishing: Finishing | None,
        files: TaskFiles | None,
    ) -> AsyncIterator[Batch]:
        if not _shows_none(finishing):
            found = await self._computed.evaluated(relation, context, time)
            if found is not None:
                yield consolidate_in_order(found) if finishing is None else found
                return
        relation = await self._readable_at(relation, time, context)
        if _shows_none(finishing):
            return
        changes = changes_in(relation)
        if not changes:
            relation, found = self._counted(relation, time, context)
            if found is not None:
                yield consolidate_in_order(found) if finishing is None else found
                return
        reads = filtered_reads(relation)
        searches = key_reads(reads, context.catalog)
        if (
            context.catalog is self._catalog
            and not changes
            and are_few(searches)
            and searches.keys() == dependencies(relation)
        ):
            replica = await self._controller.clusters.serving(context.cluster)
            found = await self._keyed.evaluated(relation, searches, context.overlay, replica, time)
            if found is not None:
                yield consolidate_in_order(found) if finishing is None else found
                return
            relation = await self._readable_at(relation, time, context)  # the catalog may have changed
            reads = filtered_reads(relation)
            searches = key_reads(reads, context.catalog)
        # From here to the sources nothing waits.
        conditions = part_conditions(reads)
        stored = sorted({node.id for node in walk(relation) if isinstance(node, Get)} - changes.keys())
        sources = (
            *(self._import(id_, time, context, conditions.get(id_)) for id_ in stored),
            *(self.times.changes(node, time) for node in changes.values()),
        )
        order, shown = _wanted_rows(finishing)
        if changes:
            check_size(sources)
            relation = without_changes(relation)
        elif self._jobs.wanted(
            relation, context.cluster, tuple(source for source in sources if source.id not in searches)
        ):
            if shown is not None:
                relation = optimize(TopK(relation, (), order, shown))
            async for batch in self._jobs.rows(relation, time, sources, context.cluster, files):
                yield batch
            return
        else:
            if (
                shown is not None
                and order
                and sum(row_count(source.snapshot) for source in sources) > FEW_ROWS
            ):
                relation = TopK(relation, (), order, shown)
            relation, columns = narrow_reads(relation)
            sources = tuple(
                replace(
                    source,
                    columns=columns.get(source.id),
                    search=searches[source.id].search if source.id in searches else None,
                )
                for source in sources
            )
        replica = await self._controller.clusters.serving(context.cluster)
        limit = None if order else shown
        peek = Peek(replica.new_peek(), relation, time, sources, limit, consolidated=finishing is None)
        await _send(replica, peek)
        async for answer in replica.answers(peek.peek_id):
            yield from_ipc(answer.payload)

    def _counted(self, relation: Relation, time: int, context: ReadContext) -> tuple[Relation, Batch | None]:
        """The relation with counts of whole collections in it, as far as they are known; and its rows, if there is nothing left to read."""
        counted = with_counts(relation, lambda read: known_count(self._import(read.id, time, context, None)))
        if counted is relation:
            return relation, None
        found = trivial_rows(counted)
        if found is not None:
            return counted, found
        relation = optimize(counted)
        return relation, trivial_rows(relation)

    async def _readable_at(self, relation: Relation, time: int, context: ReadContext) -> Relation:
        """Returns once all that is read is complete at `time`: the relation over collections as wide as they are now."""
        ids = dependencies(relation)
        for id_ in ids:
            self._check_there(id_, time, context)
        self.times.check_readable(ids, time)
        await self._collections.wait_until_readable(ids, time)
        context.check()
        for id_ in ids:
            self._check_there(id_, time, context)
        # Once more: maintenance may have advanced since when the read began to hold.
        self.times.check_readable(ids, time)
        check_columns(relation, context.catalog)
        now = context.catalog.widened(relation)
        return relation if now is relation else optimize(now)

    async def _peek_index(
        self, relation: Relation, context: ReadContext, time: int, consolidated: bool
    ) -> AsyncIterator[Batch] | None:
        """The rows from the memory of a replica, with what the transaction has written itself; None when no index will do."""
        if context.catalog is not self._catalog:
            return None
        clusters, cluster = self._controller.clusters, context.cluster
        read = choose_index(
            relation, self._catalog, cluster, lambda index: clusters.has_index(cluster, index.id, time)
        )
        if read is None:
            return None
        own = None
        if context.overlay and not context.overlay.keys().isdisjoint(
            own_writes_show(read.object, self._catalog)
        ):
            own = await self._own_rows(relation, read, context, time)
            if own is None:
                return None
        await self._collections.wait_until_readable((read.index.id,), time)
        context.check()
        # The replica that has the index may have gone away, and another that has it may begin too late.
        replica = clusters.with_index(cluster, read.index.id, time)
        if replica is None:
            return None
        answers = self._look_up(read, replica, time, consolidated)
        return answers if own is None else _together(answers, own, relation.schema, time)

    async def _own_rows(
        self, relation: Relation, read: IndexRead, context: ReadContext, time: int
    ) -> Batch | None:
        """What `relation`, which looks up some rows of a table and computes nothing, makes of those that the transaction has written
        to it and taken away; None if that is more, or they are many."""
        item, parts = self._catalog.find_by_id(read.object.id), context.overlay.get(read.object.id, ())
        if read.keys is None or read.columns is None or not isinstance(item, Table):
            return None
        if row_count(parts) > FEW_ROWS or len(item.physical) != len(read.object.schema):
            return None
        written = await self._storage.decode(parts, item.stored_schema)
        found = evaluate_once(relation, {item.id: written}, time)
        return None if len(found.errs) else found.oks

    async def _look_up(
        self, read: IndexRead, replica: ReplicaClient, time: int, consolidated: bool
    ) -> AsyncIterator[Batch]:
        payload, wanted = None, read.columns
        if read.keys is not None:
            count = len(read.keys[0])
            few = listed(read.keys) if wanted and count <= MOST_TOGETHER else None
            if wanted and few is not None:
                schema = read.relation.schema
                found = await self._look_ups.rows(replica, read.index, schema, wanted, few, time)
                if found is not None:
                    count = len(found[0])
                    rows = Batch(found, np.zeros(count, np.uint64), np.ones(count, np.int64))
                    yield consolidate_in_order(rows) if consolidated else rows
                    return
            schema = Schema(tuple(Column("key", key.type) for key in read.index.keys))
            keys = Batch(read.keys, np.zeros(count, np.uint64), np.ones(count, np.int64))
            payload = to_ipc(schema, keys)
        peek_id = replica.new_peek()
        replica.send(
            PeekIndex(
                peek_id,
                read.index.id,
                payload,
                read.relation if wanted is None else wanted,
                time,
                consolidated,
            )
        )
        async for answer in replica.answers(peek_id):
            yield from_ipc(answer.payload)

    def _check_there(self, id: GlobalId, time: int, context: ReadContext) -> None:
        if id in context.catalog.unbuilt:
            return
        if id not in self._collections:
            raise DroppedMeanwhile("a relation that the query reads was dropped meanwhile")
        collection = self._collections[id]
        item = self._catalog.find_by_id(id)
        # A table had no rows before it was created; a view would have had some.
        if collection.timestamped or context.as_of or item is None or item.created_at < time:
            return
        if self._collections.frontiers(collection.shard).since > time:
            raise ObjectNotReady(
                f'"{item.full_name}" was created after this transaction began to read',
                hint="Read it in a new transaction.",
            )

    def _import(
        self, id: GlobalId, time: int, context: ReadContext, conditions: tuple[Conditions, ...] | None
    ) -> Import:
        """What there is at `time` in the parts that the query needs."""
        source = self._source(id, time, context.catalog)
        return self._storage.snapshot(source, context.overlay.get(id, ()), conditions)

    def _source(self, id: GlobalId, time: int, catalog: Catalog) -> Import:
        """What everybody has of it at `time`, with the columns that it has in a block's catalog."""
        item = catalog.find_by_id(id)
        if isinstance(item, Table) and id in catalog.unbuilt:
            return Import(id, item.shard, item.stored_schema, True, time, (), (), time + 1)
        source = self._collections.import_of(id, time)
        match item, self._catalog.find_by_id(id):
            case Table(), Table() as known if item.stored_shape != known.stored_shape:
                return replace(source, schema=item.stored_schema)
            case _:
                return source


async def _together(
    answers: AsyncIterator[Batch], own: Batch, schema: Schema, time: int
) -> AsyncIterator[Batch]:
    """Both as of one time: a row that was taken away cancels out."""
    found = [batch async for batch in answers]
    yield consolidate_in_order(advance(concat_batches(schema, [*found, own]), time))


async def _at_time(relation: Relation, time: int) -> Relation:
    found = finds_now(relation, FEW_EXPRESSIONS)
    if found is None:
        return await PLANNING.run(lambda: at_time(relation, time))
    return at_time(relation, time) if found else relation


async def _send(replica: ReplicaClient, peek: Peek) -> None:
    """A query of many expressions is encoded beside the loop."""
    if finds_now(peek.relation, FEW_EXPRESSIONS) is None:
        replica.send_encoded(await EVALUATION.run(lambda: encode(peek)))
    else:
        replica.send(peek)


def _shows_none(finishing: Finishing | None) -> bool:
    """Whether there is no row in the result whatever is read: LIMIT 0."""
    return finishing is not None and finishing.limit == 0


def _wanted_rows(finishing: Finishing | None) -> tuple[tuple[OrderBy, ...], int | None]:
    """The order of the result, and how many of its first rows are looked at; None: all."""
    if finishing is None:
        return (), None
    return finishing.order, None if finishing.limit is None else finishing.offset + finishing.limit


def _with_rows(relation: Relation, rows: Mapping[GlobalId, Batch]) -> Callable[[], Relation]:
    return lambda: optimize(with_system_rows(relation, rows.__getitem__))


async def _each(batches: Sequence[Batch]) -> AsyncIterator[Batch]:
    for batch in batches:
        yield batch


def raise_first_error(errs: Batch) -> None:
    """Raises the first error of a query that reads no collection, if there is one."""
    if len(errs):
        sqlstates, messages = errs.columns
        raise PtvcError(messages[0].as_py(), sqlstate=sqlstates[0].as_py())


def _checked(batch: Batch) -> Batch:
    if len(batch) and int(batch.diffs.min()) < 0:
        raise RuntimeError("a query has found a row less than zero times")
    return batch
