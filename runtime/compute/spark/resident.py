"""A resident task: a job of one partition whose task runs until its work is done.

Spark places it, starts its Python worker, and starts it anew (with the next attempt number) when the worker dies:
`local[n,4]` retries, `local[n]` does not.  Failures are counted per task for life, so the owner of the work submits the
job again when it ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pyspark import SparkContext, TaskContext


def run_resident(context: SparkContext, name: str, work: Callable[[int], None]) -> None:
    """Runs `work(attempt)` in a Spark task; returns when it does, raises when Spark has given up.

    `work` is pickled by reference: a module-level function of this package, or a partial of one.
    """

    def task(_: Iterable[int]) -> Iterable[int]:
        here = TaskContext.get()
        assert here is not None
        # The task's id is unique within the application and grows, unlike the attempt number of a job.
        work(here.taskAttemptId())
        return iter(())

    context.setLocalProperty("spark.scheduler.pool", "residents")
    context.setJobGroup(f"resident-{name}", f"replica {name}", interruptOnCancel=True)
    context.parallelize([0], 1).mapPartitions(task).count()
