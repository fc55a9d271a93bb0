"""Consolidation: the one canonical form of a multiset of updates.

Updates of equal rows at equal times are one update, whose diff (and whose sum columns, where a collection has
them) is the sum; updates that come to nothing are gone.  Rows are equal by the exact notion of `equality`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from . import buffers, intervals
from .batch import Batch, Indices, Times
from .buffers import Words
from .equality import rows_equal
from .hash import hash_columns, hash_times
from .multiplicity import check_sum
from .order import dense_ranks, hash_order


@dataclass(frozen=True, slots=True)
class Groups:
    """Equal things side by side: group g is `order[starts[g]:starts[g + 1]]` (the last one ends with `order`)."""

    order: Indices
    starts: Indices


def consolidate(batch: Batch) -> Batch:
    """The same multiset with one update per (row, time) and no zeros; its order depends on the multiset only
    (up to hash collisions: by hash of row and time, then by row, then by time)."""
    if len(batch) <= 1:
        return batch if len(batch) == 0 or batch.diffs[0] != 0 else batch.slice(0, 0)
    check_sum(batch.diffs)
    groups = group_updates(batch.columns, batch.times, hash_columns(batch.columns, len(batch)))
    first, diffs = groups.order[groups.starts], np.add.reduceat(batch.diffs[groups.order], groups.starts)
    kept = np.flatnonzero(diffs)
    first, diffs = first[kept], diffs[kept]
    return Batch(buffers.take(batch.columns, first), batch.times[first], diffs)


def consolidate_in_order(batch: Batch) -> Batch:
    """As `consolidate`, in the order of the first updates of each row."""
    if len(batch) <= 1:
        return consolidate(batch)
    check_sum(batch.diffs)
    groups = group_updates(batch.columns, batch.times, hash_columns(batch.columns, len(batch)))
    if len(groups.starts) == len(batch):
        return batch.filter(batch.diffs != 0)
    diffs = np.zeros(len(batch), np.int64)  # each at the place of its row's first update
    diffs[groups.order[groups.starts]] = np.add.reduceat(batch.diffs[groups.order], groups.starts)
    first = np.flatnonzero(diffs)
    return Batch(buffers.take(batch.columns, first), batch.times[first], diffs[first])


def advance(batch: Batch, since: int) -> Batch:
    """The same updates with no time before `since`: as they look to a reader at `since` or later."""
    return Batch(batch.columns, np.maximum(batch.times, np.uint64(since)), batch.diffs)


def group_updates(columns: Sequence[pa.Array], times: Times, hashes: Words) -> Groups:
    """Groups of equal (row, time); `hashes` is any hash of the rows.  At least one update."""
    words = hashes
    if (times != times[0]).any():
        words = hashes ^ hash_times(times)
    order = hash_order(words)
    ordered = words[order]
    same = ordered[1:] == ordered[:-1]
    pairs = np.flatnonzero(same)
    if len(pairs):
        left, right = order[pairs], order[pairs + 1]
        equal = (times[left] == times[right]) & rows_equal(columns, left, columns, right, exact=True)
        if not equal.all():  # a true collision of 64-bit hashes: order by the rows themselves
            ranks = dense_ranks(columns, len(times))
            order = np.lexsort((times, ranks, words))
            same = (ranks[order][1:] == ranks[order][:-1]) & (times[order][1:] == times[order][:-1])
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    return Groups(order, starts)


def group_rows(
    columns: Sequence[pa.Array], hashes: Words, times: Times | None = None, *, exact: bool = False
) -> Groups:
    """Groups of equal rows, by ascending hash; within a group by ascending time when `times` are given.

    Stable otherwise.  At least one row.  With `exact` unset, rows are equal as SQL's keys are.
    """
    order = _by_hash(hashes, times)
    ordered = hashes[order]
    same = ordered[1:] == ordered[:-1]
    pairs = np.flatnonzero(same)
    if len(pairs) and columns:
        equal = rows_equal(columns, order[pairs], columns, order[pairs + 1], exact=exact)
        if not equal.all():
            ranks = dense_ranks(columns if exact else [canonical(c) for c in columns], len(hashes))
            keys = (ranks, hashes) if times is None else (times, ranks, hashes)
            order = np.lexsort(keys)
            same = ranks[order][1:] == ranks[order][:-1]
    elif not len(pairs):
        return Groups(order, np.arange(len(order)))
    starts = np.flatnonzero(np.concatenate(([True], ~same)))
    return Groups(order, starts)


def _by_hash(hashes: Words, times: Times | None) -> Indices:
    if times is None or not (times != times[0]).any():
        return hash_order(hashes)
    return np.lexsort((times, hashes))


def canonical(column: pa.Array) -> pa.Array:
    """The column with one representative for values that SQL holds equal: -0.0 as 0.0, intervals as days and time, in
    arrays and records too; other types are returned as they are."""
    if intervals.is_interval(column.type):
        return intervals.canonical(column)
    if column.type.id == buffers.LIST:
        elements = column.values
        values = canonical(elements)
        return column if values is elements else buffers.with_values(column, values)
    if column.type.id == buffers.STRUCT:
        parts = buffers.fields(column)
        found = [canonical(part) for part in parts]
        same = all(new is part for new, part in zip(found, parts, strict=True))
        return column if same else buffers.with_fields(column, found)
    if column.type.id not in buffers.FLOATS:
        return column
    values = buffers.fixed(column)
    if not ((values == 0) & np.signbit(values)).any():
        return column
    valid = buffers.validity(column)
    return pa.array(values + values.dtype.type(0), column.type, mask=None if valid is None else ~valid)


def representative(column: pa.Array) -> pa.Array:
    """As `canonical`, but intervals stay what they are: for an operator that puts out one of the values, in total order."""
    return column if _holds_intervals(column.type) else canonical(column)


def _holds_intervals(type_: pa.DataType) -> bool:
    if type_.id == buffers.LIST:
        return _holds_intervals(type_.value_type)
    if type_.id == buffers.STRUCT:
        return any(_holds_intervals(field.type) for field in type_)
    return bool(intervals.is_interval(type_))
