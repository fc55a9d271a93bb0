"""Framing: messages cross a real socket whole, in order, from any thread; every end is noticed."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from ptvc.compute.lower import lower
from ptvc.compute.partitioned.totals import PartStatistics, WorkerStatistics
from ptvc.expr.tree.relation import Aggregate, Filter, Get, Reduce
from ptvc.expr.tree.scalar import Call, ColumnRef, Literal
from ptvc.persist.key_search import KeySearch
from ptvc.persist.part import PartRef
from ptvc.replica.protocol import (
    CancelPeek,
    Connection,
    DataflowStatistics,
    Hello,
    Import,
    Incoming,
    Outbox,
    Peek,
    PeekIndex,
    PeekRows,
    Progress,
    ReplicaProcesses,
    RunJob,
    SinkProgress,
    UnixAddress,
    Updates,
    decode,
    dial,
    encode,
)
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, INT4, INT8, NUMERIC, array_of


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        server.listen()
        yield server


def connected(listener: socket.socket) -> tuple[Connection, socket.socket]:
    stream = socket.socket(socket.AF_UNIX)
    stream.connect(listener.getsockname())
    peer, _ = listener.accept()
    return Connection(stream), peer


def test_messages_arrive_in_order_however_they_are_cut(listener: socket.socket) -> None:
    connection, peer = connected(listener)
    with peer:
        messages = [Progress(i, i, (), (("v" * (i * 997 % 4096), i),)) for i in range(50)]
        data = b"".join(piece for message in messages for piece in encode(message))

        def drip() -> None:
            for start in range(0, len(data), 777):
                peer.sendall(data[start : start + 777])

        thread = threading.Thread(target=drip)
        thread.start()
        assert [connection.receive() for _ in messages] == messages
        thread.join()
    assert connection.receive() is None
    connection.close()


def test_messages_hold_what_they_held() -> None:
    schema = Schema((Column("a", INT4, False), Column("b", array_of(NUMERIC))))
    relation = Reduce(
        Filter(Get("u1", schema), (Call("eq", (ColumnRef(0, INT4, False), Literal(7, INT4)), BOOL),)),
        (ColumnRef(0, INT4),),
        ("a",),
        (Aggregate("count", None, INT8, "n", direct=(Literal([Decimal("1.50")], array_of(NUMERIC)),)),),
    )
    part = PartRef("u1", "arrow", b"rows", None, 3, 0, 4, 0, 4, 99)
    source = Import("u1", "u1", schema, True, 4, (part,), (part, part), 9)
    for message in (
        Peek(1, relation, 4, (source,)),
        PeekIndex(2, "u2", b"keys", relation, 4),
        PeekIndex(3, "u2", b"keys", (1, 0), 4, consolidated=True),
        CancelPeek(3),
        DataflowStatistics("u1", (), (PartStatistics(1, 2, 3, 4, 0.5, 0.25, 5, 6, 7),)),
        ReplicaProcesses((WorkerStatistics(1, 0.5, None, 2, 3), WorkerStatistics(4, 0.5, 6, 7, 8))),
        RunJob(1, None, lower(relation), 4, (source,), None, (0,), None, "x", 2),
    ):
        data = b"".join(encode(message))
        (length,) = struct.unpack(">I", data[:4])
        assert len(data) == 4 + length
        assert decode(data[4:]) == message


@pytest.mark.parametrize("count", [8_191, 8_192, 100_000])
def test_many_hashes(count: int) -> None:
    """Arrays of numpy of 64 kB and more."""
    hashes = np.arange(count, dtype=np.uint64)
    message = KeySearch((0,), hashes)
    header, *_ = pieces = encode(message)
    data = b"".join(pieces)
    assert struct.unpack(">I", header[:4]) == (len(data) - 4,)
    found = decode(data[4:])
    assert found.columns == (0,)
    assert (found.hashes == hashes).all()


def test_a_large_message(listener: socket.socket) -> None:
    connection, peer = connected(listener)
    part = PartRef("s1", "inline", bytes(range(256)) * 20_000, None, 1, 0, 1, 1, 1, 0)
    message = Progress(1, 1, (Updates("u1", 0, 1, (part, part)),), (("x" * (5 << 20), 1),))
    pieces = encode(message)
    assert any(piece is part.inline for piece in pieces)
    thread = threading.Thread(target=lambda: [peer.sendall(piece) for piece in pieces])
    thread.start()
    assert connection.receive() == message
    thread.join()
    peer.close()
    assert connection.receive() is None
    connection.close()


@pytest.mark.parametrize("cut", [0, 2, 4, 10])
def test_an_end_within_a_message(listener: socket.socket, cut: int) -> None:
    connection, peer = connected(listener)
    peer.sendall(b"".join(encode(CancelPeek(1)))[:cut])
    peer.close()
    assert connection.receive() is None
    connection.close()


def test_threads_send_whole_messages(listener: socket.socket) -> None:
    connection, peer = connected(listener)

    def send(thread: int) -> None:
        for i in range(100):
            connection.send(SinkProgress("c" * 3000, thread, i))

    threads = [threading.Thread(target=send, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()

    async def collect() -> list[SinkProgress]:
        reader, writer = await asyncio.open_connection(sock=peer)
        try:
            incoming = Incoming(reader)
            return [await incoming.receive() for _ in range(400)]
        finally:
            writer.close()
            await writer.wait_closed()

    received = asyncio.run(collect())
    for thread in threads:
        thread.join()
    for n in range(4):
        assert [said.generation for said in received if said.upper == n] == list(range(100))
    connection.close()
    assert connection.receive() is None


def test_a_closed_connection_raises_for_senders_and_ends_for_the_receiver(listener: socket.socket) -> None:
    connection, peer = connected(listener)
    got: list[object] = []
    thread = threading.Thread(target=lambda: got.append(connection.receive()))
    thread.start()
    connection.close()
    thread.join(60)
    assert got == [None]
    with pytest.raises(ConnectionError):
        connection.send(CancelPeek(1))
    connection.close()
    peer.close()


def test_a_refused_connection_leaves_nothing_open(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        dial(UnixAddress(str(tmp_path / "nobody")), Hello("c1", 1, 1, 1), b"")


def test_the_coordinators_side_notices_a_cut(listener: socket.socket) -> None:
    connection, peer = connected(listener)

    async def read() -> object:
        reader, writer = await asyncio.open_connection(sock=peer)
        try:
            return await Incoming(reader).receive()
        finally:
            writer.close()
            await writer.wait_closed()

    connection.close()
    assert asyncio.run(read()) is None
    assert connection.receive() is None


def test_what_the_coordinator_sends_leaves_in_order_and_as_the_other_end_takes_it(
    listener: socket.socket,
) -> None:
    connection, peer = connected(listener)
    messages = [PeekRows(1, b"x" * size, False) for size in (1, 8 << 20, 2, 3 << 20, 3)]

    async def send() -> int:
        _, writer = await asyncio.open_connection(sock=peer)
        running: set[asyncio.Future[None]] = set()
        outbox = Outbox(writer, lambda work: running.add(asyncio.ensure_future(work)))
        for message in messages:
            outbox.send(message)
        await asyncio.sleep(0.05)
        buffered = writer.transport.get_write_buffer_size()  # nothing has been read
        reading = asyncio.get_running_loop().run_in_executor(
            None, lambda: [connection.receive() for _ in messages]
        )
        assert await reading == messages
        await asyncio.gather(*running)
        outbox.send(CancelPeek(1))  # it goes on
        outbox.close()
        return buffered

    assert asyncio.run(send()) < 1 << 20
    assert connection.receive() == CancelPeek(1)
    connection.close()


def test_closing_drops_what_waits_to_be_sent(listener: socket.socket) -> None:
    connection, peer = connected(listener)

    async def send() -> None:
        _, writer = await asyncio.open_connection(sock=peer)
        running: set[asyncio.Future[None]] = set()
        outbox = Outbox(writer, lambda work: running.add(asyncio.ensure_future(work)))
        outbox.send(PeekRows(1, b"x" * (8 << 20), False))
        await asyncio.sleep(0.05)
        writer.transport.abort()
        outbox.close()
        await asyncio.wait_for(asyncio.gather(*running), 10)  # no exception, and an end

    asyncio.run(send())
    assert connection.receive() is None
    connection.close()
