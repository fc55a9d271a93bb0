"""The stores of an environment belong together: they are opened so, remembered, and refused otherwise."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from persist_support import SCHEMA, append, read_at
from ptvc.cli import app
from ptvc.clock import ManualClock
from ptvc.directory import RuntimeInfo, installed_version, lock
from ptvc.errors import InvalidParameter, StorageError
from ptvc.persist.client import PersistClient
from ptvc.persist.location import Location
from ptvc.persist.stores import locate, open_existing, open_stores
from typer.testing import CliRunner

ROW = [((1, "a"), 0, 1)]


def opened(directory: Path, consensus: Path | None = None, blob: Path | None = None) -> Location:
    """Opens the stores as `ptvc serve` does; a new environment gets a shard with a blob."""
    location = locate(
        directory,
        None if consensus is None else f"sqlite://{consensus}",
        None if blob is None else blob.as_uri(),
        {},
    )
    stores = open_stores(directory, location)
    client = PersistClient(stores.consensus, stores.blob, ManualClock())
    try:
        if not client.shards():
            client.create_shard("s", SCHEMA)
            append(client, "s", 0, 1, ROW, inline=False)
        assert read_at(client, "s", 0)[("row", 1, "a")] == 1
    finally:
        stores.consensus.close()
    return location


def as_an_earlier_release_left_it(directory: Path) -> None:
    (directory / "stores.json").unlink()
    (directory / "blobs" / "environment.json").unlink()


def test_the_directory_remembers_its_stores(tmp_path: Path) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    elsewhere.mkdir()
    named = opened(home, elsewhere / "c.sqlite", elsewhere / "blobs")
    assert opened(home) == named
    assert not (home / "consensus.sqlite").exists()
    assert not (home / "blobs").exists()
    found = json.loads((home / "stores.json").read_text())
    assert found["blob"] == (elsewhere / "blobs").as_uri()
    assert json.loads((elsewhere / "blobs" / "environment.json").read_text()) == {
        "environment": found["environment"]
    }


def test_a_directory_may_be_moved(tmp_path: Path) -> None:
    assert opened(tmp_path / "one") == Location()
    shutil.move(tmp_path / "one", tmp_path / "two")
    assert opened(tmp_path / "two") == Location()


def test_blobs_may_be_moved(tmp_path: Path) -> None:
    opened(tmp_path / "home")
    shutil.move(tmp_path / "home" / "blobs", tmp_path / "there")
    opened(tmp_path / "home", blob=tmp_path / "there")
    assert locate(tmp_path / "home").blob == (tmp_path / "there").as_uri()
    opened(tmp_path / "home")


def test_another_place_without_the_blobs_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "home")
    for _ in range(2):
        with pytest.raises(InvalidParameter, match="have their parts elsewhere"):
            opened(tmp_path / "home", blob=tmp_path / "empty")
    opened(tmp_path / "home")


def test_the_directory_is_no_place_for_what_is_elsewhere(tmp_path: Path) -> None:
    opened(tmp_path / "home", blob=tmp_path / "there")
    for _ in range(2):
        with pytest.raises(InvalidParameter, match="have their parts elsewhere"):
            open_stores(tmp_path / "home", Location())
    (tmp_path / "home" / "stores.json").unlink()
    shutil.rmtree(tmp_path / "home" / "blobs")
    with pytest.raises(InvalidParameter, match="have their parts elsewhere"):
        opened(tmp_path / "home")


def test_blobs_of_another_environment_are_refused(tmp_path: Path) -> None:
    opened(tmp_path / "one")
    with pytest.raises(InvalidParameter, match="belong to another environment") as refused:
        opened(tmp_path / "two", blob=tmp_path / "one" / "blobs")
    assert "--blob" in (refused.value.hint or "")
    assert not (tmp_path / "two" / "stores.json").exists()
    opened(tmp_path / "one")


def test_a_consensus_of_another_environment_is_refused(tmp_path: Path) -> None:
    opened(tmp_path / "one")
    opened(tmp_path / "two")
    one = tmp_path / "one" / "consensus.sqlite"
    with pytest.raises(InvalidParameter, match="two belongs to another environment") as refused:
        opened(tmp_path / "two", one, tmp_path / "one" / "blobs")
    assert "--consensus sqlite: --blob file:" in (refused.value.hint or "")
    opened(tmp_path / "two")


def test_a_second_directory_may_serve_the_same_stores(tmp_path: Path) -> None:
    """On another machine: its epoch fences the first."""
    consensus, blob = tmp_path / "c.sqlite", tmp_path / "blobs"
    opened(tmp_path / "one", consensus, blob)
    opened(tmp_path / "two", consensus, blob)
    assert locate(tmp_path / "one") == locate(tmp_path / "two")


def test_an_environment_of_an_earlier_release(tmp_path: Path) -> None:
    opened(tmp_path)
    as_an_earlier_release_left_it(tmp_path)
    with pytest.raises(InvalidParameter, match="belongs to another environment"):
        opened(tmp_path, tmp_path / "other.sqlite")
    with pytest.raises(InvalidParameter, match="have their parts elsewhere"):
        opened(tmp_path, blob=tmp_path / "other")
    assert opened(tmp_path) == Location()
    assert (tmp_path / "stores.json").is_file()
    assert (tmp_path / "blobs" / "environment.json").is_file()


def test_a_start_that_was_interrupted_is_no_obstacle(tmp_path: Path) -> None:
    """Nothing but the consensus was made; and everything but the mark."""
    open_stores(tmp_path / "a", Location()).consensus.close()
    (tmp_path / "a" / "stores.json").unlink()
    opened(tmp_path / "a", blob=tmp_path / "there")
    open_stores(tmp_path / "b", Location()).consensus.close()
    (tmp_path / "b" / "blobs" / "environment.json").unlink()
    opened(tmp_path / "b")


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}'])
def test_a_damaged_memory_is_said_so(tmp_path: Path, text: str) -> None:
    opened(tmp_path)
    (tmp_path / "stores.json").write_text(text)
    with pytest.raises(StorageError, match=r"stores\.json is not what was written"):
        opened(tmp_path)
    (tmp_path / "stores.json").unlink()
    opened(tmp_path)


def test_a_newer_memory_is_refused(tmp_path: Path) -> None:
    opened(tmp_path)
    found = json.loads((tmp_path / "stores.json").read_text())
    (tmp_path / "stores.json").write_text(json.dumps({**found, "format": 2}))
    with pytest.raises(StorageError, match="has format version 2"):
        opened(tmp_path)


@pytest.mark.parametrize("data", [b"", b"{}", b"\xff", b'{"environment": "x"}'])
def test_a_damaged_mark_is_said_so(tmp_path: Path, data: bytes) -> None:
    opened(tmp_path)
    (tmp_path / "blobs" / "environment.json").write_bytes(data)
    with pytest.raises(StorageError, match="is not what was written") as caught:
        opened(tmp_path)
    assert caught.value.sqlstate == "XX001"


def test_whoever_only_looks_makes_nothing(tmp_path: Path) -> None:
    places = Location(f"sqlite://{tmp_path}/c.sqlite", (tmp_path / "blobs").as_uri())
    with pytest.raises(InvalidParameter, match="is not there"):
        open_existing(tmp_path, places)
    opened(tmp_path / "home", tmp_path / "c.sqlite")
    with pytest.raises(InvalidParameter, match="is not there"):
        open_existing(tmp_path, places)
    assert not (tmp_path / "blobs").exists()
    assert not (tmp_path / "stores.json").exists()


def test_whoever_only_looks_is_not_led_astray(tmp_path: Path) -> None:
    opened(tmp_path / "one")
    opened(tmp_path / "two")
    with pytest.raises(InvalidParameter, match="belong to another environment"):
        open_existing(tmp_path / "one", locate(tmp_path / "one", blob=(tmp_path / "two" / "blobs").as_uri()))


def test_the_commands_find_the_stores(tmp_path: Path) -> None:
    opened(tmp_path / "home", tmp_path / "c.sqlite", tmp_path / "blobs")
    for more in ([], ["--blob", (tmp_path / "blobs").as_uri()]):
        result = CliRunner().invoke(app, ["persist", "verify", "--path", str(tmp_path / "home"), *more])
        assert result.exit_code == 0, result.output
    named = {"PTVC_CONSENSUS": f"sqlite://{tmp_path}/c.sqlite", "PTVC_BLOB": (tmp_path / "blobs").as_uri()}
    command = ["persist", "inspect", "--path", str(tmp_path / "new")]
    result = CliRunner().invoke(app, command, env=named)
    assert result.exit_code == 0, result.output
    assert "1 blobs" in result.output
    assert not (tmp_path / "new").exists()


def test_a_runtime_that_runs_keeps_its_stores(tmp_path: Path) -> None:
    opened(tmp_path / "home", blob=tmp_path / "there")
    with lock(tmp_path / "home"):
        RuntimeInfo("127.0.0.1", 1, os.getpid(), installed_version()).write(tmp_path / "home")
        command = ["up", "--path", str(tmp_path / "home")]
        for same in ([], ["--blob", (tmp_path / "there").as_uri()]):
            assert CliRunner().invoke(app, [*command, *same]).exit_code == 0
        result = CliRunner().invoke(app, [*command, "--blob", "file:"])
        assert "has other stores than the ones named" in str(result.exception)


@pytest.mark.parametrize("command", [["serve"], ["up"], ["persist", "inspect"]])
def test_the_commands_refuse_what_is_no_place(tmp_path: Path, command: list[str]) -> None:
    result = CliRunner().invoke(app, [*command, "--path", str(tmp_path), "--blob", "gs://bucket"])
    assert isinstance(result.exception, InvalidParameter)
    assert "is no place for the blobs" in result.exception.message
