"""A MariaDB whose binary log can be read, and a database of its own there for each test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest
from servers.mariadb_listening import MariaDb, mariadb_server


@pytest.fixture(scope="module")
def server() -> Iterator[MariaDb]:
    with mariadb_server() as server:
        yield server


@pytest.fixture
def database(server: MariaDb) -> str:
    name = f"d{uuid.uuid4().hex[:12]}"
    with server.connect() as db, db.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {name} CHARACTER SET utf8mb4")
    return name
