"""Combining: what the rows of one place come to, before they are sent to where their keys are brought together.

Sums add up, whoever adds.  So of a key that has many rows in one place not these are sent, but what they add to each sum (`partial_sums`),
and rows of other keys as they are.

That holds for counts and sums of updates of any sign, but a result like min, or the count of distinct values, needs the values
themselves: any of them may be the least one, once others have been retracted, wherever these are.
So of rows A some rows V are sent, those values with how often each occurs and NULL in every other column, and
the sums of A - V, in which all values cancel:

```
A = (k, 5, 10) (k, 5, 20) (k, 7, 30)     V = 2 (k, 5, NULL) 1 (k, 7, NULL)     sums of A - V = {k: 0 rows, sum 60}
     key, min's, sum's
```

To add up twice, here and where it is sent, costs more than to send the rows, unless a key has many of them.

Where A is few rows again and again, those are sent, with how often each occurs; so it is for a distinct or a threshold.
What is forgotten over append-only inputs can be left out here only if nobody else retracts at the same time what came and went: V are the
ends of min and max then, or the first rows of a top k; so are those of a top k whose state is not kept.  A source that was narrowed
(ALTER SOURCE ... ADD WHERE) only appends before and since, and has retractions: a job that hydrates finds a row in one part, and its
retraction in another.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ....repr.buffers import Words
from ....repr.consolidate import canonical, consolidate
from ....repr.hash import hash_columns, hash_times
from ....repr.order import order_keys
from ....repr.schema import Schema
from ...merge import Identity, merge_runs
from ...plan import DistinctOp, Op, ReduceOp, ThresholdOp, TopKOp
from ...spine import Spine
from ..segments import segments_of
from ..topk.topk import TopK
from .appended_extremes import AppendedExtremes
from .bits import BITS
from .moments import REGRESSIONS, VARIANCES
from .occurrences import Occurrences
from .partial_sums import sum_schemas, sums_of
from .reduce import extremes_of

LINEAR = frozenset(("count", "sum", "avg", "bool_and", "bool_or", "every", *VARIANCES, *REGRESSIONS, *BITS))
"""Aggregates whose state is sums, unless their argument is DISTINCT."""

EXTREMES = frozenset(("min", "max"))
"""Aggregates that look at values, and pass over NULL."""

FEW_ROWS = 64
"""Fewer are sent as they are: to look at them costs more than to send them."""

WORTH = 2
"""Equal rows are added up when there are at least so many of them per one that is sent."""

WORTH_SUMS = 16
"""To add sums up here, and again where they are sent, pays for a key that has at least so many rows: with fewer, more is
computed than is saved.  (Of 500,000 rows with 5, 10, 20, 50 of each key in each of two workers it takes 1.26, 1.12, 1.04, 0.91 times as long.)"""

WORTH_PART = 8
"""It does when the rows of such keys are at least such a part of all, an eighth."""

MOST_SENT = 1.0
"""What is sent in their place has no more than this part of the rows' bytes."""

MOST_ROWS = 1 << 28
"""Sums of more are not added up here: those of so many, and of as many V, do not wrap."""


@dataclass(frozen=True, slots=True)
class Combined:
    """`rows` are for the operator to take in as they are, and with them the `sums` (`Reduce.with_sums`).  `uncut`: it was to
    be cut short, and must not be."""

    rows: Batch
    sums: Mapping[str, Batch]
    uncut: bool = False

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + sum(batch.nbytes for batch in self.sums.values())


def adds_up(op: Op) -> bool:
    """Whether the rows of a key that are on their way to the operator are combined, however different they are, so that few are sent, unless
    it looks at the values of many."""
    match op:
        case DistinctOp() | ThresholdOp():
            return True
        case ReduceOp():
            return not op.monotonic and all(
                a.function in LINEAR | EXTREMES and not (a.distinct and a.rest) for a in op.aggregates
            )
        case _:
            return False


def counts_distinct(op: ReduceOp) -> tuple[int, ...]:
    """The DISTINCT arguments of a reduction of which nothing need be sent but sums, if whoever sends them has all rows of each of their values."""
    if op.monotonic or not all(a.function in LINEAR and not (a.distinct and a.rest) for a in op.aggregates):
        return ()
    return tuple(dict.fromkeys(a.argument for a in op.aggregates if a.distinct and a.argument is not None))


def can_be_cut(op: Op, *, kept: bool) -> bool:
    """Whether an operator wants no more of what is somewhere than what is at an end of it there: its state is not `kept`, or forgets the rest."""
    match op:
        case TopKOp():
            return bool(op.monotonic) or not kept
        case ReduceOp():
            return bool(op.monotonic)
        case _:
            return False


def combine(
    op: Op,
    schema: Schema,
    rows: Batch,
    hashes: Words | None = None,
    *,
    cut: bool = False,
) -> Combined:
    """What stands for `rows` (of `schema`), which are on their way to an operator `op`: themselves,
    where nothing is gained.  `hashes` are those of its key, if these are known.

    With `cut`, which is for operators that `can_be_cut`, rows are of one time, and what is wanted here are the first rows of a top k, or the
    ends of min and max.  That is wrong where a row is retracted that is somewhere else: then all are `uncut`, and so must be those of
    everybody.  Without it, another may retract, at the same time, a row of an append-only input that is here.
    """
    whole = Combined(rows, {})
    if cut and len(rows) and int(rows.diffs.min()) <= 0:
        rows = consolidate(rows)
        if len(rows) and int(rows.diffs.min()) < 0:
            return Combined(rows, {}, uncut=True)
    if not len(rows):
        return whole
    match op:
        case DistinctOp() | ThresholdOp() | ReduceOp() if len(rows) < FEW_ROWS:
            return whole
        case DistinctOp() | ThresholdOp():
            found = _consolidated(schema, rows, hashes)
        case ReduceOp() if op.monotonic and not cut:
            found = _consolidated(schema, rows, None)
        case ReduceOp():
            found = _reduced(op, schema, rows, hashes)
        case TopKOp(limit=int(limit), offset=offset) if cut:
            op = replace(op, limit=offset + limit, offset=0)
            rows = _first(op, rows, offset + limit)
            time = int(rows.times[0]) if len(rows) else 0
            found = Combined(TopK(op, schema).step((Delta(rows, NO_ERRORS),), time, time + 1).oks, {})
        case _:
            return whole
    return found if found.nbytes < MOST_SENT * whole.nbytes else whole


def state_schemas(op: Op, schema: Schema) -> dict[str, Schema]:
    """The shape of each of `Combined.sums` that an operator may be sent."""
    return sum_schemas(op, schema) if isinstance(op, ReduceOp) else {}


def _occurrences(rows: Batch, columns: tuple[pa.Array, ...], hashes: Words | None = None) -> Occurrences:
    """Of the values of the columns, per time."""
    if hashes is None:
        hashes = hash_columns(columns, len(rows))
    times = rows.times
    return Occurrences(hashes if (times == times[0]).all() else hashes ^ hash_times(times))


def _repeats(rows: Batch, columns: tuple[pa.Array, ...], copies: int = 1) -> bool:
    """Whether there are at least WORTH rows per value of the columns, were each sent so many times."""
    return copies * WORTH * _occurrences(rows, columns).values <= len(rows)


def _consolidated(schema: Schema, rows: Batch, hashes: Words | None) -> Combined:
    """Equal rows added up, where these are worth it; `hashes` are those of the rows."""
    found = _occurrences(rows, rows.columns, hashes)
    if WORTH * found.values <= len(rows):
        return Combined(consolidate(rows), {})
    if WORTH_PART * found.part_often(WORTH_SUMS) < 1:
        return Combined(rows, {})
    often = found.often(WORTH_SUMS)
    return Combined(concat_batches(schema, [rows.filter(~often), consolidate(rows.filter(often))]), {})


def _first(op: TopKOp, rows: Batch, count: int) -> Batch:
    """Some rows that the first `count` of all are among: by the first key of the order, ties included."""
    if op.group or not op.order or not 0 < count < len(rows):
        return rows
    by = op.order[0]
    key = order_keys(rows.columns[by.index], by.descending, by.nulls_first)[0]
    return rows.filter(key <= np.partition(key, count - 1)[count - 1])


def _reduced(op: ReduceOp, schema: Schema, rows: Batch, hashes: Words | None) -> Combined:
    keys = _occurrences(rows, rows.columns[: op.keys], hashes)
    if WORTH_PART * keys.part_often(WORTH_SUMS) < 1:
        return Combined(rows, {})
    often = keys.often(WORTH_SUMS)
    others = rows.filter(~often) if not often.all() else rows.slice(0, 0)
    found = _summed(op, schema, rows.filter(often))
    return Combined(concat_batches(schema, [others, found.rows]), found.sums)


def _summed(op: ReduceOp, schema: Schema, rows: Batch) -> Combined:
    """V and the sums of A - V, of A = `rows`; where V is hardly fewer rows, A itself."""
    ends = _only_ends(op, rows)
    values = [
        a
        for a in op.aggregates
        if (a.distinct or a.function not in LINEAR) and not (a.function in EXTREMES and a.argument in ends)
    ]
    if values and _repeats(rows, rows.columns):
        return Combined(consolidate(rows), {})
    arguments = dict.fromkeys(a.argument for a in values if a.argument is not None)
    keys = rows.columns[: op.keys]
    if (
        any(a.function not in LINEAR | EXTREMES or (a.distinct and a.rest) for a in values)
        or (values and len(rows.columns) == op.keys + 1)  # these are whole rows
        or not all(_repeats(rows, (*keys, rows.columns[i]), len(arguments)) for i in arguments)
        or float(np.abs(rows.diffs).sum(dtype=np.float64)) * (1 + len(arguments)) >= MOST_ROWS
    ):
        return Combined(rows, {})
    pieces = [_values(schema, op.keys, argument, rows) for argument in arguments]
    pieces += [_ends(op, schema, argument, rows) for argument in ends]
    sent = concat_batches(schema, pieces)
    return Combined(sent, sums_of(op, schema, concat_batches(schema, [rows, sent.negate()])))


def _only_ends(op: ReduceOp, rows: Batch) -> tuple[int, ...]:
    """The arguments of which nothing but the ends here can be those of all rows."""
    if not op.monotonic:
        return ()
    others = {a.argument for a in op.aggregates if a.distinct and a.function not in EXTREMES}
    found = (a.argument for a in op.aggregates if a.function in EXTREMES)
    return tuple(dict.fromkeys(i for i in found if i is not None and i not in others))


def _ends(op: ReduceOp, schema: Schema, argument: int, rows: Batch) -> Batch:
    """The ends of the column `argument` per group, with NULL in the other columns that are no keys."""
    keys = tuple(canonical(column) for column in rows.columns[: op.keys])
    segments = segments_of(rows, keys)
    extremes = AppendedExtremes(schema, op.keys, argument, extremes_of(op, argument))
    extremes.step(rows, buffers.take(keys, segments.heads), segments, segments.of_rows)
    found = _contents(extremes.spines()["ends"])
    columns = [pa.nulls(len(found), column.type.arrow) for column in schema]
    columns[: op.keys], columns[argument] = found.columns[:-1], found.columns[-1]
    return Batch(tuple(columns), np.full(len(found), rows.times[0]), found.diffs)


def _values(schema: Schema, keys: int, kept: int, rows: Batch) -> Batch:
    """The rows with NULL in the columns that are neither key nor `kept`, added up."""
    return consolidate(
        rows.with_columns(
            [
                column if i < keys or i == kept else pa.nulls(len(rows), column.type)
                for i, column in enumerate(rows.columns)
            ]
        )
    )


def _contents(spine: Spine) -> Batch:
    """What a spine holds, added up."""
    if not spine.runs:
        return concat_batches(spine.schema, [])
    others = tuple(i for i in range(len(spine.schema)) if i not in spine.sums)
    return merge_runs(spine.runs, spine.since, spine.sums, Identity(others, False)).batch
