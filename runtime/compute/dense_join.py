"""Joins of many rows with few ones by an integer that none of these shares: a table by the key says where each row's match is.

```
many:   keys  7  3  9  7            a number is taken from the table for each row: no hash, no search
table:  3 ─> 1, 7 ─> 0              of the other side, from its least key to its greatest
rows:   the one side's columns as they are, where all have a match; the other's taken by number
```

That is how facts meet their dimensions, and how a test of relationships looks for keys that are not there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..expr.tree.relation import GlobalId, Join, JoinKind
from ..expr.tree.scalar import ColumnRef
from ..interrupt import check_interrupt
from ..repr import buffers
from ..repr.batch import Batch, Mask, one_of_each
from ..repr.float_facts import FloatFacts
from ..repr.rows import Rows
from .dense_range import SPARSE, DenseRange, may_be_dense
from .row_chain import rows_of_chain, source_of_chain

MOST_NUMBERS = 1 << 23
"""Of a table, whatever its rows are: 32 MiB."""

FEWER = 4
"""The one side has at most this part of the other one's rows."""

_KINDS = frozenset((JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI))

Numbers = npt.NDArray[np.int32]


def joined(join: Join, inputs: Mapping[GlobalId, Rows]) -> Rows | None:
    """The rows of a join like that; None of others, and where a row fails."""
    if join.kind not in _KINDS or join.residual or join.null_safe or len(join.left_keys) != 1:
        return None
    (key,), (other,) = join.left_keys, join.right_keys
    if not isinstance(key, ColumnRef) or not isinstance(other, ColumnRef):
        return None
    if not may_be_dense(key.type) or other.type.kind != key.type.kind:
        return None
    left_source, right_source = (source_of_chain(side, inputs) for side in (join.left, join.right))
    if left_source is None or right_source is None or len(left_source.errs) or len(right_source.errs):
        return None
    swapped = join.kind is JoinKind.INNER and len(left_source) < len(right_source)
    sizes = (len(right_source), len(left_source)) if swapped else (len(left_source), len(right_source))
    few_side = join.left if swapped else join.right
    is_pair = join.kind in (JoinKind.INNER, JoinKind.LEFT)
    # What is known without computing anything comes first, then the few rows.
    if sizes[0] < FEWER * sizes[1]:
        return None
    if is_pair and any(type_.arrow.id not in buffers.FIXED for type_ in few_side.schema.types):
        return None
    few_rows = rows_of_chain(few_side, inputs)
    if few_rows is None:
        return None
    table = _Table.of(_Side(few_rows, (key if swapped else other).index), unique=is_pair)
    if table is None:
        return None
    many_rows = rows_of_chain(join.right if swapped else join.left, inputs)
    if many_rows is None:
        return None
    many = _Side(many_rows, (other if swapped else key).index)
    left, right = (few_rows, many_rows) if swapped else (many_rows, few_rows)
    places = slice(None, None, -1 if swapped else None)
    pieces = []
    for piece in many.rows.present:
        check_interrupt()
        kept, added = _matched(piece, many.key, join.kind, table)
        pieces.append(kept.with_columns([c for side in (kept.columns, added)[places] for c in side]))
    width = len(join.left.schema)

    def floats(place: int) -> FloatFacts:
        return left.floats(place) if place < width else right.floats(place - width)

    return Rows(join.schema, left.time, tuple(pieces), left.errs, floats)


@dataclass(frozen=True, slots=True)
class _Side:
    """Rows, and which of their columns is the key."""

    rows: Rows
    key: int


@dataclass(frozen=True, slots=True)
class _Table:
    """`numbers[key - least]` is which of `rows` has the key, or -1, and `there` whether one has.  The last element is no key's.  `key` is
    the place of the key's column."""

    rows: Batch
    least: int
    numbers: Numbers
    there: Mask
    key: int

    @classmethod
    def of(cls, side: _Side, *, unique: bool) -> _Table | None:
        """None where keys lie far apart, or, if they have to be `unique`, are not."""
        batch, index = side.rows.delta.oks, side.key
        valid = buffers.validity(batch.columns[index])
        at = (
            np.arange(len(batch), dtype=np.int32) if valid is None else np.flatnonzero(valid).astype(np.int32)
        )
        span = DenseRange.of((batch.columns[index],), min(MOST_NUMBERS, SPARSE * len(at)))
        if span is None:
            return None
        numbers = np.full(span.size + 1, -1, np.int32)
        numbers[span.places(buffers.fixed(batch.columns[index])[at])] = at
        there = numbers >= 0
        if unique and (np.count_nonzero(there) < len(at) or (one_of_each(batch.diffs) != 1).any()):
            return None
        return cls(batch, span.least, numbers, there, index)

    def places(self, column: pa.Array) -> npt.NDArray[np.integer[Any]]:
        """int[n]: where in `numbers` each key is."""
        values = buffers.fixed(column)
        last = len(self.numbers) - 1
        if len(values) and self.least <= values.min() and values.max() < self.least + last:
            # Two keys of int2 may lie further apart than its greatest.
            wide = np.promote_types(values.dtype, np.int32)
            return np.subtract(values, wide.type(self.least), dtype=wide) if self.least else values
        # What is below the least key is far beyond the greatest when it is read without a sign.
        far = (values.astype(np.int64) - self.least).view(np.uint64)
        return np.minimum(far, np.uint64(last)).view(np.int64)


def _matched(piece: Batch, key: int, kind: JoinKind, table: _Table) -> tuple[Batch, tuple[pa.Array, ...]]:
    """The rows of the piece that are in the join, and beside each the columns of its match."""
    column = piece.columns[key]
    places = table.places(column)
    there = table.there.take(places)
    if (valid := buffers.validity(column)) is not None:
        there &= valid
    all_there = bool(there.all())
    if kind is JoinKind.ANTI or not (kind is JoinKind.LEFT or all_there):
        kept = np.flatnonzero(there != (kind is JoinKind.ANTI))
        piece, places = piece.take(kept), places[kept]
    if kind in (JoinKind.SEMI, JoinKind.ANTI):
        return piece, ()
    if kind is JoinKind.INNER and len(table.rows.columns) == 1:
        return piece, (piece.columns[key],)
    numbers = pa.array(
        table.numbers.take(places), mask=None if kind is JoinKind.INNER or all_there else ~there
    )
    return piece, tuple(
        # The keys of an inner join are the same on both sides.
        piece.columns[key] if kind is JoinKind.INNER and place == table.key else column.take(numbers)
        for place, column in enumerate(table.rows.columns)
    )
