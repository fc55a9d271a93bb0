"""A batch of rows to another process and back, by four ways.

| way | what crosses |
|---|---|
| workers' socket | `replica.workers.wires`, over a pair of Unix sockets; the batch as an Arrow record without its schema |
| socket, Arrow IPC | the same pair of sockets; the batch as Arrow IPC |
| shared memory | a region for each direction; a byte on a socket says that a batch is there |
| TLS | the control protocol's stream over TCP on this machine, TLS 1.3; the batch as Arrow IPC |

The other process reads a batch, makes columns of it, and writes it again: a round trip has two encodings and two decodings.
"""

from __future__ import annotations

import mmap
import os
import socket
import ssl
import struct
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
from ptvc.compute.partitioned.messages import Rows
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.partitioned.row_format import from_buffer, to_buffer
from ptvc.network.self_signed import self_signed
from ptvc.replica.protocol import Connection, PeekRows
from ptvc.replica.protocol.tls_stream import TlsStream
from ptvc.replica.workers.wires import Wires, encoded
from ptvc.repr.batch import Batch, from_ipc, to_ipc
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import INT4, INT8, TEXT
from rich.table import Table

from ..measure import Latencies, load
from ..report import new_table, shows

SIZES = (1, 100, 10_000, 100_000)
REPEATS = {1: 2_000, 100: 2_000, 10_000: 300, 100_000: 40}
WARM_UP = 3
REGION_BYTES = 64 << 20
_SCHEMA = Schema((Column("id", INT8, False), Column("customer", TEXT, False), Column("amount", INT4, False)))
_LENGTH = struct.Struct("=Q")


@dataclass(frozen=True, slots=True)
class RoundTrip:
    """`nbytes` are those that cross, one way."""

    way: str
    rows: int
    nbytes: int
    latencies: Latencies
    load_1min: float


class _End(Protocol):
    """One end of a way."""

    def send(self, batch: Batch) -> int:
        """Returns the bytes."""

    def receive(self) -> Batch:
        """Raises OSError, or WorkerLost, when the other end is gone."""


class _OverWires:
    def __init__(self, stream: socket.socket) -> None:
        self._wires = Wires({0: stream})

    def send(self, batch: Batch) -> int:
        message = Rows(1, 1, ((1, to_buffer(_SCHEMA, batch)),))
        self._wires.send(0, message)
        self._wires.flush()
        return 0

    def receive(self) -> Batch:
        _, message = self._wires.next()
        assert isinstance(message, Rows)
        return from_buffer(_SCHEMA, message.pieces[0][1])


class _OverSocket:
    def __init__(self, stream: socket.socket) -> None:
        self._stream = stream

    def send(self, batch: Batch) -> int:
        payload = to_ipc(_SCHEMA, batch)
        self._stream.sendall(_LENGTH.pack(len(payload)))
        self._stream.sendall(payload)
        return len(payload)

    def receive(self) -> Batch:
        (length,) = _LENGTH.unpack(_exactly(self._stream, _LENGTH.size))
        return from_ipc(_exactly(self._stream, length))


class _OverMemory:
    def __init__(self, stream: socket.socket, mine: mmap.mmap, theirs: mmap.mmap) -> None:
        self._stream = stream
        self._mine, self._theirs = mine, theirs

    def send(self, batch: Batch) -> int:
        payload = to_ipc(_SCHEMA, batch)
        self._mine[: len(payload)] = payload
        self._stream.sendall(_LENGTH.pack(len(payload)))
        return len(payload)

    def receive(self) -> Batch:
        (length,) = _LENGTH.unpack(_exactly(self._stream, _LENGTH.size))
        return from_ipc(pa.py_buffer(self._theirs).slice(0, length))


class _OverControl:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def send(self, batch: Batch) -> int:
        payload = to_ipc(_SCHEMA, batch)
        self._connection.send(PeekRows(1, payload, done=True))
        return len(payload)

    def receive(self) -> Batch:
        message = self._connection.receive()
        if message is None:
            raise ConnectionError
        assert isinstance(message, PeekRows)
        return from_ipc(message.payload)


def _exactly(stream: socket.socket, size: int) -> memoryview:
    data = memoryview(bytearray(size))
    filled = 0
    while filled < size:
        count = stream.recv_into(data[filled:])
        if not count:
            raise ConnectionError
        filled += count
    return data


def run_round_trips(scale: float = 1.0) -> list[RoundTrip]:
    """Every way and size, in turns over the ways."""
    results = []
    with _ways() as ways:
        for rows in SIZES:
            batch = _batch(rows)
            count = max(int(REPEATS[rows] * scale), 4)
            for name, end in ways.items():
                results.append(_measured(name, end, batch, count))
    return results


def _measured(name: str, end: _End, batch: Batch, count: int) -> RoundTrip:
    seconds, nbytes = [], 0
    for turn in range(-WARM_UP, count):
        started = time.perf_counter()
        nbytes = end.send(batch)
        back = end.receive()
        if turn >= 0:
            seconds.append(time.perf_counter() - started)
        assert len(back) == len(batch)
        del back
    if not nbytes:
        nbytes = sum(map(len, encoded(Rows(1, 1, ((1, to_buffer(_SCHEMA, batch)),)))))
    return RoundTrip(name, len(batch), nbytes, Latencies.of(seconds), load())


def _batch(rows: int) -> Batch:
    ids = np.arange(rows)
    names = pa.array([f"Customer#{i:09}" for i in range(rows)])
    columns = (pa.array(ids), names, pa.array((ids % 1_000).astype(np.int32)))
    return Batch(columns, np.full(rows, 7, np.uint64), np.ones(rows, np.int64))


@contextmanager
def _ways() -> Iterator[dict[str, _End]]:
    """The near ends; the far ones are in a process each, which gives back what comes."""
    children: list[int] = []
    opened: list[socket.socket] = []

    def forked(near: socket.socket, far: Callable[[], _End]) -> None:
        opened.append(near)
        if pid := os.fork():
            children.append(pid)
            return
        try:
            for mine in opened:
                mine.close()
            end = far()
            while True:
                end.send(end.receive())
        except (OSError, WorkerLost):
            pass
        finally:
            os._exit(0)

    pairs = [socket.socketpair() for _ in range(3)]
    there, back = (mmap.mmap(-1, REGION_BYTES) for _ in range(2))
    forked(pairs[0][0], lambda: _OverWires(pairs[0][1]))
    forked(pairs[1][0], lambda: _OverSocket(pairs[1][1]))
    forked(pairs[2][0], lambda: _OverMemory(pairs[2][1], back, there))
    with (
        tempfile.TemporaryDirectory(prefix="ptvc-bench-") as folder,
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        certificate = self_signed(Path(folder))
        near = socket.create_connection(listening.getsockname())
        near.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

        def accepted() -> _End:
            plain, _ = listening.accept()
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return _OverControl(Connection(certificate.context.wrap_socket(plain, server_side=True)))

        forked(near, accepted)
        for _, far in pairs:
            far.close()
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        yield {
            "workers' socket": _OverWires(pairs[0][0]),
            "socket, Arrow IPC": _OverSocket(pairs[1][0]),
            "shared memory": _OverMemory(pairs[2][0], there, back),
            "TLS": _OverControl(Connection(TlsStream(near, context))),
        }
        for mine in opened:
            mine.close()
        for pid in children:
            os.waitpid(pid, 0)


@shows(RoundTrip)
def _round_trips_table(results: list[RoundTrip]) -> Table:
    table = new_table(
        "Round trips of a batch between two processes (microseconds)",
        *("way", "rows", "bytes", "least", "median", "p99", "load"),
    )
    for r in results:
        times = (r.latencies.least_ms, r.latencies.median_ms, r.latencies.p99_ms)
        table.add_row(
            r.way, f"{r.rows:,}", f"{r.nbytes:,}", *(f"{t * 1e3:,.0f}" for t in times), f"{r.load_1min:.1f}"
        )
    return table
