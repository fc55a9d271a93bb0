"""Worker processes: their fork server, of which this process has one, started when it is first needed."""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass

from ...memory import resident_memory
from .answers import ANSWER, Start
from .pickled import send
from .requests import AWAIT, END, FORK, REQUEST, RESPONSE, UNKNOWN

LOW_PRIORITY = 5

_SLACK = 2 << 30
"""Address space that libraries set aside without using it counts as well."""


class ForkServer:
    """Thread-safe.  One that has died is started anew."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._control: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Begins to start it: it is ready some tenths of a second later."""
        with self._lock:
            self._started()

    def fork(self, what: int = FORK) -> tuple[int, socket.socket]:
        """A new process's number, and the socket on which it waits for what it is told first."""
        ours, theirs = socket.socketpair()
        try:
            with theirs:
                return self._ask(what, 0, theirs), ours
        except BaseException:
            ours.close()
            raise

    def end(self, pid: int) -> None:
        """Kills the worker; its memory is free soon."""
        self._ask(END, pid)

    def await_end(self, pid: int) -> int:
        """The wait status of a worker that has ended, or is about to."""
        return self._ask(AWAIT, pid)

    def _ask(self, what: int, pid: int, fd: socket.socket | None = None) -> int:
        """The response.  Only to fork is a server started that is not there: what it is to end has ended with it."""
        with self._lock:
            for _ in range(2):
                if self._control is None and fd is None:
                    return UNKNOWN
                control = self._started()
                try:
                    socket.send_fds(control, [REQUEST.pack(what, pid)], [] if fd is None else [fd.fileno()])
                    response = control.recv(RESPONSE.size, socket.MSG_WAITALL)
                except OSError:
                    response = b""
                if len(response) == RESPONSE.size:
                    return int(RESPONSE.unpack(response)[0])
                self._stop()  # it has died, and its workers with it
        raise RuntimeError("the processes of queries cannot be started")

    def _started(self) -> socket.socket:
        if self._control is None:
            ours, theirs = socket.socketpair()
            path = os.pathsep.join(part for part in sys.path if part)
            # A worker computes on one core at a time: threads of a library of linear algebra would only be kept.
            environment = os.environ | {"PYTHONPATH": path, "OPENBLAS_NUM_THREADS": "1"}
            with theirs:
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", f"{__package__}.fork_server", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    env=environment,
                    pass_fds=(theirs.fileno(),),
                    # Out of reach of a Ctrl-C in the terminal; the session stays the owner's, as Linux may give
                    # each session an equal share of the cores, and a low priority then counts within it only.
                    process_group=0,
                )
            self._control = ours
        return self._control

    def _stop(self) -> None:
        if self._control is not None and self._process is not None:
            self._control.close()
            self._process.kill()
            self._process.wait()
            self._control = self._process = None

    def forked(self) -> None:
        """In a process forked from the one that it belongs to: it has none yet."""
        self.__init__()  # type: ignore[misc]


SERVER = ForkServer()
os.register_at_fork(after_in_child=SERVER.forked)


@dataclass(slots=True)
class WorkerProcess:
    """From the side of its owner, which is one thread.  `base` are the bytes that it had to itself when it began;
    `low`: it has a low priority."""

    pid: int
    socket: socket.socket
    base: int = 0
    low: bool = False

    @classmethod
    def started(cls, start: Start) -> WorkerProcess:
        pid, ours = SERVER.fork()
        worker = cls(pid, ours)
        worker.send(start)
        worker.base = resident_memory(pid) or 0
        return worker

    def limit(self, nbytes: int) -> None:
        """Has allocations fail that would take it far beyond so many bytes, before the next look at what it holds."""
        if hasattr(resource, "prlimit"):  # Linux has it
            most = 2 * nbytes + _SLACK
            resource.prlimit(self.pid, resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))

    def send(self, message: Start | object) -> None:
        send(self.socket, message)

    def yield_cores(self) -> None:
        """From now on others come first where they want a core, too; there is no way back."""
        self.low = True
        with suppress(ProcessLookupError):
            os.setpriority(os.PRIO_PROCESS, self.pid, LOW_PRIORITY)

    def interrupt(self) -> None:
        """Asks what it runs to stop."""
        with suppress(ProcessLookupError):  # its fork server has died, and it, too
            os.kill(self.pid, signal.SIGUSR1)

    def end(self) -> None:
        self.socket.close()
        SERVER.end(self.pid)

    def has_ended(self) -> bool:
        """Asked while it has nothing to do, and so nothing to say."""
        waiting = select.poll()
        waiting.register(self.socket, select.POLLIN)
        return bool(waiting.poll(0))

    def how_it_ended(self) -> str:
        """In words; it is the last thing that is asked of it."""
        self.socket.close()
        status = SERVER.await_end(self.pid)
        if status == UNKNOWN:
            status = signal.SIGKILL
        if os.WIFSIGNALED(status):
            return f"signal {os.WTERMSIG(status)}"
        return f"exit status {os.waitstatus_to_exitcode(status)}"

    @property
    def nbytes(self) -> int:
        """Bytes of memory beyond those that it had when it began; 0 where the system does not say."""
        return max((resident_memory(self.pid) or 0) - self.base, 0)

    @property
    def cpu_seconds(self) -> float | None:
        """CPU time that it has taken so far; None where the system does not say."""
        try:
            with open(f"/proc/{self.pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            return None
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def answer_header(data: bytes | bytearray) -> tuple[bool, int]:
    """Whether the message that follows is the answer's last, and its length."""
    last, length = ANSWER.unpack_from(data)
    return bool(last), length


HEADER_BYTES = struct.calcsize(ANSWER.format)
