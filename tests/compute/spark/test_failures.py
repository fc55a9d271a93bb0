"""What is said of a job of Spark that has failed."""

from __future__ import annotations

from ptvc.compute.spark.failures import reason_of

PYTHON = """\
Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7) (10.0.0.2 executor 1): \
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "/x/pyspark/worker.py", line 1, in main
    check_python_version(infile)
pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker has different version: 3.10 than that in driver: 3.11.

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(PythonRunner.scala:1)
\tat java.base/java.lang.Thread.run(Thread.java:840)

Driver stacktrace:
\tat org.apache.spark.scheduler.DAGScheduler.x(DAGScheduler.scala:1)"""

NO_MODULE = """\
Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent failure: Lost task 0.3 in stage 1.0 (TID 7): \
org.apache.spark.SparkException: [BAD] x
\tat org.apache.spark.api.python.PythonWorkerFactory.startDaemon(PythonWorkerFactory.scala:1)

Driver stacktrace:"""


def test_the_error_of_a_python_worker() -> None:
    assert reason_of(RuntimeError(PYTHON)).startswith(
        "pyspark.errors.exceptions.base.PySparkRuntimeError: [PYTHON_VERSION_MISMATCH] Python in worker"
    )


def test_what_spark_says() -> None:
    said = reason_of(RuntimeError(NO_MODULE))
    assert said.startswith("Job aborted due to stage failure")
    assert said.endswith("[BAD] x")


def test_nothing_is_said() -> None:
    assert reason_of(RuntimeError("")) == "RuntimeError"
    assert len(reason_of(RuntimeError("x" * 10_000))) == 500
