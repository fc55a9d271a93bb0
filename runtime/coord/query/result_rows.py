"""Rows of a query as its client sees them: each as often as its multiplicity says, ordered, in chunks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from ...expr.tree.relation import Finishing
from ...interrupt import check_interrupt
from ...repr.batch import Batch, concat_batches
from ...repr.order import sort_indices
from ...repr.schema import Schema
from ..results.results import Columns

CHUNK_ROWS = 1 << 16


def repeat(batch: Batch) -> Columns:
    """The rows of a batch, each as often as its multiplicity says."""
    if (batch.diffs == 1).all():
        return batch.columns
    index = pa.array(np.repeat(np.arange(len(batch)), batch.diffs))
    return tuple(column.take(index) for column in batch.columns)


class OrderedRows:
    """A result that is ordered as a whole and gathered chunk by chunk: of its columns there is no second, ordered copy.

    `batches` is emptied: what they hold that the result does not is free when this returns.
    """

    def __init__(self, schema: Schema, batches: list[Batch], finishing: Finishing) -> None:
        columns = repeat(concat_batches(schema, batches))
        batches.clear()
        check_interrupt()
        indices = sort_indices(
            [columns[key.index] for key in finishing.order],
            [key.descending for key in finishing.order],
            [key.nulls_first for key in finishing.order],
        )
        stop = None if finishing.limit is None else finishing.offset + finishing.limit
        self._columns = tuple(columns[i] for i in finishing.indices)
        self._indices = indices[finishing.offset : stop]

    def __len__(self) -> int:
        return len(self._indices)

    def starts(self) -> Iterator[int]:
        """Where the chunks begin; one that is empty for no rows."""
        return iter(range(0, max(len(self), 1), CHUNK_ROWS))

    def chunk(self, start: int) -> Columns:
        """CHUNK_ROWS rows, fewer at the end."""
        check_interrupt()
        index = pa.array(self._indices[start : start + CHUNK_ROWS])
        return tuple(column.take(index) for column in self._columns)

    def release(self) -> None:
        """Frees the memory of all rows, which takes a while when they are many."""
        del self._columns, self._indices
