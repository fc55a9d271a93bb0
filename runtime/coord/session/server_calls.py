"""Executes the functions that act on the server, for each row of a query (`sql.statement.server_calls` plans them)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, Protocol

import pyarrow as pa

from ...errors import InvalidParameter, PermissionDenied, PtvcError
from ...sql.plans.query_plans import Calling
from ..backend import Backend
from ..catalog.actor import Actor
from ..results.results import Columns, Notice
from ..settings import duration_ms
from .advisory_locks import AdvisoryLocks, Hold, Key


class CallingSession(Protocol):
    """What calls need of the session that makes them, and of those that they are about."""

    @property
    def backend(self) -> Backend: ...

    @property
    def actor(self) -> Actor: ...

    @property
    def notices(self) -> list[Notice]: ...

    def setting(self, name: str) -> str: ...

    def set(self, name: str, value: str | None, *, local: bool) -> None: ...


class ServerCalls:
    """Of one session; `peers` are all of them."""

    def __init__(
        self,
        session: CallingSession,
        locks: AdvisoryLocks,
        peers: Callable[[], Iterable[CallingSession]],
    ) -> None:
        self._session = session
        self._locks = locks
        self._peers = peers

    async def called(self, plan: Calling, chunks: AsyncIterator[Columns]) -> AsyncIterator[Columns]:
        """The rows that the client sees, each after its calls."""
        width = len(plan.schema)
        async for chunk in chunks:
            results: dict[int, list[Any]] = {call.column: [] for call in plan.calls}
            arguments = {place: chunk[place].to_pylist() for call in plan.calls for place in call.arguments}
            for row in range(len(chunk[0])):
                for call in plan.calls:
                    values = [arguments[place][row] for place in call.arguments]
                    results[call.column].append(await self._call(call.name, values))
            yield tuple(
                pa.array(results[place], chunk[place].type) if place in results else chunk[place]
                for place in range(width)
            )

    def end_transaction(self) -> None:
        self._locks.release(self._session, of_transaction=True)

    def end_session(self) -> None:
        """Also what DISCARD ALL asks for."""
        self._locks.release(self._session, of_transaction=False)

    async def _call(self, name: str, values: list[Any]) -> Any:
        match name, values:
            case "set_config", [str(setting), value, local]:
                self._session.set(setting, "" if value is None else value, local=bool(local))
                return self._session.setting(setting)
            case "set_config", _:
                raise InvalidParameter("SET requires parameter name", sqlstate="22004")
            case _, _ if None in values:  # strict functions
                return None
            case "pg_sleep", [seconds]:
                await asyncio.sleep(max(seconds, 0.0))
                return ""
            case "pg_cancel_backend", [pid]:
                backend = self._backend(pid, "cancel query")
                if backend is not None:
                    backend.cancel()
                return backend is not None
            case "pg_terminate_backend", [pid, *_]:
                backend = self._backend(pid, "terminate process")
                if backend is not None:
                    backend.terminate()
                return backend is not None
            case "pg_advisory_unlock_all", []:
                self._locks.release(self._session, of_transaction=False)
                return ""
            case "pg_advisory_unlock" | "pg_advisory_unlock_shared", _:
                return self._give_back(tuple(values), exclusive=name == "pg_advisory_unlock")
            case _:
                return await self._take(name, tuple(values))

    async def _take(self, name: str, key: Key) -> bool | str:
        hold = Hold(exclusive=not name.endswith("_shared"), of_transaction="_xact_" in name)
        if name.startswith("pg_try_"):
            return self._locks.try_take(self._session, key, hold)
        timeout_ms = duration_ms(self._session.setting("lock_timeout"))
        try:
            async with asyncio.timeout(timeout_ms / 1000 if timeout_ms else None):
                await self._locks.take(self._session, key, hold)
        except TimeoutError:
            raise PtvcError("canceling statement due to lock timeout", sqlstate="55P03") from None
        return ""

    def _give_back(self, key: Key, *, exclusive: bool) -> bool:
        held = self._locks.give_back(self._session, key, exclusive=exclusive)
        if not held:
            kind = "ExclusiveLock" if exclusive else "ShareLock"
            self._session.notices.append(Notice("WARNING", f"you don't own a lock of type {kind}", "01000"))
        return held

    def _backend(self, pid: int, what: str) -> Backend | None:
        """Of a session that may be stopped; None, and a warning, if there is none of that number."""
        found = next((peer for peer in self._peers() if peer.backend.pid == pid), None)
        if found is None:
            text = f"PID {pid} is not a PostgreSQL backend process"
            self._session.notices.append(Notice("WARNING", text, "01000"))
            return None
        mine, theirs = self._session.actor.role, found.actor.session
        if not mine.superuser and (theirs.superuser or mine.id != theirs.id):
            raise PermissionDenied(f"permission denied to {what}")
        return found.backend
