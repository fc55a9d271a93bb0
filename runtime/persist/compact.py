"""Compaction: adjacent batches merged into one, with times advanced to since and updates summed.

Size-tiered: a batch of n bytes is of tier log4(n / 4 KiB); a run of `FAN_IN` neighbours, none above a tier, is
merged, unless one of them is larger than all others together.  So an update that is rewritten ends in a batch twice as large
as its own: each update is rewritten O(log of its history) times, and there are about that many batches.  And what lies
behind since takes at most twice what it would as one batch (`choose_settled`).

A `Merge` names the batches and what replaces them; the parts are made by `merge` in one process, or by a job for a
large one, with equal results.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from ..repr.batch import NO_ERRORS, Batch, Delta, concat_batches, concat_deltas
from ..repr.consolidate import advance, consolidate, consolidate_in_order
from ..repr.hash import hash_columns
from ..repr.schema import ERROR_SCHEMA, Schema
from .blob.base import Blob
from .part import PartRef, ShardId
from .read import read_part
from .state import ShardBatch
from .write import write_parts

FAN_IN = 8
MAX_NEIGHBOURS = FAN_IN * FAN_IN
"""So many are merged though one is larger than all others together: readers open every batch."""

MAX_MERGE_BYTES = 128 * 1024 * 1024
"""Bytes, as they are in memory (`PartRef.decoded_nbytes`), that one merge reads; more than that is a job's work.  A merge of
so many takes 250 MiB (3M rows of integers, 10 MiB encoded) to 430 MiB (1.7M rows with text, 19 MiB encoded)."""

PIECE_BYTES = 32 * 1024 * 1024
"""Of Arrow data that a merge adds up at a time."""

UNLIMITED = sys.maxsize

MIN_SETTLED_BYTES = 64 * 1024
"""Encoded, of batches that are merged with the oldest because it is no larger than they are."""

_TIER_BASE = 4 * 1024


@dataclass(frozen=True, slots=True)
class Merge:
    """Neighbouring batches of a shard that are to be one, with no time before `since`; rows are of `schema`."""

    shard: ShardId
    schema: Schema
    since: int
    batches: tuple[ShardBatch, ...]

    @property
    def lower(self) -> int:
        return self.batches[0].lower

    @property
    def upper(self) -> int:
        return self.batches[-1].upper

    @property
    def parts(self) -> tuple[PartRef, ...]:
        return tuple(chain.from_iterable(batch.parts for batch in self.batches))


def choose_next(
    batches: Sequence[ShardBatch], since: int, max_bytes: int = MAX_MERGE_BYTES
) -> Sequence[ShardBatch]:
    """The neighbours to merge next, by tiers or because they lie behind `since`; empty if there is nothing to do.

    By tiers first: that takes less.  But where more rows came than the oldest batch has, all of it at once: what the
    tiers made of them would be read again for that.
    """
    settled = choose_settled(batches, since, max_bytes)
    if settled and sum(batch.decoded_nbytes for batch in settled[1:]) >= settled[0].decoded_nbytes:
        return settled
    return choose(batches, max_bytes) or settled


def choose(batches: Sequence[ShardBatch], max_bytes: int = MAX_MERGE_BYTES) -> Sequence[ShardBatch]:
    """The neighbours to merge next: the newest run of at least `FAN_IN` batches of the lowest possible tier.

    Empty if there is nothing to do.  A batch that would make the run larger than `max_bytes`, decoded, ends it.
    """
    tiers = [_tier(batch.nbytes) for batch in batches]
    for limit in sorted(set(tiers)):
        stop = len(batches)
        while stop >= FAN_IN:
            start, size = stop, 0
            while start and tiers[start - 1] <= limit:
                size += batches[start - 1].decoded_nbytes
                if size > max_bytes:
                    break
                start -= 1
            start = _balanced(batches, start, stop)
            if stop - start >= FAN_IN:
                return batches[start:stop]
            stop = min(start, stop - 1)
    return ()


def _balanced(batches: Sequence[ShardBatch], start: int, stop: int) -> int:
    """Where to begin instead of at `start`, so that none of `batches[start:stop]` is larger than all others together."""
    while FAN_IN <= stop - start < MAX_NEIGHBOURS:
        sizes = [batch.nbytes for batch in batches[start:stop]]
        largest = max(sizes)
        if 2 * largest <= sum(sizes):
            break
        start += sizes.index(largest) + 1
    return start


def choose_settled(
    batches: Sequence[ShardBatch], since: int, max_bytes: int = MAX_MERGE_BYTES
) -> Sequence[ShardBatch]:
    """All batches whose times will be one, once those after the oldest take as many bytes as it.

    Tiers alone let the updates of one row lie in every tier, so that a few rows that change all the time would take many
    times their size.  This bounds it by two, and rewrites a collection that only grows when it has doubled.  What is
    small is left to the tiers.
    """
    settled = [batch for batch in batches if batch.upper <= since + 1]
    later = sum(batch.nbytes for batch in settled[1:])
    if not settled or later < max(settled[0].nbytes, MIN_SETTLED_BYTES):
        return ()
    return settled if sum(batch.decoded_nbytes for batch in settled) <= max_bytes else ()


def choose_all(batches: Sequence[ShardBatch], since: int) -> Sequence[ShardBatch]:
    """All batches, unless merging them would change nothing."""
    if len(batches) > 1:
        return batches
    if batches and batches[0].since < since and batches[0].upper > batches[0].lower + 1:
        return batches
    return ()


def merge(blob: Blob, wanted: Merge, writer: str) -> tuple[PartRef, ...]:
    """New parts with the contents of the batches at every time from `since` on.

    Much is merged and written by ranges of the rows' hashes, one at a time: to add up equal updates takes several times
    the memory of the updates.
    """
    deltas = [read_part(blob, part, wanted.schema) for part in wanted.parts]
    errs = consolidate(advance(concat_batches(ERROR_SCHEMA, [d.errs for d in deltas]), wanted.since))
    batches = [delta.oks for delta in deltas if len(delta.oks)]
    del deltas
    pieces = -(-sum(batch.nbytes for batch in batches) // PIECE_BYTES)
    if pieces <= 1:
        batches = [concat_batches(wanted.schema, batches)]
    parts: list[PartRef] = []
    for oks in _by_hash(wanted.schema, batches, pieces) if pieces > 1 else batches:
        delta = Delta(consolidate_in_order(advance(oks, wanted.since)), NO_ERRORS if parts else errs)
        parts += write_parts(blob, wanted.shard, wanted.schema, delta, writer=writer)
    return tuple(parts)


def _by_hash(schema: Schema, batches: Sequence[Batch], pieces: int) -> Iterator[Batch]:
    """The updates of all batches by `pieces` ranges of their rows' hashes: equal rows are in the same."""
    hashes = [hash_columns(batch.columns, len(batch)) for batch in batches]
    width = (1 << 64) // pieces
    for piece in range(pieces):
        low = np.uint64(piece * width)
        high = np.uint64((1 << 64) - 1 if piece == pieces - 1 else (piece + 1) * width - 1)
        yield concat_batches(
            schema,
            [
                batch.take(np.flatnonzero((words >= low) & (words <= high)))
                for batch, words in zip(batches, hashes, strict=True)
            ],
        )


def joined(blob: Blob, wanted: Merge, parts: tuple[PartRef, ...], writer: str) -> tuple[PartRef, ...]:
    """The parts that several tasks have made of a merge, as few as one process would have: those that are inline are
    written together.  No update is in two of them; where all are at one time, no row is, and the parts say so."""
    small = [part for part in parts if part.inline is not None]
    if len(small) > 1:
        delta = concat_deltas(wanted.schema, [read_part(blob, part, wanted.schema) for part in small])
        large = tuple(part for part in parts if part.inline is None)
        parts = large + write_parts(blob, wanted.shard, wanted.schema, delta, writer=writer)
    if len({time for part in parts for time in (part.min_time, part.max_time)}) != 1:
        return parts
    return tuple(replace(part, settled=wanted.upper) for part in parts)


def _tier(nbytes: int) -> int:
    """0 below 4 KiB, 1 below 16 KiB, 2 below 64 KiB, ..."""
    return ((nbytes // _TIER_BASE).bit_length() + 1) // 2
