"""Arrange: a collection goes on as it is, and its rows are indexed by a key for those that look them up.

One arrangement serves every Lookup by that key in the dataflow.  In a step, Lookups read it as of before the step or
as of after it; both are handles, taken when the step's rows come in, so the order in which readers run does not matter,
nor what a merge does meanwhile.  When the step is over they are let go.
"""

from __future__ import annotations

from ...repr.batch import Batch, Delta
from ...repr.schema import Schema
from ..arrangement import Arrangement, keyed
from ..run import Run
from ..spine import Spine
from .base import Operator


class Arrange(Operator):
    """Rows with a NULL in the key are not held: no lookup finds them."""

    def __init__(self, schema: Schema, key: tuple[int, ...]) -> None:
        super().__init__(schema)
        self._arrangement = Arrangement(schema, key)
        self._step: tuple[tuple[Run, ...], tuple[Run, ...]] | None = None

    def spines(self) -> dict[str, Spine]:
        return {"rows": self._arrangement.spine}

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        spine = self._arrangement.spine
        before = spine.handle()
        self._arrangement.insert(keyed(batch, spine.key))
        self._step = before, spine.handle()
        return self.delta(batch)

    def runs(self, *, before: bool) -> tuple[Run, ...]:
        """The contents as of before the step, or after it."""
        if self._step is None:
            return self._arrangement.spine.handle()  # nothing has come in: both are the same
        return self._step[0 if before else 1]

    def end_step(self) -> None:
        """Every reader of the step has run."""
        self._step = None
