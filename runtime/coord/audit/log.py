"""The audit log in memory, and how it becomes durable.

Events of a definition are durable in its transaction: neither is there without the other.  Those of logins wait for a second, so that
many are one commit; a process that dies takes these with it.  Of each sort the last `most` are kept; of those of logins, refusals make
way first while they are more than half, so that who is refused without end does not push out who came in.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice

from ...errors import PtvcError
from ...expr.jsonb.canonical import canonical
from ...network.addresses import network_of
from ..backend import Backend
from ..catalog.catalog import Catalog
from ..catalog.entries import Change
from ..catalog.role import RoleEntry
from ..storage.audit_store import DEFINITIONS_SHARD, LOGINS_SHARD, AuditChange, AuditEvent
from ..storage.storage import Storage
from .author import AUTHOR, Author
from .definitions import events_of
from .refusals import NAME_LENGTH, Refusal, Refusals

log = logging.getLogger(__name__)

FLUSH_S = 1.0
MOST_WAITING = 10_000
"""So many events of logins wait while they cannot become durable; then the oldest are lost, and the log says how many."""
SESSION = "session"
"""The kind of object that logins are about."""
REFUSED = "login-refused"
"""The kind of event."""


class AuditLog:
    """`most` 0 keeps nothing, and writes nothing."""

    def __init__(self, storage: Storage, catalog: Catalog, now_ms: Callable[[], int], most: int) -> None:
        """Blocks."""
        self._storage = storage
        self._catalog = catalog
        self._now_ms = now_ms
        self._most = most
        stored = storage.load_audit()
        self._definitions = deque(stored[DEFINITIONS_SHARD])
        self._logins = deque(stored[LOGINS_SHARD])
        self._waiting: deque[AuditEvent] = deque()
        self._lost = 0
        self._refusals = Refusals()
        self._next = 1 + max((event.number for event in (*self._definitions, *self._logins)), default=0)
        self._flushing = asyncio.Lock()

    def events(self) -> Iterator[AuditEvent]:
        """All, those of logins too that are not durable yet."""
        yield from self._definitions
        yield from self._logins
        yield from self._waiting

    # -- definitions --

    def of(self, changes: Iterable[Change]) -> AuditChange | None:
        """What the changes mean to the log, under the lock of definitions; None: nothing.  `recorded` follows when it is durable.

        What the runtime does to objects that stay is upkeep, and no event.
        """
        author = AUTHOR.get()
        changes, added = list(changes), list[AuditEvent]()
        names = {id_: role.name for id_, role in self._catalog.roles.by_id.items()}
        for change in changes:
            names.update(
                (role.id, role.name) for role in (change.before, change.after) if isinstance(role, RoleEntry)
            )
        for change in changes:
            if author is None and change.before is not None and change.after is not None:
                continue
            for kind, object_type, details in events_of(change, names.__getitem__):
                added.append(self._event(kind, object_type, details | _by(author), author))
        if not added or not self._most:
            return None
        return AuditChange(tuple(added[-self._most :]), self._beyond(self._definitions, len(added)))

    def recorded(self, change: AuditChange | None) -> None:
        if change is not None:
            self._replace(self._definitions, change)

    # -- logins --

    def login(self, user: str, database: str, application: str, backend: Backend) -> None:
        """Of names that clients make up, the beginnings."""
        names = {"database": database[:NAME_LENGTH], "application_name": application[:NAME_LENGTH]}
        self._wait("login", user[:NAME_LENGTH], {**names, "method": backend.method, **_place(backend)})

    def logout(self, user: str, backend: Backend) -> None:
        self._wait("logout", user[:NAME_LENGTH], _place(backend))

    def refused(self, user: str, address: str | None, reason: str) -> None:
        """`reason` is an SQLSTATE: what was wrong is not told in words that a client has chosen."""
        refusal = Refusal(user, network_of(address), reason)
        is_role = self._catalog.roles.find(user) is not None
        found = self._refusals.add(refusal, self._now_ms(), is_role=is_role)
        if found is not None:
            place = {} if address is None or found.network is None else {"address": address}
            self._wait(REFUSED, found.user, {"reason": reason, "count": 1, **place})

    def _logins_beyond(self, added: tuple[AuditEvent, ...]) -> tuple[AuditEvent, ...]:
        """Those that go when these come."""
        over = len(self._logins) + len(added) - self._most
        if over <= 0:
            return ()
        refused = [event for event in self._logins if event.kind == REFUSED]
        too_many = len(refused) + sum(event.kind == REFUSED for event in added) - self._most // 2
        first = refused[: max(min(over, too_many), 0)]
        numbers = {event.number for event in first}
        others = (event for event in self._logins if event.number not in numbers)
        return (*first, *islice(others, over - len(first)))

    async def run(self) -> None:
        """Makes durable what waits, for ever."""
        while True:
            await asyncio.sleep(FLUSH_S)
            await self.flush()

    async def flush(self, *, last: bool = False) -> None:
        """Returns when what was waiting is durable, or cannot be now."""
        for refusal, more, since_ms in self._refusals.ended(self._now_ms(), all_of_them=last):
            place = {} if refusal.network is None else {"network": refusal.network}
            details = {"reason": refusal.reason, "count": more, "since_ms": since_ms, **place}
            self._wait(REFUSED, refusal.user, details)
        async with self._flushing:
            if not self._waiting:
                return
            added = tuple(self._waiting)[-self._most :]
            change = AuditChange(added, self._logins_beyond(added))
            seen = len(self._waiting)

            def durable() -> None:
                for _ in range(seen):
                    self._waiting.popleft()
                self._replace(self._logins, change)

            try:
                await self._storage.record_logins(change, durable)
            except PtvcError as error:
                log.warning("%d events of logins are not durable yet: %s", seen, error)

    def _wait(self, kind: str, user: str | None, details: dict[str, object]) -> None:
        if not self._most:
            return
        if len(self._waiting) >= MOST_WAITING and not self._flushing.locked():
            self._waiting.popleft()
            self._lost += 1
            if self._lost.bit_count() == 1:  # 1, 2, 4, 8, ...
                log.error("%d events of logins were lost, as they could not become durable", self._lost)
        if len(self._waiting) < 2 * MOST_WAITING:
            self._waiting.append(self._event(kind, SESSION, details, user))

    # -- both --

    def _event(
        self, kind: str, object_type: str, details: dict[str, object], user: Author | str | None
    ) -> AuditEvent:
        number, self._next = self._next, self._next + 1
        name = user if user is None or isinstance(user, str) else user.user
        text = canonical(json.dumps(details))
        return AuditEvent(number, self._now_ms(), kind, object_type, text, name)

    def _beyond(self, kept: deque[AuditEvent], more: int) -> tuple[AuditEvent, ...]:
        """Those that go when so many more come."""
        over = len(kept) + min(more, self._most) - self._most
        return tuple(kept)[: max(over, 0)]

    @staticmethod
    def _replace(kept: deque[AuditEvent], change: AuditChange) -> None:
        gone = {event.number for event in change.gone}
        while gone and kept and kept[0].number in gone:
            gone.remove(kept.popleft().number)
        if gone:  # some are between others
            left = [event for event in kept if event.number not in gone]
            kept.clear()
            kept.extend(left)
        kept.extend(change.added)


def _place(backend: Backend) -> dict[str, object]:
    address = {} if backend.address is None else {"address": backend.address[0]}
    return {"pid": backend.pid, **address}


def _by(author: Author | None) -> dict[str, object]:
    """Where it came from, and as which role, if it is not the one that has logged in."""
    if author is None:
        return {}
    role = author.actor.role.name
    return ({} if role == author.user else {"role": role}) | _place(author.backend)
