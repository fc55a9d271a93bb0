"""Updates of a loop by their times: epochs, or the iterations within one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ....repr.batch import Batch, Times


def constant(time: int, length: int) -> Times:
    """`time`, `length` times over."""
    return np.full(length, time, np.uint64)


def all_at(times: Times, time: int) -> bool:
    """Whether none of `times` is another than `time`."""
    return not len(times) or bool((times == time).all())


def by_time(batch: Batch) -> Iterator[tuple[int, Batch]]:
    """Each time, ascending, and the updates at it."""
    if not len(batch):
        return
    times = batch.times
    if (times == times[0]).all():
        yield int(times[0]), batch
        return
    order = np.argsort(times, kind="stable")
    batch = batch.take(order)
    starts = np.flatnonzero(np.concatenate(([True], batch.times[1:] != batch.times[:-1])))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(batch)], strict=True):
        yield int(batch.times[start]), batch.slice(start, stop)
