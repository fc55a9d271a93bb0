"""The memory of the machine, and sizes in words."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

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
