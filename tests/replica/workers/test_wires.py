"""Messages between workers: whole, in order, and never stuck."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from ptvc.compute.partitioned.messages import Aborted, Message, Rows
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.compute.partitioned.row_format import from_buffer, to_buffer
from ptvc.replica.workers.wires import Wires, encoded
from ptvc.repr.batch import Batch
from ptvc.repr.schema import Column, Schema
from ptvc.repr.types import BOOL, INT4, INT8, TEXT, Kind, ScalarType

WAIT_S = 60.0


@contextmanager
def connected(workers: int) -> Iterator[list[Wires]]:
    streams: list[dict[int, socket.socket]] = [{} for _ in range(workers)]
    for one, other in combinations(range(workers), 2):
        streams[one][other], streams[other][one] = socket.socketpair()
    made = [Wires(theirs) for theirs in streams]
    try:
        yield made
    finally:
        for wires in made:
            wires.close()


def received(wires: Wires) -> tuple[int, Message]:
    found = wires.receive(WAIT_S)
    assert found is not None
    return found


def test_messages_of_any_size_arrive_in_order() -> None:
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


def test_all_may_send_much_to_all_at_once() -> None:
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


def test_what_is_collected_is_still_to_be_received() -> None:
    with connected(2) as (one, other):
        one.send(1, Aborted(1))
        one.send(1, Aborted(2))
        one.flush()
        assert Aborted(1) in other.collect()
        assert [received(other)[1] for _ in range(2)] == [Aborted(1), Aborted(2)]


def test_what_is_sent_and_waited_for_is_counted() -> None:
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


def test_a_worker_that_has_ended_is_lost() -> None:
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
