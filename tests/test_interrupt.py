"""Cancellation by an interrupt that another thread sets."""

from __future__ import annotations

import threading

import pytest
from ptvc.errors import MemoryLimitExceeded, QueryCanceled
from ptvc.interrupt import Interrupt, check_interrupt, current_interrupt, interruptible


def test_work_outside_is_never_stopped() -> None:
    Interrupt().set()
    check_interrupt()
    assert current_interrupt() is None


def test_another_thread_ends_the_work_with_its_error() -> None:
    interrupt = Interrupt()
    begun = threading.Event()
    ended: list[str] = []

    def work() -> None:
        with interruptible(interrupt):
            begun.set()
            try:
                while True:
                    check_interrupt()
            except MemoryLimitExceeded as error:
                ended.append(error.message)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    interrupt.set(MemoryLimitExceeded("too much"))
    interrupt.set()  # the first one stays
    thread.join(10)
    assert ended == ["too much"]


def test_the_innermost_interrupt_counts() -> None:
    outer, inner = Interrupt(), Interrupt()
    with interruptible(outer):
        outer.set()
        with interruptible(inner):
            check_interrupt()
        with interruptible(None):
            check_interrupt()
        with pytest.raises(QueryCanceled, match="due to user request"):
            check_interrupt()
    check_interrupt()
