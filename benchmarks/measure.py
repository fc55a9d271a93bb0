"""What is measured: latencies as a distribution, and the machine that they were taken on.

Wall time alone says little on a shared machine, so CPU seconds and the load average stand beside it, and figures of
different programs are compared as ratios within one run, taken in turns.
"""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ptvc.memory import resident_memory

_MIB = 1 << 20
_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Latencies:
    """`count` durations in milliseconds; `cpu_ms` is the mean CPU time of one, all threads included.

    `least_ms` is what a busy machine disturbs least: for a look at it, not for a claim.
    """

    count: int
    least_ms: float
    median_ms: float
    p99_ms: float
    max_ms: float
    cpu_ms: float | None = None

    @classmethod
    def of(cls, seconds: Sequence[float], cpu_seconds: float | None = None) -> Latencies:
        """From at least one duration; `cpu_seconds` is the sum for all of them."""
        values = np.asarray(seconds) * 1e3
        cpu = None if cpu_seconds is None else cpu_seconds * 1e3 / len(values)
        return cls(
            len(values),
            float(values.min()),
            float(np.median(values)),
            float(np.percentile(values, 99)),
            float(values.max()),
            cpu,
        )


@dataclass(frozen=True, slots=True)
class FreshnessResult:
    """From what happens outside (a message is handed to the client, a transaction is committed) to its row in a subscription to a
    materialized view over the source; the CPU time is that of the runtime, all its processes, of one of them."""

    source: str
    rate: int
    latencies: Latencies
    load_1min: float


@dataclass(frozen=True, slots=True)
class Transfer:
    """Rows that come from one place to another, once."""

    what: str
    rows: int
    seconds: float
    cpu_s: float
    load_1min: float

    @property
    def per_second(self) -> float:
        return self.rows / self.seconds


@dataclass(frozen=True, slots=True)
class Machine:
    """Where and when: `load_1min` is the number of runnable processes, averaged over the last minute."""

    cpus: int
    load_1min: float
    python: str
    system: str

    @classmethod
    def now(cls) -> Machine:
        return cls(
            len(os.sched_getaffinity(0)), os.getloadavg()[0], platform.python_version(), platform.platform()
        )


def load() -> float:
    """The load average of the last minute."""
    return os.getloadavg()[0]


def resident_mib(pid: int | None = None) -> float:
    """Resident memory of a process (default: this one) in MiB."""
    return _status_kib("VmRSS", pid) / 1024


def peak_mib(pid: int | None = None) -> float:
    """The most that the process ever had resident, in MiB."""
    return _status_kib("VmHWM", pid) / 1024


def tree_private_mib(pid: int) -> float:
    """Resident memory, without pages of files, of a process and all its living descendants, in MiB."""
    return sum(filter(None, map(resident_memory, tree(pid)))) / _MIB


def _status_kib(field: str, pid: int | None) -> int:
    for line in Path(f"/proc/{pid or 'self'}/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1])
    raise LookupError(f"the kernel does not say {field} of process {pid or 'self'}")


def tree_cpu_seconds(pid: int) -> float:
    """CPU time of a process and of all its living descendants (those that ended and were waited for included)."""
    return sum(tree(pid).values())


def tree(pid: int) -> dict[int, float]:
    """The process and its living descendants, with the CPU time of each and of what it has waited for."""
    children: dict[int, list[int]] = {}
    seconds: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended while we looked
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        seconds[int(entry.name)] = sum(map(int, fields[11:15])) / _TICKS_PER_SECOND
    found: dict[int, float] = {}
    waiting = [pid]
    while waiting:
        current = waiting.pop()
        found[current] = seconds.get(current, 0.0)
        waiting += children.get(current, [])
    return found


def plain(value: Any) -> Any:
    """Dataclasses as dictionaries, for JSON."""
    return asdict(value)
