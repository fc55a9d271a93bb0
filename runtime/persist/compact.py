"""Compaction: adjacent batches merged into one, with times advanced to since and updates summed.

Size-tiered: a batch of n bytes is of tier log4(n / 4 KiB); a run of `FAN_IN` neighbours, none above a tier, is
merged.  So a shard has O(log of its history) batches, and each update is rewritten that often.

A `Merge` says what is to become of what; whoever has the memory for it makes the parts: `merge` in one process, a job for
a large one.  Nothing depends on who it was.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from ..repr.batch import Delta, concat_deltas
from ..repr.consolidate import advance, consolidate
from ..repr.schema import Schema
from .blob.base import Blob
from .part import PartRef, ShardId
from .read import read_part
from .state import ShardBatch
from .write import write_parts

FAN_IN = 8
MAX_MERGE_BYTES = 256 * 1024 * 1024
"""Encoded bytes that one merge reads into memory; more than that is a job's work."""

UNLIMITED = sys.maxsize

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


def choose(batches: Sequence[ShardBatch], max_bytes: int = MAX_MERGE_BYTES) -> Sequence[ShardBatch]:
    """The neighbours to merge next: the newest run of at least `FAN_IN` batches of the lowest possible tier.

    Empty if there is nothing to do.  A batch that would make the run larger than `max_bytes` ends it.
    """
    tiers = [_tier(batch.nbytes) for batch in batches]
    for limit in sorted(set(tiers)):
        stop = len(batches)
        while stop >= FAN_IN:
            start, size = stop, 0
            while start and tiers[start - 1] <= limit and size + batches[start - 1].nbytes <= max_bytes:
                start -= 1
                size += batches[start].nbytes
            if stop - start >= FAN_IN:
                return batches[start:stop]
            stop = min(start, stop - 1)
    return ()


def choose_all(batches: Sequence[ShardBatch], since: int) -> Sequence[ShardBatch]:
    """All batches, unless merging them would change nothing."""
    if len(batches) > 1:
        return batches
    if batches and batches[0].since < since and batches[0].upper > batches[0].lower + 1:
        return batches
    return ()


def merge(blob: Blob, wanted: Merge, writer: str) -> tuple[PartRef, ...]:
    """New parts with the contents of the batches at every time from `since` on."""
    delta = concat_deltas(wanted.schema, [read_part(blob, part, wanted.schema) for part in wanted.parts])
    oks = consolidate(advance(delta.oks, wanted.since))
    errs = consolidate(advance(delta.errs, wanted.since))
    return write_parts(blob, wanted.shard, wanted.schema, Delta(oks, errs), writer=writer)


def joined(blob: Blob, wanted: Merge, parts: tuple[PartRef, ...], writer: str) -> tuple[PartRef, ...]:
    """The parts that several tasks have made of a merge, as few as one process would have: those that are inline are
    written together.  No update is in two of them."""
    small = [part for part in parts if part.inline is not None]
    if len(small) < 2:
        return parts
    delta = concat_deltas(wanted.schema, [read_part(blob, part, wanted.schema) for part in small])
    large = tuple(part for part in parts if part.inline is None)
    return large + write_parts(blob, wanted.shard, wanted.schema, delta, writer=writer)


def _tier(nbytes: int) -> int:
    """0 below 4 KiB, 1 below 16 KiB, 2 below 64 KiB, ..."""
    return ((nbytes // _TIER_BASE).bit_length() + 1) // 2
