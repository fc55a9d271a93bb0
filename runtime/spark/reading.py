"""What a task reads of a piece: updates of an interval, advanced to a time and summed; or the rows that they make."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import COLLECTION_ERROR_HINT, PtvcError, UnexpectedRetraction
from ..persist.blob.base import Blob
from ..persist.client import PartRef
from ..persist.read import read_updates
from ..repr.batch import Batch, Diffs, Indices, Mask, concat_batches
from ..repr.consolidate import advance, consolidate
from ..repr.hash import hash_columns
from ..repr.schema import ERROR_SCHEMA, Schema
from .division import Piece

EMITTED_ROWS = 65_536
"""Of one Arrow batch."""


@dataclass(frozen=True, slots=True)
class Interval:
    """Of parts, the updates in `[lower, upper)`, with no time before `since`; rows are of `schema`, the shard's."""

    schema: Schema
    lower: int
    upper: int
    since: int

    @classmethod
    def snapshot(cls, schema: Schema, as_of: int) -> Interval:
        return cls(schema, 0, as_of + 1, as_of)


def updates_of(blob: Blob, piece: Piece, interval: Interval) -> Batch:
    """The updates of a piece that has no base, consolidated."""
    return consolidate(_read(blob, piece.rest, interval, _range(piece)))


def rows_of(blob: Blob, piece: Piece, interval: Interval) -> Batch:
    """The rows of a piece of a snapshot, each once, with its multiplicity as diff.

    UnexpectedRetraction if there are fewer than none of a row.
    """
    if piece.base:
        base = consolidate(_read(blob, piece.base, interval))
        tail = consolidate(_read(blob, piece.rest, interval, _like(base)))
        taken = tail.filter(tail.diffs < 0)
        if not len(taken):
            return base
        # A row that only hashes like one of the base comes to less than none, here and nowhere else.
        both = consolidate(concat_batches(interval.schema, [base, taken]))
        return both.filter(both.diffs > 0)
    batch = updates_of(blob, piece, interval)
    if piece.whole and len(batch) and batch.diffs.min() < 0:
        raise UnexpectedRetraction("the collection has fewer than no copies of a row")
    return batch.filter(batch.diffs > 0)


def first_error(blob: Blob, parts: Sequence[PartRef], interval: Interval) -> PtvcError | None:
    """An error that is live at the end of the interval, whatever the rows are filtered by."""
    found = [
        read_updates(blob, [part], interval.schema, interval.lower, interval.upper).errs
        for part in parts
        if part.errors
    ]
    errs = consolidate(advance(concat_batches(ERROR_SCHEMA, found), interval.upper - 1))
    if not len(errs):
        return None
    sqlstates, messages = errs.columns
    return PtvcError(messages[0].as_py(), sqlstate=sqlstates[0].as_py(), hint=COLLECTION_ERROR_HINT)


def repeated(diffs: Diffs) -> Iterator[Indices]:
    """Positions of rows, each as often as its diff says, in batches of `EMITTED_ROWS`."""
    ends = np.cumsum(diffs)
    total = int(ends[-1]) if len(ends) else 0
    for start in range(0, total, EMITTED_ROWS):
        yield np.searchsorted(ends, np.arange(start, min(total, start + EMITTED_ROWS)), side="right")


def _read(
    blob: Blob, parts: Sequence[PartRef], interval: Interval, chosen: Callable[[Batch], Mask] | None = None
) -> Batch:
    """The updates of the parts, of each as it is read those that are `chosen`, not consolidated."""
    batches = []
    for part in parts:
        batch = read_updates(blob, [part], interval.schema, interval.lower, interval.upper).oks
        batches.append(batch if chosen is None else batch.filter(chosen(batch)))
    return advance(concat_batches(interval.schema, batches), interval.since)


def _range(piece: Piece) -> Callable[[Batch], Mask] | None:
    """Whether rows are in the piece's range of hashes."""
    if piece.count == 1:
        return None
    width = (1 << 64) // piece.count
    low = np.uint64(piece.number * width)
    high = np.uint64((1 << 64) - 1 if piece.number == piece.count - 1 else (piece.number + 1) * width - 1)

    def within(batch: Batch) -> Mask:
        words = hash_columns(batch.columns, len(batch))
        found: Mask = (words >= low) & (words <= high)
        return found

    return within


def _like(base: Batch) -> Callable[[Batch], Mask]:
    """Whether rows have the hash of one of the base."""
    known = np.sort(hash_columns(base.columns, len(base)))

    def found(batch: Batch) -> Mask:
        if not len(known):
            return np.zeros(len(batch), np.bool_)
        words = hash_columns(batch.columns, len(batch))
        places = np.minimum(np.searchsorted(known, words), len(known) - 1)
        same: Mask = known[places] == words
        return same

    return found
