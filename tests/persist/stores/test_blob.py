"""One conformance suite for every implementation of blob."""

from __future__ import annotations

import errno
import os
import pickle
from pathlib import Path

import pytest
from ptvc.errors import DiskFull, InvalidUsage, StorageError
from ptvc.persist.blob.base import Blob, blob_key, key_writer
from ptvc.persist.blob.file import FileBlob
from ptvc.persist.part import BlobKey

KEY = blob_key("s1", "w", "a", 0)


def test_what_is_put_can_be_got(blob: Blob) -> None:
    blob.put(KEY, b"contents")
    assert blob.get(KEY) == b"contents"
    assert list(blob.keys()) == [KEY]


def test_a_key_is_written_once(blob: Blob) -> None:
    blob.put(KEY, b"one")
    blob.put(KEY, b"one")
    with pytest.raises(StorageError, match="exists already"):
        blob.put(KEY, b"two")
    assert blob.get(KEY) == b"one"


def test_a_missing_blob_is_named(blob: Blob) -> None:
    with pytest.raises(StorageError, match=f'blob "{KEY}" does not exist'):
        blob.get(KEY)


def test_deleting_is_idempotent(blob: Blob) -> None:
    blob.put(KEY, b"x")
    blob.delete(KEY)
    blob.delete(KEY)
    assert list(blob.keys()) == []
    blob.put(KEY, b"y")
    assert blob.get(KEY) == b"y"


def test_a_store_is_claimed_once(blob: Blob) -> None:
    assert blob.owner() is None
    assert blob.claim(7) == 7
    assert blob.claim(8) == 7
    assert blob.owner() == 7
    assert list(blob.keys()) == []


@pytest.mark.parametrize("key", ["x", "a/b", "../../x", "a/../b", "/a/b", "a/b/c/d", ""])
def test_other_keys_are_refused(blob: Blob, key: str) -> None:
    with pytest.raises(InvalidUsage):
        blob.put(BlobKey(key), b"x")


@pytest.mark.parametrize("writer", ["replica/1:2", "..", ".", "a b%2F", "ü"])
def test_any_name_makes_a_key(blob: Blob, writer: str) -> None:
    key = blob_key("shard/1", writer, "a", 3)
    blob.put(key, b"x")
    assert list(blob.keys()) == [key]
    assert key_writer(key) == writer


def test_files_leave_nothing_else_behind(tmp_path: Path) -> None:
    blob = FileBlob(tmp_path / "deep" / "blobs")
    blob.put(KEY, b"x")
    blob.put(KEY, b"x")
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert files == [tmp_path / "deep" / "blobs" / KEY]


def test_file_blobs_can_be_sent_to_another_process(tmp_path: Path) -> None:
    blob = FileBlob(tmp_path)
    blob.put(KEY, b"x")
    assert pickle.loads(pickle.dumps(blob)).get(KEY) == b"x"


def test_every_change_is_synced_before_put_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A simulated power loss: what was not fsynced at the time of the acknowledgement would be gone."""
    blob = FileBlob(tmp_path / "blobs")
    synced: list[str] = []
    fsync = os.fsync

    def record(descriptor: int) -> None:
        synced.append(os.readlink(f"/proc/self/fd/{descriptor}"))
        fsync(descriptor)

    monkeypatch.setattr(os, "fsync", record)
    blob.put(KEY, b"x")
    root = str(tmp_path / "blobs")
    writer_directory = str((tmp_path / "blobs" / KEY).parent)
    assert {root, str(Path(writer_directory).parent), writer_directory} <= set(synced)
    data = next(i for i, name in enumerate(synced) if ".tmp-" in name)
    assert synced[-1] == writer_directory
    assert data < len(synced) - 1


def test_a_full_disk_is_said_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    blob = FileBlob(tmp_path)

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(DiskFull, match="No space left") as caught:
            FileBlob(tmp_path).put(KEY, b"x")
    assert caught.value.sqlstate == "53100"
    assert list(blob.keys()) == []
    blob.put(KEY, b"x")
    assert blob.get(KEY) == b"x"


def test_other_failures_name_the_blob(tmp_path: Path) -> None:
    blob = FileBlob(tmp_path)
    (tmp_path / KEY).mkdir(parents=True)
    with pytest.raises(StorageError, match=f'could not read blob "{KEY}"'):
        blob.get(KEY)


def test_a_killed_writers_temporary_file_counts_as_its_blob(tmp_path: Path) -> None:
    blob = FileBlob(tmp_path)
    left = tmp_path / "s1" / "dead" / ".tmp-123"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half")
    (key,) = blob.keys()
    assert key_writer(key) == "dead"
    blob.delete(key)
    assert not left.exists()
