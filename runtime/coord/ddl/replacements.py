"""Replacements of materialized views: views take other definitions, all of a transaction at one time, and everything else stays.

A replacement is a materialized view of its own until it is applied, with a shard and a dataflow, so it can be read and
compared.  Applied at a time t, the view's shard gets the difference between both at t, in the transaction that gives
the view in the catalog the definition and the dataflow of the replacement, which goes:

```
view         old contents  ........ t-1 | t: new - old | t+1 ...   from the replacement's dataflow
replacement  new contents  ............... t |  (gone)
reads        ...................... t-1 | held ..... | behind the transaction, by the new catalog
```

What reads a replacement reads the view from t + 1 on, where both have the same contents: its dataflow goes on, with another input.
Its output becomes durable up to t in the same transaction, as a restart computes it from the view.

A replacement that is computed from a view which changes, too, is complete only up to that change.  So views have times of their
own, one behind the other: the last are those below.

So who reads sees all changes of a transaction, of contents and of the catalog, at once; the view's history stays readable, and a crash
leaves one or the other.  The larger part of the differences is computed before anything stands still; then all dataflows halt
at t (`coord.controller.replacement`), and what has come meanwhile is added.  While they do, reads go on before t, and rows that
are written wait: what they commit could not be read yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from ...errors import ObjectNotReady
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Updates
from ...repr.batch import Delta
from ..catalog.applications import Application, Repointed
from ..catalog.items import Maintained, MaterializedView
from ..controller import Controller
from ..storage.storage import Storage

HALT_TIMEOUT_S = 60.0
"""For so long it is tried to have all dataflows at one time."""

FIRST_PATIENCE_S = 1.0
"""Writers wait for so long at the first attempt, at the next for twice as long; and in between for nothing, as long as they did."""

_POLL_S = 0.002


@dataclass(frozen=True, slots=True)
class Switched:
    """All stand still.  `last` is the time of the change, of which nobody knows yet, or of the last; `uppers` are the times behind
    them, of the views and of what read replacements, by their ids; `timed` is what becomes durable with it."""

    last: int
    uppers: Mapping[GlobalId, int]
    timed: tuple[Updates, ...]


@dataclass(frozen=True, slots=True)
class Release:
    """Everything of one transaction: what is applied, what is repointed with it, and the ranks of the replacements."""

    applied: tuple[Application, ...]
    moved: tuple[Repointed, ...]
    ranks: Mapping[GlobalId, int]

    @property
    def ids(self) -> list[GlobalId]:
        """What has to be complete before: views, replacements, and what reads those."""
        views = [item.id for a in self.applied for item in (a.before, a.replacement)]
        return views + [item.before.id for item in self.moved if isinstance(item.before, MaterializedView)]

    def uppers(self, times: Sequence[int]) -> dict[GlobalId, int]:
        """How far everything goes, by its id, if views change at these times."""
        ends = {id_: times[-1 - rank] + 1 for id_, rank in self.ranks.items()}
        uppers = dict(ends)
        for application in self.applied:
            uppers[application.before.id] = ends[application.replacement.id] - 1
        for item in self.moved:
            uppers.setdefault(item.before.id, max(ends[id_] for id_ in item.reads))
        return uppers


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

    async def apply(self, release: Release, commit: Callable[[Switched], Awaitable[None]]) -> None:
        """Has all of them halt, and `commit` make the differences durable with the changes of the catalog."""
        with self._reads.at(self._oracle.read_time) as before:
            await self._collections.wait_until_readable(release.ids, before)
            known = await asyncio.gather(*(self._difference(a, before) for a in release.applied))
            await self.ready(release.ids)  # again: that may have taken a while
            deadline = asyncio.get_running_loop().time() + HALT_TIMEOUT_S
            patience = FIRST_PATIENCE_S
            while not await self._switched(release, known, before, patience, commit):
                if asyncio.get_running_loop().time() > deadline:
                    names = ", ".join(f'"{a.before.name}"' for a in release.applied)
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
        release: Release,
        known: Sequence[Delta],
        before: int,
        patience: float,
        commit: Callable[[Switched], Awaitable[None]],
    ) -> bool:
        """Whether they were committed: False if it takes too long until all stand still."""
        async with self._storage.still():
            try:
                uppers = self._halt(release)
                if not await self._halted(release, uppers, patience):
                    return False
                timed = await asyncio.gather(
                    *(
                        self._written(application, delta, before, uppers[application.before.id])
                        for application, delta in zip(release.applied, known, strict=True)
                    )
                )
                replaced = {a.replacement.id: a.after.id for a in release.applied}
                moved = [
                    Updates(item.before.id, 0, uppers[item.before.id], ())
                    for item in release.moved
                    if isinstance(item.before, MaterializedView) and item.before.id not in replaced
                ]
                ends = {
                    replaced.get(i, i): upper for i, upper in uppers.items() if i not in replaced.values()
                }
                await commit(Switched(max(ends.values()) - 1, ends, (*timed, *moved)))
                return True
            finally:
                self._controller.halts.end()

    def _halt(self, release: Release) -> dict[GlobalId, int]:
        """Chooses the times: views end before theirs, replacements with them, and nobody reads at the first yet.  How far
        everything goes."""
        times = [self._oracle.write_time() for _ in range(max(release.ranks.values()) + 1)]
        try:
            uppers = release.uppers(times)
            halted = [item.id for a in release.applied for item in (a.before, a.replacement)]
            self._controller.halts.halt({id_: uppers[id_] for id_ in halted})
            self._oracle.hold_reads(times[0])
        finally:
            for time in times:
                self._oracle.close(time)
        self._controller.feed.committed(())
        return uppers

    async def _halted(self, release: Release, uppers: Mapping[GlobalId, int], patience: float) -> bool:
        """Whether all dataflows stand still within `patience`."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + patience
        halts = self._controller.halts
        waiting: list[Maintained] = [item for a in release.applied for item in (a.before, a.replacement)]
        waiting += [item.before for item in release.moved]
        while waiting := [item for item in waiting if not halts.reached(item, uppers[item.id])]:
            if loop.time() > deadline:
                return False
            await asyncio.sleep(_POLL_S)
        return True

    async def _written(self, application: Application, known: Delta, before: int, time: int) -> Updates:
        view, replacement = application.before, application.replacement
        new, old = (self._collections.import_of(item.id, before) for item in (replacement, view))
        parts = await self._storage.write_difference(view.shard, view.schema, known, new, old, time)
        return Updates(view.id, 0, time + 1, parts)
