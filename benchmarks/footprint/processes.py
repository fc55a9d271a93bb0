"""What the processes of a runtime hold in memory while a view of a workload is maintained.

```
ptvc serve ── COPY ── CREATE MATERIALIZED VIEW ── transactions ── a while      at each: the most meanwhile, and what is left
```

Memory is the kernel's proportional share (`smaps_rollup`): a page that several processes have counts once in their sum.  Pages of
files come and go as the system likes: they stand apart.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pyarrow as pa
from ptvc.repr.batch import Batch
from rich.table import Table

from ..hydration import await_hydrated, copy_in
from ..measure import load, tree
from ..report import new_table, shows
from ..runtime import RuntimeFailed, ServedRuntime, served
from ..transactions import int_or_same
from ..workloads import Data, Workload, answer

_MIB = 1 << 20
SAMPLE_S = 0.1
TRANSACTIONS = 10
CHANGE_ROWS = 1_000
COORDINATOR_MIB = 250
"""What the coordinator may hold."""

TIMES_INPUT, BESIDE_MIB = 3, 400
"""What all processes but the JVM may hold: so many times the input in Arrow, and so much more."""

_ROLES = (
    ("ptvc.replica.driver", "driver"),
    ("worker_daemon", "workers"),
    ("fork_server", "queries"),
)


@dataclass(frozen=True, slots=True)
class Held:
    """MiB of a process: in pages of its own, in pages of files (each in proportion), and resident."""

    pid: int
    role: str
    own_mib: float
    files_mib: float
    resident_mib: float


@dataclass(frozen=True, slots=True)
class ProcessesResult:
    """The processes at a moment; at "COPY", "hydration" and "changes": when they held most together meanwhile."""

    workload: str
    base_rows: int
    moment: str
    input_mib: float
    processes: tuple[Held, ...]
    load_1min: float

    @property
    def coordinator_mib(self) -> float:
        return sum(held.own_mib for held in self.processes if held.role == "coordinator")

    @property
    def all_mib(self) -> float:
        return own_mib(self.processes)

    @property
    def goal_mib(self) -> float:
        return TIMES_INPUT * self.input_mib + BESIDE_MIB


def own_mib(processes: Iterable[Held]) -> float:
    """Of all but the JVM."""
    return sum(held.own_mib for held in processes if held.role != "JVM")


def run_processes(workload: Workload, base_rows: int, rest_s: float) -> list[ProcessesResult]:
    with served() as runtime:
        return measure_processes(runtime, workload, base_rows, rest_s)


def measure_processes(
    runtime: ServedRuntime, workload: Workload, base_rows: int, rest_s: float
) -> list[ProcessesResult]:
    data = Data(workload, base_rows)
    tables = data.tables()
    input_mib = sum(table.nbytes for table in tables.values()) / _MIB

    def result(moment: str, processes: tuple[Held, ...] | None = None) -> ProcessesResult:
        found = held_by(runtime.pid) if processes is None else processes
        return ProcessesResult(workload.name, base_rows, moment, input_mib, found, load())

    with runtime.connect() as connection:
        results = [result("start")]
        with Most(runtime.pid) as most:
            copy_in(connection, tables)
            connection.execute(
                f"ALTER TABLE {workload.changing} ADD PRIMARY KEY ({workload.orders.names[0]})"  # type: ignore[arg-type]
            )
        results.append(result("COPY", most.processes))
        results.append(result("copied"))
        with Most(runtime.pid) as most:
            connection.execute(f"CREATE MATERIALIZED VIEW v AS {workload.query}")  # type: ignore[arg-type]
            await_hydrated(connection, "v")
        results.append(result("hydration", most.processes))
        results.append(result("hydrated"))
        with Most(runtime.pid) as most:
            for _ in range(TRANSACTIONS):
                _transaction(connection, workload, data.change(min(CHANGE_ROWS, base_rows // 2), 0))
                connection.execute("SELECT count(*) FROM v").fetchall()
        results.append(result("changes", most.processes))
        found = connection.execute("SELECT * FROM v").fetchall()
        if {tuple(map(int_or_same, row)) for row in found} != answer(workload, data.tables()):
            raise RuntimeFailed(f"{workload.name}: the view is not what recomputation says")
        time.sleep(rest_s)
        results.append(result("rest"))
    return results


def _transaction(
    connection: psycopg.Connection[tuple[object, ...]], workload: Workload, change: Batch
) -> None:
    """The change, as one transaction of a DELETE and a COPY."""
    deleted = change.columns[0].filter(pa.array(change.diffs < 0)).to_pylist()
    inserted = change.filter(change.diffs > 0)
    rows = zip(*(column.to_pylist() for column in inserted.columns), strict=True)
    with connection.transaction():
        connection.execute(
            f"DELETE FROM {workload.changing} WHERE {workload.orders.names[0]} = ANY(%s::bigint[])",  # type: ignore[arg-type]
            (deleted,),
        )
        with connection.cursor().copy(f"COPY {workload.changing} FROM STDIN") as copy:  # type: ignore[arg-type]
            copy.write("".join(f"{a}\t{b}\t{c}\n" for a, b, c in rows))


def held_by(pid: int) -> tuple[Held, ...]:
    """The process and all its living descendants."""
    return tuple(found for each in tree(pid) if (found := _held(each, each == pid)) is not None)


def _held(pid: int, is_first: bool) -> Held | None:
    """None where it has ended."""
    try:
        command = Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return None
    kib = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines()[1:]}
    if not kib:
        return None  # it is ending
    own, files = kib["Pss_Anon"] + kib["Pss_Shmem"], kib["Pss_File"]
    return Held(pid, _role(command, is_first), own / 1024, files / 1024, kib["Rss"] / 1024)


def _role(command: str, is_first: bool) -> str:
    if is_first:
        return "coordinator"
    if command.split(" ")[0].endswith("java"):
        return "JVM"
    return next((role for text, role in _ROLES if text in command), "other")


class Most:
    """The processes at the moment at which they held most together, by a thread that looks again and again."""

    def __init__(self, pid: int) -> None:
        self.processes: tuple[Held, ...] = ()
        self._pid = pid
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, name="memory samples", daemon=True)

    def __enter__(self) -> Most:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    def _look(self) -> None:
        while True:
            found = held_by(self._pid)
            if own_mib(found) >= own_mib(self.processes):
                self.processes = found
            if self._ended.wait(SAMPLE_S):
                return


@shows(ProcessesResult)
def _processes_table(results: list[ProcessesResult]) -> Table:
    roles = list(dict.fromkeys(held.role for r in results for held in r.processes))
    table = new_table(
        f"Memory by process, MiB, over {results[0].base_rows:,} rows; the goals are {COORDINATOR_MIB} of the coordinator and `goal` of all but the JVM",
        *("workload", "at", *roles, "all", "goal", "files", "load"),
    )
    for r in results:
        by_role = [sum(h.own_mib for h in r.processes if h.role == role) for role in roles]
        files = sum(h.files_mib for h in r.processes if h.role != "JVM")
        table.add_row(
            *(r.workload, r.moment, *(f"{mib:.0f}" for mib in by_role)),
            *(f"{r.all_mib:.0f}", f"{r.goal_mib:.0f}", f"{files:.0f}", f"{r.load_1min:.1f}"),
        )
    return table
