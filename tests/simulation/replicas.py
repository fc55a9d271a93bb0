"""The driver and its replicas: they speak the control socket's protocol, and step real dataflows.

A replica takes everything that has arrived, steps once, and sends what came of it, some time after the first message.  It
dies when `Cluster.kill` says so, or when the coordinator closes its connection, and comes back with the next attempt.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from pathlib import Path
from random import Random

from ptvc.compute.oneshot import evaluate_once
from ptvc.coord.controller.driver_process import OnExit
from ptvc.directory import new_secret
from ptvc.errors import COLLECTION_ERROR_HINT, PtvcError
from ptvc.expr.tree.relation import Get, GlobalId, Project, Relation
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.replica.checkpoint import PendingCheckpoint
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.inputs import load_snapshot
from ptvc.replica.look_ups.answers import looked_up
from ptvc.replica.look_ups.stored_look_ups import StoredLookUps
from ptvc.replica.look_ups.view_rows import ViewLookUps
from ptvc.replica.protocol import (
    DRIVER,
    Appended,
    CancelJob,
    CancelPeek,
    CheckpointPublished,
    Dialing,
    DriverHello,
    DriverWelcome,
    Hello,
    Ingested,
    InstallDataflow,
    InstallSink,
    InstallSource,
    JobFinished,
    LargeQueries,
    LargeSteps,
    LimitMemory,
    LookUp,
    LookUpStored,
    LookUpView,
    Message,
    Peek,
    PeekFailed,
    PeekIndex,
    PeekRows,
    Progress,
    RunJob,
    StartReplica,
    StopReplica,
    Uninstall,
    UnixAddress,
    replica_writer,
)
from ptvc.repr.batch import Delta, from_ipc, to_ipc

from .connectors import Connectors, Outside
from .loop import SimulatedLoop
from .network import Wire

FIRST_DELAY_S = 0.2


class SimulatedReplica:
    """One attempt.  `ended` hears of its end."""

    def __init__(
        self,
        loop: SimulatedLoop,
        random: Random,
        latency: Callable[[], float],
        blob: MemoryBlob,
        writer: str,
        outside: Outside,
        ended: Callable[[], None],
    ) -> None:
        self._loop = loop
        self._random = random
        self._latency_of = latency
        self.slowness = 1.0
        self._blob = blob
        self._dataflows = Dataflows(blob, writer)
        cache = ColumnCache(Path("/nowhere"))  # so that of large blobs nothing is found
        self._stored = StoredLookUps(blob, cache, self._send, lambda work: work())
        self._views = ViewLookUps(blob, cache, self._send, lambda work: work(), self._dataflows.recent)
        self._checkpoints = outside.checkpoints
        self._connectors = Connectors(random, blob, writer, outside, self._send, self._later)
        self._ended = ended
        self._inbox: list[Message] = []
        self._canceled: set[int] = set()
        self._awake = False
        self._alive = True
        self._wire: Wire

    def dial(self, start: StartReplica, attempt: int) -> None:
        assert isinstance(start.address, UnixAddress)
        dialing = Dialing(Hello(start.replica, start.epoch, attempt, attempt), start.secret)
        self._wire = self._loop.servers[start.address.path].dial(self, dialing)

    def kill(self) -> None:
        if self._alive:
            self._alive = False
            self._wire.hang_up()
            self._ended()

    def closed(self) -> None:
        if self._alive:
            self._alive = False
            self._ended()

    def received(self, message: Message) -> None:
        self._inbox.append(message)
        if not self._awake:
            self._awake = True
            self._loop.call_later(self._latency(), self._work)

    def _latency(self) -> float:
        return self._latency_of() * self.slowness

    def _later(self, work: Callable[[], None]) -> None:
        delay = self._random.random() * self._random.choice((0.05, 0.5, 1.0))
        self._loop.call_later(delay, lambda: work() if self._alive else None)

    def _work(self) -> None:
        self._awake = False
        if not self._alive:
            return
        inbox, self._inbox = self._inbox, []
        for message in inbox:
            self._handle(message)
        for answer in self._dataflows.step():
            self._send(answer)
        for _, pending in self._dataflows.checkpoints():
            self._loop.call_later(self._latency(), self._save, pending)

    def _save(self, pending: PendingCheckpoint) -> None:
        if self._alive and (written := pending.write()) is not None:
            self._send(written)

    def _send(self, message: Message) -> None:
        if self._alive:
            self._wire.send(message)

    def _handle(self, message: Message) -> None:
        match message:
            case Progress():
                self._dataflows.receive(message)
                self._connectors.receive(message)
            case Appended():
                self._dataflows.acknowledge(message)
            case InstallDataflow():
                if not self._checkpoints:
                    message = replace(message, durable=None)
                for answer in self._dataflows.install(message):
                    self._send(answer)
            case Uninstall(id=id_):
                self._dataflows.uninstall(id_)
                self._connectors.uninstall(id_)
            case InstallSource():
                self._connectors.install_source(message)
            case InstallSink():
                self._connectors.install_sink(message)
            case Ingested():
                self._connectors.ingested(message)
            case Peek():
                self._loop.call_later(self._latency(), self._peek, message)
            case PeekIndex():
                self._peek_index(message)
            case LookUp():
                self._send(looked_up(message, self._dataflows.index))
            case LookUpStored():
                self._stored.receive(message)
            case LookUpView():
                self._views.receive(message)
            case CancelPeek(peek_id=peek_id):
                self._canceled.add(peek_id)
            case CheckpointPublished():
                if (state := self._dataflows.published(message)) is not None:
                    state.sweep()
            case LimitMemory() | LargeSteps() | LargeQueries():
                return
            case _:
                raise TypeError(f"a simulated replica does not understand {type(message).__name__}")

    def _peek(self, peek: Peek) -> None:
        if peek.peek_id not in self._canceled:
            contents = {source.id: load_snapshot(self._blob, source) for source in peek.inputs}
            for message in _answer(peek.peek_id, peek.relation, contents, peek.as_of):
                self._send(message)

    def _peek_index(self, peek: PeekIndex) -> None:
        try:
            index = self._dataflows.index(peek.index_id)
        except KeyError:
            self._send(PeekFailed(peek.peek_id, "42704", "the index was dropped"))
            return
        except PtvcError as error:
            self._send(PeekFailed(peek.peek_id, error.sqlstate, error.message, error.hint))
            return
        if peek.keys is None:
            rows = index.rows(peek.as_of)
        else:
            rows = index.lookup(from_ipc(peek.keys).columns, peek.as_of)
        contents = {peek.index_id: Delta(rows, index.errors(peek.as_of))}
        wanted = peek.wanted
        relation = Project(Get(peek.index_id, index.schema), wanted) if isinstance(wanted, tuple) else wanted
        for message in _answer(peek.peek_id, relation, contents, peek.as_of):
            self._send(message)


def _answer(
    peek_id: int, relation: Relation, contents: dict[GlobalId, Delta], as_of: int
) -> Iterator[Message]:
    result = evaluate_once(relation, contents, as_of)
    if len(result.errs):
        sqlstates, messages = result.errs.columns
        yield PeekFailed(peek_id, sqlstates[0].as_py(), messages[0].as_py(), COLLECTION_ERROR_HINT)
    else:
        yield PeekRows(peek_id, to_ipc(relation.schema, result.oks), done=True)


class SimulatedDriver:
    """Implements `ptvc.coord.controller.driver_process.Driver`."""

    def __init__(
        self,
        loop: SimulatedLoop,
        random: Random,
        latency: Callable[[], float],
        blob: MemoryBlob,
        outside: Outside,
        address: str,
        on_exit: OnExit,
    ) -> None:
        self._loop = loop
        self._outside = outside
        self._random = random
        self._latency = latency
        self._blob = blob
        self._address = address
        self.secret = new_secret()
        self._on_exit = on_exit
        self._attempts = count(1)
        self._wanted: dict[str, StartReplica] = {}
        self._running: dict[str, SimulatedReplica] = {}
        self._wire: Wire | None = None
        self._stopped = False

    def start(self) -> None:
        self._loop.call_later(self._delay(0.5), self._dial)

    def healthy(self) -> None:
        """It is started again after the same delay each time."""

    async def stop(self) -> None:
        self._stopped = True
        self._end()
        await asyncio.sleep(self._latency())

    @property
    def replicas(self) -> list[str]:
        return sorted(self._running)

    def kill(self) -> None:
        """It dies, and takes its replicas along."""
        if self._wire is not None:
            self._wire.hang_up()
            self.closed()

    def kill_replica(self, name: str) -> None:
        self._running[name].kill()

    def slow_down(self, name: str) -> None:
        """What the replica does takes long, while the others of its cluster go on."""
        self._running[name].slowness = 200.0

    def heal(self) -> None:
        for replica in self._running.values():
            replica.slowness = 1.0

    def _delay(self, most: float) -> float:
        return self._random.random() * most

    def _dial(self) -> None:
        if self._stopped:
            return
        try:
            dialing = Dialing(Hello(DRIVER, 0, 0, 1), self.secret)
            self._wire = self._loop.servers[self._address].dial(self, dialing)
        except ConnectionRefusedError:
            return
        self._wire.send(DriverHello(1, "none", "simulated"))

    def _end(self) -> None:
        wire, self._wire = self._wire, None
        if wire is not None:
            wire.hang_up()
        self._wanted.clear()
        for replica in list(self._running.values()):
            replica.kill()

    def closed(self) -> None:
        if self._wire is None:
            return
        self._end()
        if not self._stopped:
            self._on_exit(None)
            self._loop.call_later(FIRST_DELAY_S, self._dial)

    def received(self, message: Message) -> None:
        match message:
            case DriverWelcome():
                pass
            case StartReplica(replica=name):
                self._wanted[name] = message
                self._loop.call_later(self._delay(0.3), self._run, message)
            case StopReplica(replica=name):
                self._wanted.pop(name, None)
                if (running := self._running.get(name)) is not None:
                    running.kill()
            case RunJob(job_id=job_id):
                assert self._wire is not None
                self._wire.send(JobFinished(job_id, (), (), 0, 0.0, "there is no Spark"))
            case CancelJob():
                return
            case _:
                raise TypeError(message)

    def _run(self, start: StartReplica) -> None:
        """The next attempt of the resident task, unless the replica is not wanted any more."""
        name = start.replica
        if self._stopped or self._wanted.get(name) is not start or name in self._running:
            return
        attempt = next(self._attempts)

        def ended() -> None:
            if self._running.get(name) is replica:
                del self._running[name]
            if (wanted := self._wanted.get(name)) is not None:
                self._loop.call_later(self._delay(0.3), self._run, wanted)

        replica = SimulatedReplica(
            self._loop,
            self._random,
            self._latency,
            self._blob,
            replica_writer(name, start.epoch, attempt),
            self._outside,
            ended,
        )
        try:
            replica.dial(start, attempt)
        except ConnectionRefusedError:
            return
        self._running[name] = replica


def launcher(
    loop: SimulatedLoop,
    random: Random,
    latency: Callable[[], float],
    blob: MemoryBlob,
    outside: Outside,
    made: Callable[[SimulatedDriver], None],
) -> Callable[[str, Path, OnExit], SimulatedDriver]:
    """Makes the coordinator's driver."""

    def launch(address: str, directory: Path, on_exit: OnExit) -> SimulatedDriver:
        driver = SimulatedDriver(loop, random, latency, blob, outside, address, on_exit)
        made(driver)
        return driver

    return launch
