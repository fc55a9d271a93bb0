"""Changes: updates of one collection that have no time yet; the committer gives them one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..repr.batch import Batch, Diffs, empty_batch
from ..repr.schema import ERROR_SCHEMA, Schema


@dataclass(frozen=True, slots=True)
class Changes:
    """`n` updates `(row, diff)`: `columns` of length n each, in the schema's order; `diffs` int64[n]."""

    columns: tuple[pa.Array, ...]
    diffs: Diffs

    def __len__(self) -> int:
        return len(self.diffs)

    def at(self, time: int) -> Batch:
        """The updates, all of them at `time`."""
        return Batch(self.columns, np.full(len(self.diffs), time, np.uint64), self.diffs)


def no_changes(schema: Schema) -> Changes:
    return Changes(empty_batch(schema).columns, np.empty(0, np.int64))


def together(schema: Schema, parts: Sequence[Changes]) -> Changes:
    """The updates of all parts."""
    if not parts:
        return no_changes(schema)
    return Changes(
        tuple(pa.concat_arrays(list(column)) for column in zip(*(p.columns for p in parts), strict=True)),
        np.concatenate([part.diffs for part in parts]),
    )


NO_ERROR_CHANGES = no_changes(ERROR_SCHEMA)
