"""State on file: what is saved and loaded goes on as if nothing had happened, whatever a crash leaves behind."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from ptvc.compute import checkpoint as checkpoint_module
from ptvc.compute import merge as merge_module
from ptvc.compute import packed_file
from ptvc.compute import run_file as run_file_module
from ptvc.compute import run_store as run_store_module
from ptvc.compute import spine as spine_module
from ptvc.compute.checkpoint import MANIFEST, Checkpoint, fingerprint, layout, publish, read, write
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.lower import lower
from ptvc.compute.merge import merge_worker
from ptvc.compute.packed_run import PackedRun
from ptvc.compute.plan import DataflowPlan
from ptvc.compute.run import Run, RunFile
from ptvc.compute.run_store import RunStore
from ptvc.compute.shared_files import MACHINE
from ptvc.compute.spine import Spine, run_of
from ptvc.errors import StorageError
from ptvc.expr.tree import relation as r
from ptvc.expr.tree.scalar import ColumnRef
from ptvc.repr.batch import NO_ERRORS, Batch, Delta
from ptvc.repr.hash import hash_columns
from ptvc.repr.types import INT4, INT8, derived_numeric

from .histories import batch_of, consolidated, schema_of, updates_of
from .random_views import TABLES, Views
from .reference import Update
from .test_views import TIMES, Histories, random_histories

T = schema_of(INT4, INT4)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few rows already take the paths that many take otherwise."""
    monkeypatch.setattr(spine_module, "INLINE_ROWS", 4)
    monkeypatch.setattr(merge_module, "CHUNK_ROWS", 4)


def grouped() -> DataflowPlan:
    aggregates = (r.Aggregate("count", None, INT8, "n"), r.Aggregate("min", ColumnRef(1, INT4), INT4, "low"))
    return lower(r.Reduce(r.Get("t", T), (ColumnRef(0, INT4),), ("k",), aggregates))


def step(dataflow: Dataflow, histories: Histories, end: int, out: list[Update]) -> None:
    begin = dataflow.upper
    inputs = {
        id_: Delta(batch_of(TABLES[id_], [u for u in updates if begin <= u[1] < end]), NO_ERRORS)
        for id_, updates in histories.items()
    }
    delta = dataflow.step(inputs, begin, end)
    out += updates_of(delta.oks) + updates_of(delta.errs)


def take(dataflow: Dataflow, store: RunStore, *, pack: bool = False) -> Checkpoint:
    return write(store, "f", dataflow.upper, dataflow.spines(), dataflow.handles(), pack=pack)


def resume(plan: DataflowPlan, store: RunStore) -> Dataflow:
    checkpoint = read(store.directory)
    assert checkpoint is not None
    dataflow = Dataflow(plan, checkpoint.cut - 1)
    dataflow.load(store.load(checkpoint.state), checkpoint.cut)
    dataflow.keep_in(store)
    return dataflow


def files(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()} - {MANIFEST}


SEEDS = [*range(25), *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(25, 300))]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_dataflow_that_is_saved_and_lost_again_and_again(seed: int, tmp_path: Path) -> None:
    """Checkpoints at random cuts, spilled runs and merges in between, losses at random: one and the same history.

    What was put out after the last checkpoint is put out again, as it was.
    """
    random = Random(7000 + seed)
    plan = lower(Views(random).relation(random.randint(1, 4)))
    histories = random_histories(random)
    uppers = [1, *sorted(random.choices(range(2, TIMES + 2), k=4)), TIMES + 1]
    straight = Dataflow(plan, 0)
    expected: list[Update] = []
    for upper in uppers:
        if upper > straight.upper:
            step(straight, histories, upper, expected)

    store = RunStore(tmp_path, "a0", spill_rows=random.choice((1, 6, 1000)))
    dataflow = Dataflow(plan, 0)
    dataflow.keep_in(store)
    out: list[Update] = []
    for attempt in range(1, 100):
        if dataflow.upper == TIMES + 1:
            break
        step(dataflow, histories, random.choice([u for u in uppers if u > dataflow.upper]), out)
        for _ in range(random.randrange(3)):
            taken = take(dataflow, store, pack=random.random() < 0.4)
            publish(tmp_path, taken)
            if random.random() < 0.5:
                merge_worker().drain()
            store.sweep(taken.files())
        if (tmp_path / MANIFEST).exists() and random.random() < 0.5:
            merge_worker().drain()
            store = RunStore(tmp_path, f"a{attempt}", spill_rows=random.choice((1, 6, 1000)))
            dataflow = resume(plan, store)
            store.collect()
            out = [u for u in out if u[1] < dataflow.upper]
    assert consolidated(out) == consolidated(expected)


def test_a_checkpoint_writes_what_is_new(tmp_path: Path) -> None:
    store = RunStore(tmp_path, "a", spill_rows=50)
    dataflow = Dataflow(grouped(), 0)
    dataflow.keep_in(store)

    def insert(first: int, count: int) -> None:
        rows = [((i, i), dataflow.upper, 1) for i in range(first, first + count)]
        dataflow.step({"t": Delta(batch_of(T, rows), NO_ERRORS)}, dataflow.upper, dataflow.upper + 1)
        merge_worker().drain()

    insert(0, 200)
    one = take(dataflow, store)
    assert all(
        spine.mapped_nbytes > 0 and spine.nbytes == 0 for spine in dataflow.spines().values() if spine.rows
    )
    before = files(tmp_path)
    insert(1000, 3)
    two = take(dataflow, store)
    [new] = files(tmp_path) - before
    assert new.endswith(".pack")
    three = take(dataflow, store)
    assert files(tmp_path) == before | {new}, "nothing has changed, so nothing is written"
    assert three.state == two.state
    assert one.state != two.state


def test_files_go_when_neither_state_nor_checkpoint_nor_reader_has_them(tmp_path: Path) -> None:
    store = RunStore(tmp_path, "a", spill_rows=10)
    dataflow = Dataflow(grouped(), 0)
    dataflow.keep_in(store)
    checkpoint: Checkpoint | None = None
    reader = None
    for time in range(12):
        rows = [((i, time), time, 1) for i in range(20)]
        dataflow.step({"t": Delta(batch_of(T, rows), NO_ERRORS)}, time, time + 1)
        merge_worker().drain()
        checkpoint = take(dataflow, store)
        publish(tmp_path, checkpoint)
        if time == 0:
            reader = dataflow.handles()
            held = files(tmp_path)
        store.sweep(checkpoint.files())
    assert held <= files(tmp_path)
    assert sum(len(runs) for runs in reader.values()) > 0 if reader is not None else False
    reader = None
    assert checkpoint is not None
    store.sweep(checkpoint.files())
    named = {MACHINE.path(file.name).name for places in checkpoint.state.values() for file in places}
    assert files(tmp_path) == named
    (tmp_path / "b-1.run.partial").write_bytes(b"left by another process")
    store.collect()
    assert files(tmp_path) == named


class _Crash(BaseException):
    pass


class _Disk:
    """Counts what is done to files and ends the process before operation number `until`.

    What was not synced by then is lost: a file has nothing in it, a rename did not happen.
    """

    def __init__(self, patch: pytest.MonkeyPatch, until: int) -> None:
        self._left = until
        self.unsynced: set[Path] = set()
        self.operations = 0
        sync_file, replace = run_file_module.sync_file, Path.replace
        unsynced_run, open_ = run_file_module.write_unsynced, Path.open

        def write_unsynced(path: Path, run: object) -> int:
            self._tick()
            self.unsynced.add(path)
            return unsynced_run(path, run)  # type: ignore[arg-type]

        def open_file(path: Path, mode: str = "r", *more: object, **named: object) -> object:
            if "w" in mode:
                self._tick()
                self.unsynced.add(path)
            return open_(path, mode, *more, **named)  # type: ignore[call-overload]

        def sync(path: Path) -> None:
            self._tick()
            sync_file(path)
            self.unsynced.discard(path)

        def rename(path: Path, target: Path) -> Path:
            self._tick()
            return replace(path, target)

        for module in (run_store_module, checkpoint_module, run_file_module):
            patch.setattr(module, "sync_file", sync, raising=False)
            patch.setattr(module, "sync_directory", sync, raising=False)
            patch.setattr(module, "write_unsynced", write_unsynced, raising=False)
        patch.setattr(Path, "open", open_file)
        patch.setattr(Path, "replace", rename)

    def _tick(self) -> None:
        self.operations += 1
        self._left -= 1
        if self._left < 0:
            raise _Crash

    def lose(self) -> None:
        for path in self.unsynced:
            if path.is_file():
                os.truncate(path, 0)


def test_a_crash_while_a_checkpoint_is_written_leaves_the_old_one_or_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, until, outcomes = grouped(), 0, set()
    while True:
        directory = tmp_path / str(until)
        directory.mkdir()
        store = RunStore(directory, "a", spill_rows=10)
        dataflow = Dataflow(plan, 0)
        out: list[Update] = []
        for time in range(2):
            rows = [((i % 15, time), time, 1) for i in range(20)] + [((0, -time), time, 1)]
            out += updates_of(dataflow.step({"t": Delta(batch_of(T, rows), NO_ERRORS)}, time, time + 1).oks)
            merge_worker().drain()
            if time == 0:
                publish(directory, take(dataflow, store))
        with monkeypatch.context() as patch:
            disk = _Disk(patch, until)
            crashed = False
            try:
                checkpoint = take(dataflow, store)
                publish(directory, checkpoint)
                store.sweep(checkpoint.files())
            except _Crash:
                crashed = True
        disk.lose()
        resumed = resume(plan, RunStore(directory, "b", spill_rows=10))
        outcomes.add(resumed.upper)
        assert crashed or resumed.upper == 2
        rows = [((i, 9), resumed.upper, 1) for i in range(3)]
        if resumed.upper == 2:
            gone = updates_of(resumed.step({"t": Delta(batch_of(T, rows), NO_ERRORS)}, 2, 3).oks)
            expected = updates_of(dataflow.step({"t": Delta(batch_of(T, rows), NO_ERRORS)}, 2, 3).oks)
            assert consolidated(gone) == consolidated(expected)
        if not crashed:
            break
        until += 1
    assert outcomes == {1, 2}
    assert until > 5


def damage(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    return lambda path: path.write_bytes(change(path.read_bytes())) and None


DAMAGES: dict[str, Callable[[Path], None]] = {
    "missing": lambda path: path.unlink(),
    "empty": damage(lambda data: b""),
    "cut off": damage(lambda data: data[:-100]),
    "a bit in the middle": damage(lambda data: data[: len(data) // 2] + b"\xff" + data[len(data) // 2 + 1 :]),
}


@pytest.mark.parametrize("kind", ["run", "pack"])
@pytest.mark.parametrize("what", DAMAGES)
def test_damaged_state_is_refused(tmp_path: Path, what: str, kind: str) -> None:
    store = RunStore(tmp_path, "a", spill_rows=10 if kind == "run" else 1000)
    dataflow = Dataflow(grouped(), 0)
    dataflow.step({"t": Delta(batch_of(T, [((i, i), 0, 1) for i in range(20)]), NO_ERRORS)}, 0, 1)
    publish(tmp_path, take(dataflow, store))
    path = min(tmp_path.glob(f"*.{kind}"))
    DAMAGES[what](path)
    with pytest.raises(StorageError):
        resume(grouped(), RunStore(tmp_path, "b"))


@pytest.mark.parametrize("what", [w for w in DAMAGES if w != "missing"])
def test_a_damaged_manifest_is_refused(tmp_path: Path, what: str) -> None:
    assert read(tmp_path) is None
    publish(tmp_path, Checkpoint("f", 17, {}, "l"))
    found = read(tmp_path)
    assert found is not None
    assert (found.fingerprint, found.cut) == ("f", 17)
    DAMAGES[what](tmp_path / MANIFEST)
    with pytest.raises(StorageError):
        read(tmp_path)


def test_a_manifest_of_a_newer_version_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint_module, "MANIFEST_VERSION", 2)
        publish(tmp_path, Checkpoint("f", 17, {}, "l"))
    with pytest.raises(StorageError, match="has version 2"):
        read(tmp_path)


def test_a_checkpoint_moves_with_its_directory(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    dataflow = Dataflow(grouped(), 0)
    dataflow.step({"t": Delta(batch_of(T, [((1, 2), 0, 1)]), NO_ERRORS)}, 0, 1)
    publish(tmp_path / "old", take(dataflow, RunStore(tmp_path / "old", "a")))
    (tmp_path / "old").rename(tmp_path / "new")
    resumed = resume(grouped(), RunStore(tmp_path / "new", "b"))
    out = resumed.step({"t": Delta(batch_of(T, [((1, 1), 1, 1)]), NO_ERRORS)}, 1, 2)
    assert sorted(updates_of(out.oks)) == [((1, 1, 2), 1, -1), ((1, 2, 1), 1, 1)]


def test_a_full_disk_leaves_state_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = RunStore(tmp_path, "a", spill_rows=10)
    dataflow = Dataflow(grouped(), 0)
    dataflow.keep_in(store)

    def full(path: Path, run: object) -> int:
        path.write_bytes(b"some")
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(run_store_module, "write_unsynced", full)
        dataflow.step({"t": Delta(batch_of(T, [((i, i), 0, 1) for i in range(20)]), NO_ERRORS)}, 0, 1)
        merge_worker().drain()
        with pytest.raises(OSError, match="No space"):
            take(dataflow, store)
        assert files(tmp_path) == set()
    assert all(spine.mapped_nbytes == 0 for spine in dataflow.spines().values())
    out = dataflow.step({"t": Delta(batch_of(T, [((1, 1), 1, 1)]), NO_ERRORS)}, 1, 2)
    assert sorted(updates_of(out.oks)) == [((1, 1, 1), 1, -1), ((1, 2, 1), 1, 1)]


def test_packed_state_is_opened_when_it_is_needed(tmp_path: Path) -> None:
    merge_worker().drain()
    dataflow, store = Dataflow(grouped(), 0), RunStore(tmp_path, "a", spill_rows=4)
    dataflow.keep_in(store)
    dataflow.step({"t": Delta(batch_of(T, [((i, i), 0, 1) for i in range(5_000)]), NO_ERRORS)}, 0, 1)
    merge_worker().drain()
    publish(tmp_path, take(dataflow, store))
    before = sum(path.stat().st_size for path in tmp_path.glob("*.run"))

    packed = take(dataflow, store, pack=True)
    publish(tmp_path, packed)
    store.sweep(packed.files())
    assert {path.suffix for path in tmp_path.iterdir()} == {".packed", ".json"}
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < before / 3
    runs = [run for spine in dataflow.spines().values() for run in spine.runs]
    assert all(isinstance(run, PackedRun) and not run.is_open and run.mapped for run in runs)
    assert sum(map(len, runs)) == sum(spine.rows for spine in dataflow.spines().values())

    again = take(dataflow, store, pack=True)  # nothing is left to be packed
    assert [file.name for file in again.files()] == [file.name for file in packed.files()]
    assert not any(run.is_open for run in runs if isinstance(run, PackedRun))

    out = dataflow.step({"t": Delta(batch_of(T, [((7, 1), 1, 1)]), NO_ERRORS)}, 1, 2)
    assert sorted(updates_of(out.oks)) == [((7, 1, 7), 1, -1), ((7, 2, 1), 1, 1)]
    store.sweep(again.files())
    assert list(tmp_path.glob("*.run"))  # what is open stays
    successor = resume(grouped(), RunStore(tmp_path, "b", spill_rows=4))
    out = successor.step({"t": Delta(batch_of(T, [((8, 1), 1, 1)]), NO_ERRORS)}, 1, 2)
    assert sorted(updates_of(out.oks)) == [((8, 1, 8), 1, -1), ((8, 2, 1), 1, 1)]


def test_a_packed_run_is_in_memory_where_no_file_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore(tmp_path, "a", spill_rows=4)
    run = run_of(
        batch_of(T, [((i, i), 0, 1) for i in range(20)]), hash_columns([pa.array(range(20), pa.int32())], 20)
    )
    (mapped,) = store.save({(0, "rows"): (run,)})[0, "rows"]
    (packed,) = store.pack({(0, "rows"): (mapped,)}, {(0, "rows"): (0,)})[0, "rows"]
    assert isinstance(packed, PackedRun)

    def full(path: Path, run: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_store_module, "write_unsynced", full)
    assert updates_of(packed.batch) == updates_of(run.batch)


@pytest.mark.parametrize("damage", [b"", b"no run at all", None])
def test_a_damaged_packed_run_is_an_error(tmp_path: Path, damage: bytes | None) -> None:
    store = RunStore(tmp_path, "a", spill_rows=4)
    run = run_of(
        batch_of(T, [((i, i), 0, 1) for i in range(20)]), hash_columns([pa.array(range(20), pa.int32())], 20)
    )
    (packed,) = store.pack({(0, "rows"): store.save({(0, "rows"): (run,)})[0, "rows"]}, {(0, "rows"): (0,)})[
        0, "rows"
    ]
    assert packed.file is not None
    if damage is None:
        packed.file.path.unlink()
    else:
        packed.file.path.write_bytes(damage)
    with pytest.raises(StorageError, match="run"):
        len(packed.hashes)
    with pytest.raises(StorageError, match="run"):
        RunStore(tmp_path, "b").load(store.stored({(0, "rows"): [packed.file]}))


def test_what_would_not_come_back_is_not_packed(tmp_path: Path) -> None:
    store = RunStore(tmp_path, "a", spill_rows=4)
    values = pa.array([float("nan")] * 20)
    run = Run(hash_columns([values], 20), Batch((values,), np.zeros(20, np.uint64), np.ones(20, np.int64)))
    saved = store.save({(0, "rows"): (run,)})
    (same,) = store.pack(saved, {(0, "rows"): (0,)})[0, "rows"]
    assert same is saved[0, "rows"][0]
    assert [path.suffix for path in tmp_path.iterdir()] == [".run"]


def test_hashes_of_other_columns_are_packed_too(tmp_path: Path) -> None:
    store = RunStore(tmp_path, "a", spill_rows=4)
    batch = batch_of(T, [((i, -i), i % 3, 1 - 2 * (i % 2)) for i in range(20)])
    run = Run(np.arange(20, dtype=np.uint64) << np.uint64(59), batch)
    (packed,) = store.pack(store.save({(0, "rows"): (run,)}), {(0, "rows"): (0,)})[0, "rows"]
    assert isinstance(packed, PackedRun)
    assert packed.hashes.tolist() == run.hashes.tolist()
    assert updates_of(packed.batch) == updates_of(batch)


def test_what_a_job_has_left_is_adopted(tmp_path: Path) -> None:
    (tmp_path / "job").mkdir()
    dataflow = Dataflow(grouped(), 0)
    dataflow.step({"t": Delta(batch_of(T, [((i, i), 0, 1) for i in range(20)]), NO_ERRORS)}, 0, 1)
    names = {}
    for (node, name), runs in dataflow.handles().items():
        paths = [tmp_path / "job" / f"{node}-{name}-{i}.run" for i in range(len(runs))]
        names[node, name] = [MACHINE.name(path) for path in paths]
        for path, run in zip(paths, runs, strict=True):
            run_file_module.write_run(path, run)
    store = RunStore(tmp_path, "a")
    successor = Dataflow(grouped(), 0)
    successor.load(store.adopt(names), 1)
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    checkpoint = take(successor, store)
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before
    assert all(file.checksum is not None for places in checkpoint.state.values() for file in places)
    publish(tmp_path, checkpoint)
    assert resume(grouped(), RunStore(tmp_path, "b")).upper == 1


def test_fingerprints_tell_plans_engines_and_keys_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = grouped()
    other = lower(r.Filter(r.Get("t", T), ()))
    prints = [
        fingerprint(plan, "1", None),
        fingerprint(plan, "2", None),
        fingerprint(plan, "1", (0,)),
        fingerprint(other, "1", None),
    ]
    assert len(set(prints)) == 4
    assert fingerprint(grouped(), "1", None) == prints[0]
    monkeypatch.setattr(checkpoint_module, "STATE_VERSION", 99)
    assert fingerprint(plan, "1", None) != prints[0]


def test_layouts_tell_spines_apart() -> None:
    plan = grouped()
    spines = Dataflow(plan, 0).spines()
    assert layout(spines) == layout(Dataflow(plan, 5).spines())
    fewer = dict(list(spines.items())[1:])
    assert layout(fewer) != layout(spines)
    id_, spine = next(iter(spines.items()))
    assert layout({**spines, id_: Spine(spine.schema, spine.key[:-1])}) != layout(spines)


def _memory_of_a_mapped_run(directory: Path) -> tuple[int, int, int]:
    """What the process has allocated, and what the statistics count as state and as mapped."""
    store = RunStore(directory, "a", spill_rows=1)
    dataflow = Dataflow(grouped(), 0)
    dataflow.keep_in(store)
    dataflow.step({"t": Delta(batch_of(T, [((i, i), 0, 1) for i in range(20_000)]), NO_ERRORS)}, 0, 1)
    merge_worker().drain()
    allocated = pa.total_allocated_bytes()
    statistics = dataflow.statistics()
    return allocated, sum(s.state_bytes for s in statistics), sum(s.mapped_bytes for s in statistics)


def test_pages_of_a_mapped_run_are_not_memory(tmp_path: Path) -> None:
    """In a process of its own: what is allocated in this one depends on the tests before."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        allocated, state, mapped = process.submit(_memory_of_a_mapped_run, tmp_path).result(timeout=120)
    assert state == 0
    assert mapped > 500_000
    assert allocated < 500_000


@pytest.mark.parametrize("written", ["by this release", "by the first version"])
def test_packed_numerics_come_back(written: str, tmp_path: Path) -> None:
    prices = [Decimal("-7.25"), None, Decimal(10) ** 17 / 4]
    batch = batch_of(
        schema_of(INT4, derived_numeric(2)), [((i, price), 3, 1) for i, price in enumerate(prices)]
    )
    run = run_of(batch, hash_columns([batch.columns[0]], len(batch)))
    packed = packed_file.encode(run, (0,))
    assert packed is not None
    if written == "by the first version":
        metadata = {**pq.read_schema(pa.BufferReader(packed)).metadata, b"ptvc.packed": b"1"}
        sink = pa.BufferOutputStream()
        columns = dict(zip(("c0", "c1"), run.batch.columns, strict=True))
        pq.write_table(pa.table(columns).replace_schema_metadata(metadata), sink)
        packed = sink.getvalue()
    again = packed_file.decode(packed, RunFile(tmp_path / "r", 0, packed.size))
    assert np.array_equal(again.hashes, run.hashes)
    assert all(a.equals(b) for a, b in zip(again.batch.columns, run.batch.columns, strict=True))
    assert updates_of(again.batch) == updates_of(run.batch)
