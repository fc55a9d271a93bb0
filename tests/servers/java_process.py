"""A Java program of the test run's own, in a process group of its own, which ends with the process that has started it.  It can be
killed, stopped and started again."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

from faults.standing_still import stand_still

RUN_OPTIONS = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_UNTIL_PARENT_ENDS = '"$@" </dev/null & read -r _; kill -9 0'
"""A shell in the program's group: its standard input ends with whoever has started it, however that ends."""


class JavaProcess:
    """`command` is what runs; what it prints is appended to `log`."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command, self._log = tuple(command), log
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        assert self._process is None, "it runs"
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                ["sh", "-c", _UNTIL_PARENT_ENDS, "program", *self._command],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env=java_environment(),
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
        import psutil

        assert self._process is not None, "it does not run"
        shell = psutil.Process(self._process.pid)
        stand_still(*(child.pid for child in shell.children(recursive=True)))

    def resume(self) -> None:
        assert self._process is not None, "it does not run"
        os.killpg(self._process.pid, signal.SIGCONT)

    def log(self) -> str:
        return self._log.read_text(errors="replace") if self._log.exists() else ""


def java_environment() -> dict[str, str]:
    """Without what would change how Java runs."""
    return {
        name: value for name, value in os.environ.items() if name not in ("JAVA_TOOL_OPTIONS", "CLASSPATH")
    }
