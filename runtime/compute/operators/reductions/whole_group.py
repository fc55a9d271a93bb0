"""Aggregates that need the whole group: array_agg, string_agg, percentiles, mode, hypothetical ranks.

Their result is not a sum, so the groups that a step touches, and no others, are computed anew from their rows, for all
touched groups and all moments of the step at once: O(rows of the touched groups).

| function                          | of the ordered contents of a group                                         |
|-----------------------------------|----------------------------------------------------------------------------|
| array_agg, string_agg             | all values, one after the other                                            |
| first (any_value, min of arrays)  | the first value                                                            |
| mode                              | the first of the most frequent values                                      |
| percentile_disc, percentile_cont  | the value at a place, or between two places, found in the running counts   |
| rank, dense_rank, percent_rank, cume_dist | how many values stand before the given one                         |

Without an ORDER BY, and among ties, values stand in their total order: the result is a function of the multiset.
array_agg keeps NULLs, string_agg, percentiles and mode do not see them.

State: `rows`, the columns that any of these aggregates reads, by group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ....errors import Unsupported
from ....repr import buffers
from ....repr.batch import Batch, Indices, Mask
from ....repr.consolidate import canonical
from ....repr.order import order_keys
from ....repr.schema import Schema
from ....repr.types import Kind
from ...plan import AggregateOp
from ...spine import Spine
from ..segments import Ints, Segments
from .group_contents import Contents, SortKey, Updates, contents, line_places

HYPOTHETICAL = frozenset(("rank", "dense_rank", "percent_rank", "cume_dist"))
_PERCENTILES = frozenset(("percentile_cont", "percentile_disc"))

_MAX_TEXT = (1 << 31) - 1


class WholeGroups:
    """All whole-group aggregates of one reduction, at least one, by their numbers there."""

    def __init__(self, schema: Schema, keys: int, aggregates: Mapping[int, AggregateOp]) -> None:
        self._keys = keys
        self._aggregates = aggregates
        self._columns = sorted(
            {column for aggregate in aggregates.values() for column in _columns(aggregate)}
        )
        columns = (*schema.columns[:keys], *(schema[i] for i in self._columns))
        self.spine = Spine(Schema(columns), tuple(range(keys)))

    def step(
        self, batch: Batch, keys: tuple[pa.Array, ...], heads: tuple[pa.Array, ...], segments: Segments
    ) -> dict[int, pa.Array]:
        """Each aggregate before and after each of s segments: 2 s values.

        `keys` are the key columns of `batch`, `heads` the key of each group.
        """
        own = tuple(batch.columns[i] for i in self._columns)
        segment = segments.of_rows
        group = segments.group[segment]
        old = self.spine.probe(heads, segments.hashes)
        self.spine.insert(
            Batch((*keys, *own), np.zeros(len(batch), np.uint64), batch.diffs), segments.hashes[group]
        )
        combined = own
        if len(old):
            before = old.rows.columns[self._keys :]
            combined = tuple(pa.concat_arrays([a, b]) for a, b in zip(before, own, strict=True))
        updates = Updates(
            np.concatenate((old.probe, group)),
            np.concatenate((np.zeros(len(old), np.int64), segment - segments.first[group] + 1)),
            np.concatenate((old.rows.diffs, batch.diffs)),
        )
        columns = dict(zip(self._columns, combined, strict=True))
        places = pa.array(np.concatenate(line_places(segments)))
        return {
            number: _evaluate(aggregate, columns, updates, segments).take(places)
            for number, aggregate in self._aggregates.items()
        }


def _columns(aggregate: AggregateOp) -> list[int]:
    """The columns of the input that the aggregate reads."""
    first = [] if aggregate.argument is None else [aggregate.argument]
    last = [] if aggregate.condition is None else [aggregate.condition]
    return [*first, *aggregate.rest, *(key.index for key in aggregate.order), *last]


def _evaluate(
    aggregate: AggregateOp, columns: dict[int, pa.Array], updates: Updates, segments: Segments
) -> pa.Array:
    """The aggregate on every line."""
    function = aggregate.function
    named = [i for i in _columns(aggregate) if i != aggregate.condition]
    values = {i: columns[i] for i in named}
    if function in HYPOTHETICAL or function == "mode" or aggregate.distinct:
        values = {i: canonical(column) for i, column in values.items()}
    chosen = _chosen(aggregate, columns)
    if chosen is not None:
        index = pa.array(chosen)
        values = {i: column.take(index) for i, column in values.items()}
        updates = updates.take(chosen)
    order: list[SortKey] = [(values[k.index], k.descending, k.nulls_first) for k in aggregate.order]
    found = contents(list(values.values()), order, updates, segments, distinct=aggregate.distinct)
    return joined(aggregate, values, found)


def joined(aggregate: AggregateOp, values: dict[int, pa.Array], chunks: Iterable[Contents]) -> pa.Array:
    """The aggregate on every line of all `chunks`; its columns are those of `values`."""
    evaluate = _FUNCTIONS[aggregate.function]
    pieces = []
    lines = []
    text = 0
    for chunk in chunks:
        pieces.append(evaluate(aggregate, values, chunk))
        lines.append(chunk.lines)
        text += pieces[-1].nbytes
        if text > _MAX_TEXT:
            raise Unsupported(
                f"{aggregate.function} of {text:,} bytes in one step is not supported",
                hint="The limit is 2 GiB: aggregate smaller groups.",
            )
    if len(pieces) == 1:
        return pieces[0]
    places = np.concatenate(lines)
    index = np.empty(len(places), np.int64)
    index[places] = np.arange(len(places))
    return pa.concat_arrays(pieces).take(pa.array(index))


def _chosen(aggregate: AggregateOp, columns: dict[int, pa.Array]) -> Indices | None:
    """The rows that count, or None for all of them."""
    wanted: list[Mask] = []
    if aggregate.condition is not None:
        condition = columns[aggregate.condition]
        valid = buffers.validity(condition)
        wanted.append(buffers.fixed(condition) if valid is None else buffers.fixed(condition) & valid)
    if aggregate.function not in HYPOTHETICAL and aggregate.function != "array_agg":
        subject = aggregate.argument if aggregate.argument is not None else aggregate.order[0].index
        valid = buffers.validity(columns[subject])
        if valid is not None:
            wanted.append(valid)
    return np.flatnonzero(np.logical_and.reduce(wanted)) if wanted else None


# --- the functions: each makes one value per line ------------------------------------------------------------------


def _array_agg(aggregate: AggregateOp, values: dict[int, pa.Array], chunk: Contents) -> pa.Array:
    assert aggregate.argument is not None
    items = values[aggregate.argument].take(pa.array(np.repeat(chunk.rows, chunk.counts)))
    return _lists(items, chunk.totals, chunk.totals == 0)


def _lists(items: pa.Array, lengths: Ints, missing: Mask) -> pa.Array:
    if len(items) > _MAX_TEXT:
        raise Unsupported(
            f"arrays of {len(items):,} elements in one step are not supported",
            hint="Aggregate smaller groups.",
        )
    offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))).astype(np.int32))
    return pa.ListArray.from_arrays(offsets, items, mask=pa.array(missing))


def _string_agg(aggregate: AggregateOp, values: dict[int, pa.Array], chunk: Contents) -> pa.Array:
    """Every value, each but the first after its own delimiter (a NULL one is nothing)."""
    assert aggregate.argument is not None
    text, delimiter = values[aggregate.argument], values[aggregate.rest[0]]
    rows = np.repeat(chunk.rows, chunk.counts)
    totals = chunk.totals
    empty = 2 * len(text)
    before = rows + len(text)
    absent = buffers.validity(delimiter)
    if absent is not None:
        before[~absent[rows]] = empty
    starts = np.cumsum(totals) - totals
    before[starts[totals > 0]] = empty
    sizes = np.append(np.concatenate((_lengths(text), _lengths(delimiter))), 0)
    size = int(sizes[rows].sum() + sizes[before].sum())
    if size > _MAX_TEXT:
        raise Unsupported(
            f"string_agg of {size:,} bytes in one step is not supported",
            hint="The limit is 2 GiB: aggregate smaller groups.",
        )
    pool = pa.concat_arrays([text, delimiter, pa.array([""], text.type)])
    parts = pool.take(pa.array(np.stack((before, rows), axis=1).ravel()))
    return pc.binary_join(_lists(parts, 2 * totals, totals == 0), pa.scalar("", text.type))


def _lengths(column: pa.Array) -> Ints:
    return np.diff(buffers.text_offsets(column))


def _first(aggregate: AggregateOp, values: dict[int, pa.Array], chunk: Contents) -> pa.Array:
    assert aggregate.argument is not None
    return _at(values[aggregate.argument], chunk, chunk.offsets[:-1], chunk.totals == 0)


def _at(column: pa.Array, chunk: Contents, cells: Indices, missing: Mask) -> pa.Array:
    """The value of one cell per line; NULL where `missing`."""
    if not len(chunk.rows):
        return pa.nulls(len(cells), column.type)
    rows = chunk.rows[np.where(missing, 0, np.minimum(cells, len(chunk.rows) - 1))]
    return column.take(pa.array(rows, mask=missing))


def _mode(aggregate: AggregateOp, values: dict[int, pa.Array], chunk: Contents) -> pa.Array:
    lines = chunk.of_cells()
    most = np.zeros(len(chunk.lines), np.int64)
    np.maximum.at(most, lines, chunk.counts)
    found = np.flatnonzero(chunk.counts == most[lines])[::-1]
    cells = np.zeros(len(chunk.lines), np.int64)
    cells[lines[found]] = found  # the last assignment wins: the first of them
    return _at(values[aggregate.order[0].index], chunk, cells, most == 0)


def _percentile(aggregate: AggregateOp, values: dict[int, pa.Array], chunk: Contents) -> pa.Array:
    """One fraction makes a value, an array of them an array."""
    column = values[aggregate.order[0].index]
    fractions = aggregate.direct[0].value
    totals = chunk.totals
    place = _place_disc if aggregate.function == "percentile_disc" else _place_cont
    if fractions is None:
        return pa.nulls(len(totals), aggregate.type.arrow)
    if aggregate.direct[0].type.kind is not Kind.ARRAY:
        return place(column, fractions, chunk, totals)
    items = [
        pa.nulls(len(totals), column.type) if f is None else place(column, f, chunk, totals)
        for f in fractions
    ]
    n, k = len(totals), len(items)
    some = np.flatnonzero(totals)
    across = (some[:, None] + n * np.arange(k)[None, :]).ravel()
    flat = pa.concat_arrays(items) if items else pa.nulls(0, column.type)
    return _lists(flat.take(pa.array(across)), np.where(totals > 0, k, 0), totals == 0)


def _cell_at(chunk: Contents, place: Ints) -> Indices:
    """The cell that holds the value at `place` (from 0) of each line."""
    running = np.cumsum(chunk.counts)
    before = np.concatenate(([0], running))[chunk.offsets[:-1]]
    return np.searchsorted(running, before + place, side="right")


def _place_disc(column: pa.Array, fraction: float, chunk: Contents, totals: Ints) -> pa.Array:
    """The first value whose place, as a share of all, reaches the fraction."""
    place = np.maximum(np.ceil(fraction * totals).astype(np.int64), 1) - 1
    return _at(column, chunk, _cell_at(chunk, place), totals == 0)


def _place_cont(column: pa.Array, fraction: float, chunk: Contents, totals: Ints) -> pa.Array:
    """Between the values at the places around fraction * (n - 1)."""
    missing = totals == 0
    if not len(chunk.rows):
        return pa.nulls(len(totals), column.type)
    numbers: npt.NDArray[np.float64] = buffers.fixed(column)[chunk.rows]
    exact = fraction * (totals - 1)
    first = np.floor(exact).astype(np.int64)
    second = np.ceil(exact).astype(np.int64)
    last = len(numbers) - 1
    low = numbers[np.minimum(_cell_at(chunk, np.maximum(first, 0)), last)]
    high = numbers[np.minimum(_cell_at(chunk, np.maximum(second, 0)), last)]
    with np.errstate(all="ignore"):
        between = low + (exact - first) * (high - low)
    return pa.array(np.where(first == second, low, between), mask=missing)


def _hypothetical(aggregate: AggregateOp, values: dict[int, pa.Array], chunk: Contents) -> pa.Array:
    """Where a row of the direct arguments would stand."""
    before: Mask | None = None
    equal: Mask | None = None
    for key, direct in zip(aggregate.order, aggregate.direct, strict=True):
        column = values[key.index]
        with_direct = pa.concat_arrays([column, canonical(pa.array([direct.value], column.type))])
        for keys in order_keys(with_direct, key.descending, key.nulls_first):
            less, same = keys[:-1] < keys[-1], keys[:-1] == keys[-1]
            before = less if before is None or equal is None else before | (equal & less)
            equal = same if equal is None else equal & same
    assert before is not None
    assert equal is not None
    ahead = before[chunk.rows]
    totals = chunk.totals
    match aggregate.function:
        case "dense_rank":
            return pa.array(chunk.sums(ahead.astype(np.int64)) + 1)
        case "rank":
            return pa.array(chunk.sums(ahead * chunk.counts) + 1)
        case "percent_rank":
            place = chunk.sums(ahead * chunk.counts)
            return pa.array(np.where(totals > 0, place / np.maximum(totals, 1), 0.0))
        case _:
            reached = chunk.sums((ahead | equal[chunk.rows]) * chunk.counts) + 1
            return pa.array(reached / (totals + 1))


_FUNCTIONS: dict[str, Callable[[AggregateOp, dict[int, pa.Array], Contents], pa.Array]] = {
    "array_agg": _array_agg,
    "string_agg": _string_agg,
    "first": _first,
    "mode": _mode,
    **dict.fromkeys(_PERCENTILES, _percentile),
    **dict.fromkeys(HYPOTHETICAL, _hypothetical),
}
