"""Restoring: the updates that a source has written, in any order, become the entry of every key.

```
updates, a part at a time ── sorted, SORT_BYTES together ── runs in scratch ── summed, by ranges of hashes ── one run
```

An update and its retraction may be in different parts, and a key's row in any of them, so all runs are merged at once
(at most MANY; more in several rounds).  In memory is a part, or a range of all runs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ...errors import StorageError
from ...repr import buffers
from ...repr.consolidate import group_rows
from .block import Block, Columns, has_twin, joined, key_hashes
from .merge import merged, summed
from .run import Run
from .scratch import Scratch

SORT_BYTES = 8 << 20
MANY = 256


def restored(
    updates: Iterable[Columns], types: Sequence[pa.DataType], key: Sequence[int], scratch: Scratch
) -> Run | None:
    """The entries that `updates` add up to; None if there are none.

    Updates have the columns of entries, but for the last: how many times the entry is there, int64, instead of whether it
    is gone.  Raises StorageError unless every entry is there once and no two have one key; DiskFull.
    """
    counted = [*types[:-1], pa.int64()]
    runs = [run for block in _sorted(updates, key) if (run := _written(block, scratch, counted)) is not None]
    while len(runs) > MANY:
        rounds = (runs[i : i + MANY] for i in range(0, len(runs), MANY))
        runs = [run for some in rounds if (run := merged(some, summed, scratch, counted)) is not None]

    def entries(blocks: Sequence[Block]) -> Block:
        block = summed(blocks)
        _check(block, key)
        stays = pa.array(np.zeros(len(block), np.bool_))
        return Block(block.hashes, (*block.columns[:-1], stays))

    return merged(runs, entries, scratch, types) if runs else None


def _sorted(updates: Iterable[Columns], key: Sequence[int]) -> Iterator[Block]:
    """Blocks of about SORT_BYTES, or one less, in which equal rows are added up."""
    waiting: list[Block] = []
    nbytes = 0
    for columns in updates:
        for piece in _pieces(Block(key_hashes(columns, key), columns)):
            waiting.append(piece)
            nbytes += piece.nbytes
            if nbytes >= SORT_BYTES:
                yield summed(waiting)
                waiting, nbytes = [], 0
    if waiting:
        yield summed(waiting)


def _pieces(block: Block) -> Iterator[Block]:
    pieces = -(-block.nbytes // SORT_BYTES)
    for i in range(pieces):
        yield block.slice(len(block) * i // pieces, len(block) * (i + 1) // pieces)


def _written(block: Block, scratch: Scratch, types: Sequence[pa.DataType]) -> Run | None:
    if not len(block):
        return None
    run = Run([block])
    if not scratch.is_large(len(run), run.size):
        return run
    pa.default_memory_pool().release_unused()  # to decode and to sort has taken several times the block
    return merged([run], joined, scratch, types)


def _check(block: Block, key: Sequence[int]) -> None:
    if (buffers.fixed(block.columns[-1]) != 1).any():
        raise StorageError("the output of an upsert source holds a row more than once, or less than once")
    if (twins := has_twin(block.hashes)) is not None:
        members = np.flatnonzero(twins)
        keys = buffers.take([block.columns[i] for i in key], members)
        if len(group_rows(keys, block.hashes[members]).starts) != len(members):
            raise StorageError("the output of an upsert source holds two rows with one key")
