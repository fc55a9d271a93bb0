"""Outputs that are written beside further steps: their order, what waits for them, what becomes of one that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from ptvc.errors import StorageError
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica import output_writer
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.output_writer import OutputWriter
from ptvc.replica.protocol import Append, Hydrated, Message, Progress, Status, Updates
from ptvc.supervision import Supervisor

from .support import Update, imported, install, parts, written

WAIT_S = 30.0
FAILURES: list[BaseException] = []
SUPERVISOR = Supervisor(lambda _, error: FAILURES.append(error))


def said(number: int) -> Append:
    return Append((), (("v", number),))


class Sent:
    """What was sent, in order."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    def __call__(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def numbers(self) -> list[int]:
        return [m.uppers[0][1] for m in self.messages if isinstance(m, Append)]


@pytest.fixture
def sent() -> Sent:
    return Sent()


@pytest.fixture
def writer(sent: Sent) -> Iterator[OutputWriter]:
    writer = OutputWriter(sent, SUPERVISOR)
    yield writer
    writer.close()


def settle(writer: OutputWriter) -> None:
    """Waits until all that was asked for is done."""
    done = threading.Event()
    writer.behind(done.set)
    assert done.wait(WAIT_S)


def held(gate: threading.Event, number: int) -> Callable[[], Iterator[Message]]:
    def messages() -> Iterator[Message]:
        assert gate.wait(WAIT_S)
        yield said(number)

    return messages


def test_few_rows_are_for_the_step_thread(writer: OutputWriter, sent: Sent) -> None:
    assert list(writer.write(output_writer.AT_ONCE_ROWS, lambda: iter((said(1),)))) == [said(1)]
    assert sent.messages == []


def test_whatever_comes_behind_much_stays_behind_it(writer: OutputWriter, sent: Sent) -> None:
    gate, done = threading.Event(), threading.Event()
    assert list(writer.write(10_000, held(gate, 1))) == []
    assert list(writer.write(1, lambda: iter((said(2),)))) == []
    seen: list[list[int]] = []
    writer.behind(lambda: seen.append(sent.numbers))
    assert list(writer.write(1, lambda: iter((said(3),)))) == []
    writer.behind(done.set)
    assert sent.messages == []
    gate.set()
    assert done.wait(WAIT_S)
    assert sent.numbers == [1, 2, 3]
    assert seen == [[1, 2]]
    settle(writer)
    assert list(writer.write(1, lambda: iter((said(4),)))) == [said(4)], "nothing is in front of it any more"


def test_a_step_waits_when_much_is_not_written(
    writer: OutputWriter, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output_writer, "BACKLOG_ROWS", 10_000)
    gate = threading.Event()
    list(writer.write(20_000, held(gate, 1)))  # more than there is room for, but nothing else waits
    stepping = threading.Thread(target=lambda: list(writer.write(1, held(gate, 2))))
    stepping.start()
    stepping.join(0.05)
    assert stepping.is_alive()
    gate.set()
    stepping.join(WAIT_S)
    settle(writer)
    assert sent.numbers == [1, 2]


def test_a_defect_of_the_writer_ends_the_replica(writer: OutputWriter, sent: Sent) -> None:
    def broken() -> Iterator[Message]:
        raise ValueError("a defect")

    gate = threading.Event()
    list(writer.write(10_000, held(gate, 1)))
    list(writer.write(1, broken))
    list(writer.write(1, lambda: iter((said(2),))))
    gate.set()

    def keep_writing() -> None:
        while True:
            writer.write(1, lambda: iter(()))

    with pytest.raises(ValueError, match="a defect"):
        keep_writing()
    assert sent.numbers == [1], "what comes behind would leave a gap"


def test_nothing_is_written_for_a_coordinator_that_is_gone() -> None:
    made: list[int] = []
    told, gate = threading.Event(), threading.Event()

    def gone(message: Message) -> None:
        told.set()
        assert gate.wait(WAIT_S)
        raise BrokenPipeError

    def messages(number: int) -> Iterator[Message]:
        made.append(number)
        yield said(number)

    writer = OutputWriter(gone, SUPERVISOR)
    for number in (1, 2):
        list(writer.write(10_000, partial(messages, number)))
    assert told.wait(WAIT_S)
    gate.set()
    while list(writer.write(1, lambda: iter((said(3),)))) == []:
        pass  # until nothing waits
    writer.close()
    assert made == [1]


class Broken(MemoryBlob):
    """Takes nothing of the view v once `broken`, and waits for `gate` before anything."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.broken = False

    def put(self, key: str, data: bytes) -> None:
        if key.startswith("v/"):
            assert self.gate.wait(WAIT_S)
            if self.broken:
                raise StorageError("no such luck")
        super().put(key, data)


class Stepping:
    """Two views of a table, and what the coordinator heard."""

    def __init__(self, writer: OutputWriter, sent: Sent) -> None:
        self.blob = Broken()
        self.sent = sent
        self.writer = writer
        self.dataflows = Dataflows(self.blob, "writer", writer)
        for id in ("v", "w"):
            list(self.dataflows.install(install(id, imported(self.blob, "t", as_of=10, upper=11), 0)))

    def commit(self, lower: int, upper: int, rows: int) -> None:
        updates: list[Update] = [(n, upper - 1, 1) for n in range(rows)]
        self.dataflows.receive(Progress(upper, 0, (Updates("t", lower, upper, parts(self.blob, *updates)),)))
        for message in self.dataflows.step():
            self.sent(message)

    def appends(self, id: str) -> list[Append]:
        return [m for m in self.sent.messages if isinstance(m, Append) and id in dict(m.uppers)]


def test_steps_go_on_while_outputs_are_written(writer: OutputWriter, sent: Sent) -> None:
    r = Stepping(writer, sent)
    r.commit(11, 20, 10_000)
    r.commit(20, 30, 10)
    computed = [(("v", upper), ("w", upper)) for upper in (20, 30)]
    assert r.sent.messages == [Append((), (), uppers) for uppers in computed]
    r.blob.gate.set()
    settle(writer)
    for id in ("v", "w"):
        assert [dict(append.uppers)[id] for append in r.appends(id)] == [20, 30]
        assert len(written(r.blob, r.appends(id), id)) == 10_010
    assert [m.id for m in r.sent.messages if isinstance(m, Hydrated)] == ["v", "w"]


def test_behind_an_output_that_was_lost_nothing_is_written(writer: OutputWriter, sent: Sent) -> None:
    r = Stepping(writer, sent)
    r.blob.broken = True
    r.commit(11, 20, 10_000)
    r.commit(20, 30, 10)
    r.blob.gate.set()
    settle(writer)
    r.commit(30, 31, 0)
    settle(writer)
    assert [m for m in r.sent.messages if isinstance(m, Status)] == [Status("v", "failed", "no such luck")]
    assert r.appends("v") == []
    assert len(written(r.blob, r.appends("w"), "w")) == 10_010


def test_what_was_uninstalled_is_not_written(writer: OutputWriter, sent: Sent) -> None:
    r = Stepping(writer, sent)
    r.commit(11, 20, 10_000)
    r.commit(20, 30, 10)
    r.dataflows.uninstall("w")
    r.blob.gate.set()
    settle(writer)
    assert r.appends("w") == []
    assert len(written(r.blob, r.appends("v"), "v")) == 10_010
