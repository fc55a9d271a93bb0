"""One run: a seed's clients and faults, one coordinator after the other over the same stores, and the checks."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from types import NoneType

from ptvc.config import Settings
from ptvc.coord.coordinator import Coordinator
from ptvc.coord.storage.storage import Storage
from ptvc.errors import PtvcError
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient, ShardId
from ptvc.persist.consensus.base import Indeterminate
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.location import Location
from ptvc.persist.stores import Stores

from . import checks
from .clients import QUICKSTART, Chances, Client, Terminated
from .connectors import Outside
from .faults import Faults, Latencies
from .loop import Killed, SimulatedLoop, Stuck
from .model import Model, Outcome
from .replicas import SimulatedDriver, launcher
from .scripts import Script
from .seams import ThreadlessSupervisor, planned_on_the_loop
from .stores import Disk, SimulatedConsensus
from .subscribers import VIEW_SQL, Row, Subscriber, drawn

SETTINGS = Settings(
    tick_ms=250,
    compaction_interval_ms=1000,
    retain_history_ms=500,
    replica_slots=100,
    checkpoint_rows=2,
    checkpoint_interval_ms=300,
)
_IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
BEGIN_MS = 1_700_000_000_000
STOP_S = 120.0
"""An orderly end takes no longer, even while a store is away."""

CATCH_UP_S = 120.0
"""So long after the last fault everything is maintained again."""

MOST_PROCESSES = 8


class _Clock:
    def __init__(self, loop: SimulatedLoop) -> None:
        self._loop = loop

    def now_ms(self) -> int:
        return BEGIN_MS + int(self._loop.time() * 1000)

    def monotonic(self) -> float:
        return self._loop.time()


@dataclass(frozen=True, slots=True)
class Profile:
    """What a seed may do.  None: the seed decides."""

    clients: int | None = None
    statements: int | None = None
    faults: bool | None = None
    interrupts: bool | None = None
    quickstart: bool | None = None
    subscribers: int | None = None
    replicas: int | None = None
    checkpoints: bool | None = None


@dataclass(slots=True)
class Result:
    seed: int
    violations: list[str] = field(default_factory=list)
    trace: list[str] = field(default_factory=list)
    virtual_s: float = 0.0
    turns: int = 0
    processes: int = 0
    statements: int = 0
    on_loop: dict[str, int] = field(default_factory=dict)


class Simulation:
    def __init__(self, seed: int, profile: Profile = Profile(), *, traced: bool = False) -> None:
        self._random = Random(seed)
        self._traced = traced
        self.result = Result(seed)
        self._disk = Disk(MemoryConsensus(), MemoryBlob())
        self._latencies = Latencies(Random(self._random.random()))
        random = self._random
        faults = random.random() < 0.6 if profile.faults is None else profile.faults
        interrupts = random.random() < 0.8 if profile.interrupts is None else profile.interrupts
        quickstart = random.random() < 0.3 if profile.quickstart is None else profile.quickstart
        self._faults = Faults(Random(random.random()), self._latencies, faults, self._say)
        self._model = Model()
        self._shared = self._model.add("table")
        chances = Chances(0.12, 0.03, 0.03) if interrupts else Chances()
        clients = profile.clients or random.randrange(1, 4)
        statements = profile.statements or random.randrange(4, 14)
        self._clients = [
            Client(n, Random(random.random()), self._model, self._shared, chances, self._say, self._broken)
            for n in range(1, clients + 1)
        ]
        self._scripts = [Script(client, statements, quickstart=quickstart) for client in self._clients]
        self._prober = Client(0, Random(0), self._model, self._shared, Chances(), self._say, self._broken)
        self._replicas = profile.replicas or random.choice((1, 1, 1, 2))
        self._view = not quickstart and random.random() < 0.3
        followers = random.choice((0, 0, 0, 1, 2)) if profile.subscribers is None else profile.subscribers
        self._subscribers = [
            self._subscriber(n, Random(random.random()), interrupts) for n in range(1, followers + 1)
        ]
        checkpoints = random.random() < 0.15 if profile.checkpoints is None else profile.checkpoints
        self._directory: Path
        self._loop: SimulatedLoop
        self._loops: list[SimulatedLoop] = []
        self._shared_shard: ShardId | None = None
        self._outside = Outside(self._broken, checkpoints)
        self._prepared = False

    def run(self) -> Result:
        with TemporaryDirectory(prefix="ptvc-simulation-", dir=_IN_MEMORY) as directory:
            self._directory = Path(directory)
            self._run()
        return self.result

    def _run(self) -> None:
        time = 0.0
        phases: list[Callable[[], object]] = [self._work, self._verify]
        while phases:
            if self.result.processes == MOST_PROCESSES:
                self._faults.allowed = False
            if self.result.processes > 2 * MOST_PROCESSES:
                self._broken("the process dies again and again")
                break
            self.result.processes += 1
            ended = self._process(phases[0], time)
            time = self._loop.time()
            if ended:
                phases.pop(0)
            if self.result.violations:
                break
        for loop in self._loops:
            loop.bury()
        self.result.virtual_s = time
        self.result.statements = sum(client.asked for client in self._clients)

    # -- processes --

    def _process(self, phase: Callable[[], object], time: float) -> bool:
        """Runs one process until it ends, or dies; whether the phase is over."""
        self._loop = loop = SimulatedLoop(
            Random(self._random.random()), self._latencies.work, self._latencies.message, time
        )
        if self._traced:
            loop.trace = self._say
        self._loops.append(loop)
        consensus = SimulatedConsensus(
            self._disk.consensus, self._faults.stores, Random(self._random.random()), self._touched
        )
        stores = Stores(Location(), consensus, self._disk.blob)  # type: ignore[arg-type]
        main = loop.create_task(self._main(phase, stores), name="main")  # type: ignore[arg-type]
        main.add_done_callback(lambda _: loop.stop())
        with planned_on_the_loop():
            try:
                loop.run_forever()
            except Stuck as stuck:
                self._broken(f"the process stands still: {stuck}")
        self.result.turns += loop.turns
        consensus.dead = True
        if loop.killed:
            self._say("the process dies")
            self._faults.heal()
            for client in [*self._clients, self._prober]:
                client.process_died()
            return False
        if main.done() and not main.cancelled() and (error := main.exception()) is not None:
            if isinstance(error, Killed):
                return False
            where = traceback.extract_tb(error.__traceback__)[-1]
            self._broken(f"the process ended with {error!r} in {where.name}")
            self._say("".join(traceback.format_exception(error)))
            return False
        for wrong in checks.ended_tasks(loop):
            self._broken(wrong)
        return bool(main.done() and main.result())

    async def _main(self, phase: Callable[[Coordinator], object], stores: Stores) -> bool:
        """Whether the phase is over; else another process is to be started."""
        stopping = asyncio.Event()
        loop = self._loop

        def fenced() -> None:
            self._say("the process must stop")
            stopping.set()

        def failed(error: BaseException) -> None:
            if not loop.is_running():
                return  # what is left of a process that has ended is destroyed
            self._say("a part of the process has failed")
            if not isinstance(error, Indeterminate):  # else only a restart finds out what is durable
                self._broken(f"a part of the process has failed: {error!r}")
            stopping.set()

        try:
            clock = _Clock(self._loop)
            coordinator = Coordinator(
                Storage(stores, clock),
                self._directory,
                SETTINGS,
                clock,
                ThreadlessSupervisor(lambda name, error: failed(error)),
                fenced,
                launcher(
                    self._loop,
                    self._random,
                    self._latencies.message,
                    self._disk.blob,
                    self._outside,
                    self._launched,
                ),
            )
        except Killed:
            self._loop.kill()
            return False
        except PtvcError as error:
            self._say(f"the process cannot start: {error}")
            self._faults.heal()
            return False
        await coordinator.start()
        work = self._loop.create_task(phase(coordinator), name="phase")  # type: ignore[arg-type]
        stop = self._loop.create_task(stopping.wait(), name="stopping")
        await asyncio.wait({work, stop}, return_when=asyncio.FIRST_COMPLETED)
        if stopping.is_set():
            await self._wind_up(work)
        stop.cancel()
        await self._stop(coordinator)
        self._faults.heal()
        if stopping.is_set():
            return False
        return bool(work.result())

    async def _wind_up(self, work: asyncio.Task[object]) -> None:
        """As the listener's `close`: statements are cancelled, and cut off when that takes too long."""
        clients = [*self._clients, self._prober]
        for client in clients:
            client.stop()
        await asyncio.wait({work}, timeout=5.0)
        for client in clients:
            client.abort()
        await asyncio.wait({work}, timeout=STOP_S)
        if not work.done():
            self._broken(f"the process stops, and its clients' statements have not ended within {STOP_S:g} s")
            work.cancel()
        elif not work.cancelled() and not isinstance(error := work.exception(), Terminated | NoneType):
            self._broken(f"a client ended with {error!r}")
        for client in clients:
            client.process_died()

    async def _stop(self, coordinator: Coordinator) -> None:
        stop = self._loop.create_task(coordinator.stop(), name="stop")
        done, _ = await asyncio.wait({stop}, timeout=STOP_S)
        if not done:
            self._broken(f"the process has not stopped within {STOP_S:g} s")
        elif (error := stop.exception()) is not None:
            self._say(f"stopping: {error!r}")

    def _launched(self, driver: SimulatedDriver) -> None:
        self._faults.driver = driver

    # -- phases --

    async def _work(self, coordinator: Coordinator) -> bool:
        """Clients and faults; then everything is to be as it was answered, and to go on."""
        if not self._prepared:
            await self._prepare(coordinator)
        faults = self._loop.create_task(self._faults.run(self._loop), name="faults")
        scripts = [
            self._loop.create_task(script.run(coordinator), name=f"script {script.client.number}")
            for script in self._scripts
        ]
        async with self._following(coordinator):
            try:
                await asyncio.wait(scripts)
            finally:
                faults.cancel()
                self._faults.heal()
            # What was sent to the store before has its outcome; if that is not known, the process stops meanwhile.
            await coordinator.storage.drained()
            await asyncio.sleep(0.05)
            ended = [script.exception() for script in scripts]
            if (error := next(filter(None, ended), None)) is not None:
                raise error
            await self._check(coordinator)
        return True

    async def _verify(self, coordinator: Coordinator) -> bool:
        """After a restart."""
        async with self._following(coordinator):
            await self._check(coordinator)
        return True

    async def _prepare(self, coordinator: Coordinator) -> None:
        prober = self._prober
        await prober.connect(coordinator)
        await prober.ask("CREATE TABLE s (k int, v int)", lambda outcome: self._shared.becomes("s", outcome))
        if self._replicas > 1:
            await prober.ask(f"ALTER CLUSTER {QUICKSTART} SET (REPLICATION FACTOR {self._replicas})")
        if self._view:
            view = self._model.add("materialized view", on=self._shared, cluster=QUICKSTART)
            await prober.ask(VIEW_SQL, lambda outcome: view.becomes("digits", outcome))
        await prober.close()
        self._prepared = True

    def _subscriber(self, number: int, random: Random, interrupts: bool) -> Subscriber:
        followed = drawn(random, view=self._view)
        return Subscriber(number, random, followed, self._shared_rows, interrupts, self._say, self._broken)

    def _shared_rows(self, time: int) -> Counter[Row]:
        """What the shared table holds at `time`, past the coordinator."""
        shard = self._shared_shard
        assert shard is not None
        reader = PersistClient(self._disk.consensus, self._disk.blob, _Clock(self._loop))
        return checks.rows_at(reader, shard, time)

    @contextlib.asynccontextmanager
    async def _following(self, coordinator: Coordinator) -> AsyncIterator[None]:
        """Subscribers follow meanwhile; at the end of the block they have come to where everything is."""
        item = next(item for item in coordinator.catalog.user_items() if item.name == self._shared.name)
        self._shared_shard = item.shard
        tasks = [
            self._loop.create_task(subscriber.run(coordinator), name="subscriber")
            for subscriber in self._subscribers
        ]
        try:
            yield
            await self._heard(coordinator)
        finally:
            for task in tasks:
                task.cancel()
            if tasks:
                await asyncio.wait(tasks)
            for task in tasks:
                if not task.cancelled() and (error := task.exception()) is not None:
                    self._broken(f"a subscriber ended with {error!r}")

    async def _heard(self, coordinator: Coordinator) -> None:
        time, deadline = coordinator.storage.oracle.read_time, self._loop.time() + CATCH_UP_S
        for subscriber in self._subscribers:
            subscriber.quiet = True
            while subscriber.complete is None or subscriber.complete < time:
                if self._loop.time() > deadline:
                    self._broken(f"not told of {time}: {subscriber.followed.sql} after {subscriber.complete}")
                    return
                await asyncio.sleep(0.5)
            subscriber.check()

    async def _check(self, coordinator: Coordinator) -> None:
        await self._probe(coordinator)
        await self._catch_up(coordinator)
        self._none(await self._settled(coordinator))
        self._none(checks.as_promised(checks.persist_of(coordinator), coordinator.catalog, self._model))
        self._none(checks.views_are_exact(coordinator))
        self._none(checks.sources_are_exact(coordinator))
        self._none(checks.sinks_are_exact(coordinator, self._outside))

    async def _probe(self, coordinator: Coordinator) -> None:
        """Reads, writes, definitions and blocks are answered."""
        prober, shared = self._prober, self._shared
        await prober.connect(coordinator)
        row = prober.new_row()
        await self._must(f"INSERT INTO s VALUES ({row[0]}, {row[1]})", lambda o: shared.insert(*row, o))
        await self._must(f"CREATE CLUSTER IF NOT EXISTS {QUICKSTART}")
        await self._must("SELECT k, v FROM s")
        await self._probe_definitions()
        await prober.close()

    async def _probe_definitions(self) -> None:
        prober = self._prober
        table, view = self._model.add("table"), self._model.add("materialized view")
        table_name, view_name = prober.new_name("t"), prober.new_name("m")
        view.on = table

        def both(outcome: Outcome) -> None:
            table.becomes(table_name, outcome)
            view.becomes(view_name, outcome)

        await self._must("BEGIN")
        await self._must(f"CREATE TABLE {table_name} (k int, v int)")
        await self._must(f"CREATE MATERIALIZED VIEW {view_name} AS SELECT k, v FROM {table_name}")
        await self._must("COMMIT", both)
        await self._must(f"DROP TABLE {table_name} CASCADE", lambda o: self._model.drop_cascade(table, o))

    async def _must(self, sql: str, effect: Callable[[Outcome], None] | None = None) -> None:
        answer = await self._prober.ask(sql, effect)
        if answer.outcome is not Outcome.DONE:
            self._broken(f"refused though nothing is wrong any more: {sql}: {answer.error!r}")

    async def _catch_up(self, coordinator: Coordinator) -> None:
        time = coordinator.storage.oracle.read_time
        deadline = self._loop.time() + CATCH_UP_S
        while True:
            late = [item.name for item in checks.behind(coordinator, time)]
            late += checks.sinks_behind(coordinator, self._outside, time)
            left = checks.left_behind(coordinator)
            if not late and not left:
                return
            if self._loop.time() > deadline:
                for what, names in (("not maintained", late), ("left of sessions that have ended", left)):
                    if names:
                        self._broken(f"{what}: {', '.join(names)}")
                return
            await asyncio.sleep(1.0)

    async def _settled(self, coordinator: Coordinator) -> list[str]:
        """What of memory is not durable, or the other way round, while no commit is under way."""
        wrong: list[str] = []
        for tenth in range(10):
            if not (wrong := checks.memory_is_durable(coordinator)):
                break
            await asyncio.sleep(0.01 * 2**tenth)
        return wrong

    # -- what comes of it --

    def _none(self, wrong: list[str]) -> None:
        for each in wrong:
            self._broken(each)

    def _broken(self, what: str) -> None:
        self._say(f"VIOLATION: {what}")
        self.result.violations.append(what)

    def _say(self, what: str) -> None:
        if self._traced:
            self.result.trace.append(f"{self._loop.time() * 1000:12.3f} ms  {what}")

    def _touched(self, name: str) -> None:
        if not self._loop.in_thread:
            self.result.on_loop[name] = self.result.on_loop.get(name, 0) + 1


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Nothing is collected while runs go on: what is left of processes that died would run in others' loops.  It is destroyed
    at the end, in silence."""
    if not gc.isenabled():
        yield
        return
    before = sys.unraisablehook
    gc.disable()
    sys.unraisablehook = lambda _: None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                yield
            finally:
                while gc.collect():  # what is destroyed may leave something behind
                    continue
    finally:
        sys.unraisablehook = before
        gc.enable()


def run(seed: int, profile: Profile = Profile(), *, traced: bool = False, logged: bool = False) -> Result:
    """Without `logged` nothing is: records keep what they are of."""
    before = logging.root.manager.disable
    with undisturbed():
        try:
            if not logged:
                logging.disable(logging.CRITICAL)
            return Simulation(seed, profile, traced=traced).run()
        finally:
            logging.disable(before)


def run_all(seeds: Iterable[int], profile: Profile = Profile()) -> list[Result]:
    with undisturbed():
        return [run(seed, profile) for seed in seeds]
