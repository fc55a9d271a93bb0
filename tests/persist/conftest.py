"""Fixtures of the persist tests: every implementation of consensus and of blob, under one name each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from ptvc.clock import ManualClock
from ptvc.persist.blob.base import Blob
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.base import Consensus
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.consensus.postgres import PostgresConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.location import open_blob
from servers.postgres_stores import fresh_schema


@pytest.fixture
def postgres_url(oracle_uri: str) -> Iterator[str]:
    """The URL of a consensus in a schema of its own, which goes at the end."""
    with fresh_schema(oracle_uri) as url:
        yield url


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def consensus(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Consensus]:
    store: Consensus
    match request.param:
        case "memory":
            store = MemoryConsensus()
        case "sqlite":
            store = SqliteConsensus(tmp_path / "consensus.db")
        case _:
            store = PostgresConsensus(request.getfixturevalue("postgres_url"))
    yield store
    store.close()


@pytest.fixture(params=["memory", "file", "s3"])
def blob(request: pytest.FixtureRequest, tmp_path: Path) -> Blob:
    match request.param:
        case "memory":
            return MemoryBlob()
        case "file":
            return FileBlob(tmp_path / "blobs")
        case _:
            server = request.getfixturevalue("s3")
            return open_blob(server.url(server.bucket(), "some/where"))


@pytest.fixture
def memory_blob() -> MemoryBlob:
    return MemoryBlob()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def client(consensus: Consensus, memory_blob: MemoryBlob, clock: ManualClock) -> PersistClient:
    return PersistClient(consensus, memory_blob, clock)
