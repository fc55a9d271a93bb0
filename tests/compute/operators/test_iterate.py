"""Loops: reachability under change, errors inside, limits, interruption, state that is saved and loaded."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators.counts import at_least_zero, occurs
from ptvc.compute.operators.loops import iterations, limits
from ptvc.compute.operators.loops.count_history import CountHistory
from ptvc.compute.plan import IterateOp, recursive
from ptvc.compute.plan_text import plan_text
from ptvc.errors import PtvcError, QueryCanceled
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal, Scalar
from ptvc.interrupt import Interrupt, interruptible
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.types import INT4

from ..histories import batch_of, consolidated, history, random_cuts, schema_of, updates_of
from ..reference import Row, Rows, Update, as_of, collect

EDGES = schema_of(INT4, INT4)
NODES = schema_of(INT4)
EDGE = r.Get("u1", EDGES)
ROOT = r.Get("u2", NODES)


def column(index: int) -> ColumnRef:
    return ColumnRef(index, INT4)


def reachable() -> r.LetRec:
    """distinct(roots + reachable . edges)"""
    itself = r.LocalGet("reach", NODES)
    step = r.Join(itself, EDGE, r.JoinKind.INNER, (column(0),), (column(0),))
    value = r.Distinct(r.Union((ROOT, r.Project(step, (2,))), NODES))
    return r.LetRec((r.Binding("reach", value),), itself)


def counting(change: Scalar, limit: int | None = None, *, back: bool = False) -> r.LetRec:
    """distinct(roots + map(change, itself))"""
    itself = r.LocalGet("n", NODES)
    mapped = r.Project(r.Map(itself, (change,), ("next",)), (1,))
    value = r.Distinct(r.Union((ROOT, mapped), NODES))
    return r.LetRec((r.Binding("n", value),), itself, limit, back)


def search(edges: Rows, roots: Rows) -> Rows:
    found = {row[0] for row in roots}
    open_ = list(found)
    while open_:
        node = open_.pop()
        new = {b for a, b in edges if a == node and a is not None} - found
        found |= new
        open_ += new
    return {(node,): 1 for node in found}


def step(dataflow: Dataflow, histories: dict[str, list[Update]], begin: int, end: int) -> Delta:
    schemas = {"u1": EDGES, "u2": NODES}
    inputs = {
        id_: Delta(batch_of(schemas[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
        for id_, updates in histories.items()
    }
    return dataflow.step(inputs, begin, end)


def run(relation: r.Relation, histories: dict[str, list[Update]], cuts: Sequence[int]) -> list[Update]:
    dataflow = Dataflow(lower(relation), cuts[0])
    return [u for begin, end in pairwise(cuts) for u in updates_of(step(dataflow, histories, begin, end).oks)]


def random_graph(random: Random) -> dict[str, list[Update]]:
    nodes = random.choice((4, 8, 12))

    def edge(rng: Random) -> Row:
        return (rng.randrange(nodes), rng.choice((rng.randrange(nodes), rng.randrange(nodes), None)))

    return {
        "u1": history(random, edge, times=20, per_time=random.choice((1, 3))),
        "u2": history(random, lambda rng: (rng.randrange(nodes),), times=20, per_time=1),
    }


@pytest.mark.parametrize("limit", [None, 1000], ids=["waves", "iterations"])
@pytest.mark.parametrize("seed", range(20))
def test_reachability_matches_a_search(seed: int, limit: int | None) -> None:
    random = Random(seed)
    histories = random_graph(random)
    outputs = []
    for cuts in ([0, 21], list(range(22)), random_cuts(random, 20)):
        output = run(replace(reachable(), limit=limit), histories, cuts)
        for time in range(21):
            expected = search(as_of(histories["u1"], time), as_of(histories["u2"], time))
            assert as_of(output, time) == expected, f"at {time}, steps {cuts}"
        outputs.append(consolidated(output))
    assert outputs[0] == outputs[1] == outputs[2]


@pytest.mark.parametrize("limit", [None, 1000], ids=["waves", "iterations"])
def test_a_cycle_does_not_keep_itself_alive(limit: int | None) -> None:
    edges = [((1, 2), 1, 1), ((2, 3), 1, 1), ((3, 2), 1, 1), ((3, 3), 1, 1), ((1, 2), 2, -1)]
    output = run(replace(reachable(), limit=limit), {"u1": edges, "u2": [((1,), 1, 1)]}, [1, 2, 3])
    assert as_of(output, 1) == {(1,): 1, (2,): 1, (3,): 1}
    assert as_of(output, 2) == {(1,): 1}


@pytest.mark.parametrize("limit", [None, 1000], ids=["waves", "iterations"])
def test_a_long_chain(limit: int | None) -> None:
    edges = [((i, i + 1), 1, 1) for i in range(400)]
    edges += [((0, 200), 2, 1), ((100, 101), 3, -1), ((0, 200), 4, -1)]
    output = run(replace(reachable(), limit=limit), {"u1": edges, "u2": [((0,), 1, 1)]}, [1, 2, 3, 4, 5])
    assert [len(as_of(output, time)) for time in range(1, 5)] == [401, 401, 302, 101]


def test_a_step_costs_the_iterations_that_change() -> None:
    """A change at the far end of a chain visits the iterations there, none of those before."""
    edges = [((i, i + 1), 1, 1) for i in range(300)]
    dataflow = Dataflow(lower(replace(reachable(), limit=1000)), 1)
    histories = {"u1": [*edges, ((299, 300), 2, -1)], "u2": [((0,), 1, 1)]}
    step(dataflow, histories, 1, 2)
    visited: list[int] = []
    original = iterations.Epoch.visit

    def noted(self: iterations.Epoch, iteration: int) -> iterations.Visit:
        visited.append(iteration)
        return original(self, iteration)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(iterations.Epoch, "visit", noted)
        output = step(dataflow, histories, 2, 3)
    assert updates_of(output.oks) == [((300,), 2, -1)]
    assert visited == [0, 300, 301]


@pytest.mark.parametrize("seed", range(5))
def test_state_is_saved_and_loaded_between_steps(seed: int) -> None:
    random = Random(seed)
    histories = random_graph(random)
    plan = lower(reachable())
    dataflow = Dataflow(plan, 0)
    output: list[Update] = []
    for time in range(21):
        output += updates_of(step(dataflow, histories, time, time + 1).oks)
        following = Dataflow(plan, 0)
        following.load({id_: spine.handle() for id_, spine in dataflow.spines().items()}, time + 1)
        dataflow = following
    assert consolidated(output) == consolidated(run(reachable(), histories, [0, 21]))


def test_an_error_inside_appears_and_vanishes() -> None:
    """12, 6, 3, 1: each is what 12 is divided by next, which fails for 0."""
    change = resolve_call("divide", (Literal(12, INT4), column(0)))
    dataflow = Dataflow(lower(counting(change)), 1)
    histories = {"u2": [((5,), 1, 1), ((13,), 2, 1), ((13,), 3, -1)]}
    outputs = [step(dataflow, histories, time, time + 1) for time in (1, 2, 3)]
    errors = [updates_of(output.errs) for output in outputs]
    assert errors == [[], [(("22012", "division by zero"), 2, 1)], [(("22012", "division by zero"), 3, -1)]]
    rows = [u for output in outputs for u in updates_of(output.oks)]
    assert as_of(rows, 3) == as_of(rows, 1) == {(5,): 1, (2,): 1, (6,): 1}


def test_a_limit_is_an_error_while_it_is_reached() -> None:
    successor = resolve_call("add", (column(0), Literal(1, INT4)))
    bounded = r.Filter(r.LocalGet("n", NODES), (resolve_call("lt", (column(0), Literal(10, INT4))),))
    mapped = r.Project(r.Map(bounded, (successor,), ("next",)), (1,))
    value = r.Distinct(r.Union((ROOT, mapped), NODES))
    relation = r.LetRec((r.Binding("n", value),), r.LocalGet("n", NODES), 5)
    dataflow = Dataflow(lower(relation), 1)
    histories = {"u2": [((8,), 1, 1), ((2,), 2, 1), ((2,), 3, -1)]}
    errors = [updates_of(step(dataflow, histories, time, time + 1).errs) for time in (1, 2, 3)]
    assert [[(u[0][0], u[2]) for u in updates] for updates in errors] == [[], [("54000", 1)], [("54000", -1)]]


def test_returning_at_the_limit() -> None:
    successor = resolve_call("add", (column(0), Literal(1, INT4)))
    histories = {"u2": [((0,), 1, 1), ((0,), 2, -1), ((7,), 2, 1)]}
    output = run(counting(successor, 3, back=True), histories, [1, 2, 3])
    assert as_of(output, 1) == {(0,): 1, (1,): 1, (2,): 1}
    assert as_of(output, 2) == {(7,): 1, (8,): 1, (9,): 1}


def test_a_loop_without_end_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_ITERATIONS", 50)
    successor = resolve_call("add", (column(0), Literal(1, INT4)))
    dataflow = Dataflow(lower(counting(successor)), 1)
    with pytest.raises(PtvcError, match="has not come to an end after 50 iterations") as caught:
        step(dataflow, {"u2": [((0,), 1, 1)]}, 1, 2)
    assert "RECURSION LIMIT" in str(caught.value.hint)


def test_a_loop_that_fills_the_memory_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MEMORY_CHECK_ROWS", 100)
    monkeypatch.setattr(limits, "_memory_left", lambda: False)
    successor = resolve_call("add", (column(0), Literal(1, INT4)))
    with pytest.raises(PtvcError, match="used up the memory"):
        step(Dataflow(lower(counting(successor)), 1), {"u2": [((0,), 1, 1)]}, 1, 2)


def test_a_loop_that_nobody_wants_stops() -> None:
    successor = resolve_call("add", (column(0), Literal(1, INT4)))
    dataflow = Dataflow(lower(counting(successor)), 1)
    interrupt = Interrupt()
    threading.Timer(0.05, interrupt.set).start()
    with interruptible(interrupt), pytest.raises(QueryCanceled):
        step(dataflow, {"u2": [((0,), 1, 1)]}, 1, 2)


def test_what_does_not_depend_on_the_loop_is_outside() -> None:
    edges = r.Distinct(r.Filter(EDGE, (resolve_call("gt", (column(0), Literal(0, INT4))),)))
    itself = r.LocalGet("reach", NODES)
    join = r.Join(itself, edges, r.JoinKind.INNER, (column(0),), (column(0),))
    value = r.Distinct(r.Union((ROOT, r.Project(join, (2,))), NODES))
    plan = lower(r.LetRec((r.Binding("reach", value),), itself))
    assert recursive(plan)
    (loop,) = [node.op for node in plan.nodes if isinstance(node.op, IterateOp)]
    inside = [type(node.op).__name__ for node in loop.nodes]
    assert inside == ["EnterOp", "FeedbackOp", "EnterOp", "JoinOp", "Mfp", "UnionOp", "DistinctOp"]
    text = plan_text(plan)
    assert "Iterate" in text
    assert "never a Spark job" in text
    assert "-> binding 0" in text


@pytest.mark.parametrize("function", [occurs, at_least_zero])
@pytest.mark.parametrize("seed", range(20))
def test_count_history_matches_recomputation(seed: int, function: object) -> None:
    """Changes at any iteration, in any order: the updates so far are those of the function of the counts so far."""
    random = Random(seed)
    assert callable(function)
    counts = CountHistory(NODES, function)
    changes: list[Update] = []
    output: list[Update] = []
    for _ in range(30):
        iteration = random.randrange(6)
        new = [
            ((random.randrange(4),), iteration, random.choice((-2, -1, 1, 1, 2)))
            for _ in range(random.randint(1, 6))
        ]
        changes += new
        given = updates_of(counts.update(batch_of(NODES, new), iteration))
        assert all(time >= iteration for _, time, _ in given)
        assert len(consolidated(given)) == len(given)
        output += given
        for time in range(6):
            value = {"occurs": lambda n: int(n > 0), "at_least_zero": lambda n: max(n, 0)}[function.__name__]
            expected = collect((row, value(n)) for row, n in as_of(changes, time).items())
            assert as_of(output, time) == expected
