"""Installing an object on a replica: from the catalog's item to the message that makes it run.

A dataflow is installed as of the last time that its output is durable for, or, for an index, as of now; its inputs are
held readable there.  If its inputs are large it is hydrated by a Spark job first, and the replica gets the state; not
if it is recursive, as a loop runs in one place.  If it has a checkpoint it goes on from there instead: its cut is never
beyond the last durable time of the output.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable
from itertools import count
from typing import assert_never

from ...compute.checkpoint import Checkpoint, fingerprint
from ...compute.partitioned.broadcast import few_of
from ...compute.plan import DataflowPlan, shared_nodes
from ...config import Settings
from ...directory import installed_version
from ...errors import UndefinedObject
from ...expr.tree.relation import GlobalId
from ...replica.protocol import (
    FormerInput,
    Hydrated,
    Import,
    IndexOutput,
    InstallDataflow,
    InstallSink,
    InstallSource,
    SetOutputs,
    SinkDescription,
    SourceDescription,
    SourceOutput,
    StateOptions,
    UpsertState,
    ViewOutput,
)
from ...sql.plans.query_plans import Envelope
from ...storage.connections.values import Values
from ...storage.source.s3.options import S3Options
from ..catalog.catalog import Catalog
from ..catalog.connection_values import connection_values
from ..catalog.connectors import connections_of, connector_options, connector_word
from ..catalog.items import (
    AnySource,
    Index,
    Item,
    Maintained,
    MaterializedView,
    Running,
    SharedSource,
    Sink,
    Source,
    SourceTable,
)
from ..catalog.maintained_plan import planning
from ..catalog.shared_indexes import sharing
from ..catalog.source_outputs import source_output
from ..secrets.key_ring import KeyRing
from ..storage.collections import Frontiers
from ..storage.parts import row_count
from ..storage.storage import Storage
from ..thread_pool import PLANNING
from .checkpoints import Checkpoints
from .clusters import Clusters
from .hydration_jobs import HydrationJobs
from .replicas import ReplicaClient
from .sink_frontiers import SinkFrontiers
from .statuses import Statuses

logger = logging.getLogger(__name__)


class Installation:
    def __init__(
        self,
        settings: Settings,
        storage: Storage,
        catalog: Catalog,
        clusters: Clusters,
        checkpoints: Checkpoints,
        statuses: Statuses,
        jobs: HydrationJobs,
        sinks: SinkFrontiers,
        keys: KeyRing,
    ) -> None:
        """`keys` open the secrets of connections."""
        self._settings = settings
        self._storage = storage
        self._oracle = storage.oracle
        self._collections = storage.collections
        self._catalog = catalog
        self._reads = storage.reads
        self._clusters = clusters
        self._checkpoints = checkpoints
        self._statuses = statuses
        self._jobs = jobs
        self._sinks = sinks
        self._keys = keys
        self._installations = count(1)
        self._terms = count(storage.epoch << 32)
        self._subscribed: dict[GlobalId, set[GlobalId]] = {}

    def subscribed(self, id: GlobalId) -> set[GlobalId]:
        """The collections that the object reads by way of commits."""
        return self._subscribed.get(id, set())

    def forget(self, id: GlobalId) -> None:
        """The object was dropped, and its state goes."""
        self._subscribed.pop(id, None)
        self._checkpoints.forget(id)

    def adopt(self, id: GlobalId, replacement: GlobalId) -> None:
        """What runs for `replacement` runs for the object from now on."""
        if (inputs := self._subscribed.pop(replacement, None)) is not None:
            self._subscribed[id] = inputs

    def repoint(self, id: GlobalId, inputs: set[GlobalId]) -> None:
        """The object reads these by way of commits, if it reads anything."""
        if inputs:
            self._subscribed[id] = inputs

    def fingerprint(self, item: Maintained, plan: DataflowPlan) -> str:
        """That of state which the plan keeps for the object."""
        return fingerprint(plan, installed_version(), item.arranged_by if isinstance(item, Index) else None)

    async def install(self, replica: ReplicaClient, item: Running) -> None:
        """Returns when the message is sent to the replica; the order of messages makes the rest exact."""
        match item:
            case MaterializedView() | Index():
                await self._install_dataflow(replica, item)
            case Source() | SharedSource():
                await self._install_source(replica, item)
            case Sink():
                await self._install_sink(replica, item)
            case _:
                assert_never(item)

    def is_maintained(self, item: Running) -> bool:
        """Whether some replica of its cluster maintains the item."""
        return self._clusters.maintains(item.cluster, item.id)

    def hydrated(self, replica: ReplicaClient, hydration: Hydrated) -> None:
        """The replica holds the object's inputs as of the beginning, and follows them from there."""
        replica.hydrated[hydration.id] = hydration
        self._storage.release(replica.id, hydration.id)
        self._checkpoints.loan_read(hydration.id, replica.name)
        self._statuses.set(hydration.id, "running", None)

    # -- views and indexes --

    async def _install_dataflow(self, replica: ReplicaClient, item: Maintained) -> None:
        make, long = planning(item, self._catalog)

        def planned() -> tuple[DataflowPlan, str]:
            plan = make()
            return plan, self.fingerprint(item, plan)

        plan, fingerprint = await PLANNING.run(planned) if long else planned()
        for node in shared_nodes(plan):
            # The index is installed before what reads it.
            if (first := replica.installing.get(node.index)) is not None:
                await asyncio.wait((first.tried,))
        self._check_there(item)
        checkpoint = await self._checkpoint(replica, item, plan, fingerprint)
        if checkpoint is not None:
            self._go_on(replica, item, plan, checkpoint)
            return
        as_of, output = await self._beginning(replica, item, plan)
        job = None
        imports = self._imports(plan.imports, as_of)
        by_job = self._jobs.wanted(replica, item, plan, imports)
        if by_job or len(self._clusters.of(replica.cluster)) > 1:
            # The output's durable frontier, which holds the inputs otherwise, moves meanwhile.
            try:
                with self._reads.at(as_of):
                    await self._storage.hold(replica.id, item.id, imports)
                    self._check_there(item)
                    imports = self._imports(plan.imports, as_of)
                if by_job:
                    job = await self._jobs.run(replica, item, plan, as_of, imports, output)
                    self._check_there(item)
            except BaseException:
                self._storage.release(replica.id, item.id)
                raise
            if isinstance(item, MaterializedView):
                output = ViewOutput(item.shard, self._storage.frontiers(item.shard).upper)
            imports = self._imports(plan.imports, as_of)
        # From here to the end nothing waits, so no commit can come between the parts and the subscription.
        self._subscribe(replica, item.id, set(plan.imports))
        replica.installed.add(item.id)
        replica.beginnings[item.id] = as_of
        replica.few[item.id] = few = self._few(replica, item, plan, imports)
        replica.send(
            InstallDataflow(
                item.id,
                plan,
                as_of,
                imports,
                output,
                state=job.state if job is not None else None,
                durable=self._state_options(replica, item, fingerprint),
                few=few,
            )
        )
        if job is not None:
            self.hydrated(replica, Hydrated(item.id, job.seconds, job.rows))

    def _few(
        self, replica: ReplicaClient, item: Maintained, plan: DataflowPlan, imports: tuple[Import, ...]
    ) -> tuple[int, ...]:
        """The positions of the imports of so few rows that workers may broadcast them."""
        if not self._jobs.is_divided(replica, item, plan):
            return ()
        rows = {source.id: row_count((*source.snapshot, *source.updates)) for source in imports}
        return few_of([rows[id_] for id_ in plan.imports])

    def _state_options(self, replica: ReplicaClient, item: Maintained, fingerprint: str) -> StateOptions:
        """Where its state goes, as it was last forgotten."""
        return StateOptions(
            directory=self._checkpoints.directory(item.id, replica.name),
            fingerprint=fingerprint,
            spill_rows=self._settings.spill_rows,
            checkpoint_rows=self._settings.checkpoint_rows,
            checkpoint_interval_ms=self._settings.checkpoint_interval_ms,
            borrowed=self._checkpoints.borrows(item.id, replica.name),
        )

    async def _beginning(
        self, replica: ReplicaClient, item: Maintained, plan: DataflowPlan
    ) -> tuple[int, ViewOutput | IndexOutput]:
        """The time to hydrate the object as of, when its inputs are readable there, and its output."""
        if isinstance(item, Index):
            now = await self._readable_now(plan.imports)
            self._check_there(item)
            return self._before_readers(replica, item, plan, now), IndexOutput(item.arranged_by)
        state = await self._durable_state(item.shard, plan.imports)
        self._check_there(item)
        return state.last, ViewOutput(item.shard, state.upper)

    def _check_there(self, item: Item) -> None:
        """Called after every wait: raises UndefinedObject when the object was dropped meanwhile."""
        if self._catalog.find_by_id(item.id) is None:
            raise UndefinedObject(f'"{item.full_name}" was dropped while it was being installed')

    async def _checkpoint(
        self, replica: ReplicaClient, item: Maintained, plan: DataflowPlan, expected_fingerprint: str
    ) -> Checkpoint | None:
        """The checkpoint from which the replica can go on, its own or else another's, once the object's inputs are complete at the cut.
        Behind the last wait it has looked that the object is still there."""
        try:
            checkpoint = self._checkpoints.get(item.id, replica.name)
            if checkpoint is None:
                checkpoint = await self._checkpoints.borrow(item.id, replica.name)
            if checkpoint is not None:
                checkpoint = await self._usable(replica, item, plan, expected_fingerprint, checkpoint)
            self._check_there(item)
        except BaseException:
            self._checkpoints.end_loan(item.id, replica.name)
            raise
        return checkpoint

    async def _usable(
        self,
        replica: ReplicaClient,
        item: Maintained,
        plan: DataflowPlan,
        expected_fingerprint: str,
        checkpoint: Checkpoint,
    ) -> Checkpoint | None:
        reason = None
        as_of = checkpoint.cut - 1
        if checkpoint.fingerprint != expected_fingerprint:
            reason = "its plan, or the program that runs it, has changed since the checkpoint"
        elif (
            isinstance(item, MaterializedView) and checkpoint.cut > self._storage.frontiers(item.shard).upper
        ):
            reason = "the checkpoint is of a time at which its output is not known"
        elif checkpoint.cut > self._oracle.closed or any(
            self._storage.frontiers(self._collections[id_].shard).since > as_of for id_ in plan.imports
        ):
            reason = "its inputs cannot be read at the time of the checkpoint"
        if reason is not None:
            self._checkpoints.reject(item.id, replica.name, reason)
            return None
        await self._collections.wait_until_readable(plan.imports, as_of)
        return checkpoint

    def _go_on(
        self,
        replica: ReplicaClient,
        item: Maintained,
        plan: DataflowPlan,
        checkpoint: Checkpoint,
    ) -> None:
        """Installs the object from a checkpoint: its inputs from the cut on, its output from where that is durable."""
        output: ViewOutput | IndexOutput
        if isinstance(item, Index):
            output = IndexOutput(item.arranged_by)
        else:
            output = ViewOutput(item.shard, self._storage.frontiers(item.shard).upper)
        as_of = checkpoint.cut - 1
        imports = self._imports(plan.imports, as_of)
        logger.info("%s goes on from its checkpoint at %d", item.full_name, checkpoint.cut)
        self._subscribe(replica, item.id, set(plan.imports))
        replica.installed.add(item.id)
        replica.beginnings[item.id] = as_of
        durable = self._state_options(replica, item, checkpoint.fingerprint)
        # What several workers have saved lies as they have divided it; the state of one can be divided anew.
        few = checkpoint.few if checkpoint.others else self._few(replica, item, plan, imports)
        replica.few[item.id] = few
        replica.send(
            InstallDataflow(
                item.id, plan, as_of, imports, output, checkpoint=checkpoint, durable=durable, few=few
            )
        )

    async def _durable_state(self, shard: str, ids: tuple[GlobalId, ...]) -> Frontiers:
        """The state of a view's shard when all inputs are readable at the last time that it is durable for."""
        while True:
            state = self._storage.frontiers(shard)
            await self._collections.wait_until_readable(ids, state.last)
            # What the last replica had promised may have become durable meanwhile, and inputs were let go up to that.
            if self._storage.frontiers(shard).upper == state.upper:
                return state

    async def _readable_now(self, ids: tuple[GlobalId, ...]) -> int:
        """A time at which all inputs are complete, and which the last reads still see."""
        with self._reads.at(self._oracle.read_time) as as_of:
            await self._collections.wait_until_readable(ids, as_of)
        # Waiting may have taken long: what is complete now is complete at every later time that was promised.
        return max(as_of, min((self._collections.frontier(i) for i in ids), default=as_of + 1) - 1)

    def _before_readers(self, replica: ReplicaClient, index: Index, plan: DataflowPlan, as_of: int) -> int:
        """A time to hydrate the index as of, no later than `as_of`: that from which those go on that share it, if its
        inputs are still readable there."""
        for item in sharing(self._catalog, index):
            if item.id in replica.installed:
                continue
            checkpoint = self._checkpoints.beginning(item.id, replica.name)
            if checkpoint is not None:
                as_of = min(as_of, checkpoint.cut - 1)
            elif isinstance(item, MaterializedView):
                as_of = min(as_of, self._storage.frontiers(item.shard).last)
        readable = (self._storage.frontiers(self._collections[id_].shard).since for id_ in plan.imports)
        return max((as_of, *readable))

    def _imports(self, ids: tuple[GlobalId, ...], as_of: int) -> tuple[Import, ...]:
        return tuple(self._collections.import_of(id_, as_of) for id_ in ids)

    # -- sources and sinks --

    async def _install_source(self, replica: ReplicaClient, item: AnySource) -> None:
        # What an earlier installation has under way is settled: it goes on from there.
        await self._storage.drained()
        self._check_there(item)
        description = SourceDescription(
            label=item.label,
            connector=connector_word(item.connector),
            options=connector_options(item.connector),
            key=item.key,
            envelope=item.envelope.value,
        )
        position = self._storage.position(item.remap)
        upsert = recorded = None
        if item.envelope is Envelope.UPSERT or isinstance(item.connector, S3Options):
            recorded = self._storage.recorded(item.remap)
        if item.envelope is Envelope.UPSERT:
            upsert = UpsertState(
                stored=self._collections.import_of(item.id, self._oracle.read_time),
                spill_rows=self._settings.spill_rows,
            )
        connections = self._connections(connections_of(item.connector))
        installation = replica.sources[item.id] = next(self._installations)
        replica.installed.add(item.id)
        replica.send(
            InstallSource(
                item.id,
                item.name,
                description,
                position,
                self._outputs(item),
                upsert,
                connections,
                installation,
                recorded,
                self._settings.source_job_min_bytes,
            )
        )

    def _outputs(self, item: AnySource) -> dict[GlobalId, SourceOutput]:
        """What the source writes: itself, if it is a relation, and the tables made from it."""
        tables = [table for table in self._catalog.dependents(item.id) if isinstance(table, SourceTable)]
        own = {item.id: source_output(item)} if isinstance(item, Source) else {}
        return own | {table.id: source_output(table) for table in tables}

    def set_outputs(self, replica: ReplicaClient, item: AnySource) -> None:
        """Tables were made from the source, or dropped.  One that is being installed is told of them then."""
        if item.id in replica.installed:
            replica.send(SetOutputs(item.id, self._outputs(item)))

    async def _install_sink(self, replica: ReplicaClient, item: Sink) -> None:
        as_of = self._sinks.upper(item) - 1
        begins = tuple(item.begins(as_of))
        # What lies between may never be readable: then the target does not show it either.
        for id_, begin in (begins[0], begins[-1]):
            await self._collections.wait_until_readable((id_,), begin)
        self._check_there(item)
        description = SinkDescription(
            connector=connector_word(item.connector),
            options=connector_options(item.connector),
            envelope=item.envelope.value,
            key=item.key,
            generation=item.generation,
            as_of=item.as_of,
        )
        try:
            # Until the sink has written something, or cannot: what it reads first may be long.
            await self._storage.hold(replica.id, item.id, self._sink_inputs(item, as_of))
            self._check_there(item)
        except BaseException:
            self._storage.release(replica.id, item.id)
            raise
        # From here to the end nothing waits, so no commit can come between the parts and the subscription.
        connections = self._connections(item.connections)
        *before, source = self._sink_inputs(item, as_of)
        item = self._catalog.get_as(item.id, Sink)
        formers = tuple(
            FormerInput(read, former.generation, former.last)
            for read, former in zip(before, item.formers, strict=True)
        )
        self._subscribe(replica, item.id, {item.on, *(former.id for former in item.formers)})
        replica.installed.add(item.id)
        replica.send(
            InstallSink(
                item.id,
                item.name,
                description,
                source,
                next(self._terms),
                formers,
                connections,
                self._storage.restored_upper,
            )
        )

    def _sink_inputs(self, item: Sink, as_of: int) -> tuple[Import, ...]:
        """What it reads, and before that what it has read: as it is now, it may have let go of some of that while it was being installed."""
        item = self._catalog.get_as(item.id, Sink)
        return tuple(self._collections.import_of(id_, begin) for id_, begin in item.begins(as_of))

    def _connections(self, ids: Iterable[GlobalId]) -> dict[GlobalId, Values]:
        allowed = bool(self._settings.allow_link_local_connections)
        return connection_values(self._catalog, ids, self._keys, link_local=allowed)

    def _subscribe(self, replica: ReplicaClient, id: GlobalId, ids: set[GlobalId]) -> None:
        self._subscribed[id] = ids
        replica.subscribe(ids)
