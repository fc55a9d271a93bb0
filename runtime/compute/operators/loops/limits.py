"""What ends a loop that does not end by itself: a count of its rounds, and the machine's memory."""

from __future__ import annotations

from ....errors import MemoryLimitExceeded, PtvcError

MAX_ITERATIONS = 100_000
"""A loop without a limit of its own that has not ended by then is taken to be one that never does."""

MEMORY_CHECK_ROWS = 1_000_000
"""After so many more updates of an epoch, a loop looks whether there is memory left."""

LIMIT_SQLSTATE = "54000"


def check_iterations(done: int) -> None:
    """Raises PtvcError when `done` iterations of a loop without a limit are as many as it may have."""
    if done >= MAX_ITERATIONS:
        raise PtvcError(
            f"the recursion has not come to an end after {MAX_ITERATIONS:,} iterations",
            sqlstate=LIMIT_SQLSTATE,
            hint="If it does end, allow it more with WITH MUTUALLY RECURSIVE (ERROR AT RECURSION LIMIT n); "
            "otherwise add a condition that ends it, or take what is there with RETURN AT RECURSION LIMIT n.",
        )


class MemoryWatch:
    """Counts the updates of an epoch, and looks for memory now and then."""

    def __init__(self) -> None:
        self._rows = 0

    def count(self, rows: int) -> None:
        """Takes in `rows` more updates.  Raises MemoryLimitExceeded when there is no memory left."""
        self._rows += rows
        if self._rows < MEMORY_CHECK_ROWS:
            return
        self._rows = 0
        if not _memory_left():
            raise MemoryLimitExceeded(
                "the recursion has used up the memory of the machine",
                hint="Add a condition that ends it earlier, remove duplicates with UNION instead of UNION ALL, "
                "or limit it with RETURN AT RECURSION LIMIT n.",
            )


def _memory_left() -> bool:
    """Whether a tenth of the machine's memory is there for the taking; True where the system does not say."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        available, total = (int(lines[name].split()[0]) for name in ("MemAvailable", "MemTotal"))
    except (OSError, KeyError, ValueError):
        return True
    return available * 10 >= total
