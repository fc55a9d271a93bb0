"""Servers that speak MySQL's protocol, on the loopback, with a directory of their own: what MariaDB and MySQL have in common as processes."""

from __future__ import annotations

import os
import socket
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic, sleep
from typing import Any

USER, PASSWORD = "ann", "a-password"
_STARTS_S = 60.0
OPTIONS = (
    "--server-id=1",
    "--log-bin=bin",
    "--binlog-format=ROW",
    "--binlog-row-image=FULL",
    "--innodb-flush-log-at-trx-commit=2",  # what a killed process has written stays
    "--innodb-log-file-size=16M",
    "--innodb-buffer-pool-size=64M",
    "--skip-name-resolve",
)


@dataclass(slots=True)
class MysqlProcess(ABC):
    """`port` is on the loopback; `ann` may replicate, and read everything."""

    folder: Path
    port: int
    options: tuple[str, ...]
    process: subprocess.Popen[bytes] | None = field(default=None, repr=False)

    @property
    @abstractmethod
    def command(self) -> Sequence[str]:
        """The program, and options that come before all others."""

    @property
    def environment(self) -> Mapping[str, str]:
        return os.environ

    def start(self, *options: str) -> None:
        self.process = subprocess.Popen(
            [
                *self.command,
                *(
                    f"--datadir={self.folder / 'data'}",
                    f"--socket={self.folder / 's'}",
                    f"--port={self.port}",
                ),
                *("--bind-address=127.0.0.1", f"--log-error={self.folder / 'log'}"),
                *(f"--pid-file={self.folder / 'pid'}", *as_root(), *self.options, *options),
            ],
            env=dict(self.environment),
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

    def run(self, *statements: str) -> None:
        """As root."""
        with self.connect() as db, db.cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)


def _client() -> Any:
    import pymysql

    return pymysql


def as_root() -> list[str]:
    return ["--user=root"] if os.getuid() == 0 else []
