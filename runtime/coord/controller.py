"""The controller keeps every cluster running what the catalog says.

It owns the socket on which replicas and the driver dial in, installs objects on replicas (again, whenever one comes
back), passes commits on to those who read them, commits what views and sources produce, and knows what is hydrated.
"""

from __future__ import annotations

import asyncio
import logging
import os
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from ..compute.checkpoint import Checkpoint
from ..config import ClusterOptions, Settings
from ..errors import ObjectNotReady, PtvcError, ReplicaUnavailable
from ..expr.relation import GlobalId
from ..persist.client import PersistClient, ShardId
from ..replica.protocol import (
    Append,
    Checkpointed,
    DataflowStatistics,
    DriverHello,
    Hydrated,
    Ingest,
    Ingested,
    JobFinished,
    JobProgress,
    LargeSteps,
    LimitMemory,
    Message,
    PeekFailed,
    PeekRows,
    Progress,
    ReplicaHello,
    SinkProgress,
    StartReplica,
    StateLost,
    Status,
    StepJob,
    StopReplica,
    Updates,
    encode,
    job_writer,
    receive,
    replica_writer,
)
from ..sql.plans import ItemKind
from .catalog import Catalog, ClusterEntry, Item
from .clusters import Clusters
from .collections import Collections, Failure
from .compaction_jobs import CompactionJobs
from .driver_process import Driver, Launch
from .group_commit import GroupCommit
from .installation import HYDRATION_LEASE_MS, Installation
from .jobs import Jobs
from .oracle import Oracle
from .outputs import Outputs
from .reads import ActiveReads
from .remap import Remap
from .replicas import Installing, ReplicaClient
from .shared_indexes import shared_by
from .step_jobs import StepJobs

logger = logging.getLogger(__name__)

SOCKET_NAME = "control.sock"
MAX_SOCKET_PATH = 100
FIRST_RETRY_S = 5.0
LONGEST_RETRY_S = 300.0
PATIENCE_MS = HYDRATION_LEASE_MS
"""Indexes are kept readable for so long for what is being installed: as long as the inputs of its hydration."""
OUTWARD = (ItemKind.SOURCE, ItemKind.SINK)
"""What talks to the outside: it runs once, on a cluster's leader."""


@dataclass(frozen=True, slots=True)
class ObjectStatus:
    state: str
    reason: str | None
    since_ms: int


class Controller:
    """Everything here runs on the coordinator's event loop."""

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        persist: PersistClient,
        oracle: Oracle,
        collections: Collections,
        catalog: Catalog,
        reads: ActiveReads,
        now_ms: Callable[[], int],
        epoch: int,
        launch: Launch,
    ) -> None:
        self._launch = launch
        self._directory = directory
        self._settings = settings
        self._persist = persist
        self._oracle = oracle
        self._collections = collections
        self._catalog = catalog
        self._reads = reads
        self.now_ms = now_ms
        self._commit: GroupCommit
        self.clusters = Clusters()
        # Unique over all coordinators of the environment: epochs name the writers of blobs.
        self._epochs = count(epoch << 32)
        self._driver_writer: asyncio.StreamWriter | None = None
        self._driver: Driver | None = None
        self._server: asyncio.Server | None = None
        self._background: set[asyncio.Task[None]] = set()
        self.jobs = Jobs(epoch, self._to_driver, now_ms)
        self._steps = StepJobs(self.jobs, settings)
        self.compactions = CompactionJobs(self.jobs, persist, settings)
        self.remap = Remap(persist)
        self.statuses: dict[GlobalId, ObjectStatus] = {}
        self.ingested: dict[GlobalId, dict[str, int]] = {}
        self.sink_progress: dict[GlobalId, SinkProgress] = {}
        self._installation = Installation(
            self, settings, persist, oracle, collections, catalog, reads, directory
        )

    # -- life --

    async def start(self, commit: GroupCommit) -> None:
        """Opens the control socket and starts the driver; replicas follow when Spark is up."""
        self._commit = commit
        address = _socket_path(self._directory)
        address.unlink(missing_ok=True)
        old_mask = os.umask(0o177)  # whoever can open the socket can run code
        try:
            self._server = await asyncio.start_unix_server(self._connected, str(address))
        finally:
            os.umask(old_mask)
        for cluster in self._catalog.cluster_entries():
            self.set_cluster(cluster)
        self._driver = self._launch(str(address), self._directory, self._driver_ended)
        self._driver.start()

    async def stop(self) -> None:
        self.compactions.stop()
        for replica in self.clusters:
            replica.detach()
        if self._driver_writer is not None:
            self._driver_writer.close()
        if self._server is not None:
            self._server.close()
        if self._driver is not None:
            await self._driver.stop()

    @property
    def closed(self) -> int:
        """The oracle's frontier: everything stamped is complete below it."""
        return self._oracle.closed

    def since(self, shard: ShardId) -> int:
        return self._persist.state(shard).since

    @property
    def driver_pid(self) -> int | None:
        return self._driver.pid if self._driver is not None else None

    # -- clusters --

    def set_cluster(self, cluster: ClusterEntry) -> None:
        """Starts or stops replicas, so that there are as many as the cluster's options say."""
        added, removed = self.clusters.set_replicas(cluster)
        for replica in removed:
            self._stop_replica(replica, ReplicaUnavailable(f"replica {replica.name} was dropped"))
        for replica in added:
            self._start_replica(replica)
        for replica in self.clusters.of(cluster.name):
            if replica.connected.is_set():
                self._send_limits(replica)
                self._try_failed(replica)
        names = {replica.name for replica in self.clusters.of(cluster.name)}
        for item in self._catalog.user_items():
            if item.cluster == cluster.name:
                self._installation.checkpoints.retain(item.id, names)
        self._spawn(self._elect(cluster.name))

    def _send_limits(self, replica: ReplicaClient) -> None:
        """What the options of its cluster, or the settings, say to the replica."""
        entry = self._catalog.cluster(replica.cluster)
        own = ClusterOptions.from_mapping(entry.options if entry is not None else {})
        limit = self._settings.memory_limit_mb << 20 if own.memory_limit is None else own.memory_limit
        replica.send(LimitMemory(limit or None))
        rows = self._settings.step_job_min_rows if own.job_min_rows is None else own.job_min_rows
        replica.send(LargeSteps(rows))

    def _try_failed(self, replica: ReplicaClient) -> None:
        """Installs once more what the replica has given up: the options of its cluster have changed."""
        for id_ in sorted(replica.failed & replica.installed):
            if (item := self._catalog.find_by_id(id_)) is not None and item.kind not in OUTWARD:
                replica.failed.discard(id_)
                self._steps.cancel(replica, id_)
                replica.unsubscribe(self._installation.subscribed(id_))
                replica.installed.discard(id_)
                self.set_status(id_, "starting", None)
                self._install_on(replica, item)

    def drop_cluster(self, cluster: ClusterEntry) -> None:
        for replica in self.clusters.remove(cluster.name):
            self._stop_replica(replica, ReplicaUnavailable(f'cluster "{cluster.name}" was dropped'))

    def _stop_replica(self, replica: ReplicaClient, why: PtvcError) -> None:
        replica.failure = why
        self._send_driver(StopReplica(replica.id))
        self._detach(replica)

    def writers(self) -> frozenset[str]:
        """Everyone who may have written blobs that are not appended yet.  May be asked from any thread."""
        replicas = (replica_writer(r.id, *r.attempt) for r in self.clusters)
        jobs = (job_writer(job_id) for job_id in self.jobs.unsettled())
        return frozenset((self._persist.writer_id, *replicas, *jobs))

    def _start_replica(self, replica: ReplicaClient) -> None:
        self._send_driver(StartReplica(replica.id, next(self._epochs)))

    # -- objects --

    def install(self, item: Item) -> None:
        """Starts whatever the item needs running; returns at once."""
        if item.cluster is None:
            return
        for replica in self.clusters.of(item.cluster):
            if replica.connected.is_set() and (item.kind not in OUTWARD or self.clusters.leads(replica)):
                self._install_on(replica, item)

    def uninstall(self, item: Item) -> None:
        self.compactions.cancel(item.id, item.shard)
        if item.cluster is None:
            return
        for replica in self.clusters.of(item.cluster):
            if item.id in replica.installed:
                replica.unsubscribe(self._installation.subscribed(item.id))
            self._steps.cancel(replica, item.id)
            replica.uninstall(item.id)
        self._installation.forget(item.id)
        for table in (self.statuses, self.jobs.hydrations, self.ingested):
            table.pop(item.id, None)

    def _install_on(self, replica: ReplicaClient, item: Item) -> None:
        tried: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        replica.installing[item.id] = Installing(tried, self.now_ms())
        task = asyncio.create_task(self._try_install(replica, item, tried), name=f"install {item.full_name}")
        replica.tasks.add(task)
        task.add_done_callback(replica.tasks.discard)
        task.add_done_callback(lambda _: _tried(replica, item.id, tried))

    async def _try_install(self, replica: ReplicaClient, item: Item, tried: asyncio.Future[None]) -> None:
        """Installs the item, trying again with growing delays: what fails (a full disk, a job) may pass.  `tried` is
        done after the first attempt."""
        delay = FIRST_RETRY_S
        while self._catalog.find_by_id(item.id) is not None:
            try:
                await self._installation.install(replica, item)
                return
            except ReplicaUnavailable as error:
                # Everything is installed again as soon as the replica is back: nobody is told that it has failed.
                logger.info("%s waits to be installed: %s", item.full_name, error)
                return
            except Exception as error:
                if self._catalog.find_by_id(item.id) is None:
                    logger.info("%s was dropped while it was being installed", item.full_name)
                    return
                self._cannot_install(item, error)
            _tried(replica, item.id, tried)
            await asyncio.sleep(delay)
            delay = min(delay * 2, LONGEST_RETRY_S)

    def _cannot_install(self, item: Item, error: Exception) -> None:
        if not isinstance(error, PtvcError):
            logger.error("cannot install %s", item.full_name, exc_info=error)
            self.set_status(item.id, "failed", f"internal error: {error!r}")
            return
        logger.warning("cannot install %s: %s", item.full_name, error)
        waited = isinstance(error, ObjectNotReady)
        failure = Failure(error.message, error.sqlstate, error.hint) if waited else None
        self.set_status(item.id, "failed", error.message, failure)

    def hydrated(self, replica: ReplicaClient, hydration: Hydrated) -> None:
        """The replica holds the object's inputs as of the beginning, and follows them from there."""
        replica.hydrated[hydration.id] = hydration
        self._installation.release(replica, hydration.id)
        self.set_status(hydration.id, "running", None)

    def set_status(
        self, id: GlobalId, state: str, reason: str | None, failure: Failure | None = None
    ) -> None:
        self.statuses[id] = ObjectStatus(state, reason, self.now_ms())
        if state == "failed":
            self._fail(id, failure or Failure(reason or "unknown reason"))
        else:
            self._recover(id)

    def _recover(self, id: GlobalId) -> None:
        """The object goes on, and so does what waited for it alone."""
        self._collections.recover(id)
        for dependent in self._catalog.dependents(id):
            status = self.statuses.get(dependent.id)
            if status is None or status.state != "failed":
                self._recover(dependent.id)

    def _fail(self, id: GlobalId, failure: Failure) -> None:
        """The object, and everything that is maintained from it, goes no further."""
        self._collections.fail(id, failure)
        for dependent in self._catalog.dependents(id):
            reason = f'"{self._catalog.get(id).name}", which it reads, failed: {failure.reason}'
            self._fail(dependent.id, replace(failure, reason=reason))

    def is_hydrated(self, id: GlobalId) -> bool:
        return self.clusters.hydration(id) is not None

    # -- commits --

    def on_commit(self, updates: tuple[Updates, ...]) -> None:
        """Tells every replica what it reads of a commit, and how far time has come."""
        for replica in self.clusters:
            if replica.connected.is_set():
                relevant = tuple(u for u in updates if u.id in replica.subscriptions)
                replica.send(Progress(self._oracle.closed, self._index_since(replica), relevant))
        self._collections.wake()

    def _index_since(self, replica: ReplicaClient) -> int:
        """From when on indexes are read.  While something is installed that may share them, they are left alone, as it
        has yet to say when it begins; but not for ever, as they grow: then it holds the arrangement itself."""
        begun = self.now_ms() - PATIENCE_MS
        for id_, installing in replica.installing.items():
            item = self._catalog.find_by_id(id_)
            if item is not None and installing.begun_ms > begun and shared_by(item):
                return 0
        return self._reads.since()

    def tick(self) -> None:
        """Moves time on when nothing is written."""
        self._oracle.tick()
        self.on_commit(())

    async def commit_view(self, update: Updates) -> None:
        """Commits an output that did not come from a replica, and lets its readers know."""
        await self._commit.append((update,))
        self._forward(((update.id, update.upper),))

    def sink_upper(self, item: Item) -> int:
        """Everything below is known to be in the sink's target; the target itself may be further."""
        if (progress := self.sink_progress.get(item.id)) is not None:
            return progress.upper
        assert item.remap is not None
        position = self.remap.position(item.remap)
        return int(position) if position is not None else int(item.options["as_of"]) + 1

    # -- connections --

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            match await receive(reader):
                case DriverHello() as hello:
                    await self._serve_driver(hello, reader, writer)
                case ReplicaHello() as hello:
                    await self._serve_replica(hello, reader, writer)
                case _:
                    logger.warning("a process on the control socket did not say who it is")
        except asyncio.CancelledError:
            return  # the coordinator is stopping
        finally:
            writer.close()

    def _send_driver(self, message: Message) -> None:
        if self._driver_writer is not None:
            self._driver_writer.write(encode(message))

    def _to_driver(self, message: Message) -> None:
        if self._driver_writer is None:
            raise ReplicaUnavailable("Spark is not running")
        self._driver_writer.write(encode(message))

    def _driver_ended(self, failure: PtvcError | None) -> None:
        """`failure` says why it could not be started: queries hear of it.  One that was up will be back."""
        for replica in self.clusters:
            self._detach(replica)
            replica.failure = failure

    def _detach(self, replica: ReplicaClient) -> None:
        """What was in the replica's memory is gone; what others of the cluster hold is not."""
        installed = list(replica.installed)
        replica.detach()
        self.clusters.resign(replica)
        for id_ in installed:
            self._installation.release(replica, id_)
            self._collections.reset_unstored(id_, self.clusters.frontier(id_))

    async def _elect(self, cluster: str) -> None:
        """Gives the cluster a leader if it has none, and the leader its sources and sinks."""
        # What the old leader had under way is settled before anyone goes on from where it was.
        await self._commit.drained()
        self._install_outward(cluster)

    def _install_outward(self, cluster: str) -> None:
        if (leader := self.clusters.elect(cluster)) is not None:
            for item in self._catalog.user_items():
                if item.cluster == cluster and item.kind in OUTWARD:
                    self._install_on(leader, item)

    async def _serve_driver(
        self, hello: DriverHello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        logger.info("Spark %s is up: %s, driver pid %d", hello.spark_version, hello.master, hello.pid)
        self._driver_writer = writer
        assert self._driver is not None
        self._driver.healthy()
        for replica in self.clusters:
            replica.failure = None
            self._start_replica(replica)
        while (message := await receive(reader)) is not None:
            match message:
                case JobProgress():
                    self.jobs.progressed(message)
                case JobFinished():
                    self.jobs.finished(message)
                case _:
                    raise TypeError(f"the driver does not say {type(message).__name__}")
        if self._driver_writer is writer:
            self._driver_writer = None
        self.jobs.driver_ended()

    async def _serve_replica(
        self, hello: ReplicaHello, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        replica = self.clusters.find(hello.replica)
        if replica is None or (hello.epoch, hello.attempt) <= replica.attempt:
            return  # dropped, or an attempt that a newer one has replaced: closing the connection ends it
        self._detach(replica)
        replica.attach(writer, (hello.epoch, hello.attempt), hello.pid)
        # What the previous attempt had under way is settled before anyone looks at frontiers.
        await self._commit.drained()
        if not replica.owns(writer):
            return
        logger.info("replica %s is up: attempt %d, pid %d", replica.id, hello.attempt, hello.pid)
        replica.ready()
        replica.send(Progress(self._oracle.closed, since=0))  # until what shares indexes is there again
        self._send_limits(replica)
        for item in self._catalog.user_items():
            if item.cluster == replica.cluster and item.kind not in OUTWARD:
                self._install_on(replica, item)
        self._install_outward(replica.cluster)
        outputs = Outputs(
            replica,
            writer,
            self._commit,
            self._collections,
            self._installation.checkpoints,
            self._forward,
            self._spawn,
        )
        committer = asyncio.create_task(outputs.run())
        try:
            while (message := await receive(reader)) is not None and replica.owns(writer):
                self._handle(replica, writer, message, outputs)
        finally:
            committer.cancel()
            if replica.owns(writer):
                logger.warning("replica %s went away", replica.id)
                self._detach(replica)
                self._spawn(self._elect(replica.cluster))

    def _handle(
        self,
        replica: ReplicaClient,
        writer: asyncio.StreamWriter,
        message: Message,
        outputs: Outputs,
    ) -> None:
        match message:
            case Append() | Checkpointed():
                outputs.put(message)
            case StepJob():
                self._steps.start(replica, message)
            case StateLost(id=id_, reason=reason):
                self._install_without_state(replica, id_, reason)
            case PeekRows() | PeekFailed():
                replica.answered(message)
            case Ingest():
                self._spawn(self._ingest(replica, writer, message))
            case Hydrated(id=id_):
                self.hydrated(replica, message)
            case Status(id=id_, state="failed", reason=reason, sqlstate=sqlstate, hint=hint):
                replica.failed.add(id_)
                self._steps.cancel(replica, id_)
                self._installation.release(replica, id_)
                logger.warning("%s failed on replica %s: %s", id_, replica.id, reason)
                if self.clusters.failed(replica.cluster, id_):
                    failure = None
                    if sqlstate is not None:
                        failure = Failure(reason or "", sqlstate, hint)
                    self.set_status(id_, "failed", reason, failure)
            case Status(id=id_, state=state, reason=reason):
                self.set_status(id_, state, reason)
            case SinkProgress(id=id_):
                self.sink_progress[id_] = message
            case DataflowStatistics(id=id_):
                replica.operators[id_] = message
            case _:
                raise TypeError(f"the coordinator does not understand {type(message).__name__}")

    def _install_without_state(self, replica: ReplicaClient, id: GlobalId, reason: str) -> None:
        """What the replica was to go on from is damaged: it hydrates."""
        replica.unsubscribe(self._installation.subscribed(id))
        replica.installed.discard(id)
        self._installation.release(replica, id)
        self._installation.checkpoints.reject(id, replica.name, reason)
        if (item := self._catalog.find_by_id(id)) is not None:
            self._install_on(replica, item)

    def checkpoint(self, id: GlobalId, replica: ReplicaClient) -> Checkpoint | None:
        """What the replica would go on from with the object."""
        return self._installation.checkpoints.get(id, replica.name)

    def checkpoint_cut(self, id: GlobalId) -> int | None:
        """The time from which a restart of a replica reads the object's inputs again, if it has a checkpoint."""
        return self._installation.checkpoints.cut(id)

    def _forward(self, uppers: tuple[tuple[GlobalId, int], ...]) -> None:
        """Frontiers of views, to whoever reads them by way of persist."""
        for replica in self.clusters:
            relevant = tuple(u for u in uppers if u[0] in replica.subscriptions)
            if relevant:
                replica.send(Progress(self._oracle.closed, self._index_since(replica), (), relevant))

    async def _ingest(self, replica: ReplicaClient, writer: asyncio.StreamWriter, message: Ingest) -> None:
        """Commits data and position together.  An attempt that was replaced commits nothing any more."""
        if not replica.owns(writer):
            return
        item = self._catalog.find_by_id(message.id)
        if item is None or item.remap is None:
            replica.send(Ingested(message.id, None))
            return
        remap = item.remap
        parts = self.remap.parts(remap, message.position)
        try:
            outcome = await self._commit.write(
                {message.id: message.parts},
                companions={remap: parts},
                on_durable=lambda: self.remap.committed(remap, message.position),
            )
        except PtvcError as error:
            # The source reads the same records again once its replica is back.
            logger.error("cannot commit for source %s: %s", item.name, error)
            writer.close()
            return
        assert isinstance(outcome, int)  # an ingest expects nothing, so nothing can conflict
        self.ingested[message.id] = message.statistics
        if replica.owns(writer):
            replica.send(Ingested(message.id, outcome))

    def _spawn(self, work: Coroutine[None, None, None]) -> None:
        """Runs `work` to its end, whatever becomes of the replica that it is for."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _tried(replica: ReplicaClient, id: GlobalId, tried: asyncio.Future[None]) -> None:
    """The first attempt at an installation is over."""
    if (installing := replica.installing.get(id)) is not None and installing.tried is tried:
        del replica.installing[id]
    if not tried.done():
        tried.set_result(None)


def _socket_path(directory: Path) -> Path:
    """In the environment's directory, unless that is too deep for the address of a Unix socket."""
    path = directory / SOCKET_NAME
    if len(os.fsencode(path)) <= MAX_SOCKET_PATH:
        return path
    return Path(tempfile.mkdtemp(prefix="ptvc-")) / SOCKET_NAME
