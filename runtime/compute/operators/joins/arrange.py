"""Arrange: a collection goes on as it is, and its rows are indexed by a key for those that look them up.

One arrangement serves every Lookup by that key in the dataflow.  In a step, Lookups read it as of before the step or
as of after it; both are handles, taken when the step's rows come in, so the order in which readers run does not matter,
nor what a merge does meanwhile.  When the step is over they are let go.

An arrangement that an index has need not be held once more: it is *shared*.  The index may be ahead of this dataflow,
so rows are read below a time: that of the step's beginning, or of its end.  The owner of a shared index sees to it that the index is
complete there, and that its merges advance no time beyond the last one before the step.  Where the index is not to be
had, the arrangement is the operator's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ....repr.batch import Batch, Delta
from ....repr.schema import Schema
from ...arrangement import Arrangement, keyed
from ...run import Run
from ...run_store import RunStore
from ...spine import Spine, run_of
from ..base import Operator

ARRANGED = "rows"
"""The name of the rows that are held here, as state."""


class Shared(Protocol):
    """Rows arranged by somebody else, by the same key: the columns of the operator's, and perhaps more behind them."""

    def handle(self) -> tuple[Run, ...]:
        """The runs, as of now."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a Lookup searches: of `runs` the updates at times below `bound` (None: all), in their first columns."""

    runs: tuple[Run, ...]
    bound: int | None = None


class Arrange(Operator):
    """Rows with a NULL in the key are found by no lookup.  With `shareable`, the arrangement is no state of this
    dataflow, held by an index (`shared`), or the operator itself (see `own`)."""

    def __init__(self, schema: Schema, key: tuple[int, ...], *, shareable: bool = False) -> None:
        super().__init__(schema)
        self._arrangement = Arrangement(schema, key)
        self._step: tuple[tuple[Run, ...], tuple[Run, ...]] | None = None
        self._shareable = shareable
        self._shared: Shared | None = None
        self._lower = self._upper = 0

    def spines(self) -> dict[str, Spine]:
        return {} if self._shareable else {ARRANGED: self._arrangement.spine}

    def keep_in(self, store: RunStore) -> None:
        """From now on large runs that are held here are mapped files of `store`."""
        self._arrangement.spine.store = store
        self._arrangement.spine.spill()

    def substitute(self) -> Spine | None:
        """What is held in place of an arrangement that cannot be shared."""
        return self._arrangement.spine if self._shareable and self._shared is None else None

    def share(self, shared: Shared) -> None:
        """From now on the rows are those of `shared`; nothing is held here."""
        self._arrangement.spine.clear()
        self._shared = shared

    def own(self, runs: Sequence[Run]) -> None:
        """From now on the rows are held here, beginning with `runs`: those before the next step."""
        self._shared = None
        width = range(len(self.schema))
        self._arrangement.spine.load([Run(r.hashes, r.batch.select(width), r.samples) for r in runs])

    def own_rows(self, rows: Batch) -> None:
        """As `own`, from rows in any order."""
        self.own(())
        self._arrangement.insert(keyed(rows, self._arrangement.spine.key))

    def shared_runs(self) -> tuple[Run, ...] | None:
        """The runs of the arrangement that is shared, as of now; None when there is none."""
        return self._shared.handle() if self._shared is not None else None

    def take_in(self, rows: Batch, upper: int) -> None:
        """Holds the `rows` of a step up to `upper` that was made elsewhere, unless an index holds them."""
        if self._shared is None:
            spine = self._arrangement.spine
            self._arrangement.insert(keyed(rows, spine.key))
            spine.advance_since(upper)

    def begin_step(self, lower: int, upper: int) -> None:
        """Called before any operator of the step runs."""
        self._lower, self._upper = lower, upper

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        if self._shared is not None:
            return self.delta(batch)
        spine = self._arrangement.spine
        before = spine.handle()
        rows = keyed(batch, spine.key)
        settled = self._arrangement.settled(rows, upper)
        if settled is None:
            self._arrangement.insert(rows)
            self._step = before, spine.handle()
        else:
            self._arrangement.insert(settled)
            self._step = before, (*before, run_of(rows.batch, rows.hashes))
        if self._shareable:
            spine.advance_since(upper)
        return self.delta(batch)

    def reading(self, *, before: bool) -> Reading:
        """The contents as of before the step, or after it."""
        if self._shared is not None:
            return Reading(self._shared.handle(), self._lower if before else self._upper)
        if self._step is None:
            return Reading(self._arrangement.spine.handle())  # nothing has come in: both are the same
        return Reading(self._step[0 if before else 1])

    def end_step(self) -> None:
        """Every reader of the step has run."""
        self._step = None
