"""What a session does, and since when: for who looks at all of them (pg_stat_activity)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(slots=True)
class Activity:
    """Times are microseconds since 1970.  `query` is the text that runs, or ran last; None before the first."""

    now_us: Callable[[], int]
    since_us: int
    changed_us: int
    query: str | None = None
    query_us: int | None = None
    active: bool = False

    @classmethod
    def begun(cls, now_us: Callable[[], int]) -> Activity:
        now = now_us()
        return cls(now_us, now, now)

    def runs(self, sql: str) -> None:
        self.query, self.active = sql, True
        self.query_us = self.changed_us = self.now_us()

    def rests(self) -> None:
        if self.active:
            self.active, self.changed_us = False, self.now_us()
