"""Reduce: one row per group, kept up to date.

```
rows ── segments (group, time) ──┬── summands ── running sums on top of the group's state ──┐
                                 ├── DISTINCT: counts per (group, value) that cross zero ───┤ results before and
                                 ├── float sums, limb by limb ──────────────────────────────┤ after each segment
                                 ├── min, max over the group's values ──────────────────────┤
                                 └── whole groups anew: array_agg, percentiles, ... ────────┘
```

At every (group, time) the row that was is retracted and the row that is inserted, where the two differ.  A result
that does not fit its type is an error in place of the row, and is retracted like one.

State: `groups`, one row per group whose multiplicity is the number of the group's rows and whose other columns are
the accumulators, then the ends that min and max know (`ends`); `floats`, one row per (group, limb); `distinct_<i>`,
`values_<i>`, `min_<i>` and `max_<i>` for argument i (over an append-only input `ends_<i>` in place of the last three);
`rows` for aggregates of whole groups.  State is as of the end of the last step, so its rows bear no time of
their own (0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....errors import Unsupported
from ....expr.columns.row_errors import Evaluated, RowErrors
from ....expr.functions.aggregates import empty_value
from ....repr.batch import NO_ERRORS, Batch, Delta, Mask, concat_batches
from ....repr.buffers import fixed, take
from ....repr.consolidate import canonical
from ....repr.equality import rows_equal
from ....repr.multiplicity import check_sum
from ....repr.schema import ERROR_SCHEMA, Column, Schema
from ....repr.types import INT8
from ...plan import WHOLE_GROUP, ReduceOp
from ...spine import Spine
from ..base import Operator
from ..insertions import insertions
from ..segments import Ints, Segments, segments_of
from .accumulators import Accumulators, FloatSum
from .appended_extremes import AppendedExtremes
from .distinct_values import DistinctValues
from .float_state import Feed, FloatState, Gained
from .float_sum import ExactSums
from .hierarchical import Extremes
from .partial_sums import Placed, Sums, noted, sum_schemas, sums_of
from .presence import Extreme
from .whole_group import WholeGroups


@dataclass(frozen=True, slots=True)
class _Results:
    """Before and after each of s segments, stacked: `exists` bool[2 s], aggregate columns of 2 s values, and
    errors by position in the stack."""

    exists: Mask
    columns: tuple[pa.Array, ...]
    errors: tuple[RowErrors, ...]


@dataclass(frozen=True, slots=True)
class _Taken:
    """State before each of s segments and after it: `stacked` int64[1 + columns, 2 s], multiplicities first; and what the others say of
    both."""

    stacked: Ints
    floats: dict[FloatSum, ExactSums]
    extremes: dict[int, dict[Extreme, pa.Array]]
    whole: dict[int, pa.Array]


class Reduce(Operator):
    """`as_of` is when a `scalar` reduction over nothing has its row."""

    def __init__(self, op: ReduceOp, input_schema: Schema, schema: Schema, as_of: int) -> None:
        super().__init__(schema)
        self._op = op
        self._as_of = as_of
        self._keys = op.keys
        self._sums: Sums | None = None
        keys = input_schema.columns[: op.keys]
        arguments = [
            (a.argument, a.function in ("min", "max"), a.distinct)
            for a in op.aggregates
            if a.argument is not None and a.function not in WHOLE_GROUP
        ]
        self._distinct = {
            i: DistinctValues(input_schema, op.keys, i)
            for i, extreme, distinct in arguments
            if distinct and not extreme
        }
        self._input_schema = input_schema
        wanted = {i: extremes_of(op, i) for i, extreme, _ in arguments if extreme}
        self._extremes: dict[int, Extremes] = {}
        self._appended: dict[int, AppendedExtremes] = {}
        if op.monotonic:
            self._appended = {i: AppendedExtremes(input_schema, op.keys, i, w) for i, w in wanted.items()}
        else:
            self._extremes = {i: Extremes(input_schema, op.keys, i, w) for i, w in wanted.items()}
        self._accumulators = Accumulators(op, input_schema)
        sums = tuple(Column(f"sum_{i}", INT8, False) for i in range(self._accumulators.width))
        sums += tuple(column for extremes in self._extremes.values() for column in extremes.ends)
        summed = range(op.keys, op.keys + len(sums))
        self._groups = Spine(Schema(keys + sums), tuple(range(op.keys)), tuple(summed))
        self._spines = {"groups": self._groups}
        self._spines |= {f"distinct_{i}": state.spine for i, state in self._distinct.items()}
        held: dict[int, Extremes | AppendedExtremes] = {**self._extremes, **self._appended}
        for i, values in held.items():
            self._spines |= {f"{name}_{i}": spine for name, spine in values.spines().items()}
        whole = {i: a for i, a in enumerate(op.aggregates) if a.function in WHOLE_GROUP}
        self._whole: WholeGroups | None = None
        if whole:
            self._whole = WholeGroups(input_schema, op.keys, whole)
            self._spines["rows"] = self._whole.spine
        self._floats: FloatState | None = None
        if self._accumulators.floats:
            self._floats = FloatState(keys, tuple(self._accumulators.floats))
            self._spines["floats"] = self._floats.spine

    def spines(self) -> dict[str, Spine]:
        return self._spines

    def with_sums(self, rows: Batch, sums: Mapping[str, Sequence[Batch]]) -> Batch:
        """What is to be taken in by the next step in place of `rows`, so that it takes in the partial sums of others as well, some
        batches of each kind."""
        schemas = sum_schemas(self._op, self._input_schema)
        self._sums = {name: concat_batches(schemas[name], batches) for name, batches in sums.items()}
        return noted(self._input_schema, self._keys, rows, self._sums)

    def sums_with_distinct(self, rows: Batch) -> dict[str, Batch]:
        """What the rows, of which there is one at least, add to the sums of their groups, which another reduction takes in (`with_sums`).
        All rows of a group that have the same value of a DISTINCT argument come here: their counts are state of this one."""
        check_sum(rows.diffs)
        _check_range(rows.diffs, 0.0, np.zeros(1, np.int64))
        return sums_of(self._op, self._input_schema, rows, self._distinct)

    def step(self, inputs: tuple[Delta, ...], lower: int, upper: int) -> Delta:
        output = super().step(inputs, lower, upper)
        if not self._op.scalar or not lower <= self._as_of < upper:
            return output
        first = Batch(self._empty_row(), np.array([self._as_of], np.uint64), np.ones(1, np.int64))
        return Delta(concat_batches(self.schema, [first, output.oks]), output.errs)

    def _empty_row(self) -> tuple[pa.Array, ...]:
        """The aggregates over no rows."""
        return tuple(
            pa.array([empty_value(aggregate.function)], aggregate.type.arrow)
            for aggregate in self._op.aggregates
        )

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        if self._op.monotonic:
            batch = insertions(self._input_schema, batch, self._op.monotonic)
            if not len(batch):
                return self._nothing
        batch, keys, heads, segments = self._segmented(batch)
        taken = self._take_in(batch, keys, heads, segments)
        results = self._finish(taken.stacked[0], taken.stacked[1:], taken.floats, taken.extremes, taken.whole)
        return self._emit(results, heads, segments)

    def _segmented(self, batch: Batch) -> tuple[Batch, tuple[pa.Array, ...], tuple[pa.Array, ...], Segments]:
        """The rows with their keys in canonical form; the keys of rows and of groups; the segments."""
        keys = tuple(canonical(column) for column in batch.columns[: self._keys])
        batch = batch.with_columns((*keys, *batch.columns[self._keys :]))
        segments = segments_of(batch, keys)
        if len(segments.heads) == len(batch) and segments.groups == 1:
            heads = keys
        else:
            heads = take(keys, segments.heads)
        return batch, keys, heads, segments

    def _take_in(
        self, batch: Batch, keys: tuple[pa.Array, ...], heads: tuple[pa.Array, ...], segments: Segments
    ) -> _Taken:
        counts, deltas, gained = self._added(batch, keys, segments)
        rows_of_sums = 0.0
        if self._sums is not None:
            placed, self._sums = Placed.of(self._sums, segments.of_rows, self._keys), None
            rows_of_sums = placed.add(counts, deltas)
            if self._floats is not None:
                gained = placed.join(self._floats.sums, gained)
        held = self._before(heads, segments)
        check_sum(batch.diffs)
        if self._accumulators.width:
            _check_range(batch.diffs, rows_of_sums, held[0])
        if segments.single:
            totals, total_sums = counts, deltas
        else:
            totals = np.add.reduceat(counts, segments.first)
            total_sums = np.add.reduceat(deltas, segments.first, axis=1)
        floats: dict[FloatSum, ExactSums] = {}
        if self._floats is not None:
            floats = self._floats.step(gained, heads, segments)
        extremes = {
            i: state.step(batch, heads, segments, segments.of_rows) for i, state in self._appended.items()
        }
        moves, at = [], 1 + len(deltas)
        for i, state in self._extremes.items():
            ends = held[at : at + len(state.ends)]
            at += len(state.ends)
            sizes = held[0] + totals
            extremes[i], ends_after = state.step(batch, keys, heads, segments, segments.of_rows, sizes, ends)
            moves.append(ends_after - ends)
        self._groups.insert(
            Batch(
                (*heads, *(pa.array(row) for rows in (total_sums, *moves) for row in rows)),
                np.zeros(segments.groups, np.uint64),
                totals,
            ),
            segments.hashes,
        )
        whole = {} if self._whole is None else self._whole.step(batch, keys, heads, segments)
        before = held[: 1 + len(deltas)]
        after = segments.running(before, np.concatenate((counts[None, :], deltas)))
        stacked = np.concatenate((segments.previous(before, after), after), axis=1)
        return _Taken(stacked, floats, extremes, whole)

    def _added(
        self, batch: Batch, keys: tuple[pa.Array, ...], segments: Segments
    ) -> tuple[Ints, Ints, dict[int, Gained]]:
        """What the rows add in each segment: to the multiplicity, to the accumulators, and to the sums of floats."""
        counts = segments.sums(batch.diffs)
        deltas = np.zeros((self._accumulators.width, len(segments.starts)), np.int64)
        feeds: list[Feed] = []
        for source in self._accumulators.sources:
            if source is None:
                columns = dict(enumerate(batch.columns))
                for row, values in self._accumulators.feed(None, columns, batch.diffs):
                    deltas[row] = counts if values is batch.diffs else segments.sums(values)
                if self._accumulators.floats:
                    feeds += self._accumulators.float_feeds(None, columns, segments.of_rows, batch.diffs)
                continue
            crossings = self._distinct[source].step(batch, keys, segments.of_rows)
            for row, values in self._accumulators.feed(source, {source: crossings.values}, crossings.diffs):
                np.add.at(deltas[row], crossings.segments, values)
            feeds += self._accumulators.float_feeds(
                source, {source: crossings.values}, crossings.segments, crossings.diffs
            )
        return counts, deltas, {} if self._floats is None else self._floats.sums.fed(feeds)

    def _before(self, heads: tuple[pa.Array, ...], segments: Segments) -> Ints:
        """The state before the step: int64[1 + columns, g], the multiplicity of every group and its columns."""
        width = len(self._groups.sums)
        held = np.zeros((1 + width, segments.groups), np.int64)
        matches = self._groups.probe(heads, segments.hashes, columns=self._groups.sums)
        if len(matches):
            np.add.at(held[0], matches.probe, matches.rows.diffs)
            for row, column in zip(held[1:], matches.rows.columns, strict=True):
                np.add.at(row, matches.probe, fixed(column))
        return held

    def _finish(
        self,
        rows: Ints,
        sums: Ints,
        floats: dict[FloatSum, ExactSums],
        extremes: dict[int, dict[Extreme, pa.Array]],
        whole: dict[int, pa.Array],
    ) -> _Results:
        columns = []
        errors = []
        for number, aggregate in enumerate(self._op.aggregates):
            if number in whole:
                result = Evaluated(whole[number])
            elif aggregate.function in ("min", "max"):
                assert aggregate.argument is not None
                function: Extreme = "min" if aggregate.function == "min" else "max"
                result = Evaluated(extremes[aggregate.argument][function])
            else:
                result = self._accumulators.finish(aggregate, sums, rows, floats)
            columns.append(result.values)
            if result.errors is not None:
                errors.append(result.errors)
        exists = np.ones(len(rows), np.bool_) if self._op.scalar else rows > 0
        return _Results(exists, tuple(columns), tuple(errors))

    def _emit(self, results: _Results, heads: tuple[pa.Array, ...], segments: Segments) -> Delta:
        s = len(segments.starts)
        exists = results.exists
        good = exists
        errs = NO_ERRORS
        if results.errors:
            good = exists.copy()
            errs = self._errors(results, segments)
            for errors in results.errors:
                good[errors.indices] = False
        positions = np.arange(s)
        both = good[:s] & good[s:]
        changed = ~(both & rows_equal(results.columns, positions, results.columns, positions + s, exact=True))
        chosen = np.flatnonzero(good & np.concatenate((changed, changed)))
        if not len(chosen):
            return self.delta(self._nothing.oks, errs)
        after = chosen >= s
        segment = chosen - s * after
        columns = take(results.columns, chosen)
        if self._keys:
            columns = (*take(heads, segments.group[segment]), *columns)
        return self.delta(
            Batch(columns, segments.times[segment], np.where(after, 1, -1).astype(np.int64)), errs
        )

    def _errors(self, results: _Results, segments: Segments) -> Batch:
        """Retractions of the errors before each segment, and the errors after it; only the first of a group."""
        s = len(segments.starts)
        batches = []
        seen = np.zeros(2 * s, np.bool_)
        for errors in results.errors:
            wanted = results.exists[errors.indices] & ~seen[errors.indices]
            seen[errors.indices] = True
            at = errors.indices[wanted]
            index = pa.array(np.flatnonzero(wanted))
            batches.append(
                Batch(
                    (errors.sqlstates.take(index), errors.messages.take(index)),
                    segments.times[at % s],
                    np.where(at >= s, 1, -1).astype(np.int64),
                )
            )
        return concat_batches(ERROR_SCHEMA, batches)


def extremes_of(op: ReduceOp, argument: int) -> tuple[Extreme, ...]:
    """Which of min and max are asked for of an argument."""
    functions = {a.function for a in op.aggregates if a.argument == argument}
    wanted: tuple[Extreme, ...] = ("min", "max")
    return tuple(name for name in wanted if name in functions)


_MAX_ROWS = 1 << 29


def _check_range(diffs: Ints, rows_of_sums: float, before: Ints) -> None:
    """Refuses what might wrap.  A limb is below 2^33, so a sum of 2^29 of them on top of another is below 2^63."""
    arriving = float(np.abs(diffs).sum(dtype=np.float64)) + rows_of_sums
    most = max(arriving, float(before.max()))
    if most >= _MAX_ROWS:
        raise Unsupported(
            f"aggregating {most:,.0f} rows of one group or one step is not supported",
            hint=f"The limit is {_MAX_ROWS:,}: aggregate in two steps, or remove duplicates first.",
        )
