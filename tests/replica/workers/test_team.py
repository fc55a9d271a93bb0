"""Dataflows over processes: equal to recomputation, and what becomes of them when something fails."""

from __future__ import annotations

import os
import signal
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from random import Random
from time import monotonic

import numpy as np
import pyarrow as pa
import pytest
from compute.histories import batch_of, consolidated, random_cuts, schema_of, updates_of
from compute.random_views import TABLES, Views
from compute.reference import Update, as_of, evaluate
from compute.test_views import TIMES, random_histories, snapshot
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.partitioned.placement import undivided
from ptvc.compute.plan import DataflowPlan, DistinctOp, JoinOp, ReduceOp, reading
from ptvc.compute.shared_files import MACHINE
from ptvc.errors import MemoryLimitExceeded, QueryCanceled
from ptvc.expr.temporal import at_time
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.interrupt import Interrupt, interruptible
from ptvc.memory import step_within
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.team import DividedDataflow, Team
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.types import INT4, INT8

PAIRS = schema_of(INT4, INT4)


@pytest.fixture(params=[2, 3])
def team(request: pytest.FixtureRequest) -> Iterator[Team]:
    team = Team(request.param, Start(MemoryBlob(), MACHINE, "test", dict(os.environ)))
    yield team
    team.close()


def given(rows: list[tuple[int, int]], time: int, diff: int = 1) -> Delta:
    return Delta(batch_of(PAIRS, [(row, time, diff) for row in rows]), NO_ERRORS)


def self_join() -> DataflowPlan:
    """The second columns of rows that share their first one with any: rows move from the join to what comes after it."""
    pairs, key = r.Get("u1", PAIRS), (ColumnRef(0, INT4),)
    joined = r.Join(pairs, pairs, r.JoinKind.INNER, key, key)
    return lower(r.Reduce(r.Distinct(joined), (ColumnRef(3, INT4),), ("k",), ()))


def page_faults(pid: int) -> int:
    """So far, without reading from disk."""
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[7])


def test_members_keep_their_memory_between_steps(team: Team) -> None:
    """As replicas do, and queries, which are forked from the same process, do not: to have it from the system again takes as long as to
    compute with it."""
    rows = 50_000 * team.workers
    dataflow = DividedDataflow(team, self_join(), 0)
    random = np.random.default_rng(7)

    def step(time: int) -> None:
        columns = (pa.array(random.permutation(rows).astype(np.int32)) for _ in range(2))
        batch = Batch(tuple(columns), np.full(rows, time, np.uint64), np.ones(rows, np.int64))
        dataflow.step({"u1": Delta(batch, NO_ERRORS)}, time, time + 1)

    for time in range(3):
        step(time)
    before = [page_faults(pid) for pid in team.pids]
    for time in range(3, 6):
        step(time)
    grown = [page_faults(pid) - faults for pid, faults in zip(team.pids, before, strict=True)]
    print(grown)
    assert max(grown) < 120_000


def test_views_match_recomputation(team: Team) -> None:
    assert check_views(team, range(40)) > 25


def check_views(team: Team, seeds: Iterable[int]) -> int:
    """Those of these seeds are what recomputation says; how many of them are divided."""
    divided = 0
    for seed in seeds:
        random = Random(500 + seed)
        relation = Views(random, temporal=seed % 5 == 0).relation(1 + seed % 4)
        plan = lower(relation, delta_joins=bool(seed % 2))
        if undivided(plan) is not None:
            continue
        histories = random_histories(random)
        dataflow = DividedDataflow(team, plan, 0)
        output: list[Update] = []
        for lower_, upper in pairwise(random_cuts(random, TIMES)):
            inputs = {
                id_: Delta(batch_of(TABLES[id_], [u for u in updates if lower_ <= u[1] < upper]), NO_ERRORS)
                for id_, updates in histories.items()
                if id_ in plan.imports
            }
            updates = updates_of(dataflow.step(inputs, lower_, upper).oks)
            assert len(consolidated(updates)) == len(updates)
            output += updates
        for time in range(TIMES + 1):
            expected = evaluate(at_time(relation, time), snapshot(histories, time))
            assert as_of(output, time) == expected, f"seed {seed}, at {time}"
        dataflow.close()
        divided += 1
    return divided


def test_a_worker_that_is_killed_is_lost(team: Team) -> None:
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.step({"u1": given([(i, i % 7) for i in range(50)], 0)}, 0, 1)
    team.look()
    os.kill(team.pids[-1], signal.SIGKILL)
    with pytest.raises(WorkerLost):
        dataflow.step({"u1": given([(i, i) for i in range(50)], 1)}, 1, 2)
    with pytest.raises(WorkerLost):
        team.look()


def test_a_step_that_is_not_wanted_any_more_ends_everywhere_and_others_go_on(team: Team) -> None:
    """Members hear of it in the middle of what they compute."""
    wanted = DividedDataflow(team, self_join(), 0)
    wanted.step({"u1": given([(1, 2), (1, 3)], 0)}, 0, 1)
    unwanted = DividedDataflow(team, self_join(), 0)
    interrupt = Interrupt()
    timer = threading.Timer(0.3, interrupt.set)
    timer.start()
    begun = monotonic()
    # 3,000 rows of one key are 9M pairs, with one of the workers.
    with pytest.raises(QueryCanceled), interruptible(interrupt):
        unwanted.step({"u1": given([(5, i) for i in range(3_000)], 0)}, 0, 1)
    assert monotonic() - begun < 60
    unwanted.close()
    output = wanted.step({"u1": given([(1, 4)], 1)}, 1, 2)
    assert as_of(updates_of(output.oks), 1) == {(4,): 1}
    again = DividedDataflow(team, self_join(), 0)
    output = again.step({"u1": given([(1, 4)], 0)}, 0, 1)
    assert as_of(updates_of(output.oks), 0) == {(4,): 1}


def test_a_step_that_needs_too_much_memory_fails_wherever_that_is(team: Team) -> None:
    kept = DividedDataflow(team, self_join(), 0)
    kept.step({"u1": given([(1, 2)], 0)}, 0, 1)
    for key in range(6):  # one of them lies with each worker
        dataflow = DividedDataflow(team, self_join(), 0)
        with pytest.raises(MemoryLimitExceeded), step_within(1):
            dataflow.step({"u1": given([(key, i) for i in range(1_000)], 0)}, 0, 1)
        dataflow.close()
    output = kept.step({"u1": given([(1, 3)], 1)}, 1, 2)
    assert as_of(updates_of(output.oks), 1) == {(3,): 1}


def test_a_dataflow_goes_on_over_objects_of_another_name(team: Team) -> None:
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.step({"u1": given([(1, 2), (2, 3)], 0)}, 0, 1)
    dataflow.plan = reading(dataflow.plan, {"u1": "u9"})
    output = dataflow.step({"u9": given([(i, 10 + i) for i in range(5)], 1)}, 1, 2)
    assert as_of(updates_of(output.oks), 1) == {(10 + i,): 1 for i in range(5)}


def test_statistics_are_those_of_all_workers(team: Team) -> None:
    plan = self_join()
    dataflow = DividedDataflow(team, plan, 0)
    rows = [(i, i) for i in range(300)]
    dataflow.step({"u1": given(rows, 0)}, 0, 1)
    of = {type(node.op): said for node, said in zip(plan.nodes, dataflow.statistics(), strict=True)}
    assert of[JoinOp].rows_out == of[DistinctOp].rows_out == of[ReduceOp].rows_out == len(rows)
    assert of[DistinctOp].state_rows == len(rows)
    assert dataflow.elsewhere_nbytes > 0
    dataflow.close()
    assert dataflow.elsewhere_nbytes == 0


def test_each_worker_says_what_it_has_done_and_holds(team: Team) -> None:
    began = team.processes()
    assert [worker.process_id for worker in began] == [os.getpid(), *team.pids]
    assert all(worker.cpu_s > 0 for worker in began)
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.step({"u1": given([(i, i % 50) for i in range(3_000)], 0)}, 0, 1)
    dataflow.step({"u1": given([(7, 70)], 1)}, 1, 2)
    operators, members = dataflow.statistics_of_all()
    parts = [dataflow.totals.with_state(dataflow.spines().values()), *members]
    assert len(parts) == team.workers
    assert sum(part.state_rows for part in parts) == sum(operator.state_rows for operator in operators)
    assert sum(part.memory_bytes for part in members) == dataflow.elsewhere_nbytes
    assert all(part.rows_received > 0 for part in parts), "rows move from all to all"
    assert sum(part.rows_received for part in members) > 3_000 // team.workers, "what is dealt out counts"
    assert parts[0].steps == 2
    assert all(part.busy_s > 0 and part.waiting_s > 0 and part.messages_sent > 0 for part in parts)
    dataflow.close()
    for before, after, part in zip(began, team.processes(), parts, strict=True):
        assert after.bytes_sent - before.bytes_sent >= part.bytes_sent > 0
        assert after.messages_sent - before.messages_sent >= part.messages_sent
        assert after.cpu_s >= before.cpu_s


def test_members_are_asked_again_until_their_state_is_at_rest(team: Team, tmp_path: Path) -> None:
    """They move it to files beside the steps."""
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.keep_others(str(tmp_path), 100, None)()
    dataflow.step({"u1": given([(i, i) for i in range(20_000)], 0)}, 0, 1)
    deadline = monotonic() + 60
    while True:
        _, members = dataflow.statistics_of_all()
        if dataflow.at_rest:
            break
        assert monotonic() < deadline
    assert all(part.mapped_bytes > 0 for part in members)
    assert dataflow.statistics_of_all()[1] == members


def test_a_step_costs_no_message_more_because_it_is_counted(team: Team) -> None:
    """One row of a member: there and back."""
    dataflow = DividedDataflow(team, lower(r.Distinct(r.Get("u1", PAIRS))), 0)
    dataflow.step({"u1": given([(i, 0) for i in range(10)], 0)}, 0, 1)
    for time in range(1, 20):
        before = team.wires.messages, dataflow.totals.messages_sent, dataflow.totals.steps
        dataflow.step({"u1": given([(1_000 + time, 0)], time)}, time, time + 1)
        after = team.wires.messages, dataflow.totals.messages_sent, dataflow.totals.steps
        assert after[0] - before[0] == after[1] - before[1] <= 1
        assert after[2] - before[2] == 1
    (member, *_) = dataflow.statistics_of_all()[1]
    assert member.messages_sent <= member.steps + (team.workers - 1), "Done, and rows of the first step"


def test_all_workers_move_their_state_to_files_when_memory_is_short(team: Team, tmp_path: Path) -> None:
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.keep_others(str(tmp_path), 1_000_000, None)()
    dataflow.step({"u1": given([(i, i) for i in range(20_000)], 0)}, 0, 1)
    before = dataflow.elsewhere_nbytes
    assert before > 20_000 * 8
    deadline = monotonic() + 60
    while dataflow.spill_others():
        assert monotonic() < deadline
    assert dataflow.elsewhere_nbytes < before / 10
    assert len(list(tmp_path.iterdir())) >= team.workers - 1
    output = dataflow.step({"u1": given([(7, 50_000)], 1)}, 1, 2)
    assert as_of(updates_of(output.oks), 1) == {(50_000,): 1}


def hot_rows(count: int) -> list[tuple[int, int]]:
    """Nearly all of one key."""
    return [(5 if i % 20 else i, i % 1_000) for i in range(count)]


def test_rows_of_a_hot_key_are_added_up_where_they_are(team: Team) -> None:
    pairs, key = r.Get("u1", PAIRS), (ColumnRef(0, INT4),)
    total = r.Aggregate("sum", ColumnRef(1, INT4), INT8, "total")
    plan = lower(r.Reduce(pairs, key, ("k",), (total,)))
    dataflow = DividedDataflow(team, plan, 0)
    rows, output = hot_rows(20_000), list[Update]()
    totals = Counter[int]()
    for time, diff in enumerate((1, 1, -1)):
        output += updates_of(dataflow.step({"u1": given(rows, time, diff)}, time, time + 1).oks)
        for k, v in rows:
            totals[k] += diff * v
        assert as_of(output, time) == dict.fromkeys(totals.items(), 1)
    (said,) = (
        said
        for node, said in zip(plan.nodes, dataflow.statistics(), strict=True)
        if isinstance(node.op, ReduceOp)
    )
    assert said.rows_in < 3 * 1_200, "of 60,000"


def test_rows_of_a_hot_key_of_a_join_are_with_all_workers(team: Team) -> None:
    key = (ColumnRef(0, INT4),)
    plan = lower(r.Join(r.Get("u1", PAIRS), r.Get("u2", PAIRS), r.JoinKind.INNER, key, key))
    dataflow = DividedDataflow(team, plan, 0)
    rows = list(dict.fromkeys((5 if i % 20 else i, i) for i in range(60_000)))
    output = dataflow.step({"u1": given(rows, 0), "u2": given([(5, 1), (40, 2)], 0)}, 0, 1)
    joined = Counter((*row, *other) for row in rows for other in ((5, 1), (40, 2)) if row[0] == other[0])
    assert as_of(updates_of(output.oks), 0) == joined
    held = [dataflow.held_nbytes, *dataflow._nbytes.values()]
    assert max(held) < 1.5 * sum(held) / team.workers, held
    output = dataflow.step({"u1": given(rows[:100], 1, -1), "u2": given([(5, 3)], 1)}, 1, 2)
    left = [row for row in rows[100:] if row[0] == 5]
    gone = [row for row in rows[:100] if row[0] == 5]
    changes = {(*row, 5, 3): 1 for row in left} | {(*row, 5, 1): -1 for row in gone} | {(40, 40, 40, 2): -1}
    assert as_of(updates_of(output.oks), 1) == changes


def test_parts_without_rows_are_left_alone_where_nobody_waits(team: Team) -> None:
    pairs = r.Get("u1", PAIRS)
    plan = lower(r.Distinct(pairs))
    dataflow = DividedDataflow(team, plan, 0)
    dataflow.step({"u1": given([(i, 0) for i in range(100)], 0)}, 0, 1)
    sent = team.wires.nbytes
    for time in range(1, 9):
        dataflow.step({"u1": given([(1_000 + time, 0)], time)}, time, time + 1)
    messages = 8 * (team.workers - 1)
    assert team.wires.nbytes - sent < messages * 600
