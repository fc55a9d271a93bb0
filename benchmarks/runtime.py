"""A real runtime for a benchmark: `ptvc serve` on a directory of its own, and connections to it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from .measure import tree_cpu_seconds

READY_TIMEOUT_S = 180.0
POLL_S = 0.01

_PORT = re.compile(r"-p (\d+)")
_HTTP_PORT = re.compile(r"http://[^ ]*:(\d+)")


class RuntimeFailed(Exception):
    """The runtime did not start, or did not get done in time."""


@dataclass(frozen=True, slots=True)
class ServedRuntime:
    """A runtime that serves `directory`, its Spark running."""

    port: int
    pid: int
    log: Path
    directory: Path
    http_port: int | None = None

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(host="127.0.0.1", port=self.port, user="ptvc", dbname="ptvc", autocommit=True)

    def cpu_seconds(self) -> float:
        """Of the coordinator and all that it started."""
        return tree_cpu_seconds(self.pid)


@contextmanager
def served(
    settings: Sequence[str] = (),
    consensus: str | None = None,
    options: Sequence[str] = (),
    checkout: Path | None = None,
) -> Iterator[ServedRuntime]:
    """A runtime with the given `name=value` settings, its consensus at that URL, and other options, of the code of `checkout` where
    one is named; yields once its resident task is online."""
    with tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder:
        log, directory = Path(folder) / "serve.log", Path(folder) / "state"
        command = [
            sys.executable,
            "-m",
            "ptvc",
            "serve",
            "--path",
            str(directory),
            "--port",
            "0",
        ]
        command += [part for setting in settings for part in ("--set", setting)]
        command += options
        if consensus is not None:
            command += ["--consensus", consensus]
        environment = dict(os.environ)
        if checkout is not None:
            (Path(folder) / "ptvc").symlink_to((checkout / "runtime").absolute())
            environment["PYTHONPATH"] = folder
        with (
            log.open("w") as errors,
            subprocess.Popen(
                command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment
            ) as process,
        ):
            try:
                assert process.stdout is not None
                line = process.stdout.readline()  # printed when it is ready; empty when it has ended
                if (port := _PORT.search(line)) is None:
                    raise RuntimeFailed(f"the runtime did not start: {log.read_text()[-2000:]}")
                http = _HTTP_PORT.search(line)
                http_port = None if http is None else int(http[1])
                runtime = ServedRuntime(int(port[1]), process.pid, log, directory, http_port)
                with runtime.connect() as connection:
                    await_true(lambda: _online(connection), "the resident task is online")
                yield runtime
            finally:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()


def _online(connection: psycopg.Connection[tuple[Any, ...]]) -> bool:
    rows = connection.execute("SELECT status FROM mz_internal.mz_cluster_replica_statuses").fetchall()
    return bool(rows) and all(status == "online" for (status,) in rows)


def await_true(
    condition: Callable[[], bool], what: str, timeout_s: float = READY_TIMEOUT_S, poll_s: float = POLL_S
) -> None:
    """Asks again and again; raises RuntimeFailed after `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise RuntimeFailed(f"waited {timeout_s:.0f} s in vain until {what}")
        time.sleep(poll_s)
