"""The controller keeps every cluster running what the catalog says.

```
ControlListener ─┬─ DriverClient ─── Jobs: hydrations, large steps, compactions, queries
                 └─ ReplicaConnection ─┬─ Outputs, Ingests ─── Storage ─── CommitFeed ─── who reads them
                                       └─ Installer ─── Installation
```

It starts and stops replicas, has objects installed on them (again, whenever one comes back), gives the objects that talk
to the outside to a cluster's leader, and is what others ask for the parts that it is put together from.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from itertools import count
from pathlib import Path

from ...compute.plan import DataflowPlan
from ...compute.shared_files import SharedRoot
from ...config import ClusterOptions, Settings
from ...directory import new_secret
from ...errors import PtvcError, ReplicaUnavailable
from ...expr.tree.relation import GlobalId
from ...replica.protocol import (
    DRIVER,
    DriverHello,
    DriverWelcome,
    Hello,
    Incoming,
    JobFinished,
    JobProgress,
    Outbox,
    ProtocolError,
    ReplicaWaits,
    StartReplica,
    StopReplica,
    Updates,
    job_payloads,
    job_writer,
    replica_writer,
)
from ...supervision import Supervisor
from ..catalog.catalog import Catalog
from ..catalog.entries import ClusterEntry
from ..catalog.items import AnySource, External, Item, Maintained, MaterializedView, Running, Sink, Stored
from ..secrets.key_ring import KeyRing
from ..storage.storage import Storage
from .checkpoints import Checkpoints
from .clusters import Clusters
from .commit_feed import CommitFeed
from .compaction_jobs import CompactionJobs
from .control_listener import ControlListener
from .driver_client import DriverClient
from .driver_process import Launch
from .hydration_jobs import HydrationJobs
from .ingests import Ingests
from .installation import Installation
from .installer import Installer
from .jobs import Jobs
from .output_commits import Outputs
from .replacement import Halts, Switch, adopt, repoint
from .replica_connection import ReplicaConnection
from .replicas import ReplicaClient, Shape
from .rescaling import HandOvers
from .sink_frontiers import SinkFrontiers
from .source_jobs import SourceJobs
from .statuses import Statuses
from .step_jobs import StepJobs

logger = logging.getLogger(__name__)


class Controller:
    """Everything here runs on the coordinator's event loop."""

    def __init__(
        self,
        directory: Path,
        settings: Settings,
        storage: Storage,
        catalog: Catalog,
        now_ms: Callable[[], int],
        launch: Launch,
        supervisor: Supervisor,
        keys: KeyRing,
    ) -> None:
        """`keys` open the secrets of connections."""
        self._settings = settings
        self._supervisor = supervisor
        self._storage = storage
        self._catalog = catalog
        self._collections = collections = storage.collections
        self.now_ms = now_ms
        # Unique over all coordinators of the environment: epochs name the writers of blobs.
        self._epochs = count(storage.epoch << 32)
        self._listener = ControlListener(
            directory, settings.control_address, self._secret_of, self._serve, self._spawn, supervisor.fail
        )
        self._driver = DriverClient(launch, directory, self._driver_ended)
        self.clusters = Clusters(directory / "state" / "answers")
        self.statuses = Statuses(catalog, collections, now_ms)
        self._root = SharedRoot(
            str(directory.resolve() / "state"), storage.blobs if settings.shares_by_blobs else None
        )
        self.files = self._root.here()
        self.checkpoints = Checkpoints(
            self.files,
            {i.id: i.state_name for i in catalog.user_items() if isinstance(i, Maintained)},
            storage.epoch,
        )
        self.jobs = Jobs(storage.epoch, self._driver.send, now_ms)
        self.compactions = CompactionJobs(self.jobs, storage, settings, supervisor)
        self._steps = StepJobs(self.jobs, settings, supervisor)
        self._reads = SourceJobs(self.jobs, storage.blobs, supervisor)
        self.halts = Halts(self.clusters, collections)
        self.sinks = SinkFrontiers(storage)
        self.ingested: dict[GlobalId, Mapping[str, int | float | None]] = {}
        self.feed = CommitFeed(self.clusters, catalog, storage, now_ms)
        self._installation = Installation(
            settings,
            storage,
            catalog,
            self.clusters,
            self.checkpoints,
            self.statuses,
            HydrationJobs(self.jobs, settings, catalog, self.checkpoints, self._commit_view),
            self.sinks,
            keys,
        )
        self._installer = Installer(
            self._installation,
            catalog,
            self.checkpoints,
            storage,
            self.statuses,
            self._steps,
            self._reads,
            now_ms,
            supervisor,
        )
        self.hand_overs = HandOvers(
            self.clusters,
            catalog,
            self.checkpoints,
            self._installer,
            self._stop_replica,
            self._elect,
            self._spawn,
        )

    # -- life --

    async def start(self) -> None:
        """Opens the control socket and starts the driver; replicas follow when Spark is up."""
        address = await self._listener.open()
        for cluster in self._catalog.cluster_entries():
            self.set_cluster(cluster)
        self._driver.start(address)

    async def stop(self) -> None:
        self.compactions.stop()
        for replica in self.clusters:
            replica.detach()
        self._driver.hang_up()
        self._listener.close()
        await self._driver.stop()
        self.checkpoints.close()

    def is_hydrated(self, id: GlobalId) -> bool:
        return self.clusters.hydration(id) is not None

    def few(self, item: Maintained) -> tuple[int, ...]:
        """The positions of the imports that a dataflow of the item may have broadcast among its workers."""
        return next((of.few[item.id] for of in self.clusters.of(item.cluster) if item.id in of.few), ())

    def needs_files(self) -> Callable[[str], bool]:
        """Whether a file of that name may be needed by a dataflow, or by a job, which was there before this was called."""
        state = self.checkpoints.needs()
        jobs = {job_payloads(job_id) for job_id in self.jobs.unsettled()}
        return lambda name: state(name) or "/".join(name.split("/")[:2]) in jobs

    def writers(self) -> frozenset[str]:
        """Everyone who may have written blobs that are not appended yet.  May be asked from any thread."""
        replicas = (replica_writer(r.id, *r.attempt) for r in self.clusters)
        jobs = (job_writer(job_id) for job_id in self.jobs.unsettled())
        return frozenset((self._storage.writer, *replicas, *jobs))

    # -- clusters --

    def set_cluster(self, cluster: ClusterEntry) -> None:
        """Starts or stops replicas, so that there are as many as the cluster's options say, of that shape."""
        options = ClusterOptions.from_mapping(cluster.options)
        shape = Shape.of(options, self._settings)
        items = self._catalog.user_items()
        ids = [item.id for item in items if isinstance(item, Maintained) and item.cluster == cluster.name]
        added, removed = self.clusters.set_replicas(cluster, shape, self.checkpoints.replicas(ids))
        for replica in removed:
            self._stop_replica(replica, ReplicaUnavailable(f"replica {replica.name} was dropped"))
        self.hand_overs.begin(cluster, self._settings.replica_room)
        for replica in self.clusters.of(cluster.name):
            if replica.leaving:
                continue
            replica.options = options
            if replica in added:
                self._start_replica(replica)
            elif replica.connected.is_set():
                self._send_limits(replica)
                self._try_failed(replica)
        self._spawn(self._elect(cluster.name))

    def _send_limits(self, replica: ReplicaClient) -> None:
        for message in replica.limits(self._settings):
            replica.send(message)

    def _try_failed(self, replica: ReplicaClient) -> None:
        """Installs once more what the replica has given up: the options of its cluster have changed."""
        for id_ in sorted(replica.failed & replica.installed):
            if isinstance(item := self._catalog.find_by_id(id_), Maintained):
                self._installer.try_failed(replica, item)

    def rename_clusters(self, names: Mapping[str, str]) -> None:
        """Replicas go on as they are, under the clusters' new names."""
        self.clusters.rename(names)
        for name in names.values():
            self._spawn(self._elect(name))  # should that have been under way by the old name

    def drop_cluster(self, cluster: ClusterEntry) -> None:
        self.hand_overs.cancel(cluster.id)
        for replica in self.clusters.remove(cluster):
            self._stop_replica(replica, ReplicaUnavailable(f'cluster "{cluster.name}" was dropped'))

    def _stop_replica(self, replica: ReplicaClient, why: PtvcError) -> None:
        replica.failure = why
        self._driver.tell(StopReplica(replica.id))
        self._detach(replica)

    def _start_replica(self, replica: ReplicaClient) -> None:
        epoch, secret = next(self._epochs), new_secret()
        replica.expect(epoch, secret)
        shape, address = replica.shape, self._listener.for_replicas
        self._driver.tell(
            StartReplica(
                replica.id,
                epoch,
                shape.cores,
                address,
                secret,
                shape.layout.workers,
                shape.layout.per_machine,
            )
        )

    def _start_anew(self, replica: ReplicaClient, left: tuple[int, ...] = (0,)) -> None:
        """Elsewhere than on these of its machines, if there is room, whatever has become of it."""
        self._driver.tell(StopReplica(replica.id, left))
        self._start_replica(replica)

    # -- objects --

    def install(self, item: Item) -> None:
        """Starts whatever the item needs running; returns at once."""
        if not isinstance(item, Running):
            return
        for replica in self.clusters.of(item.cluster):
            # What talks to the outside runs once, on a cluster's leader.
            if replica.connected.is_set() and (
                not isinstance(item, External) or self.clusters.leads(replica)
            ):
                self._installer.install(replica, item)

    def uninstall(self, item: Item) -> None:
        self.compactions.cancel(item.id, item.shard if isinstance(item, Stored) else None)
        self.ingested.pop(item.id, None)
        if not isinstance(item, Running):
            return
        for replica in self.clusters.all_of(item.cluster):
            self._installer.uninstall(replica, item)
        self._installation.forget(item.id)
        self.statuses.forget(item.id)
        self.sinks.forget(item.id)
        self.jobs.hydrations.pop(item.id, None)

    def set_outputs(self, source: AnySource) -> None:
        """Tables were made from the source, or dropped: it goes on with those that there are."""
        for replica in self.clusters.of(source.cluster):
            self._installation.set_outputs(replica, source)

    def reconnect(self, item: External) -> None:
        """A connection that it goes through is another one: it goes on from where it is."""
        for replica in self.clusters.of(item.cluster):
            if item.id in replica.installed or item.id in replica.installing:
                self._installer.uninstall(replica, item)
                self._installer.install(replica, item)

    def move(self, old: Sink, new: Sink) -> None:
        """A sink has something else to read, or another cluster: it goes on from where it is."""
        for replica in self.clusters.of(old.cluster):
            self._installer.uninstall(replica, old)
        self.statuses.set(old.id, "starting", None)
        self.install(new)

    def withdraw(self, switch: Switch) -> None:
        """The dataflows of the views end, and state that is on file is that of the replacements.  A replica that is
        not there yet starts anew: who reads a view in it would miss what lies between."""
        self.hand_overs.end_let_go()
        for item, upper in switch.ending:
            for replica in self.clusters:
                if item.id in replica.installed and replica.frontiers.get(item.id, 0) < upper:
                    self._detach(replica)
                    self._spawn(self._elect(replica.cluster))
        for application in switch.applied:
            self.uninstall(application.before)
            # At once: inputs are held readable for the checkpoints of what is in the catalog.
            self.checkpoints.adopt(application.after.id, application.replacement.id)
        for repointed, plan in switch.moved:
            item = repointed.after
            fingerprint = self._installation.fingerprint(item, plan)
            self.checkpoints.outdate(item.id, switch.uppers[item.id], fingerprint)

    def adopt(self, switch: Switch) -> None:
        """What maintains the replacements maintains the views from now on, and those who read them read the views."""
        for application in switch.applied:
            view = application.after
            self._adopt(view, application.replacement, switch.uppers[view.id])
        for item, plan in switch.moved:
            views = {id_: switch.views[id_] for id_ in item.reads}
            self._repoint(item.after, plan, views, switch.uppers[item.after.id])

    def _adopt(self, item: MaterializedView, replacement: MaterializedView, upper: int) -> None:
        replicas = self.clusters.of(item.cluster)
        others = [replica for replica in replicas if not adopt(replica, item, replacement.id, upper)]
        for replica in others:
            self._installer.uninstall(replica, replacement)
        self._installation.adopt(item.id, replacement.id)
        if (job := self.jobs.hydrations.pop(replacement.id, None)) is not None:
            self.jobs.hydrations[item.id] = job
        self.statuses.forget(replacement.id)
        self.statuses.set(item.id, "running", None)
        for replica in others:
            there = item.id in replica.installed or item.id in replica.installing
            if replica.connected.is_set() and not there:
                self._installer.install(replica, item)

    def _repoint(
        self, item: Maintained, plan: DataflowPlan, views: Mapping[GlobalId, GlobalId], upper: int
    ) -> None:
        fingerprint = self._installation.fingerprint(item, plan)
        sources = {
            old: replace(self._collections.import_of(new, upper - 1), snapshot=(), updates=(), upper=upper)
            for old, new in views.items()
        }
        before = self._installation.subscribed(item.id)
        after = {views.get(id_, id_) for id_ in before}
        others = []
        for replica in self.clusters.of(item.cluster):
            if repoint(replica, item, plan, fingerprint, sources, upper):
                replica.unsubscribe(before)
                replica.subscribe(after)
            else:  # it begins anew, as after a restart
                self._installer.uninstall(replica, item)
                others.append(replica)
        self._installation.repoint(item.id, after)
        for replica in others:
            if replica.connected.is_set():
                self._installer.install(replica, item)

    async def _commit_view(self, update: Updates) -> None:
        """Commits an output that did not come from a replica, and lets its readers know."""
        await self._storage.append((update,))
        self.feed.advanced(((update.id, update.upper),))

    # -- connections --

    def _driver_ended(self, failure: PtvcError | None) -> None:
        """`failure` says why it could not be started: queries hear of it.  One that was up will be back."""
        for replica in self.clusters:
            self._detach(replica)
            replica.failure = failure

    def _detach(self, replica: ReplicaClient) -> None:
        """What was in the replica's memory is gone; what others of the cluster hold is not."""
        installed = list(replica.installed)
        for id_ in (*installed, *replica.installing):
            self.checkpoints.end_loan(id_, replica.name)
        replica.detach()
        self.clusters.resign(replica)
        for id_ in installed:
            self._storage.release(replica.id, id_)
            self._collections.reset_unstored(id_, self.clusters.frontier(id_))

    async def _elect(self, cluster: str) -> None:
        """Gives the cluster a leader if it has none, and the leader its sources and sinks."""
        # What the old leader had under way is settled before anyone goes on from where it was.
        await self._storage.drained()
        self._install_outward(cluster)

    def _install_outward(self, cluster: str) -> None:
        if (leader := self.clusters.elect(cluster)) is not None:
            for item in self._catalog.user_items():
                if isinstance(item, External) and item.cluster == cluster:
                    self._installer.install(leader, item)

    def _secret_of(self, hello: Hello) -> bytes | None:
        """What who calls itself so has to know; None: nobody of that name was started here."""
        if hello.name == DRIVER:
            return self._driver.secret
        replica = self.clusters.find(hello.name)
        return None if replica is None else replica.secret_of(hello.epoch)

    async def _serve(self, hello: Hello, incoming: Incoming, outbox: Outbox) -> None:
        if hello.name == DRIVER:
            await self._serve_driver(incoming, outbox)
        else:
            await self._serve_replica(hello, incoming, outbox)

    async def _serve_driver(self, incoming: Incoming, outbox: Outbox) -> None:
        hello = await incoming.receive()
        if not isinstance(hello, DriverHello):
            return  # it has ended
        self._driver.attach(hello, outbox, DriverWelcome(self._root))
        for replica in self.clusters:
            replica.failure = None
            self._start_replica(replica)
        try:
            await self._hear_driver(incoming)
        finally:
            self._driver.detach(outbox.writer)
            self.jobs.driver_ended()

    async def _hear_driver(self, incoming: Incoming) -> None:
        while (message := await incoming.receive()) is not None:
            match message:
                case JobProgress():
                    self.jobs.progressed(message)
                case JobFinished():
                    self.jobs.finished(message)
                case ReplicaWaits():
                    if (replica := self.clusters.find(message.replica)) is not None:
                        replica.waits(message)
                case _:
                    raise ProtocolError(f"the driver does not say {type(message).__name__}")

    async def _serve_replica(self, hello: Hello, incoming: Incoming, outbox: Outbox) -> None:
        replica, writer = self.clusters.find(hello.name), outbox.writer
        if replica is None or (hello.epoch, hello.attempt) <= replica.attempt:
            return  # dropped, or an attempt that a newer one has replaced: closing the connection ends it
        self._detach(replica)
        replica.attach(outbox, (hello.epoch, hello.attempt), hello.pid)
        # What the previous attempt had under way is settled before anyone looks at frontiers.
        await self._storage.drained()
        if not replica.owns(writer):
            return
        logger.info("replica %s is up: attempt %d, pid %d", replica.id, hello.attempt, hello.pid)
        replica.ready()
        self.feed.begin(replica)
        self.halts.begin(replica)
        self._send_limits(replica)
        for item in self._catalog.user_items():
            if isinstance(item, Maintained) and item.cluster == replica.cluster:
                self._installer.install(replica, item)
        self._install_outward(replica.cluster)
        try:
            await self._connection(replica, incoming, writer).run()
        finally:
            if replica.owns(writer):
                logger.warning("replica %s went away", replica.id)
                self._detach(replica)
                spread = replica.shape.layout.is_spread
                if (incoming.fell_silent or spread) and self._settings.on_cluster:
                    # Spark takes a minute to give up a machine that says nothing, and would wait for it, if it has only a part of the
                    # replica, too; the epoch fences what may still run there.
                    self._start_anew(replica, (0,) if incoming.fell_silent else replica.silent)
                self._spawn(self._elect(replica.cluster))

    def _connection(
        self, replica: ReplicaClient, incoming: Incoming, writer: asyncio.StreamWriter
    ) -> ReplicaConnection:
        outputs = Outputs(
            replica,
            writer,
            self._storage,
            self.checkpoints,
            self.feed.advanced,
            self._spawn,
        )
        return ReplicaConnection(
            replica=replica,
            incoming=incoming,
            writer=writer,
            outputs=outputs,
            ingests=Ingests(replica, writer, self._storage, self._catalog, self.ingested),
            clusters=self.clusters,
            installation=self._installation,
            installer=self._installer,
            storage=self._storage,
            sinks=self.sinks,
            statuses=self.statuses,
            steps=self._steps,
            reads=self._reads,
            spawn=self._spawn,
        )

    def _spawn(self, work: Coroutine[None, None, None]) -> asyncio.Task[None]:
        """Runs `work` to its end, whatever becomes of the replica that it is for."""
        return self._supervisor.run(work.__qualname__, work)
