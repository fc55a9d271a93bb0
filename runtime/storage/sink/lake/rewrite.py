"""What an interval makes of the files of an UPSERT sink's table: those that hold a changed key are written anew, whole.

```
files ── by their bounds ── their keys are read ── those with a hit: rows without the hits ┐
                                                       rows as they are afterwards ────────┴─ new files
```

The table has no files of deletes, which not every reader takes into account.  Small files that have piled up are written anew with them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ....repr.batch import Mask
from ...lake.columns import KeySet
from .table import FILE_BYTES, Bounds, F, LakeTable, all_written

SMALL_BYTES = 4 << 20
MOST_SMALL = 16
"""Files of one partition that are so small: as many are made one."""
_FEW_KEYS = 20_000
"""Of more keys it is not worth the time to look whether one of them is in the bounds of a file."""


class NotAsLeft(Exception):
    """Rows are not as the sink has left them: how many were found of how many, and what was to become of them."""

    def __init__(self, found: int, of: int, what: str) -> None:
        super().__init__(f"has {found} of {of} rows that the sink is to {what}")


@dataclass(frozen=True, slots=True)
class Touched(Generic[F]):
    """A file that is to be written anew, without the rows that are not `kept`; None: with all."""

    file: F
    kept: Mask | None


@dataclass(frozen=True, slots=True)
class Rewrite(Generic[F]):
    touched: tuple[Touched[F], ...]

    @property
    def removed(self) -> list[F]:
        return [one.file for one in self.touched]

    def written(self, table: LakeTable[F], rows: pa.Table, between: Callable[[], None]) -> Iterator[F]:
        """The files that take the place of the touched ones, with `rows` in them."""
        waiting, nbytes = [rows], rows.nbytes
        for one in self.touched:
            between()
            found = one.file.rows()
            left = found if one.kept is None else found.filter(pa.array(one.kept))
            waiting.append(left.cast(rows.schema))
            nbytes += left.nbytes
            if nbytes >= FILE_BYTES:
                yield from all_written(table, pa.concat_tables(waiting).combine_chunks(), between)
                waiting, nbytes = [], 0
        if waiting:
            yield from all_written(table, pa.concat_tables(waiting).combine_chunks(), between)


def planned(
    files: Sequence[F],
    names: Sequence[str],
    keys: KeySet,
    was_there: Mask,
    between: Callable[[], None],
    *,
    whole: bool = False,
) -> Rewrite[F]:
    """`names` are those of the key's columns; with `whole` all files are touched.  Raises NotAsLeft where keys that were there are not found once, or others are."""
    touched: list[Touched[F]] = []
    others: list[F] = []
    found = np.zeros(len(keys), np.int64)
    might_hold = _bounded(keys.columns[0]) if len(keys) else (lambda bounds: False)
    for file in files:
        hits = None
        if might_hold(file.bounds(names[0])):
            between()
            hits = _hits(file, names, keys, found)
        if hits is None:
            others.append(file)
        else:
            touched.append(Touched(file, ~hits))
    _check_found(found, was_there)
    return Rewrite((*touched, *(Touched(file, None) for file in (others if whole else _piled_up(others)))))


def _hits(file: F, names: Sequence[str], keys: KeySet, found: Any) -> Mask | None:
    """Which rows of the file have one of the keys, each of which is counted in `found`; None: no row has."""
    rows = file.rows(names).combine_chunks()
    if not rows.num_rows:
        return None
    columns = [_whole(rows[name]).cast(key.type) for name, key in zip(names, keys.columns, strict=True)]
    places = keys.find(columns)
    hits: Mask = places >= 0
    if not hits.any():
        return None
    found += np.bincount(places[hits], minlength=len(found))
    return hits


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)


def _check_found(found: Any, was_there: Mask) -> None:
    missing = int((found[was_there] != 1).sum())
    if missing:
        raise NotAsLeft(int(was_there.sum()) - missing, int(was_there.sum()), "change")
    new = ~was_there
    if (found[new] != 0).any():
        raise NotAsLeft(int((found[new] != 0).sum()), int(new.sum()), "insert")


def _bounded(column: pa.Array) -> Callable[[Bounds | None], bool]:
    """Whether a file may hold one of the values, by the bounds of its own, which are of whole numbers and texts."""
    if not (pa.types.is_integer(column.type) or pa.types.is_string(column.type)):
        return lambda bounds: True  # Python has not all dates
    least, greatest = pc.min_max(column).values()
    low, high = least.as_py(), greatest.as_py()
    values = sorted(column.to_pylist()) if len(column) <= _FEW_KEYS else None

    def might_hold(bounds: Bounds | None) -> bool:
        if bounds is None:
            return True
        first, last = bounds
        if values is None:
            return bool(first <= high and low <= last)
        return bisect_left(values, first) < bisect_right(values, last)

    return might_hold


def _piled_up(files: Sequence[F]) -> list[F]:
    """Of each partition with many small files, those."""
    small: dict[Any, list[F]] = defaultdict(list)
    for file in files:
        if file.nbytes < SMALL_BYTES:
            small[file.partition].append(file)
    return [file for found in small.values() if len(found) >= MOST_SMALL for file in found]
