"""The workers of a replica, from the side of the one that leads: the step thread of the resident task.

```
resident task: step thread ── leads, is worker 0 ──┬── socket ── member 1 ──┐
                     └── fork server ── forks      └── socket ── member 2 ──┴── socket between each two
```
"""

from __future__ import annotations

import os
import pickle
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, count

from ...compute.dataflow import OperatorStatistics
from ...compute.memory import release_memory
from ...compute.operators.base import NEVER_DUE
from ...compute.partitioned.dealing import dealt_out, together
from ...compute.partitioned.messages import Forget, Install, Work, Writing
from ...compute.partitioned.part import Part
from ...compute.partitioned.placement import Division, divided
from ...compute.partitioned.stored import Share, Stored, shares
from ...compute.partitioned.workers import LEADER, Leader, Taken
from ...compute.plan import DataflowPlan
from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...interrupt import check_interrupt
from ...memory import step_memory
from ...persist.blob.base import Blob
from ...persist.part import PartRef
from ...repr.batch import Delta
from ..queries.processes import SERVER
from ..queries.requests import FORK_MEMBER
from .member import START, Start
from .part_store import PartStore
from .wires import Wires

TICK_S = 0.05
"""So often the leader looks, while it waits, whether its step is still wanted."""

GATHER_ROWS = 10_000
"""In a step of so many rows, equal rows of an output that lies by nothing are brought together, so that each worker writes its own."""


class Team:
    """`workers` processes, this one among them, that read and write parts in `blob`, which `here` is as this process has it; `writer`
    names this attempt of the replica in what they write.  For one thread."""

    def __init__(self, workers: int, blob: Blob, writer: str, here: Blob | None = None) -> None:
        self.workers = workers
        self._numbers = count(1)
        streams: dict[int, dict[int, socket.socket]] = {worker: {} for worker in range(workers)}
        for one, other in combinations(range(1, workers), 2):
            streams[one][other], streams[other][one] = socket.socketpair()
        self.pids: list[int] = []
        start = pickle.dumps(Start(blob, writer, dict(os.environ)))
        try:
            for worker in range(1, workers):
                pid, stream = SERVER.fork(FORK_MEMBER)
                self.pids.append(pid)
                streams[0][worker] = stream
                files = [streams[worker][other].fileno() for other in sorted(streams[worker])]
                socket.send_fds(stream, [START.pack(worker, workers, len(start))], files)
                stream.sendall(start)
        finally:
            for worker in range(1, workers):
                for theirs in streams[worker].values():
                    theirs.close()
        self.wires = Wires(streams[0])
        self.leader = Leader(workers, self.wires, PartStore(here or blob, writer))

    def install(self, division: Division, as_of: int, *, arranged: bool) -> int:
        """A number for the dataflow, of which each member has its part from now on."""
        number = next(self._numbers)
        self.leader.install(Install(number, division, as_of, arranged))
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

    def statistics(self, dataflow: int) -> list[tuple[OperatorStatistics, ...]]:
        self.leader.ask(dataflow)
        while (told := self.leader.told) is None:
            self.leader.receive(*self.wires.next())
        return told

    def close(self) -> None:
        self.wires.close()
        for pid in self.pids:
            SERVER.end(pid)


@dataclass(frozen=True, slots=True)
class Stepped:
    """What a step puts out: rows and errors in `delta`, and more rows in parts that are written already."""

    delta: Delta
    parts: tuple[PartRef, ...] = ()


class DividedDataflow(Part):
    """A dataflow whose operators run in all workers of a team; this is the leader's part.  Its state is in memory only: it is in no
    checkpoint, and no job steps it."""

    def __init__(self, team: Team, plan: DataflowPlan, as_of: int, *, arranged: bool = False) -> None:
        division = divided(plan)
        super().__init__(division, as_of, LEADER, team.workers, arranged=arranged)
        self._team = team
        self._due = dict.fromkeys(range(1, team.workers), NEVER_DUE)
        self._nbytes = dict.fromkeys(range(1, team.workers), 0)
        self._closed = False
        self._dataflow = team.install(division, as_of, arranged=arranged)

    def step(self, inputs: Mapping[GlobalId, Delta], lower: int, upper: int) -> Delta:
        return self.step_over(inputs, {}, lower, upper).delta

    def step_over(
        self,
        inputs: Mapping[GlobalId, Delta],
        stored: Mapping[GlobalId, Sequence[Stored]],
        lower: int,
        upper: int,
        writing: Writing | None = None,
    ) -> Stepped:
        """As `step`, over what each worker reads of the `stored` inputs, too.  With `writing`, each worker may write the rows that
        come out there."""
        if not self._begin(lower, upper, any(inputs.values()) or bool(stored)):
            return Stepped(self._nothing[self.plan.output])
        rows = sum(len(delta.oks) for delta in inputs.values())
        rows += sum(some.rows for each in stored.values() for some in each)
        gather = writing is not None and not self.output_lies and rows >= GATHER_ROWS
        leader = self._team.leader
        taken = self._taken(inputs, stored, lower, upper)
        work = Work(lower, upper, writing, gather)
        leader.begin(self._dataflow, self, taken, work, step_memory())
        self._team.pump()
        output, parts, done = leader.take()
        for member, said in done.items():
            self._due[member], self._nbytes[member] = said.next_due, said.nbytes
        self._next_due = None
        release_memory(rows)
        return Stepped(self._put_out(together(self.output_schema, output, done.values()), upper), parts)

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
