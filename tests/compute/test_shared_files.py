"""Files by name: those of one root, and those that are copied from machine to machine."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest
from ptvc.compute.shared_files import CopiedFiles, LocalFiles, SharedFiles, SharedRoot
from ptvc.errors import InvalidUsage, StorageError
from ptvc.persist.blob.base import blob_key
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.blob.objects import FileObjects

CONTENTS = b"0123456789" * 1000


def machine(tmp_path: Path, name: str) -> CopiedFiles:
    return CopiedFiles(tmp_path / name, FileObjects(tmp_path / "blobs"))


def write(files: SharedFiles, name: str, contents: bytes = CONTENTS) -> None:
    files.new(name).write_bytes(contents)
    files.publish((files.path(name),))


def test_what_one_machine_publishes_another_fetches(tmp_path: Path) -> None:
    one, other = machine(tmp_path, "one"), machine(tmp_path, "other")
    names = [f"v/r1/{i}.run" for i in range(20)]
    for i, name in enumerate(names):
        write(one, name, CONTENTS + str(i).encode())
    assert not other.path(names[0]).exists()
    other.fetch([*names, names[0]])
    assert [other.path(name).read_bytes() for name in names] == [
        CONTENTS + str(i).encode() for i in range(20)
    ]
    assert other.name(other.path(names[3])) == names[3]
    assert sorted(other.published("v")) == sorted(names)
    assert other.published("w") == []
    assert other.read(names[3], 10_000, 1) == b"3"


def test_what_is_unpublished_is_nowhere_but_where_it_was_fetched(tmp_path: Path) -> None:
    one, other = machine(tmp_path, "one"), machine(tmp_path, "other")
    write(one, "v/r1/a.run")
    write(one, "v/r1/b.run")
    other.fetch(["v/r1/a.run"])
    other.unpublish(["v/r1/a.run", "v/r1/b.run", "v/r1/was-never-there.run"])
    assert one.published() == []
    other.fetch(["v/r1/a.run"])
    with pytest.raises(StorageError, match="does not exist"):
        other.fetch(["v/r1/b.run"])
    with pytest.raises(StorageError, match="does not exist"):
        other.read("v/r1/b.run", 0, 1)
    assert not other.path("v/r1/b.run").exists()


def test_what_a_machine_leaves_is_fetched_again(tmp_path: Path) -> None:
    one = machine(tmp_path, "one")
    write(one, "v/r1/a.run")
    one.leave("v/r1/a.run")
    one.leave("v/r1/a.run")
    assert not one.path("v/r1/a.run").exists()
    one.fetch(["v/r1/a.run"])
    one.leave("v/r1")
    assert not one.path("v/r1").exists()
    one.fetch(["v/r1/a.run"])
    assert one.path("v/r1/a.run").read_bytes() == CONTENTS


class Cut(FileObjects):
    """Every other read ends in the middle."""

    gets = 0

    def get(self, name: str, path: Path) -> None:
        self.gets += 1
        super().get(name, path)
        if self.gets % 2:
            path.write_bytes(path.read_bytes()[:100])
            raise StorageError("the connection was cut")


def test_a_file_is_there_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    write(machine(tmp_path, "one"), "v/a")
    other = machine(tmp_path, "other").over(lambda _: Cut(tmp_path / "blobs"))
    with pytest.raises(StorageError, match="was cut"):
        other.fetch(["v/a"])
    assert list((tmp_path / "other" / "v").iterdir()) == []
    other.fetch(["v/a"])
    assert other.path("v/a").read_bytes() == CONTENTS


class Slow(FileObjects):
    """Reads wait until all who want to read may have come."""

    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self.gets: list[str] = []
        self.may_go_on = threading.Event()

    def get(self, name: str, path: Path) -> None:
        self.gets.append(name)
        assert self.may_go_on.wait(60)
        super().get(name, path)


def test_one_of_many_fetches_a_file_and_the_others_wait(tmp_path: Path) -> None:
    write(machine(tmp_path, "one"), "v/a")
    slow = Slow(tmp_path / "blobs")
    # As processes: each has opened the files by itself.
    readers = [CopiedFiles(tmp_path / "other", slow) for _ in range(6)]
    threads = [threading.Thread(target=reader.fetch, args=(["v/a"],)) for reader in readers]
    for thread in threads:
        thread.start()
    while not slow.gets:
        threads[0].join(0.01)
    slow.may_go_on.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert slow.gets == ["v/a"]
    assert readers[0].path("v/a").read_bytes() == CONTENTS


def test_what_nobody_asks_for_is_forgotten(tmp_path: Path) -> None:
    one = machine(tmp_path, "one")
    for name in ("v/old", "v/used", "v/new"):
        write(one, name)
    written_at = one.path("v/new").stat().st_mtime
    for name in ("v/old", "v/used"):
        os.utime(one.path(name), (written_at - 100, written_at - 100))
    one.fetch(["v/used"])
    one.forget_unused(written_at - 50)
    assert sorted(path.name for path in one.path("v").iterdir()) == ["new", "used"]
    one.fetch(["v/old"])
    assert one.path("v/old").read_bytes() == CONTENTS


def test_one_root_for_all_needs_nothing(tmp_path: Path) -> None:
    files = LocalFiles(tmp_path)
    (tmp_path / "v").mkdir()
    write(files, "v/a")
    files.fetch(["v/a", "v/b"])
    files.unpublish(["v/a"])
    files.leave("v/a")
    assert files.published() == []
    assert files.read("v/a", 3, 4) == b"3456"
    assert [path.name for path in tmp_path.rglob("*")] == ["v", "a"]


def test_a_name_leads_nowhere_else(tmp_path: Path) -> None:
    for files in (LocalFiles(tmp_path), machine(tmp_path, "one")):
        with pytest.raises(InvalidUsage):
            files.path("v/../../x")
    for name in ("", "/x", "a//b", "a/../b"):
        with pytest.raises(InvalidUsage):
            FileObjects(tmp_path).put(name, tmp_path)


def test_objects_are_no_blobs(tmp_path: Path) -> None:
    """So neither collection of garbage takes the other's for its own."""
    blob = FileBlob(tmp_path / "blobs")
    key = blob_key(".state", "r1", "a", 0)
    blob.put(key, b"a part")
    write(machine(tmp_path, "one"), "r1/a-0.parquet")
    assert list(blob.keys()) == [key]
    assert machine(tmp_path, "one").published() == ["r1/a-0.parquet"]


def test_where_files_are_is_told_by_the_root(tmp_path: Path) -> None:
    root = SharedRoot(str(tmp_path / "state"))
    assert root.here().root == root.on_machine(tmp_path / "other").root == tmp_path / "state"
    copied = SharedRoot(str(tmp_path / "state"), (tmp_path / "blobs").as_uri())
    assert copied.here().root == tmp_path / "state"
    assert copied.on_machine(tmp_path / "other").root == tmp_path / "other"
    write(copied.here(), "v/a")
    copied.on_machine(tmp_path / "other").fetch(["v/a"])
    assert (tmp_path / "other" / "v" / "a").read_bytes() == CONTENTS
