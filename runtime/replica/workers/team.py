"""The workers of a replica, from the side of the one that leads: the step thread of the resident task.

```
resident task: step thread ── leads, is worker 0 ──┬── socket ── member 1 ──┐
                     └── fork server ── forks      └── socket ── member 2 ──┴── socket between each two
```

Members may be on other machines, too (`spread`).
"""

from __future__ import annotations

import queue
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

from ...compute.checkpoint import Checkpoint, StoredState
from ...compute.dataflow import OperatorStatistics
from ...compute.memory import release_memory
from ...compute.operators.base import NEVER_DUE
from ...compute.partitioned.dealing import GATHER_ROWS, dealt_out, together
from ...compute.partitioned.messages import (
    Forget,
    IndexRows,
    Install,
    Keep,
    Kept,
    Press,
    ReadIndex,
    Release,
    Save,
    Sweep,
    Told,
    Work,
    Writing,
)
from ...compute.partitioned.one_step import LEADER
from ...compute.partitioned.part import Part
from ...compute.partitioned.part_state import Beginning, beginning_of, begun
from ...compute.partitioned.placement import Division, divided
from ...compute.partitioned.stored import Share, Stored, shares
from ...compute.partitioned.totals import PartStatistics, WorkerStatistics, of_this_process
from ...compute.partitioned.workers import Leader, Taken
from ...compute.plan import DataflowPlan
from ...compute.run import Run
from ...compute.run_store import INDEX_RUNS, RunStore, StateId
from ...compute.spine import Spine
from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...interrupt import check_interrupt
from ...memory import step_memory
from ...persist.blob.base import Blob
from ...persist.part import PartRef
from ...repr.batch import Delta
from .crew import Members
from .member import Start
from .part_store import PartStore

TICK_S = 0.05
"""So often the leader looks, while it waits, whether its step is still wanted."""


class Team:
    """`workers` processes, this one among them.  For one thread, but for `Saves`, `IndexLookUps` and `SharesAmongWorkers`."""

    def __init__(
        self, workers: int, start: Start, here: Blob | None = None, members: Members | None = None
    ) -> None:
        """`here` is the blob store of `start` as this process has it, if that is not the same.  Without `members` they are forked here."""
        self.workers = workers
        self.machine = start.machine
        self.members = members or Members.beside(workers, start)
        self.wires, self.saves = self.members.wires, self.members.saves
        self.look_ups, self.shares = self.members.look_ups, self.members.shares
        self.leader = Leader(workers, self.wires, PartStore(here or start.blob, start.writer))
        self._numbers = count(1)
        self._last_told: list[Told] = []
        self._released: queue.SimpleQueue[tuple[int, int]] = queue.SimpleQueue()

    @property
    def pids(self) -> list[int]:
        """Of the members on this machine."""
        return self.members.crew.pids

    def install(self, division: Division, as_of: int, *, arranged: bool) -> int:
        """A number for the dataflow, of which each member has its part from now on."""
        number = next(self._numbers)
        self.leader.install(Install(number, division, as_of, arranged))
        return number

    def look(self) -> None:
        """Raises WorkerLost when a member has ended while there was nothing to do.  Lets members know which files are not read any more."""
        self.wires.collect()
        released: dict[int, list[int]] = {}
        while not self._released.empty():
            member, number = self._released.get()
            released.setdefault(member, []).append(number)
        if released:
            self.leader.tell({member: Release(tuple(numbers)) for member, numbers in released.items()})

    def pump(self) -> None:
        """Waits for the step to be over, or for it to be given up."""
        while not self.leader.is_over:
            received = self.wires.receive(TICK_S)
            if received is not None:
                self.leader.receive(*received)
            try:
                check_interrupt()
            except PtvcError as error:
                self.leader.abort(error)

    def keep(self, messages: Mapping[int, Keep | Press]) -> Callable[[], Mapping[int, Kept]]:
        """Has members begin with what is on file, or move what they hold there; what is returned waits until they have heard.  That raises
        why one could not."""
        self.leader.keep(messages)
        return self._kept

    def _kept(self) -> Mapping[int, Kept]:
        while (kept := self.leader.kept) is None:
            received = self.wires.receive(TICK_S)
            if received is not None:
                self.leader.receive(*received)
            check_interrupt()
        for answer in kept.values():
            if answer.error is not None:
                raise answer.error
        return kept

    def ask(self, dataflow: int | None) -> list[Told]:
        """What the members have done for the dataflow, if there is one."""
        self.leader.ask(dataflow)
        while (told := self.leader.told) is None:
            self.leader.receive(*self.wires.next())
        self._last_told = told
        return told

    def read_index(self, asked: Mapping[int, ReadIndex]) -> list[IndexRows]:
        """What these members hold of an index; its files are there as long as somebody has their `RunFile`."""
        self.leader.read(asked)
        while (answers := self.leader.take_index_rows()) is None:
            self.leader.receive(*self.wires.next())
        for member, answer in answers.items():
            for number, file in answer.files:
                weakref.finalize(file, self._released.put, (member, number))
        return [answers[member] for member in sorted(answers)]

    def processes(self) -> tuple[WorkerStatistics, ...]:
        """What all workers have done, members as they have said last."""
        told = self._last_told or self.ask(None)
        return of_this_process(self.wires, self.machine), *(answer.worker for answer in told)

    def close(self) -> None:
        """The thread of `saves` has ended."""
        self.members.close()


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step puts out: rows and errors in `delta`, and more rows in parts that are written already."""

    delta: Delta
    parts: tuple[PartRef, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.delta or self.parts)


class DividedDataflow(Part):
    """A dataflow whose operators run in all workers of a team; this is the leader's part.  No job steps it.

    Whoever saves this part has the `others` do so, too."""

    def __init__(
        self,
        team: Team,
        plan: DataflowPlan,
        as_of: int,
        *,
        arranged: bool = False,
        index_key: tuple[int, ...] | None = None,
        few: tuple[int, ...] = (),
    ) -> None:
        """With `index_key` the output is arranged by these columns: each member keeps what comes out there, and the leader's is put out.  Imports
        at the positions `few` may be broadcast."""
        division = divided(plan, index_key, few)
        super().__init__(division, as_of, LEADER, team.workers, arranged=arranged)
        self._team = team
        self._division = division
        self._saves = count(1)
        self._due = dict.fromkeys(range(1, team.workers), NEVER_DUE)
        self._nbytes = dict.fromkeys(range(1, team.workers), 0)
        self._closed = False
        self.at_rest = True
        """Whether members that were asked for statistics would say the same again."""
        self.number = team.install(division, as_of, arranged=arranged)

    def step(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Delta:
        return self.step_over(inputs, {}, lower, upper).delta

    def step_over(
        self,
        inputs: Mapping[GlobalId, Delta],
        stored: Mapping[GlobalId, Sequence[Stored]],
        lower: int,
        upper: int,
        writing: Writing | None = None,
        since: int = 0,
    ) -> Stepped:
        """As `step`, over what each worker reads of the `stored` inputs, too.  With `writing`, each worker may write the rows that
        come out there.  An index is read from `since` on."""
        if not self._begin(lower, upper, any(inputs.values()) or bool(stored)):
            return Stepped(self._nothing[self.plan.output])
        rows = sum(len(delta.oks) for delta in inputs.values())
        rows += sum(some.rows for each in stored.values() for some in each)
        gather = writing is not None and self.may_gather and rows >= GATHER_ROWS
        leader = self._team.leader
        meter = leader.meter()
        taken = self._taken(inputs, stored, lower, upper)
        work = Work(lower, upper, writing, gather, since)
        leader.begin(self.number, self, taken, work, step_memory())
        self._team.pump()
        output, parts, done = leader.take()
        for member, said in done.items():
            self._due[member], self._nbytes[member] = said.next_due, said.nbytes
        self._next_due = None
        release_memory(rows)
        stepped = Stepped(self._put_out(together(self, output, done.values()), upper), parts)
        meter.add_to(self.totals)
        return stepped

    def _taken(
        self,
        inputs: Mapping[GlobalId, Delta],
        stored: Mapping[GlobalId, Sequence[Stored]],
        lower: int,
        upper: int,
    ) -> Taken:
        """What each worker takes in, by the positions of imports: their names may be others by now than those that members know."""
        at = {id_: position for position, id_ in enumerate(self.plan.imports)}
        mine, others = dealt_out(
            {at[id_]: delta for id_, delta in inputs.items() if id_ in at}, self, self._parts
        )
        read: list[list[tuple[int, Share]]] | None = None
        if stored:
            read = [[] for _ in range(self._parts)]
            for id_, each in stored.items():
                for some in each:
                    for worker, share in enumerate(shares(some, self._parts)):
                        read[worker].append((at[id_], share))
        if lower == self.as_of:
            due = list(range(self._parts))
        else:
            times = {LEADER: super().next_due(), **self._due}
            due = [worker for worker, time in times.items() if time < upper]
        return Taken(mine, others, read, due)

    def next_due(self) -> int:
        return min(super().next_due(), *self._due.values())

    @property
    def elsewhere_nbytes(self) -> int:
        return sum(self._nbytes.values())

    def is_of(self, plan: DataflowPlan) -> bool:
        return self.plan == divided(plan, self._division.index_key, self._division.few).plan

    # -- state on file --

    @property
    def few(self) -> tuple[int, ...]:
        return self._division.few

    def keep_others(
        self, directory: str, spill_rows: int, checkpoint: Checkpoint | None
    ) -> Callable[[], None]:
        """Has the members keep their parts in the folder, and begin with the checkpoint; what is returned waits until they have.  That
        raises StorageError when one cannot."""
        members = range(1, self._parts)
        beginnings = {
            member: None if checkpoint is None else self._beginning(checkpoint, member) for member in members
        }
        wait = self._team.keep({m: Keep(self.number, directory, spill_rows, beginnings[m]) for m in members})

        return lambda: self._hear(wait())

    def _hear(self, answers: Mapping[int, Kept]) -> None:
        for member, kept in answers.items():
            self._due[member], self._nbytes[member] = kept.next_due, kept.nbytes

    def spill_others(self) -> bool:
        """Asks the members to move to files what they hold in memory; False when nothing is on its way there."""
        answers = self._team.keep({m: Press(self.number) for m in range(1, self._parts)})()
        self._hear(answers)
        return any(kept.moving for kept in answers.values())

    def begin(
        self, store: RunStore, spines: Mapping[StateId, Spine], checkpoint: Checkpoint
    ) -> dict[StateId, tuple[Run, ...]]:
        return begun(store, spines, self._beginning(checkpoint, LEADER), LEADER, self._parts)

    def _beginning(self, checkpoint: Checkpoint, part: int) -> Beginning:
        spines = self.spines()
        if self._division.index_key is not None:  # its owner holds the leader's rows
            spines[self.output_number, INDEX_RUNS] = Spine(self.output_schema, self._division.index_key)
        return beginning_of(checkpoint, part, self._parts, self._division, spines)

    def save_others(self, *, pack: bool) -> Callable[[], tuple[StoredState, ...]]:
        number, team, members = next(self._saves), self._team, range(1, self._parts)
        team.leader.tell(dict.fromkeys(members, Save(self.number, number, pack)))
        return partial(team.saves.wait, self.number, number)

    def sweep_others(self, kept: Sequence[StoredState]) -> None:
        if not self._closed:
            messages = {member: Sweep(self.number, state) for member, state in enumerate(kept, 1)}
            self._team.leader.tell(messages)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._nbytes.clear()
            self._team.leader.install(Forget(self.number))

    def statistics(self) -> tuple[OperatorStatistics, ...]:
        return self.statistics_of_all()[0]

    def statistics_of_all(self) -> tuple[tuple[OperatorStatistics, ...], tuple[PartStatistics, ...]]:
        """Of its operators, those of all workers together; and of the members, in their order."""
        told = [] if self._closed else self._team.ask(self.number)
        everywhere = [super().statistics(), *(answer.operators for answer in told)]
        members = tuple(answer.part for answer in told if answer.part is not None)
        self.at_rest = all(answer.at_rest for answer in told)
        together = [_together(node) for node in zip(*everywhere, strict=True)]
        return tuple(together[: self._division.operators]), members


def _together(parts: tuple[OperatorStatistics, ...]) -> OperatorStatistics:
    """Of one operator, all workers; `steps` are those of the worker that made the most."""
    return replace(
        parts[0],
        steps=max(part.steps for part in parts),
        rows_in=sum(part.rows_in for part in parts),
        rows_out=sum(part.rows_out for part in parts),
        seconds=sum(part.seconds for part in parts),
        state_rows=sum(part.state_rows for part in parts),
        state_bytes=sum(part.state_bytes for part in parts),
        mapped_bytes=sum(part.mapped_bytes for part in parts),
    )
