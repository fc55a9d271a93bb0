"""Messages between workers: whole, in order, and never stuck."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from itertools import combinations
from threading import Event

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.partitioned.messages import Aborted, Message, Rows
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.partitioned.row_format import Repeated, from_buffer, to_buffer
from ptvc.replica.protocol import Hello, dial_tls
from ptvc.replica.workers import wires as module
from ptvc.replica.workers.doors import Door, Membership
from ptvc.replica.workers.tls_wire import TlsWire
from ptvc.replica.workers.wires import Wires, WorkerSilent, decoded, encoded
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, INT4, INT8, TEXT, Kind, ScalarType

WAIT_S = 60.0

Stream = socket.socket | TlsWire
Connected = Callable[[int], AbstractContextManager[list[Wires]]]


@pytest.fixture(params=["beside each other", "on other machines"])
def connected(request: pytest.FixtureRequest) -> Connected:
    """The wires of so many workers."""
    return connected_by(socket.socketpair if request.param == "beside each other" else secured)


def secured() -> tuple[TlsWire, TlsWire]:
    """The two ends of a way between machines."""
    membership = Membership("c1-r1", 1, 1, b"secret")
    door = Door("127.0.0.1")
    with ThreadPoolExecutor(1) as pool:
        admitted = pool.submit(door.admit, ["1"], membership)
        dialed = dial_tls(door.address, Hello("1", 1, 1, 0), membership.secret, TlsWire)
        return dialed, admitted.result()["1"]


def connected_by(pair: Callable[[], tuple[Stream, Stream]]) -> Connected:
    @contextmanager
    def connected(workers: int) -> Iterator[list[Wires]]:
        streams: list[dict[int, Stream]] = [{} for _ in range(workers)]
        for one, other in combinations(range(workers), 2):
            streams[one][other], streams[other][one] = pair()
        with _closed([Wires(theirs) for theirs in streams]) as made:
            yield made

    return connected


@contextmanager
def _closed(made: list[Wires]) -> Iterator[list[Wires]]:
    try:
        yield made
    finally:
        for wires in made:
            wires.close()


def received(wires: Wires) -> tuple[int, Message]:
    found = wires.receive(WAIT_S)
    assert found is not None
    return found


def test_messages_of_any_size_arrive_in_order(connected: Connected) -> None:
    sizes = [0, 1, 63, 64, 65, 5_000_000, 0, 7]
    with connected(2) as (one, other):
        for step, size in enumerate(sizes):
            one.send(1, Rows(step, size, ((3, pa.py_buffer(b"x" * size)),)))
        sender = threading.Thread(target=one.flush)
        sender.start()
        for step, size in enumerate(sizes):
            worker, message = received(other)
            assert (worker, message) == (0, Rows(step, size, ((3, pa.py_buffer(b"x" * size)),)))
        sender.join(WAIT_S)
        assert other.receive(0.0) is None


def test_all_may_send_much_to_all_at_once(connected: Connected) -> None:
    """Each writes more than sockets hold before it reads: whoever waits for room reads."""
    workers, payload = 4, pa.py_buffer(bytes(3_000_000))
    got: dict[int, list[int]] = {}

    def run(here: int, wires: Wires) -> None:
        for other in range(workers):
            if other != here:
                wires.send(other, Rows(1, here, ((0, payload),)))
        wires.flush()
        got[here] = sorted(received(wires)[0] for _ in range(workers - 1))

    with connected(workers) as made:
        threads = [threading.Thread(target=run, args=(here, wires)) for here, wires in enumerate(made)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(WAIT_S)
    assert got == {here: [other for other in range(workers) if other != here] for here in range(workers)}


def test_what_is_collected_is_still_to_be_received(connected: Connected) -> None:
    with connected(2) as (one, other):
        one.send(1, Aborted(1))
        one.send(1, Aborted(2))
        one.flush()
        assert Aborted(1) in other.collect()
        assert [received(other)[1] for _ in range(2)] == [Aborted(1), Aborted(2)]


def test_what_is_sent_and_waited_for_is_counted(connected: Connected) -> None:
    with connected(2) as (one, other):
        for step in range(3):
            one.send(1, Aborted(step))
        one.flush()
        assert one.messages == 3
        assert (one.nbytes, other.nbytes, other.messages) == (
            sum(len(piece) for step in range(3) for piece in encoded(Aborted(step))),
            0,
            0,
        )
        for step in range(3):
            assert received(other)[1] == Aborted(step)
        waited = other.waited_s
        assert other.receive(0.05) is None
        assert other.waited_s - waited >= 0.049


def test_a_worker_that_has_ended_is_lost(connected: Connected) -> None:
    with connected(3) as (one, other, third):
        third.send(0, Aborted(5))
        third.flush()
        third.close()
        assert received(one) == (2, Aborted(5)), "what it had said is there"
        with pytest.raises(WorkerLost, match="worker 2"):
            one.receive(WAIT_S)
        other.send(2, Rows(1, 0, ((0, pa.py_buffer(bytes(1_000_000))),)))
        with pytest.raises(WorkerLost, match="worker 2"):
            other.flush()


def test_who_is_there_is_heard_of_in_the_middle_of_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    """What says so comes between messages only, be they large, and counts for nothing else."""
    monkeypatch.setattr(module, "KEEPALIVE_S", 0.001)
    monkeypatch.setattr(module, "SILENCE_S", 2.0)
    with connected_by(secured)(2) as (one, other):
        payload = pa.py_buffer(bytes(10_000_000))
        sender = threading.Thread(target=lambda: [send_one(one, 1, step, payload) for step in range(3)])
        sender.start()
        for step in range(3):
            Event().wait(0.1)  # it computes, and reads nothing
            assert received(other) == (0, Rows(step, 0, ((0, payload),)))
        sender.join(WAIT_S)
        Event().wait(2.5)
        assert other.receive(0.0) is None, "nobody is lost who was not looked at"


def test_nothing_comes_in_the_middle_of_a_message(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slowly it is read: there is room for little nearly all the time."""
    monkeypatch.setattr(module, "KEEPALIVE_S", 0.001)
    near, far = secured()
    wires = Wires({1: near})
    payload = pa.py_buffer(b"x" * 16_000_000)
    whole = b"".join(encoded(Rows(1, 0, ((0, payload),))))
    sender = threading.Thread(target=send_one, args=(wires, 1, 1, payload))
    sender.start()
    found = bytearray()
    while len(found) < len(whole):
        found += far.recv(1 << 16)
        if not any(found):  # what says that it is there is zeros
            found.clear()
        Event().wait(0.001)
    assert bytes(found.lstrip(b"\0")) == whole[: len(found.lstrip(b"\0"))]
    sender.join(WAIT_S)
    wires.close()
    far.close()


def send_one(wires: Wires, to: int, step: int, payload: pa.Buffer) -> None:
    wires.send(to, Rows(step, 0, ((0, payload),)))
    wires.flush()


def test_who_says_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody has closed anything: the machine has vanished."""
    monkeypatch.setattr(module, "KEEPALIVE_S", 0.05)
    monkeypatch.setattr(module, "SILENCE_S", 0.5)
    near, far = secured()
    wires = Wires({1: near})
    try:
        with pytest.raises(WorkerSilent, match="nothing has come from worker 1") as lost:
            wires.next()
        assert lost.value.worker == 1
        wires.send(1, Rows(1, 0, ((0, pa.py_buffer(bytes(50_000_000))),)))
        with pytest.raises(WorkerSilent):
            wires.flush()
    finally:
        wires.close()
        far.close()


def test_what_was_changed_on_the_way_ends_it() -> None:
    near, far = secured()
    wires = Wires({1: near})
    raw = socket.socket(fileno=os.dup(far.fileno()))
    try:
        raw.sendall(b"\x17\x03\x03\x00\x20" + bytes(32))
        with pytest.raises(WorkerLost):
            wires.next()
    finally:
        raw.close()
        wires.close()
        far.close()


def test_rows_keep_their_types_times_and_diffs() -> None:
    schema = Schema(
        tuple(
            Column(f"c{i}", type_)
            for i, type_ in enumerate((INT4, INT8, TEXT, BOOL, ScalarType(Kind.NUMERIC, 10, 2)))
        )
    )
    columns = (
        pa.array([1, None, 3], pa.int32()),
        pa.array([None, 5, 2**62]),
        pa.array(["", None, "ä" * 100]),
        pa.array([True, None, False]),
        pa.array([None, "1.50", "-2.00"]).cast(pa.decimal128(10, 2)),
    )
    batch = Batch(columns, np.array([1, 2**63, 3], np.uint64), np.array([-1, 1, 7]))
    for some in (batch, batch.slice(1, 3), batch.slice(0, 0)):
        back = from_buffer(schema, to_buffer(schema, some))
        assert [c.to_pylist() for c in back.columns] == [c.to_pylist() for c in some.columns]
        assert back.times.tolist() == some.times.tolist()
        assert back.diffs.tolist() == some.diffs.tolist()


def test_times_that_are_all_one_cross_as_well() -> None:
    times = np.broadcast_to(np.array([9], np.uint64), (2_000,))
    batch = Batch((), times, np.ones(2_000, np.int64))
    back = from_buffer(Schema(()), to_buffer(Schema(()), batch))
    assert len(back) == 2_000
    assert set(back.times.tolist()) == {9}


@pytest.mark.parametrize(("one_time", "one_diff"), [(True, True), (True, False), (False, True)])
def test_what_all_rows_have_crosses_once(one_time: bool, one_diff: bool) -> None:
    rows = 2_000
    counted = np.arange(rows)
    times = np.full(rows, 2**63, np.uint64) if one_time else counted.astype(np.uint64)
    diffs = np.full(rows, -1) if one_diff else counted - 7
    batch = Batch((pa.array(counted),), times, diffs)
    schema = Schema((Column("a", INT8, True),))
    crossed = decoded(b"".join(encoded(Rows(1, 1, ((0, to_buffer(schema, batch)),)))))
    assert isinstance(crossed, Rows)
    ((_, piece),) = crossed.pieces
    assert isinstance(piece, Repeated)
    assert piece.buffer.size < (3 - one_time - one_diff) * 8 * rows + 1_000
    back = from_buffer(schema, piece)
    assert back.columns == batch.columns
    assert (back.times == times).all()
    assert (back.diffs == diffs).all()
