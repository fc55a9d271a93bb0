"""DISTINCT arguments that are counted where their rows lie: sums move, and the result is that of one process."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.partitioned import stored
from ptvc.compute.partitioned.placement import divided
from ptvc.compute.plan import ReduceOp
from ptvc.expr.functions.aggregates import resolve_aggregate
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT4, INT8

from ..histories import batch_of, consolidated, schema_of, updates_of
from ..random_views import TABLES
from ..reference import as_of, evaluate
from ..test_views import TIMES, random_histories, snapshot
from . import test_saved_parts, test_simulation
from .simulated import Faults, Flow, Simulated

KEY = (ColumnRef(0, INT4),)
LEFT, RIGHT = (r.Get(id_, TABLES[id_]) for id_ in ("u1", "u2"))
JOINED = r.Join(LEFT, RIGHT, r.JoinKind.INNER, KEY, KEY)
NUMBER = r.Aggregate("count", None, INT8, "n", nullable=False)
WORKERS = (2, 3, 7)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, eager_combining: None) -> None:
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)


def aggregate(function: str, column: int, *, distinct: bool = False) -> r.Aggregate:
    type_ = JOINED.schema.types[column]
    return r.Aggregate(
        function, ColumnRef(column, type_), resolve_aggregate(function, type_)[1], function, distinct
    )


def grouped(relation: r.Relation, keys: tuple[int, ...], *aggregates: r.Aggregate) -> r.Reduce:
    columns = tuple(ColumnRef(i, relation.schema.types[i]) for i in keys)
    return r.Reduce(relation, columns, tuple(f"k{i}" for i in keys), aggregates, scalar=not keys)


BUYERS = aggregate("count", 0, distinct=True)
"""Of values by which the rows of the join lie."""


@pytest.mark.parametrize(
    ("relation", "expected"),
    [
        (grouped(JOINED, (7,), BUYERS), 1),
        (grouped(JOINED, (7,), BUYERS, NUMBER, aggregate("avg", 2)), 1),
        (grouped(JOINED, (), BUYERS), 1),
        (grouped(JOINED, (0,), aggregate("count", 3, distinct=True)), 0),  # nothing moves
        (grouped(JOINED, (7,), aggregate("count", 3, distinct=True)), 0),  # values that are with several
        (grouped(JOINED, (7,), BUYERS, aggregate("count", 3, distinct=True)), 0),
        (grouped(JOINED, (7,), BUYERS, aggregate("min", 2)), 0),  # needs rows
        (grouped(JOINED, (7,), NUMBER), 0),
        (grouped(LEFT, (1,), BUYERS), 0),  # where rows are read
        (grouped(r.Distinct(LEFT), (1,), BUYERS), 0),
        (grouped(grouped(LEFT, (0, 1), NUMBER), (1,), BUYERS), 1),  # groups and values lie by both
    ],
)
def test_those_whose_values_lie_together_before_they_move(relation: r.Relation, expected: int) -> None:
    division = divided(lower(relation, delta_joins=False))
    assert len(division.in_place) == expected
    assert all(isinstance(division.plan.nodes[id_].op, ReduceOp) for id_ in division.in_place)
    assert not (division.in_place and division.split), "a split join's rows lie by nothing"


SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 100))]


def random_reduction(random: Random) -> r.Relation:
    """With one that is in place at least, and nullable values, by nullable groups."""
    keys = tuple(random.sample((1, 3, 5, 6, 7), random.randrange(3)))
    others = [
        NUMBER,
        aggregate("sum", 0, distinct=True),
        aggregate("count", 4, distinct=True),
        aggregate("sum", 2),
        aggregate("avg", 2),
        aggregate("count", 1),
        aggregate("bool_and", 6),
        aggregate("sum", 5),
    ]
    chosen = [BUYERS, *random.sample(others, random.randrange(len(others)))]
    random.shuffle(chosen)
    relation: r.Relation = grouped(JOINED, keys, *chosen)
    return relation if random.random() < 0.7 else grouped(relation, (0,), NUMBER)


def check(seed: int, faults: Faults) -> None:
    random = Random(seed)
    relation = random_reduction(random)
    plan = lower(relation, delta_joins=False)
    assert divided(plan).in_place
    histories = random_histories(random)
    output = test_simulation.maintained(random, plan, histories, faults)
    for time in range(TIMES + 1):
        assert as_of(output, time) == evaluate(relation, snapshot(histories, time)), f"seed {seed}, at {time}"


@pytest.mark.parametrize("seed", SEEDS)
def test_random_ones_match_recomputation(seed: int) -> None:
    check(seed, Faults())


@pytest.mark.parametrize("seed", SEEDS)
def test_workers_that_die_and_steps_that_are_given_up_lose_nothing(seed: int) -> None:
    check(100_000 + seed, Faults(death=0.005, abort=0.005, failure=0.1))


@pytest.mark.parametrize("seed", SEEDS)
def test_others_go_on_from_what_was_saved(seed: int, tmp_path: Path) -> None:
    random = Random(200_000 + seed)
    relation = random_reduction(random)
    plan = lower(relation, delta_joins=False)
    histories = random_histories(random)
    output, _ = test_saved_parts.maintained(random, plan, histories, Faults(death=0.005), tmp_path)
    for time in range(TIMES + 1):
        assert as_of(output, time) == evaluate(relation, snapshot(histories, time)), f"seed {seed}, at {time}"


@pytest.mark.parametrize("workers", WORKERS)
def test_no_values_move_and_work_is_even(workers: int) -> None:
    """Of two groups, one of which has nearly all rows: each worker counts the values that are its own."""
    orders = r.Get("u1", schema_of(INT4, INT4))
    customers = r.Get("u2", schema_of(INT4, INT4))
    relation = r.Reduce(
        r.Join(orders, customers, r.JoinKind.INNER, KEY, KEY),
        (ColumnRef(3, INT4),),
        ("nation",),
        (NUMBER, BUYERS),
    )
    plan = lower(relation, delta_joins=False)
    (number,) = divided(plan).in_place
    team = Simulated(Random(1), workers)
    flow, whole = Flow(team, plan, 0), Dataflow(plan, 0)
    rows = {
        "u1": [(i % 3_000, i) for i in range(9_000)],
        "u2": [(i, int(i % 100 == 0)) for i in range(3_000)],
    }
    for time, changed in enumerate((rows, {"u1": rows["u1"][:6_000], "u2": []})):
        inputs = {
            id_: Delta(
                batch_of(orders.schema, [(row, time, 1 if time == 0 else -1) for row in some]), NO_ERRORS
            )
            for id_, some in changed.items()
        }
        given = {id_: flow._stored(id_, delta, time, time + 1) for id_, delta in inputs.items() if delta}
        team.moved.clear()
        stepped = flow.dataflow.step_over({}, given, time, time + 1)
        assert sum(team.moved.values()) < 500_000, "the inputs, and sums"
        expected = whole.step(inputs, time, time + 1)
        assert consolidated(updates_of(stepped.delta.oks)) == consolidated(updates_of(expected.oks))
        parts = (flow.dataflow, *(m._parts[flow.dataflow.number] for m in team.members.values()))
        spines = [p.spines()[number, "distinct_1"] for p in parts]
        # What is not merged yet is held twice.
        held = [len(np.unique(np.concatenate([run.hashes for run in spine.runs]))) for spine in spines]
        assert max(held) < 1.3 * sum(held) / workers, held
