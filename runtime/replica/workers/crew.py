"""The members on one machine, from the side of the process that has them forked: the leader's, or that of another machine.

```
process of the machine ── fork server ──┬── place, Start ──> member 1     with a pair of sockets between each two
                      <── its door ─────┴── place, Start ──> member 2
```

The pair of sockets between the process and a member is their way in steps if the process leads; otherwise it only tells that one has ended.
"""

from __future__ import annotations

import select
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ...compute.partitioned.one_step import LEADER, WorkerLost
from ..protocol import TcpAddress
from ..queries.processes import SERVER
from ..queries.requests import FORK_MEMBER
from .index_look_ups import IndexLookUps
from .layout import Layout
from .member import PLACE, Ended, Introduction, Opening, Start, hear, tell
from .saves import Saves
from .source_shares import SharesAmongWorkers
from .wires import Wires


class Crew:
    """`members` are numbers of workers of one machine, the leader is not among them.  Raises WorkerLost when one has ended."""

    def __init__(self, layout: Layout, members: Sequence[int]) -> None:
        self.pids: list[int] = []
        self.streams: dict[int, socket.socket] = {}
        self.saves: dict[int, socket.socket] = {}
        """Of the leader, as are `look_ups` and `shares`."""
        self.look_ups: dict[int, socket.socket] = {}
        self.shares: dict[int, socket.socket] = {}
        theirs_of_leader: list[socket.socket] = []
        between: dict[int, dict[int, socket.socket]] = {member: {} for member in members}
        for one, other in combinations(members, 2):
            between[one][other], between[other][one] = socket.socketpair()
        try:
            for member in members:
                pid, stream = SERVER.fork(FORK_MEMBER)
                self.pids.append(pid)
                self.streams[member] = stream
                given = [between[member][other] for other in sorted(between[member])]
                if LEADER in layout.on(layout.machine_of(member)):
                    for ours in (self.saves, self.look_ups, self.shares):
                        ours[member], theirs = socket.socketpair()
                        theirs_of_leader.append(theirs)
                        given.append(theirs)
                told = PLACE.pack(member, layout.workers, layout.per_machine)
                socket.send_fds(stream, [told], [each.fileno() for each in given])
        except BaseException:
            self.close()
            raise
        finally:
            for theirs in theirs_of_leader:
                theirs.close()
            for theirs_by_other in between.values():
                for theirs in theirs_by_other.values():
                    theirs.close()

    def open_doors(self, host: str) -> dict[int, TcpAddress]:
        """Has each member open its door, if it is to have one; where these are."""
        for stream in self.streams.values():
            tell(stream, Opening(host))
        told = {member: self._hear(member) for member in self.streams}
        return {member: address for member, address in told.items() if address is not None}

    def _hear(self, member: int) -> TcpAddress | None:
        address = hear(self.streams[member])
        if isinstance(address, Ended):
            raise WorkerLost(f"worker {member} of the replica has ended")
        assert address is None or isinstance(address, TcpAddress)
        return address

    def begin(self, start: Start, introduction: Introduction | None = None) -> None:
        """Lets them have their parts of dataflows from now on, connected with those on other machines, too, if there are some."""
        for member, stream in self.streams.items():
            try:
                tell(stream, (start, introduction))
            except OSError as error:
                raise WorkerLost(f"worker {member} of the replica has ended") from error

    def await_end(self) -> None:
        """Returns when one of them has ended; of a process that does not lead."""
        poll = select.poll()
        for stream in self.streams.values():
            poll.register(stream, select.POLLIN)
        poll.poll()

    def close(self) -> None:
        for streams in (self.streams, self.saves, self.look_ups, self.shares):
            for stream in streams.values():
                stream.close()
        for pid in self.pids:
            SERVER.end(pid)


@dataclass(frozen=True, slots=True)
class Members:
    """All workers but the one that leads, as that reaches them; `crew` are those on its machine."""

    layout: Layout
    crew: Crew
    wires: Wires
    saves: Saves
    look_ups: IndexLookUps
    shares: SharesAmongWorkers

    @classmethod
    def beside(cls, workers: int, start: Start) -> Members:
        """Of a leader whose workers are all on one machine."""
        layout = Layout(workers)
        crew = Crew(layout, layout.on(0)[1:])
        crew.begin(start)
        return cls(
            layout,
            crew,
            Wires(crew.streams),
            Saves(crew.saves),
            IndexLookUps(crew.look_ups),
            SharesAmongWorkers(crew.shares),
        )

    def close(self) -> None:
        """They end.  The thread of `saves` has ended."""
        self.wires.close()
        self.saves.close()
        self.look_ups.close()
        self.shares.close()
        self.crew.close()
