"""A driver that ends: what queries hear of it."""

from __future__ import annotations

import asyncio
import errno
from pathlib import Path

import pytest
from ptvc.coord.controller import driver_process
from ptvc.coord.controller.driver_process import HOPELESS_AFTER, DriverProcess
from ptvc.errors import PtvcError
from ptvc.retry import Backoff
from ptvc.supervision import Supervisor


async def endings(directory: Path, script: str, count: int, up: int | None = None) -> list[str | None]:
    """What is said of the first so many ends of a driver that runs `script`; number `up` had dialled in."""
    said: list[str | None] = []
    enough = asyncio.Event()

    def ended(failure: PtvcError | None) -> None:
        said.append(None if failure is None else failure.message)
        if len(said) == up:
            driver.healthy()
        if len(said) == count:
            enough.set()

    failures: list[BaseException] = []
    supervisor = Supervisor(lambda _, error: failures.append(error))
    driver = DriverProcess(
        "address", directory, ended, blobs="file:/b", master="local[1]", memory="1g", supervisor=supervisor
    )
    driver._command = ["sh", "-c", script]
    driver.start()
    await asyncio.wait_for(enough.wait(), 60)
    await driver.stop()
    assert failures == []
    return said


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver_process, "BACKOFF", Backoff(0.001, 0.01))


def test_queries_wait_however_often_it_is_killed(tmp_path: Path) -> None:
    assert asyncio.run(endings(tmp_path, "kill -9 $$", 8)) == [None] * 8


def test_one_that_cannot_start_is_told_after_some_attempts(tmp_path: Path) -> None:
    said = asyncio.run(endings(tmp_path, "echo no Java here; exit 1", 6))
    told = "Spark cannot be started: no Java here"
    assert said == [None] * (HOPELESS_AFTER - 1) + [told] * (7 - HOPELESS_AFTER)


def test_once_it_was_up_attempts_are_counted_anew(tmp_path: Path) -> None:
    said = asyncio.run(endings(tmp_path, "exit 1", 4, up=2))
    assert said == [None] * 4


def test_where_the_system_has_no_process_to_give_it_is_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(asyncio, "create_subprocess_exec", refused)
    said = asyncio.run(endings(tmp_path, "true", HOPELESS_AFTER))
    assert said[:-1] == [None] * (HOPELESS_AFTER - 1)
    assert "Too many open files" in str(said[-1])


def test_its_files_are_for_nobody_else(tmp_path: Path) -> None:
    file = tmp_path / "made"
    asyncio.run(endings(tmp_path, f"touch {file}; mkdir {file}-directory", 1))
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "made-directory").stat().st_mode & 0o777 == 0o700
