"""A whole runtime inside the test process: coordinator, pgwire listener, and replicas in threads instead of Spark.

Everything is the real thing except for the driver: `ThreadDriver` dials the control socket as the Spark driver does, and
runs each resident task in a thread.  It starts in a fraction of a second and needs no JVM.  `kill_replica` and
`abandon` are the crashes.  With `jobs`, it runs the tasks of jobs as well, one after the other; without, jobs fail.  With
`spark`, the driver is the real one, too.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import sys
import tempfile
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import chain, count
from pathlib import Path
from time import monotonic, sleep
from typing import Any, TypeVar

import psycopg
from ptvc.clock import Clock, SystemClock
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.shared_files import SharedRoot
from ptvc.config import Settings
from ptvc.coord.catalog.items import Maintained
from ptvc.coord.controller.driver_process import OnExit, launching
from ptvc.coord.coordinator import Coordinator
from ptvc.coord.storage.storage import Storage
from ptvc.directory import new_secret
from ptvc.http.listener import HttpListener, listen
from ptvc.http.protocol import Bounds
from ptvc.network.certificates import Certificates
from ptvc.network.ports import bind
from ptvc.persist.client import PersistClient
from ptvc.persist.column_cache import ColumnCache
from ptvc.persist.compact import UNLIMITED
from ptvc.persist.location import open_blob
from ptvc.persist.stores import Stores, locate, open_stores
from ptvc.pgwire.listener import Limits, Listener, serve
from ptvc.pgwire.passwords import of_roles
from ptvc.replica.driving import dialled_coordinator
from ptvc.replica.main import Replica
from ptvc.replica.protocol import (
    CancelJob,
    Connection,
    DriverHello,
    DriverWelcome,
    Hello,
    JobFinished,
    Message,
    RunJob,
    StartReplica,
    StopReplica,
    UnixAddress,
    dial,
)
from ptvc.replica.workers.layout import Layout
from ptvc.replica.workers.member import Start
from ptvc.replica.workers.spread import machine_address
from ptvc.supervision import Supervisor
from replica.workers.machines import Machines, address

T = TypeVar("T")

WAIT_S = 120.0
FAST = Settings(
    tick_ms=50,
    compaction_interval_ms=200,
    retain_history_ms=100,
    spill_rows=16,
    checkpoint_rows=5,
    checkpoint_interval_ms=100,
    duckdb_min_rows=1,
)
"""Settings under which everything that happens by the clock happens soon, and what DuckDB computes of many rows it does of few."""


def counted(connection: Connection, received: Counter[type]) -> Connection:
    """Counts what comes, by its type."""
    receive = connection.receive

    def counting() -> Message | None:
        message = receive()
        received[type(message)] += 1
        return message

    connection.receive = counting  # type: ignore[method-assign]
    return connection


class _Threads(Machines):
    """Those of an attempt of a replica, which see the same files."""

    def __init__(self, layout: Layout, start: Start) -> None:
        self._start = start
        super().__init__(layout)

    def start(self, machine: int) -> Start:
        return replace(self._start, machine=address(machine))


def _stack(thread: threading.Thread) -> str:
    """Where the thread is."""
    frame = sys._current_frames().get(thread.ident or 0)
    return "".join(traceback.format_stack(frame)) if frame is not None else "it has ended"


class ThreadDriver:
    """Implements `ptvc.coord.controller.driver_process.Driver`; every attempt of a replica is a thread.  `members` are the
    processes that the latest attempt of each leads."""

    def __init__(
        self,
        address: str,
        blobs: str,
        on_exit: OnExit,
        jobs: bool = False,
        machines: Callable[[str], Path] | None = None,
    ) -> None:
        """`machines` gives the folder of the machine on which an attempt of a replica, or a job, runs, if files are copied."""
        self._address = address
        self._machines = machines
        self._files = SharedRoot()
        self.secret = new_secret()
        self._blobs = blobs
        self._cache = ColumnCache(Path(address).parent / "columns")
        self._jobs = jobs
        self.jobs_may_run = threading.Event()
        self.jobs_may_run.set()
        self.replicas_may_start = threading.Event()
        self.replicas_may_start.set()
        self.job_failure: str | None = None
        self.jobs: list[RunJob] = []
        self.started: list[StartReplica] = []
        self.ended: list[StopReplica] = []
        self.received: Counter[type] = Counter()
        self.members: dict[str, list[int]] = {}
        self._attempts = count(1)
        self._stopped: dict[str, threading.Event] = {}
        self._connections: dict[str, Connection] = {}
        self._connected = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._paused: set[str] = set()
        self._connection: Connection | None = None
        self._latest: threading.Thread | None = None
        self._dead = False
        self.connected = 0

    def start(self) -> None:
        self._dead, self._connection = False, None
        self._cache.clear()
        self._latest = self._spawn(self._run, "driver")

    def healthy(self) -> None:
        self.connected += 1

    async def stop(self) -> None:
        await asyncio.to_thread(self.die)

    def die(self) -> None:
        """Cuts every connection, and returns when all threads have ended, but for a driver's that still dials: it ends with that."""
        self._dead = True
        for stopped in self._stopped.values():
            stopped.set()
        for connection in [*self._connections.values(), self._connection]:
            if connection is not None:
                connection.close()
        dialling = self._latest if self._connection is None else None
        for thread in self._threads:
            if thread is dialling:
                continue
            thread.join(WAIT_S)
            assert not thread.is_alive(), f"{thread.name} does not end:\n{_stack(thread)}"

    def kill(self, replica: str) -> None:
        """Cuts the connection of the replica's latest attempt, once there is one: the resident task ends and is tried again."""
        with self._connected:
            begun = self._connected.wait_for(lambda: replica in self._connections, WAIT_S)
            assert begun, f"no attempt of {replica} has begun"
            self._connections[replica].close()

    def pause(self, replica: str) -> None:
        """As `kill`, and the resident task is not tried again before `resume`."""
        with self._connected:
            self._paused.add(replica)
            if (connection := self._connections.get(replica)) is not None:
                connection.close()

    def resume(self, replica: str) -> None:
        self._paused.discard(replica)

    def forget_columns(self) -> None:
        """Whatever parts were decoded to is to be decoded anew."""
        self._cache.clear()

    def _spawn(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()
        return thread

    def _run(self) -> None:
        try:
            self._connection = connection = dialled_coordinator(UnixAddress(self._address), self.secret)
        except ConnectionError:
            return  # the coordinator was killed before it has answered
        try:
            if self._dead:
                raise ConnectionError
            connection.send(DriverHello(os.getpid(), "none", "threads"))
        except ConnectionError:
            connection.end()
            return
        while (message := connection.receive()) is not None:
            match message:
                case DriverWelcome(files=files):
                    self._files = files
                case StartReplica(replica=replica):
                    self.started.append(message)
                    self._stopped[replica] = stopped = threading.Event()
                    if self._dead:  # it was on its way
                        stopped.set()
                    self._spawn(
                        lambda m=message, s=stopped: self._resident(m, s),  # type: ignore[misc]
                        f"replica {replica}",
                    )
                case StopReplica(replica=replica):
                    self.ended.append(message)
                    self._stopped[replica].set()
                case RunJob():
                    self.received[RunJob] += 1
                    self.jobs.append(message)
                    self._spawn(lambda m=message: self._run_job(connection, m), "job")  # type: ignore[misc]
                case CancelJob():
                    pass  # nobody listens to what they say
                case _:
                    raise TypeError(message)

    def _run_job(self, connection: Connection, command: RunJob) -> None:
        error = None if self._jobs else "there is no Spark in this process"
        while not self.jobs_may_run.wait(0.05):
            if any(stopped.is_set() for stopped in self._stopped.values()):
                return
        if error is None and (error := self.job_failure) is None:
            from compute.spark.local_job import LocalApplication  # takes a while, as it imports PySpark
            from ptvc.replica.jobs import run_job

            try:
                with tempfile.TemporaryDirectory(prefix="permits") as permits:
                    machine = None if self._machines is None else self._machines(f"job-{command.job_id}")
                    application = LocalApplication(Path(permits), machine)
                    finished = run_job(application, command, self._blobs, self._files, connection.send)
            except Exception as failure:
                error = repr(failure)
        if error is not None:
            finished = JobFinished(command.job_id, (), (), 0, 0.0, error)
        with suppress(ConnectionError):
            connection.send(finished)

    def _resident(self, start: StartReplica, stopped: threading.Event) -> None:
        replica, epoch = start.replica, start.epoch
        while not stopped.is_set():
            if replica in self._paused or not self.replicas_may_start.is_set():
                stopped.wait(0.02)
                continue
            attempt = next(self._attempts)
            try:
                hello = Hello(replica, epoch, attempt, os.getpid())
                connection = counted(dial(start.address, hello, start.secret), self.received)
            except OSError:
                return  # the coordinator is gone
            with self._connected:
                self._connections[replica] = connection
                self._connected.notify_all()
                paused = replica in self._paused
            if stopped.is_set():
                connection.end()
                return
            if paused:  # meanwhile
                connection.end()
                continue
            writer = f"replica-{replica}-{epoch}-{attempt}"
            blob = open_blob(self._blobs)
            files = self._files.here()
            if self._machines is not None:
                files = self._files.on_machine(self._machines(writer))
            layout, members = Layout(start.workers, start.per_machine), None
            machine = machine_address(start.address)
            if layout.is_spread:
                machine = address(0)
                machines = _Threads(layout, Start(blob, files, writer, dict(os.environ)))
                machines.serve_all()
                members = machines.members()
            made = Replica(
                connection,
                blob,
                files,
                self._cache,
                writer,
                kill=connection.close,
                workers=start.workers,
                machine=machine,
                members=members,
            )
            self.members[replica] = made.members
            with suppress(WorkerLost):
                made.run()
            stopped.wait(0.02)


class InProcess:
    """One environment in `directory`; it can be stopped, crashed, and started again.  `consensus` and `blob` are the URLs of
    its stores, `certificates` what its listeners show."""

    def __init__(
        self,
        directory: Path,
        settings: Settings = FAST,
        clock: Clock | None = None,
        jobs: bool = False,
        spark: bool = False,
        blob: str | None = None,
        consensus: str | None = None,
        http: bool = False,
        certificates: Certificates | None = None,
        machines: Callable[[str], Path] | None = None,
    ) -> None:
        self.directory = directory
        self._machines = machines
        self._http = http
        self._certificates = certificates
        self.consensus = consensus
        self.blob = blob
        self.spark = spark
        self._jobs = jobs
        self.settings = settings
        self.clock = clock or SystemClock()
        self.limits = Limits(failed_login_seconds=self.settings.failed_login_delay_ms / 1000)
        self.fenced = threading.Event()
        self.failures: list[BaseException] = []
        self.unhandled: list[dict[str, Any]] = []
        self.stores: Stores
        self.coordinator: Coordinator
        self.driver: ThreadDriver
        self.port = 0
        self.http_port = 0
        self._listener: Listener
        self._web: HttpListener | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._abandoned: list[
            tuple[asyncio.AbstractEventLoop, Listener, HttpListener | None, Coordinator]
        ] = []

    def start(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(lambda _, context: self.unhandled.append(context))
        self._thread = _loop_thread(self._loop)
        self.run(self._start())

    async def _start(self) -> None:
        location = locate(self.directory, self.consensus, self.blob)
        self.stores = stores = open_stores(self.directory, location)

        def launch(address: str, directory: Path, on_exit: OnExit) -> ThreadDriver:
            self.driver = ThreadDriver(address, stores.location.blob, on_exit, self._jobs, self._machines)
            return self.driver

        failures = self.failures  # of this process; see `abandon`
        supervisor = Supervisor(lambda name, error: failures.append(error))
        made = launching(self.settings, stores.location.blob, supervisor) if self.spark else launch
        self.coordinator = Coordinator(
            Storage(stores, self.clock),
            self.directory,
            self.settings,
            self.clock,
            supervisor,
            self.fenced.set,
            made,
        )
        await self.coordinator.start()
        self._listener = await serve(
            bind("127.0.0.1", 0),
            self.coordinator,
            passwords=of_roles(self.coordinator),
            is_superuser=self.coordinator.is_superuser,
            limits=self.limits,
            certificates=self._certificates,
            on_refused=self.coordinator.audit.refused,
        )
        self.port = self._listener.port
        if self._http:
            bounds = Bounds(
                self.settings.http_max_connections,
                self.settings.http_timeout_ms / 1000,
                self.settings.http_max_connections_per_address,
            )
            tls = None if self._certificates is None else self._certificates.http_context
            supervisor = Supervisor(lambda name, error: failures.append(error))
            webhooks = self.coordinator.webhooks
            # The port is kept, so that clients find the next one.
            self._web = await listen(bind("127.0.0.1", self.http_port), webhooks, bounds, supervisor, tls)
            self.http_port = self._web.port

    def stop(self) -> None:
        """An orderly end; whatever was unhandled on the loop is a failure.  Abandoned predecessors are buried."""
        if self._loop is not None:
            self._end(self._loop, self._thread, self._listener, self._web, self.coordinator)
            self._loop = None
        for loop, listener, web, coordinator in self._abandoned:
            loop.set_exception_handler(lambda _, context: None)  # it is fenced, whatever it tries
            self._end(loop, _loop_thread(loop), listener, web, coordinator)
        self._abandoned.clear()
        assert self.unhandled == []
        assert self.failures == []

    @staticmethod
    def _end(
        loop: asyncio.AbstractEventLoop,
        thread: threading.Thread,
        listener: Listener,
        web: HttpListener | None,
        coordinator: Coordinator,
    ) -> None:
        async def stop() -> None:
            await asyncio.sleep(0.02)  # lets those in that are at the door
            await listener.close()
            if web is not None:
                await web.close()
            await coordinator.stop()
            if others := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.wait(others, timeout=WAIT_S)
            await asyncio.sleep(0.01)  # lets closed transports go

        asyncio.run_coroutine_threadsafe(stop(), loop).result(WAIT_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(WAIT_S)
        loop.close()

    def abandon(self) -> None:
        """The process 'dies': its loop stands still at once, nothing is flushed, every connection is cut."""
        loop = self._loop
        assert loop is not None

        async def die() -> None:
            # What the operating system does to the sockets of a process that was killed.
            control = self.coordinator.controller._listener
            for listening in chain.from_iterable(server.sockets for server in control._servers):
                loop.remove_reader(listening.fileno())
            # What it has accepted asyncio loses if the server is closed in the next moment: three turns of the loop hand it on.
            for _ in range(3):
                await asyncio.sleep(0)
            for wire in (*self._listener._tasks.values(), *control._strangers):
                with suppress(OSError):  # of a connection that is closed, whose task has not ended yet
                    wire.transport.get_extra_info("socket").shutdown(socket.SHUT_RDWR)
            if self._web is not None:
                self._web.die()
            control.close()
            loop.stop()

        asyncio.run_coroutine_threadsafe(die(), loop)
        self._thread.join(WAIT_S)
        self._loop = None
        self._abandoned.append((loop, self._listener, self._web, self.coordinator))
        self.failures = []  # what a process that is dead says counts no more
        self.driver.die()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The result of a coroutine on the coordinator's loop."""
        assert self._loop is not None
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(WAIT_S)

    def call(self, function: Callable[[], T]) -> T:
        """The result of a function on the coordinator's loop."""

        async def work() -> T:
            return function()

        return self.run(work())

    # -- what is durable --

    @property
    def persist(self) -> PersistClient:
        """The client that storage has, and the rest of the coordinator has not."""
        return self.coordinator.storage._persist

    def merge(self) -> None:
        """Has the batches of each collection be one, at the latest time where nothing is maintained from it."""
        self.run(self._merge())

    async def _merge(self) -> None:
        storage = self.coordinator.storage
        maintained = any(isinstance(item, Maintained) for item in self.coordinator.catalog.user_items())
        now = storage.oracle.read_time
        collections = storage.collections.all()
        readable_from = {
            of.id: storage.collections.frontiers(of.shard).since if maintained else now for of in collections
        }
        await storage.compact(readable_from, (), set(), None, UNLIMITED)
        for of in collections:
            await asyncio.to_thread(self.persist.compact, of.shard, force=True)

    # -- clients --

    @property
    def dsn(self) -> str:
        return f"host=127.0.0.1 port={self.port} user=ptvc dbname=ptvc"

    def connect(self, autocommit: bool = True, **more: Any) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(self.dsn, autocommit=autocommit, **more)

    def query(self, sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Rows of one statement on a connection of its own; [] for one without rows."""
        with self.connect() as connection:
            return rows(connection, sql, parameters)

    # -- replicas --

    def kill_replica(self, cluster: str = "quickstart", name: str | None = None) -> None:
        """That of this name, or else the cluster's first."""
        replicas = self.coordinator.controller.clusters.of(cluster)
        self.driver.kill(next(replica.id for replica in replicas if name in (None, replica.name)))


def _loop_thread(loop: asyncio.AbstractEventLoop) -> threading.Thread:
    thread = threading.Thread(target=loop.run_forever, name="coordinator", daemon=True)
    thread.start()
    return thread


def hydrated(db: psycopg.Connection[Any], *names: str) -> bool:
    """Whether all of these objects are."""
    found = rows(
        db,
        "SELECT o.name FROM mz_internal.mz_hydration_statuses h JOIN mz_catalog.mz_objects o ON o.id = h.object_id"
        " WHERE h.hydrated AND o.name = ANY(%s)",
        (list(names),),
    )
    return {name for (name,) in found} == set(names)


def rows(connection: psycopg.Connection[Any], sql: str, parameters: Any = None) -> list[tuple[Any, ...]]:
    cursor = connection.execute(sql, parameters)  # type: ignore[arg-type]
    return cursor.fetchall() if cursor.description is not None else []


def eventually(condition: Callable[[], Any], timeout_s: float = WAIT_S) -> None:
    """Waits until `condition` holds; for what the outside cannot be told of."""
    deadline = monotonic() + timeout_s
    while not condition():
        assert monotonic() < deadline, "it did not come about"
        sleep(0.01)


@contextmanager
def running(
    settings: Settings = FAST,
    clock: Clock | None = None,
    *,
    jobs: bool = False,
    spark: bool = False,
    blob: str | None = None,
    consensus: str | None = None,
    http: bool = False,
    certificates: Certificates | None = None,
) -> Iterator[InProcess]:
    """A fresh environment, deleted at the end."""
    directory = Path(tempfile.mkdtemp(prefix="ptvc-t-"))
    runtime = InProcess(directory, settings, clock, jobs, spark, blob, consensus, http, certificates)
    try:
        runtime.start()
        yield runtime
    finally:
        runtime.stop()
        shutil.rmtree(directory, ignore_errors=True)
