"""The environment's directory is its owner's alone, and no source or sink touches it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from inprocess import running
from ptvc.directory import LOGIN_KEY_FILE, check_outside, lock, login_key, make_private, own_directories
from ptvc.errors import InvalidParameter, PtvcError
from ptvc.persist.stores import locate, open_stores
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4
from ptvc.storage.sink.change_records import SinkEnvelope
from ptvc.storage.sink.file import FileSink


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def permissive() -> Iterator[None]:
    """As most users have it."""
    before = os.umask(0o022)
    yield
    os.umask(before)


@pytest.mark.usefixtures("permissive")
def test_a_new_directory_is_private(tmp_path: Path) -> None:
    make_private(tmp_path / "a" / "b")
    assert mode(tmp_path / "a" / "b") == 0o700
    held = lock(tmp_path / "c")
    held.close()
    assert (mode(tmp_path / "c"), mode(tmp_path / "c" / "log")) == (0o700, 0o700)


@pytest.mark.usefixtures("permissive")
def test_the_key_of_salts_is_the_same_in_every_run(tmp_path: Path) -> None:
    key = login_key(tmp_path)
    assert (len(key), mode(tmp_path / LOGIN_KEY_FILE)) == (32, 0o600)
    assert login_key(tmp_path) == key
    (tmp_path / LOGIN_KEY_FILE).write_bytes(key[:7])
    (tmp_path / LOGIN_KEY_FILE).with_suffix(".tmp").write_bytes(b"of a run that was killed")
    other = login_key(tmp_path)
    assert len(other) == 32
    assert other != key
    assert [entry.name for entry in tmp_path.iterdir()] == [LOGIN_KEY_FILE]


@pytest.mark.usefixtures("permissive")
def test_an_older_one_is_tightened_when_it_is_opened(tmp_path: Path) -> None:
    for name in ("blobs", "log", "state"):
        (tmp_path / name).mkdir()
    (tmp_path / "runtime.json").write_text("{}")
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    (tmp_path / "link").symlink_to(elsewhere)
    stores = open_stores(tmp_path, locate(tmp_path))
    stores.consensus.close()
    assert mode(tmp_path) == 0o700
    assert {mode(tmp_path / name) for name in ("blobs", "log", "state")} == {0o700}
    assert mode(tmp_path / "runtime.json") == 0o600
    assert mode(elsewhere) == 0o755, "what a link leads to is not of the environment"


def test_one_that_belongs_to_another_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tmp_path.chmod(0o755)

    def forbidden(path: Path, mode: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(Path, "chmod", forbidden)
    with pytest.raises(PtvcError, match="Operation not permitted"):
        make_private(tmp_path)


@pytest.mark.usefixtures("permissive")
def test_what_a_sink_writes_is_for_others_to_read(tmp_path: Path) -> None:
    os.umask(0o077)
    sink = FileSink("u1", tmp_path / "out", "json", Schema((Column("k", INT4),)), SinkEnvelope.NONE)
    sink.open()
    sink.close()
    assert (mode(tmp_path / "out"), mode(tmp_path / "out" / "manifest.json")) == (0o755, 0o644)


def test_paths_into_it_are_found_however_they_are_written(tmp_path: Path) -> None:
    own = tmp_path / "environment"
    (own / "state").mkdir(parents=True)
    blobs = tmp_path / "else where"
    directories = own_directories(own, blobs.as_uri())
    (tmp_path / "link").symlink_to(own)
    for inside in ("environment", "environment/x", "other/../environment/state/x", "link/x", "else where/x"):
        with pytest.raises(InvalidParameter, match="own directory"):
            check_outside(str(tmp_path / inside), directories, "the sink would write to")
    for outside in ("environment-2", "x", "environment/../x"):
        check_outside(str(tmp_path / outside), directories, "the sink would write to")
    assert own_directories(own, "s3://bucket/prefix") == (own,)


def test_neither_sources_nor_sinks_touch_it(tmp_path: Path) -> None:
    with running() as runtime, runtime.connect() as db:
        db.execute("CREATE TABLE t (a int)")
        for path in (runtime.directory / "blobs", runtime.directory / "x" / ".." / "log"):
            for statement in (
                f"CREATE SINK s FROM t INTO FILE '{path}' FORMAT JSON ENVELOPE NONE",
                f"CREATE SOURCE s (a int) FROM FILE '{path}' FORMAT CSV",
            ):
                with pytest.raises(psycopg.Error, match="own directory") as caught:
                    db.execute(statement)
                assert caught.value.sqlstate == "22023"
        db.execute(f"CREATE SINK s FROM t INTO FILE '{tmp_path / 'out'}' FORMAT JSON ENVELOPE NONE")
