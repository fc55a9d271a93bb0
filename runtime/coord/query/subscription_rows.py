"""The rows of a subscription, by its envelope (see `sql.statement.subscribe` for their columns).

| form | one row per | state, by the changes of the key at a time |
|---|---|---|
| plain | row and time: how many more or fewer there are | - |
| ENVELOPE UPSERT | key and time | a row comes: upsert; one goes: delete |
| ENVELOPE DEBEZIUM | key and time | one comes: insert; one goes: delete; both: upsert |

More changes of a key than that are a key_violation.  Times never go back.  Within one the order is that of WITHIN TIMESTAMP ORDER
BY, and otherwise depends on the changes alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...repr.batch import Batch, Delta, Indices, Mask
from ...repr.order import dense_ranks, sort_indices
from ...sql.plans.query_plans import Envelope, Subscribe
from ..results.results import Columns

PROGRESS_MS = 500
"""How often a row of progress is sent while nothing changes."""

_STATES = pa.array(["insert", "upsert", "delete", "key_violation"])
_INSERT, _UPSERT, _DELETE, _VIOLATION = range(4)


@dataclass(frozen=True, slots=True)
class Step:
    """Changes, consolidated; with `upper`, they are complete below it.

    Only parts of a snapshot have no `upper`.
    """

    delta: Delta
    upper: int | None


class RowEncoder:
    """Encodes the changes of one subscription, which begins at the time `begin`.

    A progress row of time t stands behind all rows of t and of earlier times, the snapshot's included, and before all later
    ones: what came before it, and a subscription AS OF t without a snapshot, are the whole.
    """

    def __init__(self, plan: Subscribe, begin: int) -> None:
        self._plan = plan
        self._values = tuple(i for i in range(len(plan.relation.schema)) if i not in plan.key)
        self._begin = begin
        self._progressed: int | None = None

    def begun(self) -> Columns | None:
        """Without a snapshot there is nothing to come of the beginning."""
        return None if self._plan.snapshot else self.progressed(self._begin + 1, changed=False)

    def progressed(self, upper: int, *, changed: bool) -> Columns | None:
        """The progress row that stands behind all changes before `upper`; None if none is asked for, or the last one is as
        good."""
        time, last = upper - 1, self._progressed
        if not self._plan.progress or time < self._begin:
            return None
        if last is not None and (time <= last or not (changed or time - last >= PROGRESS_MS)):
            return None
        self._progressed = time
        return self._progress(time)

    def rows(self, batch: Batch) -> Columns | None:
        """All changes of some times."""
        if not len(batch):
            return None
        if self._plan.envelope is Envelope.NONE:
            return self._plain(batch)
        return self._by_key(batch)

    def _progress(self, time: int) -> Columns:
        head = (pa.array([time], pa.int64()), pa.array([True]))
        return (*head, *(pa.nulls(1, type_.arrow) for type_ in self._plan.schema.types[2:]))

    def _head(self, times: pa.Array) -> Columns:
        return (times, pa.array(np.zeros(len(times), np.bool_))) if self._plan.progress else (times,)

    def _plain(self, batch: Batch) -> Columns:
        times, diffs = pa.array(batch.times.astype(np.int64)), pa.array(batch.diffs)
        order = self._plan.order
        if order:
            by = [times, *(diffs if key.index == 0 else batch.columns[key.index - 1] for key in order)]
            descending = [False, *(key.descending for key in order)]
            nulls_first = [False, *(key.nulls_first for key in order)]
            index = pa.array(sort_indices(by, descending, nulls_first))
        elif (batch.times[1:] >= batch.times[:-1]).all():
            return (*self._head(times), diffs, *batch.columns)
        else:
            index = pa.array(np.argsort(batch.times, kind="stable"))
        return (
            *self._head(times.take(index)),
            diffs.take(index),
            *(column.take(index) for column in batch.columns),
        )

    def _by_key(self, batch: Batch) -> Columns:
        ranks = dense_ranks([batch.columns[index] for index in self._plan.key], len(batch))
        order: Indices = np.lexsort((batch.diffs > 0, ranks, batch.times))
        times, ranks, diffs = batch.times[order], ranks[order], batch.diffs[order]
        fresh = np.ones(len(order), np.bool_)
        fresh[1:] = (times[1:] != times[:-1]) | (ranks[1:] != ranks[:-1])
        starts = np.flatnonzero(fresh)
        ends = np.append(starts[1:], len(order)) - 1
        come = np.add.reduceat(np.maximum(diffs, 0), starts)
        gone = np.add.reduceat(np.maximum(-diffs, 0), starts)
        violated: Mask = (come > 1) | (gone > 1)
        debezium = self._plan.envelope is Envelope.DEBEZIUM
        states = np.where(come > 0, _INSERT if debezium else _UPSERT, _DELETE)
        states[(come > 0) & (gone > 0)] = _UPSERT
        states[violated] = _VIOLATION
        after = pa.array(order[ends], mask=violated | (come == 0))
        values = [batch.columns[index] for index in self._values]
        output = [column.take(after) for column in values]
        if debezium:
            before = pa.array(order[starts], mask=violated | (gone == 0))
            output = [*(column.take(before) for column in values), *output]
        keys = pa.array(order[ends])
        return (
            *self._head(pa.array(times[starts].astype(np.int64))),
            _STATES.take(pa.array(states)),
            *(batch.columns[index].take(keys) for index in self._plan.key),
            *output,
        )
