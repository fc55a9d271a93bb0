"""A Kafka node of the test run's own: a controller or a broker."""

from __future__ import annotations

import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..java_process import RUN_OPTIONS, JavaProcess, java_environment
from ..maven_jars import KAFKA, java

_FORMAT = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Xshare:auto")


class KafkaNode(JavaProcess):
    """It keeps its data, settings and log in `folder`, in files that begin with its role; it starts over the data that is there."""

    def __init__(self, folder: Path, role: str, settings: Mapping[str, Any], heap: str) -> None:
        self._properties = folder / f"{role}.properties"
        of_role = {"process.roles": role, "log.dirs": folder / f"{role}-data", **settings}
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in of_role.items()))
        super().__init__(self._of_kafka(heap, *RUN_OPTIONS, "kafka.Kafka"), folder / f"{role}.log")

    def formatting(self, cluster: str, users: Sequence[str]) -> subprocess.Popen[bytes]:
        """A process that makes the folder of the data."""
        command = self._of_kafka(*_FORMAT, "kafka.tools.StorageTool", "format", "-t", cluster, "-c")
        return subprocess.Popen(
            [*command, *users], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=java_environment()
        )

    def _of_kafka(self, *arguments: str) -> list[str]:
        return [java(), "-cp", f"{KAFKA.folder()}/*", *arguments, str(self._properties)]
