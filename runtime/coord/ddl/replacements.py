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
from ...persist.client import PartRef, PersistClient
from ...persist.read import read_snapshot, read_updates
from ...persist.state import Snapshot
from ...persist.write import write_parts
from ...replica.protocol import Import, Updates
from ...repr.batch import Delta, concat_deltas
from ...repr.consolidate import advance, consolidate
from ...repr.schema import Schema
from ...sql.plans.definition_plans import ApplyReplacement
from ..catalog.catalog import Catalog
from ..catalog.items import Maintained, MaterializedView
from ..catalog.maintained_plan import needs_append_only
from ..controller import Controller
from ..results.results import Command
from ..storage.collections import Collections
from ..storage.oracle import Oracle
from ..storage.reads import ActiveReads
from .catalog_changes import CatalogChanges
from .dependents import depends

HALT_TIMEOUT_S = 60.0
"""For so long readers of the view may have to wait until both dataflows have come to the time of the switch."""

_POLL_S = 0.002


class Replacements:
    """Everything here runs under the lock of definitions, but for `ready`."""

    def __init__(
        self,
        persist: PersistClient,
        oracle: Oracle,
        catalog: Catalog,
        collections: Collections,
        reads: ActiveReads,
        controller: Controller,
        changes: CatalogChanges,
    ) -> None:
        self._persist = persist
        self._oracle = oracle
        self._catalog = catalog
        self._collections = collections
        self._reads = reads
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
            known = await asyncio.to_thread(self._difference, new, old, view.schema)
            try:
                time = self._halt(view, replacement)
                await self._halted(view, replacement, time)
                new, old = (self._collections.import_of(item.id, before) for item in (replacement, view))
                parts = await asyncio.to_thread(self._write, view, known, new, old, time)
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

    # -- the difference --

    def _difference(self, new: Import, old: Import, schema: Schema) -> Delta:
        """What the one has and the other has not, at the time of the imports."""
        sides = (
            read_snapshot(self._persist.blob, Snapshot(side.shard, side.as_of, schema, side.snapshot))
            for side in (new, old)
        )
        return _sum(schema, [next(sides), _negated(next(sides))], new.as_of)

    def _write(
        self, view: MaterializedView, known: Delta, new: Import, old: Import, time: int
    ) -> tuple[PartRef, ...]:
        """The parts of the difference at `time`: what was `known` at the time of the imports, and what has come since."""
        blob, schema = self._persist.blob, view.schema
        since = new.as_of + 1
        added = read_updates(blob, new.updates, schema, since, time + 1)
        gone = read_updates(blob, old.updates, schema, since, time)
        delta = _sum(schema, [known, added, _negated(gone)], time)
        return write_parts(blob, view.shard, schema, delta, writer=self._persist.writer_id)

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
    pending, seen = list(uses), set(uses)
    while pending:
        id_ = pending.pop()
        if id_ == view.id:
            raise PtvcError(
                f'materialized view "{view.name}" cannot be replaced by what is computed from it',
                sqlstate="42P17",
                hint="The definition must not read the view itself, nor anything that reads it.",
            )
        if (item := catalog.find_by_id(id_)) is not None:
            pending += set(item.uses) - seen
            seen.update(item.uses)


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


def _negated(delta: Delta) -> Delta:
    return Delta(delta.oks.negate(), delta.errs.negate())


def _sum(schema: Schema, deltas: list[Delta], time: int) -> Delta:
    """All of them at one time: equal rows, and equal errors, are one update or none."""
    whole = concat_deltas(schema, deltas)
    return Delta(consolidate(advance(whole.oks, time)), consolidate(advance(whole.errs, time)))
