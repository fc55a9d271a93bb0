"""Combining: what a task's rows come to, before they are sent to where their keys are brought together.

The state of an operator adds up: that of two collections together is the sum of theirs.  So rows that meet in one
task are sent as the state that they make, which is smaller when many have one key, and the receiver adds it
to the rest (`Reduce.begin_with`).

That holds for counts and sums, but a result like min, or the count of distinct values, needs the values themselves.
So of rows A the task sends some rows V, those values with how often each occurs and NULL in every other column, and
the state of A - V, in which all values cancel and only sums are left (over an append-only input, of which min and max
hold no values but the ends, V are the ends):

```
A = (k, 5, 10) (k, 5, 20) (k, 7, 30)     V = 2 (k, 5, NULL) 1 (k, 7, NULL)     A - V = {k: 0 rows, sum 60}
     key, min's, sum's
```

To compute the state twice, here of rows and there of what is sent, costs more than to send the rows, unless a key has many of them,
or one has most.

Where A is few rows again and again, those are sent, with how often each occurs; so it is for a distinct or a threshold.
Of a top k whose state is not kept, only the first rows here can be among the first of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ....repr import buffers
from ....repr.batch import NO_ERRORS, Batch, Delta, concat_batches
from ....repr.consolidate import canonical, consolidate
from ....repr.hash import hash_columns
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
from .reduce import Reduce, extremes_of

LINEAR = frozenset(("count", "sum", "avg", "bool_and", "bool_or", "every", *VARIANCES, *REGRESSIONS, *BITS))
"""Aggregates whose state is sums, unless their argument is DISTINCT."""

EXTREMES = frozenset(("min", "max"))
"""Aggregates that look at values, and pass over NULL."""

WORTH = 2
"""Rows are combined when there are at least so many of them per value that is sent."""

WORTH_SUMS = 8
"""To add sums up here, and again where they are sent, pays when there are at least so many rows per key: with fewer, more is
computed than is saved."""

HOT = 8
"""With WORTH rows per key, it also does when a key has so large a part of them, a HOT-th: they would all go to one task."""


@dataclass(frozen=True, slots=True)
class Combined:
    """`rows` are for the operator to take in as they are, `state` is to be added to it: by spine.  `uncut`: it was to
    be cut short, and must not be."""

    rows: Batch
    state: Mapping[str, Batch]
    uncut: bool = False

    @property
    def nbytes(self) -> int:
        return self.rows.nbytes + sum(batch.nbytes for batch in self.state.values())


def combine(op: Op, schema: Schema, rows: Batch, time: int, *, cut: bool = False) -> Combined:
    """What stands for `rows` (of `schema`, all at `time`), which are on their way to an operator `op`: themselves,
    where nothing is gained.

    With `cut`, the operator's state is not kept, so that a top k needs only what is in the top k here.  That is
    wrong where a row is retracted that is somewhere else: then all are `uncut`, and so must be those of every task.  A
    top k over an append-only input wants no more for its state either.
    """
    whole = Combined(rows, {})
    if not len(rows):
        return whole
    match op:
        case DistinctOp() | ThresholdOp():
            found = Combined(consolidate(rows), {}) if _repeats(rows, range(len(schema))) else whole
        case ReduceOp():
            found = _reduced(op, schema, rows, time) if _pays(rows, range(op.keys)) else whole
        case TopKOp(limit=int(limit), offset=offset) if cut:
            if int(rows.diffs.min()) <= 0:
                rows = consolidate(rows)
                if len(rows) and int(rows.diffs.min()) < 0:
                    return Combined(rows, {}, uncut=True)
            op = replace(op, limit=offset + limit, offset=0)
            rows = _first(op, rows, offset + limit)
            found = Combined(TopK(op, schema).step((Delta(rows, NO_ERRORS),), time, time + 1).oks, {})
        case _:
            return whole
    return found if found.nbytes < whole.nbytes else whole


def state_schemas(op: Op, schema: Schema, output: Schema) -> dict[str, Schema]:
    """The shape of each `Combined.state` that an operator may be sent."""
    if not isinstance(op, ReduceOp):
        return {}
    return {name: spine.schema for name, spine in Reduce(op, schema, output, -1).spines().items()}


def resumed(operator: Reduce, schema: Schema, rows: Batch, state: Mapping[str, Batch], time: int) -> Batch:
    """Gives `operator` (new, over `schema`) the state; returns the rows that it is to take in at `time`."""
    operator.begin_with(state)
    touched = [rows]
    for batch in state.values():
        # A row of multiplicity zero: nothing but the news that this group is there.
        keys = batch.columns[: operator.keys]
        nulls = tuple(pa.nulls(len(batch), column.type.arrow) for column in schema.columns[operator.keys :])
        times = np.full(len(batch), time, np.uint64)
        touched.append(Batch((*keys, *nulls), times, np.zeros(len(batch), np.int64)))
    return concat_batches(schema, touched)


def _repeats(rows: Batch, key: Iterable[int], copies: int = 1) -> bool:
    """Whether there are at least WORTH rows per value of the columns `key`, were each sent so many times."""
    hashes = np.sort(hash_columns([rows.columns[i] for i in key], len(rows)))
    return copies * WORTH * (1 + int(np.count_nonzero(hashes[1:] != hashes[:-1]))) <= len(rows)


def _pays(rows: Batch, key: Iterable[int]) -> bool:
    """Whether to send the sums of each value of the columns `key` is worth their computation."""
    n = len(rows)
    hashes = np.sort(hash_columns([rows.columns[i] for i in key], n))
    starts = np.flatnonzero(np.concatenate(([True], hashes[1:] != hashes[:-1])))
    if WORTH_SUMS * len(starts) <= n:
        return True
    return WORTH * len(starts) <= n and HOT * int(np.diff(starts, append=n).max()) >= n


def _first(op: TopKOp, rows: Batch, count: int) -> Batch:
    """Some rows that the first `count` of all are among: by the first key of the order, ties included."""
    if op.group or not op.order or not 0 < count < len(rows):
        return rows
    by = op.order[0]
    key = order_keys(rows.columns[by.index], by.descending, by.nulls_first)[0]
    return rows.filter(key <= np.partition(key, count - 1)[count - 1])


def _reduced(op: ReduceOp, schema: Schema, rows: Batch, time: int) -> Combined:
    ends = _only_ends(op, rows)
    values = [
        a
        for a in op.aggregates
        if (a.distinct or a.function not in LINEAR) and not (a.function in EXTREMES and a.argument in ends)
    ]
    if values and _repeats(rows, range(len(schema))):
        return Combined(consolidate(rows), {})
    arguments = dict.fromkeys(a.argument for a in values if a.argument is not None)
    if any(a.function not in LINEAR | EXTREMES or (a.distinct and a.rest) for a in values) or not all(
        _repeats(rows, (*range(op.keys), i), len(arguments)) for i in arguments
    ):
        return Combined(rows, {})
    pieces = [_values(schema, op.keys, argument, rows) for argument in arguments]
    pieces += [_ends(op, schema, argument, rows) for argument in ends]
    sent = concat_batches(schema, pieces)
    # min and max hold no sums, and in A - V no values either.
    sums = tuple(a for a in op.aggregates if a.function not in EXTREMES)
    local = Reduce(replace(op, aggregates=sums, scalar=False, monotonic=()), schema, schema, time)
    rest = concat_batches(schema, [rows, sent.negate()])
    local.hold(rest)
    state = {name: _contents(spine) for name, spine in local.spines().items()}
    groups = state["groups"]
    # Of no values no ends are known: zeros.
    unset = len(state_schemas(op, schema, schema)["groups"]) - len(groups.columns)
    unknown = pa.array(np.zeros(len(groups), np.int64))
    state["groups"] = groups.with_columns((*groups.columns, *[unknown] * unset))
    return Combined(sent, {name: batch for name, batch in state.items() if len(batch)})


def _only_ends(op: ReduceOp, rows: Batch) -> tuple[int, ...]:
    """The arguments of which nothing but the ends here can be those of all rows."""
    if not op.monotonic or int(rows.diffs.min()) < 0:
        return ()
    others = {a.argument for a in op.aggregates if a.distinct and a.function not in EXTREMES}
    found = (a.argument for a in op.aggregates if a.function in EXTREMES)
    return tuple(dict.fromkeys(i for i in found if i is not None and i not in others))


def _ends(op: ReduceOp, schema: Schema, argument: int, rows: Batch) -> Batch:
    """The ends of the column `argument` per group, with NULL in the other columns that are no keys."""
    keys = tuple(canonical(column) for column in rows.columns[: op.keys])
    segments = segments_of(rows, keys)
    extremes = AppendedExtremes(schema, op.keys, argument, extremes_of(op, argument))
    extremes.step(rows, buffers.take(keys, segments.heads), segments, segments.of_rows())
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
