"""A PostgreSQL that can be replicated from, and a database of its own there for each test."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import psycopg
import pytest
from servers.postgres_listening import Listening, logical_postgres

from .support import PASSWORD


@pytest.fixture(scope="module")
def server() -> Iterator[Listening]:
    with logical_postgres("ann", PASSWORD) as server:
        yield server


@pytest.fixture
def database(server: Listening) -> str:
    """The name of one that ann owns."""
    name = f"d{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server.uri, autocommit=True) as superuser:
        superuser.execute(f"CREATE DATABASE {name} OWNER ann".encode())
    return name
