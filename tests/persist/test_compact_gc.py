"""Compaction keeps every readable time's contents; garbage collection deletes what nothing needs, nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from persist_support import SCHEMA, UnreliableBlob, append, delta_of, read_at, read_between
from ptvc.clock import ManualClock
from ptvc.errors import Fenced, StorageError
from ptvc.persist import compact
from ptvc.persist.blob.base import blob_key
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.base import Consensus, Indeterminate, Outcome, Transaction
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.gc import LOOKING_SHARE
from ptvc.persist.part import BlobKey, PartRef
from ptvc.persist.read import read_snapshot
from ptvc.persist.state import ShardBatch
from ptvc.persist.write import write_parts
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8

KIB = 1024


def batch(index: int, nbytes: int) -> ShardBatch:
    part = PartRef("s", "ipc1", b"", None, 1, 0, nbytes, index, index, 0)
    return ShardBatch("s", index, index + 1, 0, index, (part,))


def chosen(sizes: list[int], max_bytes: int = compact.MAX_MERGE_BYTES) -> tuple[int, int]:
    found = compact.choose([batch(i, size) for i, size in enumerate(sizes)], max_bytes)
    return (found[0].lower, found[-1].upper) if found else (0, 0)


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [
        ([], (0, 0)),
        ([100] * 7, (0, 0)),
        ([100] * 8, (0, 8)),
        ([10**6, *[100] * 8], (1, 9)),
        ([100] * 8 + [10**6] + [100] * 3, (0, 8)),
        ([100] * 8 + [10**6] + [100] * 9, (9, 18)),
        ([20 * KIB] * 7 + [100] * 7, (0, 14)),
        ([10**6] * 7 + [20 * KIB] * 7, (0, 14)),
        ([10**6] * 5 + [20 * KIB] * 2, (0, 0)),
        ([10**6, 10] * 8, (0, 16)),
        ([10**6, *[100] * 7], (0, 0)),
        ([20 * KIB, *[10 * KIB] * 2, *[100] * 7], (1, 10)),
        ([30 * KIB, 10 * KIB, *[100] * 7], (0, 0)),
        ([20 * KIB] * 8 + [10**6] + [100] * 7, (0, 8)),
        ([1 << 25 - i for i in range(20)], (0, 0)),
        ([1 << 20, *[1, 8000] * 40], (1, 81)),
    ],
)
def test_neighbours_of_a_tier_are_chosen(sizes: list[int], expected: tuple[int, int]) -> None:
    assert chosen(sizes) == expected


def rewritten(added: list[int]) -> tuple[int, int]:
    """Bytes that merges have read when batches of these sizes were appended, and how many batches are left."""
    held: list[int] = []
    moved = 0
    for size in added:
        held.append(size)
        while (span := chosen(held, compact.UNLIMITED)) != (0, 0):
            held[span[0] : span[1]] = [sum(held[span[0] : span[1]])]
            moved += held[span[0]]
    return moved, len(held)


@given(
    st.lists(st.integers(1, 1 << 24), max_size=3),
    st.lists(st.integers(1, 1 << 16), min_size=1, max_size=60),
    st.integers(1, 8),
)
def test_what_is_merged_ends_in_a_batch_twice_as_large(
    large: list[int], small: list[int], often: int
) -> None:
    """So a byte is moved as often as sizes double, and small batches do not rewrite a large one again and again."""
    added = large + small * often
    moved, left = rewritten(added)
    assert moved <= sum(size * ((sum(added) // size).bit_length()) for size in added)
    assert left < compact.MAX_NEIGHBOURS


def test_so_many_batches_are_merged_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compact, "MAX_NEIGHBOURS", 16)
    falling = [1 << 25 - i for i in range(16)]
    assert chosen(falling, compact.UNLIMITED) == (0, 16)
    assert chosen(falling[1:], compact.UNLIMITED) == (0, 0)


def test_a_few_small_batches_leave_a_large_one_alone() -> None:
    moved, left = rewritten([10**8, *[100] * 10_000])
    assert moved < 10**7
    assert left < 2 * compact.FAN_IN


def chosen_next(sizes: list[int], since: int) -> tuple[int, int]:
    found = compact.choose_next([batch(i, size) for i, size in enumerate(sizes)], since)
    return (found[0].lower, found[-1].upper) if found else (0, 0)


def test_what_would_be_read_again_at_once_is_merged_at_once() -> None:
    large = 100 * KIB
    many = [large, *[large // 8] * 8]
    assert chosen_next(many, 9) == (0, 9)
    assert chosen_next(many, 7) == (1, 9), "less than the oldest lies behind since"
    assert chosen_next([large] * 2, 9) == (0, 2)
    assert chosen_next([2 * large, large], 9) == (0, 0)


def settled(sizes: list[int], since: int, max_bytes: int = compact.UNLIMITED) -> tuple[int, int]:
    found = compact.choose_settled([batch(i, size) for i, size in enumerate(sizes)], since, max_bytes)
    return (found[0].lower, found[-1].upper) if found else (0, 0)


def test_what_lies_behind_since_is_merged_when_it_has_doubled() -> None:
    large = 100 * KIB
    assert settled([large] * 2, 1) == (0, 2)
    assert settled([large] * 9, 4) == (0, 5)
    assert settled([large] * 2, 0) == (0, 0)
    assert settled([2 * large, large, large - 1], 9) == (0, 0)
    assert settled([2 * large, large, large], 9) == (0, 3)
    assert settled([100] * 7, 9) == (0, 0), "small"
    assert settled([large] * 2, 1, 10 * large) == (0, 2)
    assert settled([large] * 2, 1, large) == (0, 0)
    assert settled([], 5) == (0, 0)


def test_a_merge_reads_no_more_than_its_limit() -> None:
    """By what the batches take in memory, not by what is left of them encoded."""
    one = batch(0, 1_000).decoded_nbytes
    assert one > 4_000
    assert chosen([1000] * 30, max_bytes=10 * one) == (20, 30)
    assert chosen([1000] * 30, max_bytes=10 * one - 1) == (21, 30)
    assert chosen([1000] * 30, max_bytes=5 * one) == (0, 0)


def test_the_memory_of_a_part_follows_its_rows() -> None:
    """Consecutive integers are packed to next to nothing."""
    rows = 50_000
    batch = Batch((pa.array(np.arange(rows)),), np.full(rows, 3, np.uint64), np.ones(rows, np.int64))
    (part,) = write_parts(
        MemoryBlob(), "s", Schema((Column("a", INT8),)), Delta(batch, NO_ERRORS), writer="w"
    )
    assert part.nbytes < 2 * rows
    assert 1.0 <= part.decoded_nbytes / batch.nbytes <= 2.0


@pytest.mark.parametrize("piece_bytes", [100, 3_000, 1 << 30])
def test_a_merge_by_pieces_has_the_same_contents(
    client: PersistClient, monkeypatch: pytest.MonkeyPatch, piece_bytes: int
) -> None:
    """Rows that cancel are in different batches; there are errors, and updates of errors only."""
    monkeypatch.setattr(compact, "PIECE_BYTES", piece_bytes)
    client.create_shard("s", SCHEMA)
    random = Random(5)
    live: list[tuple[int, str]] = []
    for time in range(20):
        updates = []
        if time % 5:
            gone = [live.pop(random.randrange(len(live))) for _ in range(len(live) // 2)]
            new = [(random.randrange(40), random.choice("xyz")) for _ in range(20)]
            live += new
            updates = [(row, time, -1) for row in gone] + [(row, time, 1) for row in new]
        append(client, "s", time, time + 1, updates, [(("22012", "x"), time, 1)])
    truth = {time: read_at(client, "s", time) for time in range(12, 20)}
    client.set_hold("s", "h", 12, critical=True)
    assert client.compact("s", force=True)
    assert {time: read_at(client, "s", time) for time in range(12, 20)} == truth
    assert sum(n > 0 for n in truth[19].values()) > 10


def test_history_stays_logarithmic(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    most = 0
    for time in range(300):
        append(client, "s", time, time + 1, [((time, "x" * 20), time, 1)])
        while client.compact("s"):
            pass
        found = consensus.batches("s", 0)
        assert found is not None
        most = max(most, len(found[1]))
    assert most <= 30
    assert sum(read_at(client, "s", 299).values()) == 300
    assert read_between(client, "s", 100, 101) == {("row", 100, "x" * 20): 1}


@pytest.mark.parametrize("inline", [True, False])
def test_merging_keeps_readable_times(client: PersistClient, inline: bool) -> None:
    client.create_shard("s", SCHEMA)
    random = Random(3)
    for time in range(30):
        updates = [((random.randrange(3), "x"), time, random.choice((1, -1))) for _ in range(3)]
        append(client, "s", time, time + 1, updates, [(("22012", "x"), time, 1)], inline=inline)
    truth = {time: read_at(client, "s", time) for time in range(30)}
    client.set_hold("s", "h", 17, critical=True)
    assert client.compact("s", force=True)
    for time in range(17, 30):
        assert read_at(client, "s", time) == truth[time]
    later = read_between(client, "s", 18, 30)
    total = truth[17].copy()
    for key, count in later.items():
        total[key] += count
    assert {key: count for key, count in total.items() if count} == truth[29]
    assert not client.compact("s")


def test_updates_that_cancel_leave_no_batch(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)])
    append(client, "s", 1, 2, [((1, "a"), 1, -1)])
    append(client, "s", 2, 5)
    client.set_hold("s", "h", 3, critical=True)
    assert client.compact("s", force=True)
    found = consensus.batches("s", 0)
    assert found is not None
    assert found[1] == []
    assert read_at(client, "s", 4) == {}
    assert append(client, "s", 5, 6, [((1, "a"), 5, 1)]) == Appended({"s": 6})
    assert read_at(PersistClient(consensus, client.blob, ManualClock()), "s", 5) == {("row", 1, "a"): 1}


def test_a_merge_goes_on_beside_appends(client: PersistClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client.create_shard("s", SCHEMA)
    for time in range(8):
        append(client, "s", time, time + 1, [((time, "x"), time, 1)])
    merge = compact.merge

    def slow(*args: object) -> object:
        append(client, "s", 8, 9, [((8, "x"), 8, 1)])
        client.set_hold("s", "h", 3, critical=True)
        return merge(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(compact, "merge", slow)
    assert client.compact("s")
    assert sum(read_at(client, "s", 8).values()) == 9
    assert sum(read_between(client, "s", 4, 9).values()) == 5


def test_a_merge_of_what_was_merged_meanwhile_is_dropped(
    client: PersistClient, consensus: Consensus, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = PersistClient(consensus, client.blob, ManualClock())
    client.create_shard("s", SCHEMA)
    for time in range(3):
        rows = delta_of([((time, f"{time}" * 70_000), time, 1)])
        parts = write_parts(client.blob, "s", SCHEMA, rows, writer="w")
        client.append({"s": Write(time, time + 1, parts)})
    client.set_hold("s", "h", 2, critical=True)
    other.state("s")
    merge, blobs = compact.merge, set(client.blob.keys())

    def slow(*args: object) -> object:
        monkeypatch.setattr(compact, "merge", merge)
        assert other.compact("s", force=True)
        return merge(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(compact, "merge", slow)
    assert not client.compact("s", force=True)
    (live,) = client.snapshot("s", 2).parts
    assert set(client.blob.keys()) == {*blobs, live.blob}
    assert sum(read_at(client, "s", 2).values()) == 3


def test_somebody_else_makes_the_parts_of_a_merge(client: PersistClient, consensus: Consensus) -> None:
    """Meanwhile later batches are merged here, and those before `after` are left alone."""
    client.create_shard("s", SCHEMA)
    for time in range(8):
        append(client, "s", time, time + 1, [((time, "x"), time, 1)])
    merge = client.next_merge("s")
    assert merge is not None
    assert (merge.lower, merge.upper, merge.since, len(merge.parts)) == (0, 8, 0, 8)
    for time in range(8, 16):
        append(client, "s", time, time + 1, [((time, "x"), time, 1)])
    assert not client.compact("s", after=9)
    assert client.next_merge("s", after=9) is None
    assert client.compact("s", after=8)
    parts = compact.merge(client.blob, merge, "job")
    assert client.replace(merge, parts)
    found = consensus.batches("s", 0)
    assert found is not None
    assert [(batch.lower, batch.upper) for batch in found[1]] == [(0, 8), (8, 16)]
    assert sum(read_at(client, "s", 15).values()) == 16
    assert sum(read_between(client, "s", 4, 12).values()) == 8
    assert client.replace(merge, parts), "it has been done"
    assert not client.replace(merge, ()), "these batches are gone"
    assert sum(read_at(client, "s", 15).values()) == 16


def test_a_merge_of_a_dropped_shard_is_dropped(
    client: PersistClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.create_shard("s", SCHEMA)
    text = [((i, f"{i}" * 99), 0, 1) for i in range(1000)]
    client.append({"s": Write(0, 1, write_parts(client.blob, "s", SCHEMA, delta_of(text), writer="w"))})
    append(client, "s", 1, 2, [((1, "a"), 1, 1)])
    merge = compact.merge

    def slow(*args: object) -> object:
        parts = merge(*args)  # type: ignore[arg-type]
        assert len(list(client.blob.keys())) == 2
        client.drop_shard("s")
        return parts

    monkeypatch.setattr(compact, "merge", slow)
    assert not client.compact("s", force=True)
    assert client.collect_garbage(grace_ms=0) == 1
    assert list(client.blob.keys()) == []


def test_a_merge_whose_reply_was_lost_is_kept(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    for time in range(3):
        append(client, "s", time, time + 1, [((time, "x"), time, 1)])

    class LosesOneReply:
        def __getattr__(self, name: str) -> object:
            return getattr(consensus, name)

        def commit(self, transaction: Transaction) -> Outcome:
            consensus.commit(transaction)
            client._machine._consensus = consensus
            raise Indeterminate("the reply was lost")

    client._machine._consensus = LosesOneReply()  # type: ignore[assignment]
    assert client.compact("s", force=True)
    assert sum(read_at(client, "s", 2).values()) == 3


def test_a_merge_that_fails_leaves_nothing(client: PersistClient, consensus: Consensus) -> None:
    client.create_shard("s", SCHEMA)
    for time in range(2):
        rows = [((i, f"{time}{i}" * 50), time, 1) for i in range(1000)]
        parts = write_parts(client.blob, "s", SCHEMA, delta_of(rows), writer="w")
        client.append({"s": Write(time, time + 1, parts)})

    class Refuses:
        def __getattr__(self, name: str) -> object:
            return getattr(consensus, name)

        def commit(self, transaction: Transaction) -> Outcome:
            raise StorageError("no room")

    client._machine._consensus = Refuses()  # type: ignore[assignment]
    with pytest.raises(StorageError, match="no room"):
        client.compact("s", force=True)
    assert len(list(client.blob.keys())) == 2


# Garbage


def replaced(client: PersistClient) -> str:
    """A shard whose one blob was replaced by a merge; returns its key."""
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)], inline=False)
    append(client, "s", 1, 2, [((2, "b"), 1, 1)])
    (key,) = client.blob.keys()
    assert client.compact("s", force=True)
    return key


def test_replaced_blobs_go_after_a_grace_period(client: PersistClient, clock: ManualClock) -> None:
    replaced(client)
    assert client.collect_garbage(grace_ms=1000) == 0
    clock.advance(999)
    assert client.collect_garbage(grace_ms=1000) == 0
    clock.advance(1)
    assert client.collect_garbage(grace_ms=1000) == 1
    assert list(client.blob.keys()) == []
    assert client.collect_garbage(grace_ms=0) == 0


def test_a_leased_reader_keeps_what_it_may_read(client: PersistClient, clock: ManualClock) -> None:
    client.create_shard("s", SCHEMA)
    append(client, "s", 0, 1, [((1, "a"), 0, 1)], inline=False)
    append(client, "s", 1, 2, [((2, "b"), 1, 1)])
    client.set_hold("s", "reader", 1, critical=False, lease_ms=1000)
    snapshot = client.snapshot("s", 1)
    assert client.compact("s", force=True)
    client.set_hold("s", "late", 1, critical=False, lease_ms=10**9)
    assert client.collect_garbage(grace_ms=0) == 0
    assert len(read_snapshot(client.blob, snapshot).oks) == 2
    clock.advance(1001)
    client.heartbeat("late")
    assert client.collect_garbage(grace_ms=0) == 1  # the lease has expired
    with pytest.raises(StorageError, match="does not exist"):
        read_snapshot(client.blob, snapshot)
    assert sum(read_at(client, "s", 1).values()) == 2


def test_setting_a_leased_hold_again_lets_go(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    client.set_hold("s", "reader", 0, critical=False, lease_ms=1000)
    replaced(client)
    assert client.collect_garbage(grace_ms=0) == 0
    client.set_hold("s", "reader", 0, critical=False, lease_ms=1000)
    assert client.collect_garbage(grace_ms=0) == 1


def test_orphans_go_once_their_writer_is_dead(client: PersistClient) -> None:
    client.create_shard("s", SCHEMA)
    rows = delta_of([((1, "x" * 70_000), 0, 1)])
    (live,) = write_parts(client.blob, "s", SCHEMA, rows, writer="dead")
    client.append({"s": Write(0, 1, (live,))})
    (orphan,) = write_parts(client.blob, "s", SCHEMA, rows, writer="dead")
    (pending,) = write_parts(client.blob, "s", SCHEMA, rows, writer="alive")
    write_parts(client.blob, "s", SCHEMA, rows, writer=client.writer_id)
    assert client.collect_garbage(grace_ms=0) == 0
    assert client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: writer != "alive") == 1
    keys = set(client.blob.keys())
    assert len(keys) == 3
    assert orphan.blob not in keys
    assert {live.blob, pending.blob} < keys
    assert sum(read_at(client, "s", 0).values()) == 1


def test_a_failed_deletion_is_tried_again(clock: ManualClock) -> None:
    random = Random(0)
    blob = UnreliableBlob(MemoryBlob(), random, fail=0)
    client = PersistClient(MemoryConsensus(), blob, clock)
    replaced(client)
    blob._fail = 1
    with pytest.raises(StorageError):
        client.collect_garbage(grace_ms=0)
    blob._fail = 0
    assert client.collect_garbage(grace_ms=0) == 1
    assert list(blob.keys()) == []


def test_everything_on_files_reopened(tmp_path: Path) -> None:
    def open_client() -> tuple[SqliteConsensus, PersistClient]:
        store = SqliteConsensus(tmp_path / "c.db")
        return store, PersistClient(store, FileBlob(tmp_path / "blobs"), ManualClock())

    store, client = open_client()
    client.create_shard("s", SCHEMA)
    for time in range(10):
        append(client, "s", time, time + 1, [((time, "x"), time, 1)], inline=time % 3 > 0)
    client.set_hold("s", "h", 5, critical=True)
    store.close()
    store, client = open_client()
    assert client.compact("s", force=True)
    truth = read_at(client, "s", 9)
    store.close()
    store, client = open_client()
    assert client.state("s").since == 5
    assert read_at(client, "s", 9) == truth
    assert client.collect_garbage(grace_ms=0) == 4
    assert read_at(client, "s", 9) == truth
    assert list(client.blob.keys()) == []
    store.close()


def test_whoever_was_superseded_merges_and_deletes_nothing(
    client: PersistClient, consensus: Consensus, memory_blob: MemoryBlob, clock: ManualClock
) -> None:
    """It may not have heard of it, and takes its successor's writers for dead."""
    client.create_shard("s", SCHEMA)
    for time in range(2):
        append(client, "s", time, time + 1, [((time, "x"), time, 1)], inline=False)
    epoch = client.take_epoch("coordinator")
    merge = client.next_merge("s", force=True)
    assert merge is not None
    successor = PersistClient(consensus, memory_blob, clock)
    newer = successor.take_epoch("coordinator")
    rows = delta_of([((2, "x" * 70_000), 2, 1)])
    parts = write_parts(successor.blob, "s", SCHEMA, rows, writer="successor's")
    with pytest.raises(Fenced):
        client.compact("s", force=True, epoch=epoch)
    with pytest.raises(Fenced):
        client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True, epoch=epoch)
    assert successor.append({"s": Write(2, 3, parts)}, epoch=newer) == Appended({"s": 3})
    assert successor.compact("s", force=True, epoch=newer)
    with pytest.raises(Fenced):
        client.collect_garbage(grace_ms=0, epoch=epoch)
    assert sum(read_at(successor, "s", 2).values()) == 3
    # What the superseded one had merged for nothing goes with what was replaced.
    successor.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: True, epoch=newer)
    snapshot = successor.snapshot("s", 2)
    assert set(memory_blob.keys()) == {part.blob for part in snapshot.parts if part.blob is not None}


def test_many_names_are_not_listed_all_the_time() -> None:
    """Each look takes as long as there are names, and costs as much."""
    clock = ManualClock()

    class Slow(MemoryBlob):
        def keys(self) -> Iterator[BlobKey]:
            clock.advance(10_000)
            looked.append(clock.now_ms())
            return super().keys()

    looked: list[int] = []
    blob = Slow()
    client = PersistClient(MemoryConsensus(), blob, clock)
    client.create_shard("s", SCHEMA)
    for number in range(100):
        append(client, "s", number, number + 1, [((number, "a"), number, 1)], writer="dead", inline=False)
        blob.put(blob_key("s", "dead", f"lost{number}", 0), b"")
        client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: writer == "dead")
        clock.advance(60_000)
    assert len(looked) == 100 * 60_000 // (LOOKING_SHARE * 10_000 + 10_000) + 1
    clock.advance(LOOKING_SHARE * 10_000)
    assert client.collect_garbage(grace_ms=0, writer_is_dead=lambda writer: writer == "dead") > 1
    assert len(list(MemoryBlob.keys(blob))) == 100
