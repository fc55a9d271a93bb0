"""Transactions of the catalog: what is defined becomes durable, and in the same moment so in memory.

```
shards created ── collections open ── [accepted: durable ── memory: collections, keys, `on_durable`] ── shards dropped
```

A cancel before the acceptance takes everything back; one after it changes nothing.  A crash in between leaves at most shards
that no object names, which the next start drops.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import TypeVar

from ...errors import Fenced, PtvcError
from ...persist.client import ShardId, Write
from ...persist.consensus.base import Indeterminate
from ...replica.protocol import Updates
from ...supervision import Supervisor
from ..catalog.entries import Change
from ..catalog.items import External, Item, ItemBase, LaidOut, Stored, Table, shards_of
from .acceptance import completed, settled
from .audit_store import AuditChange, AuditStore
from .catalog_store import CatalogStore
from .collections import Collections
from .commit_request import Defined
from .group_commit import GroupCommit
from .remap import Remap
from .shards import Shards
from .unique_keys import UniqueKeys

logger = logging.getLogger(__name__)

T = TypeVar("T")

Append = Callable[[Defined], Awaitable[None]]
"""Makes what a block has defined durable, with its rows."""


class CatalogTransactions:
    """One at a time: the lock of definitions is held, and the changes were validated under it."""

    def __init__(
        self,
        store: CatalogStore,
        audit: AuditStore,
        shards: Shards,
        collections: Collections,
        unique: UniqueKeys,
        remap: Remap,
        commit: GroupCommit,
        supervisor: Supervisor,
    ) -> None:
        self._store = store
        self._audit = audit
        self._shards = shards
        self._collections = collections
        self._unique = unique
        self._remap = remap
        self._commit = commit
        self._supervisor = supervisor

    async def run(
        self,
        changes: list[Change],
        begin: int,
        on_durable: Callable[[], None],
        append: Append | None = None,
        timed: tuple[Updates, ...] = (),
        on_committed: Callable[[], None] | None = None,
        audited: AuditChange | None = None,
    ) -> None:
        """Makes the changes durable, by `append` with a block's rows, and with them what is `timed`, and what is `audited` of them.
        `on_durable` runs in the moment in which they are, `on_committed` when those have heard of it who read what has changed.

        The contents of new views begin at `begin`, which the caller holds readable.  Shards are there before, as rows may be
        written to them; what fails before the transaction takes them back.
        """
        evolved = {item.id: self._shards.known_columns(item) for _, item in _altered(changes)}
        made = [item for item in created(changes) if isinstance(item, Stored | External)]
        opened: list[Stored] = []
        durable = False

        def follow() -> None:
            nonlocal durable
            durable = True
            self._follow(changes)
            on_durable()
            self._collections.wake()

        try:
            rows = await self._in_thread(partial(self._prepare, made, changes, begin, audited))
            for item in made:
                if isinstance(item, Stored):
                    opened.append(item)
                    self._shards.open(item)
            await (append or self._commit.define)(Defined(rows, evolved, follow, timed, on_committed))
        except (Fenced, Indeterminate):
            raise  # whether it is durable is not known here
        except BaseException as error:
            if durable:  # the session's task was cancelled meanwhile; what it has defined is there
                self._supervisor.run("drop shards", self._drop(dropped(changes)))
                raise
            for item in opened:
                self._collections.remove(item.id)
            taken_back = self._supervisor.run("drop shards", self._drop(made))
            if not isinstance(error, asyncio.CancelledError):  # who cancels waits for no store
                await completed(taken_back)
            raise
        await self._settle(dropped(changes))

    def _follow(self, changes: list[Change]) -> None:
        """The changes are durable: what storage knows of the objects follows."""
        for change in changes:
            match change:
                case Change(Table() as old, Table() as new):
                    kept = {constraint.oid for constraint in new.constraints}
                    self._unique.forget([c for c in old.constraints if c.oid not in kept])
                case Change(ItemBase() as old, None):
                    self._collections.remove(old.id)
                    if isinstance(old, Table):
                        self._unique.forget(old.constraints)
                    if isinstance(old, External):
                        self._remap.forget(old.remap)
        for former, now in _altered(changes):
            known = len(now.stored_columns) - len(now.physical) + len(former.physical)
            self._collections.evolve(now.id, now.stored_columns[known:], now.layout.dropped_places)
        for item in created(changes):
            if not isinstance(item, Stored):
                self._shards.open(item)

    async def _in_thread(self, work: Callable[[], T]) -> T:
        """What `work` returns; a cancel is raised when it has ended."""
        loop = asyncio.get_running_loop()
        return await settled(loop.run_in_executor(self._commit.thread, work))

    def _prepare(
        self, made: list[Stored | External], changes: list[Change], begin: int, audited: AuditChange | None
    ) -> dict[ShardId, Write]:
        """Creates the shards of what is new; returns what makes the changes durable."""
        for item in made:
            self._shards.create(item, begin)
        events = {} if audited is None else self._audit.definitions(audited)
        return self._store.writes(changes) | events

    async def _settle(self, gone: list[Item]) -> None:
        """Shards of what was dropped go, when nothing is written to them any more."""
        if gone:
            await completed(self._supervisor.run("drop shards", self._drop(gone)))

    async def _drop(self, items: Iterable[Item]) -> None:
        shards = [shard for item in items for shard in shards_of(item)]
        try:
            await self._commit.drained()
            if (
                self._commit.ended
            ):  # a definition that was under way may be durable: the next start drops what none names
                return
            loop = asyncio.get_running_loop()
            for shard in shards:
                await loop.run_in_executor(self._commit.thread, self._shards.drop, shard)
        except PtvcError as error:
            logger.warning("shards %s are dropped at the next start: %s", ", ".join(shards), error)


def created(changes: Iterable[Change]) -> list[Item]:
    """In order, so that every object comes after those it uses."""
    found = [c.after for c in changes if c.before is None and isinstance(c.after, Item)]
    return sorted(found, key=lambda item: int(item.id[1:]))


def dropped(changes: Iterable[Change]) -> list[Item]:
    return [c.before for c in changes if isinstance(c.before, Item) and c.after is None]


def _altered(changes: Iterable[Change]) -> list[tuple[LaidOut, LaidOut]]:
    """What has its rows stored with other columns from now on, before and after."""
    return [
        (change.before, change.after)
        for change in changes
        if isinstance(change.before, LaidOut)
        and isinstance(change.after, LaidOut)
        and change.after.stored_shape != change.before.stored_shape
    ]
