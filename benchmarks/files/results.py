"""What the benchmark of files finds."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from ..measure import Transfer
from ..report import shows, transfers_table


@dataclass(frozen=True, slots=True)
class SnapshotResult(Transfer):
    """One reading of all files: `seconds` until they are counted, or durable.  `cpu_s` is that of all processes of whoever reads, without
    their start."""


@shows(SnapshotResult)
def _snapshot_table(results: list[SnapshotResult]) -> Table:
    return transfers_table("Files of four columns, until all rows are counted (Spark) or durable", results)
