"""A session: one client's messages, and what lasts from one to the next.

```
message ── Session: which transaction, until when ── Execution: planned, authorized ── Sequencer ── reply
           SessionTransaction                        Planning
```

Text comes in, results go out; what a statement means is `sql`'s, what it does `sequencer`'s.  A definition by itself takes effect
at once; those of a block, or of a message of several statements, with the transaction.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, MutableMapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from ...config import DATABASE
from ...errors import PtvcError
from ...expr.datetimes.zones import Zone
from ...expr.tree.scalar import Literal
from ...sql.catalog.catalog_view import PlanContext, Prepared
from ...sql.plans.session_plans import CloseCursor
from ..activity import Activity
from ..audit.author import AUTHOR
from ..backend import Backend
from ..catalog.actor import Actor
from ..catalog.items import TEMP_SCHEMA_PREFIX
from ..query.subscription import Subscription
from ..results.cursor import Cursor
from ..results.results import Columns, Command, CopyIn, CopyOut, Empty, Notice, OneChunk, Result, Rows
from ..sequencer.sequencer import Sequencer
from ..settings import SEVERITIES
from ..variables import Variables
from .advisory_locks import AdvisoryLocks
from .cursors import Cursors
from .execution import Execution
from .interruption import Guarded, IdleTimeout, Interruption, idle_timeout
from .planning import Planning
from .prepared import PreparedStatements, parameter_type
from .server_calls import ServerCalls
from .session_roles import SessionRoles
from .session_transaction import SessionTransaction, check_exit

logger = logging.getLogger(__name__)


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
        backend: Backend,
        peers: Callable[[], Iterable[Session]],
        locks: AdvisoryLocks,
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
        self.backend = backend
        self.activity = Activity.begun(sequencer.now_us)
        self._on_close = on_close
        self._calls = ServerCalls(self, locks, peers)
        self._last = False  # whether the implicit transaction ends with the statement that runs
        self._statements = PreparedStatements()
        self._cursors = Cursors(sequencer.answers)
        self._interruption = Interruption(variables)
        self._transaction = SessionTransaction(
            self, sequencer, self._cursors, self.notices, self._calls.end_transaction
        )
        self._planning = Planning(
            self._transaction.source, self.temp_schema, self._context, variables, self.roles
        )
        self._execution = Execution(
            self,
            sequencer,
            self._planning,
            self._transaction,
            self._cursors,
            self._statements,
            self.roles,
            self._interruption,
            self.notices,
            self.temp_schema,
            self._calls,
        )

    def _guarded(self, *, endless: bool = False) -> Guarded:
        """A part of a statement, which can be interrupted, and whose author is this session."""
        AUTHOR.set(self)
        return self._interruption.guarded(endless=endless)

    # -- what pgwire asks --

    @property
    def transaction_status(self) -> str:
        return self._transaction.status

    @property
    def transaction_us(self) -> int | None:
        """When the transaction began that is open."""
        return None if self._transaction.current is None else self._transaction.current.now_us

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
        """Those that the client wants to see (`client_min_messages`)."""
        if not self.notices:
            return []
        least = SEVERITIES.index(self.variables.get("client_min_messages"))
        notices = [notice for notice in self.notices if SEVERITIES.index(notice.severity.lower()) >= least]
        self.notices.clear()
        return notices

    @property
    def idle_timeout(self) -> IdleTimeout | None:
        return idle_timeout(self.variables, in_block=self.transaction_status != "I")

    # -- what calls of functions need --

    def setting(self, name: str) -> str:
        return self.variables.get(name)

    def set(self, name: str, value: str | None, *, local: bool) -> None:
        self._execution.set_setting(name, value, local=local)

    @property
    def zone(self) -> Zone | None:
        return self.variables.zone

    async def prepare(self, sql: str, parameter_oids: Sequence[int]) -> Prepared:
        with self._guarded():
            statements = await self._planning.parse(sql)
            if not statements:
                return Prepared("", (), None)
            if len(statements) > 1:
                raise PtvcError("cannot insert multiple commands into a prepared statement", sqlstate="42601")
            if self._transaction.failed:
                check_exit(statements[0])
            types = tuple(map(parameter_type, parameter_oids))
            prepared = await self._planning.describe(statements[0], types)
            return replace(prepared, prepared_us=self._sequencer.now_us())

    async def execute(
        self, prepared: Prepared, parameters: Sequence[Literal], *, last: bool = False
    ) -> Result:
        """`last`: nothing follows before Sync, so that a first statement is the only one of its transaction."""
        if not prepared.sql:
            return Empty()
        self.activity.runs(prepared.sql)
        with self._guarded():
            statements = await self._planning.parse(prepared.sql)
            first, self._last = self._transaction.current is None, False
            transaction = self._transaction.begin_implicit()
            transaction.first, transaction.batch = first, not (first and last)
            return self._guard(await self._execution.execute(statements[0], parameters))

    async def execute_simple(self, sql: str) -> AsyncIterator[Result]:
        """Writes and definitions of all statements commit together at the end, or before one that no block can have."""
        self.activity.runs(sql)
        values: tuple[Literal, ...] = ()
        with self._guarded():
            look_up = None if self._transaction.failed else await self._planning.look_up(sql)
            if look_up is None:
                statements = await self._planning.parse(sql)
            else:
                statements, values = [look_up[0]], look_up[1]
        if not statements:
            yield Empty()
        for index, statement in enumerate(statements):
            with self._guarded():
                transaction = self._transaction.begin_implicit()
                transaction.batch = len(statements) > 1
                transaction.first = not transaction.batch
                self._last = last = index == len(statements) - 1
                result = await self._execution.execute(statement, values)
                if last and (_is_there(result) or not isinstance(result, CopyIn | Rows | CopyOut)):
                    await self._transaction.end_implicit()
            # Rows are computed while they are sent: an error among them must find the transaction open.
            yield self._guard(result, ends_transaction=last)
        self.activity.rests()

    async def copy_in(self, columns: AsyncIterator[Columns]) -> Command:
        with self._guarded():
            command = await self._execution.copy_from(columns)
            if self._last:
                await self._transaction.end_implicit()
            return command

    async def sync(self) -> None:
        with self._guarded():
            await self._transaction.end_implicit()
        self.activity.rests()

    async def fail(self) -> None:
        """Discards what the transaction would have written, in a block what it would have since its last savepoint; a block
        stays until it is ended or goes back to one."""
        self.activity.rests()
        self._execution.fail()
        await self._transaction.fail()

    def cancel(self) -> None:
        self._interruption.cancel()

    async def close(self) -> None:
        await self._transaction.finish()
        self._calls.end_session()
        await self._cursors.close_all()
        self._on_close(self)
        try:
            await self._sequencer.ddl.drop_temporary(self.temp_schema)
        except PtvcError as error:  # maintenance tries it again
            logger.warning("temporary objects of a session that has ended are dropped later: %s", error)

    def _context(self) -> PlanContext:
        transaction = self._transaction.current
        privileges = self._sequencer.authorization(transaction).privileges
        return PlanContext(
            catalog=self._transaction.source()[0],
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
            pid=self.backend.pid,
            statement_us=self._sequencer.now_us(),
        )

    # -- rows that stream --

    def _guard(self, result: Result, *, ends_transaction: bool = False) -> Result:
        """A result that streams stays interruptible while it does, and may end the implicit transaction."""
        if _is_there(result):
            return result
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
                with self._guarded(endless=endless):
                    chunk = await anext(chunks, None)
                    if chunk is None:
                        if ends_transaction:
                            await self._transaction.end_implicit()
                        return
                yield chunk
        finally:
            if isinstance(chunks, Subscription):
                await chunks.aclose()


def _is_there(result: Result) -> TypeGuard[Rows]:
    """Whether it is rows that are all computed."""
    return isinstance(result, Rows) and isinstance(result.chunks, OneChunk)
