"""The driver is begun before there is a coordinator: it ends with that one, and serves no other."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from .conftest import running
from .runtime_process import Runtime, alive

pytestmark = pytest.mark.slow

WITHIN_S = 60.0


def _await(condition: Callable[[], bool]) -> None:
    deadline = monotonic() + WITHIN_S
    while not condition():
        assert monotonic() < deadline
        sleep(0.02)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
@pytest.mark.parametrize("after_s", [0.0, 1.5])
def test_it_ends_with_a_coordinator_that_ends_while_it_starts(
    tmp_path: Path, number: signal.Signals, after_s: float
) -> None:
    runtime = Runtime(tmp_path / "environment")
    runtime.process = subprocess.Popen(
        [sys.executable, "-m", "ptvc", "serve", "--path", str(runtime.directory), "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        # Who runs the tests behind nohup ignores it, and so would what they start.
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),
    )
    _await(lambda: bool(runtime.children()["driver"]))
    sleep(after_s)
    everything = runtime.everything()
    runtime.process.send_signal(number)
    runtime.process.wait(WITHIN_S)
    _await(lambda: not alive(everything))
    runtime._close()


def test_one_of_another_coordinator_is_turned_away() -> None:
    with running() as runtime:
        runtime.run("CREATE TABLE t (a int)")
        runtime.run("CREATE MATERIALIZED VIEW v AS SELECT count(*) AS n FROM t")
        runtime.eventually(lambda: runtime.run("SELECT n FROM v") == [(0,)])
        (driver,) = runtime.children()["driver"]
        command = Path(f"/proc/{driver}/cmdline").read_text().split("\0")[:-1]
        at = command.index("ptvc.replica.driver") + 1
        command[at] = str(os.getpid())
        command[at + 2] = str(runtime.directory.parent / "another")
        another = subprocess.run(command, input=bytes(32), capture_output=True, timeout=WITHIN_S, check=False)
        assert another.returncode == 1
        assert b"the coordinator does not answer on the control socket" in another.stderr
        assert 'who calls itself "", epoch 0, does not know the secret' in runtime.log()
        runtime.run("INSERT INTO t VALUES (1)")
        assert runtime.run("SELECT n FROM v") == [(1,)]
        assert runtime.children()["driver"] == {driver}
