"""What pgwire needs from the coordinator: a session, and a factory that opens one per connection.

pgwire calls a session from one task at a time, except for `cancel`, which another task may call while a statement
runs; it is never called between statements.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..coord.backend import Backend
from ..coord.results.cursor import Cursor
from ..coord.results.results import Columns, Command, Notice, Result
from ..coord.session.interruption import IdleTimeout
from ..expr.datetimes.zones import Zone
from ..expr.tree.scalar import Literal
from ..sql.catalog.catalog_view import Prepared
from .scram import ScramSecret


class SessionLike(Protocol):
    @property
    def transaction_status(self) -> str:
        """`I` outside a transaction block, `T` inside one, `E` inside one that has failed."""

    @property
    def statements(self) -> MutableMapping[str, Prepared]:
        """Named prepared statements: filled by Parse here and by PREPARE in SQL, emptied by DEALLOCATE and
        DISCARD."""

    @property
    def zone(self) -> Zone | None:
        """The session's time zone, for parameters in text; None: UTC."""

    @property
    def cursors(self) -> Mapping[str, Cursor]:
        """What DECLARE has made, and CLOSE and the ends of transactions have left: portals, to Describe and Close."""

    async def close_cursor(self, name: str) -> None:
        """Closes one of them."""

    def parameter_status(self) -> Mapping[str, str]:
        """Settings to report at start-up."""

    def pop_parameter_changes(self) -> list[tuple[str, str]]:
        """Reported settings that have changed since the last call."""

    def pop_notices(self) -> list[Notice]: ...

    @property
    def idle_timeout(self) -> IdleTimeout | None:
        """After how long without a message the connection ends; None: never."""

    async def prepare(self, sql: str, parameter_oids: Sequence[int]) -> Prepared:
        """Parse and describe one statement; an empty one has `sql == ""`.  OID 0 leaves a type to inference."""

    async def execute(
        self, prepared: Prepared, parameters: Sequence[Literal], *, last: bool = False
    ) -> Result:
        """Run one statement of the extended protocol; `last`: no other follows before Sync."""

    def execute_simple(self, sql: str) -> AsyncIterator[Result]:
        """The statements of one Query message, in one implicit transaction; raises at the failing one."""

    async def copy_in(self, columns: AsyncIterator[Columns]) -> Command:
        """Finish the `CopyIn` that was returned last.  The iterator raises what the client's data is guilty of."""

    async def sync(self) -> None:
        """End the implicit transaction of the extended protocol."""

    async def fail(self) -> None:
        """An error was sent: abort the transaction."""

    def cancel(self) -> None:
        """Make the running statement fail with `QueryCanceled`.  Called from another task."""

    async def close(self) -> None: ...


class SessionFactory(Protocol):
    async def open(
        self, user: str, database: str, options: Mapping[str, str], backend: Backend
    ) -> SessionLike:
        """A session for an authenticated user.  `options` are settings, with names in lower case; `backend` is its connection."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The user may enter without a password."""


TokenRole = Callable[[str], Awaitable[str]]
"""The role that a token stands for, which there is; raises BadToken."""

PasswordLookup = Callable[[str], Awaitable[ScramSecret | Trust | None]]
"""What a user must prove.  None is a user that must give a password which cannot be right: unknown, or without
one; the exchange looks the same as with a wrong password."""
