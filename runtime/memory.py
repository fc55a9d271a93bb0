"""The memory of the machine, and sizes in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from .errors import MemoryLimitExceeded

LARGE_ROWS = 1 << 16
"""Work that has made so many rows looks at the memory of its process."""

_most: ContextVar[int | None] = ContextVar("memory of a step", default=None)

_CGROUP_FILES = ("memory.max", "memory/memory.limit_in_bytes")
"""Of the second version of control groups, and of the first."""


@cache
def machine_memory(root: Path = Path("/sys/fs/cgroup")) -> int:
    """Bytes that this process may use at most, with all others: the machine's, or those of its container if they are
    fewer."""
    found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for name in _CGROUP_FILES:
        try:
            text = (root / name).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if text.isdecimal():  # or "max"
            found = min(found, int(text))
    return found


def resident_memory(pid: int | str = "self") -> int | None:
    """Bytes of a process in pages of no file (those of mapped files come and go); None where the system does not say."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as file:
            _, resident, shared, *_ = file.read().split()
    except OSError:
        return None
    return (int(resident) - int(shared)) * os.sysconf("SC_PAGE_SIZE")


def size(count: int) -> str:
    """`1.5 GB`"""
    for unit, least in (("GB", 1 << 30), ("MB", 1 << 20), ("kB", 1 << 10)):
        if count >= least:
            return f"{count / least:.1f} {unit}"
    return f"{count} bytes"


@contextmanager
def step_within(most: int | None) -> Iterator[None]:
    """A step inside fails soon after its process has more than `most` bytes (None: any amount)."""
    token = _most.set(most)
    try:
        yield
    finally:
        _most.reset(token)


def step_memory() -> int | None:
    """What `step_within` says of the step that is under way."""
    return _most.get()


def check_step_memory(rows: int) -> None:
    """Called by a step that has made `rows` more rows.  Raises MemoryLimitExceeded when its process has more than the step
    may take it to.  Costs 50 ns for few rows, else 10 us."""
    if rows < LARGE_ROWS or (most := _most.get()) is None:
        return
    resident = resident_memory()
    if resident is not None and resident > most:
        raise MemoryLimitExceeded(
            f"the replica has {size(resident)} in memory in the middle of a step, which may take it to {size(most)}: a "
            "quarter of the machine's memory above the memory limit of the cluster",
            hint="Join on more columns, or aggregate before the join; or raise the limit: ALTER CLUSTER ... SET (MEMORY "
            "LIMIT '...').",
        )
