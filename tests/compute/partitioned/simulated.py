"""Workers without processes: their messages travel as a seed says, and they die as it says.

Between two workers messages stay in order; of all that are on their way any may be the next to arrive.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random

from ptvc.compute.checkpoint import Checkpoint, write
from ptvc.compute.partitioned.dealing import dealt_out, together
from ptvc.compute.partitioned.messages import Install, Keep, Message, Open, Rows, Save, Saved, Sweep
from ptvc.compute.partitioned.part import Part, Passing
from ptvc.compute.partitioned.part_state import beginning_of, begun
from ptvc.compute.partitioned.placement import Division, divided
from ptvc.compute.partitioned.workers import LEADER, Leader, Member
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.run_store import RunStore
from ptvc.compute.shared_files import SharedFiles
from ptvc.errors import QueryCanceled, ReplicaUnavailable
from ptvc.expr.tree.relation import GlobalId
from ptvc.repr.batch import Delta


class Died(Exception):
    """A worker died in the middle of a step."""


@dataclass(slots=True)
class _Beside:
    """What a member has still to do beside its steps."""

    works: deque[Callable[[], None]] = field(default_factory=deque)
    answers: dict[int, Saved] = field(default_factory=dict)

    def opened(self, message: Open) -> SharedFiles:
        return message.files

    def submit(self, work: Callable[[], None]) -> None:
        self.works.append(work)

    def answer(self, saved: Saved) -> None:
        self.answers[saved.number] = saved


@dataclass(slots=True)
class _Wires:
    """Those of one worker."""

    sender: int
    ways: defaultdict[tuple[int, int], deque[Message]]

    def send(self, worker: int, message: Message) -> None:
        self.ways[self.sender, worker].append(message)

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
    """A team of `workers`.  When one dies, that is the end of all."""

    random: Random
    workers: int
    faults: Faults = field(default_factory=Faults)
    ways: defaultdict[tuple[int, int], deque[Message]] = field(default_factory=lambda: defaultdict(deque))
    leader: Leader = field(init=False)
    members: dict[int, Member] = field(init=False)
    beside: dict[int, _Beside] = field(init=False)

    def __post_init__(self) -> None:
        self.leader = Leader(self.workers, _Wires(LEADER, self.ways))
        self.beside = {worker: _Beside() for worker in range(1, self.workers)}
        self.members = {
            worker: Member(worker, self.workers, _Wires(worker, self.ways), beside)
            for worker, beside in self.beside.items()
        }

    def install(self, number: int, plan: DataflowPlan, as_of: int) -> Flow:
        division = divided(plan)
        self.leader.install(Install(number, division.plan, as_of, False))
        part = Part(division.plan, as_of, LEADER, self.workers)
        return Flow(self, number, part, division)

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
        if receiver == LEADER:
            self.leader.receive(sender, message)
        else:
            self.members[receiver].receive(sender, message)


@dataclass(slots=True)
class Flow:
    """A dataflow of a simulated team."""

    team: Simulated
    number: int
    part: Part
    division: Division
    saves: int = 0

    def step(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Delta:
        """Raises Died, QueryCanceled when the step was given up, ReplicaUnavailable when a member has failed in it."""
        team, leader = self.team, self.team.leader
        if team.random.random() < team.faults.failure:
            self._break()
        schemas = {id_: self.part.plan.import_schema(id_) for id_ in self.part.plan.imports}
        inputs = {id_: delta for id_, delta in inputs.items() if id_ in schemas}
        mine, others = dealt_out(inputs, schemas, self.division.dealt, team.workers)
        leader.begin(self.number, self.part, mine, self.part.with_work(others, lower), lower, upper, None)
        while not leader.is_over:
            team.deliver()
            if team.random.random() < team.faults.abort:
                leader.abort(QueryCanceled("given up"))
        output, done = leader.take()
        left = [m for messages in team.ways.values() for m in messages if isinstance(m, Rows)]
        assert not left, "a step is over when all that belongs to it has arrived"
        schema = self.part.plan.nodes[self.part.plan.output].schema
        return self.part._put_out(together(schema, output, done.values()), upper)

    def keep(self, store: RunStore, checkpoint: Checkpoint | None) -> None:
        """Has all parts keep their state in the store's directory, and begin with the checkpoint."""
        team, spines = self.team, self.part.spines()
        beginnings = [
            checkpoint and beginning_of(checkpoint, part, team.workers, self.division, spines)
            for part in range(team.workers)
        ]
        name = store.shared.name(store.directory)
        team.leader.keep({m: Keep(self.number, name, store.spill_rows, beginnings[m]) for m in team.members})
        if (beginning := beginnings[LEADER]) is not None:
            self.part.load(begun(store, spines, beginning, LEADER, team.workers), beginning.upper)
        self.part.keep_in(store)
        while (kept := team.leader.kept) is None:
            team.deliver()
        for answer in kept.values():
            if answer.error is not None:
                raise answer.error

    def save(self, store: RunStore, *, pack: bool) -> Callable[[], Checkpoint]:
        """Between two steps: what is returned waits until all parts are on file."""
        self.saves += 1
        number, team, upper = self.saves, self.team, self.part.upper
        team.leader.tell(dict.fromkeys(team.members, Save(self.number, number, pack)))
        handles = self.part.handles()

        def wait() -> Checkpoint:
            mine = write(store, "f", upper, self.part.spines(), handles, pack=pack)
            while not all(number in beside.answers for beside in team.beside.values()):
                team.deliver()
            saved = [beside.answers.pop(number) for beside in team.beside.values()]
            assert not [answer.error for answer in saved if answer.error is not None]
            return replace(mine, others=tuple(answer.state for answer in saved))

        return wait

    def sweep(self, store: RunStore, checkpoint: Checkpoint) -> None:
        store.sweep(checkpoint.files())
        kept = enumerate(checkpoint.others, 1)
        self.team.leader.tell({member: Sweep(self.number, state) for member, state in kept})

    def _break(self) -> None:
        """Some member fails at some level of its next step."""
        team = self.team
        for way in sorted(team.ways):
            while team.ways[way]:  # the part is there once its message has arrived
                team.members[way[1]].receive(way[0], team.ways[way].popleft())
        parts = [m._parts[self.number] for m in team.members.values() if self.number in m._parts]
        part, after = team.random.choice(parts), team.random.randrange(3)
        going = part.level_by_level

        def failing(
            inputs: Mapping[GlobalId, Delta], lower: int, upper: int
        ) -> Generator[Passing, Passing, Delta]:
            steps = going(inputs, lower, upper)
            with suppress(StopIteration):
                sent = next(steps)
                for _ in range(after):
                    sent = steps.send((yield sent))
            raise ReplicaUnavailable("broken")

        part.level_by_level = failing  # type: ignore[method-assign]
