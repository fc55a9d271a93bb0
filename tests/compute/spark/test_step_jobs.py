"""Steps of a dataflow that has state, as jobs: output and state are those of steps that the replica makes itself.

The tasks run in this process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from ptvc.compute import merge as merge_module
from ptvc.compute import spine as spine_module
from ptvc.compute.dataflow import Dataflow, StateId
from ptvc.compute.lower import lower
from ptvc.compute.operators.reductions import hierarchical as hierarchical_module
from ptvc.compute.operators.topk import topk as topk_module
from ptvc.compute.operators.windows import state as window_state
from ptvc.compute.plan import DataflowPlan, LookupOp, not_a_job
from ptvc.compute.run_store import INDEX_RUNS
from ptvc.compute.shared_files import MACHINE
from ptvc.compute.spark.job import Job
from ptvc.compute.spark.superstep import JobResult
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import Literal
from ptvc.replica.checkpoint import DurableState
from ptvc.replica.protocol import StateOptions, StateRuns, StepEnded, StepJob
from ptvc.replica.step_under_way import StepUnderWay
from ptvc.repr.batch import NO_ERRORS, Delta, concat_batches, to_ipc
from ptvc.repr.schema import ERROR_SCHEMA
from ptvc.repr.types import INT4, INT8

from ..histories import batch_of, consolidated, updates_of
from ..operators.test_temporal_filter import VIEWS as TEMPORAL_VIEWS
from ..random_views import TABLES, Views
from ..reference import Row, Update, as_of, evaluate
from ..test_views import TIMES, Histories, random_histories, snapshot
from .cases import NUMBERS, column, get, part, random_numbers, totals
from .local_job import run_locally

SEEDS = [*range(25), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(25, 400))]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows already take the paths that many take otherwise."""
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 4)
    monkeypatch.setattr(hierarchical_module, "LARGE_ROWS", 3)
    monkeypatch.setattr(topk_module, "RESERVE_ROWS", 1)
    monkeypatch.setattr(topk_module, "RESERVE_FACTOR", 1)
    monkeypatch.setattr(window_state, "BLOCK_ROWS", 2)


class Stepped:
    """A dataflow whose steps may be jobs."""

    def __init__(self, plan: DataflowPlan, directory: Path, spill_rows: int = 8) -> None:
        self.dataflow = Dataflow(plan, 0)
        self.state = DurableState("v", StateOptions(str(directory), "f", spill_rows, 1, 1), "test")
        self.state.keep(self.dataflow.spines())
        self.directory = directory
        self.out: list[Update] = []
        self.errs: list[Update] = []

    def step(self, inputs: dict[str, Delta], upper: int, partitions: int = 0) -> None:
        """With `partitions` by a job of so many."""
        imports = self.dataflow.plan.imports
        inputs = {id_: delta for id_, delta in inputs.items() if delta and id_ in imports}
        if partitions:
            delta = self.take_over(inputs, upper, partitions)
        else:
            delta = self.dataflow.step(inputs, self.dataflow.upper, upper)
        self.out += updates_of(delta.oks)
        self.errs += updates_of(delta.errs)

    def take_over(self, inputs: dict[str, Delta], upper: int, partitions: int) -> Delta:
        step = StepUnderWay("v", self.dataflow, self.state, inputs, upper)
        return step.take_over(answer(step.written(), partitions))

    def contents(self) -> dict[StateId, dict[Row, int]]:
        """The whole state, consolidated, times left out: those before the frontier mean nothing.

        Fronts, bars, and the ends of min and max, are left out too: when one is laid out, or known, depends on what merges have
        consolidated.  Whether they are right is seen in what follows.
        """
        found = {}
        for id_, spine in self.dataflow.spines().items():
            if id_[1].startswith(("min_", "max_", "front", "bars")):
                continue
            ends = {i for i in spine.sums if spine.schema[i].name.split("_")[0] in ("known", "min", "max")}
            added = [i for i in spine.sums if i not in ends]
            sums: dict[Row, list[int]] = {}
            for run in spine.runs:
                columns = [c.to_pylist() for c in run.batch.columns]
                for at, diff in enumerate(run.batch.diffs.tolist()):
                    row = tuple(repr(c[at]) for i, c in enumerate(columns) if i not in spine.sums)
                    entry = sums.setdefault(row, [0] * (1 + len(added)))
                    for i, n in enumerate([diff, *(columns[c][at] for c in added)]):
                        entry[i] += n
            found[id_] = {row: tuple(n) for row, n in sums.items() if any(n)}
        return found


def answer(
    message: StepJob, partitions: int, run: Callable[[Job], JobResult] = lambda job: run_locally(job, [])
) -> StepEnded:
    """What the driver and the coordinator do."""
    plan = message.plan
    blobs = MACHINE.path(message.directory) / "blobs"
    job = Job(
        plan=plan,
        as_of=message.step.lower,
        schemas={id_: plan.import_schema(id_) for id_ in plan.imports},
        blobs=blobs.as_uri(),
        directory=message.directory,
        writer="test",
        partitions=partitions,
        rows=10**9,  # keys of joins are not split whatever it is
        index_key=(),
        hot_rows=1,
        step=message.step,
    )
    result = run(job)
    blobs.rmdir()
    state = [StateRuns(node, name, tuple(paths)) for (node, name), paths in result.state.items()]
    state.append(StateRuns(len(plan.nodes), INDEX_RUNS, tuple(result.index)))
    errors = to_ipc(ERROR_SCHEMA, result.errors) if len(result.errors) else None
    return StepEnded(message.id, message.number, tuple(state), errors)


def changes(histories: Histories, begin: int, end: int) -> dict[str, Delta]:
    return {
        id_: Delta(batch_of(TABLES[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
        for id_, updates in histories.items()
    }


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.usefixtures("eager_combining")
def test_random_views_stepped_by_jobs_now_and_then(seed: int, tmp_path: Path) -> None:
    random = Random(31_000 + seed)
    relation = Views(random).relation(1 + seed % 4)
    plan = lower(relation)
    histories = random_histories(random)
    cuts = sorted({1, *random.sample(range(2, TIMES + 1), random.randint(1, 3)), TIMES + 1})
    always = seed % 3 == 0
    resident = Stepped(plan, tmp_path / "resident")
    stepped = Stepped(plan, tmp_path / "stepped", random.choice((1, 8, 1000)))
    begin = 0
    for cut in cuts:
        by_job = begin > 0 and not_a_job(plan) is None and (always or random.random() < 0.6)
        for one, partitions in ((resident, 0), (stepped, random.choice((1, 2, 3)) if by_job else 0)):
            one.step(changes(histories, begin, cut), cut, partitions)
        assert stepped.contents() == resident.contents(), f"state at {cut}"
        begin = cut
    for time in range(TIMES + 1):
        assert as_of(stepped.out, time) == evaluate(relation, snapshot(histories, time)), f"at {time}"
    assert consolidated(stepped.out) == consolidated(resident.out)


def divided() -> r.Relation:
    """100 / value, summed by key: an error where a value is zero."""
    quotient = resolve_call("divide", (Literal(100, INT4), column(1)))
    return totals(r.Project(r.Map(get("u1"), (quotient,), ("q",)), (0, 2)))


@pytest.mark.parametrize("partitions", [1, 3])
@pytest.mark.usefixtures("eager_combining")
def test_errors_come_and_go_by_jobs(tmp_path: Path, partitions: int) -> None:
    plan = lower(divided())
    one, other = Stepped(plan, tmp_path / "a"), Stepped(plan, tmp_path / "b")
    steps: list[list[Delta]] = [
        [part(NUMBERS, [(1, 5), (2, 0)], time=0)],
        [part(NUMBERS, [(2, 0), (3, 0)], time=1), part(NUMBERS, [(2, 0)], time=2, diff=-1)],
        [part(NUMBERS, [(3, 0), (2, 0)], time=3, diff=-1), part(NUMBERS, [(7, 0)], time=4)],
        [part(NUMBERS, [(7, 0)], time=5, diff=-1)],
    ]
    for at, deltas in enumerate(steps):
        upper = (1, 3, 5, 6)[at]
        delta = Delta(concat_batches(NUMBERS, [d.oks for d in deltas]), NO_ERRORS)
        one.step({"u1": delta}, upper)
        other.step({"u1": delta}, upper, partitions if at else 0)
        assert other.contents() == one.contents()
    assert consolidated(other.errs) == consolidated(one.errs) != {}
    assert consolidated(other.out) == consolidated(one.out)


def three() -> r.Relation:
    inner = r.Join(get("u1"), get("u2"), r.JoinKind.INNER, (column(0),), (column(0),))
    return r.Join(inner, get("u3"), r.JoinKind.INNER, (column(0),), (column(0),))


@pytest.mark.parametrize("partitions", [1, 3])
def test_all_paths_of_a_delta_join_run(tmp_path: Path, partitions: int) -> None:
    random = Random(partitions)
    plan = lower(three())
    assert any(isinstance(node.op, LookupOp) for node in plan)
    one, other = Stepped(plan, tmp_path / "a"), Stepped(plan, tmp_path / "b")
    held: dict[str, list[Row]] = {"u1": [], "u2": [], "u3": []}
    for time in range(5):
        inputs = {}
        for id_, rows in held.items():
            gone, new = rows[:10], random_numbers(random, 30, 12)
            held[id_] = [*rows[10:], *new]
            inputs[id_] = _both(part(NUMBERS, new, time=time), part(NUMBERS, gone, time=time, diff=-1))
        one.step(inputs, time + 1)
        other.step(inputs, time + 1, partitions if time else 0)
        assert other.contents() == one.contents()
    assert consolidated(other.out) == consolidated(one.out) != {}


def _both(a: Delta, b: Delta) -> Delta:
    return Delta(concat_batches(NUMBERS, [a.oks, b.oks]), NO_ERRORS)


@pytest.mark.usefixtures("eager_combining")
def test_an_aggregate_over_nothing_has_its_row_once(tmp_path: Path) -> None:
    plan = lower(totals(get("u1"), (), scalar=True))
    one, other = Stepped(plan, tmp_path / "a"), Stepped(plan, tmp_path / "b")
    rows = [(1, n) for n in range(20)]
    for time, delta in enumerate(
        [part(NUMBERS, [], time=0), part(NUMBERS, rows, time=1), part(NUMBERS, rows, time=2, diff=-1)]
    ):
        one.step({"u1": delta}, time + 1)
        other.step({"u1": delta}, time + 1, 3 if time else 0)
    assert consolidated(other.out) == consolidated(one.out)
    assert other.contents() == one.contents()


def test_a_job_writes_what_it_adds_and_leaves_no_files(tmp_path: Path) -> None:
    plan = lower(totals(get("u1")))
    stepped = Stepped(plan, tmp_path, spill_rows=1000)
    stepped.step({"u1": part(NUMBERS, [(n, n) for n in range(50_000)], time=0)}, 1)
    merge_module.merge_worker().drain()  # a merge writes a file, too
    inputs = {"u1": part(NUMBERS, [(n, 7) for n in range(100)], time=1)}
    step = StepUnderWay("v", stepped.dataflow, stepped.state, inputs, 2)
    message = step.written()
    before = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    ended = answer(message, 2)
    after = sum(path.stat().st_size for path in tmp_path.rglob("*") if path.is_file())
    assert after - before < before / 10
    step.take_over(ended)
    named = {name for runs in ended.state if runs.spine != INDEX_RUNS for name in runs.files}
    assert {MACHINE.name(path) for path in MACHINE.path(message.directory).iterdir()} == named
    assert step.lower == 1
    assert stepped.dataflow.upper == 2


def test_equal_rows_are_added_up_before_they_are_sent(tmp_path: Path) -> None:
    count = r.Aggregate("count", None, INT8, "count", nullable=False)
    plan = lower(r.Reduce(get("u1"), (column(0),), ("key",), (count,)))
    one, other = Stepped(plan, tmp_path / "a"), Stepped(plan, tmp_path / "b")
    sent = []

    def run(job: Job) -> JobResult:
        result = run_locally(job, [])
        sent.append(result.bytes_sent)
        sent.append(run_locally(replace(job, combine=False), []).bytes_sent)
        return result

    for time in range(2):
        rows = [part(NUMBERS, [(n % 7, n) for n in range(5000)], time=at) for at in (2 * time, 2 * time + 1)]
        inputs = {"u1": _both(*rows)}
        one.step(inputs, 2 * time + 2)
        if not time:
            other.step(inputs, 2)
            continue
        step = StepUnderWay("v", other.dataflow, other.state, inputs, 4)
        delta = step.take_over(answer(step.written(), 2, run))
        other.out += updates_of(delta.oks)
    assert sent[0] * 10 < sent[1]
    assert other.contents() == one.contents()
    assert consolidated(other.out) == consolidated(one.out)


def test_a_step_whose_job_has_failed_is_made_here(tmp_path: Path) -> None:
    plan = lower(totals(get("u1")))
    one, other = Stepped(plan, tmp_path / "a"), Stepped(plan, tmp_path / "b")
    for time in range(3):
        inputs = {"u1": part(NUMBERS, random_numbers(Random(time), 40), time=time)}
        one.step(inputs, time + 1)
        if not time:
            other.step(inputs, time + 1)
            continue
        step = StepUnderWay("v", other.dataflow, other.state, inputs, time + 1)
        message = step.written()
        if time == 2:
            (MACHINE.path(message.directory) / "0-0-1-left.run").touch()
        other.step(dict(step.inputs()), time + 1)
        step.abandon()
        assert not MACHINE.path(message.directory).exists()
    assert other.contents() == one.contents()
    assert consolidated(other.out) == consolidated(one.out)


@pytest.mark.parametrize("name", list(TEMPORAL_VIEWS)[:1])
def test_rows_of_the_future_are_no_work_for_jobs(name: str) -> None:
    assert "temporal filter" in (not_a_job(lower(TEMPORAL_VIEWS[name])) or "")


@pytest.mark.parametrize(
    "seed", [*range(20), *(pytest.param(n, marks=pytest.mark.slow) for n in range(20, 150))]
)
@pytest.mark.usefixtures("eager_combining")
def test_append_only_steps(seed: int, tmp_path: Path) -> None:
    """Inputs of which no row ever goes: operators forget, and jobs go on from what they know."""
    random = Random(77_000 + seed)
    relation = Views(random).relation(1 + seed % 4)
    plan = lower(relation, append_only=frozenset(TABLES))
    histories = {
        id_: [(row, time, abs(diff)) for row, time, diff in updates]
        for id_, updates in random_histories(random).items()
    }
    cuts = sorted({1, *random.sample(range(2, TIMES + 1), random.randint(1, 3)), TIMES + 1})
    resident = Stepped(plan, tmp_path / "resident")
    stepped = Stepped(plan, tmp_path / "stepped", random.choice((1, 8, 1000)))
    begin = 0
    for cut in cuts:
        by_job = begin > 0 and not_a_job(plan) is None and random.random() < 0.8
        for one, partitions in ((resident, 0), (stepped, random.choice((1, 2, 3)) if by_job else 0)):
            one.step(changes(histories, begin, cut), cut, partitions)
        begin = cut
    for time in range(TIMES + 1):
        assert as_of(stepped.out, time) == evaluate(relation, snapshot(histories, time)), f"at {time}"
    assert consolidated(stepped.out) == consolidated(resident.out)
