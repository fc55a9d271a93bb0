"""What a month costs: parameters that were measured, prices that are assumed, and nothing else.

Requests and bytes are linear in commits and in what they bring; what merges write is `amplification` times what is committed.
"""

from __future__ import annotations

from dataclasses import dataclass

SECONDS = 30 * 24 * 3600
GB, TB, MIB = 1e9, 1e12, 1 << 20


@dataclass(frozen=True, slots=True)
class Measured:
    """Of this machine (`measured`, `simulated`).  `inline` commits are those below 64 KiB, which ask S3 for nothing."""

    blob_bytes: float = 6.1 * MIB
    """Of a blob of Parquet: 64 MiB of Arrow data, of orders with text."""
    consensus_part_bytes: float = 1_000
    memory_part_bytes: float = 3_000
    hold_us: float = 50.0
    amplification: float = 4.0
    """Bytes that merges write for each byte that is committed."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Assumed: list prices in US dollars of one large provider, in a region where they are low."""

    stored_gb_month: float = 0.023
    thousand_puts: float = 0.005
    thousand_gets: float = 0.0004
    core_hour: float = 0.05
    database_gb_month: float = 0.23


@dataclass(frozen=True, slots=True)
class Workload:
    """`history` bytes are stored, encoded, and as many more of what views make of them times `view_share`; `ingest` bytes are committed a
    second in `commits` commits, over tables and views together."""

    name: str
    history: float
    views: int
    ingest: float
    commits: float
    step_ms: float = 5.0
    steps: float = 0.0
    """Steps of views a second: a view that nothing reaches is not stepped."""
    view_share: float = 0.5


@dataclass(frozen=True, slots=True)
class Month:
    """`puts` count LIST as well, which costs as much."""

    stored: float
    parts: float
    puts: float
    gets: float
    consensus_bytes: float
    coordinator_bytes: float
    maintenance_cores: float
    step_cores: float
    storage_cost: float
    request_cost: float
    core_cost: float

    @property
    def cost(self) -> float:
        return self.storage_cost + self.request_cost + self.core_cost


MERGE_BYTES_PER_CORE_S = 4 * MIB
"""Encoded bytes that one core merges in a second."""
GARBAGE_S = 60
"""All names of blobs are listed so often."""
MAINTENANCE_S = 5
INLINE_BYTES = 64 << 10


def month(work: Workload, measured: Measured | None = None, prices: Prices | None = None) -> Month:
    measured, prices = measured or Measured(), prices or Prices()
    stored = work.history * (1 + work.view_share)
    parts = stored / measured.blob_bytes
    per_commit = work.ingest / work.commits if work.commits else 0.0
    merged = work.ingest * measured.amplification
    # A commit is inline, or one blob, or one for each 64 MiB of Arrow data.
    committed = (
        0.0 if per_commit < INLINE_BYTES else max(1.0, per_commit / measured.blob_bytes) * work.commits
    )
    merged_blobs = merged / measured.blob_bytes
    lists = (1 + parts / 1000) / GARBAGE_S
    puts = (committed + merged_blobs + lists) * SECONDS
    # A merge reads what it writes, and what was committed before that in smaller blobs; views read what is committed.
    gets = (2 * committed + merged_blobs) * SECONDS
    consensus = parts * measured.consensus_part_bytes
    maintenance = work.views * measured.hold_us / 1e6 / MAINTENANCE_S
    cores = merged / MERGE_BYTES_PER_CORE_S + work.steps * work.step_ms / 1000 + maintenance
    return Month(
        stored=stored,
        parts=parts,
        puts=puts,
        gets=gets,
        consensus_bytes=consensus,
        coordinator_bytes=parts * measured.memory_part_bytes,
        maintenance_cores=maintenance,
        step_cores=work.steps * work.step_ms / 1000,
        storage_cost=stored / GB * prices.stored_gb_month + consensus / GB * prices.database_gb_month,
        request_cost=puts / 1000 * prices.thousand_puts + gets / 1000 * prices.thousand_gets,
        core_cost=cores * SECONDS / 3600 * prices.core_hour,
    )
