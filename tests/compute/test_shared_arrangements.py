"""Joins over arrangements of indexes write the same history as without them, however far an index is ahead, whatever it
has merged, and whether the arrangement is shared, taken over, or built anew from the input."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.lower.shared_arrangements import IndexKey
from ptvc.compute.merge import MergeWorker
from ptvc.compute.plan import ArrangeOp, DataflowPlan, JoinOp, shared_nodes
from ptvc.compute.plan_text import plan_text
from ptvc.compute.run import Run
from ptvc.compute.run_store import RunStore
from ptvc.compute.spine import Spine
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Literal
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.consolidate import advance, consolidate
from ptvc.repr.schema import Schema
from ptvc.repr.types import INT4

from .histories import batch_of, consolidated, history, random_cuts, updates_of
from .operators.test_delta_join import NUMBERS, TABLE_SCHEMAS, A, B, C, joined, random_join
from .random_views import TABLES, random_row
from .reference import Update, as_of, evaluate

TIMES = 6


class HeldIndex:
    """The rows of an object, its key's columns behind them once more, complete below `upper`."""

    def __init__(self, schema: Schema, key: tuple[int, ...], updates: list[Update]) -> None:
        width = len(schema)
        self._key = key
        self._updates = updates
        self._schema = schema
        wide = Schema(schema.columns + tuple(schema[i] for i in key))
        self._spine = Spine(wide, tuple(range(width, width + len(key))), worker=MergeWorker(inline=True))
        self.upper = 0

    def advance(self, upper: int, random: Random) -> None:
        """Goes on to `upper`, in one insertion or in some."""
        while self.upper < upper:
            to = random.randint(self.upper + 1, upper)
            batch = batch_of(self._schema, [u for u in self._updates if self.upper <= u[1] < to])
            self._spine.insert(batch.with_columns(batch.columns + tuple(batch.columns[i] for i in self._key)))
            self.upper = to

    def merge(self, since: int) -> None:
        """Everything becomes one run, as of `since`."""
        self._spine.advance_since(since)
        if runs := self._spine.handle():
            from ptvc.compute.merge import merge_runs

            self._spine.load([merge_runs(runs, self._spine.since, (), self._spine._identity)])

    def handle(self) -> tuple[Run, ...]:
        return self._spine.handle()

    def below(self, upper: int) -> list[Run]:
        out = []
        for run in self.handle():
            there = run.batch.times < upper
            out.append(Run(run.hashes[there], run.batch.filter(there)))
        return out


def contents(schema: Schema, updates: list[Update], time: int) -> Batch:
    return consolidate(advance(batch_of(schema, [u for u in updates if u[1] <= time]), time))


def run_shared(
    plan: DataflowPlan, histories: dict[str, list[Update]], cuts: list[int], random: Random
) -> list[Update]:
    """Steps of `plan`, whose shareable arrangements are at any moment shared, owned, or given up; with restarts."""
    keys = {node.id: node.op.key for node in plan if isinstance(node.op, ArrangeOp)}
    nodes = shared_nodes(plan)
    indexes = {n.node: HeldIndex(TABLE_SCHEMAS[n.source], keys[n.node], histories[n.source]) for n in nodes}
    dataflow = Dataflow(plan, cuts[0])
    sharing = {n.node for n in nodes if random.random() < 0.8}
    for node in sharing:
        dataflow.share(node, indexes[node])
    out: list[Update] = []
    for begin, end in pairwise(cuts):
        for index in indexes.values():
            index.advance(max(index.upper, random.randint(end, TIMES + 1)), random)
            if begin and random.random() < 0.5:
                index.merge(begin - 1)
        inputs = {
            id_: Delta(batch_of(TABLE_SCHEMAS[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for id_, updates in histories.items()
        }
        delta = dataflow.step(inputs, begin, end)
        assert not len(delta.errs)
        out += updates_of(delta.oks)
        if random.random() < 0.3:  # the index goes
            for node in list(sharing)[:1]:
                dataflow.own(node, indexes[node].below(end))
                sharing.discard(node)
        if random.random() < 0.3:  # a restart
            state = dataflow.handles()
            dataflow = Dataflow(plan, end - 1)
            dataflow.load(state, end)
            sharing = {n.node for n in nodes if random.random() < 0.7}
            for n in nodes:
                if n.node in sharing:
                    dataflow.share(n.node, indexes[n.node])
                else:
                    source = contents(TABLE_SCHEMAS[n.source], histories[n.source], end - 1)
                    dataflow.own_rows(n.node, source)
    return out


def random_indexes(random: Random) -> tuple[IndexKey, ...]:
    found = []
    for id_, schema in TABLES.items():
        for column in range(len(schema)):
            if random.random() < 0.8:
                found.append(IndexKey(f"i{len(found)}", id_, (column,)))
        found.append(IndexKey(f"i{len(found)}", id_, tuple(random.sample(range(len(schema)), 2))))
    return tuple(found)


SEEDS = [*range(60), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60, 600))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_joins_over_indexes_match_recomputation(seed: int) -> None:
    random = Random(seed)
    relation = random_join(random)
    histories = {
        id_: history(random, lambda rng, s=schema: random_row(rng, s), times=TIMES, per_time=2)
        for id_, schema in TABLES.items()
    }
    plan = lower(relation, indexes=random_indexes(random))
    expected = {
        time: evaluate(relation, {id_: as_of(updates, time) for id_, updates in histories.items()})
        for time in range(TIMES + 1)
    }
    outputs = []
    for cuts in (
        [0, TIMES + 1],
        list(range(TIMES + 2)),
        random_cuts(random, TIMES),
        random_cuts(random, TIMES),
    ):
        output = run_shared(plan, histories, cuts, random)
        for time, rows in expected.items():
            assert as_of(output, time) == rows, f"at {time}, steps {cuts}\n{plan_text(plan)}"
        outputs.append(consolidated(output))
    assert all(output == outputs[0] for output in outputs)


def test_most_random_joins_share() -> None:
    sharing = 0
    for seed in range(60):
        random = Random(seed)
        sharing += bool(shared_nodes(lower(random_join(random), indexes=random_indexes(random))))
    assert sharing >= 30


BY_FIRST = IndexKey("u9", "n1", (0,))


def test_a_join_of_two_holds_the_other_side_alone() -> None:
    plan = lower(joined(A, B, (1, 0)), indexes=(BY_FIRST,))
    assert [n.index for n in shared_nodes(plan)] == ["u9"]
    assert list(Dataflow(plan, 0).spines()) == [
        (node.id, "rows") for node in plan if isinstance(node.op, ArrangeOp) and node.op.index is None
    ] + [(len(plan.nodes), "errs")]
    assert "Arranged %1 by hash(#0) by #0 by index t_a" in plan_text(plan, {"u9": "t_a"})


def test_both_sides_of_a_self_join_are_one_arrangement() -> None:
    plan = lower(joined(B, B, (0, 0)), indexes=(BY_FIRST,))
    assert len(shared_nodes(plan)) == 1
    assert len(Dataflow(plan, 0).spines()) == 1


def test_what_no_index_has_is_joined_as_ever() -> None:
    def shares(relation: r.Relation) -> bool:
        return bool(shared_nodes(lower(relation, indexes=(BY_FIRST,))))

    assert not shares(joined(A, B, (0, 1)))
    assert not shares(joined(A, C, (0, 0)))
    assert any(isinstance(node.op, JoinOp) for node in lower(joined(A, B, (0, 1)), indexes=(BY_FIRST,)))
    assert not shares(replace(joined(A, B, (0, 0)), kind=r.JoinKind.LEFT))


def test_a_filter_that_may_fail_is_not_put_off() -> None:
    from ptvc.expr.registry import resolve_call
    from ptvc.expr.tree.scalar import ColumnRef

    quotient = resolve_call("divide", (Literal(1, INT4), ColumnRef(2, INT4)))
    filtered = r.Filter(B, (resolve_call("eq", (quotient, Literal(1, INT4))),))
    assert not shared_nodes(lower(joined(A, filtered, (0, 0)), indexes=(BY_FIRST,)))
    calm = r.Filter(B, (resolve_call("eq", (ColumnRef(2, INT4), Literal(1, INT4))),))
    assert shared_nodes(lower(joined(A, calm, (0, 0)), indexes=(BY_FIRST,)))
    assert NUMBERS[0].type == INT4


def test_what_is_held_in_place_of_an_index_is_mapped_when_it_is_large(tmp_path: Path) -> None:
    plan = lower(joined(A, B, (1, 0)), indexes=(BY_FIRST,))
    (node,) = shared_nodes(plan)
    dataflow = Dataflow(plan, 0)
    dataflow.keep_substitutes_in(RunStore(tmp_path, "w", spill_rows=8))
    rows = [((i, 0, i), 0, 1) for i in range(20)]
    (spine,) = dataflow.substitutes().values()
    spine._worker = MergeWorker(inline=True)
    dataflow.own_rows(node.node, batch_of(TABLE_SCHEMAS[node.source], rows))
    spine.spill()
    assert spine.nbytes == 0
    assert spine.mapped_nbytes > 0
    assert spine.rows == 20
