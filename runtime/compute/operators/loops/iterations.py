"""Iterations: a loop whose every iteration is exact, kept up to date under insertions and deletions.

Inside, every collection is a history over iterations: updates `(row, iteration, diff)`, the iteration in the place of
the time.  A step's times (epochs) are taken one at a time; an epoch revises these histories.

```
inputs ─ Enter ─┐ at iteration 0
                ├─ operators, in topological order ─ results of the bindings ─┬─ sum over all iterations: the output
   Feedback ────┘ at iteration i                                              │
       └───────────────────────── at iteration i + 1 ─────────────────────────┘
```

This is differential dataflow on times (epoch, iteration): state keeps the iteration of every update, so that one
changed row leads to those changes alone that follow from it, at whichever iteration, and deletions are no different
from insertions.  Iterations with something to do are visited in ascending order.  An operator there is given the
updates at that iteration, and answers with updates at it or at later ones, which wait until theirs has come:

| operator             | answer to a change at iteration i                                                        |
|----------------------|------------------------------------------------------------------------------------------|
| stateless            | at i                                                                                     |
| inner join           | each match at the later of its two iterations                                            |
| distinct, threshold  | of the rows touched, wherever the count's function now changes otherwise (CountHistory)  |
| all others           | their groups are computed anew, at i and where they have history after it (Rederived)    |

Errors that come up inside go round as well, each once: an error in any iteration is one of all later iterations.

State is that of the operators, between epochs: nothing waits then.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....interrupt import check_interrupt
from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches, concat_deltas, empty_batch, empty_delta
from ....repr.consolidate import consolidate
from ....repr.schema import ERROR_SCHEMA
from ...plan import DistinctOp, EnterOp, FeedbackOp, IterateOp, Node, ThresholdOp, starts_alone
from ...spine import Spine
from ..base import Operator
from ..counts import Counts, at_least_zero, occurs
from ..joins.join import Join
from ..segments import Ints
from .body import Body
from .changes import Changes
from .count_history import CountHistory
from .limits import LIMIT_SQLSTATE, MemoryWatch, check_iterations
from .rederived import Rederived
from .times import all_at, by_time, constant


class Iterations:
    """The graph of a loop, and its state.  Any operator and any limit will do."""

    def __init__(self, op: IterateOp) -> None:
        self.op = op
        self.alone = starts_alone(op)
        self.body = body = Body(op)
        self.nodes = [_Inside(node, op.nodes, body.reads[node.id]) for node in op.nodes]
        self.sources = [node for node in self.nodes if not node.inputs]
        self.levels = [[self.nodes[i] for i in ids] for ids in body.levels]
        self.errors = {binding: CountHistory(ERROR_SCHEMA, occurs) for binding in sorted(body.around)}
        self.excess: dict[int, Counts] = {}
        if op.limit is not None and not op.return_at_limit:
            self.excess = {b: Counts(op.nodes[result].schema) for b, result in enumerate(op.results)}

    def spines(self) -> dict[str, Spine]:
        return {
            **{f"{node.id}_{name}": s for node in self.nodes for name, s in node.spines().items()},
            **{f"errors_{b}": history.spine for b, history in self.errors.items()},
            **{f"excess_{b}": counts.spine for b, counts in self.excess.items()},
        }

    def epoch(self, inputs: Sequence[Batch], *, first: bool) -> Changes:
        epoch = Epoch(self, inputs, first=first)
        while (iteration := epoch.next) is not None:
            check_interrupt()
            visit = epoch.visit(iteration)
            for nodes in self.levels:
                epoch.compute(nodes, visit)
            for binding, delta in epoch.bindings(visit):
                rows, errs = epoch.round(binding, delta.oks, iteration), delta.errs
                epoch.feed(self.body.around[binding], rows)
                epoch.feed_errors(binding, errs, iteration)
        epoch.end()
        return epoch.changes


class _Inside:
    """A node of the loop's graph and what computes it; Enter and Feedback have nothing to compute.

    Its inputs are at `reads` in the results of an iteration.  `settles`: what it puts out at an iteration is consolidated.
    """

    def __init__(self, node: Node, nodes: Sequence[Node], reads: tuple[int, ...]) -> None:
        self.id = node.id
        self.inputs = reads
        self.schema = node.schema
        self.counts: CountHistory | None = None
        self.rederived: Rederived | None = None
        self.operator: Operator | None = None
        self.settles = False
        self._empty = [empty_delta(nodes[i].schema) for i in node.inputs]
        schemas = tuple(nodes[i].schema for i in node.inputs)
        op = node.op
        if isinstance(op, EnterOp | FeedbackOp):
            return
        if isinstance(op, DistinctOp | ThresholdOp):
            self.counts = CountHistory(node.schema, occurs if isinstance(op, DistinctOp) else at_least_zero)
            self.settles = True
            return
        from ..build import build  # which builds loops by way of this module

        operator = build(op, schemas, node.schema, 0)
        exchange = [by for by in node.exchange if isinstance(by, tuple)]
        if isinstance(operator, Join) or not exchange:
            assert isinstance(operator, Join) or not operator.spines(), "state, and no word on its groups"
            self.operator = operator
            return
        self.settles = True
        self.rederived = Rederived(operator, schemas, node.schema, exchange, alone=starts_alone(op))

    def spines(self) -> dict[str, Spine]:
        if self.counts is not None:
            return {"counts": self.counts.spine}
        if self.rederived is not None:
            return self.rederived.spines()
        return self.operator.spines() if self.operator is not None else {}

    def step(self, results: dict[int, Delta], iteration: int, *, first: bool) -> Delta | None:
        """The node's updates at `iteration` or later that follow from its inputs' `results` there."""
        given = [results.get(i, empty) for i, empty in zip(self.inputs, self._empty, strict=True)]
        oks = tuple(delta.oks for delta in given)
        output: Delta | None = None
        if self.rederived is not None:
            output = self.rederived.step(oks, iteration, first=first)
        elif any(len(batch) for batch in oks):
            if self.counts is not None:
                output = Delta(self.counts.update(oks[0], iteration), NO_ERRORS)
            elif self.operator is not None:
                output = self.operator.apply(oks, iteration, iteration + 1)
        errs = [delta.errs for delta in given if len(delta.errs)]
        if not errs:
            return output
        if output is None:
            return Delta(empty_delta(self.schema).oks, concat_batches(ERROR_SCHEMA, errs))
        return Delta(output.oks, concat_batches(ERROR_SCHEMA, [*errs, output.errs]))

    def end_epoch(self) -> None:
        if self.rederived is not None:
            self.rederived.end_epoch()


@dataclass(frozen=True, slots=True)
class Visit:
    """An iteration as it is worked off: what `waits` for it, by node, and the nodes' `results` at it."""

    iteration: int
    waits: dict[int, list[Delta]]
    results: dict[int, Delta]


class Epoch:
    """One epoch of a loop: of all of it, or of a part, whose rows then go round by way of other parts."""

    def __init__(self, loop: Iterations, inputs: Sequence[Batch], *, first: bool) -> None:
        self._loop = loop
        self._first = first
        self._waiting: dict[int, dict[int, list[Delta]]] = {}
        self._order: list[int] = []  # a heap of the iterations that wait
        self._memory = MemoryWatch()
        self.changes = Changes()
        for number, batch in enumerate(inputs):
            if len(batch) and number in loop.body.enter:
                start = Batch(batch.columns, constant(0, len(batch)), batch.diffs)
                self._put(0, loop.body.enter[number], Delta(start, NO_ERRORS))
        if first and loop.alone:
            self._at(0)

    @property
    def next(self) -> int | None:
        """The iteration to visit next, as far as this part knows."""
        return self._order[0] if self._order else None

    def _at(self, iteration: int) -> dict[int, list[Delta]]:
        """What waits for an iteration, which will be visited."""
        if iteration not in self._waiting:
            self._waiting[iteration] = {}
            heapq.heappush(self._order, iteration)
        return self._waiting[iteration]

    def _put(self, iteration: int, node: int, delta: Delta) -> None:
        self._at(iteration).setdefault(node, []).append(delta)

    def visit(self, iteration: int) -> Visit:
        """Begins an iteration, none of whose predecessors waits.  Raises PtvcError when rows change in one too many."""
        waits = self._waiting.pop(iteration, {})
        if self._order and self._order[0] == iteration:
            heapq.heappop(self._order)
        if self._loop.op.limit is None and any(len(d.oks) for deltas in waits.values() for d in deltas):
            check_iterations(iteration)
        visit = Visit(iteration, waits, {})
        for node in self._loop.sources:
            self._settle(node, waits.get(node.id, []), visit)
        return visit

    def compute(self, nodes: Sequence[_Inside], visit: Visit) -> None:
        """Adds the results of these nodes; what comes at later iterations is put there."""
        for node in nodes:
            pieces = visit.waits.get(node.id, [])
            output = node.step(visit.results, visit.iteration, first=self._first)
            if output:
                pieces = [*pieces, *self._now(node, output, visit.iteration)]
            if node.rederived is not None:
                for due in node.rederived.due():
                    self._at(due)
            self._settle(node, pieces, visit)

    def _settle(self, node: _Inside, pieces: Sequence[Delta], visit: Visit) -> None:
        if not pieces:
            return
        delta = pieces[0]
        if len(pieces) > 1:
            delta = concat_deltas(node.schema, pieces)
            if node.settles:  # what was foreseen for this iteration may not come after all
                delta = Delta(consolidate(delta.oks), consolidate(delta.errs))
        if delta:
            visit.results[node.id] = delta
            self._memory.count(len(delta.oks))

    def _now(self, node: _Inside, output: Delta, iteration: int) -> Iterator[Delta]:
        """The part of an output that is at `iteration`; the rest waits."""
        if all_at(output.oks.times, iteration) and all_at(output.errs.times, iteration):
            yield output
            return
        nothing = empty_delta(node.schema)
        for time, batch in by_time(output.oks):
            delta = Delta(batch, NO_ERRORS)
            if time == iteration:
                yield delta
            else:
                self._put(time, node.id, delta)
        for time, batch in by_time(output.errs):
            delta = Delta(nothing.oks, batch)
            if time == iteration:
                yield delta
            else:
                self._put(time, node.id, delta)

    def bindings(self, visit: Visit) -> list[tuple[int, Delta]]:
        """Notes what the bindings have changed by; returns those of them that the next iteration reads."""
        loop = self._loop
        op = loop.op
        last = op.limit is not None and visit.iteration + 1 >= op.limit
        read = []
        for binding, node in enumerate(op.results):
            delta = visit.results.get(node)
            if delta is None:
                continue
            if binding in op.outputs:
                self.changes.add(binding, delta)
            if last:
                self._exceed(binding, delta.oks)
            elif binding in loop.body.around:
                read.append((binding, delta))
        return read

    def round(self, binding: int, oks: Batch, iteration: int) -> Batch:
        """Rows of a binding, as the next iteration reads them."""
        # What comes to nothing must not go round for ever.
        settled = self._loop.nodes[self._loop.op.results[binding]].settles
        oks = oks if settled else consolidate(oks)
        return Batch(oks.columns, constant(iteration + 1, len(oks)), oks.diffs)

    def feed(self, nodes: Sequence[int], rows: Batch) -> None:
        """Rows at one iteration wait for it at these nodes."""
        if len(rows):
            for node in nodes:
                self._put(int(rows.times[0]), node, Delta(rows, NO_ERRORS))

    def feed_errors(self, binding: int, errs: Batch, iteration: int) -> None:
        """Errors of a binding at an iteration go round."""
        if not len(errs):
            return
        loop = self._loop
        nothing = empty_batch(loop.op.nodes[loop.op.results[binding]].schema)
        limit = loop.op.limit
        for time, some in by_time(loop.errors[binding].update(errs, iteration)):
            if limit is None or time + 1 < limit:
                fed = Batch(some.columns, constant(time + 1, len(some)), some.diffs)
                for node in loop.body.around[binding]:
                    self._put(time + 1, node, Delta(nothing, fed))

    def end(self) -> None:
        """Nothing waits any more, in any part."""
        for node in self._loop.nodes:
            node.end_epoch()

    def _exceed(self, binding: int, oks: Batch) -> None:
        """In the last iteration that the limit allows: a row that still changes is an error."""
        counts = self._loop.excess.get(binding)
        if counts is None or not len(oks):
            return
        changed = counts.update(Batch(oks.columns, constant(0, len(oks)), oks.diffs), _differs)
        if len(changed):
            message = f"the recursion has not reached a fixpoint within its limit of {self._loop.op.limit} iterations"
            texts = (LIMIT_SQLSTATE, message)
            columns = tuple(pa.repeat(pa.scalar(text), len(changed)) for text in texts)
            self.changes.errs.append(Batch(columns, changed.times, changed.diffs))


def _differs(counts: Ints) -> Ints:
    differs: Ints = (counts != 0).astype(np.int64)
    return differs
