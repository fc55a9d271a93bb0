"""The process that query workers, and members of the replica's own workers, are forked from: `python -m ptvc.replica.queries.fork_server FD`.

It has imported all that these need, so one is there in milliseconds and shares that memory.  It has one thread and
does one thing at a time: fork a worker for a socket that it is sent, or end one.  Only it reaps its children, so the number
of a worker that was not ended here is that of no other process.  It ends when its owner does, and its workers with it.
"""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import socket
import sys
from contextlib import suppress

from ...allocator import return_what_is_freed
from ...no_pandas import without_pandas
from ...plan_depth import allow_deep_plans

if __name__ == "__main__":
    without_pandas()  # before the imports below, as some modules make arrays

from ..workers import member
from . import worker
from .requests import AWAIT, FORK, FORK_MEMBER, REQUEST, RESPONSE, UNKNOWN

_PR_SET_PDEATHSIG = 1


def serve(control: socket.socket) -> None:
    """Handles requests until the owner is gone."""
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)  # until a worker is ready to handle it
    children: set[int] = set()
    dying: set[int] = set()
    while True:
        data, fds, _, _ = socket.recv_fds(control, REQUEST.size, 1)
        if len(data) < REQUEST.size:
            break
        what, pid = REQUEST.unpack(data)
        if what in (FORK, FORK_MEMBER):
            response = _forked(control, fds[0], what)
            children.add(response)
        elif pid in children:
            children.discard(pid)
            os.kill(pid, signal.SIGKILL)
            if what == AWAIT:
                response = os.waitpid(pid, 0)[1]
            else:  # to give back some GB takes a while, for which others do not wait
                dying.add(pid)
                response = 0
        else:
            response = UNKNOWN  # that of a predecessor, with which it has gone
        dying = {child for child in dying if os.waitpid(child, os.WNOHANG)[0] == 0}
        control.sendall(RESPONSE.pack(response))
    for child in children:
        os.kill(child, signal.SIGKILL)


def _forked(control: socket.socket, theirs: int, what: int) -> int:
    pid = os.fork()
    if pid:
        os.close(theirs)
        return pid
    status = 1
    try:
        control.close()
        _go_with_parent()
        if what == FORK_MEMBER:
            member.serve(socket.socket(fileno=theirs))
        else:
            return_what_is_freed()
            _be_first_to_go()
            worker.serve(socket.socket(fileno=theirs))
        status = 0
    except ConnectionError:
        status = 0  # the owner is gone
    finally:
        os._exit(status)


def _go_with_parent() -> None:
    prctl = getattr(ctypes.CDLL(None), "prctl", None)
    if prctl is not None:  # Linux has it
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _be_first_to_go() -> None:
    """Where memory is short, a query is what can be had again."""
    with suppress(OSError), open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")


if __name__ == "__main__":
    allow_deep_plans()
    gc.collect()
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    os._exit(0)
