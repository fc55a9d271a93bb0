"""What the benchmarks of Kafka find."""

from __future__ import annotations

from dataclasses import dataclass

from rich.table import Table

from ..report import new_table, shows


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


@shows(BacklogResult)
def _backlogs_table(results: list[BacklogResult]) -> Table:
    table = new_table(
        "A topic's messages until they are durable; in Flink until they are dropped",
        "system",
        "source",
        "messages",
        "seconds",
        "a second",
        "CPU in s",
        "up after s",
        "load",
    )
    for r in results:
        table.add_row(
            r.system,
            r.source,
            f"{r.messages:,}",
            f"{r.seconds:.1f}",
            f"{r.per_second:,.0f}",
            f"{r.cpu_s:.1f}",
            "-" if r.start_s is None else f"{r.start_s:.1f}",
            f"{r.load_1min:.1f}",
        )
    return table
