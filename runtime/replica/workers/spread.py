"""A replica on several machines: its leader on the first, and on each other one a process that has the members there forked.

```
machine 0   resident task, leads ──┬── doors of its workers ──┐             by Spark, once: tasks of one stage that begin together
machine 1   resident task ─────────┴── doors of its workers ──┴─> all       (`compute.spark.resident`)

worker ──── TLS, by the doors ──── worker                                   from then on
```

Whichever worker ends, all of them do, and with them the tasks; the replica starts again from its checkpoint, as one of one machine does.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ...compute.partitioned.one_step import LEADER
from ..protocol import ControlAddress, TcpAddress
from .crew import Crew, Members
from .doors import Door, Doors, Membership, meet
from .index_look_ups import IndexLookUps
from .layout import Layout
from .member import Introduction, Start
from .saves import Saves
from .source_shares import SharesAmongWorkers
from .wires import Wires

_ANY_PORT = 9


@dataclass(frozen=True, slots=True)
class Spread:
    """One machine's view: its number, its address `host`, and `gather`, by which all machines tell each other something once.  The secret is the
    replica's, and `epoch` that of its start."""

    layout: Layout
    machine: int
    host: str
    gather: Callable[[str], Sequence[str]]
    replica: str
    epoch: int
    secret: bytes = field(repr=False)

    def introduced(self, doors: Doors, attempt: int | None = None) -> Introduction:
        """Tells where the doors on this machine are, and returns where all are; the leader gives its `attempt`."""
        said = self.gather(json.dumps({"attempt": attempt, "doors": _written(doors)}))
        heard = [json.loads(each) for each in said]
        everywhere = {worker: address for each in heard for worker, address in _read(each["doors"]).items()}
        membership = Membership(self.replica, self.epoch, int(heard[0]["attempt"]), self.secret)
        return Introduction(everywhere, membership)


def members_of(spread: Spread, start: Start, attempt: int) -> Members:
    """Of the leader of that attempt of its replica: all members are connected.  Raises OSError and PtvcError: WorkerLost where one does not come."""
    layout = spread.layout
    crew = Crew(layout, layout.on(0)[1:])
    try:
        door = Door(spread.host)
        introduction = spread.introduced({LEADER: door.address, **crew.open_doors(spread.host)}, attempt)
        crew.begin(start, introduction)
        far = meet(layout, LEADER, os.getpid(), door, introduction.doors, introduction.membership)
        wires, saves = Wires({**crew.streams, **far.steps}), Saves({**crew.saves, **far.saves})
        look_ups = IndexLookUps({**crew.look_ups, **far.look_ups})
        return Members(
            layout, crew, wires, saves, look_ups, SharesAmongWorkers({**crew.shares, **far.shares})
        )
    except BaseException:
        crew.close()
        raise


def serve_machine(spread: Spread, start: Callable[[int], Start]) -> None:
    """Of a machine without the leader: returns once a worker there has ended.  `start` is what members there are told of an attempt."""
    crew = Crew(spread.layout, spread.layout.on(spread.machine))
    try:
        introduction = spread.introduced(crew.open_doors(spread.host))
        crew.begin(start(introduction.membership.attempt), introduction)
        crew.await_end()
    finally:
        crew.close()


def machine_address(control: ControlAddress) -> str | None:
    """The address of this machine from which it reaches the coordinator's; None: it is the coordinator's."""
    if not isinstance(control, TcpAddress):
        return None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as plain:
        plain.connect((control.host, _ANY_PORT))  # which sends nothing
        host: str = plain.getsockname()[0]
    return host


def _written(doors: Doors) -> dict[str, list[object]]:
    return {str(w): [door.host, door.port, door.certificate.hex()] for w, door in doors.items()}


def _read(written: Mapping[str, Sequence[object]]) -> dict[int, TcpAddress]:
    return {
        int(worker): TcpAddress(str(host), int(str(port)), bytes.fromhex(str(certificate)))
        for worker, (host, port, certificate) in written.items()
    }
