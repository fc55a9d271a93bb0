"""Kill -9 and stops of a runtime's processes, and of the server that it reads from."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event
from typing import Protocol

from faults.standing_still import stand_still

from ..runtime_process import Runtime

_PAUSE = Event()


class Server(Protocol):
    """What a source reads from."""

    def restart(self) -> None:
        """After a kill -9."""

    def pause(self) -> None: ...

    def resume(self) -> None: ...


def signalled(pids: set[int], number: signal.Signals) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue  # it was one of Spark's that end by themselves, or went with another one


def worker(runtime: Runtime) -> int:
    """The process of the replica that is there, which may be another one in a moment."""
    query = (
        "SELECT process_id FROM mz_internal.mz_cluster_replica_statuses "
        "WHERE status = 'online' AND process_id IS NOT NULL"
    )
    return int(runtime.eventually(lambda: runtime.run(query))[0][0])


@contextmanager
def stopped(pids: set[int]) -> Iterator[None]:
    stand_still(*pids)
    try:
        yield
    finally:
        signalled(pids, signal.SIGCONT)


def kill_everything(runtime: Runtime, server: Server) -> None:
    everything = runtime.everything() - {runtime.process.pid}
    runtime.kill()
    signalled(everything, signal.SIGKILL)
    runtime.start()


def kill_coordinator(runtime: Runtime, server: Server) -> None:
    runtime.kill()
    runtime.start()


def kill_replica(runtime: Runtime, server: Server) -> None:
    signalled({worker(runtime)}, signal.SIGKILL)


def kill_server(runtime: Runtime, server: Server) -> None:
    server.restart()


def stop_everything(seconds: float, runtime: Runtime, server: Server) -> None:
    with stopped(runtime.everything()):
        _PAUSE.wait(seconds)


def stop_coordinator(seconds: float, runtime: Runtime, server: Server) -> None:
    with stopped({runtime.process.pid}):
        _PAUSE.wait(seconds)


def stop_replica(seconds: float, runtime: Runtime, server: Server) -> None:
    with stopped({worker(runtime)}):
        _PAUSE.wait(seconds)


def stop_server(seconds: float, runtime: Runtime, server: Server) -> None:
    server.pause()
    _PAUSE.wait(seconds)
    server.resume()


Fault = Callable[[Runtime, Server], None]
KILLS: tuple[Fault, ...] = (kill_replica, kill_server, kill_everything, kill_coordinator)
STOPS = (stop_everything, stop_coordinator, stop_replica, stop_server)


def stops_of(seconds: float) -> tuple[Fault, ...]:
    return tuple(partial(stop, seconds) for stop in STOPS)


def name_of(fault: Fault) -> str:
    if isinstance(fault, partial):
        return f"{fault.func.__name__} for {fault.args[0]} s"
    return fault.__name__
