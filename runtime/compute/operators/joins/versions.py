"""Versions: the rows of one side of a join as they stood at each time of a step, for keys that change many times in it.

```
updates of a row       +1@3      -1@5      +2@8             a key that changes n times on both sides: 2n updates on each,
versions                [3, 5) 1            [8, ..) 2       4 n^2 pairs of updates, but n pairs of an update and a version
```

    d(A.B) at t  =  dA_t . B_before_t  +  A_at_t . dB_t

An update is paired with the versions that stand at its time, so the pairs are those that steps of one time each would
make.  To find them, the interval of a version is cut into O(log n) nodes of a binary tree over the step's times, and an
update looks at the O(log n) nodes above its time.  All of it is done for all keys and times at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ....repr import buffers
from ....repr.batch import Batch, Indices, Times, concat_batches
from ....repr.buffers import Words
from ....repr.consolidate import group_rows
from ....repr.equality import rows_equal
from ....repr.hash import hash_columns
from ....repr.multiplicity import Diffs, check_sum
from ....repr.schema import Schema
from ...arrangement import Keyed
from ...run import Run
from ...spine import PROBE_ROWS, Matches

FEW_PAIRS = 2_048
"""So few pairs of updates are formed as they are."""

PAIRS_PER_ROW = 8
"""A key is busy when its updates make more pairs than this for each of them."""

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Versions:
    """n versions of rows: number i is row `row[i]` of `rows`, has the key `key[i]` (a number), occurs `counts[i]` times, and
    stands from the time number `begin[i]` until before `end[i]`, of `times`, which ascend."""

    rows: Batch
    row: Indices
    key: Ints
    begin: Ints
    end: Ints
    counts: Diffs
    times: Times


def busy_keys(left: Keyed, right: Keyed, upper: int) -> Words | None:
    """Hashes, ascending, of keys that change so often on both sides in a step up to `upper` that most pairs of these
    updates come to nothing.

    None when there is none, as in every step of one time; and in a loop, where times are not those of a step.
    """
    if len(left) * len(right) <= FEW_PAIRS:
        return None
    times = left.batch.times, right.batch.times
    if all((side == side[0]).all() for side in times) or max(side.max() for side in times) >= upper:
        return None
    lefts, left_counts = np.unique(left.hashes, return_counts=True)
    rights, right_counts = np.unique(right.hashes, return_counts=True)
    both, i, j = np.intersect1d(lefts, rights, assume_unique=True, return_indices=True)
    return busy_of(both, left_counts[i], right_counts[j])


def busy_of(hashes: Words, left: Ints, right: Ints) -> Words | None:
    """Those of the hashes for which so many updates on either side are too many to be paired as they are."""
    busy = left * right > PAIRS_PER_ROW * (left + right)
    return hashes[busy] if int((left * right)[busy].sum()) > FEW_PAIRS else None


def busy_part(updates: Keyed, busy: Words) -> tuple[Indices, Indices]:
    """Which of the updates have hashes in `busy`, which ascend, and which have not."""
    found = busy.take(busy.searchsorted(updates.hashes), mode="clip") == updates.hashes
    return np.flatnonzero(found), np.flatnonzero(~found)


def held_rows(runs: Sequence[Run], busy: Words) -> Iterator[tuple[Batch, Words]]:
    """What is held with hashes in `busy`, and these."""
    for run in runs:
        for probe, rows in run.pairs(busy, PROBE_ROWS):
            yield run.batch.take(rows), busy[probe]


def versions(
    schema: Schema,
    held: Iterable[tuple[Batch, Words]],
    updates: Keyed,
    busy: Words,
    times: Times,
    *,
    after: bool,
) -> Versions:
    """What `updates` make of the rows `held`, which stand from the beginning; all of them have hashes in `busy`.

    A version stands at a time that is among `times`: with `after` as the updates at that time leave it, else as they
    find it.
    """
    pieces = [*held, (updates.batch, updates.hashes)]
    keys = np.concatenate([hashes for _, hashes in pieces])
    rows = concat_batches(schema, [batch for batch, _ in pieces])
    first = len(rows) - len(updates)
    rows = Batch(rows.columns, np.concatenate((np.zeros(first, np.uint64), updates.batch.times)), rows.diffs)
    if not len(rows):
        none = np.empty(0, np.int64)
        return Versions(rows, none, none, none, none, none, times)
    check_sum(rows.diffs)
    groups = group_rows(rows.columns, hash_columns(rows.columns, len(rows)), rows.times, exact=True)
    order, starts = groups.order, groups.starts
    ordered, sums = rows.times[order], np.cumsum(rows.diffs[order])
    earlier = sums[starts] - rows.diffs[order[starts]]
    counts = sums - np.repeat(earlier, np.diff(starts, append=len(rows)))
    begin = times.searchsorted(ordered, "left" if after else "right")
    begin[order < first] = 0
    end = np.append(begin[1:], len(times))
    end[starts[1:] - 1] = len(times)
    stand = np.flatnonzero((counts != 0) & (begin < end))
    row = order[stand]
    return Versions(rows, row, busy.searchsorted(keys[row]), begin[stand], end[stand], counts[stand], times)


def standing(probe: Keyed, busy: Words, held: Versions, key: tuple[int, ...]) -> Iterator[Matches]:
    """For updates with hashes in `busy`, at times of `held`: the versions of their keys, in the columns `key`, that stand
    at their times; in pieces of bounded size.  The rows have no times of their own."""
    if not len(probe) or not len(held.row):
        return
    depth = max(len(held.times) - 1, 1).bit_length()
    version, node = _nodes(held.begin, held.end, depth)
    places = _places(held.key[version], node, depth)
    order = np.argsort(places, kind="stable")
    places, version = places[order], version[order]
    keys = busy.searchsorted(probe.hashes)
    leaves = held.times.searchsorted(probe.batch.times) + (1 << depth)
    part = max(PROBE_ROWS // (depth + 1), 1)
    for first in range(0, len(probe), part):
        some = slice(first, first + part)
        for index, place in _found(keys[some], leaves[some], places, depth):
            index, found = index + first, version[place]
            rows = held.row[found]
            if key:  # hashes are equal, keys perhaps not
                columns = [held.rows.columns[i] for i in key]
                equal = rows_equal(probe.keys, index, columns, rows, exact=False)
                found, index, rows = found[equal], index[equal], rows[equal]
            taken = buffers.take(held.rows.columns, rows)
            yield Matches(index, Batch(taken, np.zeros(len(rows), np.uint64), held.counts[found]))


def _found(keys: Ints, leaves: Ints, places: Ints, depth: int) -> Iterator[tuple[Indices, Indices]]:
    """Pairs (probe, position in `places`, which ascend) of one key, where the place is a node above the probe's leaf, or that."""
    levels = np.arange(depth + 1)
    wanted = _places(keys[:, None], leaves[:, None] >> levels, depth).ravel()
    start = places.searchsorted(wanted)
    counts = places.searchsorted(wanted, "right") - start
    ends = np.cumsum(counts)
    shift = start - (ends - counts)
    for begin in range(0, int(ends[-1]), PROBE_ROWS):
        pairs = np.arange(begin, min(begin + PROBE_ROWS, int(ends[-1])))
        which = ends.searchsorted(pairs, "right")
        yield which // len(levels), pairs + shift[which]


def _places(key: Ints, node: Ints, depth: int) -> Ints:
    """One number for a key and a node of the tree, which are fewer than twice its leaves."""
    return (key << (depth + 1)) + node


def _nodes(begin: Ints, end: Ints, depth: int) -> tuple[Indices, Ints]:
    """The fewest nodes of a tree with `1 << depth` leaves that cover each interval: (interval, node).  Node 1 is the root,
    the children of n are 2n and 2n + 1."""
    low, high, which = begin + (1 << depth), end + (1 << depth), np.arange(len(begin))
    intervals, nodes = [], []
    while len(which):
        odd = (low & 1).astype(np.bool_)
        intervals.append(which[odd])
        nodes.append(low[odd])
        low = (low + odd) >> 1
        odd = (high & 1).astype(np.bool_)
        intervals.append(which[odd])
        nodes.append(high[odd] - 1)
        high = (high - odd) >> 1
        rest = low < high
        low, high, which = low[rest], high[rest], which[rest]
    return np.concatenate(intervals), np.concatenate(nodes)
