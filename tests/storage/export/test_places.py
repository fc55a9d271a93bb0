"""A place of an export: taken by one, left as it was found by one that fails, and told when it is whole."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from ptvc.errors import PtvcError
from ptvc.storage.connections import aws
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions
from ptvc.storage.connections.values import Values
from ptvc.storage.export.bucket import BucketPlace
from ptvc.storage.export.directory import DirectoryPlace
from ptvc.storage.export.place import Place
from servers.s3_server import S3Server


class Outside:
    """`place` gives another one at the same spot; `files` are what is there."""

    def __init__(self, place: Callable[[], Place], files: Callable[[], dict[str, bytes]]) -> None:
        self.place, self.files = place, files


@pytest.fixture(params=["directory", "s3"])
def outside(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Outside:
    monkeypatch.setattr(aws, "BACKOFF", replace(aws.BACKOFF, first_s=0.001, longest_s=0.01))
    if request.param == "directory":
        path = tmp_path / "out"

        def read() -> dict[str, bytes]:
            return {entry.name: entry.read_bytes() for entry in path.iterdir()} if path.exists() else {}

        return Outside(lambda: DirectoryPlace(str(path)), read)
    s3: S3Server = request.getfixturevalue("s3")
    bucket = s3.bucket()
    options = {"ENDPOINT": s3.endpoint, "ACCESS KEY ID": "testing", "SECRET ACCESS KEY": "secret"}
    values = Values(ConnectionOptions(ConnectionKind.AWS, dict(options)), {})
    return Outside(
        lambda: BucketPlace(values, bucket, "out", tmp_path),
        lambda: {name.removeprefix("out/"): s3.read(bucket, name) for name in s3.names(bucket)},
    )


def write(place: Place, name: str, data: bytes) -> None:
    stream = place.open()
    stream.write(data)
    place.publish(name, stream)


def test_files_appear_whole_and_the_manifest_last(outside: Outside) -> None:
    place = outside.place()
    place.begin()
    assert outside.files().keys() == {"INCOMPLETE"}
    stream = place.open()
    stream.write(b"a" * 100)
    assert not any(name.startswith("part") for name in outside.files())
    place.publish("part-0", stream)
    assert outside.files()["part-0"] == b"a" * 100
    write(place, "part-1", b"b")
    assert outside.files().keys() == {"INCOMPLETE", "part-0", "part-1"}
    place.finish(b"{}")
    assert outside.files() == {"part-0": b"a" * 100, "part-1": b"b", "_SUCCESS": b"{}"}


def test_one_that_fails_leaves_nothing(outside: Outside) -> None:
    place = outside.place()
    place.begin()
    write(place, "part-0", b"a")
    place.open().write(b"half")
    place.undo()
    assert outside.files() == {}
    outside.place().begin()


def test_of_what_tasks_have_written_some_is_kept(outside: Outside) -> None:
    place = outside.place()
    place.begin()
    tasks = [pickle.loads(pickle.dumps(place.for_tasks())) for _ in range(3)]
    half = tasks[2].open()  # it dies
    half.write(b"half")
    half.close()
    for number, task in enumerate(tasks[:2]):
        stream = task.open()
        stream.write(b"a")
        write(tasks[1 - number], f"part-{number}", b"b")  # meanwhile
        task.publish(f"part-{number}", stream)  # once more
    place.keep_only({"part-0"})
    assert outside.files() == {"part-0": b"a", "INCOMPLETE": outside.files()["INCOMPLETE"]}
    place.keep_only(())
    assert outside.files().keys() == {"INCOMPLETE"}
    place.undo()
    assert outside.files() == {}


def test_a_place_is_one_export_s(outside: Outside) -> None:
    first = outside.place()
    first.begin()
    for _ in range(2):
        with pytest.raises(PtvcError, match="is not empty") as refused:
            outside.place().begin()
        assert refused.value.detail == "An export is under way there, or was cut off."
    assert outside.files().keys() == {"INCOMPLETE"}
    first.finish(b"{}")
    with pytest.raises(PtvcError) as refused:
        outside.place().begin()
    assert refused.value.detail == 'It has "_SUCCESS".'
    assert outside.files() == {"_SUCCESS": b"{}"}


@pytest.mark.parametrize("seed", range(4))
def test_faults_of_s3_that_pass(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(aws, "BACKOFF", replace(aws.BACKOFF, first_s=0.001, longest_s=0.01, attempts=30))
    bucket = s3.bucket()
    options = {"ENDPOINT": s3.endpoint, "ACCESS KEY ID": "testing", "SECRET ACCESS KEY": "secret"}
    place = BucketPlace(
        Values(ConnectionOptions(ConnectionKind.AWS, dict(options)), {}), bucket, "out", tmp_path
    )
    s3.fail_at_random(0.3, seed)
    try:
        place.begin()
        write(place, "part-0", b"a" * (6 << 20))  # in several parts
        place.finish(b"{}")
    finally:
        s3.fail_at_random(0.0, 0)
    assert s3.names(bucket) == ["out/_SUCCESS", "out/part-0"]
    assert s3.read(bucket, "out/part-0") == b"a" * (6 << 20)


@pytest.mark.parametrize("conflicts", [1, 20])
def test_another_one_that_is_writing_the_same_name(
    s3: S3Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conflicts: int
) -> None:
    """S3 asks who puts an object on a condition to try again, and nothing is there."""
    monkeypatch.setattr(aws, "BACKOFF", replace(aws.BACKOFF, first_s=0.001, longest_s=0.01))
    bucket = s3.bucket()
    options = {"ENDPOINT": s3.endpoint, "ACCESS KEY ID": "testing", "SECRET ACCESS KEY": "secret"}
    place = BucketPlace(
        Values(ConnectionOptions(ConnectionKind.AWS, dict(options)), {}), bucket, "out", tmp_path
    )
    s3.fail(*(["conflict", None] * conflicts))
    try:
        if conflicts == 1:
            place.begin()
            assert s3.names(bucket) == ["out/INCOMPLETE"]
        else:
            with pytest.raises(PtvcError, match="S3 answers ConditionalRequestConflict"):
                place.begin()
            assert s3.names(bucket) == []
    finally:
        s3.fail()
