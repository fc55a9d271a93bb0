"""Remap shards: one position, moved in the transaction of the data, read again after a lost reply."""

from __future__ import annotations

import pytest
from ptvc.clock import ManualClock
from ptvc.coord.storage.remap import REMAP_SCHEMA, Remap
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.part import stamp
from ptvc.persist.read import read_updates
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Delta, batch_from_rows


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


def test_errors_are_recorded_beside_the_position(persist: PersistClient) -> None:
    remap = Remap(persist)
    assert remap.import_of("r").snapshot == ()
    rows = [('["22P02","bad","1"]',), ('["22P02","worse","2"]',)]
    errors = write_parts(
        persist.blob, "r", REMAP_SCHEMA, Delta(batch_from_rows(REMAP_SCHEMA, rows, 0), NO_ERRORS), writer="w"
    )
    parts = tuple(stamp(part, 1) for part in (*remap.parts("r", '{"read": 1}'), *errors))
    assert isinstance(persist.append({"r": Write(0, 2, parts)}), Appended)
    move(persist, Remap(persist), '{"read": 2}', 2)
    again = Remap(persist)
    assert again.position("r") == '{"read": 2}'
    found = again.import_of("r")
    stored = read_updates(persist.blob, found.snapshot, REMAP_SCHEMA, 0, found.as_of + 1).oks
    assert set(stored.filter(stored.diffs > 0).columns[0].to_pylist()) == {
        '{"read": 1}', '{"read": 2}', *(row for (row,) in rows)
    }  # fmt: skip
