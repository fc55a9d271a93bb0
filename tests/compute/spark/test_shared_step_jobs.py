"""Large steps, as jobs, of dataflows that share the arrangements of indexes: whoever makes a step, and whatever becomes
of an index before, while and after a job runs, the output is what recomputation says.

The tasks run in this process.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from ptvc.compute import merge as merge_module
from ptvc.compute import spine as spine_module
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.lower.shared_arrangements import IndexKey
from ptvc.compute.plan import ArrangeOp, DataflowPlan, shared_nodes
from ptvc.compute.plan_text import plan_text
from ptvc.compute.shared_files import MACHINE
from ptvc.replica.step_under_way import StepUnderWay
from ptvc.repr.batch import NO_ERRORS, Delta

from ..histories import batch_of, consolidated, history, random_cuts, updates_of
from ..operators.test_delta_join import TABLE_SCHEMAS, A, B, joined, random_join
from ..random_views import TABLES, random_row
from ..reference import Update, as_of, evaluate
from ..test_shared_arrangements import TIMES, HeldIndex, contents, random_indexes
from .test_step_jobs import Stepped, answer

SEEDS = [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 400))]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 4)


class Sharer:
    """A dataflow over indexes that are ahead of it, merged as far as may be, dropped; steps are jobs now and then."""

    def __init__(
        self, plan: DataflowPlan, histories: dict[str, list[Update]], directory: Path, random: Random
    ) -> None:
        self.random = random
        self.histories = histories
        self.stepped = Stepped(plan, directory)
        self.jobs = self.failures = 0
        keys = {node.id: node.op.key for node in plan if isinstance(node.op, ArrangeOp)}
        self.nodes = shared_nodes(plan)
        self.indexes = {
            n.node: HeldIndex(TABLE_SCHEMAS[n.source], keys[n.node], histories[n.source]) for n in self.nodes
        }
        self.sharing = {n.node for n in self.nodes if random.random() < 0.8}
        for node in self.sharing:
            self.dataflow.share(node, self.indexes[node])

    @property
    def dataflow(self) -> Dataflow:
        return self.stepped.dataflow

    def indexes_go_on(self, least: int) -> None:
        """Times in them stay before the dataflow's `upper`, whatever is under way."""
        for index in self.indexes.values():
            index.advance(max(index.upper, self.random.randint(least, TIMES + 1)), self.random)
            if self.dataflow.upper and self.random.random() < 0.5:
                index.merge(self.dataflow.upper - 1)

    def index_goes(self) -> None:
        for node in list(self.sharing)[:1]:
            self.dataflow.own(node, self.indexes[node].below(self.dataflow.upper))
            self.sharing.discard(node)

    def restart(self) -> None:
        upper = self.dataflow.upper
        state = self.dataflow.handles()
        self.stepped.dataflow = Dataflow(self.dataflow.plan, upper - 1)
        self.dataflow.load(state, upper)
        self.stepped.state.keep(self.dataflow.spines())
        self.sharing = {n.node for n in self.nodes if self.random.random() < 0.7}
        for n in self.nodes:
            if n.node in self.sharing:
                self.dataflow.share(n.node, self.indexes[n.node])
            else:
                rows = contents(TABLE_SCHEMAS[n.source], self.histories[n.source], upper - 1)
                self.dataflow.own_rows(n.node, rows)

    def inputs(self, end: int) -> dict[str, Delta]:
        begin, imports = self.dataflow.upper, self.dataflow.plan.imports
        deltas = {
            id_: Delta(batch_of(TABLE_SCHEMAS[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for id_, updates in self.histories.items()
            if id_ in imports
        }
        return {id_: delta for id_, delta in deltas.items() if delta}

    def step(self, end: int, by_job: bool) -> None:
        self.indexes_go_on(end)
        inputs = self.inputs(end)
        if not by_job or not inputs or not self.dataflow.upper:
            self.stepped.step(inputs, end)
            return
        self.jobs += 1
        step = StepUnderWay("v", self.dataflow, self.stepped.state, inputs, end)
        if self.random.random() < 0.5:
            self.indexes_go_on(end)
        message = step.written()
        assert set(message.step.shared) == self.sharing
        if self.random.random() < 0.3:
            self.index_goes()
        if self.random.random() < 0.2:  # the job fails
            self.failures += 1
            self.stepped.step(dict(step.inputs()), end)
            step.abandon()
            return
        ended = answer(message, self.random.choice((1, 2, 3)))
        self.indexes_go_on(end)
        delta = step.take_over(ended)
        assert not len(delta.errs)
        self.stepped.out += updates_of(delta.oks)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_joins_over_indexes_are_stepped_by_jobs(seed: int, tmp_path: Path) -> None:
    random = Random(7_000 + seed)
    relation = random_join(random)
    histories = {
        id_: history(random, lambda rng, s=schema: random_row(rng, s), times=TIMES, per_time=2)
        for id_, schema in TABLES.items()
    }
    plan = lower(relation, indexes=random_indexes(random))
    sharer = Sharer(plan, histories, tmp_path, random)
    cuts = random.choice((list(range(TIMES + 2)), sorted({0, 1, *random_cuts(random, TIMES)})))
    for _, end in pairwise(cuts):
        sharer.step(end, random.random() < 0.7)
        if random.random() < 0.2:
            sharer.index_goes()
        if random.random() < 0.2:
            sharer.restart()
    for time in range(TIMES + 1):
        expected = evaluate(relation, {id_: as_of(updates, time) for id_, updates in histories.items()})
        assert as_of(sharer.stepped.out, time) == expected, f"at {time}, steps {cuts}\n{plan_text(plan)}"
    alone = Dataflow(plan, 0).step(
        {
            id_: Delta(batch_of(TABLE_SCHEMAS[id_], updates), NO_ERRORS)
            for id_, updates in histories.items()
            if id_ in plan.imports
        },
        0,
        TIMES + 1,
    )
    assert consolidated(sharer.stepped.out) == consolidated(updates_of(alone.oks))


def test_a_job_reads_the_files_of_the_index_and_leaves_nothing_of_it(tmp_path: Path) -> None:
    random = Random(1)
    histories = {
        id_: history(random, lambda rng, s=schema: random_row(rng, s), times=TIMES, per_time=4)
        for id_, schema in TABLE_SCHEMAS.items()
    }
    relation = joined(A, B, (1, 0))
    plan = lower(relation, indexes=(IndexKey("u9", "n1", (0,)),))
    (node,) = shared_nodes(plan)
    stepped = Stepped(plan, tmp_path)
    index = HeldIndex(TABLE_SCHEMAS["n1"], (0,), histories["n1"])
    index.advance(TIMES + 1, random)
    stepped.dataflow.share(node.node, index)

    def changes(begin: int, end: int) -> dict[str, Delta]:
        return {
            id_: Delta(
                batch_of(TABLE_SCHEMAS[id_], [u for u in histories[id_] if begin <= u[1] < end]), NO_ERRORS
            )
            for id_ in plan.imports
        }

    stepped.step(changes(0, 2), 2)
    step = StepUnderWay("v", stepped.dataflow, stepped.state, changes(2, 4), 4)
    message = step.written()
    assert len(message.step.shared[node.node]) == len(index.handle())
    assert all(id_[0] != node.node for id_ in message.step.base)
    ended = answer(message, 2)
    assert all(runs.node != node.node for runs in ended.state)
    step.take_over(ended)
    assert not stepped.dataflow.substitutes()
    left = [path for path in MACHINE.path(message.directory).iterdir() if "shared" in path.name]
    assert left == []
    # Without the index, the rows of a step that a job makes are taken in by the replica.
    stepped.dataflow.own(node.node, index.below(4))
    held = sum(spine.rows for spine in stepped.dataflow.substitutes().values())
    step = StepUnderWay("v", stepped.dataflow, stepped.state, changes(4, TIMES + 1), TIMES + 1)
    message = step.written()
    assert message.step.shared == {}
    assert (node.node, "rows") in message.step.base
    step.take_over(answer(message, 2))
    assert sum(spine.rows for spine in stepped.dataflow.substitutes().values()) != held
