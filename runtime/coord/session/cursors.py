"""The cursors of a session, by name: what statements and the ends of transactions do to them.

A cursor ends with its transaction, or with the savepoint's rollback behind which it was declared.  One WITH HOLD is computed
to its end before its transaction commits, and then belongs to the session.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

from ...errors import PtvcError
from ...repr.schema import Schema
from ...sql.plans.query_plans import Select, Subscribe
from ...sql.plans.session_plans import CloseCursor, DeclareCursor, Fetch
from ..query.subscription_cursor import SubscriptionCursor
from ..results.cursor import Cursor
from ..results.results import Columns, Command, Rows


class Cursors:
    """`directory` receives rows that were not fetched yet."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._open: dict[str, Cursor] = {}
        self._schemas: dict[str, Schema] = {}

    @property
    def open(self) -> Mapping[str, Cursor]:
        return self._open

    @property
    def schemas(self) -> Mapping[str, Schema]:
        """What each shows; the same object always."""
        return self._schemas

    def check_new(self, name: str) -> None:
        """Raises 42P03 for a name that is taken."""
        if name in self._open:
            raise PtvcError(f'cursor "{name}" already exists', sqlstate="42P03")

    def declare(self, planned: DeclareCursor, rows: AsyncIterator[Columns], now_us: int) -> Command:
        kind = SubscriptionCursor if isinstance(planned.query, Subscribe) else Cursor
        self._open[planned.name] = kind(
            planned.name,
            planned.text,
            planned.query.schema,
            rows,
            hold=planned.hold,
            binary=planned.binary,
            born_us=now_us,
            whole=isinstance(planned.query, Select) and bool(planned.query.finishing.order),
            directory=self._directory,
        )
        self._schemas[planned.name] = planned.query.schema
        return Command("DECLARE CURSOR")

    async def fetch(self, planned: Fetch) -> Rows | Command:
        cursor = self._find(planned.name)
        if planned.move:
            return Command(f"MOVE {await cursor.move(planned.direction, planned.count)}")
        if isinstance(cursor, SubscriptionCursor):
            arrived = cursor.arrived(planned.direction, planned.count, planned.timeout_ms)
            return Rows(cursor.schema, arrived, "FETCH", binary=cursor.binary)
        fetched = await cursor.fetch(planned.direction, planned.count)
        return Rows(cursor.schema, fetched, "FETCH", binary=cursor.binary)

    async def close(self, planned: CloseCursor) -> Command:
        if planned.name is None:
            await self.close_all()
            return Command("CLOSE CURSOR ALL")
        await self._drop(self._find(planned.name))
        return Command("CLOSE CURSOR")

    async def close_all(self) -> None:
        await self.close_others(())

    async def close_others(self, kept: tuple[Cursor, ...]) -> None:
        """Closes those that are not `kept`: what were open when a savepoint was set."""
        for cursor in list(self._open.values()):
            if cursor not in kept:
                await self._drop(cursor)

    async def persist(self) -> None:
        """Before a commit: computes those that are to outlive it.  Raises the error that there is among their rows."""
        for cursor in self._open.values():
            if cursor.hold and not cursor.held and not cursor.failed:
                await cursor.persist()

    async def end_transaction(self, *, committed: bool) -> None:
        for cursor in list(self._open.values()):
            if committed and cursor.hold and not cursor.failed:
                cursor.held = True
            elif not cursor.held:
                await self._drop(cursor)

    def _find(self, name: str) -> Cursor:
        cursor = self._open.get(name)
        if cursor is None:
            raise PtvcError(f'cursor "{name}" does not exist', sqlstate="34000")
        return cursor

    async def _drop(self, cursor: Cursor) -> None:
        del self._open[cursor.name]
        del self._schemas[cursor.name]
        await cursor.close()
