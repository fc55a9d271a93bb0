"""The inputs of what a replica runs: how far each is known, and the updates that wait to be taken."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pyarrow as pa

from ..compute.partitioned.stored import Stored, read_share, whole
from ..errors import InvalidUsage
from ..persist.blob.base import Blob
from ..persist.client import PartRef, Snapshot
from ..persist.column_cache import ColumnCache
from ..persist.read import read_rows, read_snapshot, read_updates
from ..repr.batch import Batch, Delta, concat_deltas
from ..repr.consolidate import advance, consolidate
from ..repr.rows import Rows
from ..repr.schema import Schema
from .protocol import ChangesOf, Import


def load_rows(blob: Blob, source: Import, cache: ColumnCache | None = None) -> Rows:
    """As `load_snapshot`, but in pieces, and equal rows may be there several times (`read_rows`).  With a `cache`, rows that
    `source.search` does not ask for may be missing."""
    if source.changes is not None:
        return Rows.of(source.schema, source.as_of, _changes(blob, source, source.changes))
    snapshot = Snapshot(source.shard, source.as_of, source.schema, source.snapshot)
    return read_rows(blob, snapshot, source.columns, cache, source.search)


def load_snapshot(blob: Blob, source: Import, width: int | None = None) -> Delta:
    """The contents at `source.as_of`, consolidated, all at that time; with `width`, of so many columns only."""
    if source.changes is not None:
        return _changes(blob, source, source.changes)
    snapshot = Snapshot(source.shard, source.as_of, source.schema, source.snapshot)
    whole = read_snapshot(blob, snapshot, source.columns)
    narrow = _narrow(whole, width)
    return narrow if narrow is whole else Delta(consolidate(narrow.oks), narrow.errs)


def stored_updates(blob: Blob, source: Import) -> Iterator[Batch]:
    """Updates of rows whose sum are the contents at `source.as_of`, a part at a time."""
    for part in source.snapshot:
        yield read_updates(blob, [part], source.schema, 0, source.as_of + 1).oks


def _changes(blob: Blob, source: Import, span: ChangesOf) -> Delta:
    """A row per row and time that changed, with the time and by how much; an error if the collection had one at any of them."""
    found = read_updates(blob, source.updates, source.schema, span.lower, span.upper)
    changed = consolidate(found.oks.select(range(span.width)))
    columns = (*changed.columns, pa.array(changed.times.astype(np.int64)), pa.array(changed.diffs))
    oks = Batch(columns, np.full(len(changed), source.as_of, np.uint64), np.ones(len(changed), np.int64))
    errs = read_updates(blob, source.snapshot, source.schema, 0, span.upper).errs
    errs = consolidate(advance(errs, max(span.lower, 1) - 1))
    errs = errs.filter(errs.diffs > 0).slice(0, 1)
    return Delta(oks, Batch(errs.columns, np.full(len(errs), source.as_of, np.uint64), errs.diffs))


def _narrow(delta: Delta, width: int | None) -> Delta:
    """Without the columns that a table has gained since its reader was planned."""
    if width is None or width >= len(delta.oks.columns):
        return delta
    return Delta(delta.oks.select(range(width)), delta.errs)


Read = Callable[[Blob, Sequence[PartRef], Schema, int, int], Delta]
"""As `read_updates`."""


def read_once() -> Read:
    """Reads the same parts for several inputs: those that are known up to the same time share what was read."""
    known: dict[tuple[Schema, int], Delta] = {}

    def read(blob: Blob, parts: Sequence[PartRef], schema: Schema, lower: int, upper: int) -> Delta:
        if (schema, lower) not in known:
            known[schema, lower] = read_updates(blob, parts, schema, lower, upper)
        return known[schema, lower]

    return read


class Input:
    """One import of one dataflow or sink.

    Invariant: every update below `frontier` was either taken already, or is in `_pending` or `_stored`; nothing at or above
    `frontier` is known to be missing or complete.
    """

    def __init__(
        self, blob: Blob, source: Import, width: int | None = None, most_read: int | None = None
    ) -> None:
        """`width` is how many of the collection's columns are wanted: its first ones.  With `most_read`, what has as many rows in
        parts is not read but told (`take_stored`)."""
        self._blob = blob
        self._width = width
        self._most_read = most_read
        self._source = source
        self._pending: list[Delta] = []
        self._stored: list[Stored] = []
        self.frontier = source.upper
        self.timestamped = source.timestamped
        self.schema = source.schema if width is None else Schema(source.schema.columns[:width])

    def repoint(self, source: Import) -> None:
        """From now on it is `source`, of which nothing is missing but what comes from its `upper` on.  What waits stays."""
        if source.upper != self.frontier:
            raise InvalidUsage(
                f"{source.id} cannot be read from {source.upper} on: {self._source.id} is known up to {self.frontier}",
                hint="Both have the same contents at one time only.",
            )
        self._source = source

    @property
    def waits(self) -> bool:
        """Whether there may be updates that wait."""
        return bool(self._pending or self._stored)

    @property
    def nbytes(self) -> int:
        """Bytes in memory of the updates that wait."""
        decoded = sum(delta.oks.nbytes + delta.errs.nbytes for delta in self._pending)
        return decoded + sum(stored.inline_nbytes for stored in self._stored)

    @property
    def decoded_nbytes(self) -> int:
        """About the bytes of all updates that wait, once they are read."""
        return self.nbytes + sum(stored.decoded_nbytes for stored in self._stored)

    def rows(self, upper: int) -> int:
        """How many updates below `upper` wait, of those that are read."""
        if upper >= self.frontier:
            return sum(len(delta.oks) for delta in self._pending)
        return sum(int((delta.oks.times < np.uint64(upper)).sum()) for delta in self._pending)

    def clear(self) -> None:
        """Drops the updates that wait: the reader is gone."""
        self._pending, self._stored = [], []

    def load(self) -> int:
        """Reads what the import begins with; returns the number of rows in the snapshot, or of updates that make it up."""
        source = self._source
        if source.changes is None and self._is_told(source.snapshot):
            self._tell(source.snapshot, source.schema, 0, source.as_of + 1, source.as_of)
            rows = self._stored[-1].rows
            self.load_updates()
            return rows
        snapshot = load_snapshot(self._blob, self._source, self._width)
        self.load_updates()
        self._pending.insert(0, snapshot)
        return len(snapshot.oks)

    def load_updates(self) -> int:
        """Reads only what follows the snapshot: that is in the state already.  Returns the number of updates."""
        source = self._source
        if self._is_told(source.updates):
            self._tell(source.updates, source.schema, source.as_of + 1, source.upper)
            return self._stored[-1].rows
        delta = read_updates(self._blob, source.updates, source.schema, source.as_of + 1, source.upper)
        self._pending.append(_narrow(delta, self._width))
        return len(delta.oks)

    def receive(
        self, parts: tuple[PartRef, ...], upper: int, schema: Schema | None = None, read: Read = read_updates
    ) -> None:
        """Committed parts that end at `upper`, of the collection's `schema` now; what is known already is left out.
        `read` is what reads them, if somebody else may have done so (`read_once`)."""
        if upper <= self.frontier:
            return
        if self._is_told(parts):
            self._tell(parts, schema or self._source.schema, self.frontier, upper)
        elif parts:
            delta = read(self._blob, parts, schema or self._source.schema, self.frontier, upper)
            self._pending.append(_narrow(delta, len(self.schema)))
        self.frontier = upper

    def hand_over(self, delta: Delta, upper: int, parts: Sequence[PartRef] = ()) -> None:
        """The output of a dataflow of the same replica, complete below `upper`; some of it may be in parts."""
        if upper <= self.frontier:
            return
        if parts:
            written = read_updates(self._blob, parts, self._source.schema, self.frontier, upper)
            self._pending.append(_narrow(written, len(self.schema)))
        if delta:
            self._pending.append(_from(delta, self.frontier))
        self.frontier = upper

    def _is_told(self, parts: Sequence[PartRef]) -> bool:
        return self._most_read is not None and sum(part.rows for part in parts) >= self._most_read

    def _tell(
        self, parts: Sequence[PartRef], schema: Schema, lower: int, upper: int, as_of: int | None = None
    ) -> None:
        self._stored.append(Stored(tuple(parts), schema, len(self.schema), lower, upper, as_of))

    def close(self, upper: int) -> None:
        """Nothing more will come below `upper`."""
        self.frontier = max(self.frontier, upper)

    def take(self, upper: int) -> Delta | None:
        """The waiting updates below `upper`; None when there are none."""
        if not self._pending:
            return None
        waiting = concat_deltas(self.schema, self._pending)
        self._pending = []
        if upper < self.frontier and waiting:
            later = _from(waiting, upper)
            if later:
                self._pending = [later]
                waiting = _below(waiting, upper)
        return waiting if waiting else None

    def take_stored(self, upper: int) -> tuple[Stored, ...]:
        """Where the waiting updates below `upper` are stored that are not read."""
        divided = [stored.divided(upper) for stored in self._stored]
        self._stored = [later for _, later in divided if later is not None]
        return tuple(now for now, _ in divided if now is not None)

    def read_stored(self) -> None:
        """Reads what waits on: what is stored is there for some time only.  Raises InputLost."""
        for stored in self._stored:
            delta = read_share(self._blob, whole(stored))
            if stored.as_of is not None:
                delta = Delta(consolidate(delta.oks), consolidate(delta.errs))
            self._pending.append(delta)
        self._stored = []


def _from(delta: Delta, lower: int) -> Delta:
    return Delta(_at_least(delta.oks, lower), _at_least(delta.errs, lower))


def _below(delta: Delta, upper: int) -> Delta:
    return Delta(delta.oks.filter(delta.oks.times < upper), delta.errs.filter(delta.errs.times < upper))


def _at_least(batch: Batch, lower: int) -> Batch:
    return batch.filter(batch.times >= lower) if len(batch) else batch
