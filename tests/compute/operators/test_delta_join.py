"""Delta joins: random n-way joins over random histories agree with recomputation, whatever the steps, and hold no
intermediate result."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.oneshot import evaluate_once
from ptvc.compute.plan import ArrangeOp, DataflowPlan, JoinOp, LookupOp, silent_at_first
from ptvc.compute.plan_text import plan_text
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.schema import Schema
from ptvc.repr.types import INT4

from ..histories import batch_of, consolidated, history, random_cuts, schema_of, updates_of
from ..random_views import TABLES, Views, random_row
from ..reference import Update, as_of, evaluate

TIMES = 5
NUMBERS = schema_of(INT4, INT4, INT4)
A, B, C, D = (r.Get(f"n{i}", NUMBERS) for i in range(4))
TABLE_SCHEMAS = {**TABLES, **{f"n{i}": NUMBERS for i in range(4)}}


def column(index: int) -> ColumnRef:
    return ColumnRef(index, INT4)


def joined(left: r.Relation, right: r.Relation, *pairs: tuple[int, int]) -> r.Join:
    """`pairs` are positions among all columns of the left and of the right side."""
    return r.Join(
        left,
        right,
        r.JoinKind.INNER,
        tuple(column(a) for a, _ in pairs),
        tuple(column(b) for _, b in pairs),
    )


def run(plan: DataflowPlan, histories: dict[str, list[Update]], cuts: Sequence[int]) -> list[Update]:
    dataflow = Dataflow(plan, cuts[0])
    out: list[Update] = []
    for begin, end in pairwise(cuts):
        inputs = {
            id_: Delta(batch_of(TABLE_SCHEMAS[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for id_, updates in histories.items()
        }
        delta = dataflow.step(inputs, begin, end)
        assert not len(delta.errs)
        out += updates_of(delta.oks)
    return out


def random_join(random: Random) -> r.Relation:
    """Three to five inputs, some of them filtered, grouped or the same table; connected by equalities."""
    views = Views(random, joins=0)
    inputs: list[r.Relation] = []
    for _ in range(random.randint(3, 5)):
        inputs.append(views.relation(random.choice((0, 0, 1, 2))))
    whole = inputs[0]
    for relation in inputs[1:]:
        pairs: list[tuple[Scalar, Scalar]] = []
        for _ in range(random.choice((1, 1, 2))):
            left = views._column(whole.schema)
            assert left is not None
            right = views._column(relation.schema, (left.type,))
            if right is not None:
                pairs.append((left, right))
        both = Schema(whole.schema.columns + relation.schema.columns)
        residual = (views.predicate(both),) if random.random() < 0.3 else ()
        keys = tuple(p[0] for p in pairs), tuple(p[1] for p in pairs)
        whole = r.Join(whole, relation, r.JoinKind.INNER, *keys, residual)
        if random.random() < 0.3:
            whole = r.Project(whole, tuple(random.sample(range(len(both)), random.randint(1, len(both)))))
    return whole


SEEDS = [*range(40), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(40, 400))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_joins_match_recomputation(seed: int) -> None:
    random = Random(seed)
    relation = random_join(random)
    histories = {
        id_: history(random, lambda rng, s=schema: random_row(rng, s), times=TIMES, per_time=1)
        for id_, schema in TABLES.items()
    }
    plan = lower(relation, delta_joins=True)
    expected = {
        time: evaluate(relation, {id_: as_of(updates, time) for id_, updates in histories.items()})
        for time in range(TIMES + 1)
    }
    outputs = []
    for cuts in ([0, TIMES + 1], list(range(TIMES + 2)), random_cuts(random, TIMES)):
        output = run(plan, histories, cuts)
        for time, rows in expected.items():
            assert as_of(output, time) == rows, f"at {time}, steps {cuts}\n{plan_text(plan)}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]


def kinds(plan: DataflowPlan, kind: type) -> int:
    return sum(isinstance(node.op, kind) for node in plan.nodes)


def test_a_chain_of_three_holds_four_arrangements() -> None:
    plan = lower(joined(joined(A, B, (0, 0)), C, (4, 0)))
    assert (kinds(plan, ArrangeOp), kinds(plan, LookupOp), kinds(plan, JoinOp)) == (4, 6, 0)
    assert len(silent_at_first(plan)) == 4, "in the first step only the path of the last input says anything"


def test_one_class_is_one_arrangement_per_input() -> None:
    plan = lower(joined(joined(joined(A, B, (0, 0)), C, (0, 0)), D, (3, 0)))
    assert kinds(plan, ArrangeOp) == 4


def test_one_table_joined_with_itself_shares_its_arrangement() -> None:
    plan = lower(joined(joined(A, A, (0, 0)), A, (0, 0)))
    assert kinds(plan, ArrangeOp) == 1


def test_an_arrangement_serves_two_joins() -> None:
    one = joined(joined(A, B, (0, 0)), C, (0, 0))
    two = r.Reduce(joined(joined(A, B, (0, 0)), D, (0, 0)), (column(0),), ("k",), ())
    union = r.Union((r.Project(one, (0,)), two), two.schema)
    assert kinds(lower(union), ArrangeOp) == 4


def test_a_selective_filter_keeps_the_chain() -> None:
    few = r.Filter(B, (resolve_call("eq", (column(1), Literal(7, INT4))),))
    star = joined(joined(joined(A, few, (0, 0)), C, (1, 0)), D, (2, 0))
    assert kinds(lower(star), LookupOp) == 0
    assert kinds(lower(star, delta_joins=True), JoinOp) == 0
    assert kinds(lower(star, delta_joins=False), LookupOp) == 0


def test_a_join_of_very_many_inputs_is_a_chain() -> None:
    whole: r.Relation = A
    for _ in range(11):
        whole = joined(whole, B, (0, 0))
    assert kinds(lower(whole), LookupOp) == 0


def test_what_nothing_connects_is_no_delta_join() -> None:
    assert kinds(lower(joined(joined(A, B, (0, 0)), C), delta_joins=True), LookupOp) == 0


def test_a_condition_that_can_fail_is_tried_where_it_stands() -> None:
    failing = resolve_call("gt", (resolve_call("divide", (column(0), column(1))), column(4)))
    inner = joined(A, B, (0, 0))
    with_residual = r.Join(inner.left, inner.right, inner.kind, inner.left_keys, inner.right_keys, (failing,))
    assert kinds(lower(joined(with_residual, C, (4, 0)), delta_joins=True), LookupOp) == 0


def test_errors_of_inputs_pass_in_the_first_step() -> None:
    quotient = r.Map(A, (resolve_call("divide", (column(0), column(1))),), ("q",))
    whole = joined(joined(quotient, B, (0, 0)), C, (0, 0))
    plan = lower(whole, delta_joins=True)
    assert kinds(plan, LookupOp)
    dataflow = Dataflow(plan, 0)
    rows = batch_of(NUMBERS, [((1, 0, 1), 0, 1)])
    assert len(dataflow.step({"n0": Delta(rows, NO_ERRORS)}, 0, 1).errs) == 1
    gone = batch_of(NUMBERS, [((1, 0, 1), 1, -1)])
    assert dataflow.step({"n0": Delta(gone, NO_ERRORS)}, 1, 2).errs.diffs.tolist() == [-1]


def test_state_moves_to_another_dataflow() -> None:
    random = Random(3)
    plan = lower(joined(joined(A, B, (0, 0)), C, (4, 0)))
    histories = {f"n{i}": history(random, lambda rng: random_row(rng, NUMBERS), times=9) for i in range(3)}
    whole = run(plan, histories, [0, 10])

    def inputs(begin: int, end: int) -> dict[str, Delta]:
        return {
            id_: Delta(batch_of(NUMBERS, [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for id_, updates in histories.items()
        }

    first, second = Dataflow(plan, 0), Dataflow(plan, 0)
    out = updates_of(first.step(inputs(0, 5), 0, 5).oks)
    second.load(first.handles(), 5)
    out += updates_of(second.step(inputs(5, 10), 5, 10).oks)
    assert consolidated(out) == consolidated(whole)


def test_a_snapshot_of_the_plan_is_its_rows() -> None:
    relation = joined(joined(A, B, (0, 0)), C, (4, 0))
    random = Random(5)
    contents = {f"n{i}": [(random_row(random, NUMBERS), 3, 1) for _ in range(20)] for i in range(3)}
    batches = {id_: batch_of(NUMBERS, updates) for id_, updates in contents.items()}
    by_paths = evaluate_once(lower(relation, delta_joins=True), batches, 9)
    assert as_of(updates_of(by_paths.oks), 9) == as_of(updates_of(evaluate_once(relation, batches, 9).oks), 9)
