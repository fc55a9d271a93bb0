"""The rows of a table by one of its keys, found in what is stored: an index that is nobody's memory.

```
  inline parts of few rows ── a spine, in memory: some hundred small parts at most
  small parts ─────────────── a run each, and then one for some neighbours, in memory, as far as `KeptRuns` has room; else as large ones
  large blobs ─────────────── their decoded columns, and their rows in the order of the key's hashes: files of the column cache, mapped
```

The coordinator tells which parts there are.  A small part is fetched and decoded for the first look-up that may find something in it.
A large one is not: the query that finds the rows then, in a process of its own, leaves it in the column cache.  A part that has none of
the keys by its statistics need never be: that query does not read it either.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa

from ...compute.spine import Matches, Run, Spine, probe_runs, run_of
from ...persist.blob.base import Blob
from ...persist.codec import Columns, decode
from ...persist.column_cache import ColumnCache
from ...persist.key_search import KeySearch, pairs
from ...persist.part import PartRef
from ...persist.part_stats import bounds_of
from ...persist.pushdown import Comparison, Condition, may_match
from ...persist.read import read_part, timed
from ...repr.batch import Batch, Indices, concat_batches, empty_batch
from ...repr.buffers import Words, take
from ...repr.equality import rows_equal
from ...repr.hash import hash_columns
from ...repr.hash_bitmap import HashBitmap
from ...repr.order import hash_order
from ...repr.schema import Schema
from ..index import Numbers, of_each
from ..protocol import StoredChange

FEW_ROWS = 1_000
"""So many rows at most has an inline part that is added to the spine, which is made anew when such a part is gone."""

SMALL_BYTES = 1 << 20
"""So many bytes at most, as they are stored, has a blob of Parquet that is decoded here: fetched and put in order in some milliseconds."""

KEPT_BYTES = 32 << 20
"""So many bytes of small parts a replica keeps decoded, of all its tables."""

TOGETHER = 8
"""So many neighbouring small parts become one run: to look for 5,000 keys in one costs about what it costs in eight times as many rows."""

FILTERED_ROWS = 1_000
"""A run of fewer rows is searched as soon as it is seen whether a key may be there."""

Keys = Sequence[Sequence[Any] | pa.Array]
"""The values of each column of a key, none of them NULL."""


class StoredRows:
    """Of rows of `schema`, by the columns at the positions `key`.  Of one thread, but for what `now` says."""

    def __init__(self, schema: Schema, key: tuple[int, ...], kept: KeptRuns) -> None:
        self.schema = schema
        self._key = key
        self._kept = kept
        self._inline: dict[int, Batch] = {}
        self._parts: dict[int, list[_Part]] = {}
        self._spine = Spine(schema, key)
        self._unreadable: set[int] = set()

    def change(self, change: StoredChange) -> None:
        """Other parts are there from now on."""
        rebuilt = False
        for number in change.gone:
            self._kept.forget(self._parts.pop(number, ()))
            self._unreadable.discard(number)
            rebuilt |= self._inline.pop(number, None) is not None
        for number, parts in change.added:
            self._add(number, parts, insert=not rebuilt)
        if rebuilt:
            self._spine = Spine(self.schema, self._key)
            if self._inline:
                self._spine.insert(concat_batches(self.schema, list(self._inline.values())))

    def _add(self, number: int, parts: Sequence[PartRef], *, insert: bool) -> None:
        if any(part.errors for part in parts):
            self._unreadable.add(number)
            return
        inline = [
            timed(part, decode(part, part.inline, self.schema).oks)
            for part in parts
            if part.inline is not None and part.rows <= FEW_ROWS
        ]
        if inline:
            rows = self._inline[number] = concat_batches(self.schema, inline)
            if insert:
                self._spine.insert(rows)
        others = [_Part(part) for part in parts if part.inline is None or part.rows > FEW_ROWS]
        if others:
            self._parts[number] = others

    def now(self) -> StoredParts | None:
        """The parts that are there now; None if there is one that no look-up can read."""
        if self._unreadable:
            return None
        parts = tuple(chain.from_iterable(self._parts.values()))
        return StoredParts(self.schema, self._key, self._spine.handle(), parts, self._kept)

    def forget(self) -> None:
        """It is not asked any more: memory has room for others."""
        self._kept.forget(chain.from_iterable(self._parts.values()))


@dataclass(frozen=True, slots=True)
class StoredParts:
    """The parts of a table at some moment, for any thread.  Readable at any time that the coordinator holds."""

    schema: Schema
    key: tuple[int, ...]
    runs: tuple[Run, ...]
    parts: tuple[_Part, ...]
    kept: KeptRuns

    def lookup_each(
        self, keys: Keys, as_of: int, columns: tuple[int, ...], cache: ColumnCache, blob: Blob | None = None
    ) -> tuple[Batch, Numbers] | None:
        """These columns of the rows at `as_of` of each key, one behind the other, and the number of the key of each, from 0.

        Small parts are fetched from `blob`, if it is given, and decoded.  None if not all can be had then from memory and from files of `cache`,
        which is the calling thread's.  Raises StorageError."""
        if any(self.schema[place].dropped for place in columns):
            return None
        wanted = tuple(
            values if isinstance(values, pa.Array) else pa.array(values, self.schema[place].type.arrow)
            for values, place in zip(keys, self.key, strict=True)
        )
        search = _Search.of(self.key, wanted)
        found: list[Matches] = []
        kept, others = self.kept.held(self.parts)
        found += search.among_kept(kept, columns)
        conditions: tuple[Condition, ...] | None = None
        for stored in others:
            if (matches := stored.found(cache, self.schema, search, columns)) is not None:
                found.append(matches)
                continue
            if conditions is None:
                conditions = tuple(_between(self.key, wanted))
            if not may_match(stored.part, self.schema, conditions):
                continue
            if blob is None or not (stored.part.is_arrow or stored.part.nbytes <= SMALL_BYTES):
                return None
            if (run := self.kept.fetched(stored, self, blob)) is not None:
                found += search.among_kept([run], columns)
                continue
            places, asked = (*columns, *self.key), KeySearch(self.key, search.distinct)
            rows = read_part(blob, stored.part, self.schema, places, cache, asked).oks
            found += search.among(rows, columns)
        found += probe_runs(self.runs, self.key, search.keys, search.hashes, columns=columns)
        return of_each(self.schema.project(columns), search.numbered(found), len(wanted[0]), as_of)


@dataclass(frozen=True, slots=True)
class _Search:
    """Keys in the order of their hashes, at `order` as they were asked for, if they were not in order; `distinct` are the hashes, each once, and
    `starts` where the keys of each begin: of most hashes there is one key."""

    columns: tuple[int, ...]
    keys: tuple[pa.Array, ...]
    hashes: Words
    order: Indices | None
    distinct: Words
    starts: Indices

    @classmethod
    def of(cls, columns: tuple[int, ...], keys: tuple[pa.Array, ...]) -> _Search:
        hashes, order = hash_columns(keys, len(keys[0])), None
        if (hashes[1:] < hashes[:-1]).any():
            order = hash_order(hashes)
            hashes, keys = hashes[order], tuple(take(keys, order))
        starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
        return cls(columns, keys, hashes, order, hashes[starts], starts)

    def matches(self, numbers: Indices, rows: Batch, columns: Columns) -> Matches:
        """Of rows that have these of the distinct hashes, and the columns and then those of the key, the ones that have a key."""
        probe, places = self.starts[numbers], np.arange(len(rows))
        if len(self.distinct) < len(self.hashes):  # several keys of one hash: each may be the row's
            ends = np.append(self.starts[1:], len(self.hashes))
            counts = ends[numbers] - probe
            places = places.repeat(counts)
            probe = (
                probe.repeat(counts) + np.arange(len(places)) - (np.cumsum(counts) - counts).repeat(counts)
            )
        equal = np.flatnonzero(rows_equal(self.keys, probe, rows.columns[len(columns) :], places))
        found = rows.select(range(len(columns)))
        if len(equal) == len(rows) == len(places):
            return Matches(probe, found)
        return Matches(probe[equal], found.take(places[equal]))

    def among(self, rows: Batch, columns: Columns) -> Iterator[Matches]:
        """Of rows in any order, with the columns and then those of the key, the ones that have a key."""
        key = tuple(range(len(columns), len(columns) + len(self.columns)))
        run = run_of(rows, hash_columns(rows.columns[len(columns) :], len(rows)))
        return probe_runs([run], key, self.keys, self.hashes, columns=range(len(columns)))

    def among_kept(self, kept: Sequence[_KeptRun], columns: Columns) -> Iterator[Matches]:
        """Of all columns, in the order of the key's hashes."""
        for each in kept:
            some = None if each.bitmap is None else each.bitmap.suspected(self.hashes)
            if some is None or 2 * len(some) > len(self.hashes):
                yield from probe_runs([each.run], self.columns, self.keys, self.hashes, columns=columns)
            elif len(some):
                keys = tuple(take(self.keys, some))
                for matches in probe_runs([each.run], self.columns, keys, self.hashes[some], columns=columns):
                    yield Matches(some[matches.probe], matches.rows)

    def numbered(self, found: Sequence[Matches]) -> Sequence[Matches]:
        """By the number of the key as it was asked for."""
        if self.order is None:
            return found
        return [Matches(self.order[matches.probe], matches.rows) for matches in found]


@dataclass(frozen=True, slots=True, eq=False)
class _KeptRun:
    """All updates of a small part, or of some.  Of many there is a `bitmap` of the hashes: few keys are in what was written lately."""

    run: Run
    bitmap: HashBitmap | None

    @classmethod
    def of(cls, rows: Batch, hashes: Words) -> _KeptRun:
        run = run_of(rows, hashes)
        return cls(run, HashBitmap.of(run.hashes) if len(run) >= FILTERED_ROWS else None)


class _Part:
    """A part that is not in the spine.  Its hashes stay mapped.  Of a small one that is kept `run` has all updates, or that of its `group`."""

    def __init__(self, part: PartRef) -> None:
        self.part = part
        self.run: _KeptRun | None = None
        self.group: _Group | None = None
        self._order: pa.StructArray | None = None

    def found(
        self, cache: ColumnCache, schema: Schema, search: _Search, columns: tuple[int, ...]
    ) -> Matches | None:
        """The updates with these keys; None if what has them is yet to be decoded."""
        if self._order is None:
            if self.part.is_arrow:
                return None
            self._order = cache.known_order(self.part, schema, search.columns)
            if self._order is None:
                return None
        numbers, places = pairs(self._order, search.distinct)
        if not len(places):
            return Matches(places, empty_batch(schema.project(columns)))
        decoded = cache.known(self.part, schema, (*columns, *search.columns))
        if decoded is None:
            return None
        return search.matches(numbers, timed(self.part, decoded.take(places)), columns)


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Small parts of a table, one behind the other, whose updates are one run."""

    parts: tuple[_Part, ...]
    run: _KeptRun


class KeptRuns:
    """The small parts that are decoded, about `most` bytes of them at most.  For any thread."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most = most
        self._held: dict[_Part, int] = {}
        self._nbytes = 0
        self._lock = threading.Lock()

    def fetched(self, stored: _Part, parts: StoredParts, blob: Blob) -> _KeptRun | None:
        """The updates of one of `parts` in the order of their keys.  Other tables' go for it; None if those of its own leave no room."""
        nbytes = stored.part.decoded_nbytes
        with self._lock:
            if self._nbytes + nbytes > self._most:
                own = set(parts.parts)
                for other in [held for held in self._held if held not in own]:
                    if other in self._held:  # not yet gone with its group
                        self._drop(other)
            if self._nbytes + nbytes > self._most:
                return None
        rows = read_part(blob, stored.part, parts.schema).oks
        run = _KeptRun.of(rows, hash_columns([rows.columns[place] for place in parts.key], len(rows)))
        with self._lock:
            if stored in self._held:
                self._drop(stored)
            self._held[stored] = nbytes
            self._nbytes += nbytes
            stored.run = run
        return run

    def held(self, parts: Sequence[_Part]) -> tuple[list[_KeptRun], list[_Part]]:
        """The runs that have all updates of some of the parts, which are the table's at some moment; and the other parts."""
        runs: list[_KeptRun] = []
        others: list[_Part] = []
        own = frozenset(parts)
        with self._lock:
            for stored in parts:
                if stored.run is not None:
                    runs.append(stored.run)
                elif stored.group is None or not own.issuperset(stored.group.parts):
                    others.append(stored)
                elif stored is stored.group.parts[0]:
                    runs.append(stored.group.run)
        return runs, others

    def gather(self, parts: StoredParts) -> None:
        """Has each TOGETHER neighbours that are kept be one run."""
        alone: list[_Part] = []
        for stored in parts.parts:
            if stored.run is None:
                alone.clear()
                continue
            alone.append(stored)
            if len(alone) == TOGETHER:
                self._group(tuple(alone), parts.schema)
                alone.clear()

    def _group(self, parts: tuple[_Part, ...], schema: Schema) -> None:
        runs = [stored.run for stored in parts]
        if any(run is None for run in runs):
            return  # they have made room for others
        there = [run for run in runs if run is not None]
        hashes = np.concatenate([kept.run.hashes for kept in there])
        rows = concat_batches(schema, [kept.run.batch for kept in there])
        group = _Group(parts, _KeptRun.of(rows, hashes))
        with self._lock:
            if all(stored.run is run for stored, run in zip(parts, there, strict=True)):
                for stored in parts:
                    stored.group, stored.run = group, None

    def forget(self, parts: Iterable[_Part]) -> None:
        """They are not there any more."""
        with self._lock:
            for stored in parts:
                if stored in self._held:
                    self._drop(stored)

    def _drop(self, stored: _Part) -> None:
        """With the others of its group, which have no run of their own."""
        together = (stored,) if stored.group is None else stored.group.parts
        for part in together:
            self._nbytes -= self._held.pop(part, 0)
            part.run = part.group = None


def _between(key: tuple[int, ...], wanted: tuple[pa.Array, ...]) -> Iterator[Condition]:
    """What is true of the rows that have one of these keys."""
    for place, values in zip(key, wanted, strict=True):
        if (bounds := bounds_of(values)) is not None:
            least, greatest = bounds
            yield Condition(place, Comparison.GE, least)
            yield Condition(place, Comparison.LE, greatest)
