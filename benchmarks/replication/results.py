"""What the benchmarks of replication find."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from ..report import new_table, shows


@dataclass(frozen=True, slots=True)
class ReplicationResult:
    """`rows` that changed on one side until they are on the other: there when their transaction is committed upstream, or, of a sink, when
    its statement has returned here.  `cpu_s` is that of the runtime, all its processes."""

    what: str
    rows: int
    seconds: float
    cpu_s: float
    load_1min: float

    @property
    def per_second(self) -> float:
        return self.rows / self.seconds


@shows(ReplicationResult)
def _replication_table(results: list[ReplicationResult]) -> Table:
    table = new_table(
        "Rows of a database until they are here; of a sink, until they are there",
        *("what", "rows", "seconds", "a second", "CPU in s", "load"),
    )
    for r in results:
        table.add_row(
            r.what,
            f"{r.rows:,}",
            f"{r.seconds:.2f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    return table
