"""Steps that become jobs, as the replica sees them: which ones do, and what is taken back."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.expr.tree.relation import Get, Union
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.protocol import (
    Append,
    InstallDataflow,
    Message,
    Progress,
    StateOptions,
    Status,
    StepEnded,
    Updates,
    ViewOutput,
)
from ptvc.repr.batch import Delta

from .support import SCHEMA, Update, delta, imported, parts, updates_of, written

BEGIN = 10


class Subject:
    """A view of all rows of `t` and `u`; a step of 20 rows or more is a job."""

    def __init__(self, directory: Path) -> None:
        self.blob = MemoryBlob()
        self.dataflows = Dataflows(self.blob, "writer")
        self.dataflows.jobs.min_rows = 20
        plan = lower(Union((Get("t", SCHEMA), Get("u", SCHEMA)), SCHEMA))
        sources = tuple(
            imported(self.blob, id_, as_of=BEGIN - 1, upper=BEGIN, timestamped=False) for id_ in ("t", "u")
        )
        durable = StateOptions(str(directory), "f", 1 << 20, 1 << 30, 1 << 30)
        command = InstallDataflow("v", plan, BEGIN - 1, sources, ViewOutput("v", 0))
        assert list(self.dataflows.install(replace(command, durable=durable))) == []
        self.said: list[Message] = list(self.dataflows.step())

    def receive(self, id: str, upper: int, *updates: Update) -> None:
        news = Updates(id, 0, upper, parts(self.blob, *updates) if updates else ())
        self.dataflows.receive(Progress(0, 0, (news,)))
        self.said += self.dataflows.step()

    @property
    def written(self) -> list[Update]:
        return written(self.blob, [m for m in self.said if isinstance(m, Append)], "v")


ROWS: list[Update] = [(i, BEGIN + 1, 1) for i in range(30)]


def test_rows_that_wait_for_another_input_do_not_make_small_steps_jobs(tmp_path: Path) -> None:
    subject = Subject(tmp_path)
    subject.receive("t", BEGIN + 5, (1, BEGIN, 1), *ROWS)
    subject.receive("u", BEGIN + 1, (2, BEGIN, 1))
    assert not list(subject.dataflows.jobs.begun())
    assert subject.written == [(1, BEGIN, 1), (2, BEGIN, 1)]
    subject.receive("u", BEGIN + 2)
    (step,) = subject.dataflows.jobs.begun()
    assert (step.lower, step.upper) == (BEGIN + 1, BEGIN + 2)


@pytest.mark.parametrize("written_out", [False, True])
def test_a_step_whose_job_fails_must_fit_into_memory(tmp_path: Path, written_out: bool) -> None:
    subject = Subject(tmp_path)
    subject.receive("u", BEGIN + 2)
    subject.receive("t", BEGIN + 2, *ROWS)
    (step,) = subject.dataflows.jobs.begun()
    if written_out:
        step.written()
    subject.dataflows.memory.limit = step.nbytes - 1
    (status,) = subject.dataflows.ended(StepEnded("v", step.number, error="a task was killed"))
    assert isinstance(status, Status)
    assert (status.state, status.sqlstate) == ("failed", "53200")
    assert not list(subject.dataflows.ended(StepEnded("v", step.number, error="once more")))


def test_a_step_whose_job_fails_is_made_here(tmp_path: Path) -> None:
    subject = Subject(tmp_path)
    subject.receive("u", BEGIN + 2)
    subject.receive("t", BEGIN + 2, *ROWS)
    (step,) = subject.dataflows.jobs.begun()
    step.written()
    subject.receive("t", BEGIN + 3, (1, BEGIN + 2, -1))
    subject.receive("u", BEGIN + 3)
    assert not subject.written
    subject.said += subject.dataflows.ended(StepEnded("v", step.number, error="a task was killed"))
    subject.said += subject.dataflows.step()
    assert subject.written == sorted([*ROWS, (1, BEGIN + 2, -1)])


def test_what_tasks_have_made_each_by_itself_is_consolidated() -> None:
    dataflow = Dataflow(lower(Union((Get("t", SCHEMA), Get("u", SCHEMA)), SCHEMA)), 0)
    dataflow.step({}, 0, 1)
    made = delta((1, 1, 1), (1, 1, -1), (2, 1, 1), (2, 1, 1), (3, 2, 1))
    output = dataflow.extend({}, made, 3, {})
    assert isinstance(output, Delta)
    assert updates_of(output.oks) == [(2, 1, 2), (3, 2, 1)]
    assert dataflow.upper == 3
