"""Rows of the views that a replica maintains, found by the values of some columns: also such as are yet to become durable.

```
told by the coordinator, durable below a time ──── small parts: decoded once, put together, in memory
                                                   large blobs: the decoded columns of the column cache, mapped
put out by the dataflow from that time on ──────── in memory until it is durable (`Installed.recent`)
```

Every row is looked at: to compare a column of a million takes less than to put the output of each step in the order of a key,
and any column will do.  A blob that is yet to be decoded, an error, or more rows than that are for a query process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...compute.spine import Matches, probe_runs, run_of
from ...errors import PtvcError
from ...expr.tree.relation import GlobalId
from ...persist.blob.base import Blob
from ...persist.column_cache import ColumnCache
from ...persist.part import PartRef, ShardId
from ...persist.read import read_part, timed
from ...repr.batch import Batch, concat_batches
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..index import Numbers, of_each
from ..installed import Recent
from ..protocol import LookedUp, LookUpView, StoredChange
from .answers import AT_ONCE, AT_ONCE_BYTES, few
from .stored_rows import SMALL_BYTES

logger = logging.getLogger(__name__)

MOST_ROWS = 2_000_000
"""So many updates of a view are looked at: in a millisecond for a column of numbers."""

MOST_BYTES = 64 << 20
"""So many bytes of decoded parts are kept, of all views."""

PIECE_ROWS = 100_000
"""Parts of fewer rows are put together: to look at each of some hundred by itself would take longer than the rows do."""

MOST_FOUND = 10_000
"""So many of them may have one of the keys, with what has been taken away since: more are a query, not a look-up."""

MOST_VIEWS = 100
"""Of so many views the parts are known; then that one is forgotten which has been known for the longest time."""

Keys = tuple[pa.Array, ...]
"""The values of each column by which is looked up, none of them NULL."""


class ViewLookUps:
    """`receive` is for the thread that reads messages; what it asks for `beside` does, one after the other, with all that is held here."""

    def __init__(
        self,
        blob: Blob,
        cache: ColumnCache,
        send: Callable[[LookedUp], None],
        beside: Callable[[Callable[[], None]], object],
        recent: Callable[[GlobalId, ShardId], Recent | None],
    ) -> None:
        self._blob = blob
        self._cache = copy(cache)  # each has one thread
        self._send = send
        self._beside = beside
        self._recent = recent
        self._views: dict[GlobalId, _View] = {}

    def receive(self, asked: LookUpView) -> None:
        """What was put out is taken now: of what becomes durable from here on, `asked` does not know the parts."""
        self._beside(partial(self._look_up, asked, self._recent(asked.view, asked.shard)))

    def _look_up(self, asked: LookUpView, recent: Recent | None) -> None:
        answer, forgotten = None, False
        try:
            view = self._changed(asked)
            forgotten = view is None
            recents = recent_rows(recent, asked.durable, asked.as_of)
            if view is not None and recents is not None and view.has_rows_like(recents):
                found = view.lookup_each(asked, recents, self._cache, self._blob)
                if found is not None:
                    answer = few(asked, view.schema, *found, AT_ONCE, AT_ONCE_BYTES)
        except PtvcError as error:  # the query tries again, and says what is wrong
            logger.warning("a look-up cannot read what is stored: %s", error)
        except Exception:  # a defect of ours: the query says what it finds
            logger.exception("a look-up in a view failed")
            forgotten = True
            self._views.pop(asked.view, None)
        self._limit(asked.view)
        with suppress(ConnectionError):  # the coordinator is gone, and this replica with it
            self._send(answer or LookedUp(asked.peek_id, None, forgotten=forgotten))

    def _changed(self, asked: LookUpView) -> _View | None:
        """The view with the parts that it has now; None if those before are not known here."""
        change = asked.change
        if change is not None and change.begin is not None:
            self._views.pop(asked.view, None)
            if len(self._views) >= MOST_VIEWS:
                del self._views[next(iter(self._views))]
            self._views[asked.view] = _View(change.begin[0])
        view = self._views.get(asked.view)
        if view is not None and change is not None:
            view.change(change)
        return view

    def _limit(self, asked: GlobalId) -> None:
        """Lets go of what was decoded of others, and then of this one, if it is too much together."""
        for id_ in [*(id_ for id_ in self._views if id_ != asked), asked]:
            if sum(view.nbytes for view in self._views.values()) <= MOST_BYTES:
                return
            if id_ in self._views:
                self._views[id_].let_go()


def recent_rows(recent: Recent | None, durable: int, as_of: int) -> list[Batch] | None:
    """The updates in `[durable, as_of]`, among others; None if not all of them are in memory, or there are errors."""
    if as_of < durable:
        return []
    if recent is None or durable < recent.lower or recent.upper <= as_of:
        return None
    outputs = [output for upper, output in recent.outputs if upper > durable]
    if any(output.parts or len(output.delta.errs) for output in outputs):
        return None
    return [output.delta.oks for output in outputs]


class _View:
    """The parts of one view, by the numbers of their batches.  Those of Arrow are decoded for the first look-up that finds them here."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._blobs: dict[int, list[PartRef]] = {}
        self._arrow: dict[int, list[PartRef]] = {}
        self._undecoded: set[int] = set()
        self._pieces: list[_Piece] = []
        self._rows = self._errors = self._decoded_nbytes = 0

    @property
    def nbytes(self) -> int:
        return sum(piece.rows.nbytes for piece in self._pieces)

    def change(self, change: StoredChange) -> None:
        """Other parts are there from now on."""
        for number in change.gone:
            self._count([*self._blobs.pop(number, ()), *self._arrow.pop(number, ())], -1)
        if change.gone:
            left = (piece.without(change.gone, self.schema) for piece in self._pieces)
            self._pieces = [piece for piece in left if piece is not None]
            self._undecoded.difference_update(change.gone)
        for number, parts in change.added:
            self._count(parts, 1)
            if blobs := [part for part in parts if not part.is_arrow]:
                self._blobs[number] = blobs
            if arrow := [part for part in parts if part.is_arrow]:
                self._arrow[number] = arrow
                self._undecoded.add(number)

    def _count(self, parts: Iterable[PartRef], sign: int) -> None:
        for part in parts:
            self._rows += sign * part.rows
            self._errors += sign * part.errors
            self._decoded_nbytes += sign * part.decoded_nbytes if part.is_arrow else 0

    def has_rows_like(self, recent: Sequence[Batch]) -> bool:
        """Not while a view is replaced by one with more columns."""
        return all(len(rows.columns) == len(self.schema) for rows in recent)

    def let_go(self) -> None:
        """Of what was decoded: it is decoded once more when it is looked at."""
        self._pieces, self._undecoded = [], set(self._arrow)

    def lookup_each(
        self, asked: LookUpView, recent: Sequence[Batch], cache: ColumnCache, blob: Blob
    ) -> tuple[Batch, Numbers] | None:
        """The columns of the rows of each key, one behind the other, and the number of the key of each, from 0; None if a query is to find
        them.  Raises StorageError."""
        if self._are_many(recent) or any(
            self.schema[place].dropped for place in (*asked.columns, *asked.key)
        ):
            return None
        places = (*asked.columns, *asked.key)
        mapped = self._mapped(places, cache, blob)
        if mapped is None:
            return None
        self._decode(blob)
        stored = [*mapped, *(piece.rows.select(places) for piece in self._pieces)]
        wanted = tuple(
            pa.array(values, self.schema[place].type.arrow)
            for values, place in zip(asked.keys, asked.key, strict=True)
        )
        width = len(asked.columns)
        found = [_having(rows, width, wanted) for rows in stored]
        for rows in recent:
            matching = _having(rows.select(places), width, wanted)
            found.append(matching.filter(matching.times >= np.uint64(asked.durable)))
        if sum(map(len, found)) > MOST_FOUND:
            return None
        matches = [each for rows in found if len(rows) for each in _by_key(rows, width, wanted)]
        return of_each(self.schema.project(asked.columns), matches, len(wanted[0]), asked.as_of)

    def _are_many(self, recent: Sequence[Batch]) -> bool:
        """More than are looked at, or than are kept in memory; or there are errors among them."""
        rows = self._rows + sum(map(len, recent))
        return rows > MOST_ROWS or self._errors > 0 or self._decoded_nbytes > MOST_BYTES

    def _mapped(self, places: tuple[int, ...], cache: ColumnCache, blob: Blob) -> list[Batch] | None:
        """The parts of Parquet, with these columns; None if a large one is yet to be decoded."""
        found = []
        for part in chain.from_iterable(self._blobs.values()):
            rows = cache.known(part, self.schema, places)
            if rows is not None:
                found.append(timed(part, rows))
            elif part.nbytes <= SMALL_BYTES:
                found.append(read_part(blob, part, self.schema, places, cache).oks)
            else:
                return None
        return found

    def _decode(self, blob: Blob) -> None:
        """Has all parts of Arrow among the pieces, small ones put together."""
        for number in sorted(self._undecoded):
            rows = [read_part(blob, part, self.schema).oks for part in self._arrow[number]]
            batch = concat_batches(self.schema, rows)
            self._pieces.append(_Piece(batch, ((number, len(batch)),)))
            self._undecoded.discard(number)
            while len(self._pieces) > 1 and _are_small(*self._pieces[-2:]):
                newer, older = self._pieces.pop(), self._pieces.pop()
                together = concat_batches(self.schema, [older.rows, newer.rows])
                self._pieces.append(_Piece(together, (*older.batches, *newer.batches)))


@dataclass(frozen=True, slots=True)
class _Piece:
    """Rows of some batches, one behind the other: the number and the length of each."""

    rows: Batch
    batches: tuple[tuple[int, int], ...]

    def without(self, gone: Collection[int], schema: Schema) -> _Piece | None:
        """Without some batches; None if nothing is left."""
        if all(number not in gone for number, _ in self.batches):
            return self
        left, rows, start = [], [], 0
        for number, length in self.batches:
            if number not in gone:
                left.append((number, length))
                rows.append(self.rows.slice(start, start + length))
            start += length
        return _Piece(concat_batches(schema, rows), tuple(left)) if left else None


def _are_small(older: _Piece, newer: _Piece) -> bool:
    return len(older.rows) < PIECE_ROWS and len(older.rows) < 2 * len(newer.rows)


def _having(rows: Batch, width: int, wanted: Keys) -> Batch:
    """Those that have, in each of the columns behind the first `width`, one of the values that are wanted there."""
    there: pa.Array | None = None
    for column, values in zip(rows.columns[width:], wanted, strict=True):
        equal = pc.equal(column, values[0]) if len(values) == 1 else pc.is_in(column, value_set=values)
        there = equal if there is None else pc.and_(there, equal)
    assert there is not None, "rows are looked up by some column"
    return rows.take(pc.indices_nonzero(there).to_numpy().astype(np.int64))


def _by_key(rows: Batch, width: int, wanted: Keys) -> Iterator[Matches]:
    """The first `width` columns of those that have a key, and which."""
    columns = range(width)
    if len(wanted[0]) == 1:
        yield Matches(np.zeros(len(rows), np.int64), rows.select(columns))
        return
    key = tuple(range(width, width + len(wanted)))
    run = run_of(rows, hash_columns(rows.columns[width:], len(rows)))
    yield from probe_runs([run], key, wanted, hash_columns(wanted, len(wanted[0])), columns=columns)
