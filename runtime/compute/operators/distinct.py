"""Distinct: every row that occurs, once.

Over an append-only input a row that has occurred occurs for good: it is enough to know that, and not how often.
"""

from __future__ import annotations

from ...expr.tree.relation import GlobalId
from ...repr.batch import Batch, Delta
from ...repr.schema import Schema
from ..spine import Spine
from .base import Operator
from .counts import Counts, occurs
from .insertions import insertions


class Distinct(Operator):
    """out(t)[row] = 1 if in(t)[row] > 0 else 0, for every row and time.

    Work is per row that the step touches, whatever its count.  Rows that SQL holds equal and that print
    differently (-0.0 and 0.0) are one row, the one without the sign.
    """

    def __init__(self, schema: Schema, monotonic: tuple[GlobalId, ...] = ()) -> None:
        super().__init__(schema)
        self._monotonic = monotonic
        self._counts = Counts(schema)

    def spines(self) -> dict[str, Spine]:
        return {"counts": self._counts.spine}

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        if self._monotonic:
            return self.delta(self._counts.appear(insertions(self.schema, oks[0], self._monotonic)))
        return self.delta(self._counts.update(oks[0], occurs))
