"""The state of a window: its rows, as whole partitions or in blocks.

Both answer the same two questions: which rows does a step have to look at (`load`), and what is there afterwards
(`commit`).  Between the two nothing has changed, so a step may be given up and cut in two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa

from ....expr.tree.scalar import Literal
from ....repr.batch import Batch, Indices, Mask, concat_batches
from ....repr.hash import hash_columns
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...plan import WindowOp
from ...spine import Spine
from ..segments import Segments
from .blocks import BLOCK_ROWS, Directory, directory_spine, read_directory
from .grid import GRID_CELLS, Carried, Cells, Entries, Lines, cells_of
from .layout import Ints, changes
from .reach import Reach

Heads = tuple[pa.Array, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """What a step looks at; `blocks` is for rows in blocks: the directory, and the block of each row of the lines."""

    lines: Lines
    carried: Carried | None = None
    blocks: tuple[Directory, Ints] | None = None


class WindowState(Protocol):
    def spines(self) -> dict[str, Spine]: ...

    def load(self, batch: Batch, heads: Heads, segments: Segments) -> Loaded:
        """The lines that the updates `batch` concern.  `heads` are the keys of the segments' groups."""

    def commit(self, loaded: Loaded, heads: Heads, entries: Entries) -> None:
        """Takes in the step's rows."""


class Partitions:
    """Whole partitions: a step reads all rows of those that it touches."""

    def __init__(self, op: WindowOp, schema: Schema) -> None:
        self._schema = schema
        self._rows = Spine(schema, op.partition)

    def spines(self) -> dict[str, Spine]:
        return {"rows": self._rows}

    def load(self, batch: Batch, heads: Heads, segments: Segments) -> Loaded:
        of_rows = segments.of_rows
        old = self._rows.probe(heads, segments.hashes)
        combined = concat_batches(self._schema, [old.rows, batch])
        unit = np.concatenate((old.probe, segments.group[of_rows]))
        return Loaded(Lines(combined, unit, np.arange(segments.groups), of_rows, segments))

    def commit(self, loaded: Loaded, heads: Heads, entries: Entries) -> None:
        lines = loaded.lines
        k = len(lines.batch) - len(lines.of_rows)
        hashes = lines.segments.hashes[lines.unit[k:]]
        self._rows.insert(_untimed(lines.batch.slice(k, len(lines.batch))), hashes)


class Blocks:
    """Partitions in blocks (see `window_blocks`): a step reads the blocks that it touches, and what it has to beside.

    `rows` are the rows by (partition, block), `blocks` the directories by partition.
    """

    def __init__(self, op: WindowOp, schema: Schema, reach: Reach) -> None:
        self._op = op
        self._schema = schema
        self._reach = reach
        with_block = Schema((*schema.columns, Column("block", INT8, False)))
        self._rows = Spine(with_block, (*op.partition, len(schema)))
        self._directory = directory_spine(op, schema, reach.width)

    def spines(self) -> dict[str, Spine]:
        return {"rows": self._rows, "blocks": self._directory}

    # --- what a step looks at ---

    def load(self, batch: Batch, heads: Heads, segments: Segments) -> Loaded:
        of_rows = segments.of_rows
        directory = read_directory(self._directory, self._op, heads, segments.hashes, segments.groups)
        block = directory.locate(self._op.order, batch, segments.group[of_rows])
        touched = np.zeros(len(directory), np.bool_)
        touched[block] = True
        dirty = np.zeros(len(directory), np.bool_)
        if self._reach.carries and len(directory) > segments.groups:
            self._find_dirty(dirty, touched, directory, Lines(batch, block, block, of_rows, segments), heads)
        loaded = directory.loaded(touched, dirty, self._reach.rows)
        unit, first = directory.units(loaded)
        old, old_block = self._probe(directory, np.flatnonzero(loaded), heads)
        combined = concat_batches(self._schema, [old, batch])
        of_block = np.concatenate((old_block, block))
        lines = Lines(combined, unit[of_block], directory.group[first], of_rows, segments, of_block)
        rows, groups, *sums = directory.carried(first)
        carried = Carried(rows, groups, np.array(sums, np.int64).reshape(len(sums), len(first)))
        return Loaded(lines, carried, (directory, of_block))

    def _probe(self, directory: Directory, blocks: Indices, heads: Heads) -> tuple[Batch, Ints]:
        """The rows of `blocks`, and the block of each."""
        index = pa.array(directory.group[blocks])
        keys = (*(head.take(index) for head in heads), pa.array(directory.block[blocks]))
        found = self._rows.probe(keys, hash_columns(keys, len(blocks)))
        rows = found.rows
        return Batch(rows.columns[:-1], rows.times, rows.diffs), blocks[found.probe]

    def _find_dirty(
        self, dirty: Mask, touched: Mask, directory: Directory, step: Lines, heads: Heads
    ) -> None:
        """Marks the touched blocks behind which other totals are carried on, at some time of the step.

        `step` are the step's rows by block.
        """
        ends = np.append(changes(directory.group)[1:], True)
        chosen = np.flatnonzero(touched & ~ends)
        if not len(chosen):
            return
        number = np.full(len(directory), -1, np.int64)
        number[chosen] = np.arange(len(chosen))
        old, old_block = self._probe(directory, chosen, heads)
        mine = np.flatnonzero(number[step.unit] >= 0)
        combined = concat_batches(self._schema, [old, step.batch.take(mine)])
        unit = number[np.concatenate((old_block, step.unit[mine]))]
        lines = Lines(combined, unit, directory.group[chosen], step.of_rows[mine], step.segments)
        if lines.cells > GRID_CELLS:
            dirty[chosen] = True  # the step will be cut in two
            return
        entries, cells = cells_of(self._op, lines)
        totals = self._totals(lines.batch, entries, cells)
        first_point = np.cumsum(cells.points) - cells.points
        unit = np.repeat(np.arange(len(chosen)), cells.points)
        group = lines.groups[unit]
        point = np.arange(len(unit)) - first_point[unit]
        delta = totals - totals[:, first_point[unit]]
        by = np.lexsort((unit, point, group))
        delta = delta[:, by]
        starts = np.flatnonzero(changes(group[by]) | changes(point[by]))
        running = np.cumsum(delta, axis=1)
        lengths = np.diff(starts, append=len(by))
        running -= np.repeat(running[:, starts] - delta[:, starts], lengths, axis=1)
        dirty[chosen[unit[by[(running != 0).any(axis=0)]]]] = True

    def _totals(self, batch: Batch, entries: Entries, cells: Cells) -> Ints:
        """What is carried on, of the rows of each unit at each of its points: int64[t, points of all units]."""
        counts = cells.counts
        lines = changes(entries.unit[cells.entry]) | changes(cells.point)
        starts = np.flatnonzero(lines)
        totals: list[Ints] = []
        if self._reach.carries_rows:
            totals.append(np.add.reduceat(counts, starts))
        if self._reach.carries_groups:
            peers = np.flatnonzero(lines | changes(entries.peers[cells.entry]))
            present = np.maximum.reduceat(counts, peers) > 0
            at = np.cumsum(lines)[peers] - 1
            totals.append(np.bincount(at[present], minlength=len(starts)))
        sums = self._contributions(batch, entries.rows)[:, cells.entry] * counts
        return np.concatenate(
            (
                np.array(totals, np.int64).reshape(len(totals), len(starts)),
                np.add.reduceat(sums, starts, axis=1),
            )
        )

    def _contributions(self, batch: Batch, rows: Indices) -> Ints:
        """What one occurrence of each of `rows` adds to the sums: int64[width, len(rows)]."""
        index = pa.array(rows)
        ones = np.ones(len(rows), np.int64)
        parts = [np.zeros((0, len(rows)), np.int64)]
        for i, sums in self._reach.sums:
            columns = tuple(
                pa.repeat(pa.scalar(arg.value, arg.type.arrow), len(rows))
                if isinstance(arg, Literal)
                else batch.columns[arg].take(index)
                for arg in self._op.calls[i].args
            )
            parts.append(sums.contributions(columns, ones))
        return np.concatenate(parts)

    # --- what is there afterwards ---

    def commit(self, loaded: Loaded, heads: Heads, entries: Entries) -> None:
        assert loaded.blocks is not None
        directory, of_block = loaded.blocks
        lines = loaded.lines
        k = len(lines.batch) - len(lines.of_rows)
        block = of_block[entries.rows]
        touched = np.zeros(len(directory), np.bool_)
        touched[of_block[k:]] = True
        pieces = _cut_blocks(directory, entries, block, touched)
        ids = pieces.id[entries.of]
        was = directory.block[of_block]
        moved = np.flatnonzero(ids[:k] != was[:k])
        inserted = np.concatenate((np.arange(k, len(ids)), moved, moved))
        batch = lines.batch.take(inserted) if len(moved) else lines.batch.slice(k, len(ids))
        diffs = np.concatenate((lines.batch.diffs[k:], -lines.batch.diffs[moved], lines.batch.diffs[moved]))
        places = pa.array(np.concatenate((ids[k:], was[moved], ids[moved])))
        self._rows.insert(Batch((*batch.columns, places), np.zeros(len(diffs), np.uint64), diffs))
        self._record(loaded, heads, entries, pieces, touched)

    def _record(self, loaded: Loaded, heads: Heads, entries: Entries, pieces: _Pieces, touched: Mask) -> None:
        """Brings the directory up to date."""
        assert loaded.blocks is not None
        directory, of_block = loaded.blocks
        lines, d = loaded.lines, len(directory)
        mine = np.flatnonzero(touched[of_block[entries.rows]] & pieces.listed & entries.occur)
        if not len(mine):
            return
        rows, before, after = entries.rows[mine], entries.before[mine], entries.after[mine]
        bin_, block = pieces.bin[mine], of_block[rows]
        added = self._contributions(lines.batch, rows)
        totals = np.zeros((2 + len(added), d + len(pieces.group)), np.int64)
        peers = np.flatnonzero(changes(entries.peers[mine]) | changes(bin_))
        # A block that is cut is listed anew, under the first of its keys.
        before = np.where(pieces.cut[block], 0, before)
        for counts, where, sign in ((after, bin_, 1), (before, block, -1)):
            np.add.at(totals[0], where, sign * counts)
            present = np.maximum.reduceat(counts, peers) > 0
            np.add.at(totals[1], where[peers[present]], sign)
            for total, values in zip(totals[2:], added, strict=True):
                np.add.at(total, where, sign * values * counts)
        known = np.append((directory.source >= 0) & ~pieces.cut, np.zeros(len(pieces.group), np.bool_))
        bins = np.flatnonzero((totals != 0).any(axis=0))
        gone = np.flatnonzero((directory.source >= 0) & pieces.cut)
        new = bins[~known[bins]]
        old = np.concatenate((bins[known[bins]], gone))
        values = np.concatenate(
            (totals[:, bins[known[bins]]], -directory.totals[:, gone], totals[:, new]), axis=1
        )
        first = np.zeros(totals.shape[1], np.int64)
        first[bin_[::-1]] = rows[::-1]
        old_rows, new_rows = pa.array(directory.source[old]), pa.array(first[new])
        at = directory.keys + 1
        boundaries = [
            pa.concat_arrays(
                [
                    directory.read.columns[at + i].take(old_rows),
                    lines.batch.columns[order.index].take(new_rows),
                ]
            )
            for i, order in enumerate(self._op.order)
        ]
        bins = np.concatenate((old, new))
        group = np.concatenate((directory.group, pieces.group))[bins]
        index = pa.array(group)
        columns = (
            *(head.take(index) for head in heads),
            pa.array(np.concatenate((directory.block, pieces.new_id))[bins]),
            *boundaries,
            *(pa.array(total) for total in values[1:]),
        )
        self._directory.insert(
            Batch(columns, np.zeros(len(bins), np.uint64), values[0]), lines.segments.hashes[group]
        )


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Where each entry is kept from now on: `id` int64[e], of the block; `bin` int64[e], its place in the directory,
    or behind it that of the new block; `listed` bool[e]: its partition has a directory, or gets one.  `group` and
    `new_id` int64[p] are of the new blocks; `cut` bool[d]: the blocks of the directory that are cut."""

    id: Ints
    bin: Ints
    listed: Mask
    group: Ints
    new_id: Ints
    cut: Mask


def _cut_blocks(directory: Directory, entries: Entries, block: Ints, touched: Mask) -> _Pieces:
    """Blocks that have grown too large are cut, between groups of peers; the first piece keeps the block's id.  (The
    first block of a partition may hold keys before its own: hence its new key.)"""
    d = len(directory)
    sizes = np.zeros(d, np.int64)
    np.add.at(sizes, block, entries.after)
    large = touched & (sizes >= 2 * BLOCK_ROWS)
    id_, bin_ = directory.block[block], block.copy()
    listed = (directory.source >= 0) | large
    none = np.empty(0, np.int64)
    if not large.any():
        return _Pieces(id_, bin_, listed[block], none, none, large)
    mine = np.flatnonzero(large[block] & entries.occur)
    of, counts = block[mine], entries.after[mine]
    running = np.cumsum(counts) - counts
    starts = np.flatnonzero(changes(of))
    lengths = np.diff(starts, append=len(of))
    running -= np.repeat(running[starts], lengths)
    peers = np.flatnonzero(changes(entries.peers[mine]) | changes(of))
    at_peers = np.repeat(running[peers], np.diff(peers, append=len(of)))
    piece = at_peers // BLOCK_ROWS
    new_block = changes(of)
    new = np.flatnonzero((changes(piece) | new_block) & ~new_block)  # where a new block begins
    group = directory.group[of[new]]
    highest = np.zeros(int(directory.group[-1]) + 1, np.int64)
    np.maximum.at(highest, directory.group, directory.block)
    ordinal = np.arange(len(new)) - np.searchsorted(group, group, side="left")
    new_id = highest[group] + 1 + ordinal
    number = np.zeros(len(of), np.int64)
    number[new] = np.arange(1, len(new) + 1)
    number[starts] = 0
    opened = np.zeros(len(of), np.bool_)
    opened[new] = opened[starts] = True
    number = number[np.maximum.accumulate(np.where(opened, np.arange(len(of)), 0))]
    inside = np.flatnonzero(number > 0)
    id_[mine[inside]] = new_id[number[inside] - 1]
    bin_[mine[inside]] = d + number[inside] - 1
    return _Pieces(id_, bin_, listed[block], group, new_id, large)


def _untimed(batch: Batch) -> Batch:
    """State is as of the last step: its rows need no times."""
    return Batch(batch.columns, np.zeros(len(batch), np.uint64), batch.diffs)
