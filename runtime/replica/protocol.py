"""Messages between the coordinator and its replicas and driver, and how they are framed.

One duplex stream per process, over a Unix socket that only its owner may open: a 4-byte big-endian length, then the
pickled message.  Rows travel inside messages as the parts of persist (`PartRef`: inline bytes or the key of a blob),
never as Python values.  Messages of one direction are handled in order: that order is what makes "these parts, then
the updates from there on" meaningful.

Why not Arrow Flight: a round trip here takes some 20 us instead of 400, the coordinator serves it on its event loop
beside pgwire, and both ends can push at any time (docs/architecture.md, "Processes").
"""

from __future__ import annotations

import asyncio
import io
import operator
import pickle
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import cache
from typing import Any

from ..compute.checkpoint import Checkpoint
from ..compute.dataflow import OperatorStatistics
from ..compute.plan import DataflowPlan
from ..compute.spark.job import Step
from ..expr.relation import GlobalId, Relation
from ..persist.client import PartRef, ShardId
from ..repr.schema import Schema

# --- coordinator -> replica ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Import:
    """One input of a dataflow, a sink or a query.

    The contents at `as_of` are in `snapshot`; `updates` holds every update with `as_of < time < upper`; what comes
    later arrives in `Progress` or is handed over by a dataflow of the same replica.  A `stamped` collection is
    complete below `Progress.closed`.
    """

    id: GlobalId
    shard: ShardId
    schema: Schema
    stamped: bool
    as_of: int
    snapshot: tuple[PartRef, ...]
    updates: tuple[PartRef, ...]
    upper: int


@dataclass(frozen=True, slots=True)
class ViewOutput:
    """The dataflow's output is appended to `shard`, from its durable `upper` on."""

    shard: ShardId
    upper: int


@dataclass(frozen=True, slots=True)
class IndexOutput:
    """The dataflow's output is arranged in memory by the columns `key`; the last of them were added for it."""

    key: tuple[int, ...]


INDEX_RUNS = "index"
"""The name of an index's own runs among the state that a job has left; their node is the number of nodes."""


@dataclass(frozen=True, slots=True)
class StateRuns:
    """A hydrated operator state: the run files of one spine."""

    node: int
    spine: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateOptions:
    """Where the state of a dataflow is kept, and how.

    Runs of `spill_rows` rows are mapped files.  A checkpoint, with this `fingerprint`, is made of every
    `checkpoint_rows` updates taken in, and of any number once the last is `checkpoint_interval_ms` old.
    """

    directory: str
    fingerprint: str
    spill_rows: int
    checkpoint_rows: int
    checkpoint_interval_ms: int


@dataclass(frozen=True, slots=True)
class InstallDataflow:
    """`state` is there when a Spark job has hydrated the dataflow as of `as_of`, `checkpoint` (with its cut at
    `as_of + 1`) when it goes on from one; otherwise the replica hydrates.  Without `durable`, all state is in memory.
    """

    id: GlobalId
    plan: DataflowPlan
    as_of: int
    imports: tuple[Import, ...]
    output: ViewOutput | IndexOutput
    state: tuple[StateRuns, ...] | None = None
    checkpoint: Checkpoint | None = None
    durable: StateOptions | None = None


@dataclass(frozen=True, slots=True)
class SourceDescription:
    """A source for the replica to run.  `options` are the connector's, plain values; `label` names it in errors."""

    label: str
    connector: str
    options: dict[str, Any]
    schema: Schema
    key: tuple[int, ...]
    envelope: str


@dataclass(frozen=True, slots=True)
class InstallSource:
    """`position` is where the durable output ends upstream; `snapshot` that output, for upsert state."""

    id: GlobalId
    name: str
    description: SourceDescription
    position: str | None
    output: Import


@dataclass(frozen=True, slots=True)
class SinkDescription:
    connector: str
    options: dict[str, Any]
    envelope: str
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class InstallSink:
    id: GlobalId
    name: str
    description: SinkDescription
    input: Import


@dataclass(frozen=True, slots=True)
class LimitMemory:
    """What the dataflows of the replica may hold in memory together, in bytes; None is any amount."""

    limit: int | None


@dataclass(frozen=True, slots=True)
class LargeSteps:
    """Steps of `rows` updates or more are to be Spark jobs."""

    rows: int


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
class Uninstall:
    id: GlobalId


@dataclass(frozen=True, slots=True)
class Updates:
    """Parts of one collection with times in `[lower, upper)`, just committed.

    `schema` is given when it is not that of every `Import` of the collection: columns were added meanwhile.
    """

    id: GlobalId
    lower: int
    upper: int
    parts: tuple[PartRef, ...]
    schema: Schema | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """Every collection that the coordinator stamps is complete below `closed`; those in `uppers` below theirs.

    Nothing will be read from an index before `since`.
    """

    closed: int
    since: int
    updates: tuple[Updates, ...] = ()
    uppers: tuple[tuple[GlobalId, int], ...] = ()


@dataclass(frozen=True, slots=True)
class Appended:
    """The answer to `Append`: these views are durable below their upper."""

    uppers: tuple[tuple[GlobalId, int], ...]


@dataclass(frozen=True, slots=True)
class CheckpointPublished:
    """The answer to `Checkpointed`: a restart begins there, or (not `published`) where it did before."""

    id: GlobalId
    cut: int
    published: bool


@dataclass(frozen=True, slots=True)
class Peek:
    """A one-off query at `as_of`: `relation` over the contents of `inputs`."""

    peek_id: int
    relation: Relation
    as_of: int
    inputs: tuple[Import, ...]


@dataclass(frozen=True, slots=True)
class PeekIndex:
    """Rows of an index at `as_of`: all of them, or those whose key equals a row of `keys` (Arrow IPC).

    `relation` is applied to them; it reads the index as `Get(index_id)`.
    """

    peek_id: int
    index_id: GlobalId
    keys: bytes | None
    relation: Relation
    as_of: int


@dataclass(frozen=True, slots=True)
class CancelPeek:
    peek_id: int


@dataclass(frozen=True, slots=True)
class Ingested:
    """The answer to `Ingest`: committed at `time`, or not (None) when the source is being dropped."""

    id: GlobalId
    time: int | None


@dataclass(frozen=True, slots=True)
class StartReplica:
    """To the driver: run a resident task for this replica; `epoch` fences older attempts."""

    replica: str
    epoch: int


@dataclass(frozen=True, slots=True)
class StopReplica:
    replica: str


@dataclass(frozen=True, slots=True)
class RunJob:
    """To the driver: compute `plan` as of `as_of` as a Spark job of `partitions` tasks per level (0: as many as fit).

    A query has `answer_bytes`, what its answer may be at most, and gets files of rows.  Otherwise this is a hydration:
    the operators' state is kept, and the contents are written as parts of `output_shard`, or, by the columns
    `index_key`, as runs of an index, or not at all if both are None: they are durable already.  A `step` has no imports:
    it says what has changed.  A compaction has a `merge_upper`: parts of `output_shard` are written that stand for those
    of its import, with their times, which are below `merge_upper`, advanced to `as_of`; it needs no `directory`.

    `pool` is the cluster that the job is for; upkeep is for none.
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
class CancelJob:
    job_id: int


# --- replica and driver -> coordinator ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ReplicaHello:
    replica: str
    epoch: int
    attempt: int
    pid: int


@dataclass(frozen=True, slots=True)
class DriverHello:
    pid: int
    spark_version: str
    master: str
    jvm_pid: int


@dataclass(frozen=True, slots=True)
class Append:
    """The outputs of one step: written views, and the frontiers of all dataflows that moved."""

    writes: tuple[Updates, ...]
    uppers: tuple[tuple[GlobalId, int], ...]


@dataclass(frozen=True, slots=True)
class Checkpointed:
    """The files of this state are durable; every output below its cut was sent before."""

    id: GlobalId
    checkpoint: Checkpoint


@dataclass(frozen=True, slots=True)
class StepJob:
    """The dataflow waits for a Spark job to make `step`, in `directory`.  `number` is unique in this replica."""

    id: GlobalId
    number: int
    plan: DataflowPlan
    step: Step
    directory: str


@dataclass(frozen=True, slots=True)
class StateLost:
    """The state that the dataflow was to go on from cannot be read: it is not installed."""

    id: GlobalId
    reason: str


@dataclass(frozen=True, slots=True)
class Hydrated:
    """A dataflow has taken in what its installation named; `rows` were read: those since the cut, if it goes on
    from a checkpoint."""

    id: GlobalId
    seconds: float
    rows: int


@dataclass(frozen=True, slots=True)
class Ingest:
    """New data of a source, times still open: `parts` go to its shard, `position` to its remap shard."""

    id: GlobalId
    parts: tuple[PartRef, ...]
    position: str
    statistics: dict[str, int]


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
class SinkProgress:
    """Everything below `upper` is in the target."""

    id: GlobalId
    upper: int
    rows: int


@dataclass(frozen=True, slots=True)
class DataflowStatistics:
    """What the operators of a dataflow have done, in the order of its plan; and the bytes that all of its state, that
    of an index included, has in memory and in mapped files."""

    id: GlobalId
    operators: tuple[OperatorStatistics, ...]
    memory_bytes: int = 0
    mapped_bytes: int = 0


@dataclass(frozen=True, slots=True)
class PeekRows:
    """A chunk of a peek's answer: one Arrow IPC batch of rows with their multiplicities; `done` on the last."""

    peek_id: int
    payload: bytes
    done: bool


@dataclass(frozen=True, slots=True)
class PeekFailed:
    peek_id: int
    sqlstate: str
    message: str
    hint: str | None = None


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

    Of a query, `answers` are the paths of files of rows, `answer_bytes` is their size (if that is too much, some were
    not written), `retracts` says that some rows are retractions of others, and `failure` is the SQLSTATE and message of
    an error among them.  Of a step, `errors` are those that come and go (Arrow IPC).
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


Message = Any


def replica_writer(replica: str, epoch: int, attempt: int) -> str:
    """The name under which a replica's attempt writes blobs."""
    return f"replica-{replica}-{epoch}-{attempt}"


def job_writer(job_id: int) -> str:
    return f"job-{job_id}"


_HEADER = struct.Struct(">I")
_NO_HEADER = bytes(_HEADER.size)


def encode(message: Message) -> bytes:
    buffer = io.BytesIO()
    buffer.write(_NO_HEADER)
    _Pickler(buffer, protocol=5).dump(message)
    payload = buffer.getbuffer()
    _HEADER.pack_into(payload, 0, len(payload) - _HEADER.size)
    return bytes(payload)


class _Pickler(pickle.Pickler):
    """Dataclasses as calls of their class: their own way asks each object for the names of its fields."""

    def reducer_override(self, value: Any) -> Any:
        cls: Any = type(value)
        values = _values_of(cls)
        return NotImplemented if values is None else (cls, values(value))


@cache
def _values_of(cls: Any) -> Callable[[Any], tuple[Any, ...]] | None:
    """What gives the arguments with which the class makes an equal object; None: it is pickled in its own way."""
    if not is_dataclass(cls) or hasattr(cls, "__post_init__"):
        return None
    names = [field.name for field in fields(cls)]
    if not all(field.init and not field.kw_only for field in fields(cls)):
        return None
    if len(names) < 2:
        return lambda value: tuple(getattr(value, name) for name in names)
    return operator.attrgetter(*names)


class Connection:
    """The end of the stream that a replica or the driver holds: blocking, `send` from any thread."""

    def __init__(self, address: str) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.connect(address)
        except OSError:
            self._socket.close()
            raise
        self._reader = self._socket.makefile("rb", buffering=1 << 20)
        self._lock = threading.Lock()

    def send(self, message: Message) -> None:
        """Raises ConnectionError when the other end is gone, or this one was closed."""
        data = encode(message)
        with self._lock:
            try:
                self._socket.sendall(data)
            except OSError as error:
                raise ConnectionAbortedError(f"the connection is closed: {error}") from error

    def receive(self) -> Message | None:
        """The next message; None once the other end is gone.  One thread receives, to the end."""
        try:
            header = self._reader.read(_HEADER.size)
            length = _HEADER.unpack(header)[0] if len(header) == _HEADER.size else 0
            payload = self._reader.read(length)
        except (ConnectionError, ValueError):  # lost, or closed by another thread
            length, payload = 0, b""
        if length == 0 or len(payload) < length:
            self._reader.close()
            return None
        return pickle.loads(payload)

    def close(self) -> None:
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            return  # the peer closed first
        finally:
            self._socket.close()


async def receive(reader: asyncio.StreamReader) -> Message | None:
    """The coordinator's side of `Connection.receive`."""
    try:
        (length,) = _HEADER.unpack(await reader.readexactly(_HEADER.size))
        payload = await reader.readexactly(length)
    except (asyncio.IncompleteReadError, ConnectionError):
        return None
    return pickle.loads(payload)
