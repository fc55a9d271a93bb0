"""A runtime as its user has it: `ptvc serve` in a process of its own, with everything that it starts."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any, TypeVar

import psycopg
from servers.ports import free_port

READY_WITHIN_S = 120.0
EVENTUALLY_S = 120.0
_PORT = re.compile(r"-p (\d+)")
_PAUSE = Event()
T = TypeVar("T")


class Runtime:
    """One environment's directory and the process that serves it, which may be stopped, killed and started again."""

    def __init__(
        self, directory: Path, settings: tuple[str, ...] = (), options: tuple[str, ...] = ()
    ) -> None:
        self.directory = directory
        self._settings = settings
        self._options = options
        self.port = 0
        self.process: subprocess.Popen[str]

    def start(self) -> None:
        """Returns when clients may connect; Spark comes up meanwhile."""
        self.directory.mkdir(parents=True, exist_ok=True)
        self.port = self.port or free_port()  # kept, so that clients find the next one
        command = [
            sys.executable,
            "-m",
            "ptvc",
            "serve",
            "--path",
            str(self.directory),
            "--port",
            str(self.port),
            *self._options,
        ]
        for setting in self._settings:
            command += ["--set", setting]
        with (self.directory / "serve.log").open("a") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = _PORT.search(line)
        assert found is not None, f"the runtime did not start: {line!r}\n{self.log()}"
        assert self.port == int(found[1])

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)
        self._close()

    def kill(self) -> None:
        """As when the machine takes the coordinator away."""
        self.process.kill()
        self.process.wait()
        self._close()

    def _close(self) -> None:
        assert self.process.stdout is not None
        self.process.stdout.close()

    def log(self) -> str:
        return "".join(
            path.read_text(errors="replace")[-4000:]
            for path in (self.directory / "serve.log", self.directory / "log" / "driver.log")
            if path.exists()
        )

    def connect(self) -> psycopg.Connection[tuple[Any, ...]]:
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="ptvc", dbname="ptvc", autocommit=True, connect_timeout=10
        )

    def run(self, *statements: str) -> list[tuple[Any, ...]]:
        """The rows of the last statement, each statement in a transaction of its own."""
        with self.connect() as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description is not None else []

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The rows of a query, in a total order."""
        return sorted(self.run(query), key=repr)

    def eventually(self, check: Callable[[], T], within_s: float = EVENTUALLY_S) -> T:
        """The first answer of `check` that is true; while it is not, or the runtime is away, it is asked again."""
        deadline = monotonic() + within_s
        while True:
            try:
                answer: T | str = check()
            except psycopg.Error as error:
                answer = ""
                why: object = error
            else:
                why = answer
            if answer:
                return answer  # type: ignore[return-value]
            if monotonic() > deadline:
                raise AssertionError(f"not within {within_s} s: {why}\n{self.log()}")
            _PAUSE.wait(0.05)

    # -- processes --

    def children(self) -> dict[str, set[int]]:
        """Process ids below the coordinator by what they are: driver, jvm, daemon, worker."""
        found: dict[str, set[int]] = {"driver": set(), "jvm": set(), "daemon": set(), "worker": set()}
        parents = {pid: parent for pid, parent, _ in _processes()}
        commands = {pid: command for pid, _, command in _processes()}
        for pid in parents:
            line = [pid]
            while line[-1] in parents and line[-1] != self.process.pid and len(line) < 10:
                line.append(parents[line[-1]])
            if line[-1] != self.process.pid or pid == self.process.pid:
                continue
            command = commands.get(pid, "")
            if "ptvc.replica.driver" in command:
                found["driver"].add(pid)
            elif "SparkSubmit" in command or "py4j" in command:
                found["jvm"].add(pid)
            elif "daemon" in command:
                found["daemon" if parents[pid] in found["jvm"] or len(line) == 4 else "worker"].add(pid)
        return found

    def everything(self) -> set[int]:
        """Process ids of all that the coordinator has started, itself included."""
        return {self.process.pid}.union(*self.children().values())


def _processes() -> list[tuple[int, int, str]]:
    """(pid, parent's pid, command line) of every process that runs; one that has ended and waits to be reaped does
    not."""
    found = []
    for path in Path("/proc").iterdir():
        if not path.name.isdigit():
            continue
        try:
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            command = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it has ended meanwhile
        if fields[0] not in "ZX":
            found.append((int(path.name), int(fields[1]), command))
    return found


def cpu_seconds(pids: set[int]) -> dict[int, float]:
    """What each process has computed so far; one that has ended is missing."""
    found = {}
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        found[pid] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def alive(pids: set[int]) -> set[int]:
    """Those of the processes that still run."""
    return {pid for pid, _, _ in _processes() if pid in pids}
