"""FlatMap: table functions over the columns of a row, without state.

```
(a, {x, y})   unnest    (a, x)
(b, {})      ------->   (a, y)
(c, {z})                (c, z)
```

Every row becomes as many as the longest of its calls has values, at the row's time and with its diff, so that a
deletion takes back what the insertion gave.  A row on which a call fails becomes an update of the errors.  One step
gives MAX_STEP_ROWS rows at most: beyond that the dataflow fails with an error that says so.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...errors import PtvcError
from ...expr.columns.row_errors import RowErrors, merge_errors
from ...expr.evaluate import evaluate
from ...expr.tables.table_functions import Expanded, Ints, expand, positions
from ...expr.tree.function import Datum
from ...expr.tree.relation import TableCall
from ...expr.tree.scalar import Literal
from ...repr.batch import NO_ERRORS, Batch, Delta
from ...repr.schema import Schema
from ..plan import FlatMapOp
from .base import Operator

MAX_STEP_ROWS = 50_000_000


class FlatMap(Operator):
    """out = {row[kept] + values(row, i)} for i below the longest call's count, each with the diff of its row."""

    def __init__(self, op: FlatMapOp, schema: Schema) -> None:
        super().__init__(schema)
        self._op = op

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        (batch,) = oks
        n = len(batch)
        found: list[Expanded] = []
        failed: list[RowErrors | None] = []
        for call in self._op.calls:
            args, errors = _arguments(call, batch)
            expanded = expand(call, args, n)
            found.append(expanded)
            failed += [errors, expanded.errors]
        errors = merge_errors(failed)
        counts = np.maximum.reduce([expanded.counts for expanded in found])
        if self._op.outer:
            counts = np.maximum(counts, 1)
        if errors is not None:
            counts = counts.copy()
            counts[errors.indices] = 0
        total = int(counts.sum())
        if total > MAX_STEP_ROWS:
            raise PtvcError(
                f"table functions give {total} rows in one step, more than {MAX_STEP_ROWS}",
                sqlstate="54000",
                hint="Filter the rows before the table function, or make its arguments smaller.",
            )
        rows, place = positions(counts)
        index = pa.array(rows)
        columns = [batch.columns[i].take(index) for i in self._op.kept]
        columns += [_values(expanded, counts, rows, place) for expanded in found]
        if self._op.ordinality:
            columns.append(self._numbers(found, rows, place))
        errs = NO_ERRORS
        if errors is not None:
            at = errors.indices
            errs = Batch((errors.sqlstates, errors.messages), batch.times[at], batch.diffs[at])
        return self.delta(Batch(tuple(columns), batch.times[rows], batch.diffs[rows]), errs)

    def _numbers(self, found: list[Expanded], rows: Ints, place: Ints) -> pa.Array:
        longest = np.maximum.reduce([expanded.counts for expanded in found])
        return pa.array(place + 1, mask=place >= longest[rows])


def _arguments(call: TableCall, batch: Batch) -> tuple[list[Datum], RowErrors | None]:
    """The call's arguments, literals as scalars, and the errors of rows on which one fails."""
    args: list[Datum] = []
    failed: list[RowErrors | None] = []
    for arg in call.args:
        if isinstance(arg, Literal):
            args.append(pa.scalar(arg.value, arg.type.arrow))
            continue
        result = evaluate(arg, batch.columns, len(batch))
        args.append(result.values)
        failed.append(result.errors)
    return args, merge_errors(failed)


def _values(expanded: Expanded, counts: Ints, rows: Ints, place: Ints) -> pa.Array:
    """The call's values in step with `counts` rows for each row of the input, NULL where it has run out."""
    own = expanded.counts
    if own is counts or np.array_equal(own, counts):
        return expanded.values
    begins = np.cumsum(own) - own
    there = place < own[rows]
    return expanded.values.take(pa.array(np.where(there, begins[rows] + place, 0), mask=~there))
