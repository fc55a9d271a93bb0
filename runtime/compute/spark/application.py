"""The environment's Spark application: one context, its pools, and what may be asked of it from any thread."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from pyspark import SparkContext
from pyspark.sql import SparkSession

from ...errors import ReplicaUnavailable
from ..shared_files import SharedRoot
from . import class_archive
from .job import Job
from .permit import withdraw
from .placement import Placement, group_of, running_on
from .resident import Peers, run_resident, run_together
from .session import has_linked_home, is_local, stop_context
from .superstep import JobRun
from .tasks import TasksRun


class Application:
    """`context` is one of `application_context`, with the same directory."""

    def __init__(self, context: SparkContext, directory: Path) -> None:
        self._context = context
        self._placement = None if is_local(self.master) else Placement(context)
        if not has_linked_home(self.master):
            class_archive.make_later(self._gateway_process.args, directory / "class_archive.log")
        self._permits = directory / "permits"
        self._stopping = False

    @cached_property
    def spark(self) -> SparkSession:
        """A SQL session; nothing in the runtime needs it, so it is made when it is first asked for."""
        return SparkSession(self._context)

    @property
    def version(self) -> str:
        return str(self._context.version)

    @property
    def master(self) -> str:
        return str(self._context.master)

    @property
    def jvm_pid(self) -> int:
        return int(self._gateway_process.pid)

    @property
    def _gateway_process(self):  # type: ignore[no-untyped-def]
        # PySpark has no public name for the process that it started.
        gateway = self._context._gateway
        assert gateway is not None, "the application has been stopped"
        return gateway.proc

    def on_jvm_exit(self, action: Callable[[], None]) -> None:
        """Calls `action` (on a thread of its own) when the JVM ends without having been stopped."""

        def watch() -> None:
            self._gateway_process.wait()
            if not self._stopping:
                action()

        threading.Thread(target=watch, name="jvm watch", daemon=True).start()

    def run_resident(self, name: str, work: Callable[[int], None], cores: int = 1) -> None:
        """On an executor on another machine it takes so many cores, on this one a slot."""
        if self._placement is None:
            run_resident(self._context, name, work)
        elif (hosts := self._placement.prefer(name, cores)) is not None:
            run_resident(self._context, name, work, cores, hosts[0])
        else:
            self._check_there()

    def run_together(self, name: str, work: Callable[[int, Peers], None], cores: int, machines: int) -> None:
        """A resident on so many machines of a cluster, a task on each, which takes so many cores there."""
        assert self._placement is not None, "there is one machine"
        if (hosts := self._placement.prefer(name, cores, machines)) is not None:
            run_together(self._context, name, work, cores, hosts)
        else:
            self._check_there()

    def _check_there(self) -> None:
        if self.has_ended:
            raise ReplicaUnavailable("Spark has ended by itself")

    def stop_resident(self, name: str, left: Collection[int] = (0,)) -> None:
        """Ends it; one of the same name that is run afterwards had better be elsewhere than on these of its machines."""
        if self._placement is not None:
            self._placement.forget(name, left)
        self.cancel(group_of(name))

    def spread(self, name: str) -> None:
        """Ends the resident if it has been beside another of its cluster for long while another machine has room; to be called now and then.
        It `moves` then: who runs it again has it there."""
        if self._placement is not None and self._placement.is_to_move(name):
            self.cancel(group_of(name))

    def moves(self, name: str) -> bool:
        """Whether the resident of that name has ended by `spread`; once for each time."""
        return self._placement is not None and self._placement.moves(name)

    @property
    def on_cluster(self) -> bool:
        """Executors are on other machines, and a resident may find no room; on this one there is a slot for each."""
        return self._placement is not None

    def is_placed(self, name: str) -> bool:
        """Whether executors run the resident of that name."""
        return bool(running_on(self._context, name))

    @property
    def job_cores(self) -> int:
        """Cores that tasks of jobs may have: of a cluster those of its executors, less what residents have taken."""
        if self._placement is None:
            return len(os.sched_getaffinity(0))
        return max(1, self._context.defaultParallelism - self._placement.cores_taken)

    @property
    def has_ended(self) -> bool:
        """Spark has stopped by itself, as it does when the cluster's manager has given the application up."""
        return bool(self._context._jsc.sc().isStopped())

    def job_run(self, job: Job) -> JobRun:
        """The job, ready to be run."""
        return JobRun(self._context, job)

    def tasks_run(
        self, work: Callable[[Any], Any], items: Sequence[Any], group: str, files: SharedRoot
    ) -> TasksRun:
        """Tasks of a group, ready to be run."""
        return TasksRun(self._context, work, items, self.permit(group), files)

    def permit(self, group: str) -> Path:
        """Of the tasks of a group's job."""
        return self._permits / group

    def cancel(self, group: str) -> None:
        """Ends the jobs of a group; none running is fine."""
        self._context.cancelJobGroup(group)

    def cancel_for_good(self, group: str) -> None:
        """Ends the jobs of a group, those that have not begun included, and what its tasks compute."""
        # PySpark has no name for this: a step is several jobs of Spark, and it may be between two of them.
        self._context._jsc.sc().cancelJobGroupAndFutureJobs(group)
        withdraw(self.permit(group))

    def stop(self) -> None:
        """Ends the application and its JVM."""
        self._stopping = True
        stop_context(self._context)
