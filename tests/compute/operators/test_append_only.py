"""Operators over append-only inputs: the same answers from less state, and an error when a row goes all the same."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.checkpoint import fingerprint
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.compute.operators.build import build
from ptvc.compute.operators.topk import topk as topk_module
from ptvc.compute.plan import DataflowPlan, DistinctOp, Op, ReduceOp, ThresholdOp, TopKOp
from ptvc.compute.plan_text import plan_text
from ptvc.errors import UnexpectedRetraction
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.relation_tree import walk
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Schema
from ptvc.repr.types import FLOAT8, INT4, INT8, TEXT, Kind, ScalarType
from ptvc.transform.append_only import AppendOnly

from ..histories import (
    append_only_history,
    batch_of,
    check,
    consolidated,
    history,
    random_cuts,
    schema_of,
    updates_of,
)
from ..random_views import TABLES, Views, random_row
from ..reference import Row, Update, as_of, evaluate
from ..test_views import TIMES, Histories, run, snapshot
from .test_reduce import reduction

MONEY = ScalarType(Kind.NUMERIC, 30, 2)
VALUES: dict[ScalarType, list[Any]] = {
    INT4: [None, -(2**31), 2**31 - 1, *range(5)],
    INT8: [None, -(2**63), 2**63 - 1, 0, 1],
    TEXT: [None, "", "a", "ab", "b", "é"],
    FLOAT8: [None, 0.0, float("inf"), float("-inf"), 0.5, -1.5],
    MONEY: [None, Decimal("0.00"), Decimal("-1e20"), Decimal("1e20"), Decimal("1.25")],
}


def monotonic(relation: r.Relation) -> DataflowPlan:
    """The plan when `t` only ever appends."""
    return lower(relation, append_only=frozenset({"t"}))


def last(plan: DataflowPlan) -> Op:
    return plan.nodes[plan.output].op


def inserted(keys: Any, values: Any, time: int) -> Delta:
    columns = (pa.array(keys, pa.int32()), pa.array(values, pa.int32()))
    n = len(columns[0])
    return Delta(Batch(columns, np.full(n, time, np.uint64), np.ones(n, np.int64)), NO_ERRORS)


def agrees(relation: r.Relation, schema: Schema, values: list[list[Any]], seed: int) -> None:
    """The operator of `relation` over `t` is monotonic, and agrees with recomputation in any batching."""
    random = Random(seed)
    plan = monotonic(relation)
    node = plan.nodes[plan.output]
    assert node.op.monotonic == ("t",)  # type: ignore[union-attr]

    def row(random: Random) -> Row:
        return tuple(random.choice(column) for column in values)

    updates = append_only_history(random, row)
    check(
        lambda: build(node.op, (schema,), node.schema, 0),
        [(schema, updates)],
        lambda contents: evaluate(relation, {"t": contents[0]}),
        random,
    )


@pytest.mark.parametrize("scalar", [False, True])
@pytest.mark.parametrize("functions", [("min",), ("max",), ("min", "max", "count", "sum")])
@pytest.mark.parametrize("type_", VALUES, ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_ends_match_recomputation(
    seed: int, type_: ScalarType, functions: tuple[str, ...], scalar: bool
) -> None:
    if type_ is TEXT:
        functions = tuple(f for f in functions if f != "sum")
    relation = reduction(type_, *functions, scalar=scalar)
    values = VALUES[type_]
    if "sum" in functions:
        values = [v for v in values if v is None or abs(v) < 2**40]
    if scalar:  # the row over nothing is there from the beginning
        random = Random(seed)
        updates = append_only_history(random, lambda rng: (rng.choice((1, 2)), rng.choice(values)))
        for cuts in ([0, 13], list(range(14)), random_cuts(random, 12)):
            dataflow = Dataflow(lower(relation, append_only={"t"}), 0)
            out = stepped(dataflow, relation.input.schema, updates, cuts)
            for time in range(13):
                assert as_of(out, time) == evaluate(relation, {"t": as_of(updates, time)})
        return
    agrees(relation, relation.input.schema, [[1, 2, None], values], seed)


def stepped(dataflow: Dataflow, schema: Schema, updates: list[Update], cuts: list[int]) -> list[Update]:
    out: list[Update] = []
    for begin, end in pairwise(cuts):
        batch = batch_of(schema, [u for u in updates if begin <= u[1] < end])
        output = dataflow.step({"t": Delta(batch, NO_ERRORS)}, begin, end)
        assert not len(output.errs)
        out += updates_of(output.oks)
    return out


@pytest.mark.parametrize("group", [(), (0,), (0, 1)], ids=["no group", "by column", "by columns"])
@pytest.mark.parametrize("order", [(), (r.OrderBy(1),), (r.OrderBy(2, True, True), r.OrderBy(1, True))])
@pytest.mark.parametrize(("limit", "offset"), [(1, 0), (3, 0), (2, 2), (0, 0)])
@pytest.mark.parametrize("seed", range(3))
def test_top_k_matches_recomputation(
    seed: int,
    limit: int,
    offset: int,
    order: tuple[r.OrderBy, ...],
    group: tuple[int, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if seed == 2:  # steps are cut by time
        monkeypatch.setattr(topk_module, "GRID_CELLS", 20)
    schema = schema_of(INT4, TEXT, FLOAT8)
    values = [[1, 2, None], [None, "", "a", "b", "abc"], [None, 0.5, -1.0, -0.0, 0.0]]
    agrees(r.TopK(r.Get("t", schema), group, order, limit, offset), schema, values, seed)


@pytest.mark.parametrize("seed", range(6))
def test_distinct_matches_recomputation(seed: int) -> None:
    schema = schema_of(INT4, TEXT)
    agrees(r.Distinct(r.Get("t", schema)), schema, [[1, 2, None], ["a", "", None]], seed)


SEEDS = [*range(25), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(25, 200))]


def random_sources(random: Random) -> tuple[frozenset[str], Histories]:
    """Which of the tables are append-only, at least one; and what happens to them."""
    ids = sorted(TABLES)
    append_only = frozenset(random.sample(ids, random.choice((1, 2))))
    histories = {
        id_: (append_only_history if id_ in append_only else history)(
            random, lambda rng, s=TABLES[id_]: random_row(rng, s), times=TIMES, per_time=3
        )
        for id_ in ids
    }
    return append_only, histories


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_append_only_never_shrinks(seed: int) -> None:
    """Of every relation of which it is said; and views that rely on it agree with recomputation."""
    random = Random(5_000_000 + seed)
    relation = Views(random).relation(1 + seed % 4)
    append_only, histories = random_sources(random)
    analysis = AppendOnly(append_only)
    contents = [snapshot(histories, time) for time in range(TIMES + 1)]
    for node in walk(relation):
        if analysis.holds(node):
            before: dict[Row, int] = {}
            for inputs in contents:
                now = evaluate(node, inputs)
                assert all(now.get(row, 0) >= n for row, n in before.items())
                before = now
    expected = [evaluate(relation, inputs) for inputs in contents]
    outputs = []
    for cuts in ([0, TIMES + 1], list(range(TIMES + 2)), random_cuts(random, TIMES)):
        output = run(relation, histories, cuts, append_only)
        for time, rows in enumerate(expected):
            assert as_of(output, time) == rows, f"at {time}, steps {cuts}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dataflow_that_is_loaded_from_its_runs_goes_on(seed: int) -> None:
    random = Random(6_000_000 + seed)
    relation = Views(random).relation(random.randint(1, 4))
    append_only, histories = random_sources(random)
    plan = lower(relation, append_only=append_only)
    straight = run(relation, histories, [0, TIMES + 1], append_only)
    dataflow, out = Dataflow(plan, 0), []
    for begin, end in pairwise(range(TIMES + 2)):
        inputs = {
            id_: Delta(batch_of(TABLES[id_], [u for u in updates if u[1] == begin]), NO_ERRORS)
            for id_, updates in histories.items()
        }
        out += updates_of(dataflow.step(inputs, begin, end).oks)
        if random.random() < 0.5:
            merge_worker().drain()
        loaded = Dataflow(plan, begin)
        loaded.load(dataflow.handles(), end)
        dataflow = loaded
    assert consolidated(out) == consolidated(straight)


NUMBERS = schema_of(INT4, INT4)
T = r.Get("t", NUMBERS)
DEFINITIONS: dict[str, tuple[r.Relation, type]] = {
    "min and max": (reduction(INT4, "min", "max"), ReduceOp),
    "top k": (r.TopK(T, (0,), (r.OrderBy(1),), 3), TopKOp),
    "distinct": (r.Distinct(T), DistinctOp),
}


@pytest.mark.parametrize("name", DEFINITIONS)
def test_plans_say_so(name: str) -> None:
    """In their text, and to whoever looks for a checkpoint."""
    relation, op = DEFINITIONS[name]
    ordinary, plan = lower(relation), monotonic(relation)
    assert isinstance(last(plan), op)
    assert "monotonic" in plan_text(plan)
    assert "monotonic" not in plan_text(ordinary)
    assert fingerprint(plan, "1", None) != fingerprint(ordinary, "1", None)


def test_only_what_gains_is_monotonic() -> None:
    (total,) = (f for f in (resolve_aggregate("sum", INT4)[1],))
    plain = r.Reduce(
        T, (ColumnRef(0, INT4),), ("k",), (r.Aggregate("sum", ColumnRef(1, INT4), total, "sum"),)
    )
    for relation in (plain, r.TopK(T, (), (r.OrderBy(1),), None, 2), r.Negate(T)):
        assert "monotonic" not in plan_text(monotonic(relation))
    constant = r.Constant(((1, 2),), NUMBERS)
    assert "monotonic" not in plan_text(monotonic(r.Distinct(constant)))
    assert "monotonic" in plan_text(monotonic(r.Distinct(r.Union((T, constant), NUMBERS))))


def test_a_threshold_disappears() -> None:
    plan = monotonic(r.Threshold(T))
    assert len(plan.nodes) == 1
    assert any(isinstance(node.op, ThresholdOp) for node in lower(r.Threshold(T)).nodes)


@pytest.mark.parametrize("name", DEFINITIONS)
def test_a_retraction_is_an_error(name: str) -> None:
    relation, _ = DEFINITIONS[name]
    dataflow = Dataflow(monotonic(relation), 0)
    dataflow.step({"t": inserted([1, 1, 2], [1, 2, 3], 0)}, 0, 1)
    noise = Delta(batch_of(NUMBERS, [((5, 5), 1, 1), ((5, 5), 1, -1), ((1, 0), 1, 1)]), NO_ERRORS)
    dataflow.step({"t": noise}, 1, 2)
    with pytest.raises(UnexpectedRetraction, match="collection t retracts rows"):
        dataflow.step({"t": Delta(batch_of(NUMBERS, [((1, 1), 2, -1)]), NO_ERRORS)}, 2, 3)


def test_a_retraction_of_another_time_is_an_error_too() -> None:
    """Though it cancels within the step: the history has it."""
    dataflow = Dataflow(monotonic(DEFINITIONS["top k"][0]), 0)
    with pytest.raises(UnexpectedRetraction):
        dataflow.step({"t": Delta(batch_of(NUMBERS, [((1, 1), 2, 1), ((1, 1), 3, -1)]), NO_ERRORS)}, 0, 5)


GROUPS = 50
STEPS = 60
ROWS = 400


def state_rows(relation: r.Relation, append_only: frozenset[str]) -> int:
    """Rows of state after STEPS steps of ROWS rows in GROUPS groups, all values different."""
    plan = lower(relation, append_only=append_only)
    dataflow = Dataflow(plan, 0)
    random = np.random.default_rng(1)
    values = random.permutation(STEPS * ROWS)
    for step in range(STEPS):
        mine = values[step * ROWS : (step + 1) * ROWS]
        dataflow.step({"t": inserted(mine % GROUPS, mine, step)}, step, step + 1)
    merge_worker().drain()
    return sum(node.state_rows for node in dataflow.statistics())


@pytest.mark.parametrize(("name", "most"), [("min and max", 3 * GROUPS), ("top k", 3 * GROUPS)])
def test_state_is_that_of_the_groups_and_not_of_the_rows(name: str, most: int) -> None:
    relation, _ = DEFINITIONS[name]
    assert state_rows(relation, frozenset()) >= STEPS * ROWS
    # Runs that are not merged yet hold what was replaced as well.
    assert state_rows(relation, frozenset({"t"})) <= 4 * most


def test_a_row_that_is_said_again_is_held_once() -> None:
    dataflow = Dataflow(monotonic(r.Distinct(T)), 0)
    for step in range(50):
        dataflow.step({"t": inserted(range(100), range(100), step)}, step, step + 1)
    assert [node.state_rows for node in dataflow.statistics()] == [0, 100]
