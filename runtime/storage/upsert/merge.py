"""How runs become one: range of hashes by range, in memory a range at a time.

    newest    of entries with one key the newest stays
    summed    updates of equal rows are added up

Hashes are spread evenly, so ranges of one width hold about as many rows each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ...repr import buffers
from ...repr.batch import Times
from ...repr.consolidate import group_rows, group_updates
from ...repr.hash import hash_columns
from ...repr.order import hash_order
from .block import Block, has_twin, joined, take
from .run import Run
from .scratch import BLOCK_BYTES, BLOCK_ROWS, Scratch

Combine = Callable[[Sequence[Block]], Block]
"""A block of what some blocks of the same hashes, the oldest first, stand for together."""

AT_ONCE = 32
"""So many runs are read before their pages are let go of."""

_HASHES = 1 << 64


def newest(key: Sequence[int], *, drop_gone: bool) -> Combine:
    """Of entries with one key the newest.  With `drop_gone`, without those that say that a key is gone (their last
    column): nothing older is left that they would hide."""

    def combine(blocks: Sequence[Block]) -> Block:
        block = joined(blocks)
        order = hash_order(block.hashes)
        hashes = block.hashes[order]
        keep = np.ones(len(order), np.bool_)
        if (twins := has_twin(hashes)) is not None:
            members = np.flatnonzero(twins)
            keys = buffers.take([block.columns[i] for i in key], order[members])
            groups = group_rows(keys, hashes[members])
            last = groups.order[np.append(groups.starts[1:], len(members)) - 1]
            keep[members] = False
            keep[members[last]] = True
        if drop_gone:
            keep &= ~buffers.fixed(block.columns[-1])[order]
        if keep.all():
            return Block(hashes, take(block.columns, order))
        return Block(hashes[keep], take(block.columns, order[keep]))

    return combine


def summed(blocks: Sequence[Block]) -> Block:
    """Rows whose last column, int64, says how many times they are there: equal ones are added up, none is left that
    is there zero times."""
    block = joined(blocks)
    order = hash_order(block.hashes)
    hashes = block.hashes[order]
    diffs = buffers.fixed(block.columns[-1])[order]
    if (twins := has_twin(hashes)) is not None:
        members = np.flatnonzero(twins)
        rows = take(block.columns[:-1], order[members])
        no_times: Times = np.zeros(len(members), np.uint64)
        groups = group_updates(rows, no_times, hash_columns(rows, len(members)))
        sums = np.add.reduceat(diffs[members][groups.order], groups.starts)
        diffs[members] = 0
        diffs[members[groups.order[groups.starts]]] = sums
    kept = np.flatnonzero(diffs)
    columns = take(block.columns[:-1], order[kept])
    return Block(hashes[kept], (*columns, pa.array(diffs[kept])))


class Merge:
    """Of at least one run, the oldest first, one; `types` are those of its columns.  To be advanced until it is done.

    What is large is written to scratch: `advance` raises DiskFull, or StorageError, and the merge is to be abandoned
    then.  The runs stay as they are.
    """

    def __init__(
        self, runs: Sequence[Run], combine: Combine, scratch: Scratch, types: Sequence[pa.DataType]
    ) -> None:
        self.runs = tuple(runs)
        self._combine = combine
        rows, size = sum(map(len, runs)), sum(run.size for run in runs)
        self._pieces = max(-(-rows // BLOCK_ROWS), -(-size // BLOCK_BYTES), 1)
        self._writer = scratch.writer(types) if scratch.is_large(rows, size) else None
        self._blocks: list[Block] = []
        self._next = 0
        self.moved = 0
        """Rows that were read."""

    @property
    def done(self) -> bool:
        return self._next == self._pieces

    def advance(self) -> None:
        """Merges one range more."""
        low = self._next * _HASHES // self._pieces
        high = (self._next + 1) * _HASHES // self._pieces
        blocks = list(self._between(low, None if high == _HASHES else high))
        if blocks:
            merged = self._combine(blocks)
            self.moved += sum(map(len, blocks))
            if self._writer is not None:
                self._writer.append(merged)
            elif len(merged):
                self._blocks.append(merged)
        self._next += 1

    def _between(self, low: int, high: int | None) -> Iterator[Block]:
        """The rows of a range, those of some runs together: each place that is looked at maps its neighbourhood, so many
        runs would have much in memory at once."""
        for i in range(0, len(self.runs), AT_ONCE):
            runs = self.runs[i : i + AT_ONCE]
            blocks = [block for run in runs for block in run.between(low, high)]
            if blocks:
                yield joined(blocks)
            for run in runs:
                run.forget()

    def result(self) -> Run | None:
        """What a merge that is done has made; None if nothing is left.  Raises as `advance` does."""
        if self._writer is not None:
            return self._writer.finish()
        return Run(self._blocks) if self._blocks else None

    def abandon(self) -> None:
        """What it has written goes."""
        if self._writer is not None:
            self._writer.abandon()


def merged(
    runs: Sequence[Run], combine: Combine, scratch: Scratch, types: Sequence[pa.DataType]
) -> Run | None:
    """All of it at once.  Raises DiskFull, StorageError."""
    merge = Merge(runs, combine, scratch, types)
    try:
        while not merge.done:
            merge.advance()
        return merge.result()
    except BaseException:
        merge.abandon()
        raise
