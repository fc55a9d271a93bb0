"""A block: rows ascending by the hash of their key, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...repr import buffers
from ...repr.batch import Indices, Mask
from ...repr.hash import hash_columns
from ...repr.order import hash_order

Hashes = npt.NDArray[np.uint64]
Columns = tuple[pa.Array, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """`hashes` uint64[n], ascending unless said otherwise, and `columns` of length n each."""

    hashes: Hashes
    columns: Columns

    def __len__(self) -> int:
        return len(self.hashes)

    @property
    def nbytes(self) -> int:
        return self.hashes.nbytes + sum(int(column.nbytes) for column in self.columns)

    def slice(self, start: int, stop: int) -> Block:
        """Rows `[start, stop)`, without a copy."""
        columns = tuple(column.slice(start, stop - start) for column in self.columns)
        return Block(self.hashes[start:stop], columns)

    def take(self, rows: Indices) -> Block:
        return Block(self.hashes[rows], take(self.columns, rows))


def take(columns: Sequence[pa.Array], rows: Indices) -> Columns:
    """As `buffers.take`; columns without values, as those of errors are most often, cost nearly nothing."""
    empty = [column.null_count == len(column) for column in columns]
    taken = iter(buffers.take([c for c, none in zip(columns, empty, strict=True) if not none], rows))
    return tuple(
        pa.nulls(len(rows), column.type) if none else next(taken)
        for column, none in zip(columns, empty, strict=True)
    )


def joined(blocks: Sequence[Block]) -> Block:
    """The rows of at least one block, one after the other."""
    if len(blocks) == 1:
        return blocks[0]
    columns = zip(*(block.columns for block in blocks), strict=True)
    return Block(
        np.concatenate([block.hashes for block in blocks]),
        tuple(buffers.concat(column) for column in columns),
    )


def ordered(columns: Sequence[pa.Array], hashes: Hashes) -> Block:
    """Rows with the hashes of their keys as a block; those of one hash stay in their order."""
    if not (hashes[1:] < hashes[:-1]).any():
        return Block(hashes, tuple(columns))
    return Block(hashes, tuple(columns)).take(hash_order(hashes))


def key_hashes(columns: Sequence[pa.Array], key: Sequence[int]) -> Hashes:
    return hash_columns([columns[i] for i in key], len(columns[0]))


def has_twin(hashes: Hashes) -> Mask | None:
    """Of ascending hashes, which ones a neighbour has too; None if none."""
    again = hashes[1:] == hashes[:-1]
    if not again.any():
        return None
    twins: Mask = np.zeros(len(hashes), np.bool_)
    twins[1:] = again
    twins[:-1] |= again
    return twins
