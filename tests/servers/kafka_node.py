"""A Kafka node of the test run's own: a controller or a broker, in a process group of its own, which ends with the process that
has started it.  It can be killed, stopped and started again over the same data."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .kafka_jars import jars, java

_FORMAT = ("-Xmx256m", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_RUN = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_UNTIL_PARENT_ENDS = '"$@" </dev/null & read -r _; kill -9 0'
"""A shell in the node's group: its standard input ends with whoever has started it, however that ends."""


class KafkaNode:
    """It keeps its data, settings and log in `folder`, in files that begin with its role."""

    def __init__(self, folder: Path, role: str, settings: Mapping[str, Any], heap: str) -> None:
        self._java, self._jars, self._heap = java(), jars(), heap
        self._properties, self._log = folder / f"{role}.properties", folder / f"{role}.log"
        of_role = {"process.roles": role, "log.dirs": folder / f"{role}-data", **settings}
        self._properties.write_text("".join(f"{name}={value}\n" for name, value in of_role.items()))
        self._process: subprocess.Popen[bytes] | None = None

    def formatting(self, cluster: str, users: Sequence[str]) -> subprocess.Popen[bytes]:
        """A process that makes the folder of the data."""
        command = self._command(*_FORMAT, "kafka.tools.StorageTool", "format", "-t", cluster, "-c")
        return subprocess.Popen(
            [*command, *users], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=_environment()
        )

    def start(self) -> None:
        """Over the data that is there."""
        assert self._process is None, "it runs"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _UNTIL_PARENT_ENDS, "node", *self._command(self._heap, *_RUN, "kafka.Kafka")],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=_environment(),
            )

    def kill(self) -> None:
        """As `kill -9` does."""
        if self._process is not None:
            process, self._process = self._process, None
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            assert process.stdin is not None
            process.stdin.close()

    def pause(self) -> None:
        """It holds its connections, and answers nothing."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "it does not run"
        os.killpg(self._process.pid, number)

    def _command(self, *arguments: str) -> list[str]:
        return [self._java, "-cp", f"{self._jars}/*", *arguments, str(self._properties)]


def _environment() -> dict[str, str]:
    return {
        name: value for name, value in os.environ.items() if name not in ("JAVA_TOOL_OPTIONS", "CLASSPATH")
    }
