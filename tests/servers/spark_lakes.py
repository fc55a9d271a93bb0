"""A Spark of the test run's own, of the newest version that has both lakes: of Delta Lake by paths, of Iceberg in the SQL catalog of a directory.

It is not the one that the project runs on, which is newer, but a program that gets statements by lines, and answers with rows.
"""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from .java_process import RUN_OPTIONS, java_environment
from .maven_jars import SPARK_LAKES, java

_PROGRAM = Path(__file__).with_name("SparkSqlLines.java")
CATALOG = "default"
"""By which name tables are found in the SQL catalog, in which others may be."""
_OPENED = (
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
)
"""What Spark reaches into of Java."""
_LAKE = f"spark.sql.catalog.{CATALOG}"


class SparkFailed(Exception):
    """What a statement was answered with."""


class SparkLakes:
    def __init__(self, process: subprocess.Popen[str], log: Path) -> None:
        self._process, self._log = process, log

    def sql(self, statement: str) -> list[dict[str, Any]]:
        """Its rows.  Raises SparkFailed."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(base64.b64encode(statement.encode()).decode() + "\n")
            process.stdin.flush()
            word, _, answer = process.stdout.readline().strip().partition(" ")
        except BaseException:
            process.kill()  # its answer would be taken for that of the next one
            raise
        if not word:
            raise SparkFailed(f"it has ended: {self._log.read_text()[-2000:]}")
        text = base64.b64decode(answer).decode()
        if word == "error":
            raise SparkFailed(f"{statement}: {text}")
        rows: list[dict[str, Any]] = json.loads(text)
        return rows


@contextmanager
def spark_lakes(directory: Path) -> Iterator[SparkLakes]:
    """`directory` has the catalog of Iceberg, `catalog.db`, and its warehouse.  Raises Missing."""
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "WARN",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "1",  # VACUUM has thousands of tasks else
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.jsonGenerator.ignoreNullFields": "false",
        "spark.sql.warehouse.dir": str(directory / "spark"),
        "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension,"
        "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.databricks.delta.retentionDurationCheck.enabled": "false",
        _LAKE: "org.apache.iceberg.spark.SparkCatalog",
        f"{_LAKE}.type": "jdbc",
        f"{_LAKE}.uri": f"jdbc:sqlite:{directory}/catalog.db",
        f"{_LAKE}.warehouse": f"file://{directory}/warehouse",
        f"{_LAKE}.cache-enabled": "false",
    }
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    jars = ["-cp", f"{SPARK_LAKES.folder()}/*", str(_PROGRAM)]
    given = [f"{name}={value}" for name, value in settings.items()]
    log = directory / "spark.log"
    with (
        log.open("w") as printed,
        subprocess.Popen(
            [java(), "-Xmx1g", *RUN_OPTIONS, *opened, *jars, *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=printed,
            text=True,
            env=java_environment(),
        ) as process,
    ):
        try:
            yield SparkLakes(process, log)
        finally:
            process.kill()
