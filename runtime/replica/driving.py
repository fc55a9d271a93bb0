"""What the driver does once Spark is up: it starts resident tasks (one per replica) and runs jobs, as the coordinator says."""

from __future__ import annotations

import logging
import os
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from ..compute.shared_files import SharedRoot
from ..compute.spark.application import Application
from ..compute.spark.failures import reason_of
from ..persist.column_cache import ColumnCache
from ..retry import Backoff, Pauses
from .jobs import run_job, run_tasks
from .machines import run_on_machine
from .main import run_replica
from .protocol import (
    DRIVER,
    PAYLOADS,
    CancelJob,
    Connection,
    DriverHello,
    DriverWelcome,
    Hello,
    JobFinished,
    Message,
    Refused,
    ReplicaWaits,
    RunJob,
    RunTasks,
    StartReplica,
    StopReplica,
    UnixAddress,
    dial,
    job_writer,
)
from .workers.layout import Layout

logger = logging.getLogger(__name__)

EXIT_JVM_DIED = 3
EXIT_SPARK_ENDED = 5
RESUBMIT = Backoff(first_s=0.5, longest_s=5.0)
HEALTHY_S = 10.0
"""A resident task that ran for so long did not fail to start."""
LOOK_FOR_S = 5.0
ROOM_WITHIN_S = 120.0
"""So long a resident task may wait for an executor until the coordinator hears of it: longer than for another machine (`placement`)."""
JOBS_AT_ONCE = max(2, len(os.sched_getaffinity(0)))
"""More would only hold more memory: each has a task for every core."""
DIAL_S = 0.02
REFUSED_S = 0.2
KNOWN_WITHIN_S = 5.0
"""So long after it listens the coordinator may take to know its driver."""
DIALLED_WITHIN_S = 60.0


class Driver:
    def __init__(
        self, connection: Connection, blobs: str, root: SharedRoot, cache: ColumnCache, app: Application
    ) -> None:
        self._connection = connection
        self._blobs = blobs
        self._root = root
        self._cache = cache
        self._app = app
        self._stop: dict[str, threading.Event] = {}
        self._pool = ThreadPoolExecutor(JOBS_AT_ONCE, "job")
        self._jobs: dict[int, Future[None]] = {}

    def run(self) -> None:
        """Handles messages until the coordinator is gone."""
        try:
            while (message := self._connection.receive()) is not None:
                self._handle(message)
        finally:
            self._connection.end()
            for stop in self._stop.values():
                stop.set()

    def _handle(self, message: Message) -> None:
        match message:
            case StartReplica(replica=replica):
                self._stop[replica] = threading.Event()
                target = partial(self._keep_resident, message, self._stop[replica])
                threading.Thread(target=target, name=f"replica {replica}", daemon=True).start()
            case StopReplica(replica=replica, left=left):
                if (stop := self._stop.pop(replica, None)) is not None:
                    stop.set()
                    self._app.stop_resident(replica, left)
            case RunJob(job_id=job_id) | RunTasks(job_id=job_id):
                self._jobs = {id_: job for id_, job in self._jobs.items() if not job.done()}
                self._jobs[job_id] = self._pool.submit(self._run_job, message)
            case CancelJob(job_id=job_id):
                waiting = self._jobs.get(job_id)
                if waiting is not None and not waiting.cancel():
                    self._app.cancel_for_good(job_writer(job_id))
            case _:
                raise TypeError(f"the driver does not understand {type(message).__name__}")

    def _keep_resident(self, command: StartReplica, stop: threading.Event) -> None:
        """Submits the resident job again and again until the replica is dropped."""
        pauses = Pauses(RESUBMIT)
        while not stop.is_set():
            began = monotonic()
            ended = threading.Event()
            if self._app.on_cluster:
                watched = (command, ended)
                threading.Thread(target=self._look_for, args=watched, name="room", daemon=True).start()
            try:
                self._run_resident(command)
            except Exception as error:  # Spark gave up on the task: try again, it may have been killed
                if stop.is_set():
                    return
                if self._app.moves(command.replica):
                    logger.info("replica %s moves to a machine with none of its cluster", command.replica)
                    continue
                logger.info("resident task of replica %s ended: %s", command.replica, error)
                if self._app.has_ended:
                    os._exit(EXIT_SPARK_ENDED)  # the coordinator starts another
                self._tell_why(command, f"Spark cannot run it: {reason_of(error)}", failed=True)
            finally:
                ended.set()
            if monotonic() - began > HEALTHY_S:
                pauses.reset()
            stop.wait(pauses.endless())

    def _run_resident(self, command: StartReplica) -> None:
        """Once.  What Spark carries to its tasks, on a channel of its own, has the secret."""
        given = command, self._blobs, self._root, self._cache
        machines = Layout(command.workers, command.per_machine).machines
        if machines == 1:
            self._app.run_resident(command.replica, partial(run_replica, *given), command.cores)
        else:
            work = partial(run_on_machine, *given)
            self._app.run_together(command.replica, work, command.cores, machines)

    def _look_for(self, command: StartReplica, ended: threading.Event) -> None:
        """Says that no executor has room for the replica, whenever that has been so for long; one that is misplaced moves."""
        cores = f"{command.cores} core{'s' if command.cores > 1 else ''}"
        machines = Layout(command.workers, command.per_machine).machines
        reason = f"no executor of {self._app.master} has {cores} free for it"
        if machines > 1:
            reason = f"no {machines} executors of {self._app.master} have {cores} each free for it"
        waits_since, said = monotonic(), False
        while not ended.wait(LOOK_FOR_S):
            if self._app.is_placed(command.replica):
                waits_since, said = monotonic(), False
                self._app.spread(command.replica)
            elif not said and monotonic() - waits_since > ROOM_WITHIN_S and not ended.is_set():
                said = True
                self._tell_why(command, reason, failed=False)

    def _tell_why(self, command: StartReplica, reason: str, *, failed: bool) -> None:
        logger.warning("replica %s: %s", command.replica, reason)
        with suppress(ConnectionError):  # the coordinator is gone, and this process with it
            self._connection.send(ReplicaWaits(command.replica, command.epoch, failed, reason))

    def _run_job(self, command: RunJob | RunTasks) -> None:
        try:
            if isinstance(command, RunTasks):
                finished = run_tasks(self._app, command, self._root, self._connection.send)
            else:
                finished = run_job(self._app, command, self._blobs, self._root, self._connection.send)
        except Exception as error:  # the coordinator decides what becomes of the dataflow
            logger.exception("job %d failed", command.job_id)
            finished = JobFinished(command.job_id, (), (), 0, 0.0, error=f"{type(error).__name__}: {error}")
        self._connection.send(finished)


def serve(
    app: Application, address: str, secret: bytes, directory: Path, blobs: str, dialled: Callable[[], None]
) -> None:
    """Dials the coordinator, says so, and serves it; returns when it is gone."""
    cache = ColumnCache(directory / "columns")
    cache.clear()
    app.on_jvm_exit(lambda: os._exit(EXIT_JVM_DIED))
    try:
        connection = dialled_coordinator(UnixAddress(address), secret)
        dialled()
        connection.send(DriverHello(os.getpid(), app.version, app.master))
        welcome = connection.receive()
        if isinstance(welcome, DriverWelcome):  # otherwise it has ended
            # Of jobs of a driver that has died; what is published the coordinator removes.
            shutil.rmtree(welcome.files.here().path(PAYLOADS), ignore_errors=True)
            Driver(connection, blobs, welcome.files, cache, app).run()
    finally:
        app.stop()


def dialled_coordinator(address: UnixAddress, secret: bytes) -> Connection:
    """The coordinator may still be starting, and not know yet that this driver is its own."""
    deadline = monotonic() + DIALLED_WITHIN_S
    while True:
        try:
            return dial(address, Hello(DRIVER, 0, 0, os.getpid()), secret)
        except (FileNotFoundError, ConnectionRefusedError, Refused) as error:
            if isinstance(error, Refused):
                deadline = min(deadline, monotonic() + KNOWN_WITHIN_S)
            if monotonic() > deadline:
                raise ConnectionError(
                    f"the coordinator does not answer on the control socket {address.path}: {error}"
                ) from error
            sleep(REFUSED_S if isinstance(error, Refused) else DIAL_S)
