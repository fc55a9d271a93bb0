"""Handshake, passwords, limits, shutdown, and clients that send nonsense."""

from __future__ import annotations

import struct
from collections.abc import Callable
from contextlib import ExitStack, closing
from random import Random
from socket import SO_RCVBUF, SO_SNDBUF, SOL_SOCKET
from threading import Thread

import psycopg
import pytest
from ptvc.errors import PtvcError
from ptvc.network import ports
from ptvc.pgwire.listener import Limits, ScramSecret, Trust, serve
from ptvc.pgwire.scram import new_secret

from .conftest import Server
from .fake import Store
from .raw import SYNC, Raw, bind, execute, message, parse, startup

MakeServer = Callable[..., Server]


def test_encryption_is_declined_then_startup(server: Server) -> None:
    with Raw(server.port) as client:
        for code in (80877104, 80877103):
            client.send(struct.pack("!ii", 8, code))
            assert client.take(1) == b"N"
        client.hello()


def test_bytes_sent_along_with_an_ssl_request(server: Server) -> None:
    with Raw(server.port) as client:
        client.send(struct.pack("!ii", 8, 80877103) + startup(user="ann"))
        assert client.error()["C"] == "08P01"
        assert client.closed()


def test_startup_options(server: Server) -> None:
    options = "-c search_path=a\\ b -cdatestyle=ISO --time-zone=UTC"
    with psycopg.connect(
        server.dsn, options=options, application_name="app", client_encoding="utf-8"
    ) as connection:
        assert connection.info.parameter_status("integer_datetimes") == "on"
        assert connection.info.backend_pid > 0
    user, database, seen = server.store.opened[0]
    assert (user, database) == ("ann", "ptvc")
    assert dict(seen) == {
        "search_path": "a b",
        "datestyle": "ISO",
        "time_zone": "UTC",
        "application_name": "app",
        "client_encoding": "utf-8",
    }


def test_database_defaults_to_the_user(server: Server) -> None:
    with Raw(server.port) as client:
        client.send(startup(user="bob"))
        client.until(b"Z")
    assert server.store.opened[0][:2] == ("bob", "bob")


def test_newer_minor_version_is_negotiated(server: Server) -> None:
    with Raw(server.port) as client:
        client.send(startup(196610, user="ann", **{"_pq_.future": "1"}))
        kind, body = client.read()
        assert (kind, body) == (b"v", struct.pack("!ii", 3 << 16, 1) + b"_pq_.future\0")
        assert client.kinds().startswith("R")


@pytest.mark.parametrize(
    ("sent", "code"),
    [
        (startup(131072, user="ann"), "0A000"),
        (startup(database="ptvc"), "28000"),
        (startup(user="ann", database="nowhere"), "3D000"),
        (startup(user="ann", replication="database"), "0A000"),
        (startup(user="ann", options="-x"), "42601"),
        (struct.pack("!ii", 10_001, 196608), "08P01"),
        (struct.pack("!ii", 3, 196608), "08P01"),
        (struct.pack("!ii", 12, 196608) + b"user", "08P01"),
        (struct.pack("!ii", 9, 80877102) + b"x", "08P01"),
        (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "08P01"),
    ],
)
def test_refused_startups(server: Server, sent: bytes, code: str) -> None:
    with Raw(server.port) as client:
        client.send(sent)
        error = client.error()
        assert (error["S"], error["C"]) == ("FATAL", code)
        assert client.closed()
    server.until(lambda: server.listener.sessions == 0)


def test_handshake_deadline(make_server: MakeServer) -> None:
    server = make_server(Limits(startup_seconds=0.1))
    with Raw(server.port) as client:
        client.send(b"\0")
        assert client.error()["M"] == "canceling authentication due to timeout"
        assert client.closed()


def test_wrong_cancel_key_does_nothing(server: Server) -> None:
    with Raw(server.port) as client:
        client.send(struct.pack("!iiII", 16, 80877102, 1, 2))
        assert client.closed()
    assert server.store.sessions == []


# --- passwords ---------------------------------------------------------------------------------------------------

SECRET = new_secret("p\u00e4ss w\u2168rd", salt=b"0123456789abcdef")


async def passwords(user: str) -> ScramSecret | Trust | None:
    return {"ann": SECRET, "open": Trust()}.get(user)


def test_password(make_server: MakeServer) -> None:
    server = make_server(passwords=passwords)
    with psycopg.connect(server.dsn, password="p\u00e4ss w\u2168rd") as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    with pytest.raises(psycopg.OperationalError, match='password authentication failed for user "ann"'):
        psycopg.connect(server.dsn, password="wrong")
    with pytest.raises(psycopg.OperationalError, match='password authentication failed for user "eve"'):
        psycopg.connect(server.dsn, user="eve", password="wrong")
    with psycopg.connect(server.dsn, user="open") as connection:
        assert connection.execute("select 1").fetchone() == (1,)
    server.until(lambda: server.listener.sessions == 0)


def test_unknown_users_have_a_stable_salt(make_server: MakeServer) -> None:
    salts = []
    for server in (make_server(passwords=passwords), make_server(passwords=passwords)):
        for user in ("eve", "eve", "mallory"):
            with Raw(server.port) as client:
                client.send(startup(user=user))
                assert client.read()[1] == struct.pack("!i", 10) + b"SCRAM-SHA-256\0\0"
                first = b"n,,n=,r=abc"
                client.send(message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", len(first)) + first))
                salts.append(client.read()[1].split(b",")[1])
    assert salts[0] == salts[1] == salts[3] == salts[4]
    assert salts[2] == salts[5] != salts[0]


@pytest.mark.parametrize(
    "sent",
    [
        message(b"Q", b"select 1\0"),
        message(b"p", b"SCRAM-SHA-256-PLUS\0\0\0\0\0"),
        message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", 99) + b"n,,"),
        message(b"p", b"SCRAM-SHA-256\0" + struct.pack("!i", 5) + b"\xff\xff\xff\xff\xff"),
        b"p" + struct.pack("!i", 1_000_000),
    ],
)
def test_malformed_authentication(make_server: MakeServer, sent: bytes) -> None:
    server = make_server(passwords=passwords)
    with Raw(server.port) as client:
        client.send(startup(user="ann"))
        client.read()
        client.send(sent)
        assert client.error()["C"] == "08P01"
        assert client.closed()
    assert server.store.sessions == []


# --- limits and shutdown -----------------------------------------------------------------------------------------


def test_places_are_counted_and_some_reserved(make_server: MakeServer) -> None:
    server = make_server(Limits(max_connections=3, reserved_connections=1))
    first, second = Raw(server.port).hello(), Raw(server.port).hello()
    with Raw(server.port) as third:
        third.send(startup(user="ann"))
        error = third.error()
        assert (error["S"], error["C"]) == ("FATAL", "53300")
        assert error["M"] == "remaining connection slots are reserved for roles with the SUPERUSER attribute"
    operator = Raw(server.port)
    operator.send(startup(user="ptvc"))
    operator.until(b"Z")
    with Raw(server.port) as late:
        late.send(startup(user="ptvc"))
        assert late.error()["M"] == "sorry, too many clients already"
    first.socket.close()
    second.socket.close()
    server.until(lambda: server.listener.sessions == 1)
    with Raw(server.port) as again:
        again.hello()
    operator.socket.close()


def test_connections_that_never_start_are_bounded(make_server: MakeServer) -> None:
    """One more ends the oldest, which is told why."""
    server = make_server(Limits(max_opening=2))
    with Raw(server.port) as first, Raw(server.port) as second:
        server.until(lambda: len(server.listener._opening) == 2)
        with Raw(server.port) as third:
            assert first.error()["C"] == "53300"
            assert first.closed()
            third.hello()
            second.hello()


HALF_OPEN = (
    b"",
    b"\0",
    struct.pack("!ii", 8, 80877103),
    struct.pack("!ii", 200, 196608) + b"user\0ann",
    startup(user="ann"),
)
"""Silence; half a length; SSLRequest and silence; half a startup packet; one whose password never comes."""


@pytest.mark.parametrize("sent", HALF_OPEN)
def test_a_flood_of_half_open_connections_keeps_nobody_out(make_server: MakeServer, sent: bytes) -> None:
    server = make_server(Limits(max_opening=20, max_connections=5), passwords=passwords)
    with ExitStack() as flood:
        for _ in range(60):
            flood.enter_context(Raw(server.port)).send(sent)
        for user in ("ann", "open"):
            with psycopg.connect(server.dsn, user=user, password="p\u00e4ss w\u2168rd") as connection:
                assert connection.execute("select 1").fetchone() == (1,)
                connection.cancel_safe()
        assert len(server.listener._opening) <= 20
    server.until(lambda: not server.listener._opening)


def test_a_cancel_request_needs_no_place(make_server: MakeServer) -> None:
    server = make_server(Limits(max_opening=2, max_connections=1, reserved_connections=0))
    with psycopg.connect(server.dsn, autocommit=True) as busy, Raw(server.port), Raw(server.port):
        server.until(lambda: len(server.listener._opening) == 2)
        canceller = Thread(
            target=lambda: (server.until(server.store.sessions[0].running.is_set), busy.cancel_safe())
        )
        canceller.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            busy.execute("sleep")
        canceller.join()


FLOODS = {
    "messages": [parse("numbers 1")] + [message(b"D", b"S\0")] * 20_000,
    "errors": [parse("bad"), SYNC] * 20_000,
    "rows": [message(b"Q", b"flood\0")],
    "statements": [message(b"Q", b"numbers 1 by 1\0")] * 20_000,
}


@pytest.mark.parametrize("kind", FLOODS)
def test_answers_that_are_not_read_do_not_pile_up(make_server: MakeServer, kind: str) -> None:
    """The server stops, first to answer, then to read."""
    server = make_server(Limits(shutdown_seconds=0.2))
    client = Raw(server.port)
    client.socket.setsockopt(SOL_SOCKET, SO_RCVBUF, 4096)
    client.hello()
    [wire] = server.listener._tasks.values()
    assert wire.transport.get_extra_info("socket").setsockopt(SOL_SOCKET, SO_SNDBUF, 4096) is None
    most = 0

    def held() -> int:
        return wire.unsent + len(wire._in) + wire.transport.get_write_buffer_size()

    client.socket.setblocking(False)
    data = memoryview(b"".join(FLOODS[kind]))
    while data:
        try:
            data = data[client.socket.send(data[:65536]) :]
        except BlockingIOError:
            if wire._write_paused:
                break
        most = max(most, held())
    server.until(lambda: wire._write_paused)
    assert max(most, held()) < 2 << 20
    client.socket.close()


def test_shutdown_tells_clients(make_server: MakeServer) -> None:
    server = make_server()
    with Raw(server.port) as idle, Raw(server.port) as busy:
        idle.hello()
        busy.hello().send(message(b"Q", b"sleep\0"))
        server.until(server.store.sessions[1].running.is_set)
        server.run(server.listener.close())
        error = idle.error()
        assert (error["S"], error["C"]) == ("FATAL", "57P01")
        assert busy.read()[0] == b"T"
        error = busy.error()
        assert (error["S"], error["C"]) == ("FATAL", "57P01")  # and not that somebody has cancelled it
    assert all(session.closed for session in server.store.sessions)
    with pytest.raises(ConnectionRefusedError):
        Raw(server.port)


def test_shutdown_does_not_wait_for_a_client_that_does_not_read(make_server: MakeServer) -> None:
    server = make_server(Limits(shutdown_seconds=0.2))
    client = Raw(server.port).hello()
    client.send(message(b"Q", b"flood\0"))
    server.until(lambda: server.store.sessions[0].produced > 0)
    server.run(server.listener.close())
    assert server.store.sessions[0].closed
    client.socket.close()


def test_a_port_that_another_one_has_bound_as_well(server: Server) -> None:
    """Both may have it until one of them listens."""
    late = ports.bind("127.0.0.1", 0)
    with closing(ports.bind("127.0.0.1", late.port)) as quicker:
        quicker.listen()
        with pytest.raises(
            PtvcError, match=rf"cannot listen on 127\.0\.0\.1:{late.port}: Address already in use"
        ):
            server.run(serve(late, Store()))


# --- hostile input -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "sent",
    [
        b"x\0\0\0\4",
        b"Q\0\0\0\3",
        b"Q\xff\xff\xff\xff",
        b"Q\x7f\xff\xff\xff",
        b"S\0\0\xff\xff",
        b"\0" * 64,
    ],
)
def test_broken_framing_ends_the_connection(server: Server, sent: bytes) -> None:
    with Raw(server.port) as client:
        client.hello().send(sent)
        error = client.error()
        assert (error["S"], error["C"]) == ("FATAL", "08P01")
        assert client.closed()
    server.until(lambda: server.store.sessions[0].closed)


VALID = [
    message(b"Q", b"select 1\0"),
    parse("echo $1::integer"),
    bind(values=(b"1",)),
    execute(limit=1),
    message(b"D", b"P\0"),
    message(b"D", b"S\0"),
    message(b"C", b"P\0"),
    message(b"H"),
    message(b"d", b"data"),
    message(b"c"),
    message(b"f", b"no\0"),
    SYNC,
]


@pytest.mark.parametrize("seed", range(60))
def test_fuzz(server: Server, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    """Valid messages in any order, some mangled, cut short: answers or an end, never a defect."""
    random = Random(seed)
    data = bytearray()
    for _ in range(random.randrange(1, 30)):
        part = bytearray(random.choice(VALID))
        for _ in range(random.choice((0, 0, 0, 1, 3))):
            part[random.randrange(len(part))] = random.randrange(256)
        data += part
    if random.random() < 0.3:
        data = data[: random.randrange(len(data))]
    if random.random() < 0.2:
        data += random.randbytes(random.randrange(200))
    with Raw(server.port) as client:
        if random.random() < 0.9:
            client.hello()
        client.send(bytes(data))
        client.socket.shutdown(1)
        assert client.closed()
    with Raw(server.port) as after:
        after.hello().send(message(b"Q", b"select 1\0"))
        assert after.kinds() == "TDCZ"
    server.until(lambda: server.listener.sessions == 0)
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
