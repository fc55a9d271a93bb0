"""The sequencer executes planned statements: each kind goes to the part of the coordinator that does it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from time import monotonic
from typing import TypeGuard

from ...clock import Clock
from ...errors import AlteredMeanwhile, ObjectNotReady, SerializationFailure, Unsupported
from ...expr.tree.relation import GlobalId, Project, Relation, TopK
from ...expr.tree.relation_tree import dependencies
from ...repr.batch import Batch
from ...sql.cache.plan_cache import PlanCache
from ...sql.parser.parse import Statement
from ...sql.plan import PUSHDOWN_SCHEMA
from ...sql.plans.connection_plans import ValidateConnection
from ...sql.plans.data_plans import CopyFrom, CopyTo, Delete, Insert, Merge, Replay, Truncate, Update, Write
from ...sql.plans.definition_plans import CreateSource, CreateSourceTable, CreateTable, WantedTables
from ...sql.plans.explain_plans import (
    Explain,
    ExplainAnalyze,
    ExplainPushdown,
    ExplainSource,
    ExplainTimestamp,
    Explanation,
)
from ...sql.plans.plans import PlannedStatement
from ...sql.plans.query_plans import Select, Subscribe
from ...sql.statement.connector.message_schemas import with_schemas
from ...sql.statement.connector.upstream_source import with_published
from ...sql.syntax.constraints import Constraint
from ...sql.syntax.definition_statements import CreateSourceStatement, CreateSourceTableStatement
from ..catalog.authorize import Authorization
from ..catalog.catalog import Catalog
from ..catalog.items import Shape, Table
from ..catalog.unaltered import unaltered
from ..catalog.views import expand
from ..ddl import Ddl, Definition, RowsToFit, dropped_on_commit, temporary_dropped
from ..dml.exports import Exports
from ..dml.replays import Replays
from ..dml.writes import Writes
from ..introspection import Introspection
from ..introspection.state import OpenSession
from ..query.explainer import Explainer
from ..query.look_up_plan import LookUpPlan
from ..query.look_ups import Keys
from ..query.peeks import Peeks
from ..query.read_context import ReadContext
from ..query.subscription import Subscription
from ..query.subscriptions import Subscriptions
from ..results.results import Columns, Command, CopyIn, CopyOut, Notice, OneChunk, Result, Rows, TaskFiles
from ..results.show import text_lines, text_rows
from ..storage.commit_request import Conflict, Defined
from ..storage.expectation import Expected
from ..storage.storage import Storage
from ..storage.unique_keys import KeysTaken
from ..transaction.block_catalog import BlockCatalog
from ..transaction.transaction import Transaction, TransactionKind

MAX_ATTEMPTS = 20


class Sequencer:
    """`answers` is where results wait that do not fit in memory."""

    def __init__(
        self,
        clock: Clock,
        catalog: Catalog,
        peeks: Peeks,
        writes: Writes,
        replays: Replays,
        ddl: Ddl,
        storage: Storage,
        introspection: Introspection,
        explainer: Explainer,
        subscriptions: Subscriptions,
        exports: Exports,
        answers: Path,
    ) -> None:
        self._clock = clock
        self.catalog = catalog
        self.plans = PlanCache()
        self._peeks = peeks
        self.writes = writes
        self._replays = replays
        self.ddl = ddl
        self._storage = storage
        self._retrying = asyncio.Lock()
        self._introspection = introspection
        self._explainer = explainer
        self._subscriptions = subscriptions
        self._authorization = Authorization(catalog)
        self._exports = exports
        self.answers = answers

    def now_us(self) -> int:
        return self._clock.now_ms() * 1000

    def authorization(self, transaction: Transaction | None) -> Authorization:
        """Who may do what, in the catalog that the transaction sees."""
        own = transaction.own if transaction is not None else None
        return own.authorization if own is not None else self._authorization

    # -- definitions --

    def is_definition(self, planned: PlannedStatement) -> TypeGuard[Definition]:
        return isinstance(planned, Definition)

    async def ready_to_define(self, planned: PlannedStatement, transaction: Transaction) -> None:
        """What a definition asks of the outside, before anybody waits for it."""
        await self.ddl.connections.ready(planned, self._catalog(transaction))

    async def with_wanted(
        self, statement: Statement, plan: CreateSource | CreateSourceTable, transaction: Transaction
    ) -> Statement:
        """The statement with what it wants to know of the outside in it; the same if it creates nothing."""
        catalog = self._catalog(transaction)
        if plan.if_not_exists and catalog.find(plan.name.schema, plan.name.name) is not None:
            return statement
        node, wanted = statement.node, plan.wanted
        if isinstance(wanted, WantedTables):
            assert isinstance(node, CreateSourceStatement | CreateSourceTableStatement)
            published = await self.ddl.connections.published(wanted, catalog)
            return replace(statement, node=with_published(node, published))
        assert isinstance(node, CreateSourceStatement)
        texts = await self.ddl.connections.schemas(wanted or (), catalog)
        return replace(statement, node=with_schemas(node, texts))

    async def define(self, planned: PlannedStatement, session: OpenSession, notices: list[Notice]) -> Command:
        assert isinstance(planned, Definition)

        async def read(relation: Relation) -> Batch:
            context = self._peeks.latest(self._context(session, Transaction(TransactionKind.IMPLICIT, 0)))
            return await self._peeks.collect(relation, context)

        return await self.ddl.execute(planned, notices, read, session.actor)

    async def define_in_block(
        self, planned: PlannedStatement, session: OpenSession, transaction: Transaction, notices: list[Notice]
    ) -> Command:
        """As `define`, for nobody but the block before it commits; the statement was planned over its own catalog."""
        assert isinstance(planned, Definition)
        own = transaction.define(self.catalog).catalog
        context = self._context(session, transaction)

        async def read(relation: Relation) -> Batch:
            return await self.writes.read(relation, context, transaction, None)

        async def add_key(old: Table, new: Table, key: Constraint) -> None:
            await self.writes.add_key(old, new, key, context, transaction)

        rows = RowsToFit(read, add_key)
        command, changes = await self.ddl.changes(planned, own, notices, rows, session.actor)
        transaction.defined(changes)
        if command.tag == "SELECT 0" and (plan := self.table_as(planned)) is not None:
            return await self._fill(plan, session, transaction)
        return command

    async def discard_temporary(self, schema: str, transaction: Transaction) -> None:
        """DISCARD TEMP."""
        if transaction.single:
            await self.ddl.drop_temporary(schema)
        elif changes := temporary_dropped(self._catalog(transaction), schema):
            transaction.define(self.catalog)
            transaction.defined(changes)

    def table_as(self, planned: PlannedStatement) -> CreateTable | None:
        """The statement, if it is a CREATE TABLE AS."""
        return planned if isinstance(planned, CreateTable) and planned.query is not None else None

    async def _fill(self, plan: CreateTable, session: OpenSession, transaction: Transaction) -> Command:
        assert plan.query is not None
        item = self._catalog(transaction).find(plan.name.schema, plan.name.name)
        assert item is not None
        insert = Insert(item.id, finished(plan.query))
        result = await self.writes.insert(insert, self._context(session, transaction), transaction)
        assert isinstance(result, Command)
        return Command(f"SELECT {result.tag.rpartition(' ')[2]}")

    # -- everything else --

    async def execute(
        self, planned: PlannedStatement, session: OpenSession, transaction: Transaction
    ) -> Result:
        if isinstance(planned, Write):
            return await self._write(planned, session, transaction)
        context = self._context(session, transaction)
        match planned:
            case Select():
                return Rows(planned.schema, self._select(planned, context, transaction))
            case Subscribe():
                return Rows(
                    planned.schema, self.subscribe(planned, session, transaction), "SUBSCRIBE", endless=True
                )
            case CopyTo(query=Subscribe() as subscribe, options=options):
                changes = self.subscribe(subscribe, session, transaction)
                return CopyOut(subscribe.schema, changes, options, endless=True)
            case CopyTo(query=Select() as query, options=options, destination=to):
                export = self._exports.open(to, query, self._catalog(transaction))
                files = None if export is None else export.tasks
                rows = self._select(query, context, transaction, files)
                return CopyOut(query.schema, rows, options, export=export)
            case Explain() | ExplainTimestamp() | ExplainPushdown() | ExplainAnalyze() | ExplainSource():
                _refuse_behind_definitions("EXPLAIN", transaction)
                return await self._explain(planned, session, context, transaction)
            case ValidateConnection():
                await self.ddl.connections.validate(planned, self._catalog(transaction))
                return Command("VALIDATE CONNECTION")
            case _:
                raise AssertionError(f"{type(planned).__name__} belongs to the session")

    async def replay(self, planned: Replay, session: OpenSession, transaction: Transaction) -> Notice:
        """Takes dead letters once more, by itself."""
        if not transaction.single:
            raise Unsupported(
                "ALTER SOURCE ... REPLAY DEAD LETTERS cannot run inside a transaction block",
                hint="Run the statement outside BEGIN ... COMMIT.",
            )
        return await self._replays.replay(planned, self._context(session, transaction))

    async def look_up(
        self, plan: LookUpPlan, keys: Keys, session: OpenSession, transaction: Transaction
    ) -> Rows | None:
        """As `execute` of a Select that is a look-up, in which nothing shows that the transaction has written; None if it takes more
        than that."""
        time = self._storage.oracle.read_time if transaction.time is None else transaction.time
        if transaction.time is None and not transaction.single:
            transaction.fix_time(time, self._peeks.hold)
        columns = await self._peeks.look_up(plan, keys, session.variables.get("cluster"), time)
        if columns is None:
            return None
        return Rows(plan.schema, OneChunk(columns), zone=session.variables.zone)

    def subscribe(self, plan: Subscribe, session: OpenSession, transaction: Transaction) -> Subscription:
        """The relation as it is now, or as it was when the block has read, and its changes from then on."""
        _refuse_behind_definitions("SUBSCRIBE", transaction)
        return self._subscriptions.open(plan, self._context(session, transaction))

    def open_cursor(
        self, query: Select, session: OpenSession, transaction: Transaction
    ) -> tuple[AsyncIterator[Columns], Callable[[Select], AsyncIterator[Columns]]]:
        """The rows as they are now, whatever the transaction writes before they are taken; 55000 if what they are read from
        is altered before the first of them is.  And how to open the same query, planned again, as of the same time."""
        context = self._peeks.as_of(query, self._context(session, transaction))
        if transaction.time is None:
            transaction.fix_time(self._peeks.read_time(context), self._peeks.hold)
        context = self._peeks.at(context, transaction.time)

        def opened(query: Select) -> AsyncIterator[Columns]:
            catalog = self._catalog(transaction)
            at_declaration = replace(context, catalog=catalog, check=unaltered(query.relation, catalog))
            return self._select(query, at_declaration, transaction)

        def again(query: Select) -> AsyncIterator[Columns]:
            catalog = self._catalog(transaction)
            for id_ in dependencies(expand(query.relation, catalog)):
                item = catalog.find_by_id(id_)
                if item is not None and item.created_at >= self._peeks.read_time(context):
                    raise ObjectNotReady(
                        f'"{item.full_name}" has the name of what the cursor was declared over, and is younger',
                        hint="Close the cursor, and declare it again.",
                    )
            return opened(query)

        return opened(query), again

    def _select(
        self, query: Select, context: ReadContext, transaction: Transaction, files: TaskFiles | None = None
    ) -> AsyncIterator[Columns]:
        """The rows, computed when they are asked for, at a time that is chosen now: the transaction's own writes
        may be committed before the client has read everything, and must not count twice."""
        context = self._peeks.as_of(query, context)
        if transaction.time is None and not transaction.single:
            transaction.fix_time(self._peeks.read_time(context), self._peeks.hold)
            context = self._peeks.at(context, transaction.time)
        return self._peeks.select(query, context, files)

    async def _write(
        self,
        planned: Write,
        session: OpenSession,
        transaction: Transaction,
    ) -> Result:
        """A statement by itself commits at once, and runs again after a conflict."""
        tables = planned.tables if isinstance(planned, Truncate) else (planned.table,)
        catalog = self._catalog(transaction)
        shapes, redefined = [_shape(catalog, table) for table in tables], catalog.redefined
        async with AsyncExitStack() as turn:
            for attempt in range(MAX_ATTEMPTS):
                altered = shapes != [_shape(catalog, table) for table in tables]
                if None in shapes or altered or catalog.redefined != redefined:
                    raise AlteredMeanwhile("The table was altered meanwhile; run the statement again.")
                try:
                    result = await self._buffer(planned, self._context(session, transaction), transaction)
                    if not transaction.single:
                        return result
                    outcome = await self._durable(transaction, session)
                except SerializationFailure:  # a key that ON CONFLICT did not find has come meanwhile
                    if not transaction.single:
                        raise
                    outcome = None
                transaction.forget()
                if isinstance(outcome, int):
                    return result
                if attempt == 0:  # those who lost a race try again one by one, so that nobody starves
                    await turn.enter_async_context(self._retrying)
        raise SerializationFailure("Try again.")

    async def _buffer(
        self,
        planned: Write,
        context: ReadContext,
        transaction: Transaction,
    ) -> Result:
        match planned:
            case Insert():
                return await self.writes.insert(planned, context, transaction)
            case Update():
                return await self.writes.update(planned, context, transaction)
            case Delete():
                return await self.writes.delete(planned, context, transaction)
            case Merge():
                return await self.writes.merge(planned, context, transaction)
            case Truncate():
                return await self.writes.truncate(planned, context, transaction)

    async def commit(self, transaction: Transaction, session: OpenSession) -> None:
        """Makes the transaction's writes durable, all at one time."""
        own = transaction.own
        if own is not None:
            transaction.defined(dropped_on_commit(own.catalog))
        if transaction.settle() and own is not None:
            await self._commit_definitions(own, transaction, session)
        elif transaction.writes and isinstance(await self._durable(transaction, session), Conflict):
            raise SerializationFailure()

    async def _commit_definitions(
        self, own: BlockCatalog, transaction: Transaction, session: OpenSession
    ) -> None:
        """What the block has defined and written becomes durable, and visible, in one moment."""

        async def append(defined: Defined) -> None:
            if isinstance(await self._durable(transaction, session, defined), Conflict):
                raise SerializationFailure()

        await self.ddl.ready(own.changes.values())
        async with self.ddl.lock:
            own.refresh()
            await self.ddl.commit(own.changes.values(), append)

    async def _durable(
        self, transaction: Transaction, session: OpenSession, defined: Defined | None = None
    ) -> int | Conflict:
        """Commits; 23505 for a key that is taken."""
        writes, keys, expect = transaction.overlay(), transaction.keys, dict(transaction.expect)
        collide: set[int] = set()
        for _ in range(MAX_ATTEMPTS):
            unchecked, valid = frozenset(collide), partial(self.writes.valid, transaction)
            outcome = await self._storage.write(writes, expect, keys, unchecked, valid, defined)
            match outcome:
                case KeysTaken(key=key):
                    # Read before it is said to collide only: nobody may write the table in between.
                    table, time = await self.writes.verify(
                        outcome, self._context(session, transaction), transaction
                    )
                    expect[table] = Expected(time).and_(expect.get(table))
                    collide.add(key)
                case Conflict() if collide:
                    expect = dict(transaction.expect)
                    collide.clear()
                case _:
                    return outcome
        raise SerializationFailure()

    async def copy_from(
        self, plan: CopyFrom, columns: AsyncIterator[Columns], session: OpenSession, transaction: Transaction
    ) -> Command:
        return await self.writes.copy_from(plan, columns, self._context(session, transaction), transaction)

    def copy_in(self, plan: CopyFrom, transaction: Transaction) -> CopyIn:
        """What the client is asked to send."""
        item = self._catalog(transaction).get_as(plan.table, Table)
        optional = not plan.defaults.keys().isdisjoint(plan.columns)
        schema = item.schema.project(plan.columns)
        return CopyIn(schema, plan.options, item.name, optional=optional, directory=self.answers)

    async def _explain(
        self, planned: Explanation, session: OpenSession, context: ReadContext, transaction: Transaction
    ) -> Rows:
        cluster = session.variables.get("cluster")
        match planned:
            case Explain():
                lines = self._explainer.plan(planned, cluster)
            case ExplainTimestamp():
                lines = self._explainer.timestamp(planned, self._peeks.as_of(planned.query, context).time)
            case ExplainPushdown():
                return text_rows(PUSHDOWN_SCHEMA.names, self._explainer.pushdown(planned), "EXPLAIN")
            case ExplainSource():
                report = self._explainer.source(planned)
                counted, sample = [
                    await self._peeks.collect(relation, context)
                    for relation in (report.counts(), report.sample())
                ]
                lines = report.lines([column[0].as_py() for column in counted.columns], sample)
            case ExplainAnalyze(query=None):
                lines = self._explainer.analyze_object(planned)
            case ExplainAnalyze(query=Select() as query):
                begun, rows = monotonic(), 0
                async for columns in self._select(query, context, transaction):
                    rows += len(columns[0]) if columns else 0
                lines = self._explainer.analyze(planned, rows, monotonic() - begun, cluster)
        return text_lines("QUERY PLAN", lines, "EXPLAIN")

    def _catalog(self, transaction: Transaction) -> Catalog:
        return transaction.own.catalog if transaction.own is not None else self.catalog

    def _context(self, session: OpenSession, transaction: Transaction) -> ReadContext:
        catalog = self._catalog(transaction)
        cluster: str = session.variables.get("cluster")
        if transaction.own is not None:
            cluster = transaction.own.shared_cluster(cluster)
        return ReadContext(
            cluster=cluster,
            time=transaction.time,
            overlay=transaction.overlay(),
            system_rows=self._introspection.of_session(session, catalog),
            catalog=catalog,
            redefined=catalog.redefined,
            prepare=self._introspection.prepare,
        )


def _shape(catalog: Catalog, table: GlobalId) -> Shape | None:
    item = catalog.find_by_id(table)
    return item.shape if isinstance(item, Table) else None


def _refuse_behind_definitions(command: str, transaction: Transaction) -> None:
    if transaction.own is not None and transaction.own.changes:
        raise Unsupported(
            f"{command} behind a definition of the same transaction is not supported",
            hint="COMMIT first.",
        )


def finished(query: Select) -> Relation:
    """The query as a relation: its limit, and only the columns that it shows."""
    finishing = query.finishing
    relation = query.relation
    if finishing.limit is not None or finishing.offset:
        relation = TopK(relation, (), finishing.order, finishing.limit, finishing.offset)
    return Project(relation, finishing.indices, query.schema.names)
