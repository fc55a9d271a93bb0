"""An embedded runtime: one that lives under a local directory and is started when it is first needed.

Besides pgwire (and the process of Python models), adapter and runtime are linked by a command, `python -m ptvc up --path DIR`: it starts the
runtime in the background unless it runs already, waits until it is ready, and leaves `DIR/runtime.json`
(`host`, `port`, `pid`, `version`).  The runtime goes on after dbt has ended: views stay maintained.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from dbt.adapters.events.logging import AdapterLogger
from dbt_common.exceptions import DbtRuntimeError

logger = AdapterLogger("ptvc")

_TAIL_LINES = 15


@dataclass(frozen=True, slots=True)
class EmbeddedRuntime:
    """Where a runtime that is ready answers."""

    host: str
    port: int
    pid: int
    version: str


_lock = threading.Lock()
_ready: dict[Path, EmbeddedRuntime] = {}


def ensure_running(path: Path, timeout: float, *, fresh: bool = False) -> EmbeddedRuntime:
    """The runtime under `path`, started if need be; once per process unless `fresh`.  `timeout` is in seconds."""
    with _lock:
        if fresh or path not in _ready:
            _start(path, timeout)
            _ready[path] = read_runtime_file(path)
        return _ready[path]


def start_early(path: Path, timeout: float) -> None:
    """Begins with `ensure_running`, which finds the runtime started, or that it is being started, or says again what was wrong."""
    threading.Thread(target=_begin, args=(path, timeout), name="ptvc up", daemon=True).start()


def _begin(path: Path, timeout: float) -> None:
    try:
        ensure_running(path, timeout)
    except DbtRuntimeError as error:
        logger.debug(f"starting early: {error}")


def read_runtime_file(path: Path) -> EmbeddedRuntime:
    """What `DIR/runtime.json` says."""
    file = path / "runtime.json"
    try:
        content = json.loads(file.read_text())
        return EmbeddedRuntime(
            host=str(content["host"]),
            port=int(content["port"]),
            pid=int(content["pid"]),
            version=str(content["version"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DbtRuntimeError(
            f"the embedded runtime under {path} started, but {file} cannot be read: {error!r}. "
            f"Stop it with `ptvc down --path {path}` and run dbt again."
        ) from error


def _start(path: Path, timeout: float) -> None:
    if path.exists() and not path.is_dir():
        raise DbtRuntimeError(
            f"`path: {path}` in the profile is a file. Name a directory: the runtime keeps its state there."
        )
    command = [sys.executable, "-P", "-m", "ptvc", "up", "--path", str(path)]
    # Output goes to a file: the runtime in the background may inherit it, and a pipe would then never end.
    with tempfile.TemporaryFile(mode="w+", encoding="utf-8", errors="replace") as output:
        try:
            process = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, timeout=timeout, check=False
            )
        except subprocess.TimeoutExpired as error:
            raise DbtRuntimeError(
                f"the embedded runtime under {path} was not ready after {timeout:g} s. Raise `start_timeout` in the "
                f"profile, or see what it waits for with `{' '.join(command)}`.{_tail(output)}"
            ) from error
        except OSError as error:
            raise DbtRuntimeError(
                f"cannot start the embedded runtime with `{' '.join(command)}`: {error}"
            ) from error
        if process.returncode != 0:
            raise DbtRuntimeError(
                f"the embedded runtime under {path} did not start (exit code {process.returncode}). "
                f"Try it by hand: `{' '.join(command)}`.{_tail(output)}"
            )


def _tail(output: TextIO) -> str:
    output.seek(0)
    lines = output.read().strip().splitlines()[-_TAIL_LINES:]
    return "\n  " + "\n  ".join(lines) if lines else ""
