"""Iterate: a loop to fixpoint, kept up to date under insertions and deletions.

The output is what the loop's bindings come to, of its inputs as they are at each time.  A step's times (epochs) are taken
one at a time.  An epoch is worked off inside by one of two:

- `Waves`, where nothing in the loop takes away from what it is given: which rows there are in the end does then not
  depend on the order in which they are derived, so it need not be that of the iterations.
- `Iterations` for all others: differential dataflow on times (epoch, iteration).

Errors that come up inside are the loop's; those of the inputs are so at once.

State is that of the operators inside, between epochs, and either can go on from what the other has left.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ....repr.batch import Batch, Delta, concat_batches, concat_deltas
from ....repr.consolidate import consolidate
from ....repr.schema import ERROR_SCHEMA, Schema
from ...plan import IterateOp, starts_alone
from ...spine import Spine
from ..base import Operator
from .changes import Changes
from .iterations import Iterations
from .times import by_time, constant
from .waves import Waves, growing


class Iterate(Operator):
    """`as_of`: the epoch with which operators begin that have rows even over nothing."""

    def __init__(self, op: IterateOp, inputs: tuple[Schema, ...], schema: Schema, as_of: int) -> None:
        super().__init__(schema)
        self._op = op
        self._as_of = as_of
        self._alone = starts_alone(op)
        self._schemas = [op.nodes[result].schema for result in op.results]
        self.inside = Waves(op) if growing(op) else Iterations(op)
        self._spines = self.inside.spines()

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        raise AssertionError("a loop takes its epochs one at a time")

    def step(self, inputs: tuple[Delta, ...], lower: int, upper: int) -> Delta:
        outputs = self.passed(inputs)
        for time, batches, first in self.epochs(inputs, lower, upper):
            outputs.append(self.outcome(self.inside.epoch(batches, first=first), time))
        return self.together(outputs)

    def passed(self, inputs: tuple[Delta, ...]) -> list[Delta]:
        """The errors of the inputs."""
        return [Delta(self._nothing.oks, delta.errs) for delta in inputs if len(delta.errs)]

    def together(self, outputs: list[Delta]) -> Delta:
        return outputs[0] if len(outputs) == 1 else concat_deltas(self.schema, outputs)

    def epochs(
        self, inputs: tuple[Delta, ...], lower: int, upper: int
    ) -> Iterator[tuple[int, list[Batch], bool]]:
        """Each time of the inputs, ascending, their updates at it, and whether it is the first of all."""
        first = lower <= self._as_of < upper
        every = [delta.oks.times for delta in inputs if len(delta.oks)]
        if first and self._alone:
            every.append(np.array([self._as_of], np.uint64))
        if not every:
            return
        times = np.unique(np.concatenate(every))
        if len(times) == 1:
            yield int(times[0]), [delta.oks for delta in inputs], first and times[0] == self._as_of
            return
        pieces = [dict(by_time(delta.oks)) for delta in inputs]
        for time in times.tolist():
            batches = [pieces[i].get(time, delta.oks.slice(0, 0)) for i, delta in enumerate(inputs)]
            yield time, batches, first and time == self._as_of

    def outcome(self, changes: Changes, time: int) -> Delta:
        """The updates of an epoch, as updates of the outputs at `time`."""
        oks = []
        for number, binding in enumerate(self._op.outputs):
            batches = [delta.oks for delta in changes.bindings[binding]]
            total = concat_batches(self._schemas[binding], batches)
            total = consolidate(Batch(total.columns, constant(time, len(total)), total.diffs))
            oks.append(self._tagged(number, total))
        errs = [delta.errs for binding in self._op.outputs for delta in changes.bindings[binding]]
        errors = concat_batches(ERROR_SCHEMA, [*errs, *changes.errs])
        return Delta(
            concat_batches(self.schema, oks),
            Batch(errors.columns, constant(time, len(errors)), errors.diffs),
        )

    def _tagged(self, number: int, batch: Batch) -> Batch:
        """Rows of the output `number` as rows of the loop."""
        if len(self._op.outputs) == 1:
            return batch
        count = len(batch)
        columns: list[pa.Array] = [pa.array(np.full(count, number, np.int32))]
        for other, binding in enumerate(self._op.outputs):
            if other == number:
                columns += batch.columns
            else:
                columns += [pa.nulls(count, column.type.arrow) for column in self._schemas[binding]]
        return batch.with_columns(columns)
