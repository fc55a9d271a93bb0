"""min and max under retractions: the values that are there, per group.

All values of a group are in a spine with their multiplicities, and its ends beside its sums (`ends`).  Where these say
what the step makes of them, nothing else is looked at.  Else the step reads the group's values, all of them if they are few,
ranks them, and finds the lowest and the highest rank that is present at the end of each segment.

A large group has a *front* for each of min and max that is wanted: some first values, in that direction.

```
values of a group, in order   [ extreme | reserve ............. | behind ............................ ]
                               `------------ front -----------'
```

Invariant: every value that is not in the front stands behind all values that are.  So a change behind the front
changes nothing, one inside it concerns the front alone, and a step costs the size of the front, whatever that of the
group (100,000 rows in one group: 1.6 ms for a row, 11 ms without fronts).  Deletions use up the reserve; when no value
may be left in it, at any time of a step, the group is read as a whole, once, and its front laid out anew.  A front has
about the square root of the group's size, so that its use and its renewal cost alike in the mean.  Whether a group has
a front is part of the state: the rows of it are there.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr import buffers
from ....repr.batch import Batch, Indices, Mask, concat_batches
from ....repr.consolidate import representative
from ....repr.order import has_order_words, order_words, word_values
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...spine import Matches, Spine
from ..segments import Ints, Segments
from .ends import Ends
from .presence import NONE, Entries, Extreme, Values, entries_of, order_of

LARGE_ROWS = 256
"""A group of which more updates were read gets fronts; of one with more rows, the ends alone will not do."""

FRONT_VALUES = (64, 512)
"""A front holds the square root of the group's size, and not fewer or more than these; twice as many at most."""

Columns = tuple[pa.Array, ...]


@dataclass(frozen=True, slots=True)
class _Fronts:
    """What a step found in the fronts of one direction.

    `held`: their rows, of the groups `held.probe`.  `enough` bool[g]: the group has a front, and it suffices.  `values`
    and `entries` are those of such groups, front and changes inside it; `inside` bool[n] says which changes these are.
    """

    held: Matches
    enough: Mask
    values: Values
    entries: Entries | None
    inside: Mask


class Extremes:
    """The values of the input's column `argument`, by group; answers those of min and max that are `wanted`."""

    def __init__(self, schema: Schema, keys: int, argument: int, wanted: Sequence[Extreme]) -> None:
        self.argument = argument
        self._keys = keys
        self._schema = Schema((*schema.columns[:keys], schema[argument]))
        key = tuple(range(keys))
        self._spine = Spine(self._schema, key)
        self._fronts = {name: Spine(self._schema, key, compact=True) for name in wanted}
        self.ends: tuple[Column, ...] = ()
        if has_order_words(self._schema.types[-1].arrow):
            self.ends = tuple(Column(f"{name}_{argument}", INT8, False) for name in ("known", *wanted))

    def spines(self) -> dict[str, Spine]:
        return {"values": self._spine} | {str(name): front for name, front in self._fronts.items()}

    def step(
        self,
        batch: Batch,
        keys: Columns,
        heads: Columns,
        segments: Segments,
        of_rows: Indices,
        sizes: Ints,
        ends: Ints,
    ) -> tuple[dict[Extreme, pa.Array], Ints]:
        """What is wanted before and after each of s segments (array of 2 s values, NULL where there are none), and the
        ends after the step.

        `of_rows` is the segment of each row of `batch`, `keys` its key columns, `heads` the key of each group, `sizes`
        int64[g] how many rows it has after the step, `ends` int64[e, g] its columns `self.ends` before.
        """
        column = representative(batch.columns[self.argument])
        place, diffs = of_rows, batch.diffs
        if column.null_count:
            valid = np.flatnonzero(buffers.present(column))
            taken = buffers.take((*keys, column), valid)
            keys, column, place, diffs = taken[:-1], taken[-1], place[valid], diffs[valid]
        new = Values(column, segments.group[place], place, diffs, 0)
        rows = Batch((*keys, column), np.zeros(len(column), np.uint64), diffs)
        fronts = {
            name: self._by_front(name, new, heads, segments)
            for name, spine in self._fronts.items()
            if spine.runs
        }
        whole = np.ones(segments.groups, np.bool_)
        if len(fronts) == len(self._fronts):
            whole = ~functools.reduce(np.logical_and, (front.enough for front in fronts.values()))
        before = Ends.read(ends, tuple(self._fronts))
        after, sure = self._moved(before, new, fronts, sizes, segments)
        old = self._read(whole & ~(sure & before.known), heads, segments)
        sure[old.probe] = False  # its ends were not known, and not for want of values
        whole &= ~sure
        self._spine.insert(rows, segments.hashes[new.group])
        by_ends: dict[Extreme, pa.Array] = {}
        if sure.any():
            by_ends = {name: _by_ends(name, before, after, segments, column.type) for name in self._fronts}
            if sure.all():
                return by_ends, after.state()
        values = _joined(old, new if whole.all() else new.kept(whole[new.group]), segments)
        entries = entries_of(values, order_of(values, segments), segments) if len(values) else None
        found = _positions(entries, segments)
        out: dict[Extreme, pa.Array] = {}
        for name in self._fronts:
            front = fronts.get(name)
            self._lay_out(name, values, entries, front, rows, heads, new.group, segments)
            out[name] = _answer(name, values, found[name], front, segments)
        if by_ends:
            those = pa.array(np.tile(sure[segments.group], 2))
            out = {name: pc.if_else(those, by_ends[name], answer) for name, answer in out.items()}
        after = _found(after, sure, whole, entries, out, segments)
        return out, after.state()

    def _moved(
        self, before: Ends, new: Values, fronts: dict[Extreme, _Fronts], sizes: Ints, segments: Segments
    ) -> tuple[Ends, Mask]:
        """The ends of all groups after the step, and of which groups they may be that, unless it turns out that values
        of ends that are not known are there."""
        if not self.ends:
            return before, np.zeros(segments.groups, np.bool_)
        after, sure = before.moved(*order_words(new.column), new.group, new.diffs)
        sure &= sizes <= LARGE_ROWS  # a larger one is looked at, and gets fronts
        if not segments.single:
            sure &= segments.sizes() == 1
        for front in fronts.values():
            sure[front.held.probe] = False
        return after, sure

    def _read(self, whole: Mask, heads: Columns, segments: Segments) -> Matches:
        """All values of the groups `whole`, as of before the step."""
        if whole.all():
            return self._spine.probe(heads, segments.hashes, columns=(self._keys,))
        places = np.flatnonzero(whole)
        found = self._spine.probe(buffers.take(heads, places), segments.hashes[places], columns=(self._keys,))
        return Matches(places[found.probe], found.rows)

    def _by_front(self, name: Extreme, new: Values, heads: Columns, segments: Segments) -> _Fronts:
        held = self._fronts[name].probe(heads, segments.hashes, columns=(self._keys,))
        enough = np.zeros(segments.groups, np.bool_)
        enough[held.probe] = True
        mine = enough[new.group]
        values = _joined(held, new.kept(mine), segments)
        if not len(held):
            return _Fronts(held, enough, values, None, mine)
        order = order_of(values, segments)
        entries = entries_of(values, order, segments)
        here = entries.up_to_last(name, segments.groups)
        inside = mine.copy()
        inside[mine] = here[order.entry_of()[len(held) :]]
        # Fewer than one row at some time: what stands behind might be the extreme then.
        rows = np.zeros(segments.groups, np.int64)
        np.add.at(rows, held.probe, held.rows.diffs)
        deltas = np.zeros(len(segments.starts), np.int64)
        np.add.at(deltas, new.place[inside], new.diffs[inside])
        np.minimum.at(rows, segments.group, segments.running(rows, deltas))
        enough &= rows > 0
        inside &= enough[new.group]
        return _Fronts(held, enough, values, entries.kept(here & enough[entries.group]), inside)

    def _lay_out(
        self,
        name: Extreme,
        values: Values,
        entries: Entries | None,
        front: _Fronts | None,
        rows: Batch,
        heads: Columns,
        group: Indices,
        segments: Segments,
    ) -> None:
        """Brings the fronts of one direction up to date: changes inside them, fronts that are no more, new ones of
        groups that were read as a whole, and the ends of those that have grown too long.

        `values` and `entries` are of the groups that were read as a whole; `rows` the step's, of the groups `group`.
        """
        pieces, hashes = [], []

        def add(groups: Indices, column: pa.Array, at: Indices, diffs: Ints) -> None:
            columns = (*buffers.take(heads, groups), *buffers.take((column,), at))
            pieces.append(Batch(columns, np.zeros(len(diffs), np.uint64), diffs))
            hashes.append(segments.hashes[groups])

        without = np.ones(segments.groups, np.bool_)
        if front is not None:
            without = ~front.enough
            inside = np.flatnonzero(front.inside)
            if len(inside):
                add(group[inside], rows.columns[-1], inside, rows.diffs[inside])
            stale = np.flatnonzero(without[front.held.probe])
            if len(stale):
                held = front.held.rows
                add(front.held.probe[stale], held.columns[-1], stale, -held.diffs[stale])
            if front.entries is not None:
                near = front.entries
                ends = near.behind(name, FRONT_VALUES[1], segments.groups)
                if len(ends):
                    add(near.group[ends], front.values.column, near.rows[ends], -near.now[ends])
        if entries is not None:
            sizes = np.bincount(values.group, minlength=segments.groups)
            if sizes.max() > LARGE_ROWS:
                limits = np.clip(np.sqrt(sizes).astype(np.int64), *FRONT_VALUES)
                first = entries.first(name, np.where(without & (sizes > LARGE_ROWS), limits, 0))
                if len(first):
                    add(entries.group[first], values.column, entries.rows[first], entries.now[first])
        if pieces:
            self._fronts[name].insert(concat_batches(self._schema, pieces), np.concatenate(hashes))


def _joined(old: Matches, new: Values, segments: Segments) -> Values:
    """The values held, then those that arrive."""
    if not len(old):
        return new
    column = pa.concat_arrays([old.rows.columns[-1], new.column])
    group = np.concatenate((old.probe, new.group))
    place = group  # the segment, where every group has one
    if not segments.single:
        place = np.concatenate((segments.first[old.probe], new.place))
    return Values(column, group, place, np.concatenate((old.rows.diffs, new.diffs)), len(old))


def _by_ends(name: Extreme, before: Ends, after: Ends, segments: Segments, type_: pa.DataType) -> pa.Array:
    """The extreme before and after each segment, where its group has that one only: its ends."""
    group = segments.group
    values = word_values(np.concatenate((before.words[name][group], after.words[name][group])), type_)
    known = np.concatenate((before.known[group], after.known[group]))
    return values if known.all() else pc.if_else(pa.array(known), values, pa.scalar(None, type_))


def _found(
    after: Ends,
    sure: Mask,
    whole: Mask,
    entries: Entries | None,
    answers: dict[Extreme, pa.Array],
    segments: Segments,
) -> Ends:
    """The ends of groups that are `sure`, and of those read as a `whole` (others have fronts, which serve as well)."""
    known = after.known & sure
    if entries is not None and after.words:
        seen = whole & entries.plain(after.words, segments.groups)
        groups = np.flatnonzero(seen)
        last = len(segments.starts) + np.append(segments.first[1:], len(segments.starts))[groups] - 1
        for name, words in after.words.items():
            words[groups], fits = order_words(buffers.take((answers[name],), last)[0])
            if fits is not None:
                seen[groups[~fits]] = False
        known |= seen
    return Ends(known, after.words)


def _answer(
    name: Extreme, values: Values, whole: Indices, front: _Fronts | None, segments: Segments
) -> pa.Array:
    """The extreme before and after each segment: from the front where that is enough, else the positions `whole`
    among the `values` of groups that were read as a whole."""
    if front is None or front.entries is None or not front.enough.any():
        return values.at_positions(whole)
    near = _positions(front.entries, segments)[name]
    if not len(values):
        return front.values.at_positions(near)
    enough = front.enough[segments.group]
    near = np.where(near == NONE, NONE, near + len(values))
    column = pa.concat_arrays([values.column, front.values.column])
    both = Values(column, whole[:0], whole[:0], whole[:0], 0)
    return both.at_positions(np.where(np.concatenate((enough, enough)), near, whole))


def _positions(entries: Entries | None, segments: Segments) -> dict[Extreme, Indices]:
    """Where min and max before and after each segment stand among the values; NONE where nothing is."""
    if entries is None:
        nowhere = np.full(2 * len(segments.starts), NONE)
        return {"min": nowhere, "max": nowhere}
    out: dict[Extreme, Indices] = {}
    before, after = entries.before(segments.groups), entries.after(segments)
    for name, last in after.items():
        stacked = np.concatenate((segments.previous(before[name], last), last))
        found = np.flatnonzero(stacked != NONE)
        stacked[found] = entries.rows[stacked[found]]
        out[name] = stacked
    return out
