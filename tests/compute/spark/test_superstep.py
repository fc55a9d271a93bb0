"""A hydration as a Spark job: the same contents as a dataflow in one process, and state that steps on alike."""

from __future__ import annotations

import os
import signal
from dataclasses import fields, replace
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.lower import lower
from ptvc.compute.plan import levels
from ptvc.compute.spark import superstep
from ptvc.compute.spark.application import Application
from ptvc.compute.spark.exchange import decode, encode, partition_of, split
from ptvc.compute.spark.job import Job
from ptvc.compute.spark.superstep import JobResult
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef, Literal
from ptvc.replica.step_under_way import StepUnderWay
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, empty_batch
from ptvc.repr.schema import ERROR_SCHEMA, Schema
from ptvc.repr.types import FLOAT8, INT4, TEXT
from pyspark import TaskContext

from ..histories import batch_of, consolidated, schema_of, updates_of
from ..reference import Row, Update
from .cases import (
    AS_OF,
    JOB_IDS,
    NAMES,
    NUMBERS,
    Case,
    append_only_case,
    column,
    get,
    part,
    random_case,
    random_numbers,
    totals,
)
from .conftest import MASTER
from .test_step_jobs import Stepped, answer

SEEDS = [*range(6), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(6, 40))]


@pytest.mark.parametrize("seed", SEEDS)
def test_random_views(application: Application, tmp_path: Path, seed: int) -> None:
    case, changes = random_case(Random(seed), application, tmp_path)
    case.check(changes)


@pytest.mark.parametrize("kind", list(r.JoinKind))
def test_joins_and_then_a_reduction(application: Application, tmp_path: Path, kind: r.JoinKind) -> None:
    random = Random(7)
    join = r.Join(get("u1"), get("u2"), kind, (column(0),), (column(0),))
    inputs = {
        "u1": [part(NUMBERS, random_numbers(random, 500, 40))],
        "u2": [part(NUMBERS, random_numbers(random, 60, 60))],
    }
    change = {
        "u1": part(NUMBERS, [(99, 1), (3, 4), (None, 5)], time=AS_OF + 1),
        "u2": part(NUMBERS, [(99, 1), (99, 2)], time=AS_OF + 1),
    }
    undo = {
        id_: Delta(Batch(d.oks.columns, d.oks.times + np.uint64(1), -d.oks.diffs), NO_ERRORS)
        for id_, d in change.items()
    }
    view = totals(join, (0,))
    assert len(levels(lower(view))) == 3
    result = Case(application, tmp_path, view, inputs).check([change, undo])
    assert result.rows_read == 560


def test_text_keys_and_many_parts(application: Application, tmp_path: Path) -> None:
    random = Random(3)
    words = ["", "ä", "key", "a longer key than most", None]
    parts = [
        part(NAMES, [(random.choice(words), random.randrange(9)) for _ in range(20)], time=1 + i % AS_OF)
        for i in range(40)
    ]
    view = r.Distinct(totals(get("u1", NAMES)))
    change = {"u1": part(NAMES, [("key", 1), ("new", 2)], time=AS_OF + 1)}
    Case(application, tmp_path, view, {"u1": parts}, partitions=3).check([change])


def test_one_part_is_divided_among_tasks(application: Application, tmp_path: Path) -> None:
    rows = 120_000
    oks = Batch(
        (
            pa.array(np.arange(rows) % 1000, pa.int32()),
            pa.array(np.arange(rows) % 7, pa.int32()),
        ),
        np.full(rows, 2, np.uint64),
        np.ones(rows, np.int64),
    )
    result = Case(application, tmp_path, totals(get("u1")), {"u1": [Delta(oks, NO_ERRORS)]}).check()
    assert result.rows_read == rows
    assert len(result.state[1, "groups"]) == 2, "both tasks have had rows"


def test_updates_after_the_time_of_the_job_stay_out(application: Application, tmp_path: Path) -> None:
    later = Delta(batch_of(NUMBERS, [((1, 1), 2, 1), ((1, 5), AS_OF + 1, 1)]), NO_ERRORS)
    result = Case(application, tmp_path, totals(get("u1")), {"u1": [later]}).check()
    assert result.rows_read == 1


def test_skewed_keys_and_more_partitions_than_rows(application: Application, tmp_path: Path) -> None:
    one = [part(NUMBERS, [(5, i) for i in range(300)])]
    Case(application, tmp_path / "skewed", totals(get("u1")), {"u1": one}, partitions=4).check()
    few = [part(NUMBERS, [(1, 1), (2, 2)])]
    Case(application, tmp_path / "few", totals(get("u1")), {"u1": few}, partitions=8).check()


@pytest.mark.parametrize("rows", [[], [(1, 2), (3, 4)]])
def test_an_aggregate_over_everything(application: Application, tmp_path: Path, rows: list[Row]) -> None:
    view = totals(get("u1"), (), scalar=True)
    change = {"u1": part(NUMBERS, [(7, 8)], time=AS_OF + 1)}
    Case(application, tmp_path, view, {"u1": [part(NUMBERS, rows)]}, partitions=3).check([change])


def test_append_only_inputs(application: Application, tmp_path: Path) -> None:
    random = Random(1)
    change = {"u1": part(NUMBERS, random_numbers(random, 20), time=AS_OF + 1)}
    append_only_case(random, application, tmp_path, 500).check([change])


def test_constants_unions_and_top_k(application: Application, tmp_path: Path) -> None:
    constant = r.Constant(((1, 50), (2, 60), (None, 70)), NUMBERS)
    union = r.Union((get("u1"), constant, r.Negate(get("u2"))), NUMBERS)
    view = r.TopK(r.Threshold(union), (0,), (r.OrderBy(1, True, False),), 2, 1)
    inputs = {
        "u1": [part(NUMBERS, random_numbers(Random(1), 50, 5))],
        "u2": [part(NUMBERS, [(1, 50), (3, 3)])],
    }
    change = {"u2": part(NUMBERS, [(1, 50)], time=AS_OF + 1, diff=-1)}
    Case(application, tmp_path, view, inputs, partitions=3).check([change])
    alone = r.Union((constant, constant), NUMBERS)
    Case(application, tmp_path / "constant", alone, {}, partitions=3).check()


def test_a_view_that_is_its_input(application: Application, tmp_path: Path) -> None:
    rows = random_numbers(Random(2), 30)
    inputs = {"u1": [part(NUMBERS, rows), part(NUMBERS, rows[:10], time=3, diff=-1)]}
    Case(application, tmp_path, get("u1"), inputs).check([{"u1": part(NUMBERS, [(1, 1)], time=AS_OF + 1)}])


def reciprocals(child: r.Relation) -> r.Relation:
    quotient = resolve_call("divide", (Literal(100, INT4), column(1)))
    return r.Project(r.Map(child, (quotient,), ("quotient",)), (0, 2))


@pytest.mark.parametrize("scalar", [False, True])
def test_errors_are_data(application: Application, tmp_path: Path, scalar: bool) -> None:
    """A bad row in every partition; one that is deleted before the job's time, in a part of its own."""
    good = [(i, i % 9 + 1) for i in range(60)]
    bad = [(i, 0) for i in range(40)]
    own = Delta(empty_batch(NUMBERS), batch_of(ERROR_SCHEMA, [(("22012", "upstream"), 2, 3)]))
    view = totals(reciprocals(get("u1")), () if scalar else (0,), scalar=scalar)
    removed = {"u1": part(NUMBERS, bad, time=AS_OF + 1, diff=-1)}
    inputs = {"u1": [part(NUMBERS, good[:30] + bad), part(NUMBERS, good[30:]), own]}
    case = Case(application, tmp_path / "in error", view, inputs, partitions=3)
    result = case.check([removed])
    assert sum(ref.errors for ref in result.parts) == 2, "each distinct error once"
    inputs = {"u1": [part(NUMBERS, good + bad), part(NUMBERS, bad, time=3, diff=-1)]}
    result = Case(application, tmp_path / "repaired", view, inputs, partitions=3).check()
    assert sum(ref.errors for ref in result.parts) == 0


def test_a_level_that_takes_in_little_is_run_by_the_driver(application: Application, tmp_path: Path) -> None:
    view = totals(r.Distinct(totals(get("u1"))), ())
    case = Case(application, tmp_path, view, {"u1": [part(NUMBERS, random_numbers(Random(6), 400))]})
    status = application._context.statusTracker()
    for most, jobs in ((1 << 20, 1), (-1, 4)):
        case.job = replace(case.job, small_bytes=most)
        case.check([{"u1": part(NUMBERS, [(1, 1), (2, 2)], time=AS_OF + 1)}])
        group = f"job-{next(JOB_IDS) - 1}"
        assert len(status.getJobIdsForGroup(group)) == jobs


def test_a_level_that_makes_much_of_little_is_sparks_after_all(
    application: Application, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of what was tried before nothing is lost or told twice."""
    monkeypatch.setattr(superstep, "HERE_S", 0.05)
    rows = [(i, i % 9) for i in range(6_000)]
    pairs = resolve_call("eq", (resolve_call("add", (column(0), ColumnRef(2, INT4))), Literal(4_000, INT4)))
    view = totals(r.Join(get("u1"), get("u2"), r.JoinKind.INNER, (), (), (pairs,)))
    inputs = {id_: [part(NUMBERS, rows[:3_000]), part(NUMBERS, rows[3_000:])] for id_ in ("u1", "u2")}
    case = Case(application, tmp_path, view, inputs)
    case.job = replace(case.job, small_bytes=1 << 20)
    case.check()
    jobs = application._context.statusTracker().getJobIdsForGroup(f"job-{next(JOB_IDS) - 1}")
    assert len(jobs) >= 2, "that which reads, that of the join, and on a busy machine what follows it"


def test_no_output_is_written_where_none_is_wanted(application: Application, tmp_path: Path) -> None:
    case = Case(application, tmp_path, totals(get("u1")), {"u1": [part(NUMBERS, [(1, 1)])]})
    case.job = replace(case.job, output_shard=None)
    result = case.run()
    assert result.parts == []
    assert set(result.state) == {(1, "groups"), (1, "values_1"), (1, "distinct_1")}


def fatal(job: Job, flags: Path, at: tuple[int, ...], *, executor: bool = False) -> Job:
    """The job, except that the worker, or the executor (its daemon's parent), dies by SIGKILL when some task is about
    to write some of its state for a time that is in `at`."""

    class Fatal(Job):  # defined in a function, so that it travels by value
        def __getattribute__(self, name: str) -> object:
            if name == "directory" and TaskContext.get() is not None:
                for number in range(100):
                    try:
                        (flags / str(number)).touch(exist_ok=False)
                    except FileExistsError:
                        continue
                    if number in at:
                        victim = os.getpid()
                        if executor:
                            status = Path(f"/proc/{os.getppid()}/status").read_text()
                            victim = int(status.split("PPid:")[1].split()[0])
                        os.kill(victim, signal.SIGKILL)
                        signal.pause()  # whoever is killed takes this process along
                    break
            return super().__getattribute__(name)

    return Fatal(*(getattr(job, field.name) for field in fields(job)))


def test_killed_tasks_are_retried(application: Application, tmp_path: Path) -> None:
    flags = tmp_path / "flags"
    flags.mkdir()
    view = totals(r.Distinct(totals(get("u1"))), ())
    change = {"u1": part(NUMBERS, [(1, 1), (2, 2)], time=AS_OF + 1)}
    case = Case(application, tmp_path, view, {"u1": [part(NUMBERS, random_numbers(Random(5), 400))]})
    case.job = fatal(case.job, flags, (1, 4))
    result = case.check([change])
    assert {"1", "4"} < {flag.name for flag in flags.iterdir()}, "both were killed, and more ran after them"
    written = {path.name for path in Path(case.job.directory).iterdir()}
    assert {Path(path).name for paths in result.state.values() for path in paths} <= written


def test_killed_tasks_of_a_step_are_retried(application: Application, tmp_path: Path) -> None:
    flags = tmp_path / "flags"
    flags.mkdir()
    plan = lower(totals(r.Distinct(totals(get("u1"))), ()))
    one, other = Stepped(plan, tmp_path / "a"), Stepped(plan, tmp_path / "b")
    for time in range(3):
        inputs = {"u1": part(NUMBERS, random_numbers(Random(time), 400), time=time)}
        one.step(inputs, time + 1)
        if not time:
            other.step(inputs, time + 1)
            continue
        step = StepUnderWay("v", other.dataflow, other.state, inputs, time + 1)

        def run(job: Job) -> JobResult:
            job = fatal(replace(job, small_bytes=-1), flags, (1, 4))
            return application.job_run(job).run([], "test", f"job-{next(JOB_IDS)}")

        delta = step.take_over(answer(step.written(), 2, run))
        other.out += updates_of(delta.oks)
        assert other.contents() == one.contents()
    assert {"1", "4"} < {flag.name for flag in flags.iterdir()}
    assert consolidated(other.out) == consolidated(one.out)


@pytest.mark.skipif(
    not MASTER.startswith("local-cluster"),
    reason="needs executors in processes of their own: test_local_cluster.py runs it",
)
def test_an_executor_that_is_killed_is_replaced(application: Application, tmp_path: Path) -> None:
    """What it was computing is computed again; what it had sent is there."""
    flags = tmp_path / "flags"
    flags.mkdir()
    view = totals(r.Distinct(totals(get("u1"))), ())
    change = {"u1": part(NUMBERS, [(1, 1), (2, 2)], time=AS_OF + 1)}
    case = Case(application, tmp_path, view, {"u1": [part(NUMBERS, random_numbers(Random(6), 400))]})
    case.job = fatal(case.job, flags, (3,), executor=True)
    case.check([change])
    assert "4" in {flag.name for flag in flags.iterdir()}


@pytest.mark.parametrize("kind", [r.JoinKind.INNER, r.JoinKind.LEFT])
def test_a_hot_key_is_found_and_split(application: Application, tmp_path: Path, kind: r.JoinKind) -> None:
    """90 % of the rows on one key: the tasks of the join get about as many."""
    random = Random(8)
    rows = [(7 if i % 10 else random.randrange(500), i) for i in range(20_000)]
    inputs = {
        "u1": [part(NUMBERS, rows[:10_000]), part(NUMBERS, rows[10_000:])],
        "u2": [part(NUMBERS, [(i % 500, i) for i in range(500)])],
    }
    view = totals(r.Join(get("u1"), get("u2"), kind, (column(0),), (column(0),)))
    case = Case(application, tmp_path, view, inputs, partitions=4)
    case.job = replace(case.job, hot_rows=1_000)
    result = case.check([{"u2": part(NUMBERS, [(7, 1)], time=AS_OF + 1)}])
    joined = [report.rows_in for report in result.reports if report.level == 1]
    assert max(joined) < 1.3 * min(joined)


def test_partitions_are_ranges_of_hashes() -> None:
    hashes = np.sort(np.random.default_rng(1).integers(0, 2**64, 1000, np.uint64, endpoint=False))
    pids = partition_of(hashes, 7)
    assert (np.diff(pids) >= 0).all()
    assert set(pids.tolist()) == set(range(7))
    assert partition_of(np.array([0, 2**64 - 1], np.uint64), 5).tolist() == [0, 4]


def test_what_travels_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = schema_of(TEXT, FLOAT8)
    rows: list[Update] = [((None, 0.5), AS_OF, 1), (("ä", None), AS_OF, -3), (("", 1.5), AS_OF, 2)]
    delta = Delta(batch_of(schema, rows), batch_of(ERROR_SCHEMA, [(("22012", "m"), AS_OF, 2)]))
    monkeypatch.setattr("ptvc.compute.spark.exchange.PAYLOAD_BYTES", 40)
    payloads = list(encode(schema, delta, AS_OF))
    assert len(payloads) > 2
    back = [decode(schema, payload, AS_OF) for payload in payloads]
    assert [u for d in back for u in updates_of(d.oks)] == rows
    assert [u for d in back for u in updates_of(d.errs)] == updates_of(delta.errs)
    columnless = Delta(Batch((), np.full(3, AS_OF, np.uint64), np.ones(3, np.int64)), NO_ERRORS)
    assert sum(len(decode(Schema(()), p, AS_OF).oks) for p in encode(Schema(()), columnless, AS_OF)) == 3
    pieces = dict(split(delta.oks, (0,), 64, 9))
    assert sum(map(len, pieces.values())) == 3
    assert [pid for pid, _ in split(delta.oks, None, 64, 9)] == [9]
    assert [pid for pid, _ in split(delta.oks, (), 64, 9)] == [0]
