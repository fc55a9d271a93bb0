"""A session: one client's variables, transaction and statements.

Text comes in, results go out; what a statement means is `sql`'s, what it does `sequencer`'s.  The session owns the
transaction: implicit ones end with their statement (or at Sync), blocks with COMMIT.  A definition by itself takes effect at
once; those of a block, or of a message of several statements, with the transaction.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Mapping, MutableMapping, Sequence
from dataclasses import replace

from ...config import DATABASE
from ...errors import DroppedMeanwhile, InvalidTransactionState, PtvcError, Unsupported
from ...expr.datetimes.zones import Zone
from ...expr.tree.scalar import Literal
from ...sql.cache.plan_cache import PlanCache
from ...sql.catalog.catalog_view import PlanContext, Prepared
from ...sql.parser.parse import Statement
from ...sql.plans.data_plans import CopyFrom
from ...sql.plans.definition_plans import ApplyReplacement, CreateTable
from ...sql.plans.plans import PlannedStatement
from ...sql.plans.query_plans import Select, Subscribe
from ...sql.plans.session_plans import (
    Begin,
    CloseCursor,
    Commit,
    Deallocate,
    DeclareCursor,
    Discard,
    Execute,
    Fetch,
    Prepare,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
    SetVariable,
    ShowVariable,
)
from ...sql.syntax.session_statements import CommitStatement, RollbackStatement, RollbackToStatement
from ...sql.syntax.vocabulary import Discarded
from ..catalog.actor import Actor
from ..catalog.catalog import Catalog
from ..catalog.entries import TEMP_SCHEMA_PREFIX
from ..ddl import refused_in_block
from ..query.subscription import Subscription
from ..results.cursor import Cursor
from ..results.results import Columns, Command, CopyIn, CopyOut, Empty, Notice, Result, Rows, check_shape
from ..results.show import show_all, show_one
from ..sequencer.sequencer import Sequencer
from ..transaction.transaction import Transaction, TransactionKind
from ..variables import Variables
from .cursors import Cursors
from .interruption import Interruption
from .planning import Planning
from .prepared import PreparedStatements, parameter_type
from .session_roles import SessionRoles

logger = logging.getLogger(__name__)

MAX_ATTEMPTS = 10
"""So often a query is planned anew whose relations are dropped under it."""


class Session:
    """Used by one task at a time; only `cancel` may be called from another."""

    def __init__(
        self,
        sequencer: Sequencer,
        number: int,
        user: str,
        role: str,
        database: str,
        variables: Variables,
        on_close: Callable[[Session], None],
    ) -> None:
        self.number = number
        self.user = user
        self.roles = SessionRoles(sequencer.catalog, user, role, variables)
        self.database = database
        self.variables = variables
        self.notices: list[Notice] = []
        self.temp_schema = f"{TEMP_SCHEMA_PREFIX}{number}"
        self._sequencer = sequencer
        self._on_close = on_close
        self._statements = PreparedStatements()
        self._planning = Planning(self._source, self.temp_schema, self._context)
        self._transaction: Transaction | None = None
        self._copy: CopyFrom | None = None
        self._last = False  # whether the implicit transaction ends with the statement that runs
        self._cursors = Cursors(sequencer.answers)
        self._interruption = Interruption(variables)

    # -- what pgwire asks --

    @property
    def transaction_status(self) -> str:
        if self._transaction is None or self._transaction.kind is TransactionKind.IMPLICIT:
            return "I"
        return "E" if self._transaction.failed else "T"

    @property
    def statements(self) -> MutableMapping[str, Prepared]:
        return self._statements

    @property
    def cursors(self) -> Mapping[str, Cursor]:
        return self._cursors.open

    async def close_cursor(self, name: str) -> None:
        await self._cursors.close(CloseCursor(name))

    @property
    def actor(self) -> Actor:
        """Whose statements the session executes now."""
        return self.roles.actor

    def parameter_status(self) -> Mapping[str, str]:
        return self.variables.reported()

    def pop_parameter_changes(self) -> list[tuple[str, str]]:
        return self.variables.pop_changes()

    def pop_notices(self) -> list[Notice]:
        notices, self.notices = self.notices, []
        return notices

    @property
    def zone(self) -> Zone | None:
        return self.variables.zone

    async def prepare(self, sql: str, parameter_oids: Sequence[int]) -> Prepared:
        async with self._interruption.guarded():
            statements = await self._planning.parse(sql)
            if not statements:
                return Prepared("", (), None)
            if len(statements) > 1:
                raise PtvcError("cannot insert multiple commands into a prepared statement", sqlstate="42601")
            if self._transaction is not None and self._transaction.failed:
                _check_exit(statements[0])
            types = tuple(map(parameter_type, parameter_oids))
            prepared = await self._planning.describe(statements[0], types)
            return replace(prepared, prepared_us=self._sequencer.now_us())

    async def execute(
        self, prepared: Prepared, parameters: Sequence[Literal], *, last: bool = False
    ) -> Result:
        """`last`: nothing follows before Sync, so that a first statement is the only one of its transaction."""
        if not prepared.sql:
            return Empty()
        async with self._interruption.guarded():
            statements = await self._planning.parse(prepared.sql)
            first, self._last = self._transaction is None, False
            transaction = self._begin_implicit()
            transaction.first, transaction.batch = first, not (first and last)
            return self._guard(await self._execute(statements[0], parameters))

    async def execute_simple(self, sql: str) -> AsyncIterator[Result]:
        """Writes and definitions of all statements commit together at the end, or before one that no block can have."""
        values: tuple[Literal, ...] = ()
        async with self._interruption.guarded():
            failed = self._transaction is not None and self._transaction.failed
            look_up = None if failed else await self._planning.look_up(sql)
            if look_up is None:
                statements = await self._planning.parse(sql)
            else:
                statements, values = [look_up[0]], look_up[1]
        if not statements:
            yield Empty()
            return
        for index, statement in enumerate(statements):
            async with self._interruption.guarded():
                transaction = self._begin_implicit()
                transaction.batch = len(statements) > 1
                transaction.first = not transaction.batch
                self._last = last = index == len(statements) - 1
                result = await self._execute(statement, values)
                if last and not isinstance(result, CopyIn | Rows | CopyOut):
                    await self._end_implicit()
            # Rows are computed while they are sent: an error among them must find the transaction open.
            yield self._guard(result, ends_transaction=last)

    async def copy_in(self, columns: AsyncIterator[Columns]) -> Command:
        assert self._copy is not None
        copy, self._copy = self._copy, None
        async with self._interruption.guarded():
            transaction = self._begin_implicit()
            command = await self._sequencer.copy_from(copy, columns, self, transaction)
            if self._last:
                await self._end_implicit()
            return command

    async def sync(self) -> None:
        async with self._interruption.guarded():
            await self._end_implicit()

    async def fail(self) -> None:
        """Discards what the transaction would have written, in a block what it would have since its last savepoint; a block
        stays until it is ended or goes back to one."""
        self._copy = None
        if self._transaction is not None:
            self._transaction.fail()
            if self._transaction.kind is TransactionKind.IMPLICIT:
                await self._finish()

    def cancel(self) -> None:
        self._interruption.cancel()

    async def close(self) -> None:
        await self._finish()
        await self._cursors.close_all()
        self._on_close(self)
        try:
            await self._sequencer.ddl.drop_temporary(self.temp_schema)
        except PtvcError as error:  # maintenance tries it again
            logger.warning("temporary objects of a session that has ended are dropped later: %s", error)

    # -- statements --

    async def _execute(self, statement: Statement, parameters: Sequence[Literal]) -> Result:
        if self._transaction is not None and self._transaction.failed:
            return await self._execute_in_failed(statement)
        transaction = self._begin_implicit()
        ends = isinstance(statement.node, CommitStatement | RollbackStatement | RollbackToStatement)
        if transaction.own is not None and not ends:
            transaction.own.refresh()
        planned = await self._planning.plan(statement, parameters)
        if isinstance(planned, Execute):
            return await self._execute_prepared(planned)
        return await self._run(statement, parameters, planned)

    async def _execute_prepared(self, planned: Execute) -> Result:
        """EXECUTE: the same plan as by the extended protocol's messages."""
        prepared, parameters = planned.prepared, planned.parameters
        assert prepared is not None
        if not prepared.sql:
            return Empty()
        statement, inner = await self._planning.plan_prepared(prepared, parameters)
        return await self._run(statement, parameters, inner)

    async def _run(
        self, statement: Statement, parameters: Sequence[Literal], planned: PlannedStatement
    ) -> Result:
        transaction = self._begin_implicit()
        self._authorize(planned)
        match planned:
            case Begin() | Commit() | Rollback():
                return await self._control(planned)
            case Savepoint() | RollbackTo() | Release():
                return await self._savepoint(planned)
            case DeclareCursor():
                return self._declare(planned, transaction)
            case Fetch():
                return await self._cursors.fetch(planned)
            case CloseCursor():
                return await self._cursors.close(planned)
            case SetVariable(name=name, value=value, local=local):
                return self._set(name, value, local, transaction)
            case ShowVariable(name=None):
                return show_all(self.variables.all())
            case ShowVariable(name=str(name)):
                return show_one(name, self.variables.get(name))
            case Prepare():
                return self._statements.define(planned, self._sequencer.now_us())
            case Deallocate(name=name):
                return self._statements.deallocate(name)
            case Discard(what=what):
                return await self._discard(what, transaction)
            case CopyFrom():
                copy_in = self._sequencer.copy_in(planned, transaction)
                self._copy = planned
                return copy_in
        if self._sequencer.is_definition(planned):
            return await self._define(statement, parameters, planned)
        result = await self._sequencer.execute(planned, self, transaction)
        if isinstance(planned, Select) and isinstance(result, Rows):
            return replace(result, chunks=self._select(statement, parameters, result))
        return result

    async def _select(
        self, statement: Statement, parameters: Sequence[Literal], result: Rows
    ) -> AsyncIterator[Columns]:
        """The rows.  If what is read is dropped before the first of them, the statement is planned again: another relation may
        have taken the name in the same moment, and then readers never find none."""
        begun, schema = False, result.schema
        for attempt in range(MAX_ATTEMPTS):
            try:
                async for chunk in result.chunks:
                    begun = True
                    yield chunk
                return
            except DroppedMeanwhile:
                if begun or attempt == MAX_ATTEMPTS - 1:
                    raise
            planned = await self._planning.plan_anew(statement, parameters)
            self._authorize(planned)
            assert isinstance(planned, Select)
            check_shape(schema, planned.schema)
            again = await self._sequencer.execute(planned, self, self._begin_implicit())
            assert isinstance(again, Rows)
            result = again

    async def _define(
        self, statement: Statement, parameters: Sequence[Literal], planned: PlannedStatement
    ) -> Result:
        transaction = self._transaction
        assert transaction is not None
        refused = refused_in_block(planned)
        if transaction.kind is TransactionKind.EXPLICIT and refused is not None:
            raise Unsupported(
                f"{refused} cannot run inside a transaction block",
                hint="Run the statement outside BEGIN ... COMMIT.",
            )
        # A table is there with its rows, or not at all; and one that ends with the transaction needs one.
        of_transaction = isinstance(planned, CreateTable) and (
            planned.drop_on_commit or planned.query is not None
        )
        if refused is None and (of_transaction or not transaction.single):
            return await self._define_in_block(statement, parameters, planned, transaction)
        await self._end_implicit()
        self._interruption.check()
        if isinstance(planned, ApplyReplacement):
            await self._sequencer.ddl.replacements.ready(planned)  # others may define something meanwhile
        async with self._sequencer.ddl.lock:
            # Planned again under the lock: the catalog may have changed while it was awaited.
            planned = await self._planning.plan_anew(statement, parameters)
            self._authorize(planned)
            return await self._sequencer.define(planned, self, self.notices)

    async def _define_in_block(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: PlannedStatement,
        transaction: Transaction,
    ) -> Result:
        if transaction.read_only:
            raise InvalidTransactionState(
                "cannot define anything in a read-only transaction", sqlstate="25006"
            )
        if transaction.own is None:  # planned again, over what is the block's own from now on
            transaction.define(self._sequencer.catalog)
            planned = await self._planning.plan_anew(statement, parameters)
            self._authorize(planned)
        return await self._sequencer.define_in_block(planned, self, transaction, self.notices)

    async def _execute_in_failed(self, statement: Statement) -> Result:
        assert self._transaction is not None
        if isinstance(statement.node, RollbackToStatement):
            return await self._rollback_to(self._transaction, statement.node.name)
        _check_exit(statement)
        await self._finish()
        return Command("ROLLBACK")

    async def _control(self, planned: Begin | Commit | Rollback) -> Command:
        assert self._transaction is not None
        in_block = self._transaction.kind is TransactionKind.EXPLICIT
        match planned:
            case Begin(read_only=read_only):
                if in_block:
                    self._warn("there is already a transaction in progress", "25001")
                self._transaction.begin_block(read_only)
                return Command("BEGIN")
            case Commit():
                if not in_block:
                    self._warn("there is no transaction in progress", "25P01")
                await self._commit()
                return Command("COMMIT")
            case Rollback():
                if not in_block:
                    self._warn("there is no transaction in progress", "25P01")
                await self._finish()
                return Command("ROLLBACK")

    async def _savepoint(self, planned: Savepoint | RollbackTo | Release) -> Command:
        transaction = self._transaction
        assert transaction is not None
        if transaction.kind is not TransactionKind.EXPLICIT:
            word = {Savepoint: "SAVEPOINT", RollbackTo: "ROLLBACK TO SAVEPOINT", Release: "RELEASE SAVEPOINT"}
            raise InvalidTransactionState(
                f"{word[type(planned)]} can only be used in transaction blocks", sqlstate="25P01"
            )
        match planned:
            case Savepoint(name=name):
                cursors = tuple(self._cursors.open.values())
                transaction.set_savepoint(name, self.variables.state(), cursors)
                return Command("SAVEPOINT")
            case RollbackTo(name=name):
                return await self._rollback_to(transaction, name)
            case Release(name=name):
                transaction.release(name)
                return Command("RELEASE")

    async def _rollback_to(self, transaction: Transaction, name: str) -> Command:
        savepoint = transaction.rollback_to(name)
        self.variables.restore(savepoint.variables)
        await self._cursors.close_others(savepoint.cursors)
        return Command("ROLLBACK")

    def _declare(self, planned: DeclareCursor, transaction: Transaction) -> Command:
        if not planned.hold and not transaction.in_block:
            raise InvalidTransactionState(
                "DECLARE CURSOR can only be used in transaction blocks", sqlstate="25P01"
            )
        self._cursors.check_new(planned.name)
        if isinstance(planned.query, Subscribe):
            rows: AsyncIterator[Columns] = self._sequencer.subscribe(planned.query, self, transaction)
        else:
            rows = self._sequencer.open_cursor(planned.query, self, transaction)
        return self._cursors.declare(planned, rows, self._sequencer.now_us())

    def _set(self, name: str, value: str | None, local: bool, transaction: Transaction) -> Command:
        if name == "all" and value is None:
            self.variables.reset_all()
            return Command("RESET")
        if local and not transaction.in_block:
            self._warn("SET LOCAL can only be used in transaction blocks", "25P01")
        if self.roles.is_one(name):
            self.roles.set(name, value, local=local)
        else:
            self.variables.set(name, value, local=local)
        return Command("RESET" if value is None else "SET")

    async def _discard(self, what: Discarded, transaction: Transaction) -> Command:
        """DISCARD ALL takes effect at once; DISCARD TEMP is a definition, of a block if it is part of one."""
        if what is Discarded.ALL:
            if transaction.in_block:
                raise InvalidTransactionState(
                    "DISCARD ALL cannot run inside a transaction block", sqlstate="25001"
                )
            await self._sequencer.ddl.drop_temporary(self.temp_schema)
            await self._cursors.close_all()
            self._statements.clear()
            self.roles.reset()
            self.variables.reset_all()
            await self._commit()
        elif what is Discarded.TEMP:
            await self._sequencer.discard_temporary(self.temp_schema, transaction)
        return Command(f"DISCARD {what.value}")

    # -- transactions --

    def _begin_implicit(self) -> Transaction:
        if self._transaction is None:
            self._transaction = Transaction(TransactionKind.IMPLICIT, self._sequencer.now_us())
        return self._transaction

    async def _end_implicit(self) -> None:
        if self._transaction is not None and self._transaction.kind is TransactionKind.IMPLICIT:
            await self._commit()

    async def _commit(self) -> None:
        transaction = self._transaction
        try:
            await self._cursors.persist()
            if transaction is not None:
                await self._sequencer.commit(transaction, self)
        except BaseException:
            await self._finish()
            raise
        await self._finish(committed=True)

    async def _finish(self, *, committed: bool = False) -> None:
        if self._transaction is not None:
            self._transaction.end()
        self._transaction = None
        self.variables.end_transaction(committed=committed)
        await self._cursors.end_transaction(committed=committed)

    def _source(self) -> tuple[Catalog, PlanCache]:
        """What statements are planned with: a block that defines something has a catalog of its own."""
        own = self._transaction.own if self._transaction is not None else None
        return (
            (own.catalog, own.plans) if own is not None else (self._sequencer.catalog, self._sequencer.plans)
        )

    def _authorize(self, planned: PlannedStatement) -> None:
        """42501 if the current role may not do that."""
        authorization = self._sequencer.authorization(self._transaction)
        authorization.check(planned, self.actor.role, self.variables.get("cluster"))

    def _context(self) -> PlanContext:
        transaction = self._transaction
        privileges = self._sequencer.authorization(transaction).privileges
        return PlanContext(
            catalog=self._source()[0],
            search_path=self.variables.search_path,
            database=DATABASE,
            user=self.roles.current_user,
            session_user=self.roles.session_user,
            hidden=privileges.hidden_schemas(self.actor.role),
            role=self.roles.role_name,
            privileges=privileges,
            cluster=self.variables.get("cluster"),
            now_us=transaction.now_us if transaction is not None else self._sequencer.now_us(),
            temp_schema=self.temp_schema,
            settings=self.variables.all(),
            zone=self.variables.get("TimeZone"),
            prepared=self._statements,
            cursors=self._cursors.schemas,
        )

    def _warn(self, message: str, sqlstate: str) -> None:
        self.notices.append(Notice("WARNING", message, sqlstate))

    # -- rows that stream --

    def _guard(self, result: Result, *, ends_transaction: bool = False) -> Result:
        """A result that streams stays interruptible while it does, and may end the implicit transaction."""
        if isinstance(result, Rows | CopyOut):
            chunks = self._stream(result.chunks, ends_transaction, result.endless)
            return replace(result, chunks=chunks, zone=self.variables.zone)
        if isinstance(result, CopyIn):
            return replace(result, zone=self.variables.zone)
        return result

    async def _stream(
        self, chunks: AsyncIterator[Columns], ends_transaction: bool, endless: bool
    ) -> AsyncIterator[Columns]:
        try:
            while True:
                async with self._interruption.guarded(endless=endless):
                    chunk = await anext(chunks, None)
                    if chunk is None:
                        if ends_transaction:
                            await self._end_implicit()
                        return
                yield chunk
        finally:
            if isinstance(chunks, Subscription):
                await chunks.aclose()


def _check_exit(statement: Statement) -> None:
    """25P02 for what a block that has failed does not take: all but the ways out of it."""
    if not isinstance(statement.node, CommitStatement | RollbackStatement | RollbackToStatement):
        raise InvalidTransactionState(
            "current transaction is aborted, commands ignored until end of transaction block",
            sqlstate="25P02",
        )
