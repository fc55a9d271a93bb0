"""CREATE REPLACEMENT MATERIALIZED VIEW, and its application: a view takes another definition, and everything else stays.

The replacement is a materialized view of its own until it is applied, with a shard and a dataflow, so it can be read and
compared.  Applied at a time t, the view's shard gets the difference between both at t, in the transaction that gives
the view in the catalog the definition and the dataflow of the replacement, which goes:

```
view         old contents  ........ t-1 | t: new - old | t+1 ...   from the replacement's dataflow
replacement  new contents  ............... t |  (gone)
```

So who reads the view sees one change at one time, its history stays readable, and a crash leaves one or the other.  The
larger part of the difference is computed before anything stands still; then both dataflows halt at t
(`coord.controller.replacement`), and what has come meanwhile is added.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from ...errors import DependentObjectsExist, ObjectNotReady, PtvcError, WrongObjectType
from ...expr.tree.relation import GlobalId
from ...replica.protocol import Updates
from ...sql.plans.definition_plans import ApplyReplacement
from ..catalog.catalog import Catalog
from ..catalog.items import Maintained, MaterializedView
from ..catalog.maintained_plan import needs_append_only
from ..controller import Controller
from ..results.results import Command
from ..storage.storage import Storage
from .catalog_changes import CatalogChanges
from .dependents import depends

HALT_TIMEOUT_S = 60.0
"""For so long readers of the view may have to wait until both dataflows have come to the time of the switch."""

_POLL_S = 0.002


class Replacements:
    """Everything here runs under the lock of definitions, but for `ready`."""

    def __init__(
        self, storage: Storage, catalog: Catalog, controller: Controller, changes: CatalogChanges
    ) -> None:
        self._storage = storage
        self._oracle = storage.oracle
        self._catalog = catalog
        self._collections = storage.collections
        self._reads = storage.reads
        self._controller = controller
        self._changes = changes

    async def ready(self, plan: ApplyReplacement) -> None:
        """Returns when both views are complete at the time of the call: the replacement is hydrated.  Without the lock."""
        await self._collections.wait_until_readable((plan.id, plan.replacement), self._oracle.read_time)

    async def apply(self, plan: ApplyReplacement) -> Command:
        view = self._catalog.get_as(plan.id, MaterializedView)
        replacement = self._catalog.get_as(plan.replacement, MaterializedView)
        self._check(view, replacement)
        with self._reads.at(self._oracle.read_time) as before:
            await self._collections.wait_until_readable((view.id, replacement.id), before)
            new, old = (self._collections.import_of(item.id, before) for item in (replacement, view))
            known = await self._storage.difference(new, old, view.schema)
            try:
                time = self._halt(view, replacement)
                await self._halted(view, replacement, time)
                new, old = (self._collections.import_of(item.id, before) for item in (replacement, view))
                parts = await self._storage.write_difference(view.shard, view.schema, known, new, old, time)
                await self._changes.replace(view, replacement, Updates(view.id, 0, time + 1, parts))
            finally:
                self._controller.halts.end()
        return Command("ALTER MATERIALIZED VIEW")

    def _halt(self, view: MaterializedView, replacement: MaterializedView) -> int:
        """Chooses the time of the switch: the view ends before it, the replacement with it."""
        time = self._oracle.write_time()
        try:
            self._controller.halts.halt({view.id: time, replacement.id: time + 1})
        finally:
            self._oracle.close(time)
        self._controller.feed.committed(())
        return time

    async def _halted(self, view: MaterializedView, replacement: MaterializedView, time: int) -> None:
        """Returns when both dataflows stand still."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + HALT_TIMEOUT_S
        halts = self._controller.halts
        while not (halts.reached(view) and halts.reached(replacement)):
            if loop.time() > deadline:
                raise ObjectNotReady(
                    f'"{view.name}" and "{replacement.name}" have not come to one time within {HALT_TIMEOUT_S:.0f} s',
                    hint="Nothing was changed: try again when their clusters have less to do.",
                )
            await asyncio.sleep(_POLL_S)
        await self._collections.wait_until_readable((view.id,), time - 1)
        await self._collections.wait_until_readable((replacement.id,), time)

    # -- what is refused --

    def _check(self, view: MaterializedView, replacement: MaterializedView) -> None:
        if replacement.replaces != view.id:
            raise WrongObjectType(
                f'"{replacement.name}" is not a replacement for materialized view "{view.name}"',
                hint="CREATE REPLACEMENT MATERIALIZED VIEW ... FOR makes one.",
            )
        check_cycle(self._catalog, view, replacement.uses)
        dependents = self._catalog.dependents(replacement.id)
        if dependents:
            raise DependentObjectsExist(
                f"cannot apply replacement {replacement.name} because other objects depend on it",
                detail=depends(dependents, replacement),
                hint="Drop them first: the replacement goes when it is applied.",
            )
        check_losable(self._catalog, view)


def check_losable(catalog: Catalog, view: MaterializedView) -> None:
    """Raises when what is maintained from the view would not bear that rows of it go."""
    bound = [item for item in _maintained_from(catalog, view) if needs_append_only(item, catalog)]
    if bound:
        raise ObjectNotReady(
            f'cannot replace materialized view "{view.name}" while others rely on it to lose no rows',
            detail=depends(bound, view),
            hint="Drop them, apply the replacement and create them anew.",
        )


def check_cycle(catalog: Catalog, view: MaterializedView, uses: tuple[GlobalId, ...]) -> None:
    """Raises when what a replacement of the view uses is computed from the view."""
    if any(item.id == view.id for item in catalog.below(uses)):
        raise PtvcError(
            f'materialized view "{view.name}" cannot be replaced by what is computed from it',
            sqlstate="42P17",
            hint="The definition must not read the view itself, nor anything that reads it.",
        )


def _maintained_from(catalog: Catalog, view: MaterializedView) -> Iterator[Maintained]:
    """The materialized views and indexes that are computed from the view."""
    pending, seen = [view.id], {view.id}
    while pending:
        for item in catalog.dependents(pending.pop()):
            if item.id not in seen:
                seen.add(item.id)
                pending.append(item.id)
                if isinstance(item, Maintained):
                    yield item
