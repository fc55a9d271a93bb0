"""Who comes in at a worker's door: those who are awaited, and know the secret."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import pytest
from ptvc.compute.partitioned.one_step import WorkerLost
from ptvc.replica.protocol import Hello, Refused, TcpAddress, dial_tls
from ptvc.replica.workers import doors as module
from ptvc.replica.workers.doors import Door, Membership
from ptvc.replica.workers.tls_wire import TlsWire

MEMBERSHIP = Membership("c1-r1", 5, 9, b"s" * 32)
HELLO = Hello("1", 5, 9, 0)


@pytest.fixture
def door() -> Iterator[Door]:
    door = Door("127.0.0.1")
    yield door
    door.close()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def admitting(pool: ThreadPoolExecutor, door: Door, *names: str) -> Future[dict[str, TlsWire]]:
    return pool.submit(door.admit, names, MEMBERSHIP)


def close_all(streams: dict[str, TlsWire]) -> None:
    for stream in streams.values():
        stream.close()


@pytest.mark.parametrize(
    ("hello", "secret"),
    [
        (HELLO, b"t" * 32),
        (Hello("2", 5, 9, 0), MEMBERSHIP.secret),
        (Hello("1", 4, 9, 0), MEMBERSHIP.secret),
        (Hello("1", 5, 8, 0), MEMBERSHIP.secret),
        (Hello("", 5, 9, 0), MEMBERSHIP.secret),
    ],
    ids=["another secret", "a worker that is not awaited", "another epoch", "another attempt", "no name"],
)
def test_who_is_refused(door: Door, pool: ThreadPoolExecutor, hello: Hello, secret: bytes) -> None:
    """And whoever is awaited comes in after them."""
    coming = admitting(pool, door, "1")
    with pytest.raises(Refused, match="has closed the connection"):
        dial_tls(door.address, hello, secret, TlsWire)
    with dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire):
        found = coming.result()
    assert found.keys() == {"1"}
    close_all(found)


def test_nobody_comes_in_twice(door: Door, pool: ThreadPoolExecutor) -> None:
    coming = admitting(pool, door, "1", "2")
    with dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire):
        with pytest.raises(Refused):
            dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire)
        with dial_tls(door.address, Hello("2", 5, 9, 0), MEMBERSHIP.secret, TlsWire):
            close_all(coming.result())


def test_who_shows_another_certificate_is_told_nothing(door: Door, pool: ThreadPoolExecutor) -> None:
    coming = admitting(pool, door, "1")
    between = TcpAddress(door.address.host, door.address.port, bytes(32))
    with pytest.raises(Refused, match="does not show the certificate"):
        dial_tls(between, HELLO, MEMBERSHIP.secret, TlsWire)
    with dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire):
        close_all(coming.result())


def test_who_says_nothing_keeps_nobody_out(
    door: Door, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_STRANGERS", 5)
    monkeypatch.setattr(module, "MOST_OF_ONE", 5)
    coming = admitting(pool, door, "1")
    address = door.address.host, door.address.port
    silent = [socket.create_connection(address, 10) for _ in range(20)]
    silent[-1].sendall(b"GET / HTTP/1.1\r\n\r\n")
    with dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire):
        close_all(coming.result())
    for stream in silent:
        stream.settimeout(10)
        with suppress(ConnectionError):
            assert len(stream.recv(100)) < 100, "an alert of TLS, or nothing: it was closed"
        stream.close()


def test_who_says_nothing_for_long_is_closed(
    door: Door, pool: ThreadPoolExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "HANDSHAKE_S", 0.2)
    monkeypatch.setattr(module, "MEET_WITHIN_S", 5.0)
    coming = admitting(pool, door, "1")
    with socket.create_connection((door.address.host, door.address.port), 10) as silent:
        assert silent.recv(1) == b""
    with pytest.raises(WorkerLost, match="worker 1 does not come"):
        coming.result()


def test_a_door_is_closed_once_all_are_there(door: Door, pool: ThreadPoolExecutor) -> None:
    coming = admitting(pool, door, "1")
    with dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire):
        close_all(coming.result())
        with pytest.raises(ConnectionRefusedError):
            dial_tls(door.address, HELLO, MEMBERSHIP.secret, TlsWire)
