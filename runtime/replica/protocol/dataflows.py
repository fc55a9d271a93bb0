"""Views and indexes: what a replica is to maintain and within which limits, and how it goes with that.

`Status` is of sources and sinks as well.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...compute.checkpoint import Checkpoint
from ...compute.dataflow import OperatorStatistics
from ...compute.partitioned.totals import PartStatistics
from ...compute.plan import DataflowPlan
from ...expr.tree.relation import GlobalId
from ...persist.client import ShardId
from .commits import Import
from .jobs import StateRuns
from .subscriptions import SubscriptionOutput


@dataclass(frozen=True, slots=True)
class ViewOutput:
    """The dataflow's output is appended to `shard`, from its durable `upper` on."""

    shard: ShardId
    upper: int


@dataclass(frozen=True, slots=True)
class IndexOutput:
    """The dataflow's output is arranged in memory by the columns `key`; the last of them were added for it."""

    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Where the state of a dataflow is kept, the name of a folder, and how.

    Runs of `spill_rows` rows are mapped files.  A checkpoint, with this `fingerprint`, is made of every
    `checkpoint_rows` updates taken in, and of any number once the last is `checkpoint_interval_ms` old; at once, if that with which
    it begins is `borrowed` from another replica.
    """

    directory: str
    fingerprint: str
    spill_rows: int
    checkpoint_rows: int
    checkpoint_interval_ms: int
    borrowed: bool = False


@dataclass(frozen=True, slots=True)
class InstallDataflow:
    """`state` is there when a Spark job has hydrated the dataflow as of `as_of`, `checkpoint` (with its cut at
    `as_of + 1`) when it goes on from one; otherwise the replica hydrates.  Without `durable`, all state is in memory.  Where workers divide
    it, imports at the positions `few` may be broadcast.
    """

    id: GlobalId
    plan: DataflowPlan
    as_of: int
    imports: tuple[Import, ...]
    output: ViewOutput | IndexOutput | SubscriptionOutput
    state: tuple[StateRuns, ...] | None = None
    checkpoint: Checkpoint | None = None
    durable: StateOptions | None = None
    few: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Uninstall:
    id: GlobalId


@dataclass(frozen=True, slots=True)
class Halt:
    """The dataflow is stepped to `upper` and no further, once it is there; None lets it go on."""

    id: GlobalId
    upper: int | None


@dataclass(frozen=True, slots=True)
class Adopt:
    """The dataflow of `replacement` is that of the view `id` from now on: its output is appended to `output`, from the
    time to which both have come, and who reads the view reads it."""

    id: GlobalId
    replacement: GlobalId
    output: ViewOutput


@dataclass(frozen=True, slots=True)
class Repoint:
    """The dataflow reads `sources` from where it has come to, each in place of the object beside it, whose contents it has there.
    Its plan is `plan` from then on, and state of it that is saved has this `fingerprint`."""

    id: GlobalId
    plan: DataflowPlan
    sources: tuple[tuple[GlobalId, Import], ...]
    fingerprint: str


@dataclass(frozen=True, slots=True)
class LimitMemory:
    """What the dataflows of the replica may hold in memory together, in bytes, and what each one-off query may; 0 is any
    amount, None a part of the memory of the replica's machine."""

    dataflows: int | None
    query: int | None = None


@dataclass(frozen=True, slots=True)
class LargeSteps:
    """Steps of `rows` updates or more are to be Spark jobs."""

    rows: int


@dataclass(frozen=True, slots=True)
class Status:
    """State of a source, sink or dataflow: running, stalled (with the reason) or failed.

    `sqlstate` and `hint` are for those who read a dataflow that failed; None for what is usual.
    """

    id: GlobalId
    state: str
    reason: str | None
    sqlstate: str | None = None
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Hydrated:
    """A dataflow has taken in what its installation named; `rows` were read: those since the cut, if it goes on
    from a checkpoint."""

    id: GlobalId
    seconds: float
    rows: int


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """The files of this state are durable; every output below its cut was sent before."""

    id: GlobalId
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class CheckpointPublished:
    """The answer to `Checkpointed`: a restart begins there, or (not `published`) where it did before."""

    id: GlobalId
    cut: int
    published: bool


@dataclass(frozen=True, slots=True)
class StateLost:
    """The state that the dataflow was to go on from, or what it was to take in, cannot be read: it is not installed any more."""

    id: GlobalId
    reason: str


@dataclass(frozen=True, slots=True)
class DataflowStatistics:
    """What the operators of a dataflow have done, in the order of its plan; and what each of the `workers` that have a part of it has done,
    and holds of its state, that of an index included.  One that is not divided is the first worker's."""

    id: GlobalId
    operators: tuple[OperatorStatistics, ...]
    workers: tuple[PartStatistics, ...]

    @property
    def memory_bytes(self) -> int:
        return sum(worker.memory_bytes for worker in self.workers)

    @property
    def mapped_bytes(self) -> int:
        return sum(worker.mapped_bytes for worker in self.workers)
