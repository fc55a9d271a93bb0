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

import numpy as np
import pyarrow as pa

from ....interrupt import check_interrupt
from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches, concat_deltas, empty_delta
from ....repr.consolidate import consolidate
from ....repr.schema import ERROR_SCHEMA
from ...plan import DistinctOp, EnterOp, FeedbackOp, IterateOp, Node, ThresholdOp, starts_alone
from ...spine import Spine
from ..base import Operator
from ..counts import Counts, at_least_zero, occurs
from ..joins.join import Join
from ..segments import Ints
from .count_history import CountHistory
from .fixpoint import Changes
from .limits import LIMIT_SQLSTATE, MemoryWatch, check_iterations
from .rederived import Rederived
from .times import all_at, by_time, constant


class Iterations:
    """The graph of a loop, and its state.  Any operator and any limit will do."""

    def __init__(self, op: IterateOp) -> None:
        self.op = op
        self.alone = starts_alone(op)
        self.nodes = [_Inside(node, op.nodes) for node in op.nodes]
        self.feedback = {node.op.binding: node.id for node in op.nodes if isinstance(node.op, FeedbackOp)}
        self.enter = {node.op.input: node.id for node in op.nodes if isinstance(node.op, EnterOp)}
        self.errors = {binding: CountHistory(ERROR_SCHEMA, occurs) for binding in self.feedback}
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
        epoch = _Epoch(self, first=first)
        epoch.run(inputs)
        for node in self.nodes:
            node.end_epoch()
        return epoch.changes


class _Inside:
    """A node of the loop's graph and what computes it; Enter and Feedback have nothing to compute.

    `settles`: what it puts out at an iteration is consolidated.
    """

    def __init__(self, node: Node, nodes: Sequence[Node]) -> None:
        self.id = node.id
        self.inputs = node.inputs
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


class _Epoch:
    """One epoch of a loop."""

    def __init__(self, loop: Iterations, *, first: bool) -> None:
        self._loop = loop
        self._first = first
        self._waiting: dict[int, dict[int, list[Delta]]] = {}
        self._order: list[int] = []  # a heap of the iterations that wait
        self._memory = MemoryWatch()
        self.changes = Changes()

    def run(self, inputs: Sequence[Batch]) -> None:
        loop = self._loop
        for number, batch in enumerate(inputs):
            if len(batch) and number in loop.enter:
                start = Batch(batch.columns, constant(0, len(batch)), batch.diffs)
                self._put(0, loop.enter[number], Delta(start, NO_ERRORS))
        if self._first and loop.alone:
            self._at(0)
        while self._waiting:
            iteration = heapq.heappop(self._order)
            check_interrupt()
            if loop.op.limit is None:
                check_iterations(iteration)
            self._bindings(self._iterate(iteration, self._waiting.pop(iteration)), iteration)

    def _at(self, iteration: int) -> dict[int, list[Delta]]:
        """What waits for an iteration, which will be visited."""
        if iteration not in self._waiting:
            self._waiting[iteration] = {}
            heapq.heappush(self._order, iteration)
        return self._waiting[iteration]

    def _put(self, iteration: int, node: int, delta: Delta) -> None:
        self._at(iteration).setdefault(node, []).append(delta)

    def _iterate(self, iteration: int, waiting: dict[int, list[Delta]]) -> dict[int, Delta]:
        """Every node's updates at `iteration`; what comes at later ones is put there."""
        results: dict[int, Delta] = {}
        for node in self._loop.nodes:
            pieces = waiting.get(node.id, [])
            if node.inputs:
                output = node.step(results, iteration, first=self._first)
                if output:
                    pieces = [*pieces, *self._now(node, output, iteration)]
                if node.rederived is not None:
                    for due in node.rederived.due():
                        self._at(due)
            if not pieces:
                continue
            delta = pieces[0]
            if len(pieces) > 1:
                delta = concat_deltas(node.schema, pieces)
                if node.settles:  # what was foreseen for this iteration may not come after all
                    delta = Delta(consolidate(delta.oks), consolidate(delta.errs))
            if delta:
                results[node.id] = delta
                self._memory.count(len(delta.oks))
        return results

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

    def _bindings(self, results: dict[int, Delta], iteration: int) -> None:
        """Notes what the bindings have changed by, and puts it where the next iteration reads it."""
        loop = self._loop
        op = loop.op
        last = op.limit is not None and iteration + 1 >= op.limit
        for binding, node in enumerate(op.results):
            delta = results.get(node)
            if delta is None:
                continue
            if binding in op.outputs:
                self.changes.add(binding, delta)
            if last:
                self._exceed(binding, delta.oks)
            elif binding in loop.feedback:
                self._feed(binding, delta, iteration)

    def _feed(self, binding: int, delta: Delta, iteration: int) -> None:
        target = self._loop.feedback[binding]
        # What comes to nothing must not go round for ever.
        settled = self._loop.nodes[self._loop.op.results[binding]].settles
        oks = delta.oks if settled else consolidate(delta.oks)
        if len(oks):
            oks = Batch(oks.columns, constant(iteration + 1, len(oks)), oks.diffs)
            self._put(iteration + 1, target, Delta(oks, NO_ERRORS))
        if not len(delta.errs):
            return
        limit = self._loop.op.limit
        for time, errs in by_time(self._loop.errors[binding].update(delta.errs, iteration)):
            if limit is None or time + 1 < limit:
                fed = Batch(errs.columns, constant(time + 1, len(errs)), errs.diffs)
                self._put(time + 1, target, Delta(delta.oks.slice(0, 0), fed))

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
