"""Loops that are divided among workers put out, at each time, what those in one place do."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from ptvc.compute import merge as merge_module
from ptvc.compute import spine as spine_module
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.operators.loops import limits
from ptvc.compute.partitioned import stored
from ptvc.compute.partitioned.loop_part import LoopPart
from ptvc.compute.partitioned.loop_rounds import IterationRounds, WaveRounds
from ptvc.compute.partitioned.placement import divided, undivided
from ptvc.compute.plan import DataflowPlan, DividedIterateOp, IterateOp
from ptvc.compute.spark.exchange import partition_of
from ptvc.errors import MemoryLimitExceeded, PtvcError, QueryCanceled
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.replica.workers import team as team_module
from ptvc.repr.batch import NO_ERRORS, Delta
from ptvc.repr.hash import hash_columns
from ptvc.repr.multiplicity import TooManyRows
from ptvc.repr.types import INT4, INT8

from ..histories import batch_of, random_cuts, schema_of, updates_of
from ..operators.test_waves import (
    EDGE,
    NODES,
    PROGRAMS,
    ROOT,
    SCHEMAS,
    along,
    column,
    distinct,
    expected_at,
    mapped,
    number,
    random_graph,
    reachable,
)
from ..random_views import Views
from ..reference import Row, Update, as_of, evaluate
from ..test_views import TIMES, random_histories, snapshot
from . import test_saved_parts as saved
from .simulated import Faults, Flow, Simulated
from .test_simulation import maintained, taken

WORKERS = (2, 3, 7)
FAULTS = Faults(death=0.005, abort=0.005, failure=0.1)
SEEDS = [*range(20), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(20, 400))]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows take the paths that many take otherwise."""
    monkeypatch.setattr(stored, "LEAST_CUT_ROWS", 1)
    monkeypatch.setattr(team_module, "GATHER_ROWS", 3)


def loops_of(plan: DataflowPlan) -> list[IterateOp]:
    return [node.op for node in divided(plan).plan if isinstance(node.op, IterateOp)]


def random_loop(random: Random) -> tuple[r.Relation, DataflowPlan]:
    """A view with a loop that is divided."""
    while True:
        relation = Views(random, joins=3, loops=3).let_rec(random.randint(1, 4))
        plan = lower(relation)
        ops = loops_of(plan) if undivided(plan) is None else []
        if any(isinstance(op, DividedIterateOp) for op in ops):
            return relation, plan


def in_one_process(plan: DataflowPlan, histories: dict[str, list[Update]]) -> None:
    alone = Dataflow(plan, 0)
    for time in range(TIMES + 1):
        taken(alone, histories, 0, time, time + 1)


def check(seed: int, faults: Faults) -> None:
    random = Random(seed)
    relation, plan = random_loop(random)
    histories = random_histories(random)
    try:
        output = maintained(random, plan, histories, faults)
    except TooManyRows:  # rows that each iteration multiplies: then one process refuses them, too
        with pytest.raises(TooManyRows):
            in_one_process(plan, histories)
        return
    for time in range(TIMES + 1):
        assert as_of(output, time) == evaluate(relation, snapshot(histories, time)), f"seed {seed}, at {time}"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_divided_loop_matches_recomputation(seed: int) -> None:
    check(800_000 + seed, Faults())


@pytest.mark.parametrize("seed", SEEDS)
def test_steps_that_are_given_up_in_a_loop_lose_nothing(seed: int) -> None:
    check(900_000 + seed, FAULTS)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_many_seeds() -> None:
    for seed in range(5_000):
        check(1_000_000 + seed, FAULTS)


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_of_loops_go_on_from_what_others_have_saved(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 4)
    monkeypatch.setattr(saved, "random_view", random_loop)
    saved.check(
        1_100_000 + seed, Faults(death=0.01, abort=0.003, failure=0.05) if seed % 2 else Faults(), tmp_path
    )


# -- loops without a limit --


def given(histories: dict[str, list[Update]], begin: int, end: int) -> dict[str, Delta]:
    return {
        id_: Delta(batch_of(SCHEMAS[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
        for id_, updates in histories.items()
    }


def both(
    plan: DataflowPlan, histories: dict[str, list[Update]], workers: int, cuts: list[int], seed: int
) -> tuple[list[Update], list[Update]]:
    """The rows and the errors that a divided dataflow puts out, step by step the same as an undivided one."""
    one, flow = Dataflow(plan, cuts[0]), Flow(Simulated(Random(seed), workers), plan, cuts[0])
    rows: list[Update] = []
    errors: list[Update] = []
    for lower_, upper in pairwise(cuts):
        inputs = given(histories, lower_, upper)
        expected, found = one.step(inputs, lower_, upper), flow.step(inputs, lower_, upper)
        for kind in ("oks", "errs"):
            updates = sorted(updates_of(getattr(found, kind)), key=repr)
            assert updates == sorted(updates_of(getattr(expected, kind)), key=repr), (lower_, upper, kind)
        rows += updates_of(found.oks)
        errors += updates_of(found.errs)
    return rows, errors


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("program", PROGRAMS)
def test_growing_loops(program: str, workers: int) -> None:
    relation, expected = PROGRAMS[program]
    plan = lower(relation)
    assert all(isinstance(op, DividedIterateOp) for op in loops_of(plan))
    for seed in range(3):
        random = Random(seed)
        histories = random_graph(random, 20)
        output, _ = both(plan, histories, workers, random_cuts(random, 20), seed)
        for time in range(21):
            assert set(as_of(output, time)) == expected_at(expected, histories, time)


@pytest.mark.parametrize("seed", range(10))
def test_growing_loops_are_saved_by_as_many_and_gone_on_with_by_others(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)
    random = Random(1_200_000 + seed)
    relation, expected = random.choice(list(PROGRAMS.values()))
    histories = random_graph(random, TIMES)
    monkeypatch.setattr(saved, "taken", taken_graph)
    output, _ = saved.maintained(
        random, lower(relation), histories, Faults(death=0.002, abort=0.002, failure=0.05), tmp_path
    )
    for time in range(TIMES + 1):
        assert set(as_of(output, time)) == expected_at(expected, histories, time)


def taken_graph(
    flow: Flow, histories: dict[str, list[Update]], begin: int, lower_: int, upper: int
) -> list[Update]:
    """As `test_simulation.taken`."""
    moved = {id_: [(row, max(t, begin), d) for row, t, d in updates] for id_, updates in histories.items()}
    delta = flow.step(given(moved, lower_, upper), lower_, upper)
    assert not len(delta.errs)
    return updates_of(delta.oks)


def shortest() -> r.LetRec:
    """The fewest edges to each node: a least value of all that goes round."""
    pairs = schema_of(INT4, INT4)
    itself = r.LocalGet("way", pairs)
    start = r.Project(r.Map(ROOT, (number(0),), ("length",)), (0, 1))
    joined = r.Join(itself, EDGE, r.JoinKind.INNER, (column(0),), (column(0),))
    longer = r.Map(joined, (resolve_call("add", (column(1), number(1))),), ("length",))
    least = r.Aggregate("min", column(1), INT4, "length")
    value = r.Reduce(r.Union((start, r.Project(longer, (3, 4))), pairs), (column(0),), ("node",), (least,))
    return r.LetRec((r.Binding("way", value),), itself)


def shortest_rows(edges: set[Row], roots: set[Row]) -> set[Row]:
    found, last, length = {row[0]: 0 for row in roots}, {row[0] for row in roots}, 0
    while last:
        length += 1
        last = {b for a, b in edges if a in last and a is not None} - found.keys()
        found |= dict.fromkeys(last, length)
    return set(found.items())


@pytest.mark.parametrize("workers", WORKERS)
def test_shortest_ways(workers: int) -> None:
    plan = lower(shortest())
    for seed in range(3):
        random = Random(seed)
        histories = random_graph(random, 20)
        output, _ = both(plan, histories, workers, random_cuts(random, 20), seed)
        for time in range(21):
            assert set(as_of(output, time)) == expected_at(shortest_rows, histories, time)


# -- errors and limits --


@pytest.mark.parametrize("workers", WORKERS)
def test_errors_go_round_and_come_out_once(workers: int) -> None:
    """In waves, and in iterations."""
    failing = mapped(failing=True)
    seen = 0
    for relation in (failing, r.LetRec(failing.bindings, failing.body, 30, return_at_limit=True)):
        for seed in range(4):
            random = Random(seed)
            histories = random_graph(random, 20)
            seen += len(both(lower(relation), histories, workers, random_cuts(random, 20), seed)[1])
    assert seen > 5


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("back", [True, False])
@pytest.mark.parametrize("together", [True, False])
def test_limits(workers: int, back: bool, together: bool) -> None:
    """With RETURN AT, and ERROR AT; where equal rows of a binding are in one part, and where they may be in several."""
    itself = r.LocalGet("reach", NODES)
    rows = r.Union((r.Distinct(ROOT), along(itself)), NODES)
    seen = 0
    for limit in (1, 2, 3, 6):
        value = r.Distinct(rows) if together else rows
        plan = lower(r.LetRec((r.Binding("reach", value),), itself, limit, back))
        for seed in range(6):
            random = Random(seed)
            histories = random_graph(random, 12)
            seen += len(both(plan, histories, workers, random_cuts(random, 12), seed)[1])
    assert bool(seen) is not back


def chain(length: int) -> dict[str, list[Update]]:
    return {"u1": [((i, i + 1), 1, 1) for i in range(length)], "u2": [((0,), 1, 1)]}


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize("relation", [reachable(), shortest()])
def test_the_last_iteration_that_is_allowed(
    workers: int, relation: r.LetRec, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All workers come to the same decision, and to that of one alone: the longest chain that works is as long."""
    monkeypatch.setattr(limits, "MAX_ITERATIONS", 20)
    plan = lower(relation)

    def ends(dataflow: Dataflow | Flow, length: int) -> str | None:
        try:
            dataflow.step(given(chain(length), 1, 2), 1, 2)
        except PtvcError as error:
            return error.message
        return None

    found = []
    for length in range(16, 24):
        alone = ends(Dataflow(plan, 1), length)
        assert ends(Flow(Simulated(Random(length), workers), plan, 1), length) == alone
        found.append(alone)
    assert found[0] is None
    assert found[-1] is not None
    assert "has not come to an end after 20 iterations" in found[-1]


def test_a_loop_that_nobody_wants_stops_in_all_workers() -> None:
    successor = r.Map(r.LocalGet("n", NODES), (resolve_call("add", (column(0), number(1))),), ("next",))
    value = distinct(NODES, ROOT, r.Project(successor, (1,)))
    team = Simulated(Random(1), 3, Faults(abort=0.01))
    flow = Flow(team, lower(r.LetRec((r.Binding("n", value),), r.LocalGet("n", NODES))), 1)
    with pytest.raises(QueryCanceled):
        flow.step(given(chain(0), 1, 2), 1, 2)
    assert not any(member._parts for member in team.members.values())


def test_a_loop_that_fills_the_memory_of_one_worker_is_given_up_by_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "MEMORY_CHECK_ROWS", 20)
    monkeypatch.setattr(limits, "_memory_left", lambda: False)
    team = Simulated(Random(1), 3)
    with pytest.raises(MemoryLimitExceeded, match="the recursion has used up the memory"):
        Flow(team, lower(reachable()), 1).step(given(chain(200), 1, 2), 1, 2)


# -- where rows lie, and what is not divided --


def test_rows_in_loops_are_where_they_are_said_to_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every node, in every part, at every iteration."""
    looked = 0
    places = {}

    def compute(rounds: WaveRounds | IterationRounds, level: int) -> None:
        nonlocal looked
        computes[type(rounds)](rounds, level)
        lies, part, parts = places[id(rounds._loop)]
        for node, delta in rounds.results.items():
            for columns in lies[node] if node < len(lies) else ():
                looked += len(delta.oks)
                if not columns:
                    assert part == 0 or not len(delta.oks)
                elif len(delta.oks):
                    hashes = hash_columns([delta.oks.columns[i] for i in columns], len(delta.oks))
                    assert set(partition_of(hashes, parts).tolist()) == {part}, (node, columns)

    def noted(part: LoopPart, *arguments: object) -> None:
        made(part, *arguments)  # type: ignore[arg-type]
        lies = next(iter(division.inside.values()))
        places[id(part._loop.inside)] = lies, part._part, part._parts

    computes = {kind: kind.compute for kind in (WaveRounds, IterationRounds)}
    made = LoopPart.__init__
    monkeypatch.setattr(LoopPart, "__init__", noted)
    for kind in computes:
        monkeypatch.setattr(kind, "compute", compute)
    kept = []  # so that no address is that of two
    for seed in range(80):
        random = Random(seed)
        plan = random_loop(random)[1] if seed % 2 else lower(random.choice(list(PROGRAMS.values()))[0])
        division = divided(plan)
        if len(division.inside) > 1:
            continue
        flow = Flow(Simulated(random, 3), plan, 0)
        kept.append(flow)
        if seed % 2:
            histories = random_histories(random)
            saved.taken(flow, histories, 0, 0, TIMES + 1)
        else:
            flow.step(given(random_graph(random, 10), 0, 11), 0, 11)
    assert looked > 1_000


def test_a_loop_without_a_key_is_in_the_first_part_of_a_view_that_is_divided() -> None:
    successor = resolve_call("add", (column(0), number(1)))
    bounded = r.Filter(r.LocalGet("n", NODES), (resolve_call("lt", (column(0), number(10))),))
    counting = r.Union((ROOT, r.Project(r.Map(bounded, (successor,), ("next",)), (1,))), NODES)
    loop = r.LetRec((r.Binding("n", counting),), r.LocalGet("n", NODES))
    assert undivided(lower(loop)) is not None
    count = r.Aggregate("count", None, INT8, "n", nullable=False)
    plan = lower(r.Reduce(loop, (ColumnRef(0, INT4),), ("k",), (count,)))
    (op,) = loops_of(plan)
    assert not isinstance(op, DividedIterateOp)
    assert undivided(plan) is None
    for workers in WORKERS:
        both(plan, {"u2": random_graph(Random(workers), 10)["u2"]}, workers, [0, 3, 7, 11], workers)


def steps_of(relation: r.Relation, row: Row, workers: int) -> int:
    """How many messages it takes to hear of one row more."""
    team = Simulated(Random(1), workers)
    flow = Flow(team, lower(relation), 1)
    flow.dataflow.step(given(chain(5), 1, 2), 1, 2)
    before = team.delivered
    flow.dataflow.step({"u2": Delta(batch_of(NODES, [(row, 2, 1)]), NO_ERRORS)}, 2, 3)
    return team.delivered - before


@pytest.mark.parametrize("workers", WORKERS)
def test_who_has_nothing_for_a_loop_is_not_asked_in_vain(workers: int) -> None:
    """A row that all workers hear of takes as many meetings as the loop has rounds, and one more."""
    join = r.Join(ROOT, reachable(), r.JoinKind.SEMI, (column(0),), (column(0),))
    assert steps_of(reachable(), (0,), workers) <= 2 * (workers - 1) + 3 * workers * (workers - 1)
    assert steps_of(join, (0,), workers) <= 2 * (workers - 1) + 4 * workers * (workers - 1)
