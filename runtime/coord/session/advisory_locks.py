"""Advisory locks: locks on numbers that mean what clients agree on, shared by all sessions of a runtime.

A session holds a lock as often as it took it, for itself until it gives it back, or for its transaction until that ends.
Waiters are served in the order in which they came; one that already holds the lock goes ahead, as it would wait for itself.  A
request whose wait would never end, because those it waits for wait for it, is a deadlock (40P01).  Locks live in memory: they
end with their sessions, and all of them with the process.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...errors import PtvcError

Key = tuple[int, ...]
"""One bigint, or two integers: another space of keys."""


@dataclass(frozen=True, slots=True)
class Hold:
    """How a session holds a lock: alone or beside others, for its transaction or until it gives it back."""

    exclusive: bool
    of_transaction: bool


@dataclass(slots=True)
class _Waiter:
    session: object
    hold: Hold
    granted: asyncio.Future[None]


@dataclass(slots=True)
class _Lock:
    holders: dict[object, Counter[Hold]] = field(default_factory=dict)
    waiters: list[_Waiter] = field(default_factory=list)

    def blockers(self, session: object, exclusive: bool) -> Iterator[object]:
        """The other sessions that hold it in a way that excludes the new one."""
        for other, holds in self.holders.items():
            if other != session and (exclusive or any(hold.exclusive for hold in holds)):
                yield other


class AdvisoryLocks:
    """Used on the event loop."""

    def __init__(self) -> None:
        self._locks: dict[Key, _Lock] = {}

    def try_take(self, session: object, key: Key, hold: Hold) -> bool:
        """Takes the lock if nobody has to be waited for."""
        lock = self._locks.setdefault(key, _Lock())
        if any(lock.blockers(session, hold.exclusive)) or (lock.waiters and session not in lock.holders):
            self._forget(key, lock)
            return False
        lock.holders.setdefault(session, Counter())[hold] += 1
        return True

    async def take(self, session: object, key: Key, hold: Hold) -> None:
        """Waits for the lock, and takes it; 40P01 if the wait would have no end."""
        if self.try_take(session, key, hold):
            return
        lock = self._locks.setdefault(key, _Lock())
        waiter = _Waiter(session, hold, asyncio.get_running_loop().create_future())
        lock.waiters.append(waiter)
        try:
            if self._waits_for_itself(session):
                raise PtvcError(
                    "deadlock detected",
                    sqlstate="40P01",
                    detail="Another session waits for an advisory lock of this one.",
                )
            await waiter.granted
        except BaseException:
            if waiter in lock.waiters:
                lock.waiters.remove(waiter)
            else:  # it was granted, and is not wanted any more
                self._drop(lock, session, hold)
            self._grant(key, lock)
            raise

    def give_back(self, session: object, key: Key, *, exclusive: bool) -> bool:
        """One hold that is the session's own; False if there is none."""
        lock, hold = self._locks.get(key), Hold(exclusive, of_transaction=False)
        if lock is None or lock.holders.get(session, Counter())[hold] == 0:
            return False
        self._drop(lock, session, hold)
        self._grant(key, lock)
        return True

    def release(self, session: object, *, of_transaction: bool) -> None:
        """All holds of the session's transaction, or else all of its own."""
        for key, lock in list(self._locks.items()):
            if (holds := lock.holders.get(session)) is None:
                continue
            for hold in [hold for hold in holds if hold.of_transaction == of_transaction]:
                del holds[hold]
            if not holds:
                del lock.holders[session]
            self._grant(key, lock)

    def _drop(self, lock: _Lock, session: object, hold: Hold) -> None:
        holds = lock.holders[session]
        holds[hold] -= 1
        if holds[hold] == 0:
            del holds[hold]
        if not holds:
            del lock.holders[session]

    def _grant(self, key: Key, lock: _Lock) -> None:
        """Serves the waiters whose turn it is."""
        passed = False
        for waiter in list(lock.waiters):
            ahead = waiter.session in lock.holders
            if (passed and not ahead) or any(lock.blockers(waiter.session, waiter.hold.exclusive)):
                passed = True
                continue
            lock.waiters.remove(waiter)
            if not waiter.granted.done():
                lock.holders.setdefault(waiter.session, Counter())[waiter.hold] += 1
                waiter.granted.set_result(None)
        self._forget(key, lock)

    def _forget(self, key: Key, lock: _Lock) -> None:
        if not lock.holders and not lock.waiters:
            self._locks.pop(key, None)

    def _waits_for_itself(self, session: object) -> bool:
        seen: set[object] = set()
        todo = [session]
        while todo:
            for other in self._waited_for(todo.pop()):
                if other == session:
                    return True
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return False

    def _waited_for(self, session: object) -> set[object]:
        """Those that hold, or wait before it for, what the session waits for."""
        found: set[object] = set()
        for lock in self._locks.values():
            for place, waiter in enumerate(lock.waiters):
                if waiter.session == session:
                    found.update(lock.blockers(session, waiter.hold.exclusive))
                    found.update(
                        earlier.session for earlier in lock.waiters[:place] if earlier.session != session
                    )
        return found
