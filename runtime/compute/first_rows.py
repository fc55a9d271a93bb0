"""The rows of a chain that may be among the first ones of an order: what ORDER BY ... LIMIT over many rows looks at.

One pass over the first key of the order.  Of what has been seen the key that enough rows reach is known, and what is behind it
is not even copied:

```
piece:  [ keys ......... ]   compared with the bound, as numbers
bound:  ───┐                 of the rows kept so far the last that counts
kept:   [ some rows ]        put in order by whoever asked
```
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ..expr.tree.relation import Get, GlobalId, OrderBy, Relation, TopK
from ..expr.tree.relation_tree import inputs as inputs_of
from ..expr.tree.relation_tree import with_inputs
from ..interrupt import check_interrupt
from ..repr import buffers
from ..repr.batch import Batch, Mask
from ..repr.rows import Rows
from .row_chain import chain_of

ROWS_AT_ONCE = 65_536
"""So many keys are compared with one bound: they stay in the processor's cache."""

SLACK = 4
"""The bound is found anew when so many times the wanted rows are kept."""

LEAST_KEPT = 1_024
"""And when so many are."""


MANY = 16
"""A row of so many has to be wanted, at most: else nearly all are kept."""


def of_first_rows(
    query: Relation, inputs: Mapping[GlobalId, Rows]
) -> tuple[Relation, Mapping[GlobalId, Rows]]:
    """The same query over fewer rows, where its first rows are wanted of a chain over a collection; else as it is."""
    if isinstance(query, TopK):
        found = _first_rows(query, inputs)
        if found is None:
            return query, inputs
        place = Get("first rows", query.input.schema)
        return with_inputs(query, (place,)), {place.id: found}
    below = inputs_of(query)
    if len(below) != 1:
        return query, inputs
    child, contents = of_first_rows(below[0], inputs)
    return (query if child is below[0] else with_inputs(query, (child,))), contents


def _first_rows(top: TopK, inputs: Mapping[GlobalId, Rows]) -> Rows | None:
    if top.group or top.limit is None or not top.order:
        return None
    key = top.order[0]
    chain = chain_of(top.input)
    if chain is None or not isinstance(chain.leaf, Get) or (rows := inputs.get(chain.leaf.id)) is None:
        return None
    wanted = top.offset + top.limit
    if top.input.schema[key.index].type.arrow.id not in buffers.FIXED or len(rows) < MANY * wanted:
        return None
    first = FirstRows(key, wanted)
    for piece in rows.present:
        found = chain.apply(piece)
        if len(found.errs):
            return None
        first.add(found.oks)
    return Rows(top.input.schema, rows.time, tuple(first.kept()), rows.errs)


_Keys = npt.NDArray[Any]


class FirstRows:
    """Takes pieces, and keeps of them what may be among the first `wanted` rows in the order of `key`, ties included: so what other keys
    decide is among them, too.  The key `can_be_first`."""

    def __init__(self, key: OrderBy, wanted: int) -> None:
        self._key = key
        self._wanted = wanted
        self._pieces: list[Batch] = []
        self._numbers: list[_Keys] = []
        self._nulls = 0
        self._fresh = 0
        self._bound: Any = None

    def add(self, piece: Batch) -> None:
        for start in range(0, len(piece), ROWS_AT_ONCE):
            check_interrupt()
            self._take(piece.slice(start, min(start + ROWS_AT_ONCE, len(piece))))

    def kept(self) -> Iterator[Batch]:
        """The rows that are left, in the order in which they came."""
        self._find_bound()
        for piece in self._pieces:
            yield from self._passing(piece)

    def _take(self, piece: Batch) -> None:
        for rows in self._passing(piece):
            column = rows.columns[self._key.index]
            self._pieces.append(rows)
            self._nulls += column.null_count
            self._numbers.append(self._present(column))
            self._fresh += len(rows)
        if self._fresh > max(SLACK * self._wanted, LEAST_KEPT):
            self._find_bound()

    def _passing(self, piece: Batch) -> Iterator[Batch]:
        """Those of the rows that the bound lets pass, if any."""
        column = piece.columns[self._key.index]
        keep = self._keeps(column)
        if keep is None or keep.all():
            yield piece
        elif keep.any():
            yield piece.take(np.flatnonzero(keep))

    def _keeps(self, column: pa.Array) -> Mask | None:
        """None: all."""
        enough_nulls = self._key.nulls_first and self._nulls >= self._wanted
        valid = buffers.validity(column)
        if enough_nulls:
            return np.zeros(len(column), np.bool_) if valid is None else ~valid
        if self._bound is None:
            return None
        # NaN is the greatest: what is compared with it is never behind it, nor is it behind anything.
        values = buffers.fixed(column)
        behind: Mask = values < self._bound if self._key.descending else values > self._bound
        if valid is not None:
            behind &= valid
            if not self._key.nulls_first:
                behind |= ~valid
        return ~behind

    def _find_bound(self) -> None:
        """Of the values that were kept: the one at the place `wanted`.  Where there are as many, NULLs behind them do not count."""
        self._fresh = 0
        wanted = self._wanted - (self._nulls if self._key.nulls_first else 0)
        numbers = np.concatenate(self._numbers) if self._numbers else np.empty(0)
        if not 0 < wanted <= len(numbers):
            return
        place = len(numbers) - wanted if self._key.descending else wanted - 1
        self._bound = np.partition(numbers, place)[place]
        behind = numbers < self._bound if self._key.descending else numbers > self._bound
        self._numbers = [numbers[~behind]]
        self._pieces = [rows for piece in self._pieces for rows in self._passing(piece)]
        self._fresh = 0

    @staticmethod
    def _present(column: pa.Array) -> _Keys:
        values, valid = buffers.fixed(column), buffers.validity(column)
        return values if valid is None else values[valid]
