"""The life of a replica: connect to the coordinator, identify itself, then turn messages into work until it is stopped.

Threads: one reads messages, tells sources and sinks what is theirs, and looks rows up in indexes, one (the caller's) steps the
dataflows, one writes their outputs, one writes checkpoints, one waits for what was told to stop, one per source, sink and query
under way, whose process it watches.  Only the step thread changes dataflows, and nobody else waits for a step, but a source that is far
ahead of it.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic

from ..compute.partitioned.one_step import WorkerLost
from ..compute.partitioned.totals import WorkerStatistics, of_this_process
from ..compute.shared_files import CopiedFiles, SharedFiles, SharedRoot
from ..compute.spark.node_directory import node_directory
from ..config import SWITCH_INTERVAL_S
from ..errors import PtvcError
from ..persist.blob.base import Blob
from ..persist.column_cache import ColumnCache
from ..persist.location import open_blob
from ..supervision import Supervisor
from .blob_retry import RetryingBlob, RetryingObjects
from .checkpoint import PendingCheckpoint
from .dataflows import Dataflows
from .egress import Egress
from .ingest import Sources
from .installed import Installed
from .look_ups.answers import looked_up
from .look_ups.stored_look_ups import StoredLookUps
from .look_ups.view_rows import ViewLookUps
from .memory import dataflows_limit, query_limit
from .output_writer import OutputWriter
from .peek_thread import Peeks
from .protocol import (
    Adopt,
    Appended,
    CancelPeek,
    CheckpointPublished,
    Connection,
    Halt,
    Hello,
    Ingested,
    InstallDataflow,
    InstallSink,
    InstallSource,
    LargeQueries,
    LargeSteps,
    LimitMemory,
    LookUp,
    LookUpStored,
    LookUpView,
    MachineSilent,
    Message,
    Peek,
    PeekFailed,
    PeekIndex,
    Progress,
    Refused,
    ReplicaProcesses,
    Repoint,
    SetOutputs,
    SharesRead,
    StartReplica,
    StepEnded,
    Uninstall,
    dial,
    replica_writer,
)
from .step_under_way import StepUnderWay
from .stop_deadline import StopDeadline
from .workers.crew import Members
from .workers.member import Start
from .workers.spread import Spread, machine_address, members_of
from .workers.team import Team
from .workers.wires import WorkerSilent

logger = logging.getLogger(__name__)

STATISTICS_INTERVAL_S = 2.0
INTERNAL_ERROR = "XX000"
MOST_AHEAD_BYTES = 64 << 20
"""Of updates that wait for the step thread: what is committed beyond it keeps the pace of the steps."""
EXIT_STUCK = 4
"""The status of a process in which a dataflow did not stop."""


def run_replica(
    start: StartReplica,
    blobs: str,
    root: SharedRoot,
    cache: ColumnCache,
    attempt: int,
    spread: Spread | None = None,
) -> None:
    """Runs one replica, whose blobs are at that URL, until the coordinator closes the connection.  `cache` is for those on its machine;
    `spread`: it leads workers on other machines."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    hello = Hello(start.replica, start.epoch, attempt, os.getpid())
    writer = replica_writer(start.replica, start.epoch, attempt)
    blob = open_blob(blobs)
    files = root.on_machine(
        Path(root.path) if root.blobs is None else own_directory("replicas", start.replica)
    )
    machine, members = machine_address(start.address), None
    if spread is not None:  # before it says that it is there
        members = members_of(spread, Start(blob, files, writer, dict(os.environ), machine), attempt)
    try:
        connection = dial(start.address, hello, start.secret)
    except Refused as error:
        # Dropped, or started anew: whether it is submitted again is for the driver to say.
        logger.warning("replica %s, attempt %d, is not taken: %s", start.replica, attempt, error)
        if members is not None:
            members.close()
        return
    if root.blobs is not None:
        cache = ColumnCache(own_directory("columns"))
    made = Replica(
        connection,
        blob,
        files,
        cache,
        writer,
        kill=partial(os._exit, EXIT_STUCK),
        workers=start.workers,
        machine=machine,
        members=members,
    )
    made.warm()
    made.run()
    files.leave("")  # one that fails is tried again, mostly on the same machine


def own_directory(*names: str) -> Path:
    """On the machine on which Spark has placed the replica."""
    path = node_directory().joinpath(*names)
    path.mkdir(parents=True, exist_ok=True)
    return path


class Inbox:
    """What waits for the step thread; None is the end.  One thread puts what was committed, and one takes."""

    def __init__(self) -> None:
        self._messages: queue.SimpleQueue[Message | None] = queue.SimpleQueue()
        self._put = self._taken = 0

    @property
    def is_empty(self) -> bool:
        return self._messages.empty()

    @property
    def nbytes(self) -> int:
        """Bytes of the updates that wait, decoded."""
        return self._put - self._taken

    def put(self, message: Message | None) -> None:
        if isinstance(message, Progress):  # others may come from any thread
            self._put += _nbytes(message)
        self._messages.put(message)

    def take(self) -> Message | None:
        message = self._messages.get()
        if isinstance(message, Progress):
            self._taken += _nbytes(message)
        return message


def _nbytes(progress: Progress) -> int:
    return sum(part.decoded_nbytes for update in progress.updates for part in update.parts)


class Replica:
    """`kill` ends the process at once, whatever its threads are at.  With several `workers`, this process leads the others, its `members`
    (None: to be forked here); `machine` is the address of its own."""

    def __init__(
        self,
        connection: Connection,
        blob: Blob,
        files: SharedFiles,
        cache: ColumnCache,
        writer: str,
        kill: Callable[[], None],
        workers: int = 1,
        machine: str | None = None,
        members: Members | None = None,
    ) -> None:
        self._connection = connection
        self._inbox = Inbox()
        self._gone = threading.Event()
        retrying = RetryingBlob(blob, self._gone)
        self._supervisor = Supervisor(self._failed)
        self._outputs = OutputWriter(connection.send, self._supervisor)
        start = Start(blob, files, writer, dict(os.environ), machine)
        self._team = Team(workers, start, retrying, members) if workers > 1 else None
        self._machine = machine
        if isinstance(files, CopiedFiles):
            files = files.over(lambda objects: RetryingObjects(objects, self._gone))
        self._dataflows = Dataflows(retrying, writer, self._outputs, files, self._team)
        self._peeks = Peeks(blob, cache, connection, self._supervisor)
        self._look_ups = ThreadPoolExecutor(1, "look-ups")
        self._stored = StoredLookUps(blob, cache, connection.send, self._look_up_beside)
        self._views = ViewLookUps(blob, cache, connection.send, self._look_up_beside, self._dataflows.recent)
        shares = None if self._team is None else self._team.shares
        self._sources = Sources(retrying, writer, connection.send, files.root, shares)
        self._sinks = Egress(retrying, connection.send)
        self._telling = threading.Lock()
        self._ended = False
        self._dataflows.memory.buffers = (self._sinks, self._outputs)
        self._checkpointer = ThreadPoolExecutor(1, "checkpoint")
        self._deadline = StopDeadline(self._dataflows.abandoned, kill)
        self._reported = monotonic()
        self._said_processes = False

    @property
    def members(self) -> list[int]:
        """The numbers of the processes that this one leads."""
        return [] if self._team is None else self._team.pids

    def warm(self) -> None:
        """Starts what the first query would wait for."""
        self._peeks.warm()

    def run(self) -> None:
        self._supervisor.thread("reader", self._read).start()
        self._supervisor.thread("stop deadline", self._deadline.run).start()
        try:
            while (message := self._inbox.take()) is not None:
                self._handle(message)
                if not self._drain():
                    break
                for answer in self._dataflows.step():
                    self._connection.send(answer)
                for under_way in self._dataflows.jobs.begun():
                    self._checkpointer.submit(self._hand_over, under_way)
                for answer in self._dataflows.limit_memory():
                    self._connection.send(answer)
                self._begin_checkpoints()
                self._report()
        except (BrokenPipeError, ConnectionError):
            logger.info("the coordinator is gone")
        except WorkerSilent as error:
            assert self._team is not None
            with suppress(ConnectionError):
                self._connection.send(MachineSilent(self._team.members.layout.machine_of(error.worker)))
            raise
        finally:
            self._deadline.close()
            # The reader may have more to hand on: what that began behind these lines would run for good.
            with self._telling:
                self._ended = True
            self._sources.close()
            self._sinks.close()
            self._peeks.close()
            self._look_ups.shutdown(wait=False, cancel_futures=True)
            self._outputs.close()
            if self._team is not None:
                self._team.saves.ending.set()
            self._checkpointer.shutdown(cancel_futures=True)
            self._connection.close()
            if self._team is not None:
                self._team.close()
        if self._supervisor.failure is not None:  # Spark runs the task again
            raise self._supervisor.failure

    def _failed(self, name: str, error: BaseException) -> None:
        """A part of the replica cannot go on, so the replica ends; from any thread."""
        self._gone.set()
        self._connection.close()
        self._inbox.put(None)

    def _read(self) -> None:
        try:
            with suppress(ConnectionError):  # whoever was to hear an answer is gone
                self._read_on()
            self._gone.set()
            self._dataflows.abandon(None)
            self._inbox.put(None)
        finally:
            self._connection.end()

    def _read_on(self) -> None:
        while (message := self._connection.receive()) is not None:
            # What is not wanted any more stops at once, whatever the step thread is at.
            if isinstance(message, CancelPeek):
                self._peeks.cancel(message)
                continue
            if isinstance(message, LookUp):
                self._connection.send(looked_up(message, self._dataflows.index))
                continue
            if isinstance(message, LookUpStored):
                self._stored.receive(message)
                continue
            if isinstance(message, LookUpView):
                self._views.receive(message)
                continue
            if isinstance(message, Peek | PeekIndex):
                self._peeks.receive(message)
                if isinstance(message, Peek):
                    continue
            if isinstance(message, Uninstall):
                self._dataflows.abandon(message.id)
                self._deadline.begin(message.id)
            with self._telling:
                if self._ended:
                    return
                told = self._told_beside(message)
            if not told:
                self._inbox.put(message)

    def _told_beside(self, message: Message) -> bool:
        """Sources and sinks have threads of their own, which do not wait for a step: whether the message was for these alone.

        A source that has committed more than the step thread keeps up with hears of it in its turn.
        """
        match message:
            case InstallSource():
                self._sources.install(message)
            case SetOutputs():
                self._sources.set_outputs(message)
            case SharesRead():
                self._sources.shares_read(message)
            case Ingested():
                if self._inbox.nbytes > MOST_AHEAD_BYTES:
                    return False
                self._sources.ingested(message)
            case InstallSink():
                self._sinks.install(message)
            case Progress():
                self._sinks.receive(message)
                return False
            case Uninstall(id=id_):
                self._sources.uninstall(id_)
                self._sinks.uninstall(id_)
                return False
            case _:
                return False
        return True

    def _look_up_beside(self, work: Callable[[], None]) -> None:
        with suppress(RuntimeError):  # the replica ends
            self._look_ups.submit(work)

    def _drain(self) -> bool:
        """Takes everything that waits, so that under load one step covers many commits."""
        while not self._inbox.is_empty:
            message = self._inbox.take()
            if message is None:
                return False
            self._handle(message)
        return True

    def _handle(self, message: Message) -> None:
        match message:
            case Progress():
                self._dataflows.receive(message)
            case Appended():
                self._dataflows.acknowledge(message)
            case LimitMemory(dataflows=dataflows, query=query):
                self._dataflows.memory.limit = dataflows_limit(dataflows)
                self._peeks.limit(query_limit(query, dataflows))
            case CheckpointPublished():
                if (state := self._dataflows.published(message)) is not None:
                    self._checkpointer.submit(state.sweep)
            case LargeQueries(rows=rows):
                self._peeks.duckdb_min_rows = rows
            case LargeSteps(rows=rows):
                self._dataflows.jobs.min_rows = rows
            case StepEnded():
                for answer in self._dataflows.ended(message):
                    self._connection.send(answer)
            case InstallDataflow():
                for answer in self._dataflows.install(message):
                    self._connection.send(answer)
            case Halt():
                self._dataflows.halt(message)
            case Adopt():
                self._dataflows.adopt(message)
            case Repoint():
                self._dataflows.repoint(message)
            case Uninstall(id=id_):
                self._dataflows.uninstall(id_)
            case Ingested():
                self._sources.ingested(message)
            case PeekIndex():
                self._peek_index(message)
            case _:
                raise TypeError(f"a replica does not understand {type(message).__name__}")

    def _begin_checkpoints(self) -> None:
        """Holds none of them afterwards: who has one has its files."""
        for installed, checkpoint in self._dataflows.checkpoints():
            self._outputs.behind(partial(self._save, installed, checkpoint))

    def _save(self, installed: Installed, checkpoint: PendingCheckpoint) -> None:
        """Once what the dataflow has put out before the checkpoint is written, on the thread that does that."""
        if not installed.lost:
            with suppress(RuntimeError):  # the replica ends
                self._checkpointer.submit(self._write, checkpoint)

    def _write(self, checkpoint: PendingCheckpoint) -> None:
        """On the checkpoint thread."""
        try:
            written = checkpoint.write()
        except Exception:  # nothing is lost: the checkpoint before stays, and the next may do better
            logger.exception("a checkpoint failed")
            return
        if written is not None:
            with suppress(ConnectionError):  # the coordinator is gone, and this replica with it
                self._connection.send(written)

    def _hand_over(self, step: StepUnderWay) -> None:
        """On the checkpoint thread."""
        try:
            self._connection.send(step.written())
        except ConnectionError:
            return  # the coordinator is gone, and this replica with it
        except Exception as error:  # the step thread makes the step
            if step.needed:
                logger.warning("cannot hand a step of %s over to a job: %s", step.id, error)
            self._inbox.put(StepEnded(step.id, step.number, error=str(error)))

    def _peek_index(self, message: PeekIndex) -> None:
        try:
            self._peeks.submit_index(message, self._dataflows.index(message.index_id))
            return
        except (ConnectionError, WorkerLost):
            raise
        except KeyError:
            failed = PeekFailed(message.peek_id, "42704", "the index was dropped")
        except PtvcError as error:
            failed = PeekFailed(message.peek_id, error.sqlstate, error.message, error.hint)
        except Exception as error:  # the client that asked hears of it; the dataflows go on
            logger.exception("index peek failed")
            failed = PeekFailed(message.peek_id, INTERNAL_ERROR, f"internal error: {error!r}")
        self._peeks.refuse(message.peek_id)
        self._connection.send(failed)

    def _report(self) -> None:
        now = monotonic()
        if now - self._reported >= STATISTICS_INTERVAL_S:
            self._reported = now
            changed = list(self._dataflows.statistics())
            for statistics in changed:
                self._connection.send(statistics)
            if changed or not self._said_processes:
                self._said_processes = True
                self._connection.send(ReplicaProcesses(self._processes()))

    def _processes(self) -> tuple[WorkerStatistics, ...]:
        return (of_this_process(None, self._machine),) if self._team is None else self._team.processes()
