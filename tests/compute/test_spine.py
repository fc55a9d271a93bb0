from __future__ import annotations

import itertools
import sys
import threading
import tracemalloc
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute import merge as merge_module
from ptvc.compute import merge_output
from ptvc.compute import run as run_module
from ptvc.compute import spine as spine_module
from ptvc.compute.merge import MergeWorker
from ptvc.compute.run import Run
from ptvc.compute.spine import Spine, map_run, probe_runs, write_run
from ptvc.errors import StorageError
from ptvc.repr import batch as batch_module
from ptvc.repr.batch import Batch, concat_batches
from ptvc.repr.buffers import Words
from ptvc.repr.hash import hash_columns
from ptvc.repr.types import INT4, INT8, TEXT

from .histories import batch_of, history, schema_of, updates_of
from .reference import Row, Rows, Update, as_of, collect

SCHEMA = schema_of(INT8, TEXT, INT8)


@pytest.fixture
def inline() -> MergeWorker:
    return MergeWorker(inline=True)


@pytest.fixture
def small_merges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows already take the paths that many take otherwise."""
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 8)
    monkeypatch.setattr(spine_module, "GATHERED", 2)
    monkeypatch.setattr(spine_module, "_SORTED_PROBES", 3)
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 4)
    monkeypatch.setattr(batch_module, "REPEATED_ROWS", 1)
    monkeypatch.setattr(merge_output, "PAGES_BYTES", 128)
    monkeypatch.setattr(merge_output, "HUGE_PAGES_BYTES", 256)


def row(random: Random) -> Row:
    return (random.choice((1, 2, 3, None)), random.choice(("a", "b", None)), random.randrange(4))


def contents(runs: tuple[Run, ...]) -> list[Update]:
    return [update for run in runs for update in updates_of(run.batch)]


def fill(spine: Spine, updates: list[Update], steps: int) -> None:
    size = -(-len(updates) // steps)
    for start in range(0, len(updates), size):
        spine.insert(batch_of(spine.schema, updates[start : start + size]))


def probe_rows(spine: Spine, keys: list[Row]) -> list[tuple[int, Row, int]]:
    columns = tuple(
        pa.array([key[i] for key in keys], spine.schema[position].type.arrow)
        for i, position in enumerate(spine.key)
    )
    matches = spine.probe(columns, hash_columns(columns, len(keys)))
    found: defaultdict[tuple[int, Row], int] = defaultdict(int)
    for at, (row_, _, diff) in zip(matches.probe.tolist(), updates_of(matches.rows), strict=True):
        found[at, row_] += diff
    return sorted(((at, row_, n) for (at, row_), n in found.items() if n), key=repr)


def expected_rows(rows: Rows, key: tuple[int, ...], keys: list[Row]) -> list[tuple[int, Row, int]]:
    return sorted(
        (
            (at, row_, n)
            for at, wanted in enumerate(keys)
            for row_, n in rows.items()
            if tuple(row_[i] for i in key) == wanted
        ),
        key=repr,
    )


@pytest.mark.usefixtures("small_merges")
@pytest.mark.parametrize("background", [False, True])
@pytest.mark.parametrize("key", [(0,), (1, 0), (0, 1, 2), ()])
@pytest.mark.parametrize("seed", range(4))
def test_spine_holds_what_was_inserted(seed: int, key: tuple[int, ...], background: bool) -> None:
    random = Random(seed)
    updates = history(random, row, times=20, negative=True)
    worker = MergeWorker(inline=not background)
    spine = Spine(SCHEMA, key, worker=worker)
    fill(spine, updates, 15)
    worker.drain()
    keys = [tuple(r[i] for i in key) for r in (row(random) for _ in range(10))]
    assert as_of(contents(spine.runs), 20) == as_of(updates, 20)
    for time in (5, 11):  # nothing was advanced, so the past is there too
        assert as_of(contents(spine.runs), time) == as_of(updates, time)
    assert probe_rows(spine, keys) == expected_rows(as_of(updates, 20), key, keys)
    for run in spine.runs:
        assert (run.hashes[1:] >= run.hashes[:-1]).all()
        assert np.array_equal(run.hashes, spine.hashes(run.batch.columns, len(run)))


@pytest.mark.usefixtures("small_merges")
@pytest.mark.parametrize("key", [(0,), (0, 1, 2)])
def test_merges_consolidate_and_advance_times(inline: MergeWorker, key: tuple[int, ...]) -> None:
    updates = history(Random(1), row, times=30, per_time=20)
    spine = Spine(SCHEMA, key, worker=inline)
    spine.advance_since(31)
    fill(spine, updates, 40)
    live = as_of(updates, 30)
    assert as_of(contents(spine.runs), 31) == live
    assert spine.rows < len(updates) / 2
    merged = merge_module.merge_runs(spine.runs, 31, (), spine._identity)
    assert {t for _, t, _ in updates_of(merged.batch)} <= {31}
    if len(key) == len(SCHEMA):
        assert len(merged) == len(live)


@pytest.mark.usefixtures("small_merges")
def test_number_of_runs_is_logarithmic(inline: MergeWorker) -> None:
    spine = Spine(SCHEMA, (0,), worker=inline)
    for i in range(3_000):
        spine.insert(batch_of(SCHEMA, [((i, "x", i), i, 1)]))
    assert spine.rows == 3_000
    assert len(spine.runs) <= 13
    sizes = [len(run) for run in spine.runs]
    assert all(a >= 2 * b for a, b in itertools.pairwise(sizes)), sizes


def test_tiny_insertions_wait_for_a_look_and_tiny_runs_for_company(inline: MergeWorker) -> None:
    spine = Spine(SCHEMA, (0,), worker=inline)
    for i in range(spine_module.PENDING - 1):
        spine.insert(batch_of(SCHEMA, [((i, "x", i), i, 1)]))
    assert spine._runs == ()
    assert len(probe_rows(spine, [(3,)])) == 1
    assert [len(run) for run in spine.runs] == [spine_module.PENDING - 1]
    for i in range(1_000):  # looked at after every one
        spine.insert(batch_of(SCHEMA, [((i, "x", i), i, 1)]))
        assert len(spine.runs) < 7 + spine_module.GATHERED
        assert probe_rows(spine, [(i,)]) == [(0, (i, "x", i), 1 if i >= spine_module.PENDING - 1 else 2)]
    assert spine.rows == 1_000 + spine_module.PENDING - 1


@pytest.mark.usefixtures("small_merges")
def test_everything_cancels(inline: MergeWorker) -> None:
    spine = Spine(SCHEMA, (0,), worker=inline)
    updates = [((i % 5, "a", i), 1, 1) for i in range(50)]
    spine.insert(batch_of(SCHEMA, updates))
    spine.advance_since(3)
    spine.insert(batch_of(SCHEMA, [(r, 2, -n) for r, _, n in updates]))
    assert (spine.rows, spine.runs, spine.nbytes) == (0, (), 0)


def test_equal_hashes_are_told_apart(inline: MergeWorker) -> None:
    """Even if all hashes collide, keys and rows are compared themselves."""
    updates = history(Random(3), row, times=20)
    spine = Spine(SCHEMA, (0, 1), worker=inline)
    for update in updates:
        spine.insert(batch_of(SCHEMA, [update]), np.zeros(1, np.uint64))
    keys = (pa.array([1, None, 2]), pa.array(["a", "b", None]))
    matches = spine.probe(keys, np.zeros(3, np.uint64))
    found = collect(
        ((at, *r), n) for at, (r, _, n) in zip(matches.probe.tolist(), updates_of(matches.rows), strict=True)
    )
    live = as_of(updates, 20)
    wanted = list(zip(*(k.to_pylist() for k in keys), strict=True))
    assert found == {(i, *r): n for i, key in enumerate(wanted) for r, n in live.items() if r[:2] == key}


@pytest.mark.usefixtures("small_merges")
@pytest.mark.parametrize("seed", range(4))
def test_sums_add_up_beside_the_diff(seed: int, inline: MergeWorker) -> None:
    random = Random(seed)
    schema = schema_of(INT8, INT8, INT8)
    spine = Spine(schema, (0,), sums=(1, 2), worker=inline)
    spine.advance_since(1)
    totals: defaultdict[int, list[int]] = defaultdict(lambda: [0, 0, 0])
    for _ in range(200):
        key, a, b, diff = random.randrange(6), *(random.randrange(-2, 3) for _ in range(3))
        spine.insert(batch_of(schema, [((key, a, b), 1, diff)]))
        totals[key] = [x + y for x, y in zip(totals[key], (a, b, diff), strict=True)]
    merged = merge_module.merge_runs(spine.runs, 1, spine.sums, spine._identity)
    found = {r[0]: [r[1], r[2], n] for r, _, n in updates_of(merged.batch)}
    assert found == {key: value for key, value in totals.items() if any(value)}
    # A row stays for as long as its diff or one of its sums is not zero.
    spine.insert(batch_of(schema, [((k, -a, -b), 1, -n) for k, (a, b, n) in totals.items()]))
    assert collect((r[:1], n) for r, _, n in contents(spine.runs)) == {}
    while len(spine.runs) > 1:
        spine.load([merge_module.merge_runs(spine.runs, 1, spine.sums, spine._identity)])
    assert spine.rows == 0


def test_handle_does_not_change(inline: MergeWorker) -> None:
    spine = Spine(SCHEMA, (0,), worker=inline)
    updates = history(Random(5), row, times=10)
    fill(spine, updates, 5)
    handle, before = spine.handle(), as_of(contents(spine.handle()), 10)
    spine.advance_since(11)
    fill(spine, [(r, 11, -n) for r, n in before.items()], 3)
    assert as_of(contents(spine.runs), 11) == {}
    assert as_of(contents(handle), 10) == before


def test_loaded_runs_are_the_contents(inline: MergeWorker) -> None:
    updates = history(Random(6), row, times=10)
    spine, other = Spine(SCHEMA, (0,), worker=inline), Spine(SCHEMA, (0,), worker=inline)
    fill(spine, updates, 5)
    other.insert(batch_of(SCHEMA, [((1, "gone", 1), 1, 1)]))
    other.load(spine.handle())
    assert as_of(contents(other.runs), 10) == as_of(updates, 10)
    assert (other.rows, other.nbytes) == (spine.rows, spine.nbytes)


def test_background_merge_does_not_hide_updates_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """While a merge runs, inserts and probes go on; its result takes the place of the runs that it merged."""
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 0)
    started, go_on = threading.Event(), threading.Event()
    merge_runs = merge_module.merge_runs

    def slow(*args: object) -> Run:
        started.set()
        assert go_on.wait(30)
        return merge_runs(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(spine_module, "merge_runs", slow)
    worker = MergeWorker()
    spine = Spine(SCHEMA, (0,), worker=worker)
    for i in range(2):
        spine.insert(batch_of(SCHEMA, [((1, "a", i), 1, 1)]))
    assert started.wait(30)
    spine.insert(batch_of(SCHEMA, [((1, "b", 9), 1, 1)]))
    assert len(spine.runs) == 3
    assert len(probe_rows(spine, [(1,)])) == 3
    go_on.set()
    worker.drain()
    assert len(probe_rows(spine, [(1,)])) == 3
    assert [len(run) for run in spine.runs] == [2, 1]


def test_too_many_runs_make_an_insert_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 0)
    monkeypatch.setattr(spine_module, "MAX_RUNS", 4)
    worker = MergeWorker()
    spine = Spine(SCHEMA, (0,), worker=worker)
    for i in range(200):
        spine.insert(batch_of(SCHEMA, [((i, "a", i), 1, 1)]))
        assert len(spine.runs) <= 8  # 200 rows fit into so few once merged
    worker.drain()
    assert as_of(contents(spine.runs), 1) == {(i, "a", i): 1 for i in range(200)}


def test_failed_merge_is_raised_in_the_step_and_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 0)

    def broken(*_: object) -> Run:
        raise MemoryError("no room to merge")

    worker = MergeWorker()
    spine = Spine(SCHEMA, (0,), worker=worker)
    with monkeypatch.context() as patch:
        patch.setattr(spine_module, "merge_runs", broken)
        for i in range(2):
            spine.insert(batch_of(SCHEMA, [((i, "a", i), 1, 1)]))
        worker.drain()
    with pytest.raises(MemoryError, match="no room"):
        spine.insert(batch_of(SCHEMA, [((7, "a", 7), 1, 1)]))
    spine.insert(batch_of(SCHEMA, [((7, "a", 7), 1, 1)]))
    worker.drain()
    assert as_of(contents(spine.runs), 1) == {(i, "a", i): 1 for i in (0, 1, 7)}


def filled_run(count: int, duplicates: int) -> Run:
    batch: Batch = batch_of(SCHEMA, [((i // duplicates, "é" * (i % 3), i), i, 1) for i in range(count)])
    spine = Spine(SCHEMA, (0,), worker=MergeWorker(inline=True))
    spine.insert(concat_batches(SCHEMA, [batch]))
    return spine.runs[0]


def test_run_survives_its_file(tmp_path: Path) -> None:
    run = filled_run(100, 3)
    write_run(tmp_path / "a.run", run)
    mapped = map_run(tmp_path / "a.run")
    assert updates_of(mapped.batch) == updates_of(run.batch)
    assert np.array_equal(mapped.hashes, run.hashes)
    assert [path.name for path in tmp_path.iterdir()] == ["a.run"]


@pytest.mark.parametrize("times", [[4] * 100, [*range(100)]], ids=["one time", "times"])
@pytest.mark.parametrize("diffs", [[-2] * 100, [1, -1] * 50], ids=["one diff", "diffs"])
def test_times_and_diffs_that_are_all_the_same_are_written_once(
    tmp_path: Path, times: list[int], diffs: list[int]
) -> None:
    run = filled_run(100, 1)
    batch = Batch(run.batch.columns, np.array(times, np.uint64), np.array(diffs, np.int64))
    write_run(tmp_path / "a.run", Run(run.hashes, batch))
    mapped = map_run(tmp_path / "a.run")
    assert mapped.batch.times.tolist() == times
    assert mapped.batch.diffs.tolist() == diffs
    assert (mapped.batch.times.dtype, mapped.batch.diffs.dtype) == (np.uint64, np.int64)
    names = pa.ipc.open_file(tmp_path / "a.run").schema.names
    assert ("__time" in names) == (len(set(times)) > 1)
    assert ("__diff" in names) == (len(set(diffs)) > 1)


def test_a_file_without_hashes_is_no_run(tmp_path: Path) -> None:
    run = filled_run(10, 1)
    write_run(tmp_path / "a.run", run)
    table = pa.ipc.open_file(tmp_path / "a.run").read_all()
    for dropped in ("__hash", "__time"):
        other = table.drop_columns([dropped])
        with pa.ipc.new_file(tmp_path / "b.run", other.schema) as writer:
            writer.write_table(other)
        with pytest.raises(StorageError, match="not laid out as a run"):
            map_run(tmp_path / "b.run")


@pytest.mark.parametrize("single", [0, 48])
@pytest.mark.parametrize("duplicates", [1, 2, 5, 40, 1000])
@pytest.mark.parametrize("count", [1, 7, 8, 9, 100, 1001])
def test_mapped_run_is_searched_through_its_samples(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int, duplicates: int, single: int
) -> None:
    monkeypatch.setattr(run_module, "_SINGLE_PROBES", single)
    for module in (run_module, __import__("ptvc.compute.run_file", fromlist=["SAMPLE_ROWS"])):
        monkeypatch.setattr(module, "SAMPLE_ROWS", 8)
    run = filled_run(count, duplicates)
    write_run(tmp_path / "a.run", run)
    mapped = map_run(tmp_path / "a.run")
    assert mapped.samples is not None
    assert len(mapped.samples) == -(-count // 8)
    absent: Words = np.array([0, 1 << 63, (1 << 64) - 1], np.uint64)
    for probes in (np.unique(run.hashes), run.hashes[::7], np.concatenate([absent, run.hashes[-1:]]), absent):
        for found, wanted in zip(mapped.search(probes), run.search(probes), strict=True):
            assert np.array_equal(found, wanted)


def test_foreign_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.run"
    path.write_bytes(b"no run at all")
    with pytest.raises(StorageError, match="cannot read run"):
        map_run(path)
    with pytest.raises(StorageError, match="cannot read run"):
        map_run(tmp_path / "missing.run")
    file_module = __import__("ptvc.compute.run_file", fromlist=["_METADATA"])
    with monkeypatch.context() as patch:
        patch.setitem(file_module._METADATA, b"ptvc.run", b"99")
        write_run(path, filled_run(3, 1))
    with pytest.raises(StorageError, match="has version 99"):
        map_run(path)


def test_forked_process_gets_a_merge_thread_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads do not survive a fork, and Spark forks its workers."""
    mine = merge_module.merge_worker()
    assert merge_module.merge_worker() is mine
    with monkeypatch.context() as patch:
        patch.setattr(merge_module.os, "getpid", lambda: -1)
        patch.setattr(merge_module, "_shared", merge_module._shared)
        assert merge_module.merge_worker() is not mine
    assert merge_module.merge_worker() is mine


def test_one_thread_merges_for_many_spines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 0)
    worker = MergeWorker()
    spines = [Spine(SCHEMA, (0,), worker=worker) for _ in range(5)]
    for i in range(40):
        for spine in spines:
            spine.insert(batch_of(SCHEMA, [((i, "a", i), 1, 1)]))
    worker.drain()
    for spine in spines:
        assert as_of(contents(spine.runs), 1) == {(i, "a", i): 1 for i in range(40)}
        assert len(spine.runs) <= 6


def test_an_insertion_does_no_large_merge_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever sizes come in whatever order, a step waits for merges of tiny runs only."""
    here: list[int] = []
    elsewhere: list[int] = []
    merge_runs = merge_module.merge_runs

    def recording(runs: Sequence[Run], *rest: Any) -> Run:
        mine = threading.current_thread() is threading.main_thread()
        (here if mine else elsewhere).append(sum(map(len, runs)))
        return merge_runs(runs, *rest)

    monkeypatch.setattr(spine_module, "merge_runs", recording)
    random = Random(3)
    worker = MergeWorker()
    spine = Spine(schema_of(INT8), (0,), worker=worker)
    rows = 0
    for i in range(400):
        size = random.choice((1, 1, 1, 100, 1_500, 5_000))
        keys = pa.array(np.arange(rows, rows + size))
        rows += size
        spine.insert(Batch((keys,), np.zeros(size, np.uint64), np.ones(size, np.int64)))
        assert len(spine.runs) <= spine_module.MAX_RUNS + 1
        if i % 15 == 0:
            worker.drain()  # or the insertions are so fast that one of them has to wait
    worker.drain()
    assert max(here) <= spine_module.INLINE_ROWS
    assert max(elsewhere) > 100_000
    assert spine.rows == rows


def test_search_in_an_older_handle() -> None:
    spine = Spine(SCHEMA, (0,), worker=MergeWorker(inline=True))
    spine.insert(batch_of(SCHEMA, [((1, "old", 0), 1, 1)]))
    handle = spine.handle()
    spine.insert(batch_of(SCHEMA, [((1, "new", 0), 2, 1)]))
    keys = (pa.array([5, 1]),)
    found = list(probe_runs(handle, spine.key, keys, hash_columns(keys, 2)))
    assert [(m.probe.tolist(), updates_of(m.rows)) for m in found] == [([1], [((1, "old", 0), 1, 1)])]


@pytest.mark.usefixtures("small_merges")
def test_merges_of_several_threads_lose_nothing() -> None:
    """The inserting thread merges tiny runs while others merge larger ones beside it."""
    spine = Spine(SCHEMA, (0,), worker=MergeWorker())
    done = threading.Event()

    def merge() -> None:
        while not done.is_set():
            spine.maintain()

    threads = [threading.Thread(target=merge) for _ in range(2)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for thread in threads:
            thread.start()
        for i in range(800):
            spine.insert(batch_of(SCHEMA, [((i, "a", i), 1, 1)]))
    finally:
        sys.setswitchinterval(interval)
        done.set()
        for thread in threads:
            thread.join()
    assert as_of(contents(spine.runs), 1) == {(i, "a", i): 1 for i in range(800)}


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize("probes", [1, 48, 49, 500])
def test_a_search_counts_the_rows_of_each_hash(probes: int, copies: int) -> None:
    """Of few hashes and of many, alone or side by side, the last of the run too."""
    hashes = np.sort(np.repeat(np.arange(0, 1_000, 2).astype(np.uint64), copies))
    hashes = np.append(hashes, np.full(2, 998, np.uint64))
    batch = Batch((), np.zeros(len(hashes), np.uint64), np.ones(len(hashes), np.int64))
    wanted = np.arange(1_000 - 2 * probes, 1_000).astype(np.uint64)
    hits, first, counts = Run(hashes, batch).search(wanted)
    assert wanted[hits].tolist() == list(range(1_000 - 2 * probes, 1_000, 2))
    assert hashes[first].tolist() == wanted[hits].tolist()
    assert counts.tolist() == [copies] * (probes - 1) + [copies + 2]


def test_what_is_inserted_stays_apart_from_what_a_spine_stands_on(
    inline: MergeWorker, small_merges: None
) -> None:
    def total(runs: tuple[Run, ...]) -> Rows:
        return as_of(contents(runs), 6)

    random = Random(11)
    old, new = (history(random, row, times=6, per_time=20) for _ in range(2))
    whole = Spine(SCHEMA, (0,), worker=inline)
    fill(whole, old, 5)
    other = Spine(SCHEMA, (0,), worker=inline)
    other.stand_on(whole.handle())
    fill(other, new, 7)
    assert total(other.added) == as_of(new, 6)
    assert total(other.runs) == as_of(old + new, 6)
    keys = (pa.array([1, 2, 3], pa.int64()),)
    hashes = hash_columns(keys, 3)
    whole.extend(other.added)
    assert total(whole.runs) == as_of(old + new, 6)
    found, expected = (as_of(updates_of(s.probe(keys, hashes).rows), 6) for s in (other, whole))
    assert found == expected != {}


NUMBERS = schema_of(INT8, INT4)


def numbers(rows: int, start: int, time: int, diff: int = 1) -> Batch:
    columns = (np.arange(start, start + rows), np.arange(rows, dtype=np.int32))
    return Batch(tuple(map(pa.array, columns)), np.full(rows, time, np.uint64), np.full(rows, diff))


def test_one_time_and_one_diff_take_no_memory(inline: MergeWorker, tmp_path: Path) -> None:
    """After a merge as before it, and where not all rows are alike they are kept as they are."""
    spine = Spine(NUMBERS, (0,), worker=inline)
    row_bytes = 8 + 8 + 4
    for i in range(8):
        spine.insert(numbers(20_000, 20_000 * i, i))
        spine.advance_since(i + 1)
    spine.insert(numbers(1_000, 0, 8, -1))
    run = merge_module.merge_runs(spine.runs, 9, (), spine._identity)
    assert len(run) == 159_000
    assert run.nbytes == 159_000 * row_bytes + 16
    assert set(run.batch.times.tolist()) == {9}
    assert set(run.batch.diffs.tolist()) == {1}
    write_run(tmp_path / "run", run)
    mapped = map_run(tmp_path / "run")
    assert np.array_equal(mapped.batch.times, run.batch.times)
    assert np.array_equal(mapped.batch.diffs, run.batch.diffs)
    spine.clear()
    spine.insert(numbers(30_000, 20_000, 9, 2))
    merged = merge_module.merge_runs((run, *spine.runs), 10, (), spine._identity)
    assert sorted(set(merged.batch.diffs.tolist())) == [1, 2]
    assert merged.nbytes == len(merged) * (row_bytes + 8) + 8
    for kept in (run, merged):
        with pytest.raises(ValueError, match="read-only"):
            kept.batch.times[0] = 1


def test_a_merge_needs_its_input_its_output_and_one_chunk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 1 << 10)
    monkeypatch.setattr(merge_output, "PAGES_BYTES", sys.maxsize)  # pages of their own are not traced
    spine = Spine(NUMBERS, (0,), worker=MergeWorker(inline=True))
    runs = []
    for i, rows in enumerate((100_000, 40_000, 10_000)):
        spine.clear()
        spine.insert(numbers(rows, 7 * i, i))
        runs += spine.runs
    tracemalloc.start()
    try:
        merged = merge_module.merge_runs(runs, 3, (), spine._identity)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert merged.nbytes <= kept <= merged.nbytes + 100_000
    assert most <= merged.nbytes + 1_000_000


def test_times_that_readers_tell_apart_are_left_out_of_a_large_merge(inline: MergeWorker) -> None:
    spine = Spine(NUMBERS, (0,), worker=inline)
    newest = numbers(2_000, 40_000, 1)
    newest.times[1_000:] = 2
    old = [numbers(20_000, 0, 0), numbers(8_000, 20_000, 0), numbers(3_900, 30_000, 0)]
    for batch in old:
        spine.insert(batch)
    spine.advance_since(1)
    assert [len(run) for run in spine.runs] == [20_000, 8_000, 3_900]
    spine.insert(newest)
    assert [len(run) for run in spine.runs] == [31_900, 2_000]
    assert set(spine.runs[0].batch.times.tolist()) == {1}
    spine.advance_since(3)
    spine.insert(numbers(15_000, 50_000, 3))
    assert [len(run) for run in spine.runs] == [48_900]
    assert set(spine.runs[0].batch.times.tolist()) == {3}
    expected = [
        update for batch in (*old, newest, numbers(15_000, 50_000, 3)) for update in updates_of(batch)
    ]
    assert as_of(contents(spine.runs), 3) == as_of(expected, 3)
