"""Workers without processes: their messages travel as a seed says, and they die as it says.

Between two workers messages stay in order; of all that are on their way any may be the next to arrive.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

from ptvc.compute.checkpoint import Checkpoint, StoredState, write
from ptvc.compute.partitioned.messages import Install, Keep, Kept, Message, Press, Rows, Saved, Writing
from ptvc.compute.partitioned.one_step import LEADER
from ptvc.compute.partitioned.passing import Passing
from ptvc.compute.partitioned.placement import Division
from ptvc.compute.partitioned.stored import Stored
from ptvc.compute.partitioned.workers import Leader, Member
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.run_store import RunStore
from ptvc.compute.shared_files import MACHINE, SharedFiles
from ptvc.errors import QueryCanceled, ReplicaUnavailable
from ptvc.expr.tree.relation import GlobalId
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.replica.workers.part_store import PartStore
from ptvc.replica.workers.team import DividedDataflow
from ptvc.repr.batch import Delta, concat_deltas

SHARD = "v"


class Died(Exception):
    """A worker died in the middle of a step."""


@dataclass(slots=True)
class _Beside:
    """What a member has still to do beside its steps."""

    files: SharedFiles
    writer: str
    apart: bool = False
    works: deque[Callable[[], None]] = field(default_factory=deque)
    answers: dict[tuple[int, int], Saved] = field(default_factory=dict)

    def submit(self, work: Callable[[], None]) -> None:
        self.works.append(work)

    def answer(self, saved: Saved) -> None:
        self.answers[saved.dataflow, saved.number] = saved


@dataclass(slots=True)
class _Saves:
    """What members have saved, as the leader hears of it."""

    team: Simulated

    def wait(self, dataflow: int, number: int) -> tuple[StoredState, ...]:
        team = self.team
        while not all((dataflow, number) in beside.answers for beside in team.beside.values()):
            team.deliver()
        answers = [beside.answers.pop((dataflow, number)) for beside in team.beside.values()]
        assert not [answer.error for answer in answers if answer.error is not None]
        return tuple(answer.state for answer in answers)


@dataclass(slots=True)
class SimulatedWires:
    """Those of one worker."""

    sender: int
    ways: defaultdict[tuple[int, int], deque[Message]]
    moved: Counter[int]
    messages: int = 0
    nbytes: int = 0
    waited_s: float = 0.0

    def send(self, worker: int, message: Message) -> None:
        self.messages += 1
        self.ways[self.sender, worker].append(message)
        if isinstance(message, Rows):
            self.moved[worker] += sum(buffer.size for _, buffer in message.pieces)

    def flush(self) -> None:
        """What was sent is on its way already."""


@dataclass(slots=True)
class Faults:
    """How likely it is, for each message that arrives, that a worker dies, that the step is given up, and, for each step, that a
    member fails in it."""

    death: float = 0.0
    abort: float = 0.0
    failure: float = 0.0


@dataclass(slots=True)
class Simulated:
    """A team of `workers`, as a `DividedDataflow` has it.  When one dies, that is the end of all."""

    random: Random
    workers: int
    faults: Faults = field(default_factory=Faults)
    ways: defaultdict[tuple[int, int], deque[Message]] = field(default_factory=lambda: defaultdict(deque))
    files: SharedFiles = MACHINE
    writer: str = "simulated"
    blob: MemoryBlob = field(default_factory=MemoryBlob)
    delivered: int = 0
    moved: Counter[int] = field(default_factory=Counter)  # bytes of rows that have gone to each worker
    leader: Leader = field(init=False)
    members: dict[int, Member] = field(init=False)
    saves: _Saves = field(init=False)
    beside: dict[int, _Beside] = field(init=False)
    _numbers: count[int] = field(default_factory=lambda: count(1))

    def __post_init__(self) -> None:
        store = PartStore(self.blob, "simulated")
        self.leader = Leader(self.workers, SimulatedWires(LEADER, self.ways, self.moved), store)
        self.beside = {worker: _Beside(self.files, self.writer) for worker in range(1, self.workers)}
        self.saves = _Saves(self)
        self.members = {
            worker: Member(worker, self.workers, SimulatedWires(worker, self.ways, self.moved), store, beside)
            for worker, beside in self.beside.items()
        }

    def install(self, division: Division, as_of: int, *, arranged: bool) -> int:
        number = next(self._numbers)
        self.leader.install(Install(number, division, as_of, arranged))
        return number

    def pump(self) -> None:
        while not self.leader.is_over:
            self.deliver()
            if self.random.random() < self.faults.abort:
                self.leader.abort(QueryCanceled("given up"))

    def keep(self, messages: Mapping[int, Keep | Press]) -> Callable[[], Mapping[int, Kept]]:
        self.leader.keep(messages)
        return self._kept

    def _kept(self) -> Mapping[int, Kept]:
        while (kept := self.leader.kept) is None:
            self.deliver()
        for answer in kept.values():
            if answer.error is not None:
                raise answer.error
        return kept

    def deliver(self) -> None:
        """One message arrives, or a member does something beside its steps, or a worker dies instead: raises Died."""
        waiting = sorted(way for way, messages in self.ways.items() if messages)
        working = [beside for beside in self.beside.values() if beside.works]
        assert waiting or working, "the step is not over, and nothing is on its way"
        if self.random.random() < self.faults.death:
            raise Died
        chosen = self.random.randrange(len(waiting) + len(working))
        if chosen >= len(waiting):
            working[chosen - len(waiting)].works.popleft()()
            return
        sender, receiver = way = waiting[chosen]
        message = self.ways[way].popleft()
        self.delivered += 1
        if receiver == LEADER:
            self.leader.receive(sender, message)
        else:
            self.members[receiver].receive(sender, message)


class Flow:
    """A dataflow of a simulated team."""

    def __init__(
        self,
        team: Simulated,
        plan: DataflowPlan,
        as_of: int,
        index_key: tuple[int, ...] | None = None,
        few: tuple[int, ...] = (),
    ) -> None:
        self.team = team
        self.arranged = index_key is not None
        self.dataflow = DividedDataflow(team, plan, as_of, index_key=index_key, few=few)  # type: ignore[arg-type]

    def step(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Delta:
        """Some inputs as they are stored, and the output partly in parts, as chance has it.  Raises Died, QueryCanceled when the step was
        given up, ReplicaUnavailable when a member has failed in it."""
        team, plan = self.team, self.dataflow.plan
        if team.random.random() < team.faults.failure:
            self._break()
        inputs = {id_: delta for id_, delta in inputs.items() if id_ in plan.imports}
        stored = {}
        if team.random.random() < 0.4:
            chosen = [id_ for id_ in inputs if team.random.random() < 0.8]
            stored = {id_: self._stored(id_, inputs[id_], lower, upper) for id_ in chosen if inputs[id_]}
        known = {id_: delta for id_, delta in inputs.items() if id_ not in stored}
        writes = team.random.random() < 0.5 and not self.arranged
        writing = Writing(SHARD, lower, passing=True, few=1) if writes else None
        stepped = self.dataflow.step_over(known, stored, lower, upper, writing)
        left = [m for messages in team.ways.values() for m in messages if isinstance(m, Rows)]
        assert not left, "a step is over when all that belongs to it has arrived"
        written = read_updates(team.blob, stepped.parts, plan.schema, lower, upper)
        return concat_deltas(plan.schema, [stepped.delta, written])

    def _stored(self, id: GlobalId, delta: Delta, lower: int, upper: int) -> list[Stored]:
        """The updates in several parts; those of a first step, sometimes, as contents."""
        random, schema = self.team.random, self.dataflow.plan.import_schema(id)
        rows = delta.oks
        first = lower == self.dataflow.as_of and random.random() < 0.5
        cuts = sorted(random.randrange(len(rows) + 1) for _ in range(random.randrange(3)))
        parts = []
        for start, stop in zip([0, *cuts], [*cuts, len(rows)], strict=True):
            piece = Delta(rows.slice(start, stop), delta.errs)
            parts += write_parts(self.team.blob, id, schema, piece, writer="simulated")
        width = len(schema)
        if not first:
            return [Stored(tuple(parts), schema, width, lower, upper)]
        contents = Stored(tuple(parts), schema, width, 0, lower + 1, lower)
        later = Stored(tuple(parts), schema, width, lower + 1, upper)
        return [contents, later] if upper > lower + 1 else [contents]

    def keep(self, store: RunStore, checkpoint: Checkpoint | None) -> None:
        """Has all parts keep their state in the store's directory, and begin with the checkpoint."""
        dataflow = self.dataflow
        wait = dataflow.keep_others(store.shared.name(store.directory), store.spill_rows, checkpoint)
        if checkpoint is not None:
            dataflow.load(dataflow.begin(store, dataflow.spines(), checkpoint), checkpoint.cut)
        dataflow.keep_in(store)
        wait()

    def save(self, store: RunStore, *, pack: bool) -> Callable[[], Checkpoint]:
        """Between two steps: what is returned waits until all parts are on file."""
        dataflow, upper = self.dataflow, self.dataflow.upper
        others, handles = dataflow.save_others(pack=pack), dataflow.handles()

        def wait() -> Checkpoint:
            saved = write(store, "f", upper, dataflow.spines(), handles, pack=pack)
            return replace(saved, others=others(), few=dataflow.few)

        return wait

    def sweep(self, store: RunStore, checkpoint: Checkpoint) -> None:
        store.sweep(checkpoint.files())
        self.dataflow.sweep_others(checkpoint.others)

    def _break(self) -> None:
        """Some member fails at some level of its next step."""
        team = self.team
        for way in sorted(team.ways):
            while team.ways[way]:  # the part is there once its message has arrived
                team.members[way[1]].receive(way[0], team.ways[way].popleft())
        number = self.dataflow.number
        parts = [m._parts[number] for m in team.members.values() if number in m._parts]
        part, after = team.random.choice(parts), team.random.randrange(3)
        going = part.level_by_level

        def failing(*args: object, **options: object) -> Generator[Passing, Passing, Delta]:
            steps = going(*args, **options)  # type: ignore[arg-type]
            with suppress(StopIteration):
                sent = next(steps)
                for _ in range(after):
                    sent = steps.send((yield sent))
            raise ReplicaUnavailable("broken")

        part.level_by_level = failing  # type: ignore[method-assign]
