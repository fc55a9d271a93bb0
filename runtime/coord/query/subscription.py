"""One subscription: what a relation holds at a time, then every change, in rows, until it is closed.

```
begin                                                               up_to
  | snapshot, at `begin` | progress | changes, by time ... | progress ... |
```

Each change is returned once, each time completely, and times never decrease.  An error of the collection ends it at the error's
time.  Until it is closed, what it reads stays readable from where it has come to.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from functools import partial

import numpy as np

from ...errors import COLLECTION_ERROR_HINT, PtvcError
from ...repr.batch import Batch, concat_batches
from ...sql.plans.query_plans import Envelope, Subscribe
from ..results.results import Columns
from ..storage.reads import Following
from ..thread_pool import over_rows
from .subscription_rows import RowEncoder, Step


class Subscription:
    """`steps` are its changes from `begin` on; they end at `up_to`."""

    def __init__(
        self,
        plan: Subscribe,
        begin: int,
        up_to: int | None,
        steps: AsyncGenerator[Step, None],
        following: Following,
    ) -> None:
        self._plan = plan
        self._encoder = RowEncoder(plan, begin)
        self._up_to = up_to
        self._begin = begin
        self._steps = steps
        self._following = following
        self._rows = self._output()

    def __aiter__(self) -> AsyncIterator[Columns]:
        return self

    async def __anext__(self) -> Columns:
        return await anext(self._rows)

    async def aclose(self) -> None:
        await self._rows.aclose()
        await self._steps.aclose()
        self._following.end()

    async def _output(self) -> AsyncGenerator[Columns, None]:
        try:
            if (begun := self._encoder.begun()) is not None:
                yield begun
            if self._up_to is not None and self._up_to <= self._begin:
                return
            async with aclosing(self._whole()) as steps:
                async for step in steps:
                    oks, error = step.delta.oks, None
                    errs = step.delta.errs
                    if len(errs) and (errs.diffs > 0).any():
                        error = _first(errs)
                        oks = oks.filter(oks.times < error[0])
                    rows = await over_rows(len(oks), partial(self._encoder.rows, oks))
                    if rows is not None:
                        yield rows
                    if error is not None:
                        raise error[1]
                    if step.upper is not None:
                        self._following.advance(step.upper - 1)
                        progress = self._encoder.progressed(step.upper, changed=rows is not None)
                        if progress is not None:
                            yield progress
        finally:
            await self._steps.aclose()
            self._following.end()

    async def _whole(self) -> AsyncGenerator[Step, None]:
        """The steps; with a key, each holds all changes of its times."""
        if self._plan.envelope is Envelope.NONE:
            async for step in self._steps:
                yield step
            return
        waiting: list[Batch] = []
        async for step in self._steps:
            if step.upper is None:
                waiting.append(step.delta.oks)
                continue
            if waiting:
                oks = concat_batches(self._plan.relation.schema, [*waiting, step.delta.oks])
                step = replace(step, delta=replace(step.delta, oks=oks))
                waiting = []
            yield step


def _first(errs: Batch) -> tuple[int, PtvcError]:
    """The first error that comes, and when."""
    coming = np.flatnonzero(errs.diffs > 0)
    row = int(coming[np.argmin(errs.times[coming])])
    sqlstates, messages = errs.columns
    error = PtvcError(messages[row].as_py(), sqlstate=sqlstates[row].as_py(), hint=COLLECTION_ERROR_HINT)
    return int(errs.times[row]), error
