"""100,000 hostile messages before a client has proved who it is, as many behind that, and as many of HTTP: the runtime goes on, takes no
more memory, and does nothing of what they say."""

from __future__ import annotations

import re
import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from pgwire.raw import SYNC, Raw, bind, execute, message, parse, startup
from ptvc.directory import RuntimeInfo

from .runtime_process import Runtime

MESSAGES, WARM_UP, OF_A_CONNECTION = 100_000, 20_000, 100
GROWTH_MB = 48
"""What allocators keep of a peak; a leak of 1 kB a message would be twice as much."""
TIMEOUT_S = 60.0
HARM = "DROP TABLE canary; INSERT INTO canary VALUES (2); CREATE TABLE harm (a int)"
SSL_REQUEST = struct.pack("!ii", 8, 80877103)
Make = Callable[[Random], bytes]


@pytest.fixture(scope="module")
def runtime(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Runtime]:
    runtime = Runtime(tmp_path_factory.mktemp("hostile") / "e", (), ("--http-port", "0"))
    runtime.start()
    runtime.run(
        "CREATE TABLE canary (a int)",
        "INSERT INTO canary VALUES (1)",
        "CREATE ROLE guest LOGIN",
        "CREATE ROLE ann LOGIN PASSWORD 'secret'",
        "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
    )
    yield runtime
    runtime.stop()


def mangled(data: bytes, random: Random) -> bytes:
    """As it is, or with other bytes, cut short, or longer."""
    found = bytearray(data)
    match random.randrange(6):
        case 0 | 1:
            for _ in range(random.randrange(1, 4)):
                found[random.randrange(len(found))] = random.randrange(256)
        case 2:
            del found[random.randrange(len(found)) :]
        case 3:
            found += random.randbytes(random.randrange(40))
    return bytes(found)


def opening(random: Random) -> bytes:
    """What a client says before it has proved anything, and what it may not say yet."""
    options = {"user": random.choice(("ann", "ptvc ", "nobody", "")), "database": "ptvc", "options": "-c a=b"}
    kinds = [
        startup(random.choice((196608, 196610, 131072, random.getrandbits(31))), **options),
        SSL_REQUEST,
        struct.pack("!iiii", 16, 80877102, random.getrandbits(31), random.getrandbits(31)),
        message(
            b"p",
            b"SCRAM-SHA-256\0" + struct.pack("!i", 20) + b"n,,n=,r=" + random.randbytes(12).hex().encode(),
        ),
        message(b"p", b"c=biws,r=x,p=" + b"A" * 43 + b"="),
        message(b"Q", HARM.encode() + b"\0"),
        parse(HARM),
        random.randbytes(random.randrange(1, 60)),
        b"\x16\x03\x01" + random.randbytes(30),
    ]
    return mangled(random.choice(kinds), random)


def statement(random: Random) -> bytes:
    """What a client says that has logged in, and may do nothing."""
    planned = [
        message(b"Q", HARM.encode() + b"\0"),
        message(b"Q", b"SELECT * FROM canary; SELECT 1/0\0"),
        message(b"Q", b"COPY canary FROM STDIN\0"),
        parse("INSERT INTO canary VALUES ($1)", oids=(23,)),
        parse("SELECT $1::int"),
    ]
    kinds = [
        *(planned if random.random() < 0.1 else ()),  # they take their time
        bind(values=(b"1",)),
        execute(limit=random.randrange(3)),
        message(b"D", b"P\0"),
        message(b"D", b"S\0"),
        message(b"C", b"P\0"),
        message(b"H"),
        message(b"d", b"1\n"),
        message(b"c"),
        message(b"f", b"no\0"),
        message(b"F", random.randbytes(8)),
        message(b"p", b"secret\0"),
        SYNC,
        random.randbytes(random.randrange(1, 60)),
    ]
    return mangled(random.choice(kinds), random) if random.random() < 0.2 else random.choice(kinds)


def request(random: Random) -> bytes:
    body = b'{"a": 1}'
    kinds = [
        b"POST /api/webhook/ptvc/public/canary HTTP/1.1\r\nhost: h\r\ncontent-length: 8\r\n\r\n" + body,
        b"POST /api/sql HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
        b"GET /api/livez HTTP/1.1\r\nhost: h\r\nauthorization: Bearer "
        + b"x" * random.randrange(99)
        + b"\r\n\r\n",
        b"GET /../../etc/passwd HTTP/1.1\r\nhost: h\r\n\r\n",
        b"OPTIONS * HTTP/1.1\r\nhost: h\r\n\r\n",
        b"POST /x HTTP/1.1\r\nhost: h\r\ncontent-length: 8\r\ntransfer-encoding: chunked\r\n\r\n" + body,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        random.randbytes(random.randrange(1, 200)),
    ]
    return mangled(random.choice(kinds), random) if random.random() < 0.3 else random.choice(kinds)


def converse(port: int, random: Random, make: Make, first: bytes) -> int:
    """Messages of one connection, until the other side ends it or all are sent; how many there were."""
    with Raw(port) as client:
        client.socket.settimeout(TIMEOUT_S)
        client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sent = 0
        with suppress(OSError):
            client.send(first)
            while sent < OF_A_CONNECTION:
                some = [make(random) for _ in range(random.choice((1, 1, 5, 25)))]
                client.send(b"".join(some))
                sent += len(some)
                if _ended(client.socket):
                    break
            client.socket.shutdown(socket.SHUT_WR)
            assert client.closed()
        return sent


def _ended(line: socket.socket) -> bool:
    """Takes what has come; whether it was the end."""
    line.setblocking(False)
    try:
        while (data := line.recv(1 << 16)) and len(data) == 1 << 16:
            continue
        return not data
    except BlockingIOError:
        return False
    finally:
        line.settimeout(TIMEOUT_S)


def resident_mb(runtime: Runtime) -> float:
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{runtime.process.pid}/status").read_text())
    assert found is not None
    return int(found[1]) / 1024


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", ["before a login", "behind a login", "of HTTP"])
def test_nothing_comes_of_them(runtime: Runtime, kind: str, seed: int) -> None:
    info = RuntimeInfo.read(runtime.directory)
    assert info is not None
    assert info.http_port is not None
    random = Random(f"{kind} {seed}")
    first = b""
    port, make = runtime.port, opening
    if kind == "behind a login":
        make, first = statement, startup(user="guest", database="ptvc")
    elif kind == "of HTTP":
        port, make = info.http_port, request

    def send(count: int) -> None:
        while count > 0:
            count -= converse(port, random, make, first)

    send(WARM_UP)
    before = resident_mb(runtime)
    send(MESSAGES)
    assert resident_mb(runtime) - before < GROWTH_MB
    assert runtime.run("SELECT a FROM canary") == [(1,)]
    assert runtime.run("SELECT name FROM mz_tables WHERE name = 'harm'") == []
    log = (runtime.directory / "serve.log").read_text()
    assert "internal error" not in log
    assert "Traceback" not in log
    assert "never retrieved" not in log
