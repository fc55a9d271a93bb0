"""Replacements of materialized views: views take other definitions, all of a transaction at one time, and everything else stays.

A replacement is a materialized view of its own until it is applied, with a shard and a dataflow, so it can be read and
compared.  Applied at a time t, the view's shard gets the difference between both at t, in the transaction that gives
the view in the catalog the definition and the dataflow of the replacement, which goes:

```
view         old contents  ........ t-1 | t: new - old | t+1 ...   from the replacement's dataflow
replacement  new contents  ............... t |  (gone)
reads        ...................... t-1 | held ..... | behind the transaction, by the new catalog
```

So who reads sees all changes of a transaction, of contents and of the catalog, at once; the view's history stays readable, and a crash
leaves one or the other.  The larger part of the differences is computed before anything stands still; then all dataflows halt
at t (`coord.controller.replacement`), and what has come meanwhile is added.  While they do, reads go on before t, and rows that
are written wait: what they commit could not be read yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from ...errors import ObjectNotReady
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Updates
from ...repr.batch import Delta
from ..catalog.applications import Application
from ..controller import Controller
from ..storage.storage import Storage

HALT_TIMEOUT_S = 60.0
"""For so long it is tried to have all dataflows at one time."""

FIRST_PATIENCE_S = 1.0
"""Writers wait for so long at the first attempt, at the next for twice as long; and in between for nothing, as long as they did."""

_POLL_S = 0.002


@dataclass(frozen=True, slots=True)
class Switched:
    """All stand still at `time`: it is the last one of the replacements, and `timed` is what their views get at it."""

    time: int
    timed: tuple[Updates, ...]


class Replacements:
    """Everything here runs under the lock of definitions, but for `ready`."""

    def __init__(self, storage: Storage, controller: Controller) -> None:
        self._storage = storage
        self._oracle = storage.oracle
        self._collections = storage.collections
        self._reads = storage.reads
        self._controller = controller

    async def ready(self, ids: Sequence[GlobalId]) -> None:
        """Returns when all of these are complete at the time of the call: replacements are hydrated.  Without the lock."""
        await self._collections.wait_until_readable(ids, self._oracle.read_time)

    async def apply(
        self, applications: Sequence[Application], commit: Callable[[Switched], Awaitable[None]]
    ) -> None:
        """Has all of them halt at one time, and `commit` make the difference durable with the changes of the catalog."""
        ids = changed(applications)
        with self._reads.at(self._oracle.read_time) as before:
            await self._collections.wait_until_readable(ids, before)
            known = await asyncio.gather(*(self._difference(a, before) for a in applications))
            await self.ready(ids)  # again: that may have taken a while
            deadline = asyncio.get_running_loop().time() + HALT_TIMEOUT_S
            patience = FIRST_PATIENCE_S
            while not await self._switched(applications, known, before, patience, commit):
                if asyncio.get_running_loop().time() > deadline:
                    names = ", ".join(f'"{a.before.name}"' for a in applications)
                    raise ObjectNotReady(
                        f"{names} and what replaces them have not come to one time within {HALT_TIMEOUT_S:.0f} s",
                        hint="Nothing was changed: try again when their clusters have less to do.",
                    )
                await asyncio.sleep(patience)
                patience *= 2

    async def _difference(self, application: Application, before: int) -> Delta:
        """What the view lacks, and has too much, at `before`."""
        view, replacement = application.before, application.replacement
        new, old = (self._collections.import_of(item.id, before) for item in (replacement, view))
        return await self._storage.difference(new, old, view.schema)

    async def _switched(
        self,
        applications: Sequence[Application],
        known: Sequence[Delta],
        before: int,
        patience: float,
        commit: Callable[[Switched], Awaitable[None]],
    ) -> bool:
        """Whether they were committed: False if it takes too long until all stand still."""
        async with self._storage.still():
            try:
                time = self._halt(applications)
                if not await self._halted(applications, time, patience):
                    return False
                timed = await asyncio.gather(
                    *(
                        self._written(application, delta, before, time)
                        for application, delta in zip(applications, known, strict=True)
                    )
                )
                await commit(Switched(time, tuple(timed)))
                return True
            finally:
                self._controller.halts.end()

    def _halt(self, applications: Sequence[Application]) -> int:
        """Chooses the time of the switch: views end before it, replacements with it, and nobody reads at it yet."""
        time = self._oracle.write_time()
        try:
            uppers = {a.before.id: time for a in applications}
            self._controller.halts.halt(uppers | {a.replacement.id: time + 1 for a in applications})
            self._oracle.hold_reads(time)
        finally:
            self._oracle.close(time)
        self._controller.feed.committed(())
        return time

    async def _halted(self, applications: Sequence[Application], time: int, patience: float) -> bool:
        """Whether all dataflows stand still within `patience`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        halts = self._controller.halts
        waiting = [item for a in applications for item in (a.before, a.replacement)]
        while waiting := [item for item in waiting if not halts.reached(item)]:
            if loop.time() > deadline:
                return False
            await asyncio.sleep(_POLL_S)
        await self._collections.wait_until_readable([a.before.id for a in applications], time - 1)
        await self._collections.wait_until_readable([a.replacement.id for a in applications], time)
        return True

    async def _written(self, application: Application, known: Delta, before: int, time: int) -> Updates:
        view, replacement = application.before, application.replacement
        new, old = (self._collections.import_of(item.id, before) for item in (replacement, view))
        parts = await self._storage.write_difference(view.shard, view.schema, known, new, old, time)
        return Updates(view.id, 0, time + 1, parts)


def changed(applications: Sequence[Application]) -> list[GlobalId]:
    """What has to come to one time: the views, and what takes their places."""
    return [item.id for a in applications for item in (a.before, a.replacement)]
