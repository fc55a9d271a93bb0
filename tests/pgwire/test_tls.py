"""TLS at the listener: asked for or from the first byte on, with whom a client must be, and what is refused."""

from __future__ import annotations

import asyncio
import base64
import shutil
import socket
import ssl
import struct
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psycopg
import pytest
from ptvc.network.certificates import POSTGRES_PROTOCOL, CertificateFiles, Certificates
from ptvc.pgwire.scram import ScramSecret, new_secret
from servers.certificates import Authority

from .conftest import WAIT_S, Server, Trust
from .raw import message, startup

SSL_REQUEST = struct.pack("!II", 8, 80877103)
SECRET = new_secret("secret", salt=b"0123456789abcdef")
MakeServer = Callable[..., Server]


async def passwords(user: str) -> ScramSecret | Trust | None:
    return SECRET if user == "ann" else None


class Site:
    """Certificates of an authority, in files: the server's, and clients'."""

    def __init__(self, directory: Path, **authority: bool) -> None:
        self.directory = directory
        self.authority = Authority(**authority)
        self.root = self.write("root.pem", self.authority.certificate)
        self.files = CertificateFiles(*self.certify("localhost", "127.0.0.1"))

    def write(self, name: str, text: str) -> Path:
        path = self.directory / name
        path.touch(mode=0o600)
        path.write_text(text)
        return path

    def certify(self, *names: str) -> tuple[Path, Path]:
        made = self.authority.certify(*names)
        return self.write(f"{names[0]}.pem", made.certificate), self.write(f"{names[0]}.key", made.key)

    def client(self, **more: Any) -> str:
        given = {"host": "127.0.0.1", "sslmode": "verify-full", "sslrootcert": self.root, **more}
        return " ".join(f"{name}={value}" for name, value in given.items())


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def connect(server: Server, options: str, user: str = "ann") -> psycopg.Connection[Any]:
    return psycopg.connect(f"{options} port={server.port} user={user} dbname=ptvc", autocommit=True)


@pytest.mark.parametrize("negotiation", ["postgres", "direct"])
def test_a_client_speaks_tls(make_server: MakeServer, site: Site, negotiation: str) -> None:
    server = make_server(certificates=Certificates(site.files))
    with connect(server, site.client(sslnegotiation=negotiation)) as db:
        assert db.pgconn.ssl_in_use
        wide = "x" * 3_000_000  # more than any buffer on the way holds
        assert db.execute("echo %s::text, %s::text", [wide, None]).fetchone() == (wide, None)


def test_without_tls_a_client_may_come_unless_it_is_required(make_server: MakeServer, site: Site) -> None:
    certificates = Certificates(site.files)
    server = make_server(certificates=certificates)
    with connect(server, "host=127.0.0.1 sslmode=disable") as db:
        assert not db.pgconn.ssl_in_use
    server = make_server(certificates=certificates, tls_only=True)
    with pytest.raises(psycopg.OperationalError, match="spoken to by TLS only"):
        connect(server, "host=127.0.0.1 sslmode=disable")
    with connect(server, "host=127.0.0.1 sslmode=prefer") as db:
        assert db.pgconn.ssl_in_use


def test_a_server_without_a_certificate_says_so(server: Server, site: Site) -> None:
    with pytest.raises(psycopg.OperationalError, match="server does not support SSL"):
        connect(server, site.client())


def test_another_host_s_certificate_is_not_taken_by_a_client(make_server: MakeServer, site: Site) -> None:
    files = CertificateFiles(*site.certify("elsewhere.example.com"))
    server = make_server(certificates=Certificates(files))
    with pytest.raises(psycopg.OperationalError, match=r"does not match host name"):
        connect(server, site.client())


def test_asyncpg(make_server: MakeServer, site: Site) -> None:
    asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    server = make_server(certificates=Certificates(site.files), passwords=passwords)

    async def main() -> None:
        db = await asyncpg.connect(
            host="127.0.0.1",
            port=server.port,
            user="ann",
            password="secret",
            database="ptvc",
            ssl=ssl.create_default_context(cafile=str(site.root)),
        )
        assert await db.fetchval("echo $1::bigint, $2::bigint", 7, None) == 7
        await db.close()

    asyncio.run(main())


# --- who comes in ---


@pytest.mark.parametrize("binding", ["require", "disable", "prefer"])
def test_passwords_are_bound_to_the_connection(make_server: MakeServer, site: Site, binding: str) -> None:
    server = make_server(certificates=Certificates(site.files), passwords=passwords)
    for wrong in ("wrong", ""):
        with pytest.raises(psycopg.OperationalError, match="password"):
            connect(server, site.client(channel_binding=binding, password=f"'{wrong}'"))
    with connect(server, site.client(channel_binding=binding, password="secret")) as db:
        assert db.pgconn.ssl_in_use


def test_binding_is_not_offered_where_no_hash_is_defined(make_server: MakeServer, tmp_path: Path) -> None:
    site = Site(tmp_path, eddsa=True)
    server = make_server(certificates=Certificates(site.files), passwords=passwords)
    with connect(server, site.client(password="secret")) as db:
        assert db.pgconn.ssl_in_use
    with pytest.raises(psycopg.OperationalError, match="channel binding"):
        connect(server, site.client(password="secret", channel_binding="require"))


def test_a_client_that_was_not_shown_the_offer_is_refused(make_server: MakeServer, site: Site) -> None:
    """It says that it would bind itself, had it been offered: somebody between has taken the offer away."""
    server = make_server(certificates=Certificates(site.files), passwords=passwords)
    with tls(server, site) as connection:
        connection.sendall(startup(user="ann", database="ptvc"))
        assert b"SCRAM-SHA-256-PLUS" in connection.recv(1000)
        first = b"y,,n=,r=abcdefghijkl"
        body = b"SCRAM-SHA-256\0" + struct.pack("!i", len(first)) + first
        connection.sendall(message(b"p", body))
        refused = received(connection)
        assert b"channel binding negotiation error" in refused
        assert b"C28000\0" in refused


def test_a_client_that_is_bound_to_another_connection_is_refused(make_server: MakeServer, site: Site) -> None:
    """It signs what somebody between has shown it."""
    server = make_server(certificates=Certificates(site.files), passwords=passwords)
    with tls(server, site) as connection:
        connection.sendall(startup(user="ann", database="ptvc"))
        assert b"SCRAM-SHA-256-PLUS" in connection.recv(1000)
        first = b"p=tls-server-end-point,,n=,r=abcdefghijkl"
        connection.sendall(message(b"p", b"SCRAM-SHA-256-PLUS\0" + struct.pack("!i", len(first)) + first))
        nonce = connection.recv(1000)[9:].split(b",")[0]
        binding = base64.b64encode(b"p=tls-server-end-point,," + bytes(32))
        proof = base64.b64encode(bytes(32))
        connection.sendall(message(b"p", b"c=" + binding + b"," + nonce + b",p=" + proof))
        refused = received(connection)
        assert b"SCRAM channel binding check failed" in refused
        assert b"C28000\0" in refused


def test_a_certificate_stands_for_a_password(make_server: MakeServer, site: Site) -> None:
    names = site.write("names", "# who is who\nloader.example.com = ann\n\nCN=odd = bob\n")
    files = CertificateFiles(site.files.certificate, site.files.key, site.root, names)
    server = make_server(certificates=Certificates(files), passwords=passwords)

    def client(name: str, user: str = "ann", **more: str) -> psycopg.Connection[Any]:
        certificate, key = site.certify(name)
        return connect(server, site.client(sslcert=certificate, sslkey=key, **more), user)

    for name in ("ann", "loader.example.com"):
        with client(name) as db:
            assert db.pgconn.ssl_in_use
    with pytest.raises(psycopg.OperationalError, match="password"):
        client("bob")
    with pytest.raises(psycopg.OperationalError, match="password"):
        client("ann", "eve")
    with client("bob", password="secret") as db:
        assert db.pgconn.ssl_in_use
    with connect(server, site.client(password="secret", sslcertmode="disable")) as db:
        assert db.pgconn.ssl_in_use


def test_a_certificate_of_another_authority_is_not_taken(
    make_server: MakeServer, site: Site, tmp_path: Path
) -> None:
    files = CertificateFiles(site.files.certificate, site.files.key, site.root)
    server = make_server(certificates=Certificates(files), passwords=passwords)
    (tmp_path / "other").mkdir()
    certificate, key = Site(tmp_path / "other").certify("ann")
    with pytest.raises(psycopg.OperationalError, match=r"SSL error|closed"):
        connect(server, site.client(sslcert=certificate, sslkey=key, password="secret"))


# --- certificates that change ---


def test_a_new_certificate_is_shown_to_who_comes_next(make_server: MakeServer, site: Site) -> None:
    certificates = Certificates(site.files)
    server = make_server(certificates=certificates)
    with connect(server, site.client()) as before:
        first = certificates.shown
        site.certify("localhost", "127.0.0.1")
        certificates.look()
        assert certificates.shown is not first
        with connect(server, site.client()) as db:
            assert db.execute("echo %s::bigint, %s::bigint", [1, None]).fetchone() == (1, None)
        assert before.execute("echo %s::bigint, %s::bigint", [1, None]).fetchone() == (1, None)


def test_a_bad_certificate_leaves_the_one_before(
    make_server: MakeServer, site: Site, caplog: pytest.LogCaptureFixture
) -> None:
    certificates = Certificates(site.files)
    server = make_server(certificates=certificates)
    site.files.certificate.write_text("nothing of the kind")
    certificates.look()
    assert "the certificate before it is shown on" in caplog.text
    with connect(server, site.client()) as db:
        assert db.pgconn.ssl_in_use
    caplog.clear()
    certificates.look()
    assert caplog.text == ""
    site.certify("localhost", "127.0.0.1")
    certificates.look()
    with connect(server, site.client()) as db:
        assert db.pgconn.ssl_in_use


# --- what is refused ---


@contextmanager
def tls(
    server: Server, site: Site, *, protocols: tuple[str, ...] = (), direct: bool = False
) -> Iterator[ssl.SSLSocket]:
    context = ssl.create_default_context(cafile=str(site.root))
    if protocols:
        context.set_alpn_protocols(list(protocols))
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as plain:
        if not direct:
            plain.sendall(SSL_REQUEST)
            assert plain.recv(1) == b"S"
        with context.wrap_socket(plain, server_hostname="localhost") as connection:
            yield connection


def received(connection: socket.socket) -> bytes:
    """Until the server ends it."""
    found = b""
    while data := connection.recv(65536):
        found += data
    return found


@pytest.mark.parametrize("protocols", [(), ("h2",), ("http/1.1", "h2")], ids=str)
def test_direct_tls_must_name_the_protocol(
    make_server: MakeServer, site: Site, protocols: tuple[str, ...]
) -> None:
    """A browser that was led here must not be taken for a client."""
    server = make_server(certificates=Certificates(site.files))
    with tls(server, site, protocols=protocols, direct=True) as connection:
        connection.sendall(startup(user="ann", database="ptvc"))
        assert b"without ALPN" in received(connection)
    with tls(server, site, protocols=(POSTGRES_PROTOCOL,), direct=True) as connection:
        connection.sendall(startup(user="ann", database="ptvc"))
        assert connection.recv(1) == b"R"


def test_what_comes_in_plain_before_tls_is_not_taken_for_what_came_inside(
    make_server: MakeServer, site: Site
) -> None:
    server = make_server(certificates=Certificates(site.files))
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as plain:
        plain.sendall(SSL_REQUEST + startup(user="eve", database="ptvc"))
        assert b"unencrypted data after SSL request" in received(plain)
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as plain:
        plain.sendall(SSL_REQUEST)
        assert plain.recv(1) == b"S"
        plain.sendall(startup(user="eve", database="ptvc"))
        assert b"eve" not in received(plain)
    assert server.listener.sessions == 0


def test_tls_inside_of_tls_is_refused(make_server: MakeServer, site: Site) -> None:
    server = make_server(certificates=Certificates(site.files))
    with tls(server, site) as connection:
        connection.sendall(SSL_REQUEST)
        assert b"unsupported frontend protocol 1234.5679" in received(connection)  # as PostgreSQL says


@pytest.mark.filterwarnings("ignore:ssl.TLSVersion")
@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1], ids=str)
def test_old_versions_are_refused(make_server: MakeServer, site: Site, version: ssl.TLSVersion) -> None:
    server = make_server(certificates=Certificates(site.files))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(site.root)
    context.set_ciphers("ALL:@SECLEVEL=0")
    context.minimum_version = context.maximum_version = version
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as plain:
        plain.sendall(SSL_REQUEST)
        assert plain.recv(1) == b"S"
        with pytest.raises((ssl.SSLError, ConnectionResetError)):
            context.wrap_socket(plain, server_hostname="localhost")


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3], ids=str)
def test_new_versions_are_spoken(make_server: MakeServer, site: Site, version: ssl.TLSVersion) -> None:
    server = make_server(certificates=Certificates(site.files))
    name = f"TLSv{1}.{2 if version is ssl.TLSVersion.TLSv1_2 else 3}"
    with connect(server, site.client(ssl_min_protocol_version=name, ssl_max_protocol_version=name)) as db:
        assert db.pgconn.ssl_in_use


@pytest.mark.parametrize("seed", range(30))
def test_noise_ends_the_connection(make_server: MakeServer, site: Site, seed: int) -> None:
    """Instead of a handshake, within it, and behind it: others go on, and nothing is left."""
    random = Random(seed)
    server = make_server(certificates=Certificates(site.files))
    noise = random.randbytes(random.randint(1, 5_000))
    with socket.create_connection(("127.0.0.1", server.port), timeout=WAIT_S) as plain:
        match seed % 3:
            case 0:
                plain.sendall(b"\x16" + noise)
            case 1:
                plain.sendall(SSL_REQUEST)
                assert plain.recv(1) == b"S"
                plain.sendall(b"\x16\x03\x01" + struct.pack("!H", min(len(noise), 4_000)) + noise)
            case _:
                behind_its_handshake(plain, site, noise)
        plain.shutdown(socket.SHUT_WR)
        received(plain)
    with connect(server, site.client()) as db:
        assert db.pgconn.ssl_in_use
    server.until(lambda: server.listener.sessions == 0)


def behind_its_handshake(plain: socket.socket, site: Site, noise: bytes) -> None:
    plain.sendall(SSL_REQUEST)
    assert plain.recv(1) == b"S"
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    inside = ssl.create_default_context(cafile=str(site.root)).wrap_bio(
        incoming, outgoing, server_hostname="localhost"
    )
    while True:
        try:
            inside.do_handshake()
            break
        except ssl.SSLWantReadError:
            plain.sendall(outgoing.read())
            incoming.write(plain.recv(65536))
    plain.sendall(outgoing.read() + noise)


# --- what a scanner looks at ---

OLD = "ALL:COMPLEMENTOFALL:!PSK:!SRP:@SECLEVEL=0"


def accepted(port: int, cipher: str) -> bool:
    """Whether TLS 1.2 begins with that cipher alone."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.maximum_version = context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{cipher}:@SECLEVEL=0")
    context.set_alpn_protocols([POSTGRES_PROTOCOL])
    with socket.create_connection(("127.0.0.1", port), timeout=WAIT_S) as line:
        try:
            with context.wrap_socket(line) as tls:
                assert tls.compression() is None
                return True
        except OSError:
            return False


def test_ciphers_are_few_and_good(make_server: MakeServer, site: Site) -> None:
    """Of those of 1.2: keys are thrown away, and bytes are authenticated with what encrypts them."""
    server = make_server(certificates=Certificates(site.files))
    asked = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    asked.set_ciphers(OLD)
    offered = [c["name"] for c in asked.get_ciphers() if c["protocol"] != "TLSv1.3"]
    assert len(offered) > 60
    assert {name for name in offered if accepted(server.port, name)} == {
        "ECDHE-ECDSA-AES128-GCM-SHA256",
        "ECDHE-ECDSA-AES256-GCM-SHA384",
        "ECDHE-ECDSA-CHACHA20-POLY1305",
    }


def test_nothing_is_negotiated_anew(make_server: MakeServer, site: Site) -> None:
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl is not installed")
    server = make_server(certificates=Certificates(site.files))
    command = [
        program,
        "s_client",
        "-connect",
        f"127.0.0.1:{server.port}",
        "-tls1_2",
        "-alpn",
        POSTGRES_PROTOCOL,
    ]
    done = subprocess.run(command, input="R\n", capture_output=True, text=True, timeout=WAIT_S, check=False)
    assert "Protocol  : TLSv1.2" in done.stdout
    assert "Compression: NONE" in done.stdout
    assert "no renegotiation" in done.stderr


def test_http_has_the_same(site: Site) -> None:
    shown = Certificates(site.files).shown
    for context in (shown.postgres, shown.http):
        assert context.minimum_version == ssl.TLSVersion.TLSv1_2
        assert context.options & ssl.OP_NO_RENEGOTIATION
        assert context.options & ssl.OP_NO_COMPRESSION
        assert {c["name"] for c in context.get_ciphers()} == {c["name"] for c in shown.postgres.get_ciphers()}
