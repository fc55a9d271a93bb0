"""Spark jobs: asked of the driver by the coordinator, or, for a large step of a dataflow or for what a source is to read, of the coordinator
by a replica."""

from __future__ import annotations

from dataclasses import dataclass

from ...compute.plan import DataflowPlan
from ...compute.spark.job import Step
from ...expr.tree.relation import GlobalId
from ...persist.client import PartRef, ShardId
from ...storage.export.tasks import AnswerFile, FileWriting, WrittenFiles
from ...storage.share_reading import ShareReader, WrittenShare
from ...storage.shares import Share
from .commits import Import


@dataclass(frozen=True, slots=True)
class StateRuns:
    """A hydrated operator state: the run files of one spine, by name."""

    node: int
    spine: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RunJob:
    """To the driver: compute `plan` as of `as_of` as a Spark job of `partitions` tasks per level (0: as many as fit).

    A query has `answer_bytes`, what its answer may be at most, and gets files of rows.  Otherwise this is a hydration:
    the operators' state is kept, and the contents are written as parts of `output_shard`, or, by the columns
    `index_key`, as runs of an index, or not at all if both are None: they are durable already.  A `step` has no imports:
    it says what has changed.  A compaction has a `merge_upper`: parts of `output_shard` are written that stand for those
    of its import, with their times, which are below `merge_upper`, advanced to `as_of`; it needs no `directory`, which is
    the name of a folder.

    `pool` is the cluster that the job is for; maintenance is for none.
    """

    job_id: int
    pool: str | None
    plan: DataflowPlan
    as_of: int
    imports: tuple[Import, ...]
    output_shard: ShardId | None
    index_key: tuple[int, ...] | None
    answer_bytes: int | None
    directory: str
    partitions: int
    step: Step | None = None
    merge_upper: int | None = None

    @property
    def rows(self) -> int:
        """The rows that it reads."""
        if self.step is not None:
            return sum(changes.rows for changes in self.step.changes)
        return sum(part.rows for source in self.imports for part in source.snapshot)

    @property
    def nbytes(self) -> int:
        """The size of the parts that it reads, encoded."""
        return sum(part.nbytes for source in self.imports for part in source.snapshot)


@dataclass(frozen=True, slots=True)
class RunTasks:
    """To the driver: have `work` done on each of the `items`, in a task of its own, wherever that is: shares of a source are read, or files of an
    answer written.  How many rows that are nobody knows."""

    job_id: int
    pool: str | None
    work: ShareReader | FileWriting
    items: tuple[Share | AnswerFile, ...]

    @property
    def rows(self) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class CancelJob:
    job_id: int


@dataclass(frozen=True, slots=True)
class JobProgress:
    """How far a job has come: input rows read of all, and ended tasks, of which a level has equally many."""

    job_id: int
    rows_read: int
    rows: int
    levels_done: int
    levels: int
    tasks_done: int
    tasks: int


@dataclass(frozen=True, slots=True)
class JobFinished:
    """The output parts and the state of a hydration, or `error`.

    Of a query, `answers` are the names of files of rows, `answer_bytes` is their size (if that is too much, some were
    not written), `retracts` says that some rows are retractions of others, and `failure` is the SQLSTATE and message of
    an error among them.  Of a step, `errors` are those that come and go (Arrow IPC).  Of tasks, `results` are what they have returned.
    """

    job_id: int
    output: tuple[PartRef, ...]
    state: tuple[StateRuns, ...]
    rows: int
    seconds: float
    error: str | None = None
    answers: tuple[str, ...] = ()
    answer_bytes: int = 0
    retracts: bool = False
    failure: tuple[str, str] | None = None
    errors: bytes | None = None
    results: tuple[WrittenShare | WrittenFiles, ...] = ()


@dataclass(frozen=True, slots=True)
class StepJob:
    """The dataflow waits for a Spark job to make `step`, in the folder of the name `directory`.  `number` is unique in this replica."""

    id: GlobalId
    number: int
    plan: DataflowPlan
    step: Step
    directory: str


@dataclass(frozen=True, slots=True)
class StepEnded:
    """The answer to `StepJob`: what the step has added to the dataflow's state, the rows of its output (INDEX_RUNS, as
    a hydration's), and its errors (Arrow IPC).  Or `error`: the replica is to make the step itself."""

    id: GlobalId
    number: int
    state: tuple[StateRuns, ...] = ()
    errors: bytes | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ReadShares:
    """The source, as it is installed under that number, waits for a Spark job, or for the workers of its replica, to read the shares: by
    `reader`, once that knows where its parts go."""

    id: GlobalId
    installation: int
    reader: ShareReader
    shares: tuple[Share, ...]


@dataclass(frozen=True, slots=True)
class SharesRead:
    """The answer to `ReadShares`: what was read by that job, or by the workers of the replica, which the next `Ingest` is to commit.  Or
    `error`: the source is to read them itself."""

    id: GlobalId
    installation: int
    job_id: int | None = None
    written: tuple[WrittenShare, ...] = ()
    error: str | None = None


def job_writer(job_id: int) -> str:
    """The name under which a job's tasks write blobs, and of their group."""
    return f"job-{job_id}"


PAYLOADS = "payloads"
"""The name of the folder of what jobs send from level to level."""


def job_payloads(job_id: int) -> str:
    """The name of the job's own folder there."""
    return f"{PAYLOADS}/{job_writer(job_id)}"
