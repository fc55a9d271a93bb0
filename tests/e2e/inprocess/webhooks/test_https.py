"""HTTPS: what a handshake may take, and how many connections there may be in one."""

from __future__ import annotations

import http.client
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from time import monotonic

import pytest
from inprocess import FAST, InProcess, eventually, running
from ptvc.network.certificates import CertificateFiles, Certificates
from servers.certificates import Authority

from .posting import TIMEOUT_S

SETTINGS = replace(FAST, http_timeout_ms=1_000, http_max_connections=8, http_max_connections_per_address=5)


class Site:
    """A runtime with HTTPS, and who trusts it."""

    def __init__(self, runtime: InProcess, root: Path, files: CertificateFiles) -> None:
        self.runtime, self.root, self.files = runtime, root, files

    def get(self, path: str = "/api/livez") -> tuple[int, bytes]:
        context = ssl.create_default_context(cafile=str(self.root))
        connection = http.client.HTTPSConnection(
            "127.0.0.1", self.runtime.http_port, timeout=TIMEOUT_S, context=context
        )
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def silent(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.runtime.http_port), timeout=TIMEOUT_S)

    def counted(self) -> int:
        web = self.runtime._web
        assert web is not None
        return web.places.taken


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("tls")
    authority = Authority()
    made = authority.certify("localhost", "127.0.0.1")
    root, cert, key = (directory / name for name in ("root.pem", "cert.pem", "key.pem"))
    for path, text in ((root, authority.certificate), (cert, made.certificate), (key, made.key)):
        path.touch(mode=0o600)
        path.write_text(text)
    files = CertificateFiles(cert, key)
    with running(SETTINGS, http=True, certificates=Certificates(files)) as runtime:
        yield Site(runtime, root, files)


def test_it_answers(site: Site) -> None:
    assert site.get() == (200, b"alive\n")


def test_a_handshake_that_never_comes_is_cut_off(site: Site) -> None:
    started = monotonic()
    with site.silent() as line:
        eventually(lambda: site.counted() == 1)
        assert line.recv(1) == b""
    assert monotonic() - started < 10.0
    eventually(lambda: site.counted() == 0)


def test_half_a_handshake_is_cut_off(site: Site) -> None:
    with site.silent() as line:
        line.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")
        assert line.recv(1) == b""
    eventually(lambda: site.counted() == 0)


@pytest.mark.parametrize(
    "sent", [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 100, b"\x16" * 20_000], ids=["http", "zeros", "records"]
)
def test_what_is_no_handshake_is_cut_off(site: Site, sent: bytes) -> None:
    with site.silent() as line:
        line.sendall(sent)
        try:
            while line.recv(1000):  # an alert of TLS
                pass
        except ConnectionResetError:
            pass
    eventually(lambda: site.counted() == 0)
    assert site.get()[0] == 200


def test_handshakes_are_counted(site: Site) -> None:
    """Of one address: behind so many, one more ends the oldest."""
    lines = [site.silent() for _ in range(5)]
    eventually(lambda: site.counted() == 5)
    started = monotonic()
    lines.append(site.silent())
    with suppress(ConnectionResetError):
        assert lines[0].recv(1) == b""
    assert monotonic() - started < 0.9  # not for its time
    assert site.counted() == 5
    assert site.get()[0] == 200
    for line in lines:
        line.close()
    eventually(lambda: site.counted() == 0)
    assert site.get()[0] == 200


def test_what_comes_with_the_end_of_the_handshake_is_heard(site: Site) -> None:
    """A request in the segment that ends the handshake."""
    context = ssl.create_default_context(cafile=str(site.root))
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls = context.wrap_bio(incoming, outgoing, server_hostname="localhost")
    with site.silent() as line:
        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                line.sendall(outgoing.read())
                incoming.write(line.recv(65_536))
        tls.write(b"GET /api/livez HTTP/1.1\r\nhost: h\r\nconnection: close\r\n\r\n")
        line.sendall(outgoing.read())
        answer = b""
        while not answer.endswith(b"alive\n"):
            try:
                answer += tls.read(65_536)
            except ssl.SSLWantReadError:
                incoming.write(line.recv(65_536))
        assert answer.startswith(b"HTTP/1.1 200")


def test_it_stops_while_handshakes_are_under_way(site: Site) -> None:
    with running(SETTINGS, http=True, certificates=Certificates(site.files)) as runtime:
        line = socket.create_connection(("127.0.0.1", runtime.http_port), timeout=TIMEOUT_S)
        web = runtime._web
        assert web is not None
        eventually(lambda: web.places.taken == 1)
    assert line.recv(1) == b""
    line.close()
