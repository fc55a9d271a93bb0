"""Rows of a collection at one time, as they are stored: in pieces."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from . import buffers
from .batch import Batch, Delta, Mask, concat_batches, one_of_each
from .consolidate import consolidate, consolidate_in_order
from .float_facts import FloatFacts
from .schema import Schema


@dataclass(frozen=True)
class Rows:
    """The rows at `time`: equal ones may be there several times, and one occurs as often as the sum of their diffs, which is not
    negative.  `errs` are the collection's errors, consolidated.  `known_floats` says what `floats` does, where that is on file."""

    schema: Schema
    time: int
    pieces: tuple[Batch, ...]
    errs: Batch
    known_floats: Callable[[int], FloatFacts] | None = None

    @classmethod
    def of(cls, schema: Schema, time: int, delta: Delta) -> Rows:
        return cls(schema, time, (delta.oks,), delta.errs)

    def __len__(self) -> int:
        return sum(map(len, self.pieces))

    def floats(self, place: int) -> FloatFacts:
        """What is true of the values of a column of floats, in all pieces."""
        if self.known_floats is not None:
            return self.known_floats(place)
        return FloatFacts.merged(FloatFacts.of(piece.columns[place]) for piece in self.pieces)

    @cached_property
    def present(self) -> tuple[Batch, ...]:
        """With positive diffs only."""
        return without_removed(self.schema, self.pieces)

    @cached_property
    def delta(self) -> Delta:
        """In one piece, with positive diffs only."""
        pieces = self.present
        whole = pieces[0] if len(pieces) == 1 else concat_batches(self.schema, pieces)
        times = buffers.constant(np.uint64(self.time), len(whole))
        return Delta(Batch(whole.columns, times, whole.diffs), self.errs)

    @cached_property
    def consolidated(self) -> Delta:
        """In one piece, equal rows once."""
        return Delta(consolidate(self.delta.oks), self.errs)


SMALL_ROWS = 4_096
"""To look at a piece takes as long as for so many rows."""


def gathered(schema: Schema, pieces: Iterable[Batch]) -> tuple[Batch, ...]:
    """The same rows in the same order, in fewer pieces: small ones that follow one another are put together."""
    found: list[Batch] = []
    small: list[Batch] = []
    for piece in pieces:
        if 0 < len(piece) < SMALL_ROWS:
            small.append(piece)
        elif len(piece):
            if small:
                found.append(concat_batches(schema, small))
                small = []
            found.append(piece)
    if small:
        found.append(concat_batches(schema, small))
    return tuple(found)


def without_removed(schema: Schema, pieces: Sequence[Batch]) -> tuple[Batch, ...]:
    """The same multiset of rows, times apart, with positive diffs only, given that no row occurs a negative number of times.

    Consolidated are removed rows and those that agree with one of them in some columns, not all that stay.
    """
    if all((one_of_each(piece.diffs) > 0).all() for piece in pieces):
        return tuple(pieces)
    if sum(map(len, pieces)) <= SMALL_ROWS:
        return (consolidate_in_order(_at_zero(concat_batches(schema, pieces))),)
    kept = [piece.filter(piece.diffs > 0) for piece in pieces]
    removed = concat_batches(schema, [piece.filter(piece.diffs < 0) for piece in pieces])
    masks = [_perhaps_among(piece, removed) for piece in kept]
    suspects = concat_batches(
        schema, [removed, *(piece.filter(mask) for piece, mask in zip(kept, masks, strict=True))]
    )
    left = consolidate_in_order(_at_zero(suspects))
    return (*(piece.filter(~mask) for piece, mask in zip(kept, masks, strict=True)), left)


def _at_zero(batch: Batch) -> Batch:
    return Batch(batch.columns, np.zeros(len(batch), np.uint64), batch.diffs)


_ENOUGH = 4
"""No further column is looked at when there are at most so many times as many suspects as removed rows."""


def _perhaps_among(piece: Batch, removed: Batch) -> Mask:
    """True of every row that is also in `removed`, and of few others."""
    mask = np.ones(len(piece), np.bool_)
    pairs = [
        (_comparable(column), _comparable(values))
        for column, values in zip(piece.columns, removed.columns, strict=True)
        if column.type.id in buffers.FIXED.keys() - buffers.FLOATS or column.type.id in buffers.TEXTS
    ]
    for column, values in sorted(pairs, key=lambda pair: pair[0].type.id in buffers.TEXTS):
        if np.count_nonzero(mask) <= _ENOUGH * len(removed):
            break
        mask &= buffers.truth(pc.is_in(column, value_set=values))
    return mask


def _comparable(column: pa.Array) -> pa.Array:
    """Dates and timestamps as their integers."""
    if column.type.id in buffers.TEXTS:
        return column
    return column.view(_INTEGERS[buffers.FIXED[column.type.id].itemsize])


_INTEGERS = {1: pa.int8(), 2: pa.int16(), 4: pa.int32(), 8: pa.int64()}
