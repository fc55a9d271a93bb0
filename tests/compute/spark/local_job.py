"""A job without Spark: the same tasks, one after the other in this process, and the shuffle as a dict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ptvc.compute.shared_files import SharedFiles
from ptvc.compute.spark.exchange import Row
from ptvc.compute.spark.job import Facts, Job
from ptvc.compute.spark.level_task import Knowledge, LevelTask
from ptvc.compute.spark.superstep import JobResult, Progress, feeds, gather, granted_to, learn, work_rows
from ptvc.compute.spark.topology import Topology
from ptvc.persist.part import PartRef

_ATTEMPTS = count(1)


def run_locally(
    job: Job, imports: Sequence[tuple[str, Sequence[PartRef]]], machine: Path | None = None
) -> JobResult:
    """What `JobRun.run` does.  Tasks keep copies of files in `machine`; None: they are here."""
    files = job.files.here() if machine is None else job.files.on_machine(machine)
    with granted_to(job):
        return gather(job, _levels(job, work_rows(job, imports), files))


def _levels(job: Job, rows: list[Row], files: SharedFiles) -> list[Row]:
    topology = Topology(job.plan, first=job.step is None)
    known = Knowledge({})
    for level in range(len(topology.levels)):
        sent, facts = _level(job, level, known, rows, files)
        if feeds(job, topology, level):
            learned = learn(job, topology, level, known, facts)
            if learned != known:
                known = learned
                sent, _ = _level(job, level, known, rows, files)
        rows = sent
    return rows


class LocalApplication:
    """Stands in for `Application` where a job is run."""

    job_cores = 2

    def __init__(self, directory: Path, machine: Path | None = None) -> None:
        self._directory = directory
        self._machine = machine

    def permit(self, group: str) -> Path:
        return self._directory / group

    def job_run(self, job: Job) -> LocalRun:
        return LocalRun(job, self._machine)


@dataclass
class LocalRun:
    """Stands in for `JobRun`."""

    job: Job
    machine: Path | None = None

    @property
    def progress(self) -> Progress:
        return Progress(0, self.job.rows, 0, len(Topology(self.job.plan).levels), 0, 1)

    def run(self, imports: Sequence[tuple[str, Sequence[PartRef]]], pool: str, group: str) -> JobResult:
        return run_locally(self.job, imports, self.machine)


def _level(
    job: Job, level: int, known: Knowledge, rows: list[Row], files: SharedFiles
) -> tuple[list[Row], list[Facts]]:
    sent: list[Row] = []
    facts: list[Facts] = []
    for partition in range(job.partitions):
        mine = [row for row in rows if row[0] == partition]
        assert mine, "every partition runs"
        sent += LevelTask(job, level, partition, next(_ATTEMPTS), known, facts.append, files).run(mine)
    return sent, facts
