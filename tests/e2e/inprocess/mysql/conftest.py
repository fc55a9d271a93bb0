"""A server whose binary log can be read, a MariaDB unless a test says otherwise, and a database of its own there for each test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest
from servers.mysql_process import MysqlProcess
from servers.mysql_servers import server_of

from .support import Db, connect


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest) -> Iterator[MysqlProcess]:
    with server_of(getattr(request, "param", "mariadb")) as server:
        yield server


@pytest.fixture
def database(server: MysqlProcess) -> str:
    name = f"d{uuid.uuid4().hex[:12]}"
    server.run(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    return name


@pytest.fixture
def connected(db: Db, server: MysqlProcess, upstream: Any) -> Db:
    """A session with a connection `my` there."""
    connect(db, server)
    return db
