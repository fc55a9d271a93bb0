"""What the benchmarks of Kafka find."""

from __future__ import annotations

from dataclasses import dataclass

from ..measure import Latencies


@dataclass(frozen=True, slots=True)
class BacklogResult:
    """`rows` are what the messages have become; `cpu_s` is that of the system, all its processes; `start_s` is what it took until it was
    up, before `seconds` begin, where that is its own."""

    system: str
    source: str
    messages: int
    rows: int
    seconds: float
    cpu_s: float
    load_1min: float
    start_s: float | None = None

    @property
    def per_second(self) -> float:
        return self.messages / self.seconds


@dataclass(frozen=True, slots=True)
class FreshnessResult:
    """From the call that produces a message to its row in a subscription to a materialized view over the source; the CPU time is that of the
    runtime, all its processes, a message."""

    rate: int
    latencies: Latencies
    load_1min: float
