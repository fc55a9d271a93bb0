"""min and max over an append-only input: the ends so far, one row per group.

Where no value ever goes, one that is not an end when it arrives is never one.  So a group's state is its least value,
its greatest one, or both, whatever is wanted; the end after a segment is the better of the one before it and of the
values in it.

```
group a:  before    t=3      t=7      lines: one per group and point, groups one after the other
          held 5    8, 4     6
min       5         4        4        the best value of each line, then the best one so far
```

An end that is replaced is retracted from the state, and is no better than what replaced it: so the best of all
insertions held is the end, whether they have been merged with the retractions yet or not.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import Batch, Indices
from ....repr.consolidate import representative
from ....repr.order import Key, sort_keys, total_keys
from ....repr.schema import Schema
from ...spine import Spine
from ..segments import Ints, Segments
from .presence import NONE, Extreme

Columns = tuple[pa.Array, ...]


class AppendedExtremes:
    """Answers those of min and max of the input's column `argument` that are `wanted`, by the first `keys` columns."""

    def __init__(self, schema: Schema, keys: int, argument: int, wanted: Sequence[Extreme]) -> None:
        self._argument = argument
        self._keys = keys
        self._wanted = tuple(wanted)
        self._schema = Schema((*schema.columns[:keys], schema[argument]))
        self._ends = Spine(self._schema, tuple(range(keys)))

    def spines(self) -> dict[str, Spine]:
        return {"ends": self._ends}

    def step(
        self, batch: Batch, heads: Columns, segments: Segments, of_rows: Indices
    ) -> dict[Extreme, pa.Array]:
        """What is wanted before and after each of s segments (array of 2 s values, NULL where there are none).

        `of_rows` is the segment of each row of `batch`, which has no retractions; `heads` the key of each group.
        """
        column, place = representative(batch.columns[self._argument]), of_rows
        there = batch.diffs > 0
        if column.null_count:
            there &= buffers.present(column)
        if not there.all():
            kept = np.flatnonzero(there)
            (column,), place = buffers.take((column,), kept), place[kept]
        line = place + segments.group[place] + 1
        held = self._ends.probe(heads, segments.hashes, columns=(self._keys,))
        if len(held):
            ends = np.flatnonzero(held.rows.diffs > 0)
            group = held.probe[ends]
            column = pa.concat_arrays([*buffers.take(held.rows.columns[-1:], ends), column])
            line = np.concatenate((segments.first[group] + group, line))
        found: dict[Extreme, Indices] = {}
        if len(column):
            rank = _ranks(column)
            found = {name: _so_far(rank if name == "min" else ~rank, line, segments) for name in self._wanted}
            self._replace(found, column, heads, segments)
        after = np.arange(len(segments.starts)) + segments.group + 1
        both = np.concatenate((after - 1, after))
        nothing = pa.nulls(len(both), column.type)
        return {name: _at(column, found[name][both]) if name in found else nothing for name in self._wanted}

    def _replace(
        self, found: dict[Extreme, Indices], column: pa.Array, heads: Columns, segments: Segments
    ) -> None:
        """Holds the ends after the step in place of those before it, where they differ."""
        groups = np.arange(segments.groups)
        first = segments.first + groups
        last = first + segments.sizes()
        for rows in found.values():
            was, now = rows[first], rows[last]
            come = np.flatnonzero(was != now)
            if not len(come):
                continue
            gone = come[was[come] != NONE]
            group = np.concatenate((come, gone))
            values = buffers.take((column,), np.concatenate((now[come], was[gone])))
            diffs = np.repeat(np.array([1, -1]), (len(come), len(gone)))
            state = Batch((*buffers.take(heads, group), *values), np.zeros(len(group), np.uint64), diffs)
            self._ends.insert(state, segments.hashes[group])


def _ranks(column: pa.Array) -> Key:
    """One integer per value, in the order of the values; equal ones have equal integers."""
    keys = total_keys(column)
    if len(keys) == 1:
        return keys[0]
    order, new = sort_keys(keys)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.cumsum(new)
    return ranks


def _so_far(rank: Key, line: Indices, segments: Segments) -> Indices:
    """Per line, where the value of the lowest rank on it and on those of its group before it stands; NONE without one.

    Of equal values the first one to stand there is taken, so a line whose end stays has the same as the one before.
    """
    lines = len(segments.starts) + segments.groups
    best = np.full(lines, np.iinfo(rank.dtype).max, rank.dtype)
    np.minimum.at(best, line, rank)
    hits = np.flatnonzero(rank == best[line])[::-1]
    at = np.full(lines, NONE)
    at[line[hits]] = hits  # the last to be written stays: the first of them
    if segments.single:
        was, now = at[0::2], at[1::2]
        stays = (was != NONE) & ((now == NONE) | (best[0::2] <= best[1::2]))
        at[1::2] = np.where(stays, was, now)
        return at
    filled = np.flatnonzero(at != NONE)
    by_rank = filled[np.argsort(best[filled], kind="stable")]
    place: Ints = np.full(lines, lines)
    place[by_rank] = np.arange(len(by_rank))
    # Later groups begin lower than any earlier one can be: one running minimum serves them all.
    group = np.repeat(np.arange(segments.groups), segments.sizes() + 1)
    place = np.minimum.accumulate(place - group * (lines + 1)) + group * (lines + 1)
    found = np.flatnonzero(place < lines)
    out = np.full(lines, NONE)
    out[found] = at[by_rank[place[found]]]
    return out


def _at(column: pa.Array, positions: Indices) -> pa.Array:
    """The values at `positions`; NULL where that is NONE."""
    missing = positions == NONE
    if not missing.any():
        return buffers.take((column,), positions)[0]
    return column.take(pa.array(np.where(missing, 0, positions), mask=missing))
