"""The control listener over real sockets: who comes in, who does not, and what either may cost."""

from __future__ import annotations

import asyncio
import socket
import ssl
import threading
from collections.abc import Awaitable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from time import monotonic
from typing import Any

import pytest
from ptvc.coord.controller import control_listener
from ptvc.coord.controller.control_listener import ControlListener
from ptvc.directory import new_secret
from ptvc.memory import resident_memory
from ptvc.replica.protocol import (
    CHALLENGE_BYTES,
    DRIVER,
    PROOF_BYTES,
    CancelPeek,
    Connection,
    ControlAddress,
    Dialing,
    Hello,
    Incoming,
    Outbox,
    PeekRows,
    Refused,
    TcpAddress,
    UnixAddress,
    connection,
    dial,
    encode,
    tls_stream,
)
from ptvc.supervision import Supervisor

WAIT_S = 60.0
SECRET = new_secret()
HELLO = Hello("c1-r1", 1, 1, 1)


class Served:
    """A listener on a loop of its own that sends back every message; `failures` are what its owner would have ended for."""

    def __init__(self, directory: Path, network: tuple[str, int] | None, **limits: int) -> None:
        self.failures: list[BaseException] = []
        self.served: list[Hello] = []
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        self._thread.start()
        supervisor = Supervisor(lambda _, error: self.failures.append(error))

        def failed(_: str, error: BaseException) -> None:
            self.failures.append(error)

        async def opened() -> str:
            self.listener = ControlListener(
                directory,
                network,
                lambda hello: SECRET if hello.name in ("c1-r1", DRIVER) else None,
                self._serve,
                lambda work: supervisor.run("work", work),
                failed,
                **limits,
            )
            return await self.listener.open()

        self.unix = UnixAddress(self.run(opened()))
        self.address: ControlAddress = self.listener.for_replicas

    def run(self, work: Awaitable[Any]) -> Any:
        async def whole() -> Any:
            return await work

        return asyncio.run_coroutine_threadsafe(whole(), self.loop).result(WAIT_S)

    async def _serve(self, hello: Hello, incoming: Incoming, outbox: Outbox) -> None:
        self.served.append(hello)
        while (message := await incoming.receive()) is not None:
            outbox.send(message)

    async def _ended(self) -> None:
        self.listener.close()
        await asyncio.sleep(0.05)
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def close(self) -> None:
        self.run(self._ended())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join(WAIT_S)
        self.loop.close()


NETWORKS = {"unix": None, "tcp": ("127.0.0.1", 0)}


@contextmanager
def serving(directory: Path, network: str, **limits: int) -> Iterator[Served]:
    made = Served(directory, NETWORKS[network], **limits)
    yield made
    made.close()
    assert made.failures == []


@pytest.fixture(params=list(NETWORKS))
def served(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, request.param) as made:
        yield made


@pytest.fixture
def over_tcp(tmp_path: Path) -> Iterator[Served]:
    with serving(tmp_path, "tcp") as made:
        yield made


def plain_tcp(address: ControlAddress, source: str = "127.0.0.1") -> socket.socket:
    """A socket that says nothing, not even of TLS."""
    assert isinstance(address, TcpAddress)
    return socket.create_connection((address.host, address.port), WAIT_S, (source, 0))


def stranger(address: ControlAddress, source: str = "127.0.0.1") -> Any:
    """A socket that was accepted, and TLS on it where it is asked for."""
    if isinstance(address, UnixAddress):
        plain = socket.socket(socket.AF_UNIX)
        plain.settimeout(WAIT_S)
        plain.connect(address.path)
        return plain
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context.wrap_socket(plain_tcp(address, source))


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


def hang_up(dialed: Connection) -> None:
    dialed.close()
    assert dialed.receive() is None


def hears_the_end(sock: Any) -> bytes:
    """What comes until the other end closes."""
    heard = b""
    try:
        while piece := sock.recv(1 << 16):
            heard += piece
    except (ConnectionError, ssl.SSLError):
        pass
    sock.close()
    return heard


def test_messages_go_both_ways(served: Served) -> None:
    dialed = dial(served.address, HELLO, SECRET)
    for message in (CancelPeek(1), PeekRows(1, b"x" * (9 << 20), False), CancelPeek(2)):
        thread = threading.Thread(target=dialed.send, args=(message,))
        thread.start()
        assert dialed.receive() == message
        thread.join()
    assert served.served == [HELLO]
    hang_up(dialed)


def test_several_threads_send_while_one_receives(served: Served) -> None:
    dialed = dial(served.address, HELLO, SECRET)

    def send(thread: int) -> None:
        for number in range(200):
            dialed.send(PeekRows(thread, number.to_bytes(4, "big") * (number * 50), False))

    threads = [threading.Thread(target=send, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    heard: dict[int, list[int]] = {0: [], 1: [], 2: []}
    for _ in range(600):
        message = dialed.receive()
        assert message is not None
        heard[message.peek_id].append(len(message.payload))
    assert all(sizes == [number * 200 for number in range(200)] for sizes in heard.values())
    hang_up(dialed)


@pytest.mark.parametrize("hello", [HELLO, Hello("c1-r2", 1, 1, 1)])
def test_who_does_not_know_the_secret_is_refused(served: Served, hello: Hello) -> None:
    with pytest.raises(Refused):
        dial(served.address, hello, new_secret())
    assert served.served == []


def test_the_driver_comes_in_on_the_unix_socket_only(over_tcp: Served) -> None:
    driver = Hello(DRIVER, 0, 0, 1)
    with pytest.raises(Refused):
        dial(over_tcp.address, driver, SECRET)
    hang_up(dial(over_tcp.unix, driver, SECRET))


def test_another_certificate_is_not_taken(over_tcp: Served) -> None:
    assert isinstance(over_tcp.address, TcpAddress)
    with pytest.raises(Refused, match="does not show the certificate"):
        dial(replace(over_tcp.address, certificate=b"\0" * 32), HELLO, SECRET)
    assert over_tcp.served == []


def test_what_is_not_tls_1_3_is_refused(over_tcp: Served) -> None:
    assert isinstance(over_tcp.address, TcpAddress)
    where = (over_tcp.address.host, over_tcp.address.port)
    plain = socket.create_connection(where, WAIT_S)
    plain.sendall(b"GET / HTTP/1.1\r\n\r\n")
    assert b"ptvc" not in hears_the_end(plain)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    with socket.create_connection(where, WAIT_S) as old, pytest.raises(ssl.SSLError):
        context.wrap_socket(old)
    hang_up(dial(over_tcp.address, HELLO, SECRET))


def test_silence_and_a_hello_without_an_end_are_closed_soon(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        control_listener, "HANDSHAKE_S", 2.0
    )  # TLS has to be over before, on a busy machine, too
    begun = monotonic()
    socks = [stranger(served.address) for _ in range(3)]
    for sock, said in zip(socks, (b"", b"x", b"\0" * 60), strict=True):
        sock.sendall(said)
    for sock in socks:
        assert len(hears_the_end(sock)) == CHALLENGE_BYTES
    assert monotonic() - begun < 20
    monkeypatch.undo()
    hang_up(dial(served.address, HELLO, SECRET))


def hears_the_challenge(address: ControlAddress, source: str = "127.0.0.1") -> Any:
    """A stranger that ends its TLS handshake, and says nothing."""
    sock = stranger(address, source)
    assert len(sock.recv(CHALLENGE_BYTES)) == CHALLENGE_BYTES
    return sock


def is_open(sock: Any) -> bool:
    sock.settimeout(0.2)
    try:
        return bool(sock.recv(1))
    except TimeoutError:
        return True
    except (ConnectionError, ssl.SSLError):
        return False


@pytest.mark.parametrize("network", NETWORKS)
def test_one_stranger_more_ends_the_oldest(tmp_path: Path, network: str) -> None:
    with serving(tmp_path, network, most_strangers=3) as served:
        oldest, *others = [hears_the_challenge(served.address) for _ in range(3)]
        others.append(hears_the_challenge(served.address))
        assert hears_the_end(oldest) == b""
        assert all(is_open(sock) for sock in others)
        for sock in others:
            sock.close()


@pytest.mark.parametrize("network", NETWORKS)
def test_who_says_nothing_keeps_nobody_out(tmp_path: Path, network: str) -> None:
    with serving(tmp_path, network, most_strangers=4) as served:
        silent = [hears_the_challenge(served.address) for _ in range(6)]
        dialed = [dial(served.address, replace(HELLO, attempt=attempt), SECRET) for attempt in range(6)]
        silent += [hears_the_challenge(served.address) for _ in range(6)]
        for end in dialed:  # who has proven it makes no way any more
            end.send(CancelPeek(1))
            assert end.receive() == CancelPeek(1)
            hang_up(end)
        for sock in silent:
            sock.close()


def test_an_address_that_is_full_loses_its_own(tmp_path: Path) -> None:
    with serving(tmp_path, "tcp", most_strangers=6, most_of_one=3) as served:
        alone = hears_the_challenge(served.address, "127.0.0.2")
        crowd = [hears_the_challenge(served.address) for _ in range(10)]
        assert [is_open(sock) for sock in crowd] == [False] * 7 + [True] * 3
        assert is_open(alone)
        for sock in (alone, *crowd):
            sock.close()


def test_strangers_are_counted_before_tls(tmp_path: Path) -> None:
    with serving(tmp_path, "tcp", most_strangers=5) as served:
        files = open_files()
        socks = [plain_tcp(served.address) for _ in range(40)]
        for sock in socks[:35]:
            assert hears_the_end(sock) == b""
        assert open_files() <= files + 2 * 5  # both ends are here
        hang_up(dial(served.address, HELLO, SECRET))
        for sock in socks[35:]:
            sock.close()


def test_who_never_begins_tls_is_closed_soon(over_tcp: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_listener, "HANDSHAKE_S", 0.3)
    begun = monotonic()
    assert hears_the_end(plain_tcp(over_tcp.address)) == b""
    assert monotonic() - begun < 20


def test_a_peer_that_falls_silent_is_left(over_tcp: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_listener, "SILENCE_S", 0.5)
    monkeypatch.setattr(control_listener, "KEEPALIVE_S", 0.1)
    sock = stranger(over_tcp.address)
    shown = over_tcp.address
    assert isinstance(shown, TcpAddress)
    dialing = Dialing(HELLO, SECRET, shown.certificate)
    sock.sendall(dialing.answer(sock.recv(CHALLENGE_BYTES)))
    heard = hears_the_end(sock)
    dialing.check(heard[:PROOF_BYTES])
    assert set(heard[PROOF_BYTES:]) == {0}  # this end was told that the other one is there


def test_one_that_says_it_is_there_stays(over_tcp: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(control_listener, "SILENCE_S", 2.0)
    monkeypatch.setattr(control_listener, "KEEPALIVE_S", 0.1)
    monkeypatch.setattr(connection, "KEEPALIVE_S", 0.1)
    monkeypatch.setattr(tls_stream, "SILENCE_S", 2.0)
    dialed = dial(over_tcp.address, HELLO, SECRET)
    got: list[Any] = []
    thread = threading.Thread(target=lambda: got.append(dialed.receive()))
    thread.start()
    thread.join(5)
    assert thread.is_alive()
    dialed.send(CancelPeek(1))
    thread.join(WAIT_S)
    assert got == [CancelPeek(1)]
    hang_up(dialed)


def test_a_replica_notices_that_the_coordinator_is_silent(
    over_tcp: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control_listener, "KEEPALIVE_S", 1000.0)
    monkeypatch.setattr(tls_stream, "SILENCE_S", 0.5)
    dialed = dial(over_tcp.address, HELLO, SECRET)
    assert dialed.receive() is None
    dialed.close()


def test_tls_that_was_tampered_with_ends_the_connection(over_tcp: Served) -> None:
    """Who is on the way can do no more than that."""
    dialed = dial(over_tcp.address, HELLO, SECRET)
    dialed.send(CancelPeek(1))
    assert dialed.receive() == CancelPeek(1)
    plain = dialed._stream._plain  # type: ignore[attr-defined]
    plain.sendall(b"\x17\x03\x03\x00\x40" + bytes(64))  # a record that nobody has sealed
    assert dialed.receive() is None
    dialed.close()


def broken(random: Random, said: bytes) -> bytes:
    data = bytearray(said)
    match random.randrange(4):
        case 0:
            data[random.randrange(len(data))] ^= 1 << random.randrange(8)
        case 1:
            del data[random.randrange(len(data)) :]
        case 2:
            data += random.randbytes(random.randrange(1, 100))
            data[random.randrange(60)] ^= 0xFF
        case _:
            return random.randbytes(random.randrange(1, 2_000))
    return bytes(data)


def hostile(served: Served, count: int, seed: int) -> None:
    """Half of them before who it is is known, half of them after."""
    random, known = Random(seed), dial(served.address, HELLO, SECRET)
    heard_once, before = b"", 0
    frame = b"".join(encode(PeekRows(7, b"x" * 100, False)))
    for number in range(count):
        if number == count // 4:
            before = resident_memory() or 0
        if number % 2:
            dialed: Connection = dial(served.address, replace(HELLO, attempt=number), SECRET)
            dialed.send_encoded([broken(random, frame)])
            dialed.close()
            while dialed.receive() is not None:
                pass
            continue
        sock = stranger(served.address)
        challenge = sock.recv(CHALLENGE_BYTES)
        said = Dialing(HELLO, new_secret()).answer(challenge)
        sock.sendall(random.choice((broken(random, said), heard_once or said)))
        heard_once = heard_once or said
        sock.close()
    assert (resident_memory() or 0) - before < 32 << 20
    known.send(CancelPeek(9))
    assert known.receive() == CancelPeek(9)
    hang_up(known)


def test_hostile_connections(served: Served) -> None:
    hostile(served, 200, 1)


@pytest.mark.slow
def test_many_hostile_connections(served: Served) -> None:
    hostile(served, 4_000, 2)
