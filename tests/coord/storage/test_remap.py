"""Remap shards: one position, moved in the transaction of the data, read again after a lost reply."""

from __future__ import annotations

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.storage.remap import REMAP_SCHEMA, Remap
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.part import stamp


@pytest.fixture
def persist() -> PersistClient:
    client = PersistClient(MemoryConsensus(), MemoryBlob(), ManualClock())
    client.create_shard("r", REMAP_SCHEMA)
    return client


def move(persist: PersistClient, remap: Remap, position: str, time: int) -> None:
    parts = tuple(stamp(part, time) for part in remap.parts("r", position))
    outcome = persist.append({"r": Write(persist.state("r").upper, time + 1, parts)})
    assert isinstance(outcome, Appended)


def test_positions_survive(persist: PersistClient) -> None:
    remap = Remap(persist)
    assert remap.position("r") is None
    for time in range(1, 6):
        move(persist, remap, f"at {time}", time)
        remap.committed("r", f"at {time}")
        assert remap.position("r") == Remap(persist).position("r") == f"at {time}"


def test_a_commit_whose_reply_was_lost(persist: PersistClient) -> None:
    remap = Remap(persist)
    move(persist, remap, "one", 1)
    remap.committed("r", "one")
    move(persist, remap, "two", 2)  # nobody was told
    remap.forget("r")
    assert remap.position("r") == "two"
    move(persist, remap, "three", 3)
    assert Remap(persist).position("r") == "three"
