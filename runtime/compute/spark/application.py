"""The environment's Spark application: one session, its pools, and what may be asked of it from any thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from pyspark.sql import SparkSession

from ...expr.relation import GlobalId
from ...persist.part import PartRef
from .level_task import Hydration
from .resident import run_resident
from .session import spark_session, stop_session
from .superstep import HydrationResult, hydrate


class Application:
    """`directory` receives Spark's logs and scratch files."""

    def __init__(self, master: str, memory: str, directory: Path) -> None:
        self.spark: SparkSession = spark_session(
            master, "ptvc", {"spark.driver.memory": memory}, directory=directory
        )
        self._stopping = False

    @property
    def version(self) -> str:
        return str(self.spark.version)

    @property
    def master(self) -> str:
        return str(self.spark.sparkContext.master)

    @property
    def jvm_pid(self) -> int:
        return int(self._gateway_process.pid)

    @property
    def _gateway_process(self):  # type: ignore[no-untyped-def]
        # PySpark has no public name for the process that it started.
        return self.spark.sparkContext._gateway.proc

    def on_jvm_exit(self, action: Callable[[], None]) -> None:
        """Calls `action` (on a thread of its own) when the JVM ends without having been stopped."""

        def watch() -> None:
            self._gateway_process.wait()
            if not self._stopping:
                action()

        threading.Thread(target=watch, name="jvm watch", daemon=True).start()

    def run_resident(self, name: str, work: Callable[[int], None]) -> None:
        run_resident(self.spark, name, work)

    def hydrate(
        self,
        job: Hydration,
        imports: Sequence[tuple[GlobalId, Sequence[PartRef]]],
        *,
        pool: str,
        group: str,
    ) -> HydrationResult:
        return hydrate(self.spark, job, imports, pool, group)

    def cancel(self, group: str) -> None:
        """Ends the jobs of a group; none running is fine."""
        self.spark.sparkContext.cancelJobGroup(group)

    def stop(self) -> None:
        """Ends the session and its JVM."""
        self._stopping = True
        stop_session(self.spark)
