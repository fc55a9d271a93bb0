"""The process's loop: one model after the other, until dbt's process is gone or has asked for nothing for a while."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from pathlib import Path

from .channel import Channel, DbtGone
from .failure import failure_of
from .session import Application

IDLE_S = 60.0
"""Who runs dbt again and again in one process finds Spark started; who does not is rid of it soon."""

_WATCH_S = 1.0


def main(fd: int, directory: Path) -> None:
    """Spark keeps its files in `directory`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal is dbt's to handle
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    channel = Channel(fd)
    application = Application(directory)
    try:
        with suppress(DbtGone):
            idle_s: float | None = None
            while channel.wait(idle_s):
                idle_s = _serve(channel, application)
    finally:
        application.stop()


def _serve(channel: Channel, application: Application) -> float | None:
    """For how many seconds the process is to wait for what comes next: before the first model until dbt's process is gone."""
    message = channel.expect("start", "run")
    application.start(message["master"], message["settings"])
    from .run import Job, run  # a second of CPU time, beside the JVM's

    if message["type"] == "start":
        return None
    job = Job.of(message)
    try:
        run(job, channel, application)
    except DbtGone:
        raise
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # told to dbt, which says it to the user
        channel.send("failed", **failure_of(error, job.file).fields())
    finally:
        # What the model has printed comes by another way: it ends here.
        sys.stdout.flush()
        sys.stderr.flush()
        os.write(1, f"\n{message['mark']}\n".encode())
    return IDLE_S


def _watch(parent: int) -> None:
    """A model that computes does not see that dbt has been killed.  Spark ends with this process."""
    never = threading.Event()
    while os.getppid() == parent:
        never.wait(_WATCH_S)
    os._exit(1)
