"""The execution of one statement.

```
execute ── planned ── authorized ─┬─ the session's own: transactions, cursors, variables, prepared statements
                                  ├─ definitions: at once and by themselves, or part of the transaction
                                  └─ everything else: the sequencer
```
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

from ...errors import DroppedMeanwhile, InvalidTransactionState, Unsupported
from ...expr.tree.scalar import Literal
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
from ..ddl import refused_in_block
from ..introspection.state import OpenSession
from ..results.results import Columns, Command, CopyIn, Empty, Notice, Result, Rows, check_shape
from ..results.show import show_all, show_one
from ..sequencer.sequencer import Sequencer
from ..transaction.transaction import Transaction, TransactionKind
from .cursors import Cursors
from .interruption import Interruption
from .planning import Planning
from .prepared import PreparedStatements
from .session_roles import SessionRoles
from .session_transaction import SessionTransaction

MAX_ATTEMPTS = 10
"""So often a query is planned anew whose relations are dropped under it."""


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
        self._copy: CopyFrom | None = None

    async def execute(self, statement: Statement, parameters: Sequence[Literal]) -> Result:
        if self._transaction.failed:
            return await self._transaction.leave_failed(statement)
        transaction = self._transaction.begin_implicit()
        ends = isinstance(statement.node, CommitStatement | RollbackStatement | RollbackToStatement)
        if transaction.own is not None and not ends:
            transaction.own.refresh()
        planned = await self._planning.plan(statement, parameters)
        if isinstance(planned, Execute):  # the same plan as by the extended protocol's messages
            prepared, parameters = planned.prepared, planned.parameters
            assert prepared is not None
            if not prepared.sql:
                return Empty()
            statement, planned = await self._planning.plan_prepared(prepared, parameters)
        self._authorize(planned)
        return await self._run(statement, parameters, planned, transaction)

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
                return self._declare(planned, transaction)
            case Fetch():
                return await self._cursors.fetch(planned)
            case CloseCursor():
                return await self._cursors.close(planned)
            case SetVariable(name=name, value=value, local=local):
                return self._set(name, value, local, transaction)
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
            case CopyFrom():
                copy_in: CopyIn = self._sequencer.copy_in(planned, transaction)
                self._copy = planned
                return copy_in
        if self._sequencer.is_definition(planned):
            return await self._define(statement, parameters, planned, transaction)
        result = await self._sequencer.execute(planned, self._session, transaction)
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
            transaction = self._transaction.begin_implicit()
            again = await self._sequencer.execute(planned, self._session, transaction)
            assert isinstance(again, Rows)
            result = again

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
        # A table is there with its rows, or not at all; and one that ends with the transaction needs one.
        of_transaction = isinstance(planned, CreateTable) and (
            planned.drop_on_commit or planned.query is not None
        )
        if refused is None and (of_transaction or not transaction.single):
            return await self._define_in_block(statement, parameters, planned, transaction)
        await self._transaction.end_implicit()
        self._interruption.check()
        if isinstance(planned, ApplyReplacement):
            await self._sequencer.ddl.replacements.ready(planned)  # others may define something meanwhile
        async with self._sequencer.ddl.lock:
            # Planned again under the lock: the catalog may have changed while it was awaited.
            planned = await self._planning.plan_anew(statement, parameters)
            self._authorize(planned)
            return await self._sequencer.define(planned, self._session, self._notices)

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
        return await self._sequencer.define_in_block(planned, self._session, transaction, self._notices)

    # -- what is the session's own --

    def _declare(self, planned: DeclareCursor, transaction: Transaction) -> Command:
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
            rows = self._sequencer.open_cursor(planned.query, self._session, transaction)
        return self._cursors.declare(planned, rows, self._sequencer.now_us())

    def _set(self, name: str, value: str | None, local: bool, transaction: Transaction) -> Command:
        if name == "all" and value is None:
            self._session.variables.reset_all()
            return Command("RESET")
        if local and not transaction.in_block:
            warning = "SET LOCAL can only be used in transaction blocks"
            self._notices.append(Notice("WARNING", warning, "25P01"))
        if self._roles.is_one(name):
            self._roles.set(name, value, local=local)
        else:
            self._session.variables.set(name, value, local=local)
        return Command("RESET" if value is None else "SET")

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
            self._roles.reset()
            self._session.variables.reset_all()
            await self._transaction.commit()
        elif what is Discarded.TEMP:
            await self._sequencer.discard_temporary(self._temp_schema, transaction)
        return Command(f"DISCARD {what.value}")
