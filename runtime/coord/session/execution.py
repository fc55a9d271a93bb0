"""The execution of one statement.

```
execute ── planned ── authorized ─┬─ the session's own: transactions, cursors, variables, prepared statements
                                  ├─ definitions: at once and by themselves, or part of the transaction
                                  └─ everything else: the sequencer
```
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Sequence
from dataclasses import replace

from ...errors import DroppedMeanwhile, InvalidTransactionState, Unsupported
from ...expr.tree.scalar import Literal
from ...sql.parser.parse import Statement
from ...sql.plans.data_plans import CopyFrom, Replay
from ...sql.plans.definition_plans import ApplyReplacement, CreateSource, CreateSourceTable, CreateTable
from ...sql.plans.plans import PlannedStatement
from ...sql.plans.query_plans import Calling, Subscribe
from ...sql.plans.session_plans import (
    Begin,
    CloseCursor,
    Commit,
    Deallocate,
    DeclareCursor,
    Discard,
    Execute,
    Fetch,
    NoOp,
    Prepare,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
    SetTransaction,
    SetVariable,
    ShowVariable,
)
from ...sql.syntax.session_statements import CommitStatement, RollbackStatement, RollbackToStatement
from ...sql.syntax.vocabulary import Discarded
from ..ddl import refused_in_block
from ..introspection.state import OpenSession
from ..results.results import Columns, Command, CopyIn, Empty, Notice, Result, Rows
from ..results.show import show_all, show_one
from ..sequencer.sequencer import Sequencer
from ..transaction.read_only import refuse_write
from ..transaction.transaction import Transaction, TransactionKind
from .cursors import Cursors
from .interruption import Interruption
from .planning import Planning
from .prepared import PreparedStatements
from .replanning import Replanning, query_of
from .server_calls import ServerCalls
from .session_roles import SessionRoles
from .session_transaction import SessionTransaction


class Execution:
    """Of one session, in its transaction.  `temp_schema` is the schema of its temporary objects."""

    def __init__(
        self,
        session: OpenSession,
        sequencer: Sequencer,
        planning: Planning,
        transaction: SessionTransaction,
        cursors: Cursors,
        statements: PreparedStatements,
        roles: SessionRoles,
        interruption: Interruption,
        notices: list[Notice],
        temp_schema: str,
        calls: ServerCalls,
    ) -> None:
        self._session = session
        self._sequencer = sequencer
        self._planning = planning
        self._transaction = transaction
        self._cursors = cursors
        self._statements = statements
        self._roles = roles
        self._interruption = interruption
        self._notices = notices
        self._temp_schema = temp_schema
        self._calls = calls
        self._replanning = Replanning(self._planned_anew)
        self._copy: CopyFrom | None = None

    async def execute(self, statement: Statement, parameters: Sequence[Literal]) -> Result:
        if self._transaction.failed:
            return await self._transaction.leave_failed(statement)
        transaction = self._transaction.begin_implicit()
        ends = isinstance(statement.node, CommitStatement | RollbackStatement | RollbackToStatement)
        if transaction.own is not None and not ends:
            transaction.own.refresh()
        if (found := await self._look_up(statement, parameters, transaction)) is not None:
            return found
        planned = await self._planning.plan(statement, parameters)
        if isinstance(planned, Execute):  # the same plan as by the extended protocol's messages
            prepared, parameters = planned.prepared, planned.parameters
            assert prepared is not None
            if not prepared.sql:
                return Empty()
            statement, planned = await self._planning.plan_prepared(prepared, parameters)
        if self._session.variables.read_only:
            refuse_write(planned, self._transaction.source()[0])
        self._authorize(planned)
        self._planning.allowed(statement, parameters)
        return await self._run(statement, parameters, planned, transaction)

    async def _look_up(
        self, statement: Statement, parameters: Sequence[Literal], transaction: Transaction
    ) -> Rows | None:
        """The rows of a look-up by an index that was executed before; None for everything else, and where that is not enough."""
        if transaction.own is not None:
            return None
        plan = self._planning.look_up_plan(statement, parameters)
        keys = None if plan is None else plan.keys(parameters)
        if plan is None or keys is None or not plan.own.isdisjoint(transaction.writes):
            return None
        return await self._sequencer.look_up(plan, keys, self._session, transaction)

    async def copy_from(self, columns: AsyncIterator[Columns]) -> Command:
        """What the client sends for the COPY FROM that was executed last."""
        assert self._copy is not None
        copy, self._copy = self._copy, None
        return await self._sequencer.copy_from(
            copy, columns, self._session, self._transaction.begin_implicit()
        )

    def fail(self) -> None:
        """An error was sent: no COPY FROM is under way any more."""
        self._copy = None

    def _authorize(self, planned: PlannedStatement) -> None:
        """42501 if the current role may not do that."""
        authorization = self._sequencer.authorization(self._transaction.current)
        authorization.check(planned, self._session.actor.role, self._session.variables.get("cluster"))

    async def _run(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: PlannedStatement,
        transaction: Transaction,
    ) -> Result:
        variables = self._session.variables
        match planned:
            case Begin() | Commit() | Rollback():
                return await self._transaction.control(planned)
            case Savepoint() | RollbackTo() | Release():
                return await self._transaction.savepoint(planned)
            case DeclareCursor():
                return self._declare(statement, parameters, planned, transaction)
            case Fetch():
                return await self._cursors.fetch(planned)
            case CloseCursor():
                return await self._cursors.close(planned)
            case SetTransaction():
                return self._transaction.set_mode(planned)
            case SetVariable():
                return self._set(planned, transaction)
            case ShowVariable(name=None):
                return show_all(variables.all())
            case ShowVariable(name=str(name)):
                return show_one(name, variables.get(name))
            case Prepare():
                return self._statements.define(planned, self._sequencer.now_us())
            case Deallocate(name=name):
                return self._statements.deallocate(name)
            case Discard(what=what):
                return await self._discard(what, transaction)
            case NoOp(tag=tag, notices=notices):
                self._notices.extend(Notice("NOTICE", text, "00000") for text in notices)
                return Command(tag)
            case Replay():
                implicit = self._transaction.begin_implicit()
                self._notices.append(await self._sequencer.replay(planned, self._session, implicit))
                return Command("ALTER SOURCE")
            case CopyFrom():
                copy_in: CopyIn = self._sequencer.copy_in(planned, transaction)
                self._copy = planned
                return copy_in
        if self._sequencer.is_definition(planned):
            return await self._define(statement, parameters, planned, transaction)

        def execute(planned: PlannedStatement) -> Awaitable[Result]:
            query = planned.query if isinstance(planned, Calling) else planned
            return self._sequencer.execute(query, self._session, self._transaction.begin_implicit())

        result = await self._replanning.execute(statement, parameters, planned, execute, transaction)
        if isinstance(planned, Calling):
            assert isinstance(result, Rows)
            return replace(result, schema=planned.schema, chunks=self._calls.called(planned, result.chunks))
        return result

    async def _planned_anew(self, statement: Statement, parameters: Sequence[Literal]) -> PlannedStatement:
        planned = await self._planning.plan_anew(statement, parameters)
        self._authorize(planned)
        return planned

    # -- definitions --

    async def _define(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: PlannedStatement,
        transaction: Transaction,
    ) -> Result:
        refused = refused_in_block(planned)
        if transaction.kind is TransactionKind.EXPLICIT and refused is not None:
            raise Unsupported(
                f"{refused} cannot run inside a transaction block",
                hint="Run the statement outside BEGIN ... COMMIT.",
            )
        if isinstance(planned, CreateSource | CreateSourceTable) and planned.wanted:
            statement = await self._sequencer.with_wanted(statement, planned, transaction)
            planned = await self._planned_anew(statement, parameters)
        # A table is there with its rows, or not at all; and one that ends with the transaction needs one.
        of_transaction = isinstance(planned, CreateTable) and (
            planned.drop_on_commit or planned.query is not None
        )
        if isinstance(planned, ApplyReplacement):  # others may define something meanwhile
            await self._sequencer.ddl.replacements.ready((planned.id, planned.replacement))
        await self._sequencer.ready_to_define(planned, transaction)
        if await self._sequencer.ddl.settle_sinks() and transaction.own is not None:
            transaction.own.refresh()
            planned = await self._planned_anew(statement, parameters)
        if refused is None and (of_transaction or not transaction.single):
            return await self._define_in_block(statement, parameters, planned, transaction)
        await self._transaction.end_implicit()
        self._interruption.check()
        async with self._sequencer.ddl.lock:
            # Planned again under the lock: the catalog may have changed while it was awaited.
            planned = await self._planned_anew(statement, parameters)
            command = await self._sequencer.define(planned, self._session, self._notices)
        if command.rest is not None:
            await command.rest()
        return command

    async def _define_in_block(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: PlannedStatement,
        transaction: Transaction,
    ) -> Result:
        if transaction.own is None:  # planned again, over what is the block's own from now on
            transaction.define(self._sequencer.catalog)
            planned = await self._planned_anew(statement, parameters)
        return await self._sequencer.define_in_block(planned, self._session, transaction, self._notices)

    # -- what is the session's own --

    def _declare(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: DeclareCursor,
        transaction: Transaction,
    ) -> Command:
        if not planned.hold and not transaction.in_block:
            raise InvalidTransactionState(
                "DECLARE CURSOR can only be used in transaction blocks", sqlstate="25P01"
            )
        self._cursors.check_new(planned.name)
        if isinstance(planned.query, Subscribe):
            rows: AsyncIterator[Columns] = self._sequencer.subscribe(
                planned.query, self._session, transaction
            )
        else:
            first, again = self._sequencer.open_cursor(planned.query, self._session, transaction)
            names = self._naming

            async def opened(planned: PlannedStatement) -> AsyncIterator[Columns]:
                query = query_of(planned)
                assert query is not None
                if self._naming != names:
                    raise DroppedMeanwhile(
                        "a relation that the cursor reads was dropped after it was declared"
                    )
                return again(query)

            rows = self._replanning.rows(statement, parameters, planned.query.schema, first, opened)
        return self._cursors.declare(planned, rows, self._sequencer.now_us())

    @property
    def _naming(self) -> tuple[object, ...]:
        """What the names of a statement depend on, apart from the catalog."""
        return self._session.variables.search_path, self._roles.role_name

    def _set(self, planned: SetVariable, transaction: Transaction) -> Command:
        if planned.reset and planned.name == "all":
            self._session.variables.reset_all()
            return Command("RESET")
        if planned.local and not transaction.in_block:
            warning = "SET LOCAL can only be used in transaction blocks"
            self._notices.append(Notice("WARNING", warning, "25P01"))
        self.set_setting(planned.name, planned.value, local=planned.local)
        return Command("RESET" if planned.reset else "SET")

    def set_setting(self, name: str, value: str | None, *, local: bool) -> None:
        """Sets a session variable, of the transaction if `local`; 25001 for one that the transaction may not change any more."""
        if self._roles.is_one(name):
            self._roles.set(name, value, local=local)
            return
        variables = self._session.variables
        before, state = variables.read_only, variables.state()
        variables.set(name, value, local=local)
        if before and not variables.read_only:
            try:
                self._transaction.begin_implicit().check_may_write()
            except InvalidTransactionState:
                variables.restore(state)
                raise

    async def _discard(self, what: Discarded, transaction: Transaction) -> Command:
        """DISCARD ALL takes effect at once; DISCARD TEMP is a definition, of a block if it is part of one."""
        if what is Discarded.ALL:
            if transaction.in_block:
                raise InvalidTransactionState(
                    "DISCARD ALL cannot run inside a transaction block", sqlstate="25001"
                )
            await self._sequencer.ddl.drop_temporary(self._temp_schema)
            await self._cursors.close_all()
            self._statements.clear()
            self._calls.end_session()
            self._roles.reset()
            self._session.variables.reset_all()
            await self._transaction.commit()
        elif what is Discarded.TEMP:
            await self._sequencer.discard_temporary(self._temp_schema, transaction)
        return Command(f"DISCARD {what.value}")
