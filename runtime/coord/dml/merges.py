"""MERGE: the actions that the plan has found, as changes to the table."""

from __future__ import annotations

import numpy as np

from ...errors import CardinalityViolation
from ...repr.batch import Batch, concat_batches
from ...repr.buffers import fixed
from ...repr.consolidate import consolidate
from ...sql.plans.data_plans import MERGE_DELETE, MERGE_INSERT
from ..catalog.items import Table
from ..thread_pool import over_rows
from .key_lookup import Read


async def merged(item: Table, rows: Batch, read: Read) -> tuple[Batch, Batch, int]:
    """The changes to the table, the rows that come, and how many rows the statement has changed.

    `rows` are of `Merge.relation`.  Raises 21000 when a row of the table would be changed twice.
    """
    width = len(item.schema)
    actions = fixed(rows.columns[0])
    old = rows.select(range(1, 1 + width)).filter(actions != MERGE_INSERT)
    new = rows.select(range(1 + width, 1 + 2 * width)).filter(actions != MERGE_DELETE)
    gone = await over_rows(
        len(old), lambda: consolidate(Batch(old.columns, np.zeros(len(old), np.uint64), old.diffs))
    )
    if len(gone) and int(gone.diffs.max()) > 1:
        # Either the table has equal rows, or several rows of the source match one: what is there decides.
        table = await read(item.contents)
        there = Batch(table.columns, np.zeros(len(table), np.uint64), table.diffs)
        left = consolidate(concat_batches(item.schema, [there, gone.negate()]))
        if len(left) and int(left.diffs.min()) < 0:
            raise CardinalityViolation(
                "MERGE command cannot affect row a second time",
                hint="Ensure that not more than one source row matches any one target row.",
            )
    new = Batch(new.columns, np.zeros(len(new), np.uint64), new.diffs)
    both = [gone.negate(), new]
    changes = await over_rows(len(rows), lambda: consolidate(concat_batches(item.schema, both)))
    return changes, new, int(rows.diffs.sum())
