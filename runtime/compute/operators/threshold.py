"""Threshold: rows with a negative multiplicity vanish, as EXCEPT ALL and INTERSECT ALL need."""

from __future__ import annotations

from ...repr.batch import Batch, Delta
from ...repr.schema import Schema
from ..spine import Spine
from .base import Operator
from .counts import Counts, at_least_zero


class Threshold(Operator):
    """out(t)[row] = max(in(t)[row], 0), for every row and time.

    Work is per row that the step touches, whatever its count.
    """

    def __init__(self, schema: Schema) -> None:
        super().__init__(schema)
        self._counts = Counts(schema)

    def spines(self) -> dict[str, Spine]:
        return {"counts": self._counts.spine}

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        return self.delta(self._counts.update(oks[0], at_least_zero))
