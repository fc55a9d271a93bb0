"""A snapshot read in pieces is the collection, however it is divided, compacted and filtered."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from random import Random

import numpy as np
import pyarrow as pa
import pytest
from ptvc.clock import ManualClock
from ptvc.errors import UnexpectedRetraction
from ptvc.persist import compact, write
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.client import Appended, PersistClient, Write
from ptvc.persist.consensus.memory import MemoryConsensus
from ptvc.persist.part import PartRef
from ptvc.persist.pushdown import Comparison, Condition, wanted
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.schema import ERROR_SCHEMA, Column, Schema
from ptvc.repr.types import INT8, TEXT
from ptvc.spark.division import Piece, divide
from ptvc.spark.reading import EMITTED_ROWS, Interval, first_error, repeated, rows_of, updates_of

SHARD = "s"
SCHEMA = Schema((Column("k", INT8), Column("v", TEXT)))
Rows = Counter[tuple[int, str | None]]
Update = tuple[int, str | None, int, int]


@pytest.fixture(autouse=True)
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every part is a blob, and a merge of a few rows is written in several."""
    monkeypatch.setattr(write, "INLINE_MAX_BYTES", 1)
    monkeypatch.setattr(compact, "PIECE_BYTES", 600)
    monkeypatch.setattr(compact, "MIN_SETTLED_BYTES", 1)


def delta(updates: list[Update]) -> Delta:
    columns = (pa.array([k for k, *_ in updates], pa.int64()), pa.array([u[1] for u in updates], pa.string()))
    times = np.array([u[2] for u in updates], np.uint64)
    return Delta(Batch(columns, times, np.array([u[3] for u in updates], np.int64)), NO_ERRORS)


def append(persist: PersistClient, contents: Delta, upper: int, schema: Schema = SCHEMA) -> None:
    parts = write.write_parts(persist.blob, SHARD, schema, contents, writer="w", target_bytes=600)
    lower = persist.state(SHARD).upper
    assert isinstance(persist.append({SHARD: Write(lower, upper, parts)}), Appended)


def counted(batch: Batch) -> Rows:
    found: Rows = Counter()
    for k, v, diff in zip(*(c.to_pylist() for c in batch.columns), batch.diffs.tolist(), strict=True):
        found[k, v] += diff
    return found


def read(persist: PersistClient, pieces: list[Piece], interval: Interval) -> Rows:
    found: Rows = Counter()
    for piece in pieces:
        rows = rows_of(persist.blob, pickle.loads(pickle.dumps(piece)), interval)
        assert (rows.diffs > 0).all()
        found += counted(rows)
    return found


class History:
    """A shard that changes its few rows all the time, and what it holds at every time."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.persist = PersistClient(MemoryConsensus(), MemoryBlob(), ManualClock())
        self.persist.create_shard(SHARD, SCHEMA)
        self.persist.set_hold(SHARD, "reader", 0, critical=True)
        self.now: Rows = Counter()
        self.at: dict[int, Rows] = {}
        self.upper = 0

    def step(self) -> None:
        upper = self.upper + self.random.randrange(1, 4)
        updates: list[Update] = []
        for time in range(self.upper, upper):
            for _ in range(self.random.randrange(0, 12)):
                live = sorted(self.now.elements(), key=repr)
                if live and self.random.random() < 0.5:
                    row, diff = self.random.choice(live), -1
                else:
                    value = self.random.choice(["a", "b", None])
                    row, diff = (self.random.randrange(40), value), self.random.choice([1, 1, 2])
                self.now[row] += diff
                updates.append((*row, time, diff))
            self.at[time] = +self.now
        self.random.shuffle(updates)
        append(self.persist, delta(updates), upper)
        self.upper = upper

    def since(self) -> int:
        return self.persist.state(SHARD).since

    def advance(self) -> None:
        since = self.random.choice([self.upper - 1, self.random.randrange(self.since(), self.upper)])
        self.persist.set_hold(SHARD, "reader", since, critical=True)

    def times(self) -> Iterator[int]:
        yield self.since()
        yield self.upper - 1
        yield self.random.randrange(self.since(), self.upper)


@pytest.mark.parametrize("seed", range(3))
def test_pieces_are_the_collection(seed: int) -> None:
    random = Random(seed)
    history = History(random)
    by_part = by_hash = 0
    for _ in range(30):
        history.step()
        if random.random() < 0.3:
            history.advance()
        if random.random() < 0.3:
            while history.persist.compact(SHARD, force=random.random() < 0.4):
                pass
        for time in history.times():
            snapshot = history.persist.snapshot(SHARD, time)
            interval = Interval.snapshot(SCHEMA, time)
            size = random.choice([20_000, 60_000, 1 << 30])
            pieces = divide(snapshot.parts, SCHEMA, size)
            assert read(history.persist, pieces, interval) == history.at[time]
            by_part += any(piece.base for piece in pieces)
            by_hash += len(pieces) > 1 and not any(piece.base for piece in pieces)

            low = random.randrange(40)
            condition = Condition(0, random.choice([Comparison.EQ, Comparison.GE]), low)
            parts = wanted(snapshot.parts, SCHEMA, [condition])
            kept = [
                Piece(p.base, p.rest, p.number, p.count, whole=False) for p in divide(parts, SCHEMA, size)
            ]
            found = read(history.persist, kept, interval)

            def matches(rows: Rows, condition: Condition = condition, low: int = low) -> Rows:
                equal = condition.comparison is Comparison.EQ
                return Counter({r: n for r, n in rows.items() if (r[0] == low if equal else r[0] >= low)})

            assert matches(found) == matches(history.at[time])
    assert by_part
    assert by_hash


def test_updates_in_pieces_are_the_changelog() -> None:
    history = History(Random(99))
    for _ in range(30):
        history.step()
    history.persist.compact(SHARD)
    interval = Interval(SCHEMA, 3, 20, 5)
    parts = history.persist.updates(SHARD, 3, 20)
    pieces = [Piece((), parts, number, 3) for number in range(3)]
    found: dict[int, Rows] = {}
    for piece in pieces:
        batch = updates_of(history.persist.blob, piece, interval)
        assert len(batch)
        for time in set(batch.times.tolist()):
            at = batch.filter(batch.times == np.uint64(time))
            found[time] = Counter(found.get(time, {}))
            found[time].update(counted(at))
    rows = Counter(history.at[2])
    for time in range(5, 20):
        rows.update(found.get(time, {}))
        assert +rows == history.at[time]


def test_parts_of_a_merge_say_that_no_row_is_in_two_of_them() -> None:
    history = History(Random(7))
    for _ in range(40):
        history.step()
    assert not any(part.settled for part in history.persist.snapshot(SHARD, history.upper - 1).parts)
    history.persist.set_hold(SHARD, "reader", history.upper - 1, critical=True)
    assert history.persist.compact(SHARD, force=True)
    parts = history.persist.snapshot(SHARD, history.upper - 1).parts
    assert len(parts) > 1
    assert {part.settled for part in parts} == {history.upper}
    again = [PartRef.from_metadata(SHARD, part.metadata(), part.inline, part.blob) for part in parts]
    assert again == list(parts)
    assert divide(parts, SCHEMA, 1)[0].base == parts[:1]
    dropped = Schema((SCHEMA[0], Column("v", TEXT, dropped=True)))
    assert not divide(parts, dropped, 1)[0].base  # rows that differed in the column are equal now


def test_a_merge_of_several_times_says_nothing() -> None:
    history = History(Random(8))
    for _ in range(40):
        history.step()
    assert history.persist.compact(SHARD, force=True)
    assert not any(part.settled for part in history.persist.snapshot(SHARD, 5).parts)


def test_errors_raise_while_they_are_live() -> None:
    persist = PersistClient(MemoryConsensus(), MemoryBlob(), ManualClock())
    persist.create_shard(SHARD, SCHEMA)
    for time, diff in ((0, 1), (1, -1)):
        errs = Batch(
            (pa.array(["22012"]), pa.array(["division by zero"])),
            np.array([time], np.uint64),
            np.array([diff], np.int64),
        )
        assert len(errs.columns) == len(ERROR_SCHEMA)
        append(persist, Delta(delta([(1, "x", time, 1)]).oks, errs), time + 1)
    snapshot = persist.snapshot(SHARD, 0)
    error = first_error(persist.blob, snapshot.parts, Interval.snapshot(SCHEMA, 0))
    assert error is not None
    assert (error.sqlstate, error.message) == ("22012", "division by zero")
    snapshot = persist.snapshot(SHARD, 1)
    assert first_error(persist.blob, snapshot.parts, Interval.snapshot(SCHEMA, 1)) is None


def test_fewer_than_no_rows() -> None:
    persist = PersistClient(MemoryConsensus(), MemoryBlob(), ManualClock())
    persist.create_shard(SHARD, SCHEMA)
    append(persist, delta([(1, "x", 0, -1)]), 1)
    pieces = divide(persist.snapshot(SHARD, 0).parts, SCHEMA, 1 << 30)
    with pytest.raises(UnexpectedRetraction):
        read(persist, pieces, Interval.snapshot(SCHEMA, 0))


def test_repeated_rows_come_in_batches() -> None:
    diffs = np.array([1, EMITTED_ROWS, 3], np.int64)
    found = list(repeated(diffs))
    assert [len(indices) for indices in found] == [EMITTED_ROWS, 4]
    assert (np.concatenate(found) == np.repeat(np.arange(3), diffs)).all()
    assert list(repeated(np.array([], np.int64))) == []
