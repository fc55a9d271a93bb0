"""The process that Python models run in, `python -m ptvc.spark.models FD DIRECTORY`, and what is said over its socket.

One process serves all models of a dbt process, one after the other: Spark's start takes seconds.  What it prints, and so what a
model prints, comes through a pipe.  It ends with this process, however that ends, and by itself when it has been idle for a minute.
"""

from __future__ import annotations

import atexit
import json
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import Pipe
from multiprocessing.connection import wait
from typing import Any

Message = dict[str, Any]

_JSON, _BYTES = b"J", b"D"
_POLL_S = 0.1
_OUTPUT_WITHIN_S = 5.0
_READ_BYTES = 1 << 16
_IDLE_S = 45.0
"""60 s after its last model the process ends by itself: one that is near to that is not counted upon."""


class ProcessEndedError(Exception):
    """The process is not there any more."""


class PythonProcess:
    def __init__(self) -> None:
        self._directory = tempfile.mkdtemp(prefix="ptvc-models-")
        self._socket, theirs = Pipe()
        fd = theirs.fileno()
        command = [sys.executable, "-P", "-m", "ptvc.spark.models", str(fd), self._directory]
        self._process = subprocess.Popen(
            command,
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C in the terminal is dbt's to handle
        )
        theirs.close()
        assert self._process.stdout is not None
        self._pipe = self._process.stdout
        self._output = self._pipe.fileno()
        self._text = b""
        self._mark = ""
        self._used: float | None = None

    @property
    def is_usable(self) -> bool:
        idle_s = 0.0 if self._used is None else time.monotonic() - self._used
        return self._process.poll() is None and idle_s < _IDLE_S

    def stop(self) -> None:
        """At once: Spark's JVM ends with it."""
        self._process.kill()
        self._process.wait()
        self._socket.close()
        self._pipe.close()
        shutil.rmtree(self._directory, ignore_errors=True)

    def prepare(self, **application: Any) -> None:
        """Have Spark start, for a model that comes however much later."""
        self.send("start", **application)
        self._used = None

    def begin(self, **job: Any) -> None:
        """Have a model run: see `ptvc.spark.models.run`."""
        self._mark = secrets.token_hex(16)
        self.send("run", mark=self._mark, **job)

    def send(self, type: str, **fields: Any) -> None:
        self._send(_JSON + json.dumps({"type": type, **fields}).encode())

    def send_rows(self, data: bytes) -> None:
        self._send(_BYTES + data)

    def _send(self, body: bytes) -> None:
        try:
            self._socket.send_bytes(body)
        except OSError as error:
            raise ProcessEndedError from error

    def received(self, say: Callable[[str], None], check: Callable[[], None]) -> Iterator[Message | bytes]:
        """What it sends, as long as somebody asks; `say` is given each line that it prints meanwhile, `check` called often: it may
        raise.  ProcessEndedError when it has ended."""
        while True:
            check()
            ready = wait([self._socket, self._output], _POLL_S)
            if self._output in ready:
                self._print(say)
            if self._socket in ready:
                try:
                    body = self._socket.recv_bytes()
                except (EOFError, OSError) as error:
                    self._print(say)
                    raise ProcessEndedError from error
                yield body[1:] if body[:1] == _BYTES else json.loads(body[1:])

    def finish(self, say: Callable[[str], None]) -> None:
        """What it has printed until it had finished the model."""
        deadline = time.monotonic() + _OUTPUT_WITHIN_S
        while self._mark and time.monotonic() < deadline:
            if wait([self._output], _POLL_S) and not self._print(say):
                return
        self._used = time.monotonic()

    def _print(self, say: Callable[[str], None]) -> bool:
        """False when there will be no more."""
        data = os.read(self._output, _READ_BYTES)
        *lines, self._text = (self._text + data).split(b"\n")
        for line in lines:
            text = line.decode("utf-8", "replace").rstrip()
            if text and text == self._mark:
                self._mark = ""
            elif text:
                say(text)
        return bool(data)


_turn = threading.Lock()
_process: PythonProcess | None = None


@contextmanager
def taken(check: Callable[[], None]) -> Iterator[PythonProcess]:
    """The process, for one model; another one waits for it, and calls `check` meanwhile.  One that was left in the middle of a model
    is ended."""
    global _process
    while not _turn.acquire(timeout=_POLL_S):
        check()
    try:
        process = _usable()
        try:
            yield process
        except BaseException:
            process.stop()
            _process = None
            raise
    finally:
        _turn.release()


def prepare(**application: Any) -> None:
    """Has the process begin to start Spark, before a model asks for it; see `ptvc.spark.models.main`."""
    # Should it have ended already, then the first model has another one made, and says what becomes of that.
    with _turn, suppress(ProcessEndedError):
        _usable().prepare(**application)


def _usable() -> PythonProcess:
    global _process
    if _process is not None and not _process.is_usable:
        _process.stop()
        _process = None
    if _process is None:
        _process = PythonProcess()
    return _process


@atexit.register
def _stop() -> None:
    global _process
    if _process is not None:
        _process.stop()
        _process = None
