"""A resident task: a job of one partition whose task runs until its work is done.

Spark places it, starts its Python worker, and starts it anew (with the next attempt number) when the worker dies:
`local[n,4]` retries, `local[n]` does not.  Failures are counted per task for life, so the owner of the work submits the
job again when it ends.

One on several machines is a stage of several tasks, which Spark begins together or not at all (barrier execution): when one fails, all of them are
ended, and the job with them.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pyspark import RDD, BarrierTaskContext, SparkContext, TaskContext
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

    _as_resident(context, name)
    partition = context.parallelize([0], 1) if host is None else _partitions_on(context, [host])
    if cores > 1:
        partition = partition.withResources(_taking(cores))
    partition.mapPartitions(task).count()


@dataclass(frozen=True, slots=True)
class Peers:
    """What a task of several that begin together knows of the others: its number among them, and how all of them tell each other something, each
    once; what they have said comes in their order, when all have."""

    number: int
    gather: Callable[[str], Sequence[str]]


def run_together(
    context: SparkContext, name: str, work: Callable[[int, Peers], None], cores: int, hosts: Sequence[str]
) -> None:
    """As `run_resident`, in as many tasks as there are hosts, which begin together: `work(attempt, peers)`."""

    def task(_: Iterable[int]) -> Iterable[int]:
        here = BarrierTaskContext.get()
        work(here.taskAttemptId(), Peers(here.partitionId(), here.allGather))
        return iter(())

    _as_resident(context, name)
    partitions = _partitions_on(context, hosts)
    if cores > 1:
        partitions = partitions.withResources(_taking(cores))
    partitions.barrier().mapPartitions(task).count()


def _as_resident(context: SparkContext, name: str) -> None:
    """What this thread submits is of that resident."""
    context.setLocalProperty("spark.scheduler.pool", "residents")
    context.setJobGroup(group_of(name), f"replica {name}", interruptOnCancel=True)


def _partitions_on(context: SparkContext, hosts: Sequence[str]) -> RDD[int]:
    """Empty partitions, each of which had better be computed on its host."""
    # PySpark has no name for preferred locations: Spark's own `makeRDD` takes them with the elements, and makes a partition of each.
    jvm = context._jvm
    assert jvm is not None
    preferred = [jvm.scala.Tuple2(pickle.dumps([]), jvm.PythonUtils.toSeq([host])) for host in hosts]
    elements = jvm.PythonUtils.toSeq(preferred)
    tag = jvm.scala.reflect.ClassTag.AnyRef()
    made = context._jsc.sc().makeRDD(elements, tag).toJavaRDD()
    return RDD(made, context)


def _taking(cores: int) -> ResourceProfile:
    """A profile of tasks alone: executors stay as they are."""
    return ResourceProfileBuilder().require(TaskResourceRequests().cpus(cores)).build
