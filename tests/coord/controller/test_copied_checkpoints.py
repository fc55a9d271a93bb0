"""Checkpoints whose files are copied: which one counts, where state goes, and what may be needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest
from ptvc.compute.checkpoint import Checkpoint
from ptvc.compute.run import StoredRun
from ptvc.compute.shared_files import CopiedFiles
from ptvc.coord.controller.checkpoints import Checkpoints
from ptvc.persist.blob.objects import FileObjects

NAMES = {"u1": "u1", "u2": "other"}


class Coordinator:
    """One on a machine of its own."""

    def __init__(self, tmp_path: Path, epoch: int, machine: str | None = None) -> None:
        self.files = CopiedFiles(tmp_path / (machine or f"machine-{epoch}"), FileObjects(tmp_path / "blobs"))
        self.checkpoints = Checkpoints(self.files, NAMES, epoch)

    def write(self, id: str, replica: str = "r1", name: str = "a.run") -> str:
        """What a replica does: the name of a file of its state."""
        file = f"{self.checkpoints.directory(id, replica)}/{name}"
        self.files.new(file).write_bytes(b"rows")
        self.files.publish((self.files.path(file),))
        return file

    def publish(self, id: str, cut: int, *files: str, replica: str = "r1") -> bool:
        state = {(0, "rows"): tuple(StoredRun(name, 0, 4, 7) for name in files)}
        checkpoint = Checkpoint("f", cut, state, "l")
        return asyncio.run(self.checkpoints.publish(id, replica, checkpoint))

    def unneeded(self) -> set[str]:
        """As maintenance asks."""
        names = self.files.published()
        needs = self.checkpoints.needs()
        return {name for name in names if not needs(name)}

    def cut(self, id: str, replica: str = "r1") -> int | None:
        found = self.checkpoints.get(id, replica)
        return None if found is None else found.cut


def test_the_last_manifest_counts_wherever_the_coordinator_starts(tmp_path: Path) -> None:
    one = Coordinator(tmp_path, 1)
    for cut in (10, 20):
        assert one.publish("u1", cut, one.write("u1"))
    assert one.publish("u2", 5, one.write("u2", "r2"), replica="r2")
    one.checkpoints.close()
    for machine in ("machine-1", "elsewhere"):
        two = Coordinator(tmp_path, 2, machine)
        assert (two.cut("u1"), two.cut("u2", "r2"), two.cut("u2")) == (20, 5, None)
        assert two.unneeded() == set()
        two.checkpoints.close()
    late = Coordinator(tmp_path, 1, "machine-1")  # which will not know that there is another one
    two = Coordinator(tmp_path, 2)
    assert two.publish("u1", 15, two.write("u1", name="b.run"))
    assert late.publish("u1", 99, late.write("u1"))
    for coordinator in (two, late):
        coordinator.checkpoints.close()
    three = Coordinator(tmp_path, 3)
    assert three.cut("u1") == 15
    three.checkpoints.close()


def test_state_that_was_forgotten_has_another_place(tmp_path: Path) -> None:
    one = Coordinator(tmp_path, 1)
    before = one.write("u1")
    assert one.publish("u1", 10, before)
    manifest = one.checkpoints._manifests["u1/r1"]
    one.checkpoints.forget("u1", "r1")
    assert one.cut("u1") is None
    after = one.write("u1")
    assert Path(after).parent != Path(before).parent
    one.checkpoints.close()  # manifests that were dropped have gone
    assert manifest not in one.files.published()
    assert one.unneeded() == {before}
    assert not one.publish("u1", 20, before), "it comes from who has not heard of it yet"
    assert one.publish("u1", 20, after)
    assert one.unneeded() == {before}


def test_files_of_a_former_place_are_needed_as_long_as_they_are_named(tmp_path: Path) -> None:
    one = Coordinator(tmp_path, 1)
    old = [one.write("u1", name=f"{n}.run") for n in "ab"]
    assert one.publish("u1", 10, *old)
    one.checkpoints.close()
    two = Coordinator(tmp_path, 2)
    new = two.write("u1", name="c.run")
    unpublished = two.write("u1", name="d.run")
    assert two.publish("u1", 20, old[1], new)
    assert two.unneeded() == {old[0]}
    assert not two.publish("u1", 30, old[0], new)
    assert unpublished not in two.unneeded(), "the next checkpoint may name it"
    two.checkpoints.close()


class Watched(FileObjects):
    """Tells of what has just been written."""

    def __init__(self, directory: Path, put: Callable[[str], None]) -> None:
        super().__init__(directory)
        self._has_put = put

    def put(self, name: str, path: Path) -> None:
        super().put(name, path)
        self._has_put(name)


def test_a_manifest_is_needed_before_it_counts(tmp_path: Path) -> None:
    """Else maintenance would remove it, and then the one before goes."""
    one = Coordinator(tmp_path, 1)
    unneeded: list[set[str]] = []
    watched = Watched(tmp_path / "blobs", lambda name: unneeded.append(one.unneeded()))
    one.files = CopiedFiles(tmp_path / "machine-1", watched)
    one.checkpoints = Checkpoints(one.files, NAMES, 2)
    assert one.publish("u1", 10, one.write("u1"))
    one.checkpoints.close()
    assert unneeded == [set(), set()]


def test_a_checkpoint_of_state_that_is_forgotten_meanwhile_does_not_count(tmp_path: Path) -> None:
    one = Coordinator(tmp_path, 1)

    def put(name: str) -> None:
        if name.endswith(".json"):
            one.checkpoints.forget("u1", "r1")

    one.files = CopiedFiles(tmp_path / "machine-1", Watched(tmp_path / "blobs", put))
    one.checkpoints = Checkpoints(one.files, NAMES, 2)
    assert not one.publish("u1", 10, one.write("u1"))
    one.checkpoints.close()
    two = Coordinator(tmp_path, 3)
    assert two.cut("u1") is None
    two.checkpoints.close()


@pytest.mark.parametrize("replica", [None, "r1"])
def test_what_is_dropped_is_needed_no_more(tmp_path: Path, replica: str | None) -> None:
    one = Coordinator(tmp_path, 1)
    files = {name: one.write("u1", name) for name in ("r1", "r2")}
    for name, file in files.items():
        assert one.publish("u1", 10, file, replica=name)
    if replica is None:
        one.checkpoints.forget("u1")
    else:
        one.checkpoints.retain("u1", {"r2"})
    one.checkpoints.close()
    assert one.unneeded() == (set(files.values()) if replica is None else {files["r1"]})
    two = Coordinator(tmp_path, 2)
    assert (two.cut("u1", "r1"), two.cut("u1", "r2")) == (None, None if replica is None else 10)
    two.checkpoints.close()


def test_a_damaged_manifest_is_no_checkpoint(tmp_path: Path) -> None:
    one = Coordinator(tmp_path, 1)
    file = one.write("u1")
    assert one.publish("u1", 10, file)
    (manifest,) = [name for name in one.files.published() if name.endswith(".json")]
    path = tmp_path / "damaged"
    path.write_bytes(b"{}")
    FileObjects(tmp_path / "blobs").put(manifest, path)
    one.checkpoints.close()
    two = Coordinator(tmp_path, 2)
    assert two.cut("u1") is None
    assert file in two.unneeded()
    two.checkpoints.close()
