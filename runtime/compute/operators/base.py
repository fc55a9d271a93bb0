"""The operator contract: one node of a dataflow.

An operator turns the updates of its inputs in a step `[lower, upper)` into the updates of its output in the same
interval, from its state alone: what it writes at each time is a function of the multisets of its inputs up to that
time, however they were cut into steps.  A step may carry many distinct times.

`step` is the same for all and does what is common: nothing at all for empty inputs, errors of inputs pass through,
state gets `upper` as its since: no time before it is read again.  A subclass implements `apply`: its algebra.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from ...repr.batch import NO_ERRORS, Batch, Delta, concat_batches, empty_delta
from ...repr.schema import ERROR_SCHEMA, Schema
from ..spine import Spine

NEVER_DUE = 2**64 - 1
"""The next due time of an operator for which nothing waits."""


class Operator(ABC):
    """A node.  `schema` is that of its output rows."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._nothing = empty_delta(schema)
        self._held: tuple[Spine, ...] | None = None

    @abstractmethod
    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        """The updates of the output that follow from `oks`, the row updates of each input, not all empty (but for
        an operator that is due).

        Input times are in `[lower, upper)`, and so must be those of the result.  The errors of the result are
        those that this operator adds; those of inputs are no business of it.
        """

    def spines(self) -> dict[str, Spine]:
        """The state, by names that are stable across versions; nothing else may influence a later step."""
        return {}

    def next_due(self) -> int:
        """The first time at which the output changes although no input does; such a step is needed then.

        NEVER_DUE for all operators but those that hold updates of the future.
        """
        return NEVER_DUE

    def step(self, inputs: tuple[Delta, ...], lower: int, upper: int) -> Delta:
        """The output's updates in `[lower, upper)`; every input update has its time there too."""
        output = self._nothing
        if any(len(delta.oks) for delta in inputs) or self.next_due() < upper:
            output = self.apply(tuple(delta.oks for delta in inputs), lower, upper)
        errs = [delta.errs for delta in inputs if len(delta.errs)]
        if errs:
            output = Delta(output.oks, concat_batches(ERROR_SCHEMA, [*errs, output.errs]))
        if self._held is None:
            self._held = tuple(self.spines().values())
        for spine in self._held:
            spine.advance_since(upper)
        return output

    def delta(self, oks: Batch, errs: Batch = NO_ERRORS) -> Delta:
        """What `apply` returns."""
        return Delta(oks, errs) if len(oks) or len(errs) else self._nothing
