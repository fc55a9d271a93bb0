"""Workers without processes: their messages travel as a seed says, and they die as it says.

Between two workers messages stay in order; of all that are on their way any may be the next to arrive.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Generator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random

from ptvc.compute.partitioned.dealing import dealt_out, together
from ptvc.compute.partitioned.messages import Install, Message, Rows
from ptvc.compute.partitioned.part import Part, Passing
from ptvc.compute.partitioned.placement import divided
from ptvc.compute.partitioned.workers import LEADER, Leader, Member
from ptvc.compute.plan import DataflowPlan
from ptvc.errors import QueryCanceled, ReplicaUnavailable
from ptvc.expr.tree.relation import GlobalId
from ptvc.repr.batch import Delta


class Died(Exception):
    """A worker died in the middle of a step."""


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

    def __post_init__(self) -> None:
        self.leader = Leader(self.workers, _Wires(LEADER, self.ways))
        self.members = {
            worker: Member(worker, self.workers, _Wires(worker, self.ways))
            for worker in range(1, self.workers)
        }

    def install(self, number: int, plan: DataflowPlan, as_of: int) -> Flow:
        division = divided(plan)
        self.leader.install(Install(number, division.plan, as_of, False))
        part = Part(division.plan, as_of, LEADER, self.workers)
        return Flow(self, number, part, division.dealt)

    def deliver(self) -> None:
        """One message arrives, or a worker dies instead: raises Died."""
        waiting = sorted(way for way, messages in self.ways.items() if messages)
        assert waiting, "the step is not over, and nothing is on its way"
        if self.random.random() < self.faults.death:
            raise Died
        sender, receiver = way = self.random.choice(waiting)
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
    dealt: Mapping[GlobalId, tuple[int, ...]]

    def step(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Delta:
        """Raises Died, QueryCanceled when the step was given up, ReplicaUnavailable when a member has failed in it."""
        team, leader = self.team, self.team.leader
        if team.random.random() < team.faults.failure:
            self._break()
        schemas = {id_: self.part.plan.import_schema(id_) for id_ in self.part.plan.imports}
        inputs = {id_: delta for id_, delta in inputs.items() if id_ in schemas}
        mine, others = dealt_out(inputs, schemas, self.dealt, team.workers)
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
