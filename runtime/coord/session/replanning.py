"""Statements that are planned again, as what they were planned over was dropped or altered before they read it.

```
plan ── another session: DROP a; ALTER b RENAME TO a ── read: DroppedMeanwhile ── plan again ── read the new a
```

PostgreSQL locks what a statement names, and a drop waits.  Here nothing is locked: of a statement that has shown and
written nothing yet, nobody can tell that it did not begin later.  What names a relation that another takes the name of in one
transaction therefore never finds none.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace

from ...errors import AlteredMeanwhile, DroppedMeanwhile
from ...expr.tree.scalar import Literal
from ...repr.schema import Schema
from ...sql.parser.parse import Statement
from ...sql.plans.data_plans import CopyTo
from ...sql.plans.plans import PlannedStatement
from ...sql.plans.query_plans import Select
from ...sql.plans.session_plans import DeclareCursor
from ..results.results import Columns, CopyOut, Result, Rows, check_shape
from ..transaction.transaction import Transaction

MAX_ATTEMPTS = 10
"""So often a statement is planned whose relations are dropped under it."""


class Replanning:
    """`plan` plans a statement over the catalog as it is, and checks that its role may execute it."""

    def __init__(self, plan: Callable[[Statement, Sequence[Literal]], Awaitable[PlannedStatement]]) -> None:
        self._plan = plan

    async def execute(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: PlannedStatement,
        execute: Callable[[PlannedStatement], Awaitable[Result]],
        transaction: Transaction,
    ) -> Result:
        """What `execute` makes of the statement.  It runs again while the transaction has nothing of it; the rows of a
        query, until the first of them has been taken."""
        result = await self._executed(statement, parameters, planned, execute, transaction)
        query = query_of(planned)
        if query is None or not isinstance(result, Rows | CopyOut):
            return result

        async def opened(planned: PlannedStatement) -> AsyncIterator[Columns]:
            again = await execute(planned)
            assert isinstance(again, Rows | CopyOut)
            return again.chunks

        return replace(result, chunks=self.rows(statement, parameters, query.schema, result.chunks, opened))

    async def _executed(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        planned: PlannedStatement,
        execute: Callable[[PlannedStatement], Awaitable[Result]],
        transaction: Transaction,
    ) -> Result:
        written = transaction.extent()
        for _ in range(MAX_ATTEMPTS - 1):
            try:
                return await execute(planned)
            except (DroppedMeanwhile, AlteredMeanwhile):
                if transaction.single:
                    transaction.forget()
                elif transaction.extent() != written:
                    raise
            planned = await self._plan(statement, parameters)
        return await execute(planned)

    async def rows(
        self,
        statement: Statement,
        parameters: Sequence[Literal],
        schema: Schema,
        chunks: AsyncIterator[Columns],
        opened: Callable[[PlannedStatement], Awaitable[AsyncIterator[Columns]]],
    ) -> AsyncIterator[Columns]:
        """The rows of a query, `chunks`, or those that it has when it is planned and `opened` again."""
        begun = False
        for attempt in range(MAX_ATTEMPTS):
            try:
                async for chunk in chunks:
                    begun = True
                    yield chunk
                return
            except DroppedMeanwhile:
                if begun or attempt == MAX_ATTEMPTS - 1:
                    raise
            planned = await self._plan(statement, parameters)
            query = query_of(planned)
            check_shape(schema, None if query is None else query.schema)
            chunks = await opened(planned)


def query_of(planned: PlannedStatement) -> Select | None:
    """The query whose rows the statement hands out, as they are asked for."""
    match planned:
        case Select():
            return planned
        case CopyTo(query=Select() as query) | DeclareCursor(query=Select() as query):
            return query
        case _:
            return None
