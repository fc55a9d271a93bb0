"""A resident task: a job of one partition whose task runs until its work is done.

Spark places it, starts its Python worker, and starts it anew (with the next attempt number) when the worker dies:
`local[n,4]` retries, `local[n]` does not.  Failures are counted per task for life, so the owner of the work submits the
job again when it ends.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable

from pyspark import RDD, SparkContext, TaskContext
from pyspark.resource import ResourceProfile, ResourceProfileBuilder, TaskResourceRequests

from .placement import group_of


def run_resident(
    context: SparkContext, name: str, work: Callable[[int], None], cores: int = 1, host: str | None = None
) -> None:
    """Runs `work(attempt)` in a Spark task, which takes so many cores of an executor, on that host if it can be; returns when it does,
    raises when Spark has given up.

    `work` is pickled by reference: a module-level function of this package, or a partial of one.
    """

    def task(_: Iterable[int]) -> Iterable[int]:
        here = TaskContext.get()
        assert here is not None
        # The task's id is unique within the application and grows, unlike the attempt number of a job.
        work(here.taskAttemptId())
        return iter(())

    context.setLocalProperty("spark.scheduler.pool", "residents")
    context.setJobGroup(group_of(name), f"replica {name}", interruptOnCancel=True)
    partition = context.parallelize([0], 1) if host is None else _partition_on(context, host)
    if cores > 1:
        partition = partition.withResources(_taking(cores))
    partition.mapPartitions(task).count()


def _partition_on(context: SparkContext, host: str) -> RDD[int]:
    """One empty partition that had better be computed on that host."""
    # PySpark has no name for preferred locations: Spark's own `makeRDD` takes them with the elements.
    jvm = context._jvm
    assert jvm is not None
    hosts = jvm.PythonUtils.toSeq([host])
    elements = jvm.PythonUtils.toSeq([jvm.scala.Tuple2(pickle.dumps([]), hosts)])
    tag = jvm.scala.reflect.ClassTag.AnyRef()
    made = context._jsc.sc().makeRDD(elements, tag).toJavaRDD()
    return RDD(made, context)


def _taking(cores: int) -> ResourceProfile:
    """A profile of tasks alone: executors stay as they are."""
    return ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build
