"""Tasks that know nothing of each other: one call of a function for each of some items, as a Spark job of one stage.

The function and the results cross process boundaries pickled; the items, through a file of Spark's, so that nothing secret is to be in
them.  A task that dies is run again where Spark's master allows it: what it does must bear being done twice.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from pyspark import SparkContext

from ..memory import hand_back
from ..shared_files import SharedRoot
from .permit import granted, working_under


class TasksRun:
    """`done` may be asked for from another thread."""

    def __init__(
        self,
        context: SparkContext,
        work: Callable[[Any], Any],
        items: Sequence[Any],
        permit: Path,
        files: SharedRoot,
    ) -> None:
        """The tasks look for `permit` where they see the files of this machine."""
        self._context = context
        self._work = work
        self._items = items
        self._permit = permit
        self._everywhere = files.blobs is None
        self._done = context.accumulator(0)

    def run(self, pool: str, group: str) -> list[Any]:
        """The results, in the order of the items.  Raises whatever made a task fail for good."""
        self._context.setLocalProperty("spark.scheduler.pool", pool)
        self._context.setJobGroup(group, f"tasks of {group}", interruptOnCancel=True)
        rows = [pickle.dumps(item) for item in self._items]
        with granted(self._permit):
            # One element in each partition.
            results = self._context.parallelize(rows, len(rows)).mapPartitions(self._task()).collect()
        return [pickle.loads(result) for result in results]

    def _task(self) -> Callable[[Iterable[bytes]], Iterator[bytes]]:
        work, done = self._work, self._done
        permit = self._permit if self._everywhere else None

        def run(rows: Iterable[bytes]) -> Iterator[bytes]:
            with nullcontext() if permit is None else working_under(permit):
                results = [pickle.dumps(work(pickle.loads(row))) for row in rows]
            done.add(len(results))
            hand_back()  # the worker waits a minute for another task before it goes
            yield from results

        return run

    @property
    def done(self) -> int:
        """How many tasks have ended."""
        return int(self._done.value)
