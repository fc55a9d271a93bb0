"""Whole views: random relations over random histories agree with recomputation at every time, in any batching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.oneshot import evaluate_once
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.transform.pipeline import optimize

from .histories import batch_of, consolidated, history, random_cuts, updates_of
from .random_views import TABLES, Views, random_row
from .reference import Rows, Update, as_of, evaluate

TIMES = 6
Histories = Mapping[str, Sequence[Update]]


def random_histories(random: Random) -> dict[str, list[Update]]:
    return {
        id_: history(random, lambda rng, s=schema: random_row(rng, s), times=TIMES, per_time=3)
        for id_, schema in TABLES.items()
    }


def run(
    relation: r.Relation,
    histories: Histories,
    cuts: Sequence[int],
    append_only: frozenset[str] = frozenset(),
) -> list[Update]:
    dataflow = Dataflow(lower(relation, append_only=append_only), cuts[0])
    out: list[Update] = []
    for begin, end in pairwise(cuts):
        inputs = {
            id_: Delta(batch_of(TABLES[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
            for id_, updates in histories.items()
        }
        delta = dataflow.step(inputs, begin, end)
        assert not len(delta.errs)
        assert tuple(c.type for c in delta.oks.columns) == tuple(t.arrow for t in relation.schema.types)
        updates = updates_of(delta.oks)
        assert all(begin <= time < end for _, time, _ in updates)
        assert len(consolidated(updates)) == len(updates), "the output of a step is consolidated"
        out += updates
    return out


def snapshot(histories: Histories, time: int) -> dict[str, Rows]:
    return {id_: as_of(updates, time) for id_, updates in histories.items()}


SEEDS = [*range(15), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(15, 100))]


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
@pytest.mark.parametrize("seed", SEEDS)
def test_view_matches_recomputation(seed: int, depth: int) -> None:
    random = Random(1000 * depth + seed)
    relation = Views(random).relation(depth)
    histories = random_histories(random)
    expected = {time: evaluate(relation, snapshot(histories, time)) for time in range(TIMES + 1)}
    outputs = []
    for cuts in ([0, TIMES + 1], list(range(TIMES + 2)), random_cuts(random, TIMES)):
        output = run(relation, histories, cuts)
        for time, rows in expected.items():
            assert as_of(output, time) == rows, f"at {time}, steps {cuts}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize(
    "seed", [*range(12), *(pytest.param(n, marks=pytest.mark.slow) for n in range(12, 100))]
)
def test_view_with_bounds_on_the_time_matches_recomputation(seed: int) -> None:
    random = Random(9_000_000 + seed)
    relation = Views(random, temporal=True).relation(1 + seed % 4)
    histories = random_histories(random)
    outputs = []
    for cuts in ([0, TIMES + 1], list(range(TIMES + 2)), random_cuts(random, TIMES)):
        output = run(relation, histories, cuts)
        for time in range(TIMES + 1):
            expected = evaluate(at_time(relation, time), snapshot(histories, time))
            assert as_of(output, time) == expected, f"at {time}, steps {cuts}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_recursive_view_matches_recomputation(seed: int, depth: int) -> None:
    random = Random(3_000_000 + 1000 * depth + seed)
    relation = Views(random, loops=3).let_rec(depth)
    histories = random_histories(random)
    expected = {time: evaluate(relation, snapshot(histories, time)) for time in range(TIMES + 1)}
    outputs = []
    for cuts in ([0, TIMES + 1], list(range(TIMES + 2)), random_cuts(random, TIMES)):
        output = run(relation, histories, cuts)
        for time, rows in expected.items():
            assert as_of(output, time) == rows, f"at {time}, steps {cuts}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]
    assert evaluate(optimize(relation), snapshot(histories, TIMES)) == expected[TIMES]


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", SEEDS)
def test_one_off_query_matches_recomputation(seed: int, depth: int) -> None:
    random = Random(7_000_000 + 1000 * depth + seed)
    relation = Views(random).relation(depth)
    contents = snapshot(random_histories(random), TIMES)
    batches = {
        id_: batch_of(TABLES[id_], [(row, 3, n) for row, n in rows.items()]) for id_, rows in contents.items()
    }
    delta = evaluate_once(relation, batches, 9)
    assert not len(delta.errs)
    assert set(delta.oks.times.tolist()) <= {9}
    assert as_of(updates_of(delta.oks), 9) == evaluate(relation, contents)
