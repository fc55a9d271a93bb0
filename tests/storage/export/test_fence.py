"""The fence round tasks: whoever closes it waits for those inside, and nobody comes in afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from ptvc.errors import QueryCanceled
from ptvc.storage.export.fence import Fence, within


def test_closing_waits_for_who_is_inside(tmp_path: Path) -> None:
    fence = Fence(tmp_path / "spool")
    closed = threading.Event()

    def close() -> None:
        fence.close()
        closed.set()

    with within(fence.path) as check, within(fence.path) as other:
        check()
        thread = threading.Thread(target=close)
        thread.start()
        while Path(fence.path).exists():
            thread.join(0.01)
        for inside in (check, other):
            with pytest.raises(QueryCanceled):
                inside()
        assert not closed.wait(0.1)
    thread.join(10)
    assert closed.is_set()
    fence.close()
    with pytest.raises(QueryCanceled), within(fence.path):
        pass
    assert list((tmp_path / "spool").iterdir()) == []


def test_a_process_that_is_killed_is_not_inside(tmp_path: Path) -> None:
    fence = Fence(tmp_path)
    program = f"from ptvc.storage.export.fence import within\nwith within({fence.path!r}):\n    print('in', flush=True)\n    input()"
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == "in\n"
        thread = threading.Thread(target=fence.close)
        thread.start()
        thread.join(0.1)
        assert thread.is_alive()
        os.kill(process.pid, signal.SIGKILL)
        thread.join(10)
        assert not thread.is_alive()
