"""A divided dataflow puts out what an undivided one does, whatever order messages arrive in and whoever fails."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.partitioned import split_keys, stored
from ptvc.compute.partitioned.placement import undivided
from ptvc.compute.plan import DataflowPlan
from ptvc.errors import QueryCanceled, ReplicaUnavailable
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.replica.workers import team
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT4, INT8

from ..histories import batch_of, consolidated, random_cuts, schema_of, updates_of
from ..random_views import TABLES, Views
from ..reference import Update, as_of, evaluate
from ..test_views import TIMES, Histories, random_histories, snapshot
from .simulated import Died, Faults, Flow, Simulated

ATTEMPTS = 50


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch, eager_combining: None) -> None:
    """Few rows are divided as many are."""
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)
    monkeypatch.setattr(team, "GATHER_ROWS", 3)
    monkeypatch.setattr(split_keys, "HOT_ROWS", 2)


def random_view(random: Random) -> tuple[r.Relation, DataflowPlan]:
    """One that is divided."""
    while True:
        relation = Views(random, temporal=random.random() < 0.2).relation(random.randint(1, 4))
        plan = lower(relation, delta_joins=random.choice((None, True, False)))
        if undivided(plan) is None:
            return relation, plan


def taken(flow: Flow | Dataflow, histories: Histories, begin: int, lower_: int, upper: int) -> list[Update]:
    """A step of a dataflow whose first is as of `begin`: what was before is at that time."""
    inputs = {}
    for id_, updates in histories.items():
        rows = [(row, max(time, begin), diff) for row, time, diff in updates if time < upper]
        rows = [u for u in rows if lower_ <= u[1]] if lower_ > begin else rows
        inputs[id_] = Delta(batch_of(TABLES[id_], rows), NO_ERRORS)
    delta = flow.step(inputs, lower_, upper)
    assert not len(delta.errs)
    updates = updates_of(delta.oks)
    assert len(consolidated(updates)) == len(updates), "the output of a step is consolidated"
    return updates


def maintained(
    random: Random,
    plan: DataflowPlan,
    histories: Histories,
    faults: Faults,
    few: Callable[[], tuple[int, ...]] = tuple,
) -> list[Update]:
    """All that is committed, by one attempt after the other: each begins as of the last time that is durable, and may broadcast what `few` says."""
    cuts = random_cuts(random, TIMES)
    committed: list[Update] = []
    durable, team = 0, None
    for attempt in range(1, ATTEMPTS + 1):
        if attempt == ATTEMPTS:
            faults = Faults()
        if team is None:
            team = Simulated(random, random.choice((2, 3, 7)), faults)
        team.faults = faults
        begin = max(durable - 1, 0)
        flow = Flow(team, plan, begin, few=few())
        try:
            for lower_, upper in pairwise([begin, *(cut for cut in cuts if cut > durable)]):
                updates = taken(flow, histories, begin, lower_, upper)
                committed += [update for update in updates if update[1] >= durable]
                durable = upper
            return committed
        except Died:
            team = None
        except (QueryCanceled, ReplicaUnavailable):
            pass  # the same workers go on with another dataflow
    raise AssertionError("the last attempt has no faults")


def check(seed: int, faults: Faults) -> None:
    random = Random(seed)
    relation, plan = random_view(random)
    histories = random_histories(random)
    output = maintained(random, plan, histories, faults)
    for time in range(TIMES + 1):
        expected = evaluate(at_time(relation, time), snapshot(histories, time))
        assert as_of(output, time) == expected, f"seed {seed}, at {time}"


SEEDS = [*range(60), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(60, 400))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_divided_view_matches_recomputation(seed: int) -> None:
    check(seed, Faults())


@pytest.mark.parametrize("seed", SEEDS)
def test_workers_that_die_and_steps_that_are_given_up_lose_nothing(seed: int) -> None:
    check(100_000 + seed, Faults(death=0.005, abort=0.005, failure=0.1))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_seeds() -> None:
    for seed in range(10_000):
        check(200_000 + seed, Faults(death=0.005, abort=0.005, failure=0.1))


PAIRS = schema_of(INT4, INT4)


def steps_of_one_row(relation: r.Relation, workers: int) -> list[tuple[list[Update], int]]:
    """By row, what a step over it puts out, and how many messages it takes."""
    team = Simulated(Random(1), workers)
    dataflow = Flow(team, lower(relation), 0).dataflow
    dataflow.step({"u1": Delta(batch_of(PAIRS, [((i, i), 0, 1) for i in range(50)]), NO_ERRORS)}, 0, 1)
    found = []
    for time in range(1, 40):
        before = team.delivered
        row = batch_of(PAIRS, [((100 + time, time % 5), time, 1)])
        output = dataflow.step({"u1": Delta(row, NO_ERRORS)}, time, time + 1)
        found.append((updates_of(output.oks), team.delivered - before))
    return found


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_a_row_that_lies_with_one_worker_concerns_no_other(workers: int) -> None:
    found = steps_of_one_row(r.Distinct(r.Get("u1", PAIRS)), workers)
    assert all(len(updates) == 1 for updates, _ in found)
    assert {messages for _, messages in found} == {0, 2}, "at the leader, or at a member: there and back"


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_what_the_leader_has_for_a_later_level_is_waited_for(workers: int) -> None:
    """Of one input something leaves the first level; the other one is looked at in the second, and leaves that."""
    count = r.Aggregate("count", None, INT8, "n", nullable=False)
    counted = r.Reduce(r.Get("u1", PAIRS), (ColumnRef(1, INT4),), ("k",), (count,))
    wide = r.Get("u2", schema_of(INT4, INT8))
    plan = lower(r.Join(counted, wide, r.JoinKind.INNER, (ColumnRef(1, INT8),), (ColumnRef(1, INT8),)))
    flow, whole = Flow(Simulated(Random(1), workers), plan, 0), Dataflow(plan, 0)
    for time in range(30):
        inputs = {
            "u1": Delta(batch_of(PAIRS, [((time, time % 9), time, 1)]), NO_ERRORS),
            "u2": Delta(batch_of(wide.schema, [((time, time % 5), time, 1)]), NO_ERRORS),
        }
        found, expected = (
            consolidated(updates_of(dataflow.step(inputs, time, time + 1).oks))
            for dataflow in (flow.dataflow, whole)
        )
        assert found == expected


@pytest.mark.parametrize("workers", [2, 3, 7])
def test_only_those_hear_of_a_row_to_which_it_moves(workers: int) -> None:
    """A row of the leader moves to one of all workers before the last level; one of a member makes all wait."""
    key = (ColumnRef(1, INT4),)
    count = r.Aggregate("count", None, INT8, "n", nullable=False)
    relation = r.Reduce(r.Distinct(r.Get("u1", PAIRS)), key, ("k",), (count,))
    found = steps_of_one_row(relation, workers)
    messages = {n for _, n in found}
    assert {0, 2} <= messages, "where the leader has the row: it stays, or goes to another, which answers"
    assert max(messages) == 3 * (workers - 1), "told, rows of the one to all others, done"
