"""What `inspect` says of a store is what is there; what is damaged, `verify` finds and names."""

from __future__ import annotations

from pathlib import Path

import pytest
from persist_support import SCHEMA, append, delta_of
from ptvc.cli import app
from ptvc.clock import ManualClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.base import Consensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.inspect import overview, verify
from ptvc.persist.write import write_parts
from typer.testing import CliRunner


def filled(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    client.create_shard("gone", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)], [(("22012", "x"), 0, 1)])
    append(client, "s", 1, 5, [((2, "b"), 3, 1)], inline=False)
    client.set_hold("s", "view", 0, critical=True)
    append(client, "gone", 0, 1, [((1, "a"), 0, 1)], inline=False)
    client.drop_shard("gone")
    rows = delta_of([((1, "x" * 70_000), 0, 1)])
    write_parts(client.blob, "s", SCHEMA, rows, writer="dead")


def test_an_overview(client: PersistClient, consensus: Consensus, memory_blob: MemoryBlob) -> None:
    filled(client)
    found = overview(consensus, memory_blob)
    (shard,) = found.shards
    assert (shard.shard, shard.since, shard.upper, shard.columns) == ("s", 0, 5, 2)
    assert (shard.batches, shard.parts, shard.rows, shard.errors) == (2, 2, 4, 1)
    assert 0 < shard.inline_bytes < 64 * 1024
    assert shard.blob_bytes > 0
    assert [hold.holder for hold in shard.holds] == ["view"]
    assert found.blobs == 3
    assert [key.split("/")[0] for key in found.garbage] == ["gone"]
    assert [key.split("/")[1] for key in found.unreferenced] == ["dead"]
    assert list(verify(consensus, memory_blob)) == []
    client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True)
    assert overview(consensus, memory_blob).blobs == 1


def test_damage_is_found(client: PersistClient, consensus: Consensus, memory_blob: MemoryBlob) -> None:
    filled(client)
    key = next(key for key in list(memory_blob.keys()) if key.startswith("s/writer/"))
    data = memory_blob.get(key)
    memory_blob.delete(key)
    (missing,) = verify(consensus, memory_blob)
    assert missing.shard == "s"
    assert "does not exist" in missing.message
    memory_blob.put(key, data[:-9])
    (damaged,) = verify(consensus, memory_blob)
    assert f'part {key} of shard "s": its checksum does not match' in damaged.message


def environment(directory: Path) -> PersistClient:
    consensus = SqliteConsensus(directory / "consensus.sqlite")
    client = PersistClient(consensus, FileBlob(directory / "blobs"), ManualClock())
    filled(client)
    consensus.close()
    return client


def test_the_command(tmp_path: Path) -> None:
    environment(tmp_path)
    result = CliRunner().invoke(app, ["persist", "inspect", "--path", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "view: 0" in result.output
    assert "3 blobs; 1 replaced, to be deleted; 1 unreferenced" in result.output
    result = CliRunner().invoke(app, ["persist", "verify", "--path", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "all parts of 1 shard are as they were written" in result.output


def test_the_command_fails_for_damage(tmp_path: Path) -> None:
    environment(tmp_path)
    (path,) = (tmp_path / "blobs" / "s" / "writer").glob("*")
    path.write_bytes(path.read_bytes()[:-1])
    result = CliRunner().invoke(app, ["persist", "verify", "--path", str(tmp_path)])
    assert result.exit_code == 1
    assert "its checksum does not match" in result.output


@pytest.mark.parametrize("command", ["inspect", "verify"])
def test_the_command_makes_no_environment(tmp_path: Path, command: str) -> None:
    result = CliRunner().invoke(app, ["persist", command, "--path", str(tmp_path)])
    assert result.exit_code == 1
    assert "holds no environment" in str(result.exception)
    assert list(tmp_path.iterdir()) == []
