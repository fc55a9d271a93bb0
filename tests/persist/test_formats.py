"""What earlier releases wrote stays readable: every folder of `fixtures/` and `postgres_fixtures/` is an
environment of one of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import persist_fixture
import psycopg
import pytest
from persist_fixture import EVERYTHING, SCHEMA_NAME, contents, large_contents
from persist_support import read_at
from ptvc.clock import ManualClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.base import FORMAT_VERSION, Consensus
from ptvc.persist.consensus.postgres import PostgresConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from servers.postgres_stores import url_of

FIXTURES = Path(__file__).with_name("fixtures")
VERSIONS = sorted(path.name for path in FIXTURES.iterdir())
POSTGRES_FIXTURES = Path(__file__).with_name("postgres_fixtures")
POSTGRES_VERSIONS = sorted(path.name for path in POSTGRES_FIXTURES.iterdir())


def check(consensus: Consensus, directory: Path) -> None:
    client = PersistClient(consensus, FileBlob(directory / "blobs"), ManualClock())
    state = client.state("every type")
    assert (state.since, state.upper, state.schema) == (15, 30, EVERYTHING)
    assert read_at(client, "every type", 29) == contents()
    assert read_at(client, "large", 0) == large_contents()
    assert (client.mark(), client.take_epoch("coordinator")) == (1000, 2)
    assert client.append({"every type": Write(30, 40)}) == Appended({"every type": 40})
    assert client.compact("every type", force=True)
    assert read_at(client, "every type", 39) == contents()
    consensus.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_a_released_format_is_readable(version: str, tmp_path: Path) -> None:
    shutil.copytree(FIXTURES / version, tmp_path / version)
    check(SqliteConsensus(tmp_path / version / "consensus.sqlite"), tmp_path / version)


@pytest.mark.parametrize("version", POSTGRES_VERSIONS)
def test_a_released_format_in_postgres_is_readable(
    version: str, tmp_path: Path, oracle: psycopg.Connection, oracle_uri: str
) -> None:
    shutil.copytree(POSTGRES_FIXTURES / version, tmp_path / version)
    oracle.execute((tmp_path / version / "consensus.sql").read_bytes())
    try:
        check(PostgresConsensus(url_of(oracle_uri, SCHEMA_NAME)), tmp_path / version)
    finally:
        oracle.execute(f"DROP SCHEMA {SCHEMA_NAME} CASCADE".encode())


def test_the_current_format_has_a_fixture(tmp_path: Path) -> None:
    assert f"v{FORMAT_VERSION}" in VERSIONS
    assert f"v{FORMAT_VERSION}" in POSTGRES_VERSIONS
    tmp_path.joinpath("new").mkdir()
    path = tmp_path / "new" / "consensus.sqlite"
    persist_fixture.write(SqliteConsensus(path), tmp_path / "new")
    check(SqliteConsensus(path), tmp_path / "new")
