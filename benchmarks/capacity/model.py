"""What a month costs: figures that were measured or simulated, prices that are assumed, and arithmetic.

Requests and bytes follow commits and what they bring.  A *commit* here is one of one collection: a transaction over five tables is five, and so is a
tick that changes five views.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2

MONTH_S = 30 * 24 * 3600
KIB, MIB = 1 << 10, 1 << 20
GB, TB = 1e9, 1e12

GARBAGE_S = 60
LOOKING_SHARE = 100
"""Names of blobs are listed each minute, or in one part of so many of the time (`persist/gc.py`)."""
MAINTENANCE_S = 5
INLINE_BYTES = 64 * KIB
FAN_IN = 8


@dataclass(frozen=True, slots=True)
class Figures:
    """Measured on this machine (`measured`), two cores that others used, 27 November 2026; `amplify` is fitted to what was simulated."""

    blob_bytes: float = 5.7e6
    """Encoded, of 64 MiB of Arrow data: orders with text, 11 bytes a row."""
    part_consensus_bytes: float = 430
    part_memory_bytes: float = 1_620
    part_load_us: float = 10
    hold_us: float = 20
    append_us: float = 20
    merge_bytes_s: float = 8e6
    merges_per_commit: float = 0.141

    def amplify(self, commits: float) -> float:
        """Bytes that merges write for each byte that was committed, of a collection of so many commits that only grows."""
        return max(0.0, 0.75 * log2(max(commits, 1.0)) - 2.2)


@dataclass(frozen=True, slots=True)
class Assumed:
    """Prices in US dollars, as large clouds have them on their lists; one listing of a thousand names; a step of a view."""

    gb_month: float = 0.023
    thousand_writes: float = 0.005
    """PUT and LIST; DELETE is free."""
    thousand_reads: float = 0.0004
    core_hour: float = 0.05
    list_s: float = 0.1
    step_ms: float = 5.0


@dataclass(frozen=True, slots=True)
class Workload:
    """`history` encoded bytes at the end of a life of `life_s`, in which they were committed evenly, by `commits` commits a second to `collections`
    tables, sources and views.  `steps` of views a second; each commit is read by `readers` of them."""

    name: str
    history: float
    collections: int
    commits: float
    steps: float
    life_s: float = 12 * MONTH_S
    readers: float = 1.0

    @property
    def ingest(self) -> float:
        return self.history / self.life_s


@dataclass(frozen=True, slots=True)
class Month:
    """Of the last month.  `writes` and `reads` are requests."""

    parts: float
    amplification: float
    writes: float
    reads: float
    consensus_bytes: float
    coordinator_bytes: float
    start_s: float
    coordinator_cores: float
    merge_cores: float
    step_cores: float
    stored: float
    requested: float
    computed: float


def month(work: Workload, figures: Figures | None = None, assumed: Assumed | None = None) -> Month:
    figures, assumed = figures or Figures(), assumed or Assumed()
    parts = work.history / figures.blob_bytes + work.collections
    lived = work.commits * work.life_s / work.collections
    amplification = figures.amplify(lived)
    committed, merged = requests(work.commits, work.ingest, amplification, figures)
    looks = 1 / max(GARBAGE_S, LOOKING_SHARE * assumed.list_s * parts / 1000)
    writes = committed + merged + looks * (1 + parts / 1000)
    reads = committed * work.readers + committed + merged
    coordinator = work.collections * figures.hold_us / MAINTENANCE_S + work.commits * figures.append_us
    merge_cores = work.ingest * amplification / figures.merge_bytes_s
    step_cores = work.steps * assumed.step_ms / 1000
    cores = coordinator / 1e6 + merge_cores + step_cores
    return Month(
        parts=parts,
        amplification=amplification,
        writes=writes * MONTH_S,
        reads=reads * MONTH_S,
        consensus_bytes=parts * figures.part_consensus_bytes,
        coordinator_bytes=parts * figures.part_memory_bytes,
        start_s=parts * figures.part_load_us / 1e6,
        coordinator_cores=coordinator / 1e6,
        merge_cores=merge_cores,
        step_cores=step_cores,
        stored=work.history / GB * assumed.gb_month,
        requested=(writes * assumed.thousand_writes + reads * assumed.thousand_reads) * MONTH_S / 1000,
        computed=cores * MONTH_S / 3600 * assumed.core_hour,
    )


def requests(commits: float, ingest: float, amplification: float, figures: Figures) -> tuple[float, float]:
    """Blobs that commits write, and that merges do: a commit below 64 KiB is inline, and so is what merges make of a few of these."""
    if not commits:
        return 0.0, 0.0
    large = ingest / commits >= INLINE_BYTES
    committed = max(commits, ingest / figures.blob_bytes) if large else 0.0
    merges = figures.merges_per_commit * min(commits, ingest / (INLINE_BYTES / FAN_IN))
    return committed, merges + ingest * amplification / figures.blob_bytes


WORKLOADS = (
    Workload("small", 100 * GB, 120, 10, 20),
    Workload("middle", 10 * TB, 1_200, 200, 400),
    Workload("large", 100 * TB, 12_000, 2_000, 4_000),
)
"""100, 1,000 and 10,000 views, and as many tables and sources as a fifth of them."""
