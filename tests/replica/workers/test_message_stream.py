"""Messages between two workers beside the steps: each is received once, however its bytes come."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from time import monotonic

import pytest
from ptvc.replica.workers.message_stream import MessageStream

WAIT_S = 20


@pytest.fixture
def ends() -> Iterator[tuple[MessageStream, MessageStream]]:
    one, other = (MessageStream(end, threading.Event()) for end in socket.socketpair())
    yield one, other
    one.close()
    other.close()


def test_messages_that_come_together(ends: tuple[MessageStream, MessageStream]) -> None:
    one, other = ends
    sent = ["", "a", b"b" * 100, ("c", 1), b"d" * 50_000, None]
    for message in sent:
        one.send(message)
    assert [other.receive(monotonic() + WAIT_S) for _ in sent] == sent
    with pytest.raises(TimeoutError):
        other.receive(monotonic())


def test_what_has_come_of_one_stays() -> None:
    """In whatever pieces it comes, and although nobody waits for the rest."""
    message = ("a", b"b" * 100)
    sender, came = socket.socketpair()
    one = MessageStream(sender, threading.Event())
    one.send(message)
    sent = came.recv(1 << 16)
    there, here = socket.socketpair()
    other = MessageStream(here, threading.Event())
    for piece in (sent[:3], sent[3:20], sent[20:-1]):
        there.sendall(piece)
        with pytest.raises(TimeoutError):
            other.receive(monotonic())
    there.sendall(sent[-1:])
    assert other.receive(monotonic() + WAIT_S) == message
    for end in (one, other, came, there):
        end.close()


def test_the_other_end_is_gone(ends: tuple[MessageStream, MessageStream]) -> None:
    one, other = ends
    one.send("last")
    one.close()
    assert other.receive() == "last"
    with pytest.raises(EOFError):
        other.receive()


def test_nothing_is_waited_for_at_the_end() -> None:
    here, there = socket.socketpair()
    ending = threading.Event()
    stream = MessageStream(here, ending)
    threading.Timer(0.2, ending.set).start()
    with pytest.raises(EOFError):
        stream.receive(monotonic() + WAIT_S)
    stream.close()
    there.close()
