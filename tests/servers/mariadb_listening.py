"""MariaDB servers on the loopback, whose binary log can be read: Debian's package mariadb-server, with a directory of their own."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from .postgres_listening import free_port

USER, PASSWORD = "ann", "a-password"
_STARTS_S = 60.0
OPTIONS = (
    "--server-id=1",
    "--log-bin=bin",
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--binlog-row-metadata=FULL",
    "--innodb-flush-log-at-trx-commit=2",  # what a killed process has written stays
    "--innodb-log-file-size=16M",
    "--innodb-buffer-pool-size=64M",
    "--skip-name-resolve",
)


@dataclass(slots=True)
class MariaDb:
    """`port` is on the loopback; `ann` may replicate, and read everything."""

    folder: Path
    port: int
    options: tuple[str, ...] = OPTIONS
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    def start(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [
                *("mariadbd", "--no-defaults", f"--datadir={self.folder / 'data'}"),
                *(f"--socket={self.folder / 's'}", f"--port={self.port}", "--bind-address=127.0.0.1"),
                *(f"--log-error={self.folder / 'log'}", f"--pid-file={self.folder / 'pid'}", *_as_root()),
                *self.options,
                *options,
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = monotonic() + _STARTS_S
        while True:
            try:
                with socket.socket(socket.AF_UNIX) as probe:
                    probe.connect(str(self.folder / "s"))
            except OSError:
                if monotonic() > until or self.process.poll() is not None:
                    raise AssertionError((self.folder / "log").read_text()[-2000:]) from None
                sleep(0.05)
            else:
                return

    def stop(self) -> None:
        assert self.process is not None
        self.process.terminate()
        self.process.wait(_STARTS_S)

    def kill(self) -> None:
        """At once, whatever it is at."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(_STARTS_S)

    def connect(self, schema: str | None = None, *, user: str = "root", password: str = "") -> Any:
        """A connection in which each statement is a transaction, over the socket for root."""
        db = _client().connect(
            user=user,
            password=password,
            database=schema,
            charset="utf8mb4",
            autocommit=True,
            ssl_disabled=True,
            defer_connect=True,
        )
        # PyMySQL leaves a socket open that does not connect.
        stream = socket.socket(socket.AF_UNIX if user == "root" else socket.AF_INET)
        try:
            stream.connect(str(self.folder / "s") if user == "root" else ("127.0.0.1", self.port))
            db.connect(stream)
        except OSError as error:
            stream.close()
            raise _client().OperationalError(2003, str(error)) from None
        except BaseException:
            stream.close()
            raise
        return db


def _client() -> Any:
    import pymysql

    return pymysql


def _as_root() -> list[str]:
    return ["--user=root"] if os.getuid() == 0 else []


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
                *("--auth-root-authentication-method=normal", *_as_root()),
            ],
            check=True,
            capture_output=True,
        )
        server.start()
        with server.connect() as db, db.cursor() as cursor:
            for statement in (
                f"CREATE USER {USER} IDENTIFIED BY '{PASSWORD}'",
                f"GRANT REPLICATION SLAVE, BINLOG MONITOR ON *.* TO {USER}",
                f"GRANT SELECT ON *.* TO {USER}",
            ):
                cursor.execute(statement)
        yield server
    finally:
        if server.process is not None:
            server.kill()
        shutil.rmtree(folder, ignore_errors=True)
