"""A driver that ends: what queries hear of it."""

from __future__ import annotations

import asyncio
import errno
import signal
import subprocess
from pathlib import Path

import pytest
from ptvc.coord.controller import driver_process
from ptvc.coord.controller.driver_process import HOPELESS_AFTER, DriverProcess
from ptvc.driver_start import BegunDriver, DriverCommand
from ptvc.errors import PtvcError
from ptvc.retry import Backoff
from ptvc.supervision import Supervisor


class ScriptCommand(DriverCommand):
    """A shell in place of the driver."""

    script: str

    @classmethod
    def running(cls, directory: Path, script: str) -> ScriptCommand:
        command = cls("address", directory, "file:/b", "local[1]", "1g")
        object.__setattr__(command, "script", script)
        return command

    @property
    def words(self) -> list[str]:
        return ["sh", "-c", self.script]


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
    driver = DriverProcess(ScriptCommand.running(directory, script), ended, supervisor)
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
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(subprocess, "Popen", refused)
    said = asyncio.run(endings(tmp_path, "true", HOPELESS_AFTER))
    assert said[:-1] == [None] * (HOPELESS_AFTER - 1)
    assert "Too many open files" in str(said[-1])


def test_what_it_has_started_ends_with_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the next one begins."""
    monkeypatch.setattr(driver_process, "LEAVE_S", 0.1)
    script = f"sleep 600 & echo $! >> {tmp_path}/pids; ps -A -o pid=,stat= > {tmp_path}/at-$!; exit 1"
    asyncio.run(endings(tmp_path, script, 2))
    first, second = (tmp_path / "pids").read_text().split()[:2]
    assert first in running_in(tmp_path / f"at-{first}")
    assert first not in running_in(tmp_path / f"at-{second}")


def running_in(file: Path) -> set[str]:
    """Those of a list of processes that had not ended: one that nobody asks for its status stays in the list."""
    return {pid for pid, state in map(str.split, file.read_text().splitlines()) if not state.startswith("Z")}


def test_its_files_are_for_nobody_else(tmp_path: Path) -> None:
    file = tmp_path / "made"
    asyncio.run(endings(tmp_path, f"touch {file}; mkdir {file}-directory", 1))
    assert file.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "made-directory").stat().st_mode & 0o777 == 0o700


def test_one_that_was_begun_is_the_first(tmp_path: Path) -> None:
    command = ScriptCommand.running(tmp_path, f"echo $$ >> {tmp_path}/pids; exec sleep 60")

    async def run(begun: BegunDriver) -> None:
        driver = DriverProcess(command, lambda failure: None, Supervisor(lambda name, error: None), begun)
        driver.start()
        await asyncio.sleep(0)
        await driver.stop()

    with BegunDriver(command) as begun:
        assert begun._begun is not None
        process = begun._begun.process
        asyncio.run(run(begun))
        assert process.returncode == -signal.SIGKILL
        assert begun.take(command) is None
    assert not (tmp_path / "pids").exists() or len((tmp_path / "pids").read_text().split()) <= 1


def test_one_that_nobody_takes_is_killed(tmp_path: Path) -> None:
    command = ScriptCommand.running(tmp_path, "exec sleep 60")
    with BegunDriver(command) as begun:
        assert begun._begun is not None
        process = begun._begun.process
        assert begun.take(DriverCommand("elsewhere", tmp_path, "file:/b", "local[1]", "1g")) is None
        assert process.poll() is None
    assert process.returncode == -signal.SIGKILL
