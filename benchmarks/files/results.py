"""What the benchmark of files finds."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from ..report import new_table, shows


@dataclass(frozen=True, slots=True)
class SnapshotResult:
    """One reading of all files: `seconds` until they are counted, or durable.  `cpu_s` is that of all processes of whoever reads, without
    their start."""

    what: str
    rows: int
    seconds: float
    cpu_s: float
    load_1min: float

    @property
    def per_second(self) -> float:
        return self.rows / self.seconds


@shows(SnapshotResult)
def _snapshot_table(results: list[SnapshotResult]) -> Table:
    table = new_table(
        "Parquet files of four columns, until all rows are counted (Spark) or durable",
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
