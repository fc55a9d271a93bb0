"""The switch of a sink from its former input to another: the changes by which its target holds the one and then the other.

```
target        ... lower │ changes of the former input ... time-1 │ time: new - former │ time+1 ... changes of the new one
```

So who follows the target sees one change at one time, no record twice and none left out; rows that both have are none.  Where their columns
differ it is in columns that have values of both (`storage.sink.lake.exchange`).
"""

from __future__ import annotations

import numpy as np

from ..repr.batch import Batch, Delta, concat_batches, empty_delta
from ..storage.sink.lake.exchange import Exchange


def switched(exchange: Exchange, former: Delta | None, new: Delta | None, lower: int, time: int) -> Delta:
    """What is to be written from `lower` on; `former` are its updates below `time` (contents, then changes), `new` those of
    the other input, of which `time` is the first to be shown.

    Changes of the former input that cannot be shown, as it is in error when it ends, are left out: its last good contents,
    which the target has, are what goes.
    """
    old = former or empty_delta(exchange.former)
    oks = old.oks.filter(old.oks.times < lower) if _in_error(old) and len(old.oks) else old.oks
    shown = oks.filter(oks.times >= lower) if len(oks) else oks
    found = new or empty_delta(exchange.new)
    begun = exchange.of_new(_from(found.oks, time))
    ended = [exchange.of_former(shown), exchange.of_former(_at(oks.negate(), time))]
    return Delta(concat_batches(exchange.schema, [*ended, begun]), found.errs)


def _in_error(delta: Delta) -> bool:
    """Whether an error is left at the end."""
    left: dict[tuple[object, ...], int] = {}
    columns = [column.to_pylist() for column in delta.errs.columns]
    for *error, diff in zip(*columns, delta.errs.diffs.tolist(), strict=True):
        left[tuple(error)] = left.get(tuple(error), 0) + diff
    return any(left.values())


def _at(batch: Batch, time: int) -> Batch:
    """All of it at that time."""
    return Batch(batch.columns, np.full(len(batch), time, np.uint64), batch.diffs)


def _from(batch: Batch, time: int) -> Batch:
    """What is older is at that time."""
    return Batch(batch.columns, np.maximum(batch.times, np.uint64(time)), batch.diffs)
