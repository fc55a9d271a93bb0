"""Compaction: adjacent batches merged into one, with times advanced to since and updates summed.

Size-tiered: a batch of n bytes is of tier log4(n / 4 KiB); a run of `FAN_IN` neighbours, none above a tier, is
merged.  So a shard has O(log of its history) batches, and each update is rewritten that often.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..repr.batch import Delta, concat_deltas
from ..repr.consolidate import advance, consolidate
from .blob.base import Blob
from .part import PartRef
from .read import read_part
from .state import Head, ShardBatch
from .write import write_parts

FAN_IN = 8
MAX_MERGE_BYTES = 256 * 1024 * 1024
"""Encoded bytes that one merge reads into memory; more than that is a job's work."""

_TIER_BASE = 4 * 1024


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


def merge(blob: Blob, head: Head, batches: Sequence[ShardBatch], writer: str) -> tuple[PartRef, ...]:
    """New parts with the contents of `batches` at every time from `head.since` on."""
    deltas = [read_part(blob, part, head.schema) for batch in batches for part in batch.parts]
    delta = concat_deltas(head.schema, deltas)
    oks = consolidate(advance(delta.oks, head.since))
    errs = consolidate(advance(delta.errs, head.since))
    return write_parts(blob, head.shard, head.schema, Delta(oks, errs), writer=writer)


def _tier(nbytes: int) -> int:
    """0 below 4 KiB, 1 below 16 KiB, 2 below 64 KiB, ..."""
    return ((nbytes // _TIER_BASE).bit_length() + 1) // 2
