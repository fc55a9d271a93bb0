"""MERGE: the actions that the plan has found, as changes to the table."""

from __future__ import annotations

import numpy as np

from ...errors import CardinalityViolation
from ...repr.batch import Batch, concat_batches
from ...repr.buffers import fixed
from ...repr.consolidate import consolidate, consolidate_in_order
from ...repr.schema import Schema
from ...sql.plans.data_plans import MERGE_DELETE, MERGE_INSERT
from ..catalog.items import Table
from ..thread_pool import over_rows
from .key_lookup import Read


async def merged(item: Table, rows: Batch, read: Read) -> tuple[Batch, Batch, int]:
    """The changes to the table, the rows that come, and how many rows the statement has changed.

    `rows` are of `Merge.relation`.  Raises 21000 when a row of the table would be changed twice.
    """
    gone, new = await over_rows(len(rows), lambda: _gone_and_new(rows, len(item.schema)))
    if len(gone) and int(gone.diffs.max()) > 1:
        # Either the table has equal rows, or several rows of the source match one: what is there decides.
        table = await read(item.contents)
        if await over_rows(len(table), lambda: _is_too_much(gone, table, item.schema)):
            raise CardinalityViolation(
                "MERGE command cannot affect row a second time",
                hint="Ensure that not more than one source row matches any one target row.",
            )
    both = [gone.negate(), new]
    changes = await over_rows(len(rows), lambda: consolidate_in_order(concat_batches(item.schema, both)))
    return changes, new, int(rows.diffs.sum())


def _gone_and_new(rows: Batch, width: int) -> tuple[Batch, Batch]:
    """The rows that the actions take away, each once with how often, and those that come."""
    actions = fixed(rows.columns[0])
    old = rows.select(range(1, 1 + width)).filter(actions != MERGE_INSERT)
    new = rows.select(range(1 + width, 1 + 2 * width)).filter(actions != MERGE_DELETE)
    return consolidate(_untimed(old)), _untimed(new)


def _is_too_much(gone: Batch, table: Batch, schema: Schema) -> bool:
    """Whether more rows go than the table has."""
    left = consolidate(concat_batches(schema, [_untimed(table), gone.negate()]))
    return len(left) > 0 and int(left.diffs.min()) < 0


def _untimed(rows: Batch) -> Batch:
    return Batch(rows.columns, np.zeros(len(rows), np.uint64), rows.diffs)
