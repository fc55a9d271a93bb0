"""Objects beside the blobs, in both kinds of store: whole, of any size, and none of them a blob."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ptvc.errors import StorageError, StoreAway
from ptvc.persist.blob import s3_client
from ptvc.persist.blob.base import blob_key
from ptvc.persist.blob.objects import Objects
from ptvc.persist.location import open_blob, open_objects
from servers.s3_server import FAULTS, PAGE, S3Server

DATA = bytes(range(256)) * 1000
LARGE = 20 << 20
"""Bytes of an object that is sent in pieces."""


@pytest.fixture(params=["file", "s3"])
def url(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, first_s=0.001, longest_s=0.01))
    if request.param == "file":
        yield (tmp_path / "store").as_uri()
        return
    s3: S3Server = request.getfixturevalue("s3")
    yield s3.url(s3.bucket(), "a/b")
    s3.fail()


@pytest.fixture
def objects(url: str) -> Objects:
    return open_objects(url)


def put(objects: Objects, name: str, path: Path, data: bytes = DATA) -> None:
    path.write_bytes(data)
    objects.put(name, path)


def test_what_was_put_comes_back(objects: Objects, tmp_path: Path) -> None:
    large = bytes(1000) + b"x" * (LARGE - 1000)
    for name, data in (("v/r1/a", DATA), ("v/r1/b/c", b"small"), ("v/large", large)):
        put(objects, name, tmp_path / "out", data)
        put(objects, name, tmp_path / "out", data)
        objects.get(name, tmp_path / "in")
        assert (tmp_path / "in").read_bytes() == data
        (tmp_path / "in").unlink()
    assert objects.read("v/r1/a", 1000, 500) == DATA[1000:1500]
    assert objects.read("v/large", LARGE - 3, 3) == b"xxx"


def test_names_are_those_below_a_folder(objects: Objects, tmp_path: Path) -> None:
    names = [f"v/r1/{i}" for i in range(PAGE + 3)] + ["v/r10/0", "w"]
    for name in names:
        put(objects, name, tmp_path / "out")
    assert sorted(objects.names()) == sorted(names)
    assert sorted(objects.names("v/r1")) == sorted(names[:-2])
    assert list(objects.names("x")) == []
    objects.delete([*names[:-1], "never/there"])
    assert list(objects.names()) == ["w"]
    objects.delete(names)
    assert list(objects.names()) == []


def test_what_is_not_there_is_said_so(objects: Objects, tmp_path: Path) -> None:
    put(objects, "v/a", tmp_path / "out")
    with pytest.raises(StorageError, match="does not exist"):
        objects.get("v/b", tmp_path / "in")
    with pytest.raises(StorageError, match="does not exist"):
        objects.read("v/b", 0, 1)
    with pytest.raises(StorageError):
        objects.read("v/a", len(DATA) - 1, 2)


def test_no_object_is_a_blob(url: str, objects: Objects, tmp_path: Path) -> None:
    blob, key = open_blob(url), blob_key("r1", "w", "a", 0)
    blob.put(key, DATA)
    names = ["r1/w/x", "r1/w/y/z", "r1/x", "x"]
    for name in names:
        put(objects, name, tmp_path / "out")
    assert list(blob.keys()) == [key]
    assert sorted(objects.names()) == names


@pytest.mark.parametrize("fault", FAULTS)
def test_every_operation_outlives_a_fault(s3: S3Server, tmp_path: Path, fault: str) -> None:
    objects = open_objects(s3.url(s3.bucket(), "a/b"))
    for size in (1000, LARGE):
        s3.fail(fault)
        put(objects, "v/a", tmp_path / "out", b"x" * size)
        s3.fail(fault)
        objects.get("v/a", tmp_path / "in")
        assert (tmp_path / "in").stat().st_size == size
        (tmp_path / "in").unlink()
        s3.fail(fault)
        assert objects.read("v/a", 10, 3) == b"xxx"
        s3.fail(fault)
        assert list(objects.names()) == ["v/a"]
        s3.fail(fault)
        objects.delete(["v/a"])
        assert list(objects.names()) == []


def test_a_store_that_stays_away_is_said_so(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who reads state must tell it from state that is gone."""
    monkeypatch.setattr(s3_client, "BACKOFF", replace(s3_client.BACKOFF, attempts=2, first_s=0.001))
    objects = open_objects(s3.url(s3.bucket(), "a/b"))
    put(objects, "v/a", tmp_path / "out")
    for operation in (lambda: objects.get("v/a", tmp_path / "in"), lambda: objects.read("v/a", 0, 1)):
        s3.fail(*["unavailable"] * 5)
        with pytest.raises(StoreAway):
            operation()
        s3.fail()
