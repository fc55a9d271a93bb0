"""The transaction of a session: how it begins and ends, its savepoints, and what is left when it has failed.

An implicit one ends with its statement (or message, or at Sync), a block with COMMIT or ROLLBACK.  With it end the variables that
were set for it, and its cursors.
"""

from __future__ import annotations

from collections.abc import Callable

from ...errors import InvalidTransactionState
from ...sql.cache.plan_cache import PlanCache
from ...sql.parser.parse import Statement
from ...sql.plans.session_plans import (
    Begin,
    Commit,
    Release,
    Rollback,
    RollbackTo,
    Savepoint,
    SetTransaction,
)
from ...sql.syntax.session_statements import CommitStatement, RollbackStatement, RollbackToStatement
from ..catalog.catalog import Catalog
from ..introspection.state import OpenSession
from ..results.results import Command, Notice
from ..sequencer.sequencer import Sequencer
from ..transaction.transaction import Transaction, TransactionKind
from .cursors import Cursors

_SAVEPOINT_COMMANDS = {
    Savepoint: "SAVEPOINT",
    RollbackTo: "ROLLBACK TO SAVEPOINT",
    Release: "RELEASE SAVEPOINT",
}


class SessionTransaction:
    """`current` is None between transactions; `notices` receives warnings; `on_end` is called when one ends."""

    def __init__(
        self,
        session: OpenSession,
        sequencer: Sequencer,
        cursors: Cursors,
        notices: list[Notice],
        on_end: Callable[[], None],
    ) -> None:
        self._session = session
        self._sequencer = sequencer
        self._cursors = cursors
        self._notices = notices
        self._on_end = on_end
        self.current: Transaction | None = None

    @property
    def status(self) -> str:
        """As ReadyForQuery says it."""
        if self.current is None or self.current.kind is TransactionKind.IMPLICIT:
            return "I"
        return "E" if self.current.failed else "T"

    @property
    def failed(self) -> bool:
        return self.current is not None and self.current.failed

    def source(self) -> tuple[Catalog, PlanCache]:
        """What statements are planned with: a block that defines something has a catalog of its own."""
        own = self.current.own if self.current is not None else None
        return (
            (own.catalog, own.plans) if own is not None else (self._sequencer.catalog, self._sequencer.plans)
        )

    # -- beginning and end --

    def begin_implicit(self) -> Transaction:
        """The transaction of the statement that runs: a new one, unless there is one."""
        if self.current is None:
            self.current = Transaction(TransactionKind.IMPLICIT, self._sequencer.now_us())
            self._session.variables.begin_transaction()
        return self.current

    async def end_implicit(self) -> None:
        if self.current is not None and self.current.kind is TransactionKind.IMPLICIT:
            await self.commit()

    async def commit(self) -> None:
        """Makes durable what it has written and defined; if that fails, it has ended without."""
        try:
            await self._cursors.persist()
            if self.current is not None:
                await self._sequencer.commit(self.current, self._session)
        except BaseException:
            await self.finish()
            raise
        await self.finish(committed=True)

    async def finish(self, *, committed: bool = False) -> None:
        if self.current is not None:
            self.current.end()
            self._on_end()
        self.current = None
        self._session.variables.end_transaction(committed=committed)
        await self._cursors.end_transaction(committed=committed)

    async def fail(self) -> None:
        """Discards what it would have written, in a block what it would have since its last savepoint; a block stays until it is
        ended or goes back to one."""
        if self.current is not None:
            self.current.fail()
            if self.current.kind is TransactionKind.IMPLICIT:
                await self.finish()

    async def leave_failed(self, statement: Statement) -> Command:
        """Executes a way out of a block that has failed; 25P02 for anything else."""
        assert self.current is not None
        if isinstance(statement.node, RollbackToStatement):
            return await self._rollback_to(self.current, statement.node.name)
        check_exit(statement)
        await self.finish()
        return Command("ROLLBACK")

    # -- its statements --

    async def control(self, planned: Begin | Commit | Rollback) -> Command:
        transaction = self.begin_implicit()
        in_block = transaction.kind is TransactionKind.EXPLICIT
        match planned:
            case Begin(read_only=read_only, start=start):
                if in_block:
                    self._warn("there is already a transaction in progress", "25001")
                if read_only is not None:
                    self._choose_mode(read_only, transaction)
                transaction.begin_block()
                return Command("START TRANSACTION" if start else "BEGIN")
            case Commit():
                if not in_block:
                    self._warn("there is no transaction in progress", "25P01")
                await self.commit()
                return Command("COMMIT")
            case Rollback():
                if not in_block:
                    self._warn("there is no transaction in progress", "25P01")
                await self.finish()
                return Command("ROLLBACK")

    def set_mode(self, planned: SetTransaction) -> Command:
        transaction = self.begin_implicit()
        if not transaction.in_block:
            self._warn("SET TRANSACTION can only be used in transaction blocks", "25P01")
        elif planned.read_only is not None:
            self._choose_mode(planned.read_only, transaction)
        return Command("SET")

    def _choose_mode(self, read_only: bool, transaction: Transaction) -> None:
        variables = self._session.variables
        if variables.read_only and not read_only:
            transaction.check_may_write()
        variables.set("transaction_read_only", "on" if read_only else "off", local=True)

    async def savepoint(self, planned: Savepoint | RollbackTo | Release) -> Command:
        transaction = self.begin_implicit()
        if transaction.kind is not TransactionKind.EXPLICIT:
            command = _SAVEPOINT_COMMANDS[type(planned)]
            raise InvalidTransactionState(
                f"{command} can only be used in transaction blocks", sqlstate="25P01"
            )
        match planned:
            case Savepoint(name=name):
                cursors = tuple(self._cursors.open.values())
                transaction.set_savepoint(name, self._session.variables.state(), cursors)
                return Command("SAVEPOINT")
            case RollbackTo(name=name):
                return await self._rollback_to(transaction, name)
            case Release(name=name):
                transaction.release(name)
                return Command("RELEASE")

    async def _rollback_to(self, transaction: Transaction, name: str) -> Command:
        savepoint = transaction.rollback_to(name)
        self._session.variables.restore(savepoint.variables)
        await self._cursors.close_others(savepoint.cursors)
        return Command("ROLLBACK")

    def _warn(self, message: str, sqlstate: str) -> None:
        self._notices.append(Notice("WARNING", message, sqlstate))


def check_exit(statement: Statement) -> None:
    """25P02 for what a block that has failed does not take: all but the ways out of it."""
    if not isinstance(statement.node, CommitStatement | RollbackStatement | RollbackToStatement):
        raise InvalidTransactionState(
            "current transaction is aborted, commands ignored until end of transaction block",
            sqlstate="25P02",
        )
