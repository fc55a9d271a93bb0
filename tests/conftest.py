"""Fixtures that every layer's tests share."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

sys.path.insert(0, str(Path(__file__).parent))
os.environ["PTVC_CHECK_PLANS"] = "1"  # relations are type-checked between rules, in every process

import oracle as oracle_server


@pytest.fixture(scope="session")
def oracle_uri() -> Iterator[str]:
    """The URI of an embedded PostgreSQL, started once per session and only if a test asks for it."""
    with oracle_server.running_postgres() as uri:
        yield uri


@pytest.fixture
def oracle(oracle_uri: str) -> Iterator[psycopg.Connection]:
    """A connection to the embedded PostgreSQL, in autocommit; temporary objects vanish with it."""
    with psycopg.connect(oracle_uri, autocommit=True) as connection:
        yield connection
