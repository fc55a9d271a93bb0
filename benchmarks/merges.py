"""Merges of state: a large run and a newer one that updates rows of it, as a spine's merge thread has them.

Of the newer run one half retracts rows of the older one, the other half inserts others.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from ptvc.compute.merge import Identity, merge_runs
from ptvc.compute.run import Run
from ptvc.repr.batch import Batch
from ptvc.repr.hash import hash_columns
from ptvc.repr.order import hash_order
from rich.table import Table

from .measure import Latencies, load
from .report import ms, new_table, shows

SIZES = ((1_000_000, 500_000), (160_000, 80_000), (20_000, 10_000))
REPEATS = 7
CUSTOMERS = 200_000
REGIONS = 50


@dataclass(frozen=True, slots=True)
class MergeResult:
    """One merge of runs of `older` and `newer` updates, three columns of integers, and a text if `text`."""

    older: int
    newer: int
    text: bool
    merge: Latencies
    load_1min: float

    @property
    def ns_per_row(self) -> float:
        """Of all rows that the merge takes in."""
        return self.merge.median_ms * 1e6 / (self.older + self.newer)


def run_merges(repeats: int = REPEATS) -> list[MergeResult]:
    """Every size, with and without texts."""
    return [run_merge(*sizes, text, repeats) for text in (False, True) for sizes in SIZES]


def run_merge(older: int, newer: int, text: bool, repeats: int = REPEATS) -> MergeResult:
    """Raises AssertionError if what is merged is not what is there then."""
    random = np.random.default_rng(1)
    half = newer // 2
    gone = random.choice(older, half, replace=False)
    ids = np.concatenate([gone, np.arange(older, older + half)])
    before = _run(np.arange(older), np.ones(older, np.int64), 1, text)
    after = _run(ids, np.repeat(np.array([-1, 1]), half), 2, text)
    identity = Identity(tuple(range(len(before.batch.columns))), is_key=False)
    seconds = []
    cpu = time.process_time()
    for _ in range(repeats):
        started = time.perf_counter()
        merged = merge_runs([before, after], 3, (), identity)
        seconds.append(time.perf_counter() - started)
        assert len(merged) == older
    cpu = time.process_time() - cpu
    return MergeResult(older, newer, text, Latencies.of(seconds, cpu), load())


def _run(ids: npt.NDArray[np.int64], diffs: npt.NDArray[np.int64], at: int, text: bool) -> Run:
    columns = [pa.array(ids), pa.array(ids * 7 % CUSTOMERS), pa.array(ids * 13 % 1_000)]
    if text:
        columns.append(pa.array(np.char.add("region ", (ids % REGIONS).astype(str))))
    hashes = hash_columns(columns[:1], len(ids))
    order = hash_order(hashes)
    batch = Batch(tuple(columns), np.full(len(ids), at, np.uint64), diffs).take(order)
    return Run(hashes[order], batch)


@shows(MergeResult)
def _merges_table(results: list[MergeResult]) -> Table:
    table = new_table(
        "Merges", "older", "newer", "text", "median ms", "max", "CPU each", "ns per row", "load"
    )
    for r in results:
        table.add_row(
            f"{r.older:,}",
            f"{r.newer:,}",
            "yes" if r.text else "no",
            *map(ms, (r.merge.median_ms, r.merge.max_ms, r.merge.cpu_ms)),
            f"{r.ns_per_row:.0f}",
            f"{r.load_1min:.1f}",
        )
    return table
