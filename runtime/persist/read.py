"""Reading parts: needs the blobs and the references, never consensus.

The sum of the updates of a snapshot is the collection at its time; the updates of an interval are what happened
in it, each once, whatever was merged meanwhile.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..interrupt import check_interrupt
from ..repr.batch import Batch, Delta, concat_deltas
from ..repr.consolidate import advance, consolidate
from ..repr.schema import Schema
from .blob.base import Blob
from .codec import decode
from .part import PartRef
from .state import ShardState, Snapshot

_END = (1 << 64) - 1

__all__ = ["PartRef", "ShardState", "Snapshot", "read_part", "read_rows", "read_snapshot", "read_updates"]


def read_part(blob: Blob, ref: PartRef, schema: Schema) -> Delta:
    """All updates of a part, in rows of `schema`: the shard's schema when the part was written, or a later one.

    Raises StorageError (58030, XX001 for bytes that are not what was written), naming shard and part.
    """
    if ref.inline is not None:
        delta = decode(ref, ref.inline, schema)
    else:
        assert ref.blob is not None, "a part is inline or a blob"
        delta = decode(ref, blob.get(ref.blob), schema)
    if ref.min_time == ref.max_time:
        return Delta(_at(delta.oks, ref.min_time), _at(delta.errs, ref.min_time))
    if ref.first_time > ref.min_time:
        return Delta(_between(delta.oks, ref.lower, _END), _between(delta.errs, ref.lower, _END))
    return delta


def _at(batch: Batch, time: int) -> Batch:
    """The reference says when: the part may have been encoded before its time was known (see `stamp`)."""
    return Batch(batch.columns, np.full(len(batch), time, np.uint64), batch.diffs)


def read_snapshot(blob: Blob, snapshot: Snapshot) -> Delta:
    """The collection at `as_of`: every time is `as_of`, equal rows are summed, nothing sums to zero."""
    as_of = snapshot.as_of
    delta = read_updates(blob, snapshot.parts, snapshot.schema, 0, as_of + 1)
    return Delta(consolidate(advance(delta.oks, as_of)), consolidate(advance(delta.errs, as_of)))


def read_rows(blob: Blob, snapshot: Snapshot) -> Delta:
    """As `read_snapshot`, but equal rows may be there several times, each time with a positive multiplicity.

    Where nothing was ever deleted that is what was written, and to sum up equal rows would take most of the time.
    """
    as_of = snapshot.as_of
    delta = read_updates(blob, snapshot.parts, snapshot.schema, 0, as_of + 1)
    oks = advance(delta.oks, as_of)
    if len(oks) and int(oks.diffs.min()) <= 0:
        oks = consolidate(oks)
    return Delta(oks, consolidate(advance(delta.errs, as_of)))


def read_updates(blob: Blob, parts: Sequence[PartRef], schema: Schema, lower: int, upper: int) -> Delta:
    """The updates with `lower <= time < upper`, as they were written: in order of part, not consolidated."""
    pieces = []
    for part in parts:
        check_interrupt()
        delta = read_part(blob, part, schema)
        if part.first_time < lower or part.max_time >= upper:
            delta = Delta(_between(delta.oks, lower, upper), _between(delta.errs, lower, upper))
        pieces.append(delta)
    return concat_deltas(schema, pieces)


def _between(batch: Batch, lower: int, upper: int) -> Batch:
    return batch.filter((batch.times >= np.uint64(lower)) & (batch.times < np.uint64(upper)))
