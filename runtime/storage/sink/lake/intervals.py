"""A sink whose target takes commits, each of an interval: what comes in between waits in memory.

```
write ── write ── write: the interval is over ── commit of all three ── write ...
  │        └ what was handed over is below `upper`, what was committed below `durable_upper`
  └ the contents that the sink begins with are committed at once
```

A target that is a table of files is read as of one of its commits, each of which has a price.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ....repr.batch import Batch, Mask, concat_batches
from ....repr.consolidate import consolidate
from ....repr.schema import Schema
from ..change_records import ABSENT, SinkEnvelope, change_records
from ..contract import SinkStatistics, nothing
from ..resumed import ResumedSink

DEFAULT_INTERVAL_MS = 60_000
LOOK_MS = 60_000
"""So often who does not commit looks whether the target is still its own, or once an interval if that is longer."""
IDLE_PROGRESS_MS = 600_000
"""Where nothing changes progress is committed so often, or once an interval if that is longer."""
MOST_PENDING_BYTES = 256 << 20
"""Of changes that wait: more are committed before the interval is over."""


@dataclass(frozen=True, slots=True)
class NetChanges:
    """What an interval makes of rows with different keys: `keys` has a row of each key that changed, `was_there` says which of
    them had a row before, and `rows` are those that they have afterwards."""

    keys: Batch
    was_there: Mask
    rows: Batch


def net_changes(schema: Schema, changes: Batch, key: Sequence[int]) -> NetChanges:
    """Raises KeyNotUnique."""
    at_once = np.full(len(changes), changes.times.max(initial=0), changes.times.dtype)
    net = consolidate(Batch(changes.columns, at_once, changes.diffs))
    records = change_records(schema, net, SinkEnvelope.UPSERT, key)
    rows = net.take(records.after[records.after != ABSENT])
    return NetChanges(net.take(records.keys), records.before != ABSENT, rows)


class IntervalSink(ResumedSink):
    """`_commit` and `open` see to what the target has."""

    def __init__(self, schema: Schema, generation: int, interval_ms: int) -> None:
        super().__init__(schema, generation)
        self._interval_ms = interval_ms
        self._pending: tuple[Batch, ...] = ()
        self._pending_bytes = 0
        self._looked_upper = 0

    def write(
        self,
        changes: Batch,
        lower: int,
        upper: int,
        switched_at: int = 0,
        between: Callable[[], None] = nothing,
    ) -> None:
        """What is due is committed; the rest waits.  Raises also IntervalRefused."""
        self._check_next(lower, upper)
        if self._durable_upper < upper:
            pending = (*self._pending, changes) if len(changes) else self._pending
            nbytes = self._pending_bytes + (changes.nbytes if len(changes) else 0)
            if self._is_due(upper, nbytes, bool(pending)):
                generation = self._generation_at(upper, switched_at)
                waiting = concat_batches(self._schema, pending)
                done = self._commit(waiting, upper, generation, between)
                rows, size = done.messages_staged, done.bytes_staged
                self._count(rows, rows, size, size, done.files)
                pending, nbytes = (), 0
                self._looked_upper = upper
            elif upper - self._looked_upper >= max(LOOK_MS, self._interval_ms):
                self._look()
                self._looked_upper = upper
            self._pending, self._pending_bytes = pending, nbytes
        self._upper = upper

    def _is_due(self, upper: int, nbytes: int, changed: bool) -> bool:
        since = upper - self._durable_upper
        if self._generation != self._written_generation or nbytes > MOST_PENDING_BYTES:
            return True
        return since >= (self._interval_ms if changed else max(IDLE_PROGRESS_MS, self._interval_ms))

    def _begin(self) -> int:
        """What `open` returns: nothing waits."""
        self._pending, self._pending_bytes = (), 0
        self._looked_upper = self._resume()
        return self._looked_upper

    @abstractmethod
    def _commit(
        self, changes: Batch, upper: int, generation: int, between: Callable[[], None]
    ) -> SinkStatistics:
        """Makes all below `upper` durable, unless it is: then a commit that got no answer was done.  What was written for it."""

    @abstractmethod
    def _look(self) -> None:
        """Raises SinkFenced and SinkStalled where the target is not the sink's any more."""
