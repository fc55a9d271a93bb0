"""Archives of Spark's classes: which JVM takes which, and that it does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from ptvc.compute.spark import class_archive
from ptvc.compute.spark.gateway import MAIN_CLASS

CODE = """
import sys
from pathlib import Path
from ptvc.compute.spark.session import spark_session, stop_session

session = spark_session("local[1]", "test", {}, directory=Path(sys.argv[1]))
maps = Path(f"/proc/{session.sparkContext._gateway.proc.pid}/maps").read_text()
print([line.split()[-1] for line in maps.splitlines() if "/classes/" in line][:1])
print(session.sql("SELECT 1 AS one").collect()[0].one)
stop_session(session)
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "cache" / "ptvc" / "classes").mkdir(parents=True)
    return tmp_path / "cache"


def java(folder: Path, content: bytes) -> str:
    folder.mkdir()
    (folder / "java").write_bytes(content)
    return str(folder / "java")


def test_each_java_and_class_path_has_one(cache: Path, tmp_path: Path) -> None:
    one, other = java(tmp_path / "1", b"\x7fELF"), java(tmp_path / "2", b"\x7fELF")
    paths = {class_archive.archive_of([program, "-cp", path]) for program in (one, other) for path in "ab"}
    assert len(paths) == 4
    script = b"#!/bin/sh\nexec /opt/java"
    same = [java(tmp_path / name, script) for name in ("3", "4")]
    assert len({class_archive.archive_of([program, "-cp", "a"]) for program in same}) == 1


def test_a_jvm_goes_without_one_that_is_not_there(cache: Path, tmp_path: Path) -> None:
    command = [java(tmp_path / "1", b"\x7fELF"), "-cp", "a"]
    assert class_archive.options(command) == []
    assert class_archive.options(["/nowhere/java", "-cp", "a"]) == []
    archive = class_archive.archive_of(command)
    archive.touch()
    assert class_archive.options(command)[0] == f"-XX:SharedArchiveFile={archive}"


def test_it_can_be_switched_off(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [java(tmp_path / "1", b"\x7fELF"), "-cp", "a"]
    class_archive.archive_of(command).touch()
    monkeypatch.setenv(class_archive.SWITCH, "off")
    assert class_archive.options(command) == []
    said = subprocess.run(
        [sys.executable, "-P", "-m", class_archive.__name__], capture_output=True, text=True, check=True
    )
    assert said.stdout == "switched off\n"


def test_those_that_are_used_are_kept(cache: Path, tmp_path: Path) -> None:
    commands = [[java(tmp_path / str(i), b"\x7fELF"), "-cp", "a"] for i in range(8)]
    archives = [class_archive.archive_of(command) for command in commands]
    for archive in archives:
        archive.touch()
        os.utime(archive, (0, 0))
    for command in commands[:3]:
        assert class_archive.options(command)
    class_archive._remove_old(archives[0].parent)
    assert [archive.exists() for archive in archives[:3]] == [True] * 3
    assert sum(archive.exists() for archive in archives) == 4


def test_what_somebody_else_has_made_meanwhile_is_not_made_again(cache: Path, tmp_path: Path) -> None:
    archive = class_archive.archive_of([java(tmp_path / "1", b"\x7fELF"), "-cp", "a"])
    archive.touch()
    assert class_archive.make(archive) == archive
    assert archive.stat().st_size == 0


def test_who_makes_it_beside_a_runtime_is_waited_for(cache: Path, tmp_path: Path) -> None:
    archive = class_archive.archive_of([java(tmp_path / "1", b"\x7fELF"), "-cp", "a"])
    archive.touch()
    class_archive._make_beside(archive, tmp_path / "log")
    assert (tmp_path / "log").read_text() == f"{archive}\n"


def test_nobody_elses_is_taken(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    command = [java(tmp_path / "1", b"\x7fELF"), "-cp", "a"]
    class_archive.archive_of(command).touch()
    monkeypatch.setattr("os.getuid", lambda: 12345)
    assert class_archive.options(command) == []


def test_what_writes_it_is_the_same_jvm(tmp_path: Path) -> None:
    command = [
        "java",
        "-cp",
        "a",
        "-Xmx1g",
        "-XX:DumpLoadedClassList=x",
        "--add-opens=b",
        MAIN_CLASS,
        "--conf",
    ]
    dump = class_archive._dump_command(command, tmp_path / "names", tmp_path / "archive")
    assert dump[:2] == ["java", "--add-opens=b"]
    assert dump[-2:] == ["-cp", "a"]


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_it_is_made_once_and_taken(cache: Path, tmp_path: Path) -> None:
    made = [class_archive.make() for _ in range(2)]
    assert made[0] == made[1]
    assert [path.name for path in made[0].parent.iterdir() if path.name != ".lock"] == [made[0].name]
    done = subprocess.run(
        [sys.executable, "-c", CODE, str(tmp_path / "spark")], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-2:] == [f"['{made[0]}']", "1"]
