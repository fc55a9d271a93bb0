"""The client's contract, operation by operation, over every consensus."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from persist_support import (
    SCHEMA,
    UnreliableConsensus,
    append,
    contents_of,
    delta_of,
    read_at,
    read_between,
)
from ptvc.clock import ManualClock
from ptvc.errors import DataError, Fenced, InvalidUsage, ObjectNotReady, StorageError, UndefinedObject
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import (
    Appended,
    PersistClient,
    ShardState,
    UpperMismatch,
    Write,
)
from ptvc.persist.consensus.base import Consensus, Indeterminate, Outcome, Transaction
from ptvc.persist.part import stamp
from ptvc.persist.read import read_snapshot, read_updates
from ptvc.persist.write import write_parts
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8

A, B = ("row", 1, "a"), ("row", 2, "b")


def other_client(consensus: Consensus, client: PersistClient) -> PersistClient:
    """Another process's client on the same stores."""
    return PersistClient(consensus, client.blob, ManualClock())


# Shards


def test_create_is_idempotent(client: PersistClient) -> None:
    assert client.create_shard("s", SCHEMA, 5) == ShardState("s", 5, 5, SCHEMA)
    append(client, "s", 5, 9)
    assert client.create_shard("s", SCHEMA, 7) == ShardState("s", 5, 9, SCHEMA)
    with pytest.raises(InvalidUsage, match="another schema"):
        client.create_shard("s", Schema(()))
    with pytest.raises(DataError, match="not a timestamp"):
        client.create_shard("t", SCHEMA, 2**63)


def test_unknown_shards_are_named(client: PersistClient) -> None:
    for call in (
        lambda: client.state("x"),
        lambda: client.snapshot("x", 0),
        lambda: client.updates("x", 0, 1),
        lambda: client.append({"x": Write(0, 1)}),
        lambda: client.set_hold("x", "h", 0, critical=True),
        lambda: client.compact("x"),
        lambda: client.evolve_schema("x", SCHEMA),
    ):
        with pytest.raises(UndefinedObject, match='shard "x" does not exist'):
            call()
    client.drop_shard("x")
    client.drop_hold("x", "h")
    assert client.shards() == []


def test_a_dropped_shard_is_gone_for_good(client: PersistClient, consensus: Consensus) -> None:
    other = other_client(consensus, client)
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)], inline=False)
    other.set_hold("s", "reader", 0, critical=False)
    assert [shard.id for shard in other.shards()] == ["s"]
    client.drop_shard("s")
    client.drop_shard("s")
    for each in (client, other):
        assert each.shards() == []
        with pytest.raises(UndefinedObject):
            each.state("s")
        with pytest.raises(UndefinedObject):
            append(each, "s", 1, 2)
        with pytest.raises(InvalidUsage, match="cannot be used again"):
            each.create_shard("s", SCHEMA)
    with pytest.raises(ObjectNotReady):
        other.heartbeat("reader")
    assert client.collect_garbage(grace_ms=0) == 1
    assert list(client.blob.keys()) == []


def test_schemas_grow_at_the_end(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)])
    wider = Schema((*SCHEMA.columns, Column("extra", INT8)))
    assert client.evolve_schema("s", wider).schema == wider
    assert client.evolve_schema("s", wider).schema == wider
    parts = write_parts(client.blob, "s", wider, delta_of([((2, "b", 3), 1, 1)], schema=wider), writer="w")
    client.append({"s": Write(1, 2, parts)})
    expected = {("row", 1, "a", None): 1, ("row", 2, "b", 3): 1}
    assert read_at(client, "s", 1) == expected
    append(client, "s", 2, 3, [], [])
    client.set_hold("s", "h", 1, critical=True)
    assert client.compact("s", force=True)
    assert read_at(client, "s", 1) == expected
    assert read_at(other_client(consensus, client), "s", 1) == expected
    for bad in (
        SCHEMA,
        Schema((Column("id", INT8), Column("name", INT8), Column("extra", INT8))),
        Schema((*wider.columns, Column("required", INT8, False))),
    ):
        with pytest.raises(InvalidUsage):
            client.evolve_schema("s", bad)


def test_dropped_columns_are_null_for_good(client: PersistClient, consensus: Consensus) -> None:
    """A row is retracted without its dropped value."""
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1), ((1, "b"), 0, 1), ((2, "c"), 0, 1)])
    dropped = Schema((SCHEMA[0], replace(SCHEMA[1], dropped=True)))
    assert client.evolve_schema("s", dropped).schema == dropped
    append(client, "s", 1, 2, [((1, None), 1, -1), ((2, None), 1, -1)])
    assert read_at(client, "s", 1) == {("row", 1, None): 1}
    append(client, "s", 2, 3, [], [])
    client.set_hold("s", "h", 1, critical=True)
    assert client.compact("s", force=True)
    assert read_at(client, "s", 1) == {("row", 1, None): 1}
    assert read_at(other_client(consensus, client), "s", 1) == {("row", 1, None): 1}
    with pytest.raises(InvalidUsage):
        client.evolve_schema("s", SCHEMA)


# Appending


def test_append_and_read(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    assert append(client, "s", 0, 3, [((1, "a"), 0, 1), ((2, "b"), 2, 2)]) == Appended({"s": 3})
    assert append(client, "s", 3, 5, [((1, "a"), 3, -1)], [(("22012", "x"), 4, 1)]) == Appended({"s": 5})
    assert client.state("s") == ShardState("s", 0, 5, SCHEMA)
    assert read_at(client, "s", 0) == {A: 1}
    assert read_at(client, "s", 2) == {A: 1, B: 2}
    assert read_at(client, "s", 3) == {B: 2}
    assert read_at(client, "s", 4) == {B: 2, ("error", "22012", "x"): 1}
    assert read_between(client, "s", 1, 4) == {B: 2, A: -1}
    assert read_between(client, "s", 3, 3) == {}


def test_a_snapshot_is_consolidated_at_its_time(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    for time in range(4):
        append(client, "s", time, time + 1, [((1, "a"), time, 1), ((2, "b"), time, (-1) ** time)])
    found = read_snapshot(client.blob, client.snapshot("s", 3))
    assert len(found.oks) == 1
    assert found.oks.times.tolist() == [3]
    assert contents_of(found) == {A: 4}


def test_a_lost_race_is_a_value(client: PersistClient, consensus: Consensus) -> None:
    other = other_client(consensus, client)
    client.create_shard("s", SCHEMA)
    assert other.state("s").upper == 0
    assert append(client, "s", 0, 2, [((1, "a"), 1, 1)]) == Appended({"s": 2})
    assert append(other, "s", 0, 1, [((2, "b"), 0, 1)], writer="other") == UpperMismatch({"s": 2})
    assert append(other, "s", 5, 6, writer="other") == UpperMismatch({"s": 2})
    assert append(other, "s", 2, 3, [((2, "b"), 2, 1)], writer="other") == Appended({"s": 3})
    assert read_at(client, "s", 2) == {A: 1, B: 1}


def test_many_shards_at_once(client: PersistClient, consensus: Consensus) -> None:
    for shard in ("s", "t"):
        client.create_shard(shard, SCHEMA)
    append(client, "t", 0, 4)

    def writes(lower: int) -> dict[str, Write]:
        def parts(shard: str) -> Write:
            delta = delta_of([((1, "a"), 4, 1)])
            return Write(lower, 5, write_parts(client.blob, shard, SCHEMA, delta, writer="w"))

        return {"s": parts("s"), "t": replace(parts("t"), lower=4)}

    assert client.append({"s": Write(0, 9), "t": Write(3, 9)}) == UpperMismatch({"s": 0, "t": 4})
    assert client.append(writes(0)) == Appended({"s": 5, "t": 5})
    for each in (client, other_client(consensus, client)):
        assert [state.upper for state in each.shards()] == [5, 5]
        assert read_at(each, "s", 4) == read_at(each, "t", 4) == {A: 1}


def test_progress_inserts_no_batch(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    for upper in range(1, 5):
        append(client, "s", upper - 1, upper)
    found = consensus.batches("s", 0)
    assert found is not None
    assert found[1] == []
    assert read_at(client, "s", 3) == {}


def test_impossible_writes_are_refused(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    (part,) = write_parts(client.blob, "s", SCHEMA, delta_of([((1, "a"), 4, 1)]), writer="w")
    for write, message in (
        (Write(0, 4, (part,)), r"times 4..4, outside \[0, 4\)"),
        (Write(5, 9, (part,)), "outside"),
        (Write(3, 2), "lower 3 is beyond upper 2"),
        (Write(0, 9, (replace(part, shard="t"),)), 'is of "t"'),
    ):
        with pytest.raises(InvalidUsage, match=message):
            client.append({"s": write})
    with pytest.raises(DataError):
        client.append({"s": Write(0, 2**63)})
    assert client.state("s").upper == 0


def test_a_repeated_append_is_recognised(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    updates = [((1, "a"), 0, 1)]
    assert append(client, "s", 0, 1, updates, writer="w") == Appended({"s": 1})
    for each in (client, other_client(consensus, client)):
        assert append(each, "s", 0, 1, updates, writer="w") == Appended({"s": 1})
        assert append(each, "s", 0, 1, updates, writer="v") == UpperMismatch({"s": 1})
        assert append(each, "s", 0, 1, [((1, "a"), 0, 2)], writer="w") == UpperMismatch({"s": 1})
    assert append(client, "s", 1, 2, updates[:0], writer="w") == Appended({"s": 2})
    assert append(client, "s", 0, 1, updates, writer="w") == UpperMismatch({"s": 2})
    assert read_at(client, "s", 1) == {A: 1}


@pytest.mark.parametrize("seed", range(10))
def test_lost_replies_are_resolved(consensus: Consensus, memory_blob: MemoryBlob, seed: int) -> None:
    unreliable = UnreliableConsensus(consensus, Random(seed), fail=0.2, lose=0.3)
    client = PersistClient(unreliable, memory_blob, ManualClock())  # type: ignore[arg-type]
    client.create_shard("s", SCHEMA)
    for time in range(40):
        assert append(client, "s", time, time + 1, [((1, "a"), time, 1)]) == Appended({"s": time + 1})
    assert unreliable.lost > 3
    assert read_at(client, "s", 39) == {A: 40}


def test_a_store_that_is_gone_is_an_error(consensus: Consensus, memory_blob: MemoryBlob) -> None:
    unreliable = UnreliableConsensus(consensus, Random(0), fail=0, lose=0)
    client = PersistClient(unreliable, memory_blob, ManualClock())  # type: ignore[arg-type]
    client.create_shard("s", SCHEMA)
    unreliable._lose = 1
    assert append(client, "s", 0, 1) == Appended({"s": 1})
    unreliable._fail = 1
    with pytest.raises(Indeterminate, match="was lost"):
        append(client, "s", 1, 2, [((1, "a"), 1, 1)])
    unreliable._fail = unreliable._lose = 0
    assert append(client, "s", 1, 2, [((1, "a"), 1, 1)]) == Appended({"s": 2})
    assert read_at(client, "s", 1) == {A: 1}


def test_what_was_applied_is_not_said_to_have_failed(client: PersistClient) -> None:
    """The reply is lost, and the store takes nothing more: that the append is there is found by reading, but not whether
    the epoch still holds."""
    inner = client._consensus
    client.create_shard("s", SCHEMA)

    class ReadOnly:
        def __getattr__(self, name: str) -> object:
            return getattr(inner, name)

        def commit(self, transaction: Transaction) -> Outcome:
            if not transaction.changes:
                raise StorageError("the store cannot be written")
            inner.commit(transaction)
            raise Indeterminate("the reply was lost")

    unlucky = PersistClient(ReadOnly(), client.blob, ManualClock())  # type: ignore[arg-type]
    epoch = unlucky.take_epoch("coordinator")
    delta = delta_of([((1, "a"), 0, 1)])
    parts = write_parts(client.blob, "s", SCHEMA, delta, writer="writer")
    with pytest.raises(Indeterminate):
        unlucky.append({"s": Write(0, 1, parts)}, epoch=epoch)
    with pytest.raises(Indeterminate):
        unlucky.drop_shard("s", epoch=epoch)
    assert "s" not in {state.id for state in client.shards()}


# Reading


def test_readable_times(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA, 3)
    append(client, "s", 3, 9, [((1, "a"), 5, 1)])
    client.set_hold("s", "h", 4, critical=True)
    for as_of in (3, 9, 100):
        with pytest.raises(ObjectNotReady, match="not readable") as caught:
            client.snapshot("s", as_of)
        assert caught.value.sqlstate == "55000"
    assert read_at(client, "s", 4) == {}
    assert read_at(client, "s", 8) == {A: 1}


def test_an_interval_must_be_known(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA, 3)
    append(client, "s", 3, 9, [((1, "a"), 5, 1)])
    assert read_between(client, "s", 3, 9) == {A: 1}
    with pytest.raises(ObjectNotReady, match="not up to 10"):
        client.updates("s", 3, 10)
    client.set_hold("s", "h", 6, critical=True)
    with pytest.raises(ObjectNotReady, match="no longer known"):
        client.updates("s", 6, 9)
    assert read_between(client, "s", 7, 9) == {}


def test_parts_outside_the_interval_are_left_out(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    for time in range(5):
        append(client, "s", time * 10, time * 10 + 10, [((time, "x"), time * 10 + 5, 1)])
    assert [part.min_time for part in client.updates("s", 10, 30)] == [15, 25]
    assert [part.min_time for part in client.updates("s", 16, 25)] == []
    assert [part.min_time for part in client.snapshot("s", 24).parts] == [5, 15]
    only_15 = read_updates(client.blob, client.updates("s", 0, 50), SCHEMA, 15, 16)
    assert contents_of(only_15) == {("row", 1, "x"): 1}


@pytest.mark.parametrize("size", [1, 70_000])
def test_a_part_can_be_encoded_before_its_time_is_known(client: PersistClient, size: int) -> None:
    client.create_shard("s", SCHEMA, 10)
    delta = delta_of([((1, "x" * size), 0, 1), ((2, "b"), 1, 1)], [(("22012", "x"), 0, 1)])
    parts = write_parts(client.blob, "s", SCHEMA, delta, writer="w")
    with pytest.raises(InvalidUsage, match="outside"):
        client.append({"s": Write(10, 20, parts)})
    stamped = tuple(stamp(part, 15) for part in parts)
    assert client.append({"s": Write(10, 20, stamped)}) == Appended({"s": 20})
    assert client.append({"s": Write(20, 25, tuple(stamp(part, 22) for part in parts))})
    row, error = ("row", 1, "x" * size), ("error", "22012", "x")
    once = {row: 1, B: 1, error: 1}
    assert read_at(client, "s", 14) == {}
    assert read_at(client, "s", 15) == read_between(client, "s", 15, 16) == once
    assert read_between(client, "s", 16, 22) == {}
    assert read_between(client, "s", 22, 23) == once
    client.set_hold("s", "h", 12, critical=True)
    assert client.compact("s", force=True)
    assert read_at(client, "s", 21) == read_between(client, "s", 22, 25) == once
    assert read_at(client, "s", 24) == dict.fromkeys(once, 2)


# Holds


def test_since_is_the_meet_of_holds(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 100)
    client.set_hold("s", "one", 10, critical=True)
    assert client.state("s").since == 10
    client.set_hold("s", "two", 20, critical=True)
    assert client.state("s").since == 10
    client.set_hold("s", "one", 30, critical=True)
    assert client.state("s").since == 20
    with pytest.raises(ObjectNotReady, match="cannot hold"):
        client.set_hold("s", "three", 19, critical=True)
    client.drop_hold("s", "two")
    assert client.state("s").since == 30
    client.drop_hold("s", "two")
    client.drop_hold("s", "one")
    assert client.state("s").since == 30
    client.set_hold("s", "far", 500, critical=True)
    assert client.state("s").since == 100
    append(client, "s", 100, 200)
    client.set_hold("s", "far", 500, critical=True)
    assert client.state("s").since == 200
    assert other_client(consensus, client).state("s").since == 200
    with pytest.raises(InvalidUsage):
        client.set_hold("s", "h", 500, critical=True, lease_ms=5)


def test_a_newer_epoch_fences(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    with pytest.raises(InvalidUsage, match="has taken none"):
        client.append({"s": Write(0, 1)}, epoch=1)
    first = client.take_epoch("coordinator")
    assert client.append({"s": Write(0, 1)}, epoch=first, mark=10) == Appended({"s": 1})
    other = other_client(consensus, client)
    second = other.take_epoch("coordinator")
    assert (first, second) == (1, 2)
    for call in (
        lambda: client.append({"s": Write(1, 2)}, epoch=first, mark=99),
        lambda: client.append({"s": Write(0, 2)}, epoch=first),
        lambda: client.raise_mark(99, first),
        lambda: client.create_shard("t", SCHEMA, epoch=first),
        lambda: client.create_shard("s", SCHEMA, epoch=first),
        lambda: client.drop_shard("s", epoch=first),
        lambda: client.set_hold("s", "h", 0, critical=True, epoch=first),
        lambda: client.drop_hold("s", "h", epoch=first),
    ):
        with pytest.raises(Fenced, match='taken over as "coordinator"') as caught:
            call()
        assert caught.value.sqlstate == "57P02"
    assert (client.state("s").upper, client.mark()) == (1, 10)
    other.raise_mark(20, second)
    other.raise_mark(15, second)
    assert client.mark() == other.mark() == 20
    assert client.take_epoch("something else") == 1


# What an append costs


def test_an_append_does_not_read_the_history(client: PersistClient, consensus: Consensus) -> None:
    class Counting:
        calls = 0

        def __getattr__(self, name: str) -> object:
            assert name == "commit", f"an append called {name}"
            Counting.calls += 1
            return getattr(consensus, name)

    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)])
    read_at(client, "s", 0)
    client._machine._consensus = client._cache._consensus = Counting()  # type: ignore[assignment]
    for time in range(1, 5):
        assert append(client, "s", time, time + 1, [((1, "a"), time, 1)]) == Appended({"s": time + 1})
    assert Counting.calls == 4


def test_errors_of_the_blob_store_pass_through(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)], inline=False)
    (part,) = client.snapshot("s", 0).parts
    assert part.blob is not None
    client.blob.delete(part.blob)
    with pytest.raises(StorageError, match=part.blob):
        read_at(client, "s", 0)


def test_batches_are_never_written_into(client: PersistClient) -> None:
    """What a reader got stays as it was, whatever is appended or merged."""
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)])
    snapshot = client.snapshot("s", 0)
    delta = read_snapshot(client.blob, snapshot)
    before = (snapshot, contents_of(delta))
    for time in range(1, 20):
        append(client, "s", time, time + 1, [((2, "b"), time, 1)])
    client.compact("s", force=True)
    assert (snapshot, contents_of(delta)) == before
    assert isinstance(delta.oks, Batch)


def test_a_commit_of_unknown_outcome_stays_so_when_the_store_cannot_be_read(client: PersistClient) -> None:
    """It may have been written: whoever hears an ordinary error would go on as if it had not."""
    client.create_shard("s", SCHEMA)
    inner = client._consensus

    class Dying:
        dead = False

        def __getattr__(self, name: str) -> object:
            if self.dead:
                raise StorageError("the store does not answer")
            return getattr(inner, name)

        def commit(self, transaction: Transaction) -> Outcome:
            if self.dead:
                raise StorageError("the store does not answer")
            inner.commit(transaction)
            self.dead = True
            raise Indeterminate("the reply was lost")

    dying = Dying()
    unlucky = PersistClient(dying, client.blob, ManualClock())  # type: ignore[arg-type]
    unlucky.state("s")
    with pytest.raises(Indeterminate):
        append(unlucky, "s", 0, 1, [((1, "a"), 0, 1)])
    assert client.state("s").upper == 1
    dying.dead = False
    assert unlucky.state("s").upper == 1
