"""Has processes stand still, and waits until they do.

A process that is told to stop does so when it is scheduled next: until then, on a machine that has much to do, others of its threads may go on
and answer.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path
from time import monotonic, sleep

WAIT_S = 20.0


def stand_still(*pids: int) -> None:
    """Until they get SIGCONT, or end.  Those that have ended are left out."""
    there = [pid for pid in pids if _told(pid)]
    deadline = monotonic() + WAIT_S
    while moving := [pid for pid in there if not _stands(pid)]:
        assert monotonic() < deadline, f"processes {moving} do not stop"
        sleep(0.001)


def _told(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    return True


def _stands(pid: int) -> bool:
    """Whether all its threads do, or it has ended."""
    try:
        stats = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/stat")]
    except (FileNotFoundError, ProcessLookupError):
        return False  # a thread has ended meanwhile: to be looked at again
    return {stat.rpartition(") ")[2][0] for stat in stats} <= {"T", "t", "Z", "X"}
