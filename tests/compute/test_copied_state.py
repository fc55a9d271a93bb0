"""State whose files are copied: what others find of it, and what they do not any more."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from ptvc.compute.checkpoint import Checkpoint
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.merge import merge_worker
from ptvc.compute.run_store import RunStore
from ptvc.compute.shared_files import CopiedFiles
from ptvc.errors import StorageError
from ptvc.persist.blob.objects import FileObjects, Objects
from ptvc.repr.batch import NO_ERRORS, Delta

from .histories import batch_of, consolidated, updates_of
from .reference import Update
from .test_checkpoint import T, grouped, take

FOLDER = "v/r1/place"


class Machine:
    """A store of a dataflow's state in a root of its own."""

    def __init__(self, tmp_path: Path, name: str, objects: Objects | None = None) -> None:
        self.files = CopiedFiles(tmp_path / name, objects or FileObjects(tmp_path / "blobs"))
        self.files.path(FOLDER).mkdir(parents=True)
        self.store = RunStore(self.files.path(FOLDER), name, 10, self.files)
        self.dataflow = Dataflow(grouped(), 0)
        self.out: list[Update] = []

    def begin(self) -> Machine:
        self.dataflow.keep_in(self.store)
        return self

    def step(self, rows: int = 20, first: int = 0) -> None:
        time = self.dataflow.upper
        updates: list[Update] = [((i, time), time, 1) for i in range(first, first + rows)]
        delta = Delta(batch_of(T, updates), NO_ERRORS)
        self.out += updates_of(self.dataflow.step({"t": delta}, time, time + 1).oks)
        merge_worker().drain()

    def take(self, *, pack: bool = False) -> Checkpoint:
        return take(self.dataflow, self.store, pack=pack)

    def resume(self, checkpoint: Checkpoint) -> Machine:
        self.dataflow = Dataflow(grouped(), checkpoint.cut - 1)
        self.dataflow.load(self.store.load(checkpoint.state), checkpoint.cut)
        self.dataflow.keep_in(self.store)
        return self


def published(machine: Machine) -> set[str]:
    return set(machine.files.published())


def named(checkpoint: Checkpoint) -> set[str]:
    return {file.name for file in checkpoint.files()}


@pytest.mark.parametrize("pack", [False, True])
def test_a_machine_goes_on_from_what_another_has_published(tmp_path: Path, pack: bool) -> None:
    one = Machine(tmp_path, "one").begin()
    for _ in range(3):
        one.step()
    checkpoint = one.take(pack=pack)
    assert named(checkpoint) <= published(one)
    other = Machine(tmp_path, "other").resume(checkpoint)
    before = len(one.out)
    for machine in (one, other):
        machine.step()
    assert consolidated(other.out) == consolidated(one.out[before:]) != {}


class Counting(FileObjects):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.puts: Counter[str] = Counter()

    def put(self, name: str, path: Path) -> None:
        self.puts[name] += 1
        super().put(name, path)


def test_a_file_is_sent_once(tmp_path: Path) -> None:
    objects = Counting(tmp_path / "blobs")
    one = Machine(tmp_path, "one", objects).begin()
    for _ in range(5):
        one.step()
        checkpoint = one.take()
        one.take(pack=True)
        other = Machine(tmp_path, f"other{one.dataflow.upper}", objects).resume(checkpoint)
        assert named(other.take()) & named(checkpoint)
    assert set(objects.puts.values()) == {1}


def test_what_nobody_has_any_more_goes_from_the_store(tmp_path: Path) -> None:
    one = Machine(tmp_path, "one").begin()
    for _ in range(10):
        one.step()
        checkpoint = one.take()
        one.store.sweep(checkpoint.files())
    one.store.sweep(checkpoint.files())
    assert published(one) == named(checkpoint)
    assert {one.files.path(name) for name in named(checkpoint)} <= set(one.files.path(FOLDER).iterdir())


def test_a_successor_collects_what_its_predecessors_have_left(tmp_path: Path) -> None:
    one = Machine(tmp_path, "one").begin()
    one.step()
    checkpoint = one.take()
    one.step()
    one.take()  # which is never the one to go on from
    assert published(one) > named(checkpoint)
    other = Machine(tmp_path, "other").resume(checkpoint)
    other.step()
    newer = other.take()
    other.store.sweep(newer.files())
    other.store.collect_published(newer.files())
    assert named(newer) <= published(other)
    assert not [name for name in published(other) - named(newer) if "/one-" in name]


def test_what_a_job_was_given_and_has_left_goes_with_the_next_sweep(tmp_path: Path) -> None:
    one = Machine(tmp_path, "one").begin()
    one.step()
    checkpoint = one.take()
    directory = one.store.new_directory()
    for name in ("given.run", "left.run"):
        (directory / name).write_bytes(b"rows")
    one.files.publish(directory.iterdir())
    one.store.discard(directory)
    one.store.sweep(checkpoint.files())
    assert published(one) == named(checkpoint)


class Breaking(FileObjects):
    """Ends in the middle of a file, as a machine that dies does."""

    def __init__(self, directory: Path, after: int) -> None:
        super().__init__(directory)
        self.left = after

    def put(self, name: str, path: Path) -> None:
        if not self.left:
            raise StorageError("the machine has died")
        self.left -= 1
        super().put(name, path)


def test_no_checkpoint_names_what_is_not_there(tmp_path: Path) -> None:
    after, failures = 0, 0
    while True:
        place = tmp_path / str(after)
        one = Machine(place, "one", Breaking(place / "blobs", after)).begin()
        for _ in range(3):
            one.step()
        try:
            checkpoint = one.take()
        except StorageError:
            failures += 1
        else:
            assert named(checkpoint) <= published(one)
            Machine(place, "other").resume(checkpoint).step()
            break
        after += 1
    assert failures > 1


def test_a_checkpoint_that_could_not_be_sent_is_sent_once_more(tmp_path: Path) -> None:
    objects = Breaking(tmp_path / "blobs", 1)
    one = Machine(tmp_path, "one", objects).begin()
    one.step()
    with pytest.raises(StorageError):
        one.take()
    objects.left = 100
    checkpoint = one.take()
    assert named(checkpoint) <= published(one)
    assert Machine(tmp_path, "other").resume(checkpoint).dataflow.upper == one.dataflow.upper
