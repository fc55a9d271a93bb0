"""Reading parts: needs the blobs and the references, never consensus.

The sum of the updates of a snapshot is the collection at its time; the updates of an interval are what happened
in it, each once, whatever was merged meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import numpy as np

from ..interrupt import check_interrupt
from ..repr.batch import Batch, Delta, concat_batches, concat_deltas
from ..repr.buffers import constant
from ..repr.consolidate import advance, consolidate
from ..repr.float_facts import FloatFacts
from ..repr.rows import Rows, gathered
from ..repr.schema import ERROR_SCHEMA, Schema
from .blob.base import Blob
from .codec import Columns, Stretch, decode
from .column_cache import ColumnCache
from .key_search import KeySearch
from .part import PartRef
from .state import ShardState, Snapshot

_END = (1 << 64) - 1

__all__ = [
    "PartRef",
    "ShardState",
    "Snapshot",
    "read_part",
    "read_rows",
    "read_snapshot",
    "read_stretch",
    "read_updates",
]


def read_part(
    blob: Blob,
    ref: PartRef,
    schema: Schema,
    columns: Columns | None = None,
    cache: ColumnCache | None = None,
    search: KeySearch | None = None,
) -> Delta:
    """All updates of a part, in rows of `schema`: the shard's schema when the part was written, or a later one; with
    `columns`, of these columns only, and no others are decoded.  With a `cache`, columns of Parquet come from there; updates that
    `search` does not ask for may be missing then.

    Raises StorageError (58030, XX001 for bytes that are not what was written), naming shard and part.
    """
    if cache is None or ref.is_arrow or ref.errors:
        delta = _fetched(blob, ref, schema, columns)
    else:
        places = tuple(range(len(schema)) if columns is None else columns)
        load = partial(_fetched, blob, ref, schema)
        delta = cache.read(ref, schema, places, load)
        if search is not None:
            delta = Delta(delta.oks.take(cache.positions(ref, schema, search, load)), delta.errs)
    return Delta(timed(ref, delta.oks), timed(ref, delta.errs) if ref.errors else delta.errs)


def timed(ref: PartRef, batch: Batch) -> Batch:
    """Those of some updates of the part's bytes that belong to it, at their times: the reference says when, as the part may have
    been encoded before its time was known (see `stamp`), and from when on (see `trim`)."""
    if ref.min_time == ref.max_time:
        return Batch(batch.columns, constant(np.uint64(ref.min_time), len(batch)), batch.diffs)
    return _between(batch, ref.lower, _END) if ref.first_time > ref.min_time else batch


def _fetched(
    blob: Blob, ref: PartRef, schema: Schema, columns: Columns | None, stretch: Stretch | None = None
) -> Delta:
    if ref.inline is not None:
        return decode(ref, ref.inline, schema, columns, stretch)
    assert ref.blob is not None, "a part is inline or a blob"
    return decode(ref, blob.get(ref.blob), schema, columns, stretch)


def read_stretch(
    blob: Blob,
    ref: PartRef,
    schema: Schema,
    columns: Columns | None,
    stretch: Stretch,
    lower: int,
    upper: int,
) -> Batch:
    """Of a part without errors the updates of rows in the stretch with `lower <= time < upper`.  Raises as `read_part`."""
    oks = timed(ref, _fetched(blob, ref, schema, columns, stretch).oks)
    inside = ref.first_time >= lower and ref.max_time < upper
    return oks if inside else _between(oks, lower, upper)


def read_snapshot(blob: Blob, snapshot: Snapshot, columns: Columns | None = None) -> Delta:
    """The collection at `as_of`: every time is `as_of`, equal rows are summed, nothing sums to zero.  With `columns`, rows
    of these columns only."""
    as_of = snapshot.as_of
    delta = read_updates(blob, snapshot.parts, snapshot.schema, 0, as_of + 1, columns)
    return Delta(consolidate(advance(delta.oks, as_of)), consolidate(advance(delta.errs, as_of)))


def read_rows(
    blob: Blob,
    snapshot: Snapshot,
    columns: Columns | None = None,
    cache: ColumnCache | None = None,
    search: KeySearch | None = None,
) -> Rows:
    """As `read_snapshot`, but as it is stored: to sum equal rows up would take most of the time.  With a `cache`, rows that
    `search` does not ask for may be missing."""
    as_of = snapshot.as_of
    schema = snapshot.schema if columns is None else snapshot.schema.project(columns)
    known: Mapping[PartRef, Delta] = {} if cache is None else cache.arrow(snapshot.schema, columns)
    pieces, errs = [], []
    for part in snapshot.parts:
        check_interrupt()
        delta = known.get(part) if part.is_arrow else None
        if delta is None:
            delta = read_part(blob, part, snapshot.schema, columns, cache, search)
            if cache is not None and part.is_arrow:
                cache.keep_arrow(part, snapshot.schema, columns, delta)
        if part.max_time > as_of:
            delta = Delta(_between(delta.oks, 0, as_of + 1), _between(delta.errs, 0, as_of + 1))
        pieces.append(delta.oks)
        errs.append(delta.errs)
    found = consolidate(advance(concat_batches(ERROR_SCHEMA, errs), as_of))

    def floats(place: int) -> FloatFacts:
        stored = place if columns is None else columns[place]
        return FloatFacts.merged(
            _known_floats(cache, part, snapshot.schema, stored) or FloatFacts.of(piece.columns[place])
            for part, piece in zip(snapshot.parts, pieces, strict=True)
        )

    return Rows(schema, as_of, gathered(schema, pieces), found, floats)


def _known_floats(cache: ColumnCache | None, part: PartRef, schema: Schema, place: int) -> FloatFacts | None:
    return None if cache is None or part.is_arrow else cache.floats(part, schema, place)


def read_updates(
    blob: Blob,
    parts: Sequence[PartRef],
    schema: Schema,
    lower: int,
    upper: int,
    columns: Columns | None = None,
) -> Delta:
    """The updates with `lower <= time < upper`, as they were written: in order of part, not consolidated."""
    pieces = []
    for part in parts:
        check_interrupt()
        delta = read_part(blob, part, schema, columns)
        if part.first_time < lower or part.max_time >= upper:
            delta = Delta(_between(delta.oks, lower, upper), _between(delta.errs, lower, upper))
        pieces.append(delta)
    return concat_deltas(schema if columns is None else schema.project(columns), pieces)


def _between(batch: Batch, lower: int, upper: int) -> Batch:
    return batch.filter((batch.times >= np.uint64(lower)) & (batch.times < np.uint64(upper)))
