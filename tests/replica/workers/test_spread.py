"""Teams on several machines: what one on one machine does, and what becomes of them when a process or a machine goes."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from random import Random
from time import monotonic, sleep

import pyarrow as pa
import pytest
from compute.histories import random_cuts, updates_of
from compute.operators.test_waves import PROGRAMS, expected_at, random_graph
from compute.operators.test_waves import given as given_graph
from compute.reference import Update, as_of
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.shared_files import SharedRoot
from ptvc.errors import ReplicaUnavailable
from ptvc.replica.checkpoint import DurableState
from ptvc.replica.protocol import CheckpointPublished, StateOptions, TcpAddress, UnixAddress
from ptvc.replica.workers import doors
from ptvc.replica.workers.layout import Layout
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.spread import machine_address
from ptvc.replica.workers.team import DividedDataflow, Team

from .machines import ENDS_WITHIN_S, Machines, address, spread_team
from .test_divided_index import by_key, check_random_look_ups, counted, plain
from .test_team import check_views, given, self_join

LAYOUTS = (Layout(2, 1), Layout(4, 2), Layout(5, 2))


@pytest.fixture(params=LAYOUTS, ids=lambda layout: f"{layout.workers} by {layout.per_machine}")
def team(request: pytest.FixtureRequest) -> Iterator[Team]:
    with spread_team(request.param) as team:
        yield team


def test_views_match_recomputation(team: Team) -> None:
    assert check_views(team, range(20)) > 10


def test_look_ups_are_answered_as_by_one_process(team: Team) -> None:
    assert check_random_look_ups(team, range(12))[0] > 50


def test_all_rows_of_an_index_are_sent_where_files_cannot_be_mapped(team: Team, tmp_path: Path) -> None:
    maintained = plain(team)
    dataflow = maintained.installed.divided
    assert dataflow is not None
    dataflow.keep_others(str(tmp_path), 100, None)()
    rows = [(i, f"row {i}") for i in range(20_000)]
    maintained.insert(*rows, time=0)
    deadline = monotonic() + 60
    while dataflow.spill_others():
        assert monotonic() < deadline
    held = maintained.index.held(0)
    layout = team.members.layout
    near = len(layout.on(0)) - 1
    assert bool(held.files) == (near > 0)
    assert counted(held.at(maintained.index.schema, 0)) == {(*row, row[0]): 1 for row in rows}


def test_a_member_on_another_machine_that_is_killed_answers_no_look_up() -> None:
    machines = Machines(Layout(2, 1))
    team = machines.team()
    maintained = plain(team)
    maintained.insert(*[(key, "x") for key in range(50)], time=0)
    os.kill(far_members(team)[-1], signal.SIGKILL)
    with pytest.raises(WorkerLost):
        by_key(maintained.index, (pa.array(range(50), pa.int32()),), 0)
    team.close()
    assert machines.ended()


def test_loops_match_recomputation(team: Team) -> None:
    relation, rows = PROGRAMS["reachable"]
    random = Random(5)
    histories = random_graph(random, 15)
    dataflow = DividedDataflow(team, lower(relation), 0)
    output: list[Update] = []
    for lower_, upper in pairwise(random_cuts(random, 15)):
        output += updates_of(dataflow.step(given_graph(histories, lower_, upper), lower_, upper).oks)
    for time in range(16):
        assert set(as_of(output, time)) == expected_at(rows, histories, time)


def test_many_rows_go_both_ways_at_once(team: Team) -> None:
    """More than sockets hold."""
    dataflow = DividedDataflow(team, self_join(), 0)
    rows = [(i, i) for i in range(200_000)]
    output = dataflow.step({"u1": given(rows, 0)}, 0, 1)
    assert len(output.oks) == len(rows)


def test_each_worker_says_on_which_machine_it_is(team: Team) -> None:
    layout = team.members.layout
    machines = [worker.machine for worker in team.processes()]
    assert machines == [address(layout.machine_of(worker)) for worker in range(layout.workers)]


def far_members(team: Team) -> list[int]:
    """Process ids on other machines."""
    layout = team.members.layout
    return [worker.process_id for worker in team.processes()][len(layout.on(0)) :]


def test_a_member_on_another_machine_that_is_killed_is_lost() -> None:
    machines = Machines(Layout(5, 2))
    team = machines.team()
    dataflow = DividedDataflow(team, self_join(), 0)
    dataflow.step({"u1": given([(i, i % 7) for i in range(50)], 0)}, 0, 1)
    os.kill(far_members(team)[-1], signal.SIGKILL)
    with pytest.raises(WorkerLost):
        dataflow.step({"u1": given([(i, i) for i in range(50)], 1)}, 1, 2)
    team.close()
    assert machines.ended(), "the others end, too, those on a machine of which none was killed"


def test_all_on_a_machine_are_killed() -> None:
    machines = Machines(Layout(4, 2))
    team = machines.team()
    dataflow = DividedDataflow(team, self_join(), 0)
    for pid in far_members(team):
        os.kill(pid, signal.SIGKILL)
    with pytest.raises(WorkerLost):
        dataflow.step({"u1": given([(i, i) for i in range(50)], 0)}, 0, 1)
    team.close()
    assert machines.ended()


def test_who_knows_another_secret_does_not_come_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "MEET_WITHIN_S", 2.0)
    machines, others = Machines(Layout(2, 1)), Machines(Layout(2, 1))
    machines.spreads[1] = replace(machines.spreads[1], secret=others.spreads[0].secret)
    machines.serve(1)
    with pytest.raises(WorkerLost, match="does not come"):
        machines.team_alone()
    assert machines.ended()


def test_a_checkpoint_is_gone_on_from_on_other_machines(tmp_path: Path) -> None:
    """Which have nothing but the store: as many, and more, and one."""
    root, plan = SharedRoot(blobs=f"file:{tmp_path}/store"), self_join()
    options = StateOptions("v/1", "f", 50, 1, 1)
    rows = [(i % 40, i) for i in range(2_000)]
    checkpoint, output = None, list[Update]()
    for attempt, layout in enumerate((Layout(2, 1), Layout(4, 2), Layout(4, 2), Layout(3))):
        machines = Roots(layout, root, tmp_path / f"{attempt}")
        team = machines.team() if layout.is_spread else Team(layout.workers, machines.start(0))
        begin = attempt - 1 if checkpoint is not None else 0
        dataflow = DividedDataflow(team, plan, begin)
        state = DurableState("v", options, f"a{attempt}", machines.start(0).files)
        if checkpoint is None:
            state.begin(dataflow)
        else:
            dataflow.load(state.load(checkpoint, dataflow.spines(), dataflow), attempt)
        state.keep(dataflow.spines(), dataflow)
        some = rows[attempt * 500 : (attempt + 1) * 500]
        output += updates_of(dataflow.step({"u1": given(some, attempt)}, attempt, attempt + 1).oks)
        assert as_of(output, attempt) == {(i,): 1 for i in range((attempt + 1) * 500)}
        state.took(len(some))
        pending = state.due(attempt + 1)
        assert pending is not None
        written = pending.write()
        assert written is not None
        checkpoint = written.checkpoint
        assert len(checkpoint.parts) == layout.workers
        state.answered(CheckpointPublished("v", checkpoint.cut, True))
        state.sweep()
        dataflow.close()
        team.close()
        assert machines.ended()


class Roots(Machines):
    """Each machine has a folder of its own for state."""

    def __init__(self, layout: Layout, root: SharedRoot, folder: Path) -> None:
        self._root, self._folder = root, folder
        super().__init__(layout)

    def start(self, machine: int) -> Start:
        files = self._root.on_machine(self._folder / str(machine))
        return Start(self.blob, files, f"{self._folder.name}", dict(os.environ), address(machine))


def test_files_of_a_dataflow_that_was_dropped_go_from_other_machines(tmp_path: Path) -> None:
    """Those of others, in the same folder, stay."""
    machines = Roots(Layout(3, 1), SharedRoot(blobs=f"file:{tmp_path}/store"), tmp_path / "a")
    team = machines.team()
    dataflows = [DividedDataflow(team, self_join(), 0) for _ in range(2)]
    for number, dataflow in enumerate(dataflows):
        dataflow.keep_others(f"v/{number}", 100, None)()
        dataflow.step({"u1": given([(i, i) for i in range(20_000)], 0)}, 0, 1)
        dataflow.save_others(pack=False)()

    def files(number: int) -> list[int]:
        return [len(list((tmp_path / "a" / m / "v" / f"{number}").glob("*.run"))) for m in ("1", "2")]

    assert all(files(0))
    kept = files(1)
    dataflows[0].close()
    deadline = monotonic() + ENDS_WITHIN_S
    while any(files(0)):
        assert monotonic() < deadline, files(0)
        sleep(0.02)
    assert files(1) == kept
    team.close()
    assert machines.ended()


def test_the_address_of_a_machine_is_that_by_which_it_reaches_the_coordinator() -> None:
    assert machine_address(TcpAddress("127.0.0.1", 5, b"")) == "127.0.0.1"
    assert machine_address(UnixAddress("/control.sock")) is None


def test_saves_that_are_waited_for_end_with_the_replica(tmp_path: Path) -> None:
    with spread_team(Layout(2, 1)) as team:
        team.saves.ending.set()
        with pytest.raises(ReplicaUnavailable, match="the replica ends"):
            team.saves.wait(1, 1)
