"""Packages of the package index that nothing else here needs, for programs that run in processes of their own.

They are fetched once, into a cache that all runs of this machine share: into a folder beside the final one, which is renamed when it is
complete, under a lock, as several processes of tests may come at the same time.
"""

from __future__ import annotations

import fcntl
import subprocess
import sys
import tempfile
from pathlib import Path

from .maven_jars import Missing, shared_cache

FETCHED_WITHIN_S = 300


def python_packages(name: str, *wanted: str) -> Path:
    """The folder that is to be in the path of modules; `name` says what is in it, in which version.  Raises Missing."""
    cache = shared_cache()
    folder = cache / f"{name}-{sys.version_info.major}.{sys.version_info.minor}"
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock-python").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():  # another process may have been first
            with tempfile.TemporaryDirectory(dir=cache) as made:
                _fetch(Path(made) / "packages", wanted)
                (Path(made) / "packages").rename(folder)
    return folder


def _fetch(folder: Path, wanted: tuple[str, ...]) -> None:
    pip = [sys.executable, "-m", "pip", "install", "-q", "--only-binary", ":all:"]
    done = subprocess.run(
        [*pip, "--target", str(folder), *wanted],
        capture_output=True,
        text=True,
        timeout=FETCHED_WITHIN_S,
        check=False,
    )
    if done.returncode:
        raise Missing(f"{', '.join(wanted)} cannot be fetched: {done.stderr.strip()[-400:]}")
