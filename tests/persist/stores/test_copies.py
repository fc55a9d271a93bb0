"""A copy of consensus is what it was at one moment, in another store of any kind, all or nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from persist_support import SCHEMA, append
from ptvc.clock import ManualClock
from ptvc.errors import InvalidParameter, StorageError
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import PersistClient
from ptvc.persist.consensus.copies import EPOCHS_AHEAD, DurableConsensus, Write
from ptvc.persist.stores import open_consensus
from servers.postgres_stores import fresh_schema

KINDS = ("sqlite", "postgres")


@pytest.fixture
def make(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Callable[[str], DurableConsensus]]:
    """A new consensus of a kind."""
    with ExitStack() as stack:

        def made(kind: str) -> DurableConsensus:
            if kind == "sqlite":
                path = tmp_path / f"{len(list(tmp_path.iterdir()))}.sqlite"
                store = open_consensus("sqlite" + path.as_uri().removeprefix("file"))
            else:
                store = open_consensus(
                    stack.enter_context(fresh_schema(request.getfixturevalue("oracle_uri")))
                )
            stack.callback(store.close)
            return store

        yield made


def filled(store: DurableConsensus) -> None:
    """Shards with inline parts and blobs, one dropped, holds of both kinds, garbage, an epoch, a mark, a writer."""
    client = PersistClient(store, MemoryBlob(), ManualClock())
    epoch = client.take_epoch("coordinator")
    for shard in ("a", "b", "gone"):
        client.create_shard(shard, SCHEMA)
        client.set_hold(shard, "critical", 0, critical=True)
    for time in range(12):
        append(client, "a", time, time + 1, [((time, "é" * 5), time, 1)], inline=time % 2 == 0)
        append(client, "gone", time, time + 1, [((time, "x"), time, 1)])
    client.raise_mark(12, epoch)
    client.set_hold("a", "critical", 11, critical=True)
    client.compact("a", force=True)
    append(client, "a", 12, 13, [((12, "last"), 12, 1)], inline=False)
    client.drop_shard("gone")
    client.pin("b", "backup")
    assert store.garbage()
    assert store.leases()
    assert store.writer("writer") is not None


@pytest.mark.parametrize("target", KINDS)
@pytest.mark.parametrize("source", KINDS)
def test_a_copy(make: Callable[[str], DurableConsensus], source: str, target: str) -> None:
    old, new = make(source), make(target)
    filled(old)
    drawn = new.identity()
    new.load(old.dump, 77, restored=9)
    assert (drawn == 77, new.identity(), new.restored_upper(), new.mark()) == (False, 77, 9, 12)
    assert old.restored_upper() == 0
    assert sorted(new.shard_ids(dropped=True)) == ["a", "b", "gone"]
    assert sorted(new.shard_ids()) == ["a", "b"]
    for shard in ("a", "gone"):
        assert new.batches(shard, 0) == old.batches(shard, 0)
    before, after = old.head("b"), new.head("b")
    assert before is not None
    assert after is not None
    assert [hold.holder for hold in after.holds] == ["critical"]
    assert (after.version, after.since, after.upper) == (before.version, before.since, before.upper)
    assert new.garbage() == []
    assert new.leases() == []
    assert new.writer("writer") is None
    assert new.take_epoch("coordinator") == 2 + EPOCHS_AHEAD
    client = PersistClient(new, MemoryBlob(), ManualClock())
    append(client, "b", 0, 5, [((1, "x"), 1, 1)])
    again = make(source)
    again.load(new.dump, 78)
    assert again.restored_upper() == 0, "a copy says what it is told"
    assert again.take_epoch("coordinator") == 3 + EPOCHS_AHEAD


@pytest.mark.parametrize("kind", KINDS)
def test_not_over_another_one(make: Callable[[str], DurableConsensus], kind: str) -> None:
    old, new = make("sqlite"), make(kind)
    filled(old)
    PersistClient(new, MemoryBlob(), ManualClock()).take_epoch("coordinator")
    identity = new.identity()
    with pytest.raises(InvalidParameter, match="holds an environment already"):
        new.load(old.dump, 77)
    assert (new.identity(), new.shard_ids()) == (identity, [])


@pytest.mark.parametrize("kind", KINDS)
def test_all_or_nothing(make: Callable[[str], DurableConsensus], kind: str) -> None:
    old, new = make("sqlite"), make(kind)
    filled(old)

    def half(write: Write) -> None:
        def some(table: str, rows: Sequence[Sequence[Any]]) -> None:
            if table == "hold":
                raise StorageError("the backup is gone")
            write(table, rows)

        old.dump(some)

    with pytest.raises(StorageError, match="the backup is gone"):
        new.load(half, 77)
    assert new.shard_ids(dropped=True) == []
    new.load(old.dump, 77)
    assert sorted(new.shard_ids()) == ["a", "b"]
