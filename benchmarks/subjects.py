"""What is measured at the engine: a maintained view that is hydrated, then stepped, here or in a resident task.

```
this process                                             resident PySpark task
Data ── change ── Arrow IPC ──────── Unix socket ──────> Batch ── step ── Batch
outputs  <────────────────────────── Arrow IPC ────────────────────────────┘
```

A resident subject is measured from the change (a batch in this process) to the output's bytes back in it.
"""

from __future__ import annotations

import os
import socket
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Protocol

from ptvc.compute.dataflow import Dataflow
from ptvc.compute.memory import RELEASE_ROWS, release_memory
from ptvc.compute.spark.application import Application
from ptvc.expr.tree.relation import GlobalId
from ptvc.repr.batch import NO_ERRORS, Batch, Delta, from_ipc, to_ipc
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT

from .measure import peak_mib, resident_mib
from .reference import Reference
from .workloads import ORDERS, WORKLOADS, Data, Workload

HYDRATION_TIME = 1
"""The base is there at this time; change i comes at HYDRATION_TIME + i."""


@dataclass(frozen=True, slots=True)
class Hydration:
    """`seconds` from the base's batches in memory to the view; memory in MiB, before and after."""

    seconds: float
    base_mib: float
    memory_mib: float
    output: bytes


@dataclass(frozen=True, slots=True)
class Usage:
    """Of the process that steps: CPU seconds so far (all threads), memory in MiB."""

    pid: int
    cpu_seconds: float
    resident_mib: float
    peak_mib: float


class Subject(Protocol):
    """A view under maintenance.  `step` takes the change at the next time and returns the view's updates."""

    hydration: Hydration

    def step(self, change: Batch) -> Batch: ...

    def usage(self) -> Usage: ...


class _View(Protocol):
    def hydrate(self, inputs: Mapping[GlobalId, Batch]) -> Batch: ...

    def step(self, change: Batch) -> Batch: ...


class Engine:
    """The runtime's own dataflow."""

    def __init__(self, workload: Workload) -> None:
        self.dataflow = Dataflow(workload.plan(), HYDRATION_TIME)

    def hydrate(self, inputs: Mapping[GlobalId, Batch]) -> Batch:
        return self._step({id_: Delta(batch, NO_ERRORS) for id_, batch in inputs.items()})

    def step(self, change: Batch) -> Batch:
        return self._step({ORDERS: Delta(change, NO_ERRORS)})

    def _step(self, inputs: Mapping[GlobalId, Delta]) -> Batch:
        delta = self.dataflow.step(inputs, self.dataflow.upper, self.dataflow.upper + 1)
        if len(delta.errs):
            raise RuntimeError(f"the view fails: {delta.errs.columns[1][0]}")
        return delta.oks


KINDS: dict[str, type[Engine] | type[Reference]] = {"engine": Engine, "reference": Reference}


class InProcess:
    """A subject of the kind `kind`, in this process."""

    def __init__(self, kind: str, workload: Workload, base_rows: int) -> None:
        if kind == "reference":
            workload = WORKLOADS[workload.reference]
        base = Data(workload, base_rows).base(HYDRATION_TIME)
        base_mib = sum(batch.nbytes for batch in base.values()) / (1 << 20)
        # What allocators keep from making the base, and the base itself, are none of the view's.
        release_memory(RELEASE_ROWS)
        before = resident_mib() - base_mib
        self.view: _View = KINDS[kind](workload)
        started = time.perf_counter()
        output = self.view.hydrate(base)
        seconds = time.perf_counter() - started
        del base
        release_memory(RELEASE_ROWS)
        self.hydration = Hydration(
            seconds, base_mib, resident_mib() - before, to_ipc(output_schema(output), output)
        )

    def step(self, change: Batch) -> Batch:
        return self.view.step(change)

    def usage(self) -> Usage:
        return Usage(os.getpid(), time.process_time(), resident_mib(), peak_mib())


def output_schema(batch: Batch) -> Schema:
    """A schema for shipping an output, whose values may be wider in the reference than in the runtime."""
    types = {str(type_.arrow): type_ for type_ in (INT4, INT8, TEXT)}
    return Schema(tuple(Column(f"c{i}", types[str(c.type)]) for i, c in enumerate(batch.columns)))


# --- in a resident task -------------------------------------------------------------------------------------------


def serve(address: str, kind: str, workload: str, base_rows: int, attempt: int) -> None:
    """Runs in the task: hydrates, then answers changes (bytes) and questions for usage (None) until the other
    side has closed."""
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(address)
    connection = Connection(stream.detach())
    subject = InProcess(kind, WORKLOADS[workload], base_rows)
    connection.send(subject.hydration)
    schema: Schema | None = None
    while True:
        try:
            message = connection.recv()
        except EOFError:
            break
        if message == USAGE:
            connection.send(subject.usage())
            continue
        output = subject.step(from_ipc(message))
        if schema is None:
            schema = output_schema(output)
        connection.send(to_ipc(schema, output))
    connection.close()


USAGE = "usage"


class Resident:
    """A subject of the kind `kind` in a resident task of `application`."""

    def __init__(self, application: Application, kind: str, workload: Workload, base_rows: int) -> None:
        self._orders = workload.orders
        self._folder = tempfile.TemporaryDirectory(prefix="ptvc-bench-")
        address = str(Path(self._folder.name) / "task")
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(address)
        listener.listen(1)
        self._failure: BaseException | None = None
        name = f"{kind}-{workload.name}-{base_rows}"
        self._thread = threading.Thread(
            target=self._run,
            args=(application, name, partial(serve, address, kind, workload.name, base_rows)),
            daemon=True,
        )
        self._thread.start()
        listener.settimeout(1.0)
        self._connection = Connection(self._accept(listener).detach())
        listener.close()
        self.hydration: Hydration = self._receive()

    def _run(self, application: Application, name: str, work: Any) -> None:
        try:
            application.run_resident(name, work)
        except Exception as error:  # told to whoever waits for the task
            self._failure = error

    def _accept(self, listener: socket.socket) -> socket.socket:
        while True:
            try:
                accepted, _ = listener.accept()
            except TimeoutError:
                if not self._thread.is_alive():
                    raise RuntimeError("the resident task has ended") from self._failure
                continue
            accepted.settimeout(None)
            return accepted

    def _receive(self) -> Any:
        try:
            return self._connection.recv()
        except EOFError:
            self._thread.join()
            raise RuntimeError("the resident task has ended") from self._failure

    def step(self, change: Batch) -> Batch:
        self._connection.send(to_ipc(self._orders, change))
        return from_ipc(self._receive())

    def usage(self) -> Usage:
        self._connection.send(USAGE)
        usage = self._receive()
        assert isinstance(usage, Usage)
        return usage

    def close(self) -> None:
        """Ends the task."""
        self._connection.close()
        self._thread.join()
        self._folder.cleanup()
