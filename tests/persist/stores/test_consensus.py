"""One conformance suite for every implementation of consensus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from persist_support import SCHEMA, delta_of
from ptvc.errors import DiskFull, StorageError
from ptvc.persist import state
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.consensus import sqlite
from ptvc.persist.consensus.base import (
    IDENTITY_BITS,
    Committed,
    Conflict,
    Consensus,
    Garbage,
    Indeterminate,
    Superseded,
    Transaction,
    WriterRow,
)
from ptvc.persist.consensus.sqlite import SqliteConsensus
from ptvc.persist.part import BlobKey, PartRef
from ptvc.persist.state import Change, Head, Hold, Write
from ptvc.persist.write import write_parts
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT8


def part(time: int, *, blob: bool = False, shard: str = "s") -> PartRef:
    text = "x" * 70_000 if blob else "x"
    (ref,) = write_parts(MemoryBlob(), shard, SCHEMA, delta_of([((1, text), time, 1)]), writer="w")
    return ref


def create(consensus: Consensus, shard: str = "s", since: int = 0) -> Head:
    change = state.created(shard, SCHEMA, since)
    assert consensus.commit(Transaction((change,))) == Committed()
    return change.after


def commit(consensus: Consensus, change: Change) -> Head:
    assert consensus.commit(Transaction((change,))) == Committed()
    return change.after


def test_a_created_shard_is_there(consensus: Consensus) -> None:
    assert consensus.head("s") is None
    assert consensus.version("s") is None
    assert consensus.batches("s", 0) is None
    head = create(consensus, since=7)
    assert consensus.head("s") == head
    assert consensus.version("s") == 1
    assert consensus.batches("s", 0) == (head, [])
    assert consensus.shard_ids() == ["s"]


def test_every_store_is_another_environment(consensus: Consensus, tmp_path: Path) -> None:
    assert consensus.identity() == consensus.identity()
    assert consensus.identity() >> IDENTITY_BITS == 0
    identities = []
    for name in ("one.db", "other.db", "one.db"):
        store = SqliteConsensus(tmp_path / name)
        identities.append(store.identity())
        store.close()
    one, other, again = identities
    assert len({one, other, consensus.identity()}) == 3
    assert again == one


def test_creating_twice_conflicts(consensus: Consensus) -> None:
    create(consensus)
    assert consensus.commit(Transaction((state.created("s", SCHEMA, 3),))) == Conflict(("s",))
    head = consensus.head("s")
    assert head is not None
    assert head.since == 0


def test_batches_come_back_as_they_were(consensus: Consensus) -> None:
    head = create(consensus)
    first = state.appended(head, Write(0, 3, (part(0), part(2, blob=True))))
    head = commit(consensus, first)
    head = commit(consensus, state.appended(head, Write(3, 5)))
    third = state.appended(head, Write(5, 6, (part(5),)))
    head = commit(consensus, third)
    assert consensus.batches("s", 0) == (head, [*first.inserted, *third.inserted])
    assert consensus.batches("s", first.after.version) == (head, list(third.inserted))
    assert consensus.batches("s", head.version) == (head, [])


def test_of_two_commits_on_one_version_one_is_applied(consensus: Consensus) -> None:
    head = create(consensus)
    one = state.appended(head, Write(0, 1, (part(0),)))
    other = state.appended(head, Write(0, 2))
    assert consensus.commit(Transaction((one,))) == Committed()
    assert consensus.commit(Transaction((other,))) == Conflict(("s",))
    assert consensus.batches("s", 0) == (one.after, list(one.inserted))


def test_a_transaction_is_all_or_nothing(consensus: Consensus) -> None:
    a, b = create(consensus, "a"), create(consensus, "b")
    commit(consensus, state.appended(b, Write(0, 9)))
    changes = (
        state.appended(a, Write(0, 1, (part(0, shard="a"),))),
        state.appended(b, Write(0, 1, (part(0, shard="b"),))),
    )
    row = WriterRow("w", "f", 1)
    assert consensus.commit(Transaction(changes, row, mark=8)) == Conflict(("b",))
    assert consensus.batches("a", 0) == (a, [])
    assert consensus.writer("w") is None
    assert consensus.mark() == 0


def test_epochs_fence(consensus: Consensus) -> None:
    head = create(consensus)
    assert consensus.take_epoch("c") == 1
    assert consensus.take_epoch("c") == 2
    assert consensus.take_epoch("other") == 1
    change = state.appended(head, Write(0, 1))
    assert consensus.commit(Transaction((change,), epoch=("c", 1), mark=5)) == Superseded("c", 2)
    assert consensus.head("s") == head
    assert consensus.mark() == 0
    assert consensus.commit(Transaction((change,), epoch=("c", 2), mark=5)) == Committed()
    assert consensus.commit(Transaction(epoch=("unknown", 1))) == Superseded("unknown", 0)


def test_the_mark_never_falls(consensus: Consensus) -> None:
    for mark in (5, 3, 8):
        assert consensus.commit(Transaction(mark=mark)) == Committed()
    assert consensus.mark() == 8


def test_a_writer_is_known_by_its_latest_append(consensus: Consensus) -> None:
    for row in (WriterRow("w", "one", 10), WriterRow("v", "x", 15), WriterRow("w", "two", 20)):
        consensus.commit(Transaction(writer=row))
    assert consensus.writer("w") == WriterRow("w", "two", 20)
    consensus.forget_writers(20)
    assert consensus.writer("v") is None
    assert consensus.writer("w") == WriterRow("w", "two", 20)


def test_replacing_batches_makes_garbage_of_their_blobs(consensus: Consensus) -> None:
    head = create(consensus)
    old = part(0, blob=True)
    first = state.appended(head, Write(0, 1, (old, part(0))))
    second = state.appended(first.after, Write(1, 2, (part(1),)))
    commit(consensus, first)
    head = commit(consensus, second)
    assert old.blob is not None
    assert consensus.known_blobs([old.blob]) == {old.blob}
    assert consensus.garbage() == []
    new = part(1, blob=True)
    merge = state.merged(head, (*first.inserted, *second.inserted), 0, (new,))
    head = commit(consensus, merge)
    assert consensus.batches("s", 0) == (head, list(merge.inserted))
    assert consensus.garbage() == [Garbage("s", head.version, old.blob)]
    assert new.blob is not None
    unknown = BlobKey("s/w/unknown-0.parquet")
    assert consensus.known_blobs([old.blob, new.blob, unknown]) == {old.blob, new.blob}
    consensus.forget_garbage([old.blob])
    assert consensus.garbage() == []
    assert consensus.known_blobs([old.blob]) == set()


def test_holds(consensus: Consensus) -> None:
    head = create(consensus)
    head = commit(consensus, state.appended(head, Write(0, 10)))
    head = commit(consensus, state.held(head, Hold("s", "view", 3, True, None, 0)))
    head = commit(consensus, state.held(head, Hold("s", "reader", 4, False, 100, 0)))
    assert head.since == 3
    found = consensus.head("s")
    assert found is not None
    assert sorted(found.holds, key=lambda h: h.holder) == sorted(head.holds, key=lambda h: h.holder)
    assert [h.holder for h in consensus.leases()] == ["reader"]
    assert consensus.beat("reader") == 1
    assert consensus.beat("view") == 0
    assert consensus.leases()[0].beat == 1


def test_a_renewed_lease_does_not_end(consensus: Consensus) -> None:
    head = create(consensus)
    head = commit(consensus, state.held(head, Hold("s", "reader", 0, False, 100, 0)))
    (lease,) = consensus.leases()
    consensus.beat("reader")
    assert consensus.commit(Transaction((state.released(head, lease),))) == Conflict(("s",))
    (renewed,) = consensus.leases()
    commit(consensus, state.released(head, renewed))
    assert consensus.leases() == []


def test_setting_a_hold_again_keeps_its_heartbeats(consensus: Consensus) -> None:
    head = create(consensus)
    head = commit(consensus, state.held(head, Hold("s", "reader", 0, False, 100, 0)))
    for _ in range(3):
        consensus.beat("reader")
    commit(consensus, state.held(head, Hold("s", "reader", 0, False, 100, 0)))
    assert consensus.leases()[0].beat >= 3


def test_dropping_leaves_a_tombstone(consensus: Consensus) -> None:
    head = create(consensus)
    change = state.appended(head, Write(0, 1, (part(0, blob=True),)))
    head = commit(consensus, change)
    head = commit(consensus, state.held(head, Hold("s", "view", 0, True, None, 0)))
    head = commit(consensus, state.dropped(head, change.inserted))
    assert consensus.shard_ids() == []
    assert consensus.shard_ids(dropped=True) == ["s"]
    assert consensus.head("s") == head
    assert consensus.batches("s", 0) == (head, [])
    assert len(consensus.garbage()) == 1
    assert consensus.commit(Transaction((state.created("s", SCHEMA, 0),))) == Conflict(("s",))


def test_schemas_are_kept_in_order(consensus: Consensus) -> None:
    head = create(consensus)
    wider = Schema((*SCHEMA.columns, Column("extra", INT8)))
    head = commit(consensus, state.evolved(head, wider))
    found = consensus.head("s")
    assert found == head
    assert found.schema == wider


def test_the_change_count_shows_commits_of_others(consensus: Consensus) -> None:
    before = consensus.change_count()
    assert consensus.change_count() == before
    create(consensus)
    assert consensus.change_count() != before


# SQLite alone


def test_sqlite_survives_reopening(tmp_path: Path) -> None:
    path = tmp_path / "consensus.db"
    store = SqliteConsensus(path)
    head = create(store)
    change = state.appended(head, Write(0, 2, (part(1),)))
    store.commit(Transaction((change,), WriterRow("w", "f", 1), mark=9))
    store.take_epoch("c")
    store.close()
    again = SqliteConsensus(path)
    assert again.batches("s", 0) == (change.after, list(change.inserted))
    assert (again.mark(), again.take_epoch("c")) == (9, 2)
    again.close()


def test_sqlite_is_as_durable_as_promised(tmp_path: Path) -> None:
    store = SqliteConsensus(tmp_path / "consensus.db")
    assert store._query("PRAGMA journal_mode") == [("wal",)]
    assert store._writer.pragma("synchronous") == 2
    store.close()


def test_sqlite_refuses_a_newer_format(tmp_path: Path) -> None:
    path = tmp_path / "consensus.db"
    SqliteConsensus(path).close()
    db = apsw.Connection(str(path))
    db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(StorageError, match="format version 99; this release knows up to 1") as caught:
        SqliteConsensus(path)
    assert caught.value.hint is not None


def test_sqlite_refuses_files_of_others(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    db = apsw.Connection(str(path))
    db.execute("CREATE TABLE t (x)")
    db.close()
    with pytest.raises(StorageError, match="of another program"):
        SqliteConsensus(path)
    (tmp_path / "text").write_text("hello, this is no database at all " * 100)
    with pytest.raises(StorageError, match="could not open") as caught:
        SqliteConsensus(tmp_path / "text")
    assert caught.value.sqlstate == "XX001"
    with pytest.raises(StorageError, match="could not open"):
        SqliteConsensus(tmp_path / "missing" / "consensus.db")


def test_sqlite_seen_by_another_connection(tmp_path: Path) -> None:
    one, other = SqliteConsensus(tmp_path / "c.db"), SqliteConsensus(tmp_path / "c.db")
    before = other.change_count()
    head = create(one)
    assert other.change_count() != before
    assert other.head("s") == head
    one.close()
    other.close()


def test_sqlite_says_when_the_disk_is_full(tmp_path: Path) -> None:
    store = SqliteConsensus(tmp_path / "c.db")
    head = create(store)
    pages = store._writer.pragma("page_count")
    store._writer.pragma("max_page_count", pages)
    full = state.appended(head, Write(0, 1, (replace(part(0), inline=b"x" * 60_000),)))
    with pytest.raises(DiskFull, match="could not commit to") as caught:
        store.commit(Transaction((full,)))
    assert caught.value.sqlstate == "53100"
    assert store.batches("s", 0) == (head, [])
    store._writer.pragma("max_page_count", 10**6)
    assert store.commit(Transaction((full,))) == Committed()
    assert store.batches("s", 0) == (full.after, list(full.inserted))
    store.close()


def test_sqlite_waits_for_another_process_only_so_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "BUSY_TIMEOUT_MS", 20)
    one, other = SqliteConsensus(tmp_path / "c.db"), SqliteConsensus(tmp_path / "c.db")
    head = create(one)
    other._writer.execute("BEGIN IMMEDIATE")
    with pytest.raises(StorageError, match="locked") as caught:
        one.commit(Transaction((state.appended(head, Write(0, 1)),)))
    assert caught.value.hint == "Another process holds the file; stop it or try again."
    other._writer.execute("ROLLBACK")
    assert one.commit(Transaction((state.appended(head, Write(0, 1)),))) == Committed()
    one.close()
    other.close()


def test_sqlite_does_not_know_whether_a_failed_commit_was_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteConsensus(tmp_path / "c.db")
    head = create(store)
    real = store._writer

    class FailsToCommit:
        def __getattr__(self, name: str) -> object:
            return getattr(real, name)

        def execute(self, sql: str, *rest: object) -> object:
            if sql == "COMMIT":
                raise apsw.IOError("disk I/O error")
            return real.execute(sql, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "_writer", FailsToCommit())
    with pytest.raises(Indeterminate, match="disk I/O error"):
        store.commit(Transaction((state.appended(head, Write(0, 1)),)))
    monkeypatch.undo()
    assert store.head("s") == head
    assert store.commit(Transaction((state.appended(head, Write(0, 1)),))) == Committed()
    store.close()
