"""A dataflow: the operators of one plan and their state, stepped through time.

```
inputs {id: Delta} ── step(lower, upper) ── every operator once, in topological order ── Delta of the view
```

A step `[lower, upper)` takes all updates of the imports in that interval, and returns all updates of the view in it:
rows consolidated, errors as a set (each distinct error once, whatever its multiplicity inside).  Steps follow one
another without a gap, the first begins at `as_of`.  The state is exactly what `spines()` holds, so it may be saved
between any two steps and loaded into a new dataflow of the same plan.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..errors import InvalidUsage
from ..expr.tree.relation import GlobalId
from ..interrupt import check_interrupt
from ..memory import check_step_memory
from ..repr.batch import Batch, Delta, empty_delta
from ..repr.consolidate import consolidate
from ..repr.schema import ERROR_SCHEMA
from .consolidated import consolidated_nodes
from .memory import release_memory
from .operators.base import NEVER_DUE, Operator
from .operators.build import NEVER, build
from .operators.counts import Counts, occurs
from .operators.joins.arrange import ARRANGED, Arrange, Shared
from .operators.joins.lookup import Lookup
from .plan import (
    ArrangeOp,
    DataflowPlan,
    Import,
    Node,
    SharedNode,
    shared_nodes,
    silent_at_first,
    starts_alone,
)
from .run import Run
from .run_store import RunStore, StateId
from .spine import Spine

__all__ = ["Dataflow", "OperatorStatistics", "StateId"]


@dataclass(frozen=True, slots=True)
class OperatorStatistics:
    """What one operator did since the dataflow was made, and what it holds now.

    `rows_in` and `rows_out` count updates, `seconds` time inside the operator, `steps` the steps that reached it.
    `state_bytes` are those in memory, `mapped_bytes` those of mapped files.
    """

    node: int
    steps: int
    rows_in: int
    rows_out: int
    seconds: float
    state_rows: int
    state_bytes: int
    mapped_bytes: int = 0


class _Counter:
    __slots__ = ("rows_in", "rows_out", "seconds", "steps")

    def __init__(self) -> None:
        self.steps = self.rows_in = self.rows_out = 0
        self.seconds = 0.0


class Dataflow:
    """With `arranged`, the output goes into an arrangement, which adds up equal updates by itself: what comes as its
    inputs have it, as in an index of a table, is put out as it is; these are consolidated but for few updates.

    Of a dataflow in several parts, the `part` 0 has the rows that are there without any input.  What is held of the output has the
    `output_number` in its `StateId`, by default the number of nodes."""

    def __init__(
        self,
        plan: DataflowPlan,
        as_of: int,
        *,
        arranged: bool = False,
        part: int = 0,
        output_number: int | None = None,
    ) -> None:
        self.plan = plan
        self.output_number = len(plan.nodes) if output_number is None else output_number
        self.as_of = as_of
        self._upper = as_of
        self._steps = 0
        self._operators: list[Operator | None] = [
            None
            if isinstance(node.op, Import)
            else build(node.op, plan.input_schemas(node), node.schema, NEVER if part else as_of)
            for node in plan.nodes
        ]
        self._arranged = [operator for operator in self._operators if isinstance(operator, Arrange)]
        for node, operator in zip(plan.nodes, self._operators, strict=True):
            source = self._operators[node.inputs[-1]] if node.inputs else None
            if isinstance(operator, Lookup) and isinstance(source, Arrange):
                operator.read(source)
        self._given = [
            node.inputs[:1] if isinstance(operator, Lookup) else node.inputs
            for node, operator in zip(plan.nodes, self._operators, strict=True)
        ]
        self._shareable = {
            node.id: operator
            for node, operator in zip(plan.nodes, self._operators, strict=True)
            if isinstance(node.op, ArrangeOp) and node.op.index is not None and isinstance(operator, Arrange)
        }
        self._silent_at_first = silent_at_first(plan)
        self._nothing = [empty_delta(node.schema) for node in plan.nodes]
        self._starts_alone = [not part and starts_alone(node.op) for node in plan.nodes]
        self._waiting = [
            operator
            for operator in self._operators
            if operator is not None and type(operator).next_due is not Operator.next_due
        ]
        self._next_due: int | None = None
        self._last_reader = _last_readers(plan)
        self._consolidated = consolidated_nodes(plan, imports=arranged)[plan.output]
        self._errs = Counts(ERROR_SCHEMA)
        self._counters = [_Counter() for _ in plan.nodes]
        self._state: dict[StateId, Spine] = {
            (node.id, name): spine
            for node, operator in zip(plan.nodes, self._operators, strict=True)
            if operator is not None
            for name, spine in operator.spines().items()
        }
        self._state[self.output_number, "errs"] = self._errs.spine

    @property
    def steps(self) -> int:
        """How many steps had anything to do."""
        return self._steps

    @property
    def upper(self) -> int:
        """The first time that no step has taken in yet."""
        return self._upper

    def step(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Delta:
        """The updates of the view in `[lower, upper)`.

        `inputs` has the updates of imports in the same interval; one that is missing has none.  Raises InvalidUsage
        when the interval does not begin where the last one ended.  Interrupted between two operators, it cannot go on.
        """
        if not self._begin(lower, upper, any(inputs.values())):
            return self._nothing[self.plan.output]
        output = self._run(inputs, lower, upper, lower == self.as_of)
        self._next_due = None
        release_memory(sum(len(delta.oks) for delta in inputs.values()))
        return self._put_out(output, upper)

    def _begin(self, lower: int, upper: int, given: bool) -> bool:
        """Whether a step has anything to do, with inputs or without.  Raises as `step`."""
        if lower != self._upper or upper <= lower:
            raise InvalidUsage(
                f"cannot step the dataflow over [{lower}, {upper}): its state is as of {self._upper}",
                hint="Steps follow one another without a gap.",
            )
        self._upper = upper
        if lower != self.as_of and not given and self.next_due() >= upper:
            return False
        self._steps += 1
        return True

    def _put_out(self, output: Delta, upper: int) -> Delta:
        """The rows consolidated, and of the errors those that are new or gone."""
        if not output:
            return output
        oks = output.oks if self._consolidated else consolidate(output.oks)
        errs = output.errs
        if len(errs):
            errs = self._errs.update(errs, occurs)
            self._errs.spine.advance_since(upper)
        return Delta(oks, errs)

    def next_due(self) -> int:
        """The first time at which the view changes by itself (temporal filters); NEVER_DUE when there is none."""
        if self._next_due is None:
            self._next_due = min((operator.next_due() for operator in self._waiting), default=NEVER_DUE)
        return self._next_due

    def _run(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int, first: bool) -> Delta:
        results: list[Delta] = list(self._nothing)
        for shareable in self._shareable.values():
            shareable.begin_step(lower, upper)
        for node, operator in zip(self.plan.nodes, self._operators, strict=True):
            if operator is None:
                assert isinstance(node.op, Import)
                results[node.id] = inputs.get(node.op.id, results[node.id])
                continue
            given = tuple(results[i] for i in self._given[node.id])
            results[node.id] = self._result(node, operator, given, lower, upper, first)
            for i in node.inputs:
                if self._last_reader[i] == node.id:
                    results[i] = self._nothing[i]  # free what is not read any more
        for arranged in self._arranged:
            arranged.end_step()
        return results[self.plan.output]

    def _result(
        self, node: Node, operator: Operator, given: tuple[Delta, ...], lower: int, upper: int, first: bool
    ) -> Delta:
        """What one node puts out in the step."""
        check_interrupt()
        if first and node.id in self._silent_at_first:
            return Delta(self._nothing[node.id].oks, given[0].errs)
        alone = first and self._starts_alone[node.id]
        if any(given) or alone or (self._waiting and operator.next_due() < upper):
            return self._apply(node, operator, given, lower, upper)
        return self._nothing[node.id]

    def _apply(
        self, node: Node, operator: Operator, given: tuple[Delta, ...], lower: int, upper: int
    ) -> Delta:
        counter = self._counters[node.id]
        begun = time.perf_counter()
        output = operator.step(given, lower, upper)
        counter.seconds += time.perf_counter() - begun
        counter.steps += 1
        counter.rows_in += sum(len(delta.oks) for delta in given)
        counter.rows_out += len(output.oks)
        check_step_memory(len(output.oks))
        return output

    def spines(self) -> dict[StateId, Spine]:
        """All state, by names that are stable for a plan."""
        return dict(self._state)

    def shareable(self) -> tuple[SharedNode, ...]:
        """The arrangements that may be those of indexes; until they are shared, each is held by the dataflow itself."""
        return shared_nodes(self.plan)

    def share(self, node: int, shared: Shared) -> None:
        """From now on the arrangement at `node` is `shared`.

        At every step it must be complete below the step's `upper`, and times be advanced to less than its `lower` (in
        the first step of a dataflow without state: to no more than its `lower`).
        """
        self._shareable[node].share(shared)

    def own(self, node: int, runs: Sequence[Run]) -> None:
        """From now on the dataflow holds the arrangement at `node` itself, which has `runs` before the next step."""
        self._shareable[node].own(runs)

    def own_rows(self, node: int, rows: Batch) -> None:
        """As `own`, from rows in any order."""
        self._shareable[node].own_rows(rows)

    def substitutes(self) -> dict[StateId, Spine]:
        """What is held in place of arrangements that are not shared: no part of the state, as it follows from the
        inputs alone."""
        spines = ((node, operator.substitute()) for node, operator in self._shareable.items())
        return {(node, ARRANGED): spine for node, spine in spines if spine is not None}

    def keep_substitutes_in(self, store: RunStore) -> None:
        """From now on large runs of `substitutes`, now or later, are mapped files of `store`."""
        for operator in self._shareable.values():
            operator.keep_in(store)

    def shared_runs(self) -> dict[int, tuple[Run, ...]]:
        """By node what the arrangements that are shared hold now.  It is read as in a step."""
        runs = ((node, operator.shared_runs()) for node, operator in self._shareable.items())
        return {node: some for node, some in runs if some is not None}

    def is_of(self, plan: DataflowPlan) -> bool:
        """Whether it is what such a plan is made into."""
        return self.plan == plan

    @property
    def elsewhere_nbytes(self) -> int:
        """Bytes of state in the memory of other processes."""
        return 0

    def close(self) -> None:
        """The dataflow is not stepped any more: what others hold for it may go."""

    def handles(self) -> dict[StateId, tuple[Run, ...]]:
        """All state as of `upper`, for good: later steps and merges do not change it."""
        return {id_: spine.handle() for id_, spine in self._state.items()}

    def keep_in(self, store: RunStore) -> None:
        """From now on large runs are mapped files of `store`."""
        for spine in self._state.values():
            spine.store = store

    def load(self, runs: Mapping[StateId, Sequence[Run]], upper: int) -> None:
        """Takes over the state that a dataflow of the same plan had at `upper`; steps go on from there.

        State that is not named is empty.  Raises InvalidUsage for state that this plan does not have.
        """
        if unknown := set(runs) - set(self._state):
            raise InvalidUsage(f"the plan has no state {sorted(unknown)}", hint="Hydrate the dataflow anew.")
        for id, spine in self._state.items():
            spine.load(runs.get(id, ()))
        self._upper = upper
        self._next_due = None

    def extend(
        self,
        runs: Mapping[StateId, Sequence[Run]],
        output: Delta,
        upper: int,
        inputs: Mapping[GlobalId, Delta],
    ) -> Delta:
        """Takes over what a step `[self.upper, upper)` that was made elsewhere, from this state, has added to it.

        `output` is what its tasks have made of the view's updates, each by itself; returns them as `step` does.
        `inputs` are those of the step; only `substitutes` need them, as these are no state and have no additions.

        Raises InvalidUsage for state that this plan does not have, and for an `upper` that is not later.
        """
        if (unknown := set(runs) - set(self._state)) or upper <= self._upper:
            raise InvalidUsage(
                f"cannot take over state {sorted(unknown)} at {upper}: the dataflow is as of {self._upper}",
                hint="The step is to be one of the same plan, from the same state.",
            )
        for id, added in runs.items():
            self._state[id].extend(added)
        for spine in self._state.values():
            spine.advance_since(upper)
        for node in self.shareable():
            if (delta := inputs.get(node.source)) is not None and len(delta.oks):
                self._shareable[node.node].take_in(delta.oks, upper)
        self._upper = upper
        self._steps += 1
        self._next_due = None
        return output if self._consolidated else Delta(consolidate(output.oks), output.errs)

    def statistics(self) -> tuple[OperatorStatistics, ...]:
        """One entry per node, in the plan's order."""
        out = []
        for node, operator, counter in zip(self.plan.nodes, self._operators, self._counters, strict=True):
            spines = list(operator.spines().values()) if operator is not None else []
            if node.id in self._shareable and (own := self._shareable[node.id].substitute()) is not None:
                spines.append(own)
            out.append(
                OperatorStatistics(
                    node.id,
                    counter.steps,
                    counter.rows_in,
                    counter.rows_out,
                    counter.seconds,
                    sum(spine.rows for spine in spines),
                    sum(spine.nbytes for spine in spines),
                    sum(spine.mapped_nbytes for spine in spines),
                )
            )
        return tuple(out)


def _last_readers(plan: DataflowPlan) -> list[int]:
    """The last node that reads each node; no node reads the output."""
    last = [-1] * len(plan.nodes)
    for node in plan.nodes:
        for i in node.inputs:
            last[i] = node.id
    last[plan.output] = -1
    return last
