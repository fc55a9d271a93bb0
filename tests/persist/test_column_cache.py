"""Decoded columns on file: what is read is what was written, whatever happens to the files."""

from __future__ import annotations

import os
import pickle
import time
from dataclasses import replace
from pathlib import Path

import pytest
from persist_support import SCHEMA, delta_of, updates_of
from ptvc.persist import column_cache
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.persist.part import BlobKey, PartRef, stamp, trim
from ptvc.persist.read import read_part, read_rows
from ptvc.persist.state import Snapshot
from ptvc.persist.write import write_parts
from ptvc.repr.batch import Delta
from ptvc.repr.float_facts import FloatFacts
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import FLOAT8, INT8, TEXT

ROWS = [((i, f"{i}" * 40), 4 if i % 2 else 6, 1) for i in range(2_000)]


class CountingBlob(MemoryBlob):
    def __init__(self) -> None:
        super().__init__()
        self.reads = 0

    def get(self, key: BlobKey) -> bytes:
        self.reads += 1
        return super().get(key)


@pytest.fixture
def blob() -> CountingBlob:
    return CountingBlob()


@pytest.fixture
def cache(tmp_path: Path) -> ColumnCache:
    cache = ColumnCache(tmp_path / "columns")
    cache.clear()
    return cache


def written(blob: MemoryBlob, rows: list[tuple[tuple[object, ...], int, int]] = ROWS) -> PartRef:
    (part,) = write_parts(blob, "s", SCHEMA, delta_of(rows), writer="w")
    assert part.blob is not None
    return part


def files(tmp_path: Path) -> list[str]:
    return sorted(path.name.rpartition(".")[2] for path in (tmp_path / "columns").iterdir())


def test_a_blob_is_read_once_for_each_column(blob: CountingBlob, cache: ColumnCache, tmp_path: Path) -> None:
    part = written(blob)
    wanted = updates_of(read_part(blob, part, SCHEMA, (1,)).oks)
    blob.reads = 0
    assert updates_of(read_part(blob, part, SCHEMA, (1,), cache).oks) == wanted
    assert files(tmp_path) == ["1", "updates"]
    assert updates_of(read_part(blob, part, SCHEMA, (1,), cache).oks) == wanted
    cache = pickle.loads(pickle.dumps(cache))
    assert updates_of(read_part(blob, part, SCHEMA, (1,), cache).oks) == wanted, "in another process"
    assert blob.reads == 1
    assert updates_of(read_part(blob, part, SCHEMA, None, cache).oks) == ROWS
    assert files(tmp_path) == ["0", "1", "updates"]
    assert [row[0] for row, _, _ in updates_of(read_part(blob, part, SCHEMA, (0,), cache).oks)] == [
        *range(2_000)
    ]
    assert not updates_of(read_part(blob, part, SCHEMA, (), cache).oks)[0][0], "times and diffs only"
    assert blob.reads == 2


def test_times_and_diffs(blob: CountingBlob, cache: ColumnCache) -> None:
    part = written(blob, [((i, "x" * 60), 5, 1) for i in range(2_000)])
    for reference in (part, stamp(part, 9), trim([written(blob)], 5)[0]):
        wanted = updates_of(read_part(blob, reference, SCHEMA).oks)
        for _ in range(2):
            assert updates_of(read_part(blob, reference, SCHEMA, None, cache).oks) == wanted


def test_a_column_that_was_added_or_dropped(blob: CountingBlob, cache: ColumnCache) -> None:
    part = written(blob)
    first, second = SCHEMA.columns
    added = Schema((first, second, Column("c", INT8, True, missing="7"), Column("d", TEXT, True)))
    for schema in (added, Schema((first, replace(second, dropped=True), *added.columns[2:]))):
        wanted = updates_of(read_part(blob, part, schema).oks)
        for _ in range(2):
            assert updates_of(read_part(blob, part, schema, None, cache).oks) == wanted


def test_errors_and_small_parts_are_not_kept(blob: CountingBlob, cache: ColumnCache, tmp_path: Path) -> None:
    delta = Delta(delta_of(ROWS).oks, delta_of([]).errs)
    (small,) = write_parts(blob, "s", SCHEMA, delta_of(ROWS[:2]), writer="w")
    assert small.blob is None
    read_part(blob, small, SCHEMA, None, cache)
    assert len(delta.oks) == 2_000
    assert files(tmp_path) == []


@pytest.mark.parametrize("damage", ["gone", "empty", "other"])
def test_without_a_file_the_column_is_decoded_again(
    blob: CountingBlob, cache: ColumnCache, tmp_path: Path, damage: str
) -> None:
    part = written(blob)
    read_part(blob, part, SCHEMA, None, cache)
    for path in (tmp_path / "columns").iterdir():
        if damage == "gone":
            path.unlink()
        else:
            path.write_bytes(b"" if damage == "empty" else b"no Arrow file")
    for _ in range(2):
        assert updates_of(read_part(blob, part, SCHEMA, None, cache).oks) == ROWS
    assert blob.reads == 2


def test_where_nothing_can_be_written(
    blob: CountingBlob, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    part = written(blob)
    cache = ColumnCache(tmp_path / "missing" / "columns")
    assert updates_of(read_part(blob, part, SCHEMA, None, cache).oks) == ROWS
    assert caplog.text.count("cannot keep a decoded column") == 1


def test_what_was_not_used_for_the_longest_time_goes(
    blob: CountingBlob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [written(blob) for _ in range(12)]
    cache = ColumnCache(tmp_path / "columns", 2_000_000)
    cache.clear()
    for part in parts:
        read_part(blob, part, SCHEMA, (1,), cache)
        read_part(blob, parts[0], SCHEMA, (1,), cache)
        time.sleep(0.002)  # times of files have the resolution of the system's clock
    held = [path.stat().st_size for path in (tmp_path / "columns").iterdir()]
    assert 1_000_000 < sum(held) <= 2_000_000
    blob.reads = 0
    read_part(blob, parts[0], SCHEMA, (1,), cache)
    read_part(blob, parts[-1], SCHEMA, (1,), cache)
    assert blob.reads == 0
    read_part(blob, parts[1], SCHEMA, (1,), cache)
    assert blob.reads == 1
    monkeypatch.setattr(column_cache, "_LARGEST_PART", 1 << 40)
    other = written(blob)
    read_part(blob, other, SCHEMA, (1,), cache)
    assert not [
        path
        for path in os.listdir(tmp_path / "columns")
        if path.startswith(str(other.blob).replace("/", "-"))
    ]


def test_a_nearly_full_disk_leaves_less(
    blob: CountingBlob, cache: ColumnCache, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_cache, "DISK_PART", 1 << 60)
    read_part(blob, written(blob), SCHEMA, None, cache)
    assert files(tmp_path) == []


def test_rows_of_a_snapshot(blob: CountingBlob, cache: ColumnCache) -> None:
    parts = (written(blob), written(blob, [(row, 7, -1) for row, _, _ in ROWS[10:]]))
    for as_of, wanted in ((5, ROWS[1::2]), (6, ROWS), (7, ROWS[:10])):
        for _ in range(2):
            rows = read_rows(blob, Snapshot("s", as_of, SCHEMA, parts), None, cache)
            assert sorted(rows.delta.oks.columns[0].to_pylist()) == sorted(row[0] for row, _, _ in wanted)
            assert set(rows.delta.oks.times.tolist()) == {as_of}


FLOATS = Schema((Column("id", INT8), Column("weight", FLOAT8)))


def test_facts_of_floats_are_on_file(
    blob: CountingBlob, cache: ColumnCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    updates = [((i, None if i % 7 == 0 else (i - 500) / 8), 5, 1) for i in range(20_000)]
    (part,) = write_parts(blob, "s", FLOATS, delta_of(updates, schema=FLOATS), writer="w")
    (inline,) = write_parts(blob, "s", FLOATS, delta_of([((1, -0.0), 5, 1)], schema=FLOATS), writer="w")
    assert part.blob is not None
    assert inline.inline is not None
    wanted = FloatFacts(19_498 / 8, 1 / 8)
    for columns, place in ((None, 1), ((1,), 0)):
        assert read_rows(blob, Snapshot("s", 5, FLOATS, (part,)), columns, cache).floats(place) == wanted
    both = read_rows(blob, Snapshot("s", 5, FLOATS, (part, inline)), None, cache)
    assert both.floats(1) == replace(wanted, negative_zero=True)
    cache = pickle.loads(pickle.dumps(cache))
    rows = read_rows(blob, Snapshot("s", 5, FLOATS, (part,)), None, cache)
    monkeypatch.setattr(FloatFacts, "of", None)  # nobody looks at the values again
    assert rows.floats(1) == wanted
