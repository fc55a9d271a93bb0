"""Constant: literal rows, there from the as_of of the dataflow on."""

from __future__ import annotations

from ...repr.batch import Batch, Delta, batch_from_rows
from ...repr.schema import Schema
from ..plan import ConstantOp
from .base import Operator


class Constant(Operator):
    """Has no input: its rows appear in the step that holds the as_of."""

    def __init__(self, op: ConstantOp, schema: Schema, as_of: int) -> None:
        super().__init__(schema)
        self._op = op
        self._as_of = as_of

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        raise AssertionError("a constant has no input")

    def step(self, inputs: tuple[Delta, ...], lower: int, upper: int) -> Delta:
        if not lower <= self._as_of < upper:
            return self._nothing
        return self.delta(batch_from_rows(self.schema, self._op.rows, self._as_of))
