"""The power goes at any moment: everything that was acknowledged is there, nothing is doubled, nothing half."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
from persist_disk import BASE, Disk
from persist_support import SCHEMA, ModelShard, Update, append, read_at
from ptvc.clock import ManualClock
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.client import Appended, PersistClient
from ptvc.persist.consensus import sqlite_checksums
from ptvc.persist.consensus.sqlite import SqliteConsensus

APPENDS = 40


@dataclass(frozen=True, slots=True)
class Acknowledged:
    """From this position of the journal on the shard's upper is at least `upper`."""

    position: int
    upper: int


def history(disk: Disk, random: Random) -> tuple[ModelShard, list[Acknowledged]]:
    """Appends, inline and as blobs, with merges and collections between them."""
    consensus = SqliteConsensus(disk.root / "consensus.db")
    client = PersistClient(consensus, FileBlob(disk.root / "blobs"), ManualClock())
    client.create_shard("s", SCHEMA)
    model = ModelShard()
    acknowledged = [Acknowledged(len(disk.journal), 0)]
    for time in range(APPENDS):
        updates: list[Update] = [((random.randrange(5), "x"), time, random.choice([1, 1, -1]))]
        outcome = append(client, "s", time, time + 1, updates, inline=random.random() < 0.7)
        assert outcome == Appended({"s": time + 1})
        model.append(updates, [], time + 1)
        acknowledged.append(Acknowledged(len(disk.journal), time + 1))
        if random.random() < 0.2:
            client.set_hold("s", "h", max(0, time - 2), critical=True)
            client.compact("s", force=random.random() < 0.5)
            client.collect_garbage(grace_ms=0)
        if random.random() < 0.1:
            consensus._writer.wal_checkpoint()
    consensus.close()
    return model, acknowledged


def check(directory: Path, model: ModelShard, upper: int) -> None:
    """What is found has at least `upper`, at every readable time what the model has, and goes on."""
    consensus = SqliteConsensus(directory / "consensus.db")
    client = PersistClient(consensus, FileBlob(directory / "blobs"), ManualClock())
    state = client.state("s")
    assert upper <= state.upper <= upper + 1, "an append was lost, or came from nowhere"
    for time in {state.since, (state.since + state.upper) // 2, state.upper - 1}:
        if state.since <= time < state.upper:
            assert read_at(client, "s", time) == model.at(time)
    client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True)
    live = {part.blob for part in client.updates("s", 0, 0)}
    if state.upper > state.since:
        live = {part.blob for part in client.snapshot("s", state.upper - 1).parts if part.blob}
    assert set(client.blob.keys()) == live
    assert append(client, "s", state.upper, state.upper + 1) == Appended({"s": state.upper + 1})
    consensus.close()


def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, count: int) -> None:
    monkeypatch.setattr(sqlite_checksums, "vfs", lambda: BASE)
    random = Random(seed)
    (tmp_path / "disk").mkdir()
    disk = Disk(tmp_path / "disk")
    with disk.watching(monkeypatch):
        model, acknowledged = history(disk, random)
    first = acknowledged[0].position
    for number in range(count):
        position = random.randint(first, len(disk.journal))
        upper = max(each.upper for each in acknowledged if each.position <= position)
        found = tmp_path / f"found-{number}"
        found.mkdir()
        disk.at(position, random, found)
        check(found, model, upper)
        shutil.rmtree(found)


@pytest.mark.parametrize("seed", range(2))
def test_nothing_acknowledged_is_lost(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    states(tmp_path, monkeypatch, seed, 25)


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("seed", range(10, 20))
def test_nothing_acknowledged_is_lost_in_a_thousand_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    states(tmp_path, monkeypatch, seed, 100)


def test_the_simulation_would_find_a_missing_sync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same with a blob store that does not sync its directories."""
    from ptvc.persist.blob import file as file_module

    monkeypatch.setattr(file_module, "sync_directory", lambda directory: None)
    with pytest.raises(Exception, match=r"does not exist|lost"):
        states(tmp_path, monkeypatch, 0, 60)
