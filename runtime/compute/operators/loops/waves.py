"""Waves: a growing loop, kept up to date under insertions and deletions, without regard to iterations.

A loop grows when nothing in it takes away: a row more in an input, or in a binding, is never a row less anywhere.  The
bindings then come to the least fixpoint, the rows that can be derived at all, in whatever order that is done.  So an
epoch is worked off in waves.  A wave takes what the last one has changed in the bindings once through all operators:

```
rows that go    (1) nothing holds them at their rank any more: gone at once, and what was derived from them, and so on
rows that come  (2) that have another derivation, or are new: only after the last of (1), then what they lead to
```

What (1) leaves is derived from rows of lower rank (`Appearances`), and these likewise: so it stands.  What comes in (2)
is derived from that.  Nothing is lost either: where a row went, all that it had led to was asked anew.

The ranks take the place of the time, as the iterations do in `Iterations`: an input's row has rank 0, a pair the higher
rank of its two rows, and a row that goes round has one more.  Stateless operators and inner joins are the
ordinary ones; a wave may carry all ranks.  So a step costs as many waves as the longest way along which rows go or come, each
over all of them: many of them are small, and what a small one costs is the calls.

Errors that come up inside go round as well, as rows do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ....expr.tree.relation import JoinKind
from ....interrupt import check_interrupt
from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches, empty_batch, empty_delta
from ....repr.schema import ERROR_SCHEMA
from ...plan import (
    DistinctOp,
    EnterOp,
    FeedbackOp,
    FlatMapOp,
    IterateOp,
    JoinOp,
    Mfp,
    Node,
    Op,
    UnionOp,
)
from ...spine import Spine
from ..base import Operator
from .appearances import Appearances
from .body import Body
from .changes import Changes
from .limits import MemoryWatch, check_iterations
from .times import constant

_ONE = np.uint64(1)


def growing(op: IterateOp) -> bool:
    """Whether a loop can be worked off in waves: it has no limit, which would tell iterations apart, no operator that takes
    away, and what goes round is distinct."""
    if op.limit is not None or not all(_grows(node.op) for node in op.nodes):
        return False
    around = [op.results[node.op.binding] for node in op.nodes if isinstance(node.op, FeedbackOp)]
    return all(isinstance(op.nodes[result].op, DistinctOp) for result in around)


def _grows(op: Op) -> bool:
    match op:
        case JoinOp(kind=kind):
            return kind is JoinKind.INNER
        case EnterOp() | FeedbackOp() | Mfp() | UnionOp() | FlatMapOp() | DistinctOp():
            return True
        case _:
            return False


class Waves:
    """The graph of a loop that is `growing`, and its state."""

    def __init__(self, op: IterateOp) -> None:
        self.body = body = Body(op)
        self.levels = [[_Inside(op.nodes[i], op.nodes, body.reads[i]) for i in ids] for ids in body.levels]
        self.feedback = [Feedback(body.around[b], b, op.nodes[op.results[b]]) for b in sorted(body.around)]
        self._nodes = [node for nodes in self.levels for node in nodes]
        self._outputs = [(binding, op.results[binding]) for binding in op.outputs]
        self._distinct = [node.distinct for node in self._nodes if node.distinct is not None]
        self._distinct += [feedback.errors for feedback in self.feedback]

    def spines(self) -> dict[str, Spine]:
        return {
            **{f"{node.id}_{name}": s for node in self._nodes for name, s in node.spines().items()},
            **{f"errors_{feedback.binding}": feedback.errors.spine for feedback in self.feedback},
        }

    @property
    def waiting(self) -> bool:
        """Whether rows have been put off."""
        return any(rows.waiting for rows in self._distinct)

    def epoch(self, inputs: Sequence[Batch], *, first: bool) -> Changes:
        changes, memory = Changes(), MemoryWatch()
        given = self.entering(inputs)
        coming = not takes(given)
        waves = 0
        while True:
            if not given:
                if coming or not self.waiting:
                    return changes
                coming = True
            check_interrupt()
            if has_rows(given):
                check_iterations(waves)
                waves += 1
            given = self._wave(given, changes, memory, coming=coming)

    def entering(self, inputs: Sequence[Batch]) -> dict[int, Delta]:
        """What the first wave of an epoch is given."""
        given: dict[int, Delta] = {}
        for number, batch in enumerate(inputs):
            if len(batch) and number in self.body.enter:
                entering = Batch(batch.columns, constant(0, len(batch)), batch.diffs)
                given[self.body.enter[number]] = Delta(entering, NO_ERRORS)
        return given

    def _wave(
        self, results: dict[int, Delta], changes: Changes, memory: MemoryWatch, *, coming: bool
    ) -> dict[int, Delta]:
        """Once through all operators, with the updates of Enter and Feedback nodes in `results`; returns those of the
        next wave."""
        for nodes in self.levels:
            self.compute(nodes, results, memory, coming=coming)
        self.note(results, changes)
        given = {}
        for feedback in self.feedback:
            delta = feedback.step(results.get(feedback.result), coming=coming)
            if delta is not None and delta:
                given.update(dict.fromkeys(feedback.nodes, delta))
        return given

    def compute(
        self, nodes: Sequence[_Inside], results: dict[int, Delta], memory: MemoryWatch, *, coming: bool
    ) -> None:
        """Adds to the `results` those of these nodes."""
        for node in nodes:
            delta = node.step(results, coming=coming)
            if delta is not None and delta:
                results[node.id] = delta
                memory.count(len(delta.oks))

    def note(self, results: Mapping[int, Delta], changes: Changes) -> None:
        """Notes what a wave has changed in the bindings that are read outside."""
        for binding, result in self._outputs:
            if result in results:
                changes.add(binding, results[result])


def takes(given: Mapping[int, Delta]) -> bool:
    """Whether rows go in an epoch that is given this."""
    return not all((delta.oks.diffs > 0).all() for delta in given.values())


def has_rows(given: Mapping[int, Delta]) -> bool:
    return any(len(delta.oks) for delta in given.values())


class _Inside:
    """A node with inputs, and what computes it.  Its inputs are at `reads` in the results of a wave."""

    def __init__(self, node: Node, nodes: Sequence[Node], reads: tuple[int, ...]) -> None:
        self.id = node.id
        self.distinct: Appearances | None = None
        self._inputs = reads
        self._empty = [empty_delta(nodes[i].schema) for i in node.inputs]
        self._nothing = empty_delta(node.schema).oks
        self._operator: Operator | None = None
        if isinstance(node.op, DistinctOp):
            self.distinct = Appearances(node.schema)
            return
        from ..build import build  # which builds loops by way of this module

        self._operator = build(node.op, tuple(nodes[i].schema for i in node.inputs), node.schema, 0)

    def spines(self) -> dict[str, Spine]:
        if self.distinct is not None:
            return {"counts": self.distinct.spine}
        return self._operator.spines() if self._operator is not None else {}

    def step(self, results: dict[int, Delta], *, coming: bool) -> Delta | None:
        """The node's updates that follow from its inputs' `results`; None when there are none."""
        given = [results.get(i) for i in self._inputs]
        if self.distinct is not None:
            (delta,) = given
            if delta is None and not (coming and self.distinct.waiting):
                return None
            delta = delta or self._empty[0]
            return Delta(self.distinct.update(delta.oks, coming=coming), delta.errs)
        if not any(given):
            return None
        assert self._operator is not None
        deltas = [delta or empty for delta, empty in zip(given, self._empty, strict=True)]
        errs = [delta.errs for delta in deltas if len(delta.errs)]
        oks = tuple(delta.oks for delta in deltas)
        output = Delta(self._nothing, NO_ERRORS)
        if any(len(batch) for batch in oks):
            output = self._operator.apply(oks, 0, 1)
        return Delta(output.oks, concat_batches(ERROR_SCHEMA, [*errs, output.errs])) if errs else output


class Feedback:
    """What a binding changes by, as the next wave reads it at `nodes`.  `errors`: those that go round, each once."""

    def __init__(self, nodes: Sequence[int], binding: int, result: Node) -> None:
        self.nodes = tuple(nodes)
        self.binding = binding
        self.result = result.id
        self.errors = Appearances(ERROR_SCHEMA)
        self.nothing = empty_batch(result.schema)

    def step(self, delta: Delta | None, *, coming: bool) -> Delta | None:
        if delta is None:
            if not (coming and self.errors.waiting):
                return None
            delta = Delta(self.nothing, NO_ERRORS)
        return Delta(gone_round(delta.oks), self.errors_round(delta.errs, coming=coming))

    def errors_round(self, errs: Batch, *, coming: bool) -> Batch:
        """What the next wave has of errors that come up in this one, and of those that were put off."""
        if len(errs) or (coming and self.errors.waiting):
            errs = self.errors.update(errs, coming=coming)
        return gone_round(errs) if len(errs) else NO_ERRORS


def gone_round(batch: Batch) -> Batch:
    """The same updates, gone round the loop once more."""
    return Batch(batch.columns, batch.times + _ONE, batch.diffs)
