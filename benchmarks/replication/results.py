"""What the benchmarks of replication find."""

from __future__ import annotations

from dataclasses import dataclass


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
