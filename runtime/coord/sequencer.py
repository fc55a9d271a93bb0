"""The sequencer executes planned statements: each kind goes to the part of the coordinator that does it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, TypeGuard

from ..clock import Clock
from ..errors import InvalidTransactionState, SerializationFailure
from ..expr.relation import GlobalId, Project, Relation, TopK
from ..repr.batch import Batch
from ..sql.plan import PUSHDOWN_SCHEMA
from ..sql.plan_cache import PlanCache
from ..sql.plan_explain import Explanation
from ..sql.plans import (
    CopyFrom,
    CopyTo,
    CreateTable,
    Delete,
    Explain,
    ExplainAnalyze,
    ExplainPushdown,
    ExplainTimestamp,
    Insert,
    Merge,
    NoOp,
    PlannedStatement,
    Select,
    Subscribe,
    Truncate,
    Update,
)
from .catalog import Catalog, Shape
from .ddl import Ddl, Definition
from .explain import Explainer
from .group_commit import Conflict, GroupCommit
from .introspection import Introspection
from .peeks import Peeks, ReadContext
from .results import Columns, Command, CopyIn, CopyOut, Notice, Result, Rows
from .show import text_lines, text_rows
from .subscription import Subscription
from .subscriptions import Subscriptions
from .transaction import Transaction, TransactionKind
from .unaltered import unaltered
from .unique_keys import KeysTaken
from .writes import Writes

if TYPE_CHECKING:
    from .session import Session

MAX_ATTEMPTS = 20
_WRITES: dict[type, str] = {
    Insert: "INSERT",
    Update: "UPDATE",
    Delete: "DELETE",
    Merge: "MERGE",
    Truncate: "TRUNCATE TABLE",
}


class Sequencer:
    """`answers` is where results wait that do not fit in memory."""

    def __init__(
        self,
        clock: Clock,
        catalog: Catalog,
        peeks: Peeks,
        writes: Writes,
        ddl: Ddl,
        commit: GroupCommit,
        introspection: Introspection,
        explainer: Explainer,
        subscriptions: Subscriptions,
        answers: Path,
    ) -> None:
        self._clock = clock
        self.catalog = catalog
        self.plans = PlanCache()
        self._peeks = peeks
        self.writes = writes
        self.ddl = ddl
        self._commit = commit
        self._retrying = asyncio.Lock()
        self._introspection = introspection
        self._explainer = explainer
        self._subscriptions = subscriptions
        self.answers = answers

    def now_us(self) -> int:
        return self._clock.now_ms() * 1000

    # -- definitions --

    def is_definition(self, planned: PlannedStatement) -> TypeGuard[Definition]:
        return isinstance(planned, Definition)

    async def define(self, planned: PlannedStatement, session: Session, notices: list[Notice]) -> Command:
        assert isinstance(planned, Definition)

        async def read(relation: Relation) -> Batch:
            context = self._peeks.latest(self._context(session, Transaction(TransactionKind.IMPLICIT, 0)))
            return await self._peeks.collect(relation, context)

        return await self.ddl.execute(planned, notices, read)

    def table_as(self, planned: PlannedStatement) -> CreateTable | None:
        """The statement, if it is a CREATE TABLE AS."""
        return planned if isinstance(planned, CreateTable) and planned.query is not None else None

    async def fill_table(self, plan: CreateTable, session: Session, transaction: Transaction) -> Command:
        """The second half of CREATE TABLE AS; if the query fails the table goes again."""
        assert plan.query is not None
        item = self.catalog.find(plan.name.schema, plan.name.name)
        assert item is not None
        try:
            insert = Insert(item.id, finished(plan.query))
            result = await self.writes.insert(insert, self._context(session, transaction), transaction)
            await self.commit(transaction, session)
        except BaseException:
            await self.ddl.drop_created(item)
            raise
        transaction.forget()
        assert isinstance(result, Command)
        return Command(f"SELECT {result.tag.rpartition(' ')[2]}")

    # -- everything else --

    async def execute(self, planned: PlannedStatement, session: Session, transaction: Transaction) -> Result:
        if transaction.read_only and (command := _WRITES.get(type(planned))) is not None:
            raise _read_only(command)
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
            case CopyTo(query=Select() as query, options=options):
                rows = self._select(query, context, transaction)
                return CopyOut(query.schema, rows, options)
            case Insert() | Update() | Delete() | Merge() | Truncate():
                return await self._write(planned, session, transaction)
            case Explain() | ExplainTimestamp() | ExplainPushdown() | ExplainAnalyze():
                return await self._explain(planned, session, context, transaction)
            case NoOp(tag=tag):
                return Command(tag)
            case _:
                raise AssertionError(f"{type(planned).__name__} belongs to the session")

    def subscribe(self, plan: Subscribe, session: Session, transaction: Transaction) -> Subscription:
        """The relation as it is now, or as it was when the block has read, and its changes from then on."""
        return self._subscriptions.open(plan, self._context(session, transaction))

    def open_cursor(
        self, query: Select, session: Session, transaction: Transaction
    ) -> AsyncIterator[Columns]:
        """The rows as they are now, whatever the transaction writes before they are taken; 55000 if what they are read from
        is altered before the first of them is."""
        context = replace(self._context(session, transaction), check=unaltered(query.relation, self.catalog))
        context = self._peeks.as_of(query, context)
        if transaction.time is None:
            transaction.fix_time(self._peeks.read_time(context), self._peeks.hold)
        return self._select(query, self._peeks.at(context, transaction.time), transaction)

    def _select(
        self, query: Select, context: ReadContext, transaction: Transaction
    ) -> AsyncIterator[Columns]:
        """The rows, computed when they are asked for, at a time that is chosen now: the transaction's own writes
        may be committed before the client has read everything, and must not count twice."""
        context = self._peeks.as_of(query, context)
        if transaction.time is None and (transaction.kind is TransactionKind.EXPLICIT or context.overlay):
            transaction.fix_time(self._peeks.read_time(context), self._peeks.hold)
            context = self._peeks.at(context, transaction.time)
        return self._peeks.select(query, context)

    async def _write(
        self,
        planned: Insert | Update | Delete | Merge | Truncate,
        session: Session,
        transaction: Transaction,
    ) -> Result:
        """A statement by itself commits at once, and runs again after a conflict."""
        upsert = isinstance(planned, Insert) and planned.conflict is not None
        tables = planned.tables if isinstance(planned, Truncate) else (planned.table,)
        shapes = [self._shape(table) for table in tables]
        async with AsyncExitStack() as turn:
            for attempt in range(MAX_ATTEMPTS):
                if attempt and shapes != [self._shape(table) for table in tables]:
                    raise SerializationFailure("The table was altered meanwhile; run the statement again.")
                try:
                    result = await self._buffer(planned, self._context(session, transaction), transaction)
                    if not transaction.single or not (transaction.expect or upsert):
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

    def _shape(self, table: GlobalId) -> Shape | None:
        item = self.catalog.find_by_id(table)
        return item.shape if item is not None else None

    async def _buffer(
        self,
        planned: Insert | Update | Delete | Merge | Truncate,
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

    async def commit(self, transaction: Transaction, session: Session) -> None:
        """Makes the transaction's writes durable, all at one time."""
        if not transaction.writes:
            return
        if isinstance(await self._durable(transaction, session), Conflict):
            raise SerializationFailure()

    async def _durable(self, transaction: Transaction, session: Session) -> int | Conflict:
        """Commits; 23505 for a key that is taken."""
        writes, expect = transaction.overlay(), dict(transaction.expect)
        collide: set[int] = set()
        for _ in range(MAX_ATTEMPTS):
            outcome = await self._commit.write_keyed(
                writes, expect, transaction.keys, frozenset(collide), lambda: self.writes.valid(transaction)
            )
            match outcome:
                case KeysTaken(key=key):
                    # Read before it is said to collide only: nobody may write the table in between.
                    table, time = await self.writes.verify(
                        outcome, self._context(session, transaction), transaction
                    )
                    expect[table] = min(time, expect.get(table, time))
                    collide.add(key)
                case Conflict() if collide:
                    expect = dict(transaction.expect)
                    collide.clear()
                case _:
                    return outcome
        raise SerializationFailure()

    async def copy_from(
        self, plan: CopyFrom, columns: AsyncIterator[Columns], session: Session, transaction: Transaction
    ) -> Command:
        return await self.writes.copy_from(plan, columns, self._context(session, transaction), transaction)

    def copy_in(self, plan: CopyFrom, transaction: Transaction) -> CopyIn:
        """What the client is asked to send."""
        if transaction.read_only:
            raise _read_only("COPY FROM")
        item = self.catalog.get(plan.table)
        return CopyIn(item.schema.project(plan.columns), plan.options, item.name)

    async def _explain(
        self, planned: Explanation, session: Session, context: ReadContext, transaction: Transaction
    ) -> Rows:
        cluster = session.variables.get("cluster")
        match planned:
            case Explain():
                lines = self._explainer.plan(planned, cluster)
            case ExplainTimestamp():
                lines = self._explainer.timestamp(planned, self._peeks.as_of(planned.query, context).time)
            case ExplainPushdown():
                return text_rows(PUSHDOWN_SCHEMA.names, self._explainer.pushdown(planned), "EXPLAIN")
            case ExplainAnalyze(query=None):
                lines = self._explainer.analyze_object(planned)
            case ExplainAnalyze(query=Select() as query):
                begun, rows = monotonic(), 0
                async for columns in self._select(query, context, transaction):
                    rows += len(columns[0]) if columns else 0
                lines = self._explainer.analyze(planned, rows, monotonic() - begun, cluster)
        return text_lines("QUERY PLAN", lines, "EXPLAIN")

    def _context(self, session: Session, transaction: Transaction) -> ReadContext:
        return ReadContext(
            cluster=session.variables.get("cluster"),
            time=transaction.time,
            overlay=transaction.overlay(),
            system_rows=self._introspection.of_session(session),
        )


def _read_only(command: str) -> InvalidTransactionState:
    return InvalidTransactionState(f"cannot execute {command} in a read-only transaction", sqlstate="25006")


def finished(query: Select) -> Relation:
    """The query as a relation: its limit, and only the columns that it shows."""
    finishing = query.finishing
    relation = query.relation
    if finishing.limit is not None or finishing.offset:
        relation = TopK(relation, (), finishing.order, finishing.limit, finishing.offset)
    return Project(relation, finishing.indices, query.schema.names)
