"""A replica, from its end of the stream: what its threads do of each other's long work."""

from __future__ import annotations

import select
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from ptvc.compute.shared_files import LocalFiles
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.persist.column_cache import ColumnCache
from ptvc.replica import main
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.look_ups.stored_look_ups import StoredLookUps
from ptvc.replica.main import Replica
from ptvc.replica.protocol import (
    FormerInput,
    Ingest,
    Ingested,
    LookUpStored,
    Message,
    Progress,
    SinkProgress,
    Uninstall,
    Updates,
)
from ptvc.replica.protocol.connection import Connection

from .support import imported, parts
from .test_sources_and_sinks import sink, source, values

WAIT_S = 20


class Coordinator:
    """The other end."""

    def __init__(self, connection: Connection, there: socket.socket) -> None:
        self._connection, self._socket = connection, there
        self.send = connection.send

    def says_within(self, seconds: float) -> bool:
        return bool(select.select([self._socket], [], [], seconds)[0])

    def next(self, kind: type[Message], wanted: Callable[[Message], bool] = lambda _: True) -> Message:
        while (message := self._connection.receive()) is not None:
            if isinstance(message, kind) and wanted(message):
                return message
        raise AssertionError("the replica has ended")


class LongStep:
    """In which the step thread is from the first message to when it is let go."""

    def __init__(self) -> None:
        self.begun, self._may_end = threading.Event(), threading.Event()

    def __call__(self, dataflows: Dataflows) -> Iterator[Message]:
        self.begun.set()
        assert self._may_end.wait(WAIT_S)
        return iter(())

    def end(self) -> None:
        self._may_end.set()


@pytest.fixture
def step(monkeypatch: pytest.MonkeyPatch) -> LongStep:
    step = LongStep()
    monkeypatch.setattr(Dataflows, "step", lambda self: step(self))
    return step


@pytest.fixture
def blob() -> MemoryBlob:
    return MemoryBlob()


@pytest.fixture
def coordinator(step: LongStep, blob: MemoryBlob, tmp_path: Path) -> Iterator[Coordinator]:
    """A replica's, which is in a long step."""
    here, there = socket.socketpair()
    here.settimeout(WAIT_S)

    def never() -> None:
        raise AssertionError("nothing is stuck for good")

    files = LocalFiles(tmp_path / "state")
    replica = Replica(Connection(there), blob, files, ColumnCache(tmp_path / "columns"), "test", never)
    running = threading.Thread(target=replica.run)
    running.start()
    connection = Connection(here)
    try:
        connection.send(Progress(1, 0))
        assert step.begun.wait(WAIT_S)
        yield Coordinator(connection, here)
    finally:
        step.end()
        connection.close()
        running.join(WAIT_S)
        assert not running.is_alive()


def test_sources_commit_whatever_a_step_takes(
    coordinator: Coordinator, blob: MemoryBlob, tmp_path: Path
) -> None:
    file = tmp_path / "in.csv"
    file.write_text("a\n1\n")
    coordinator.send(source(file, None))
    for time in (10, 20, 30):
        assert values(blob, coordinator.next(Ingest)) == [time // 10]
        with file.open("a") as out:
            out.write(f"{time // 10 + 1}\n")
        coordinator.send(Ingested("s", time))
    assert values(blob, coordinator.next(Ingest)) == [4]


def test_a_source_that_is_far_ahead_keeps_the_pace_of_the_steps(
    coordinator: Coordinator,
    step: LongStep,
    blob: MemoryBlob,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(main, "MOST_AHEAD_BYTES", 10)
    file = tmp_path / "in.csv"
    file.write_text("a\n1\n")
    coordinator.send(source(file, None))
    coordinator.next(Ingest)
    coordinator.send(Progress(11, 0, (Updates("t", 0, 11, parts(blob, (1, 10, 1), (2, 10, 1))),)))
    coordinator.send(Ingested("s", 10))
    with file.open("a") as out:
        out.write("2\n")
    assert not coordinator.says_within(0.5), "it is told when the step has ended"
    step.end()
    assert values(blob, coordinator.next(Ingest)) == [2]


def test_sinks_write_whatever_a_step_takes(
    coordinator: Coordinator, blob: MemoryBlob, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    view = imported(blob, "v", as_of=10, upper=11, snapshot=((1, 5, 1),), timestamped=False)
    coordinator.send(sink(out, view, "debezium"))
    coordinator.next(SinkProgress, lambda now: now.upper == 11)
    committed = Updates("v", 11, 21, parts(blob, (2, 20, 1)))
    coordinator.send(Progress(21, 0, (committed,), (("v", 21),)))
    coordinator.next(SinkProgress, lambda now: now.upper == 21)
    coordinator.send(Uninstall("k"))
    assert sorted(out.iterdir()), "what it has written"


def test_an_answer_that_nobody_hears_any_more_is_no_failure(blob: MemoryBlob, tmp_path: Path) -> None:
    """The coordinator is gone between its question and the answer: the replica ends as if it had gone before."""
    here, there = socket.socketpair()
    here.settimeout(WAIT_S)
    files = LocalFiles(tmp_path / "state")
    replica = Replica(Connection(there), blob, files, ColumnCache(tmp_path / "columns"), "test", pytest.fail)
    ends: list[BaseException | None] = []

    def run() -> None:
        try:
            replica.run()
            ends.append(None)
        except BaseException as error:
            ends.append(error)

    running = threading.Thread(target=run)
    connection = Connection(here)
    try:
        here.shutdown(socket.SHUT_RD)
        connection.send(LookUpStored(1, 1, ([1],), (0,), 5, None))
        running.start()
        running.join(WAIT_S)
        assert ends == [None]
    finally:
        connection.close()


def test_what_is_installed_as_the_replica_ends_does_not_run_on(
    blob: MemoryBlob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The step thread sees first that the coordinator is gone; the reader has a sink and a source to hand on still.  The sink's target would
    stay locked for as long as it runs."""
    here, there = socket.socketpair()
    reading, may_read_on = threading.Event(), threading.Event()

    def slowly(self: StoredLookUps, message: LookUpStored) -> None:
        reading.set()
        assert may_read_on.wait(WAIT_S)

    monkeypatch.setattr(StoredLookUps, "receive", slowly)
    files = LocalFiles(tmp_path / "state")
    replica = Replica(Connection(there), blob, files, ColumnCache(tmp_path / "columns"), "test", pytest.fail)
    running = threading.Thread(target=replica.run)
    connection = Connection(here)
    file = tmp_path / "in.csv"
    file.touch()
    view = imported(blob, "v", as_of=10, upper=11, snapshot=((1, 5, 1),), timestamped=False)
    former = FormerInput(view, 0, 100)  # its target may show it up to then, so that it waits
    for message in (
        LookUpStored(1, 1, ([1],), (0,), 5, None),
        replace(sink(tmp_path / "out", view, "none"), formers=(former,)),
        source(file, None),
    ):
        connection.send(message)
    others = set(threading.enumerate())
    running.start()
    assert reading.wait(WAIT_S)
    connection.close()
    replica._inbox.put(None)  # as where it cannot send what it has computed
    running.join(WAIT_S)
    assert not running.is_alive()
    (reader,) = (thread for thread in set(threading.enumerate()) - others if thread.name == "reader")
    may_read_on.set()
    reader.join(WAIT_S)
    left = {thread.name for thread in set(threading.enumerate()) - others}
    assert not {name for name in left if name.startswith(("sink", "source"))}
