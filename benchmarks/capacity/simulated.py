"""How much a long stream of commits is rewritten: merges are chosen as they are (`persist.compact`), and nothing is read or written.

Rows stay, and none goes: what a merge makes is as large as what it reads.
"""

from __future__ import annotations

from dataclasses import dataclass

from ptvc.persist.compact import choose_next
from ptvc.persist.part import DECODED_FACTOR, PartRef
from ptvc.persist.state import ShardBatch


@dataclass(frozen=True, slots=True)
class Simulated:
    """`written` bytes are those of merges, for each byte that was committed; `largest` is the largest merge's share of all."""

    commits: int
    nbytes: int
    written: float
    merges: int
    batches: int
    largest: float


def simulate(commits: int, nbytes: int, every: int = 1) -> Simulated:
    """Of commits of `nbytes` each, with merges after each `every` of them."""
    held: list[ShardBatch] = []
    written = merges = largest = 0
    for number in range(commits):
        held.append(_batch(number, number + 1, nbytes))
        if number % every:
            continue
        while chosen := choose_next(held, number, 1 << 62):
            start = next(i for i, batch in enumerate(held) if batch.lower == chosen[0].lower)
            size = sum(batch.nbytes for batch in chosen)
            held[start : start + len(chosen)] = [_batch(chosen[0].lower, chosen[-1].upper, size)]
            written, merges, largest = written + size, merges + 1, max(largest, size)
    total = commits * nbytes
    return Simulated(commits, nbytes, written / total, merges, len(held), largest / total)


def _batch(lower: int, upper: int, nbytes: int) -> ShardBatch:
    rows = DECODED_FACTOR * nbytes // 32
    part = PartRef("s", "parquet1", b"", None, rows, 0, nbytes, lower, upper - 1, 0)
    return ShardBatch("s", lower, upper, 0, lower, (part,))
