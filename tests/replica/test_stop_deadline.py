"""A dataflow that does not stop when it is told to ends its process; one that stops, or is not at work, does not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ptvc.compute.dataflow import Dataflow
from ptvc.interrupt import check_interrupt
from ptvc.persist.blob.memory import MemoryBlob
from ptvc.replica.dataflows import Dataflows
from ptvc.replica.stop_deadline import StopDeadline

from .support import imported, install

GRACE_S = 0.2
SOON_S = 30.0


@contextmanager
def running(deadline: StopDeadline) -> Iterator[None]:
    thread = threading.Thread(target=deadline.run)
    thread.start()
    try:
        yield
    finally:
        deadline.close()
        thread.join(SOON_S)
        assert not thread.is_alive()


@contextmanager
def stepping(monkeypatch: pytest.MonkeyPatch, step: Callable[[], None]) -> Iterator[Dataflows]:
    """A view whose step is `step`, under way in a thread of its own."""
    blob, begun = MemoryBlob(), threading.Event()
    dataflows = Dataflows(blob, "writer")
    source = imported(blob, "t", as_of=10, upper=11, snapshot=[(1, 5, 1)])
    assert not list(dataflows.install(install("v", source, 0)))

    def computed(*_: Any) -> Any:
        begun.set()
        step()
        raise AssertionError("it was to stop")

    monkeypatch.setattr(Dataflow, "_apply", computed)
    thread = threading.Thread(target=lambda: list(dataflows.step()))
    thread.start()
    assert begun.wait(SOON_S)
    yield dataflows
    thread.join(SOON_S)
    assert not thread.is_alive()


def _wait(event: threading.Event) -> None:
    assert event.wait(SOON_S)


def test_work_that_does_not_look_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = threading.Event()
    with stepping(monkeypatch, lambda: _wait(killed)) as dataflows:
        deadline = StopDeadline(dataflows.abandoned, killed.set, GRACE_S)
        with running(deadline):
            assert dataflows.abandoned() is None
            dataflows.abandon("v")
            assert dataflows.abandoned() == "v"
            deadline.begin("v")
            assert killed.wait(SOON_S)


def test_work_that_stops_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    killed = threading.Event()

    def looks() -> None:
        while not killed.wait(0.01):
            check_interrupt()

    with stepping(monkeypatch, looks) as dataflows:
        deadline = StopDeadline(dataflows.abandoned, killed.set, GRACE_S)
        with running(deadline):
            dataflows.abandon("v")
            deadline.begin("v")
            assert not killed.wait(3 * GRACE_S)
            assert dataflows.abandoned() is None


def test_who_waits_behind_another_is_none_of_its_business(monkeypatch: pytest.MonkeyPatch) -> None:
    killed, done = threading.Event(), threading.Event()
    with stepping(monkeypatch, lambda: _wait(done)) as dataflows:
        deadline = StopDeadline(dataflows.abandoned, killed.set, GRACE_S)
        with running(deadline):
            dataflows.abandon("w")
            deadline.begin("w")
            assert not killed.wait(3 * GRACE_S)
            done.set()
