"""A folder of an executor's own, for what its tasks keep on its machine: Spark removes it with the executor."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from time import monotonic

from ...clock import SystemClock
from ..shared_files import CopiedFiles, SharedFiles, SharedRoot

UNUSED_S = 600.0
"""What no task has asked for in so long is removed: the jobs that it was for have mostly ended."""

_LOOK_S = 60.0
_looked_at: float | None = None


def node_directory() -> Path:
    """Made when it is first asked for; this user's alone.  Raises OSError."""
    # What Spark tells a Python worker of the executor's local directories.
    places = os.environ.get("SPARK_LOCAL_DIRS") or tempfile.gettempdir()
    path = Path(places.split(",")[0]) / "ptvc"
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def task_files(root: SharedRoot) -> SharedFiles:
    """The files of jobs, for a task; now and then those go that none needs any more."""
    global _looked_at
    if root.blobs is None:
        return root.here()
    files = root.on_machine(node_directory() / "jobs")
    assert isinstance(files, CopiedFiles)
    if _looked_at is None or monotonic() - _looked_at > _LOOK_S:
        _looked_at = monotonic()
        files.forget_unused(SystemClock().now_ms() / 1000 - UNUSED_S)
    return files
