"""MariaDB servers on the loopback, whose binary log can be read: Debian's package mariadb-server, with a directory of their own."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from .mysql_process import OPTIONS, PASSWORD, USER, MysqlProcess, as_root
from .ports import free_port


@dataclass(slots=True)
class MariaDb(MysqlProcess):
    @property
    def command(self) -> Sequence[str]:
        return "mariadbd", "--no-defaults", "--binlog-row-metadata=FULL"


@contextmanager
def mariadb_server(*options: str) -> Iterator[MariaDb]:
    """A fresh one, running; stopped and deleted on exit.  Skips where MariaDB is not installed."""
    if shutil.which("mariadbd") is None or shutil.which("mariadb-install-db") is None:
        pytest.skip("MariaDB is not installed: apt-get install mariadb-server")
    # The path of a socket is short.
    folder = Path(tempfile.mkdtemp(prefix="ptvc-mariadb-"))
    server = MariaDb(folder, free_port(), (*OPTIONS, *options))
    try:
        subprocess.run(
            [
                *("mariadb-install-db", "--no-defaults", f"--datadir={folder / 'data'}", "--skip-test-db"),
                *("--auth-root-authentication-method=normal", *as_root()),
            ],
            check=True,
            capture_output=True,
        )
        server.start()
        server.run(
            f"CREATE USER {USER} IDENTIFIED BY '{PASSWORD}'",
            f"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO {USER}",
            f"GRANT SELECT ON *.* TO {USER}",
        )
        yield server
    finally:
        if server.process is not None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
