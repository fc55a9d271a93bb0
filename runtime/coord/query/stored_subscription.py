"""The changes of a stored collection, filtered and projected, read from persist as they are taken.

Nothing waits in memory for a client that takes its time: what it has not taken is in persist, which is held readable from there
on.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass

import numpy as np

from ...compute.row_chain import evaluate_chain
from ...errors import UndefinedTable
from ...expr.tree.relation import Get, Relation
from ...repr.batch import NO_ERRORS, Batch, Delta, empty_delta
from ...repr.consolidate import consolidate
from ..storage.storage import Storage
from ..storage.stored_changes import AT_ONCE_BYTES
from ..thread_pool import EVALUATION
from .subscription_rows import Step


@dataclass(frozen=True, slots=True)
class StoredSubscription:
    """`relation` is a chain over `source`.  `check` raises when the definitions are not any more what they were; `snapshot` gives
    the rows as of `begin`, and is None if they are not wanted."""

    relation: Relation
    source: Get
    begin: int
    up_to: int | None
    snapshot: AsyncIterator[Batch] | None
    check: Callable[[], None]
    storage: Storage

    async def steps(self) -> AsyncGenerator[Step, None]:
        schema = self.relation.schema
        if self.snapshot is not None:
            async for batch in self.snapshot:
                times = np.full(len(batch), self.begin, np.uint64)
                yield Step(Delta(Batch(batch.columns, times, batch.diffs), NO_ERRORS), None)
        lower = self.begin + 1
        yield Step(empty_delta(schema), lower)
        while self.up_to is None or lower < self.up_to:
            await self.storage.collections.wait_until_readable((self.source.id,), lower)
            self._check_there()
            upper = self.storage.collections.frontier(self.source.id)
            if self.up_to is not None:
                upper = min(upper, self.up_to)
            delta, lower = await self._changes(lower, upper)
            yield Step(delta, lower)

    def _check_there(self) -> None:
        self.check()
        if self.source.id not in self.storage.collections:
            raise UndefinedTable("the relation was dropped while it was subscribed to")

    async def _changes(self, lower: int, upper: int) -> tuple[Delta, int]:
        """The changes from `lower` on, and before when: `upper` or, if they are many, earlier."""
        whole, upper = await self.storage.changes(self.source.id, lower, upper)
        if whole is None:
            return empty_delta(self.relation.schema), upper
        if whole.oks.nbytes <= AT_ONCE_BYTES:
            return self._projected(whole), upper
        return await EVALUATION.run(lambda: self._projected(whole)), upper

    def _projected(self, whole: Delta) -> Delta:
        """What the relation makes of changes of its source."""
        width = len(self.source.schema)
        rows = whole if width >= len(whole.oks.columns) else Delta(whole.oks.select(range(width)), whole.errs)
        found = evaluate_chain(self.relation, {self.source.id: rows})
        assert found is not None
        return Delta(consolidate(found.oks), consolidate(found.errs))
