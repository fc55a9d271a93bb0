"""Union and Negate: multiplicities add, or change sign."""

from __future__ import annotations

from ...repr.batch import Batch, Delta, concat_batches
from .base import Operator


class Union(Operator):
    """UNION ALL of any number of inputs of the output's column types."""

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        return self.delta(concat_batches(self.schema, oks))


class Negate(Operator):
    """Rows change sign; errors do not: an error of what is subtracted is an error of the difference."""

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        return self.delta(oks[0].negate())
