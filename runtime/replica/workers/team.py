"""The workers of a replica, from the side of the one that leads: the step thread of the resident task.

```
resident task: step thread ── leads, is worker 0 ──┬── socket ── member 1 ──┐
                     └── fork server ── forks      └── socket ── member 2 ──┴── socket between each two
```
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, count

from ...compute.checkpoint import Checkpoint, StoredState
from ...compute.dataflow import OperatorStatistics
from ...compute.operators.base import NEVER_DUE
from ...compute.partitioned.dealing import dealt_out, together
from ...compute.partitioned.messages import Forget, Install, Keep, Kept, Open, Press, Save, Sweep
from ...compute.partitioned.part import Part
from ...compute.partitioned.part_state import Beginning, beginning_of, begun
from ...compute.partitioned.placement import divided
from ...compute.partitioned.workers import LEADER, Leader
from ...compute.plan import DataflowPlan, Import
from ...compute.run import Run
from ...compute.run_store import RunStore, StateId
from ...compute.shared_files import MACHINE, SharedFiles
from ...compute.spine import Spine
from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...interrupt import check_interrupt
from ...memory import step_memory
from ...repr.batch import Delta
from ...repr.schema import Schema
from ..queries.processes import SERVER
from ..queries.requests import FORK_MEMBER
from .member import START
from .saves import Saves
from .wires import Wires

TICK_S = 0.05
"""So often the leader looks, while it waits, whether its step is still wanted."""


class Team:
    """`workers` processes, this one among them.  State is in `files`, in which `writer` names this attempt of the replica.

    For one thread, but for `Saves`."""

    def __init__(self, workers: int, files: SharedFiles = MACHINE, writer: str = "team") -> None:
        self.workers = workers
        self._numbers = count(1)
        streams: dict[int, dict[int, socket.socket]] = {worker: {} for worker in range(workers)}
        for one, other in combinations(range(1, workers), 2):
            streams[one][other], streams[other][one] = socket.socketpair()
        saves: dict[int, socket.socket] = {}
        self.pids: list[int] = []
        try:
            for worker in range(1, workers):
                pid, stream = SERVER.fork(FORK_MEMBER)
                self.pids.append(pid)
                streams[0][worker] = stream
                saves[worker], theirs = socket.socketpair()
                with theirs:
                    others = [streams[worker][other].fileno() for other in sorted(streams[worker])]
                    socket.send_fds(stream, [START.pack(worker, workers)], [*others, theirs.fileno()])
        finally:
            for worker in range(1, workers):
                for theirs in streams[worker].values():
                    theirs.close()
        self.saves = Saves(saves)
        self.wires = Wires(streams[0])
        self.leader = Leader(workers, self.wires)
        self.leader.install(Open(files, writer, dict(os.environ)))

    def install(self, plan: DataflowPlan, as_of: int, *, arranged: bool) -> int:
        """A number for the dataflow, of which each member has its part from now on."""
        number = next(self._numbers)
        self.leader.install(Install(number, plan, as_of, arranged))
        return number

    def look(self) -> None:
        """Raises WorkerLost when a member has ended while there was nothing to do."""
        self.wires.collect()

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

    def statistics(self, dataflow: int) -> list[tuple[OperatorStatistics, ...]]:
        self.leader.ask(dataflow)
        while (told := self.leader.told) is None:
            self.leader.receive(*self.wires.next())
        return told

    def close(self) -> None:
        """The thread of `saves` has ended."""
        self.wires.close()
        self.saves.close()
        for pid in self.pids:
            SERVER.end(pid)


class DividedDataflow(Part):
    """A dataflow whose operators run in all workers of a team; this is the leader's part.  No job steps it.

    Whoever saves this part has the `others` do so, too."""

    def __init__(self, team: Team, plan: DataflowPlan, as_of: int, *, arranged: bool = False) -> None:
        division = divided(plan)
        super().__init__(division.plan, as_of, 0, team.workers, arranged=arranged)
        self._team = team
        self._division = division
        self._saves = count(1)
        self._dealt = tuple(division.dealt.get(id_) for id_ in plan.imports)
        self._imports = plan.imports
        self._due = dict.fromkeys(range(1, team.workers), NEVER_DUE)
        self._nbytes = dict.fromkeys(range(1, team.workers), 0)
        self._closed = False
        self._dataflow = team.install(division.plan, as_of, arranged=arranged)

    def _run(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int, first: bool) -> Delta:
        # Members know the imports by the names that these had at first; this part reads them as they are called by now.
        by = {id_: columns for id_, columns in zip(self.plan.imports, self._dealt, strict=True) if columns}
        known = dict(zip(self.plan.imports, self._imports, strict=True))
        mine, others = dealt_out(inputs, self._schemas, by, self._parts)
        shares = {
            member: {known[id_]: rows for id_, rows in share.items()}
            for member, share in self.with_work(others, lower).items()
        }
        leader = self._team.leader
        leader.begin(self._dataflow, self, mine, shares, lower, upper, step_memory())
        self._team.pump()
        output, done = leader.take()
        for member, said in done.items():
            self._due[member], self._nbytes[member] = said.next_due, said.nbytes
        return together(self.plan.nodes[self.plan.output].schema, output, done.values())

    @property
    def _schemas(self) -> dict[GlobalId, Schema]:
        return {node.op.id: node.schema for node in self.plan if isinstance(node.op, Import)}

    def next_due(self) -> int:
        return min(super().next_due(), *self._due.values())

    @property
    def elsewhere_nbytes(self) -> int:
        return sum(self._nbytes.values())

    def is_of(self, plan: DataflowPlan) -> bool:
        return self.plan == divided(plan).plan

    # -- state on file --

    def keep_others(
        self, directory: str, spill_rows: int, checkpoint: Checkpoint | None
    ) -> Callable[[], None]:
        """Has the members keep their parts in the folder, and begin with the checkpoint; what is returned waits until they have.  That
        raises StorageError when one cannot."""
        members = range(1, self._parts)
        beginnings = {
            member: None if checkpoint is None else self._beginning(checkpoint, member) for member in members
        }
        wait = self._team.keep(
            {m: Keep(self._dataflow, directory, spill_rows, beginnings[m]) for m in members}
        )

        return lambda: self._hear(wait())

    def _hear(self, answers: Mapping[int, Kept]) -> None:
        for member, kept in answers.items():
            self._due[member], self._nbytes[member] = kept.next_due, kept.nbytes

    def spill_others(self) -> bool:
        """Asks the members to move to files what they hold in memory; False when nothing is on its way there."""
        answers = self._team.keep({m: Press(self._dataflow) for m in range(1, self._parts)})()
        self._hear(answers)
        return any(kept.moving for kept in answers.values())

    def begin(
        self, store: RunStore, spines: Mapping[StateId, Spine], checkpoint: Checkpoint
    ) -> dict[StateId, tuple[Run, ...]]:
        return begun(store, spines, self._beginning(checkpoint, LEADER), LEADER, self._parts)

    def _beginning(self, checkpoint: Checkpoint, part: int) -> Beginning:
        return beginning_of(checkpoint, part, self._parts, self._division, self.spines())

    def save_others(self, *, pack: bool) -> Callable[[], tuple[StoredState, ...]]:
        number, team, members = next(self._saves), self._team, range(1, self._parts)
        team.leader.tell(dict.fromkeys(members, Save(self._dataflow, number, pack)))
        return partial(team.saves.wait, self._dataflow, number)

    def sweep_others(self, kept: Sequence[StoredState]) -> None:
        if not self._closed:
            messages = {member: Sweep(self._dataflow, state) for member, state in enumerate(kept, 1)}
            self._team.leader.tell(messages)

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._nbytes.clear()
            self._team.leader.install(Forget(self._dataflow))

    def statistics(self) -> tuple[OperatorStatistics, ...]:
        mine = super().statistics()
        if self._closed:
            return mine
        everywhere = [mine, *self._team.statistics(self._dataflow)]
        return tuple(_together(node) for node in zip(*everywhere, strict=True))


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
