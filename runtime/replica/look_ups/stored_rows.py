"""The rows of a table by one of its keys, found in what is stored: an index that is nobody's memory.

```
  inline parts of few rows ── a spine, in memory: some hundred small parts at most
  small parts ─────────────── a run each, in memory, as far as `KeptRuns` has room; else as large ones
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
from ...persist.codec import decode
from ...persist.column_cache import ColumnCache
from ...persist.key_search import KeySearch, ascending, positions
from ...persist.part import PartRef
from ...persist.part_stats import bounds_of
from ...persist.pushdown import Comparison, Condition, may_match
from ...persist.read import read_part, timed
from ...repr.batch import Batch, concat_batches
from ...repr.buffers import Words
from ...repr.hash import hash_columns
from ...repr.schema import Schema
from ..index import Numbers, of_each
from ..protocol import StoredChange

FEW_ROWS = 1_000
"""So many rows at most has an inline part that is added to the spine, which is made anew when such a part is gone."""

SMALL_BYTES = 1 << 20
"""So many bytes at most, as they are stored, has a blob of Parquet that is decoded here: fetched and put in order in some milliseconds."""

KEPT_BYTES = 32 << 20
"""So many bytes of small parts a replica keeps decoded, of all its tables."""

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
        hashes = hash_columns(wanted, len(wanted[0]))
        searched = ascending(hashes)
        runs = list(self.runs)
        found: list[Matches] = []
        conditions: tuple[Condition, ...] | None = None
        for stored in self.parts:
            run = stored.run
            rows = None if run is not None else stored.rows(cache, self.schema, self.key, searched, columns)
            if run is None and rows is None:
                if conditions is None:
                    conditions = tuple(_between(self.key, wanted))
                if not may_match(stored.part, self.schema, conditions):
                    continue
                if blob is None or not (stored.part.is_arrow or stored.part.nbytes <= SMALL_BYTES):
                    return None
                run = self.kept.fetched(stored, self, blob)
                if run is None:
                    search = KeySearch(self.key, searched)
                    places = (*columns, *self.key)
                    rows = read_part(blob, stored.part, self.schema, places, cache, search).oks
            if run is not None:
                runs.append(run)
            elif rows is not None and len(rows):
                found += self._matches(rows, wanted, hashes, len(columns))
        probed = chain(probe_runs(runs, self.key, wanted, hashes, columns=columns), found)
        return of_each(self.schema.project(columns), list(probed), len(wanted[0]), as_of)

    def _matches(
        self, rows: Batch, wanted: tuple[pa.Array, ...], hashes: Words, width: int
    ) -> Iterator[Matches]:
        """Those of some rows, `width` columns and then the key's, that have a key."""
        key = tuple(range(width, width + len(self.key)))
        run = run_of(rows, hash_columns(rows.columns[width:], len(rows)))
        return probe_runs([run], key, wanted, hashes, columns=range(width))


class _Part:
    """A part that is not in the spine.  Its hashes stay mapped; `run` has all of its updates, of a small one that is kept."""

    def __init__(self, part: PartRef) -> None:
        self.part = part
        self.run: Run | None = None
        self._order: pa.StructArray | None = None

    def rows(
        self,
        cache: ColumnCache,
        schema: Schema,
        key: tuple[int, ...],
        hashes: Words,
        columns: tuple[int, ...],
    ) -> Batch | None:
        """The columns and then those of the key, of the updates with these `ascending` hashes; None if it is yet to be decoded."""
        if self._order is None:
            if self.part.is_arrow:
                return None
            self._order = cache.known_order(self.part, schema, key)
            if self._order is None:
                return None
        places = positions(self._order, hashes)
        if not len(places):
            return _NOTHING
        decoded = cache.known(self.part, schema, (*columns, *key))
        return None if decoded is None else timed(self.part, decoded.take(places))


class KeptRuns:
    """The small parts that are decoded, about `most` bytes of them at most.  For any thread."""

    def __init__(self, most: int = KEPT_BYTES) -> None:
        self._most = most
        self._held: dict[_Part, int] = {}
        self._nbytes = 0
        self._lock = threading.Lock()

    def fetched(self, stored: _Part, parts: StoredParts, blob: Blob) -> Run | None:
        """The updates of one of `parts` in the order of their keys.  Other tables' go for it; None if those of its own leave no room."""
        nbytes = stored.part.decoded_nbytes
        with self._lock:
            if self._nbytes + nbytes > self._most:
                own = set(parts.parts)
                for other in [held for held in self._held if held not in own]:
                    self._drop(other)
            if self._nbytes + nbytes > self._most:
                return None
        rows = read_part(blob, stored.part, parts.schema).oks
        run = run_of(rows, hash_columns([rows.columns[place] for place in parts.key], len(rows)))
        with self._lock:
            if stored not in self._held:
                self._held[stored] = nbytes
                self._nbytes += nbytes
            stored.run = run
        return run

    def forget(self, parts: Iterable[_Part]) -> None:
        """They are not there any more."""
        with self._lock:
            for stored in parts:
                if stored in self._held:
                    self._drop(stored)

    def _drop(self, stored: _Part) -> None:
        self._nbytes -= self._held.pop(stored)
        stored.run = None


def _between(key: tuple[int, ...], wanted: tuple[pa.Array, ...]) -> Iterator[Condition]:
    """What is true of the rows that have one of these keys."""
    for place, values in zip(key, wanted, strict=True):
        if (bounds := bounds_of(values)) is not None:
            least, greatest = bounds
            yield Condition(place, Comparison.GE, least)
            yield Condition(place, Comparison.LE, greatest)


_NOTHING = Batch((), np.empty(0, np.uint64), np.empty(0, np.int64))
