"""Loops over processes: what workers agree on goes by sockets, and each of them may fail, or not be wanted, in any iteration."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from itertools import pairwise
from random import Random

import pytest
from compute.histories import random_cuts, updates_of
from compute.operators.test_waves import (
    NODES,
    PROGRAMS,
    ROOT,
    along,
    column,
    distinct,
    expected_at,
    number,
    random_graph,
)
from compute.operators.test_waves import given as given_graph
from compute.reference import Update, as_of
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.plan import DataflowPlan, DividedIterateOp
from ptvc.compute.shared_files import MACHINE
from ptvc.errors import QueryCanceled
from ptvc.expr.registry import resolve_call
from ptvc.expr.tree import relation as r
from ptvc.interrupt import Interrupt, interruptible
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.team import DividedDataflow, Team


@pytest.fixture
def team() -> Iterator[Team]:
    team = Team(3, Start(MemoryBlob(), MACHINE, "test", dict(os.environ)))
    yield team
    team.close()


def endless() -> DataflowPlan:
    """All numbers that follow a root."""
    itself = r.LocalGet("n", NODES)
    following = r.Map(itself, (resolve_call("add", (column(0), number(1))),), ("next",))
    value = distinct(NODES, ROOT, along(itself), r.Project(following, (1,)))
    return lower(r.LetRec((r.Binding("n", value),), itself))


def chain(length: int, time: int) -> dict[str, list[Update]]:
    return {"u1": [((i, i + 1), time, 1) for i in range(length)], "u2": [((0,), time, 1)]}


@pytest.mark.parametrize("program", PROGRAMS)
def test_loops_match_recomputation(team: Team, program: str) -> None:
    relation, rows = PROGRAMS[program]
    random = Random(program)
    histories = random_graph(random, 15)
    dataflow = DividedDataflow(team, lower(relation), 0)
    assert any(isinstance(node.op, DividedIterateOp) for node in dataflow.plan)
    output: list[Update] = []
    for lower_, upper in pairwise(random_cuts(random, 15)):
        output += updates_of(dataflow.step(given_graph(histories, lower_, upper), lower_, upper).oks)
    for time in range(16):
        assert set(as_of(output, time)) == expected_at(rows, histories, time)


def test_statistics_of_a_loop_are_those_of_all_workers(team: Team) -> None:
    plan = lower(PROGRAMS["reachable"][0])
    one, dataflow = Dataflow(plan, 1), DividedDataflow(team, plan, 1)
    for flow in (one, dataflow):
        flow.step(given_graph(chain(200, 1), 1, 2), 1, 2)
    alone, all_ = one.statistics()[-1], dataflow.statistics()[-1]
    assert (all_.rows_in, all_.rows_out, all_.state_rows) == (alone.rows_in, alone.rows_out, alone.state_rows)
    assert all_.rows_out == 201


def test_a_loop_without_end_is_given_up_by_all_and_others_go_on(team: Team) -> None:
    plan = lower(PROGRAMS["reachable"][0])
    wanted, unwanted = DividedDataflow(team, plan, 1), DividedDataflow(team, endless(), 1)
    wanted.step(given_graph(chain(3, 1), 1, 2), 1, 2)
    interrupt = Interrupt()
    threading.Timer(0.5, interrupt.set).start()
    with pytest.raises(QueryCanceled), interruptible(interrupt):
        unwanted.step(given_graph(chain(2, 1), 1, 2), 1, 2)
    unwanted.close()
    output = wanted.step(given_graph({"u1": [((3, 4), 2, 1)]}, 2, 3), 2, 3)
    assert as_of(updates_of(output.oks), 2) == {(4,): 1}


def test_a_worker_that_is_killed_in_a_loop_is_lost(team: Team) -> None:
    dataflow = DividedDataflow(team, endless(), 1)
    timer = threading.Timer(0.5, os.kill, (team.pids[0], signal.SIGKILL))
    timer.start()
    with pytest.raises(WorkerLost):
        dataflow.step(given_graph(chain(2, 1), 1, 2), 1, 2)
