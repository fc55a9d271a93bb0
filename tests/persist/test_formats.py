"""What earlier releases wrote stays readable: every folder of `fixtures/` is an environment of one of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import persist_fixture
import pytest
from persist_fixture import EVERYTHING, contents, large_contents
from persist_support import read_at
from ptvc.clock import ManualClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.base import FORMAT_VERSION
from ptvc.persist.consensus.sqlite import SqliteConsensus

FIXTURES = Path(__file__).with_name("fixtures")
VERSIONS = sorted(path.name for path in FIXTURES.iterdir())


def check(directory: Path) -> None:
    consensus = SqliteConsensus(directory / "consensus.sqlite")
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
    check(tmp_path / version)


def test_the_current_format_has_a_fixture(tmp_path: Path) -> None:
    assert f"v{FORMAT_VERSION}" in VERSIONS
    tmp_path.joinpath("new").mkdir()
    persist_fixture.write(tmp_path / "new")
    check(tmp_path / "new")
