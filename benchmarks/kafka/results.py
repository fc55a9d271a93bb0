"""What the benchmarks of Kafka find."""

from __future__ import annotations

from dataclasses import dataclass


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
