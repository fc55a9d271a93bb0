"""Iterate: a loop to fixpoint, kept up to date under insertions and deletions.

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

Errors that come up inside go round as well, each once: an error in any iteration is one of all later iterations.  Errors
of the inputs are the loop's at once.

State is that of the operators, between epochs: nothing waits then.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
import pyarrow as pa

from ....errors import MemoryLimitExceeded, PtvcError
from ....repr.batch import NO_ERRORS, Batch, Delta, Times, concat_batches, concat_deltas, empty_delta
from ....repr.consolidate import consolidate
from ....repr.schema import ERROR_SCHEMA, Schema
from ...interrupt import check_interrupt
from ...plan import DistinctOp, EnterOp, FeedbackOp, IterateOp, Node, ThresholdOp, starts_alone
from ...spine import Spine
from ..base import Operator
from ..counts import Counts, at_least_zero, occurs
from ..joins.join import Join
from ..segments import Ints
from .count_history import CountHistory
from .rederived import Rederived

MAX_ITERATIONS = 100_000
"""A loop without a limit of its own that has not ended by then is taken to be one that never does."""

MEMORY_CHECK_ROWS = 1_000_000
"""After so many more updates of an epoch, a loop looks whether there is memory left."""

LIMIT_SQLSTATE = "54000"


class Iterate(Operator):
    """`as_of`: the epoch with which operators begin that have rows even over nothing."""

    def __init__(self, op: IterateOp, inputs: tuple[Schema, ...], schema: Schema, as_of: int) -> None:
        super().__init__(schema)
        self._op = op
        self._as_of = as_of
        self._alone = starts_alone(op)
        self._nodes = [_Inside(node, op.nodes) for node in op.nodes]
        self._schemas = [op.nodes[result].schema for result in op.results]
        self._feedback = {node.op.binding: node.id for node in op.nodes if isinstance(node.op, FeedbackOp)}
        self._enter = {node.op.input: node.id for node in op.nodes if isinstance(node.op, EnterOp)}
        self._errors = {binding: CountHistory(ERROR_SCHEMA, occurs) for binding in self._feedback}
        self._excess: dict[int, Counts] = {}
        if op.limit is not None and not op.return_at_limit:
            self._excess = {b: Counts(schema) for b, schema in enumerate(self._schemas)}
        self._spines = {
            **{f"{node.id}_{name}": s for node in self._nodes for name, s in node.spines().items()},
            **{f"errors_{b}": history.spine for b, history in self._errors.items()},
            **{f"excess_{b}": counts.spine for b, counts in self._excess.items()},
        }

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        raise AssertionError("a loop takes its epochs one at a time")

    def step(self, inputs: tuple[Delta, ...], lower: int, upper: int) -> Delta:
        first = lower <= self._as_of < upper
        outputs = [Delta(self._nothing.oks, delta.errs) for delta in inputs if len(delta.errs)]
        for time, batches in self._epochs(inputs, first):
            epoch = _Epoch(self, first=first and time == self._as_of)
            epoch.run(batches)
            outputs.append(self._outcome(epoch, time))
            for node in self._nodes:
                node.end_epoch()
        return outputs[0] if len(outputs) == 1 else concat_deltas(self.schema, outputs)

    def _epochs(self, inputs: tuple[Delta, ...], first: bool) -> Iterator[tuple[int, list[Batch]]]:
        """Each time of the inputs, and their updates at it."""
        every = [delta.oks.times for delta in inputs if len(delta.oks)]
        if first and self._alone:
            every.append(np.array([self._as_of], np.uint64))
        if not every:
            return
        times = np.unique(np.concatenate(every))
        if len(times) == 1:
            yield int(times[0]), [delta.oks for delta in inputs]
            return
        pieces = [dict(_by_time(delta.oks)) for delta in inputs]
        for time in times.tolist():
            yield time, [pieces[i].get(time, delta.oks.slice(0, 0)) for i, delta in enumerate(inputs)]

    def _outcome(self, epoch: _Epoch, time: int) -> Delta:
        """The updates of an epoch at all iterations, as updates of the outputs at `time`."""
        oks = []
        for number, binding in enumerate(self._op.outputs):
            batches = [delta.oks for delta in epoch.changes[binding]]
            total = concat_batches(self._schemas[binding], batches)
            total = consolidate(Batch(total.columns, _constant(time, len(total)), total.diffs))
            oks.append(self._tagged(number, total))
        errs = [delta.errs for binding in self._op.outputs for delta in epoch.changes[binding]]
        errors = concat_batches(ERROR_SCHEMA, [*errs, *epoch.excess])
        return Delta(
            concat_batches(self.schema, oks),
            Batch(errors.columns, _constant(time, len(errors)), errors.diffs),
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
        exchange = [by for by in node.exchange if by is not None]
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
    """One epoch of a loop.  `changes[b]` are the updates of binding b, by iteration; `excess` the errors of a limit."""

    def __init__(self, loop: Iterate, *, first: bool) -> None:
        self._loop = loop
        self._first = first
        self._waiting: dict[int, dict[int, list[Delta]]] = {}
        self._order: list[int] = []  # a heap of the iterations that wait
        self._rows = 0
        self.changes: defaultdict[int, list[Delta]] = defaultdict(list)
        self.excess: list[Batch] = []

    def run(self, inputs: Sequence[Batch]) -> None:
        loop = self._loop
        for number, batch in enumerate(inputs):
            if len(batch) and number in loop._enter:
                start = Batch(batch.columns, _constant(0, len(batch)), batch.diffs)
                self._put(0, loop._enter[number], Delta(start, NO_ERRORS))
        if self._first and loop._alone:
            self._at(0)
        while self._waiting:
            iteration = heapq.heappop(self._order)
            check_interrupt()
            if iteration >= MAX_ITERATIONS and loop._op.limit is None:
                raise _endless()
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
        for node in self._loop._nodes:
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
                self._count(len(delta.oks))
        return results

    def _now(self, node: _Inside, output: Delta, iteration: int) -> Iterator[Delta]:
        """The part of an output that is at `iteration`; the rest waits."""
        if _all_at(output.oks.times, iteration) and _all_at(output.errs.times, iteration):
            yield output
            return
        nothing = empty_delta(node.schema)
        for time, batch in _by_time(output.oks):
            delta = Delta(batch, NO_ERRORS)
            if time == iteration:
                yield delta
            else:
                self._put(time, node.id, delta)
        for time, batch in _by_time(output.errs):
            delta = Delta(nothing.oks, batch)
            if time == iteration:
                yield delta
            else:
                self._put(time, node.id, delta)

    def _bindings(self, results: dict[int, Delta], iteration: int) -> None:
        """Notes what the bindings have changed by, and puts it where the next iteration reads it."""
        loop = self._loop
        op = loop._op
        last = op.limit is not None and iteration + 1 >= op.limit
        for binding, node in enumerate(op.results):
            delta = results.get(node)
            if delta is None:
                continue
            if binding in op.outputs:
                self.changes[binding].append(delta)
            if last:
                self._exceed(binding, delta.oks)
            elif binding in loop._feedback:
                self._feed(binding, delta, iteration)

    def _feed(self, binding: int, delta: Delta, iteration: int) -> None:
        target = self._loop._feedback[binding]
        # What comes to nothing must not go round for ever.
        settled = self._loop._nodes[self._loop._op.results[binding]].settles
        oks = delta.oks if settled else consolidate(delta.oks)
        if len(oks):
            oks = Batch(oks.columns, _constant(iteration + 1, len(oks)), oks.diffs)
            self._put(iteration + 1, target, Delta(oks, NO_ERRORS))
        if not len(delta.errs):
            return
        limit = self._loop._op.limit
        for time, errs in _by_time(self._loop._errors[binding].update(delta.errs, iteration)):
            if limit is None or time + 1 < limit:
                fed = Batch(errs.columns, _constant(time + 1, len(errs)), errs.diffs)
                self._put(time + 1, target, Delta(delta.oks.slice(0, 0), fed))

    def _exceed(self, binding: int, oks: Batch) -> None:
        """In the last iteration that the limit allows: a row that still changes is an error."""
        counts = self._loop._excess.get(binding)
        if counts is None or not len(oks):
            return
        changed = counts.update(Batch(oks.columns, _constant(0, len(oks)), oks.diffs), _differs)
        if len(changed):
            message = f"the recursion has not reached a fixpoint within its limit of {self._loop._op.limit} iterations"
            texts = (LIMIT_SQLSTATE, message)
            columns = tuple(pa.repeat(pa.scalar(text), len(changed)) for text in texts)
            self.excess.append(Batch(columns, changed.times, changed.diffs))

    def _count(self, rows: int) -> None:
        self._rows += rows
        if self._rows >= MEMORY_CHECK_ROWS:
            self._rows = 0
            if not _memory_left():
                raise _out_of_memory()


def _endless() -> PtvcError:
    return PtvcError(
        f"the recursion has not come to an end after {MAX_ITERATIONS:,} iterations",
        sqlstate=LIMIT_SQLSTATE,
        hint="If it does end, allow it more with WITH MUTUALLY RECURSIVE (ERROR AT RECURSION LIMIT n); "
        "otherwise add a condition that ends it, or take what is there with RETURN AT RECURSION LIMIT n.",
    )


def _out_of_memory() -> MemoryLimitExceeded:
    return MemoryLimitExceeded(
        "the recursion has used up the memory of the machine",
        hint="Add a condition that ends it earlier, remove duplicates with UNION instead of UNION ALL, "
        "or limit it with RETURN AT RECURSION LIMIT n.",
    )


def _memory_left() -> bool:
    """Whether a tenth of the machine's memory is there for the taking; True where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        available, total = (int(lines[name].split()[0]) for name in ("MemAvailable", "MemTotal"))
    except (OSError, KeyError, ValueError):
        return True
    return available * 10 >= total


def _differs(counts: Ints) -> Ints:
    differs: Ints = (counts != 0).astype(np.int64)
    return differs


def _constant(time: int, length: int) -> Times:
    return np.full(length, time, np.uint64)


def _all_at(times: Times, time: int) -> bool:
    return not len(times) or bool((times == time).all())


def _by_time(batch: Batch) -> Iterator[tuple[int, Batch]]:
    """Each time, ascending, and the updates at it."""
    if not len(batch):
        return
    times = batch.times
    if (times == times[0]).all():
        yield int(times[0]), batch
        return
    order = np.argsort(times, kind="stable")
    batch = batch.take(order)
    starts = np.flatnonzero(np.concatenate(([True], batch.times[1:] != batch.times[:-1])))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(batch)], strict=True):
        yield int(batch.times[start]), batch.slice(start, stop)
