"""One runtime per module, a schema of its own per test; tests that stop or crash it take `fresh`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import psycopg
import pytest
from inprocess import InProcess, running

_schemas = count(1)


@pytest.fixture(scope="module")
def runtime() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.fixture
def fresh() -> Iterator[InProcess]:
    with running() as runtime:
        yield runtime


@pytest.fixture
def schema(runtime: InProcess) -> Iterator[str]:
    name = f"test{next(_schemas)}"
    runtime.query(f"CREATE SCHEMA {name}")
    yield name
    runtime.query(f"DROP SCHEMA IF EXISTS {name} CASCADE")


@pytest.fixture
def db(runtime: InProcess, schema: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A session in autocommit whose search path is the test's schema."""
    with runtime.connect(options=f"-c search_path={schema}") as connection:
        yield connection


@pytest.fixture
def other(runtime: InProcess, schema: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A second session like `db`."""
    with runtime.connect(options=f"-c search_path={schema}") as connection:
        yield connection
