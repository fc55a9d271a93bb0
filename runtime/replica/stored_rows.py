"""The rows of a table by one of its keys, found in what is stored: an index that is nobody's memory.

```
  inline parts ── a spine, in memory: some hundred small parts at most
  blobs ───────── their decoded columns, and their rows in the order of the key's hashes: files of the column cache, mapped
```

The coordinator tells which parts there are.  What is not decoded yet is not decoded here: the query that finds the rows then,
in a process of its own, leaves it in the column cache.  A part that has none of the keys by its statistics need never be: that query
does not read it either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ..compute.spine import Matches, Spine, probe_runs, run_of
from ..persist.codec import decode
from ..persist.column_cache import ColumnCache
from ..persist.key_search import ascending, positions
from ..persist.part import PartRef
from ..persist.part_stats import bounds_of
from ..persist.pushdown import Comparison, Condition, may_match
from ..persist.read import timed
from ..repr.batch import Batch, concat_batches
from ..repr.buffers import Words
from ..repr.hash import hash_columns
from ..repr.schema import Schema
from .index import Numbers, of_each
from .protocol import StoredChange


class StoredRows:
    """Of rows of `schema`, by the columns at the positions `key`.  Readable at any time that the coordinator holds.  Of one thread."""

    def __init__(self, schema: Schema, key: tuple[int, ...], cache: ColumnCache) -> None:
        self.schema = schema
        self._key = key
        self._cache = cache
        self._inline: dict[int, Batch] = {}
        self._blobs: dict[int, list[_Blob]] = {}
        self._spine = Spine(schema, key)
        self._unreadable: set[int] = set()

    def change(self, change: StoredChange) -> None:
        """Other parts are there from now on."""
        rebuilt = False
        for number in change.gone:
            self._blobs.pop(number, None)
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
            if part.inline is not None
        ]
        if inline:
            rows = self._inline[number] = concat_batches(self.schema, inline)
            if insert:
                self._spine.insert(rows)
        blobs = [_Blob(part) for part in parts if part.inline is None]
        if blobs:
            self._blobs[number] = blobs

    def lookup_each(
        self, keys: Sequence[Sequence[Any]], as_of: int, columns: tuple[int, ...]
    ) -> tuple[Batch, Numbers] | None:
        """These columns of the rows at `as_of` of each key, one behind the other, and the number of the key of each, from 0.

        `keys` has the values of each column of the key, none of them NULL.  None if not all can be had from memory and files."""
        if self._unreadable or any(self.schema[place].dropped for place in columns):
            return None
        wanted = tuple(
            pa.array(values, self.schema[place].type.arrow)
            for values, place in zip(keys, self._key, strict=True)
        )
        hashes = hash_columns(wanted, len(wanted[0]))
        searched = ascending(hashes)
        probed = list(probe_runs(self._spine.handle(), self._key, wanted, hashes, columns=columns))
        conditions: tuple[Condition, ...] | None = None
        for blobs in self._blobs.values():
            for blob in blobs:
                rows = blob.rows(self._cache, self.schema, self._key, searched, columns)
                if rows is None:
                    if conditions is None:
                        conditions = tuple(_between(self._key, wanted))
                    if may_match(blob.part, self.schema, conditions):
                        return None
                elif len(rows):
                    probed += self._matches(rows, wanted, hashes, len(columns))
        return of_each(self.schema.project(columns), probed, len(wanted[0]), as_of)

    def _matches(
        self, rows: Batch, wanted: tuple[pa.Array, ...], hashes: Words, width: int
    ) -> Iterator[Matches]:
        """Those of some rows, `width` columns and then the key's, that have a key."""
        key = tuple(range(width, width + len(self._key)))
        run = run_of(rows, hash_columns(rows.columns[width:], len(rows)))
        return probe_runs([run], key, wanted, hashes, columns=range(width))


class _Blob:
    """A part that is a blob.  Its hashes stay mapped."""

    def __init__(self, part: PartRef) -> None:
        self.part = part
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
            self._order = cache.known_order(self.part, schema, key)
            if self._order is None:
                return None
        places = positions(self._order, hashes)
        if not len(places):
            return _NOTHING
        decoded = cache.known(self.part, schema, (*columns, *key))
        return None if decoded is None else timed(self.part, decoded.take(places))


def _between(key: tuple[int, ...], wanted: tuple[pa.Array, ...]) -> Iterator[Condition]:
    """What is true of the rows that have one of these keys."""
    for place, values in zip(key, wanted, strict=True):
        if (bounds := bounds_of(values)) is not None:
            least, greatest = bounds
            yield Condition(place, Comparison.GE, least)
            yield Condition(place, Comparison.LE, greatest)


_NOTHING = Batch((), np.empty(0, np.uint64), np.empty(0, np.int64))
