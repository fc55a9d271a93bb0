"""What the benchmark of files finds."""

from __future__ import annotations

from dataclasses import dataclass


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
