"""When a dataflow makes a checkpoint, and what becomes of one that fails."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute import run_store as run_store_module
from ptvc.compute.checkpoint import publish, read
from ptvc.compute.merge import merge_worker
from ptvc.compute.run import Run
from ptvc.compute.run_store import RunStore
from ptvc.compute.spine import Spine
from ptvc.errors import StorageError
from ptvc.replica import checkpoint as module
from ptvc.replica.checkpoint import DurableState
from ptvc.replica.protocol import Checkpointed, CheckpointPublished, StateOptions
from ptvc.repr.batch import Batch

from .support import SCHEMA


class Time:
    now = 100.0


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    time = Time()
    monkeypatch.setattr(module, "monotonic", lambda: time.now)
    return time


class Subject:
    """A state of one spine, to be checkpointed every 100 rows, or 30 s after the last."""

    def __init__(self, directory: Path, writer: str = "a", *, may_be_packed: bool = True) -> None:
        self.directory = directory
        options = StateOptions(str(directory), "f", 10, 100, 30_000)
        self.state = DurableState("v", options, writer, may_be_packed=may_be_packed)
        self.spine = Spine(SCHEMA, (0,))
        self.upper = 0

    def start(self) -> Subject:
        self.state.keep({(0, "rows"): self.spine})
        return self

    def take(self, rows: int) -> None:
        self.upper += 1
        columns = (pa.array(range(rows), pa.int64()),)
        self.spine.insert(Batch(columns, np.full(rows, self.upper, np.uint64), np.ones(rows, np.int64)))
        self.state.took(rows)

    def write(self) -> Checkpointed | None:
        pending = self.state.due(self.upper + 1)
        assert pending is not None
        return pending.write()

    def answer(self, written: Checkpointed, published: bool = True) -> None:
        if published:
            publish(self.directory, written.checkpoint)
        self.state.answered(CheckpointPublished("v", written.checkpoint.cut, published))
        self.state.sweep()


def test_little_is_not_worth_one_and_much_is_at_once(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v").start()
    subject.take(99)
    time.now += 1_000
    assert subject.state.due(2) is None
    subject.take(1)
    written = subject.write()
    assert written is not None
    assert written.checkpoint.cut == 3


def test_state_that_is_left_alone_is_packed(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v").start()

    def packed_after(seconds: float) -> None:
        time.now += seconds - 1
        assert subject.state.due(subject.upper + 1) is None
        time.now += 1
        written = subject.write()
        assert written is not None
        subject.answer(written)
        assert {path.suffix for path in (tmp_path / "v").iterdir()} == {".packed", ".json"}
        time.now += 10_000
        assert subject.state.due(subject.upper + 1) is None  # once is enough

    for seconds in (module.PACKED_AFTER_HYDRATION_S, module.PACKED_AFTER_USE_S):
        subject.take(100)
        subject.spine.at_rest()
        merge_worker().drain()
        written = subject.write()
        assert written is not None
        subject.answer(written)
        del written  # whoever has a checkpoint has its files
        packed_after(seconds)


def test_state_is_packed_when_no_run_is_being_written(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = Subject(tmp_path / "v").start()
    has_begun, may_go_on, spill = threading.Event(), threading.Event(), subject.state.store.spill

    def slow(run: Run) -> Run | None:
        has_begun.set()
        may_go_on.wait()
        return spill(run)

    monkeypatch.setattr(subject.state.store, "spill", slow)
    subject.take(100)
    assert not subject.spine.at_rest()
    has_begun.wait()
    written = subject.write()
    assert written is not None
    subject.answer(written)
    time.now += module.PACKED_AFTER_HYDRATION_S
    assert subject.state.due(subject.upper + 1) is None
    may_go_on.set()
    merge_worker().drain()
    packed = subject.write()
    assert packed is not None
    assert {Path(file.name).suffix for file in packed.checkpoint.files()} == {".packed"}


def test_an_index_is_not_packed(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v", may_be_packed=False).start()
    subject.take(100)
    written = subject.write()
    assert written is not None
    subject.answer(written)
    time.now += 10_000
    assert subject.state.due(subject.upper + 1) is None


def test_one_at_a_time_and_not_too_often(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v").start()
    subject.take(100)
    written = subject.write()
    subject.take(500)
    time.now += 10
    assert subject.state.due(9) is None, "one is under way"
    assert written is not None
    subject.answer(written)
    second = subject.write()
    assert second is not None
    subject.answer(second)
    subject.take(500)
    assert subject.state.due(9) is None, "the last was made just now"
    time.now += 1
    assert subject.state.due(9) is not None


def test_a_few_rows_wait_for_the_interval_and_none_for_ever(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v", may_be_packed=False).start()
    subject.take(100)
    written = subject.write()
    assert written is not None
    subject.answer(written)
    time.now += 1_000
    assert subject.state.due(9) is None, "nothing has changed"
    subject.take(1)
    assert subject.state.due(9) is not None


@pytest.mark.parametrize("where", ["write", "publish"])
def test_what_fails_is_tried_again_later(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    subject = Subject(tmp_path / "v").start()
    subject.take(100)
    first = subject.write()
    assert first is not None
    subject.answer(first)
    subject.take(100)
    time.now += 5
    if where == "write":

        def full(path: Path) -> None:
            raise OSError(28, "No space left on device", str(path))

        with monkeypatch.context() as patch:
            patch.setattr(run_store_module, "sync_file", full)
            assert subject.write() is None
    else:
        written = subject.write()
        assert written is not None
        subject.answer(written, published=False)
    assert subject.state.due(9) is None, "not at once"
    found = read(subject.directory)
    assert found is not None
    assert found.cut == first.checkpoint.cut
    assert RunStore(subject.directory, "b").load(found.state)
    time.now += 20
    again = subject.write()
    assert again is not None
    subject.answer(again)


def test_an_answer_to_a_predecessor_is_none_to_this(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v").start()
    subject.take(100)
    written = subject.write()
    assert written is not None
    subject.state.answered(CheckpointPublished("v", written.checkpoint.cut - 1, True))
    subject.take(500)
    time.now += 100
    assert subject.state.due(9) is None, "it still waits for its own"


def test_state_of_other_spines_is_not_loaded(tmp_path: Path, time: Time) -> None:
    subject = Subject(tmp_path / "v").start()
    subject.take(100)
    written = subject.write()
    assert written is not None
    with pytest.raises(StorageError, match="hold other state"):
        subject.state.load(written.checkpoint, {(0, "others"): subject.spine})


def test_an_object_that_is_dropped_while_its_state_is_written_is_no_trouble(
    tmp_path: Path, time: Time, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its files go one by one, and the directory at last."""
    subject = Subject(tmp_path / "v").start()
    subject.take(100)
    sync = run_store_module.sync_file

    def dropped(path: Path) -> None:
        subject.state.leave()
        path.unlink()
        sync(path)

    monkeypatch.setattr(run_store_module, "sync_file", dropped)
    assert subject.write() is None
    assert subject.directory.exists()
    assert not caplog.records


def test_an_object_that_was_dropped_is_no_trouble(
    tmp_path: Path, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    subject = Subject(tmp_path / "v").start()
    subject.take(100)
    for path in subject.directory.iterdir():
        path.unlink()
    subject.directory.rmdir()
    assert subject.write() is None
    assert not caplog.records
