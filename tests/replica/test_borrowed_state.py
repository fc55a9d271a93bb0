"""State that begins with another replica's files, which that one removes when it likes."""

from __future__ import annotations

from pathlib import Path

import pytest
from compute.histories import batch_of, consolidated, updates_of
from compute.reference import Update
from compute.test_checkpoint import T, grouped, take
from ptvc.compute.checkpoint import Checkpoint
from ptvc.compute.dataflow import Dataflow
from ptvc.compute.merge import merge_worker
from ptvc.compute.run_store import RunStore
from ptvc.compute.shared_files import CopiedFiles, LocalFiles, SharedFiles
from ptvc.errors import StorageError
from ptvc.persist.blob.objects import FileObjects
from ptvc.repr.batch import NO_ERRORS, Delta


class Replica:
    """A dataflow that keeps its state in a folder of its own."""

    def __init__(self, files: SharedFiles, folder: str) -> None:
        path = files.path(folder)
        path.mkdir(parents=True)
        self.folder = path
        self.store = RunStore(path, folder.replace("/", "-"), 10, files)
        self.dataflow = Dataflow(grouped(), 0)

    def step(self, rows: int = 40) -> list[Update]:
        time = self.dataflow.upper
        updates: list[Update] = [((i, time), time, 1) for i in range(rows)]
        delta = Delta(batch_of(T, updates), NO_ERRORS)
        self.dataflow.keep_in(self.store)
        out = updates_of(self.dataflow.step({"t": delta}, time, time + 1).oks)
        merge_worker().drain()
        return consolidated(out)

    def begin(self, checkpoint: Checkpoint) -> None:
        self.dataflow = Dataflow(grouped(), checkpoint.cut - 1)
        self.dataflow.load(self.store.load(checkpoint.state), checkpoint.cut)

    def remove_files(self) -> None:
        for path in self.folder.iterdir():
            path.unlink()


def two(tmp_path: Path, copied: bool) -> tuple[Replica, Replica]:
    if copied:
        objects = FileObjects(tmp_path / "blobs")
        one, other = (CopiedFiles(tmp_path / name, objects) for name in ("one", "other"))
        return Replica(one, "v/r1/place"), Replica(other, "v/r2/place")
    files = LocalFiles(tmp_path)
    return Replica(files, "v/r1"), Replica(files, "v/r2")


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("copied", [True, False])
@pytest.mark.parametrize("pack", [True, False])
def test_it_goes_on_when_the_other_has_removed_its_files(
    tmp_path: Path, pack: bool, copied: bool, linked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not linked:

        def refused(path: Path, target: Path) -> None:
            raise PermissionError("this file system has no links")

        monkeypatch.setattr(Path, "hardlink_to", refused)
    old, new = two(tmp_path, copied)
    for _ in range(3):
        old.step()
    checkpoint = take(old.dataflow, old.store, pack=pack)
    new.begin(checkpoint)
    old.store.shared.unpublish(old.store.shared.published())
    expected = old.step()
    old.remove_files()
    assert new.step() == expected
    own = take(new.dataflow, new.store, pack=False)
    assert own.files()
    assert all(new.store.shared.path(file.name).is_relative_to(new.folder) for file in own.files())
    new.store.sweep(own.files())
    kept = {new.store.shared.path(file.name) for file in own.files()}
    assert kept <= set(new.folder.iterdir())
    again = Replica(new.store.shared, "v/r3")
    again.begin(own)
    assert again.step() == new.step()


def test_shares_of_it_leave_the_other_its_files(tmp_path: Path) -> None:
    """Who takes some rows of each run has them for itself."""
    old, new = two(tmp_path, copied=False)
    old.step()
    checkpoint = take(old.dataflow, old.store)
    before = sorted(old.folder.iterdir())
    loaded = new.store.load(checkpoint.state, whole=False)
    assert sum(len(run) for runs in loaded.values() for run in runs)
    del loaded
    new.store.sweep(())
    assert sorted(old.folder.iterdir()) == before
    assert not list(new.folder.iterdir())


def test_one_that_has_gone_already_is_an_error(tmp_path: Path) -> None:
    old, new = two(tmp_path, copied=False)
    old.step()
    checkpoint = take(old.dataflow, old.store)
    old.remove_files()
    with pytest.raises(StorageError, match="cannot have"):
        new.store.load(checkpoint.state)
