"""INSERT ... ON CONFLICT: which proposed rows go in, which rows they change.

Rows agree on a key by true equality; a proposed row conflicts with a row of the table, or with an earlier proposed one
that goes in.  Only keys whose hash occurs already are read from the table: a statement whose rows are all new reads
nothing.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...errors import CardinalityViolation
from ...repr.batch import Batch, Indices, Mask, concat_batches
from ...repr.buffers import Words, truth, validity
from ...repr.consolidate import consolidate_in_order
from ...repr.hash import hash_columns
from ...repr.order import sort_indices
from ...sql.plans.data_plans import OnConflict
from ...sql.syntax.constraints import Constraint
from ..catalog.items import Table
from ..storage.key_counts import Counts
from ..storage.key_values import key_values
from ..thread_pool import over_rows
from .key_lookup import Read, key_groups, rows_with_keys
from .row_checks import check_rows, computed

Known = Callable[[Constraint, Words], Awaitable[Counts]]
"""How often each key hash occurs in the table, as the transaction sees it."""


@dataclass(frozen=True, slots=True)
class _Matches:
    """For each proposed row: its key's number, and the position in `there` of the row that has it (-1: none)."""

    keys: Indices
    positions: Indices
    there: Batch


async def upserted(
    item: Table, conflict: OnConflict, arbiters: Sequence[Constraint], rows: Batch, known: Known, read: Read
) -> tuple[Batch, Batch]:
    """The changes to the table, and the rows that are inserted or are what updates make of theirs, in the order of the proposed ones.

    `rows` have a last column that orders them.  Raises 21000 when one row would be changed twice.
    """

    def checked() -> Batch:
        proposed = in_order(rows, len(item.schema))
        check_rows(item, proposed)
        return proposed

    proposed = await over_rows(len(rows), checked)
    matches = [await _match(item, arbiter, proposed, known, read) for arbiter in arbiters]
    if conflict.assignments:
        return await over_rows(len(proposed), lambda: _update(item, conflict, proposed, matches[0]))
    inserted = await over_rows(len(proposed), lambda: proposed.filter(_first_of_each(matches, len(proposed))))
    return inserted, inserted


def in_order(rows: Batch, width: int) -> Batch:
    """Each row once, in the order of its number; without numbers, in the order of the rows."""
    repeated = np.repeat(np.arange(len(rows)), rows.diffs)
    columns = [column.take(pa.array(repeated)) for column in rows.columns]
    by = [columns[width], *columns[:width]]
    order = sort_indices(by, [False] * len(by), [False] * len(by))
    count = len(order)
    taken = tuple(column.take(pa.array(order)) for column in columns[:width])
    return Batch(taken, np.zeros(count, np.uint64), np.ones(count, np.int64))


async def _match(item: Table, arbiter: Constraint, proposed: Batch, known: Known, read: Read) -> _Matches:
    count = len(proposed)

    def hashed() -> tuple[Mask, Words]:
        keys = key_values(item, arbiter, proposed)
        return _comparable(arbiter, keys, count), hash_columns(keys, count)

    present, hashes = await over_rows(count, hashed)
    suspected = np.flatnonzero(present & (await known(arbiter, hashes) > 0))
    there = concat_batches(item.schema, [])
    if len(suspected):
        there = await rows_with_keys(read, item, arbiter, proposed.take(suspected))
    return await over_rows(count + len(there), lambda: _matched(item, arbiter, proposed, present, there))


def _matched(item: Table, arbiter: Constraint, proposed: Batch, present: Mask, there: Batch) -> _Matches:
    """`there` are rows of the table, among them all that may agree with one of the proposed."""
    count = len(proposed)
    there = there.filter(_comparable(arbiter, key_values(item, arbiter, there), len(there)))
    both = concat_batches(item.schema, [there, proposed])
    if not len(both):
        empty = np.empty(0, np.int64)
        return _Matches(empty, empty, there)
    groups = key_groups(key_values(item, arbiter, both), len(both))
    sizes = np.diff(np.append(groups.starts, len(both)))
    numbers = np.empty(len(both), np.int64)
    numbers[groups.order] = np.repeat(np.arange(len(sizes)), sizes)
    own = numbers[len(there) :]
    own[~present] = len(sizes) + np.flatnonzero(~present)  # a NULL agrees with nothing
    holders = np.full(len(sizes) + count, -1, np.int64)
    holders[numbers[: len(there)]] = np.arange(len(there))
    return _Matches(own, holders[own], there)


def _comparable(constraint: Constraint, keys: Sequence[pa.Array], count: int) -> Mask:
    present = np.ones(count, np.bool_)
    if constraint.nulls_distinct:
        for key in keys:
            valid = validity(key)
            if valid is not None:
                present &= valid
    return present


def _first_of_each(matches: Sequence[_Matches], count: int) -> Mask:
    """DO NOTHING: the rows that agree with none of the table, nor with an earlier one that goes in."""
    kept = np.ones(count, np.bool_)
    for match in matches:
        kept &= match.positions < 0
    alone = np.ones(count, np.bool_)
    for match in matches:
        _, places, sizes = np.unique(match.keys, return_inverse=True, return_counts=True)
        alone &= sizes[places] == 1
    # What agrees with other proposed rows depends on whether those go in: one after the other.
    seen: list[set[int]] = [set() for _ in matches]
    for row in np.flatnonzero(kept & ~alone).tolist():
        keys = [int(match.keys[row]) for match in matches]
        kept[row] = not any(key in taken for key, taken in zip(keys, seen, strict=True))
        if kept[row]:
            for key, taken in zip(keys, seen, strict=True):
                taken.add(key)
    return kept


def _update(item: Table, conflict: OnConflict, proposed: Batch, match: _Matches) -> tuple[Batch, Batch]:
    hit = match.positions >= 0
    inserted = proposed.filter(~hit)
    if len(np.unique(match.keys[~hit])) < len(inserted):
        raise _twice()
    rows = np.flatnonzero(hit)
    old, excluded = match.there.take(match.positions[rows]), proposed.take(rows)
    columns = (*old.columns, *excluded.columns)
    if conflict.where is not None:
        wanted = computed(conflict.where, columns, len(rows))
        updated = truth(wanted)
    else:
        updated = np.ones(len(rows), np.bool_)
    _, places, sizes = np.unique(match.positions[rows], return_inverse=True, return_counts=True)
    last = np.zeros(len(sizes), np.int64)
    last[places] = np.arange(len(rows))  # the last of those that meet one row
    if (updated & (last[places] != np.arange(len(rows)))).any():
        raise _twice()  # a later one meets the row that this statement has changed
    chosen = pa.array(np.flatnonzero(updated))
    given = tuple(column.take(chosen) for column in columns)
    count = len(chosen)
    new_columns = tuple(computed(scalar, given, count) for scalar in conflict.assignments)
    new = Batch(new_columns, np.zeros(count, np.uint64), np.ones(count, np.int64))
    check_rows(item, new)
    gone = old.filter(updated)
    gone = Batch(gone.columns, np.zeros(count, np.uint64), np.full(count, -1, np.int64))
    changes = consolidate_in_order(concat_batches(item.schema, [inserted, gone, new]))
    written = concat_batches(item.schema, [inserted, new])
    return changes, written.take(np.argsort(np.concatenate((np.flatnonzero(~hit), rows[updated]))))


def _twice() -> CardinalityViolation:
    return CardinalityViolation(
        "ON CONFLICT DO UPDATE command cannot affect row a second time",
        hint="Ensure that no rows proposed for insertion within the same command have duplicate constrained values.",
    )
