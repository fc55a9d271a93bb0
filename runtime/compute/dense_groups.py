"""Groups by an integer or a date: sums in a table with a place for each key, NULL's behind the last.

```
keys:  7 3 9 NULL 7         least 3, so places 4 0 6 7 4
count:  1 0 0 0 2 0 1 1     one addition per row: no hash, no search
sum:    ...                 integers limb by limb, floats digit by digit (`operators.reductions.digits`)
```

Everything adds up exactly, so rows come in any order and count as often as their diffs say; results and errors are those of
the operators, which read them from the same sums (`Accumulators`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ..expr.tree.relation import Aggregate, GlobalId, Map, Project, Reduce
from ..expr.tree.scalar import Scalar
from ..interrupt import check_interrupt
from ..repr import buffers
from ..repr.batch import Batch, Diffs, Indices, one_of_each
from ..repr.rows import Rows
from ..repr.types import ScalarType
from .dense_range import SPARSE, DenseRange, may_be_dense
from .lower.aggregates import physical
from .operators.reductions.accumulators import Accumulators, FloatSum, contribution, float_values
from .operators.reductions.digits import Digits, DigitSums
from .operators.reductions.float_sum import Floats, Ints
from .plan import ReduceOp
from .row_chain import chain_of, rows_of_chain, source_of_chain

ROWS_AT_ONCE = 32_768
"""What is made of so many rows stays in the processor's cache."""

MOST_BYTES = 128 << 20
"""Of the table, whatever its rows are."""

MOST_ROWS = 1 << 29
"""A limb is below 2^33, so a sum of so many is below 2^63."""

BLOCKS = 512
"""At most: each adds integers below 2^53 to the sums of floats."""

USUAL_DIGITS = 2
"""Of floats."""

ROWS_PER_PLACE = 8
"""A block has at least so many rows for each place of the table: then what is done for each place takes little of the time."""

FUNCTIONS = frozenset(("count", "sum", "avg", "bool_and", "bool_or", "every"))
"""Aggregates that are read from sums over columns of their own."""


def grouped(reduce: Reduce, inputs: Mapping[GlobalId, Rows]) -> Rows | None:
    """The groups in the order of their keys; None where the keys are others or lie far apart, some aggregate is another, or
    something fails."""
    if len(reduce.keys) != 1 or not may_be_dense(reduce.keys[0].type):
        return None
    if not all(map(_adds_up, reduce.aggregates)):
        return None
    source = source_of_chain(reduce.input, inputs)
    if source is None or len(source.errs):
        return None
    op, mapped = _arguments(reduce)
    accumulators = Accumulators(op, mapped.schema)
    columns = 2 + accumulators.width + 2 * USUAL_DIGITS * len(accumulators.floats)
    # What is known without computing comes first.
    chain = chain_of(mapped)
    place = None if chain is None else chain.source(0)
    before = None if place is None else _range(source, place, columns)
    if place is not None and before is None:
        return None
    rows = rows_of_chain(mapped, inputs)
    if rows is None or not all(rows.floats(each.argument).finite for each in accumulators.floats):
        return None
    span = before if len(rows) == len(source) and before is not None else _range(rows, 0, columns)
    if span is None:
        return None
    table = _Table.of(span, rows)
    if table is None:
        return None
    digits: dict[FloatSum, Digits] = {}
    for each in accumulators.floats:
        if (found := Digits.of(rows.floats(each.argument), table.most)) is None:
            return None
        digits[each] = found
    sums, floats = table.sums(accumulators, digits)
    there = np.flatnonzero(table.counts > 0)
    counts, sums = table.counts[there], sums[:, there]
    of_groups = {each: found.exact(there) for each, found in floats.items()}
    results = [accumulators.finish(aggregate, sums, counts, of_groups) for aggregate in op.aggregates]
    if any(result.errors is not None for result in results):
        return None
    key = _keys(reduce.keys[0].type, span, there)
    groups = Batch(
        (key, *(result.values for result in results)),
        buffers.constant(np.uint64(rows.time), len(there)),
        buffers.constant(np.int64(1), len(there)),
    )
    return Rows(reduce.schema, rows.time, (groups,), rows.errs)


def _arguments(reduce: Reduce) -> tuple[ReduceOp, Project]:
    """The aggregates over columns, and what has these, the key first."""
    scalars: dict[str, Scalar] = {}

    def place(scalar: Scalar) -> int:
        text = repr(scalar)  # not equality: -0.0 and 0.0 are equal in Python
        scalars.setdefault(text, scalar)
        return list(scalars).index(text)

    place(reduce.keys[0])
    op = ReduceOp(1, tuple(physical(aggregate, place) for aggregate in reduce.aggregates))
    width = len(reduce.input.schema)
    names = tuple(f"argument {number}" for number in range(len(scalars)))
    computed = Map(reduce.input, tuple(scalars.values()), names)
    return op, Project(computed, tuple(range(width, width + len(scalars))))


def _range(rows: Rows, place: int, columns: int) -> DenseRange | None:
    """Of the keys at `place`; None if a table with so many `columns` would be too large for them.  One of few places never is."""
    return DenseRange.of(
        (piece.columns[place] for piece in _cut(rows.pieces)),
        min(MOST_BYTES // (8 * columns), max(SPARSE * len(rows), ROWS_AT_ONCE)),
    )


def _adds_up(aggregate: Aggregate) -> bool:
    return aggregate.function in FUNCTIONS and not (
        aggregate.distinct or aggregate.rest or aggregate.order or aggregate.direct
    )


def _cut(pieces: Sequence[Batch]) -> Iterator[Batch]:
    for piece in pieces:
        for start in range(0, len(piece), ROWS_AT_ONCE):
            yield piece.slice(start, min(start + ROWS_AT_ONCE, len(piece)))


def _keys(type_: ScalarType, span: DenseRange, places: Indices) -> pa.Array:
    values = (places + span.least).astype(buffers.FIXED[type_.arrow.id])
    return pa.array(values, mask=places == span.size).view(type_.arrow)


def _add(sums: Ints, places: Indices, diffs: Diffs) -> None:
    """Adds each diff to the sum at its place."""
    if not _once_each(diffs):
        np.add.at(sums, places, diffs)
    elif len(sums) > len(places):
        np.add.at(sums, places, np.int64(1))
    else:
        sums += np.bincount(places, minlength=len(sums))


def _rows(diffs: Diffs) -> float:
    """How many, removed ones too."""
    each = one_of_each(diffs)
    return float(np.abs(each.astype(np.float64)).sum()) * len(diffs) / max(len(each), 1)


def _once_each(diffs: Diffs) -> bool:
    return bool((one_of_each(diffs) == 1).all())


@dataclass(frozen=True, slots=True)
class _Table:
    """`blocks` are the rows, the first column of each is the key.  `counts` int64[size + 1]: how often each key occurs.  In none of
    `blocks` it has more than `most` rows, removed ones too."""

    span: DenseRange
    blocks: Sequence[Sequence[Batch]]
    counts: Ints
    most: int

    @classmethod
    def of(cls, span: DenseRange, rows: Rows) -> _Table | None:
        """None when there are so many rows that sums might wrap."""
        if sum(_rows(piece.diffs) for piece in rows.pieces) >= MOST_ROWS:
            return None
        blocks = _blocks(rows.pieces, max(ROWS_AT_ONCE, ROWS_PER_PLACE * span.size, len(rows) // BLOCKS))
        counts, most = np.zeros(span.size + 1, np.int64), 0
        for block in blocks:
            check_interrupt()
            here = np.zeros_like(counts)
            removed: Ints | None = None
            for piece in block:
                places = _places(span, piece)
                _add(here, places, piece.diffs)
                if (one_of_each(piece.diffs) < 0).any():
                    removed = np.zeros_like(counts) if removed is None else removed
                    np.subtract.at(removed, places, np.minimum(piece.diffs, 0))
            counts += here
            most = max(most, int((here if removed is None else here + 2 * removed).max()))
        return cls(span, blocks, counts, most)

    def sums(
        self, accumulators: Accumulators, digits: Mapping[FloatSum, Digits]
    ) -> tuple[Ints, dict[FloatSum, DigitSums]]:
        """int64[width, size + 1], and the sums of floats."""
        sums = np.zeros((accumulators.width, len(self.counts)), np.int64)
        for summand in accumulators.summands:
            if summand.kind == "present":
                sums[summand.offset] = self.counts
        floats = {each: DigitSums(found, len(self.counts)) for each, found in digits.items()}
        for block in self.blocks:
            for piece in block:
                check_interrupt()
                _add_piece(piece, _places(self.span, piece), accumulators, sums, floats)
            for each in floats.values():
                each.carry()
        return sums, floats


def _add_piece(
    piece: Batch,
    places: Indices,
    accumulators: Accumulators,
    sums: Ints,
    floats: Mapping[FloatSum, DigitSums],
) -> None:
    diffs = None if _once_each(piece.diffs) else piece.diffs
    for summand in accumulators.summands:
        column = piece.columns[summand.argument]
        if summand.kind == "present":  # all are, to begin with
            if (valid := buffers.validity(column)) is not None:
                np.subtract.at(sums[summand.offset], places[~valid], piece.diffs[~valid])
        elif summand.kind != "specials":  # digits are of finite values
            for at, values in enumerate(contribution(summand.kind, column), summand.offset):
                np.add.at(sums[at], places, values if diffs is None else values * diffs)
    for each, found in floats.items():
        found.add(
            places,
            _floats(piece.columns[each.argument]),
            None if diffs is None else diffs.astype(np.float64),
        )


def _floats(column: pa.Array) -> Floats:
    """float64[n], which is not written into; NULL is 0."""
    if column.null_count or column.type.id != pa.lib.Type_DOUBLE:
        return float_values(column)
    return buffers.fixed(column)


def _places(span: DenseRange, piece: Batch) -> Indices:
    """The place of NULL is behind the last."""
    column = piece.columns[0]
    found = span.places(buffers.fixed(column))
    if (valid := buffers.validity(column)) is not None:
        found[~valid] = span.size
    return found


def _blocks(pieces: Sequence[Batch], size: int) -> list[list[Batch]]:
    """Of at least so many rows each but for the last."""
    blocks: list[list[Batch]] = []
    filled = size
    for piece in _cut(pieces):
        if filled >= size:
            blocks.append([])
            filled = 0
        blocks[-1].append(piece)
        filled += len(piece)
    return blocks
