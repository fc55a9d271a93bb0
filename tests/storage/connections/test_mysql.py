"""A real MariaDB that asks for a password, tried, with TLS and without."""

from __future__ import annotations

import gc
import socket
import struct
import threading
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic

import pytest
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed, Step
from ptvc.storage.connections.mysql import connected
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef, Value
from ptvc.storage.connections.validation import validate
from ptvc.storage.connections.values import Values
from servers.certificates import Authority
from servers.mariadb_listening import MariaDb, mariadb_server
from servers.mysql_process import PASSWORD, USER

from .outside import silence

AUTHORITY, OTHER = Authority(), Authority("another one")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MariaDb]:
    """Its certificate is for localhost, not for 127.0.0.1."""
    folder: Path = tmp_path_factory.mktemp("certificates")
    made = AUTHORITY.certify("localhost")
    (folder / "certificate").write_text(made.certificate)
    (folder / "key").write_text(made.key)
    with mariadb_server(f"--ssl-cert={folder / 'certificate'}", f"--ssl-key={folder / 'key'}") as server:
        yield server


def given(server: MariaDb, **values: Value) -> ConnectionOptions:
    found: dict[str, Value] = {"HOST": "localhost", "PORT": str(server.port), "USER": USER}
    found |= {"PASSWORD": SecretRef("u1")} | {name.replace("_", " "): value for name, value in values.items()}
    options = ConnectionOptions(ConnectionKind.MYSQL, found)
    options.check()
    return options


def attempt(
    server: MariaDb, password: str = PASSWORD, seconds: float = 20, **values: Value
) -> ConnectionFailed | None:
    failed: ConnectionFailed | None = None
    try:
        validate(given(server, **values), {"u1": password.encode()}, Addresses(), monotonic() + seconds)
    except ConnectionFailed as error:
        failed = error
    if failed is not None:
        assert password not in f"{failed.message} {failed.detail} {failed.hint}"
    return failed


@pytest.mark.parametrize(
    ("values", "step"),
    [
        ({}, None),
        ({"SSL_MODE": "disabled", "HOST": "127.0.0.1"}, None),
        ({"SSL_MODE": "required", "HOST": "127.0.0.1"}, None),
        ({"SSL_MODE": "verify-ca", "SSL_CERTIFICATE_AUTHORITY": AUTHORITY.certificate, "HOST": "127.0.0.1"}, None),
        ({"SSL_MODE": "verify-ca", "SSL_CERTIFICATE_AUTHORITY": OTHER.certificate}, Step.TLS),
        ({"SSL_MODE": "verify-identity", "SSL_CERTIFICATE_AUTHORITY": AUTHORITY.certificate}, None),
        ({"SSL_MODE": "verify-identity", "SSL_CERTIFICATE_AUTHORITY": AUTHORITY.certificate, "HOST": "127.0.0.1"}, Step.TLS),
        ({"SSL_MODE": "verify-identity"}, Step.TLS),
        ({"USER": "nobody"}, Step.AUTHENTICATION),
        ({"PORT": "1"}, Step.CONNECTION),
    ],
)  # fmt: skip
def test_how_it_connects(server: MariaDb, values: dict[str, Value], step: Step | None) -> None:
    failed = attempt(server, **values)
    assert (None if failed is None else failed.step) == step, failed and failed.detail


def test_a_wrong_password(server: MariaDb) -> None:
    failed = attempt(server, "not the password")
    assert failed is not None
    assert failed.step is Step.AUTHENTICATION


@pytest.mark.parametrize(
    ("mode", "encrypted"), [("preferred", True), ("disabled", False), ("required", True)]
)
def test_what_is_encrypted(server: MariaDb, mode: str, encrypted: bool) -> None:
    values = Values(given(server, SSL_MODE=mode), {"u1": PASSWORD.encode()})
    db = connected(values, Addresses(), monotonic() + 20)
    with db.cursor() as cursor:
        cursor.execute("SHOW STATUS LIKE 'Ssl_cipher'")
        ((_, cipher),) = cursor.fetchall()
    db.close()
    assert bool(cipher) == encrypted


def test_a_server_that_says_nothing(server: MariaDb) -> None:
    with silence() as port:
        failed = attempt(server, seconds=1.5, PORT=str(port))
    assert failed is not None
    assert failed.step is Step.ANSWER
    assert "no server of MySQL or MariaDB" in failed.message


def test_a_server_of_another_protocol(server: MariaDb) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            for _ in range(2):  # the first connection is made to see whether the address is reached
                peer, _ = listening.accept()
                with peer:
                    peer.sendall(b"SSH-2.0-something\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        failed = attempt(server, HOST="127.0.0.1", PORT=str(listening.getsockname()[1]))
        thread.join()
    assert failed is not None
    assert failed.step is Step.ANSWER
    assert failed.detail == "It speaks another protocol, where MySQL greets whoever connects."


def test_a_server_that_resets_the_connection(server: MariaDb) -> None:
    """As one does that is killed: the socket is closed at once, and not by who collects garbage."""
    reset = struct.pack("ii", 1, 0)  # SO_LINGER of no time
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def hang_up() -> None:
            with suppress(
                OSError
            ):  # until it is shut down: a reset may end the first connection before it is used, or the second
                while True:
                    peer, _ = listening.accept()
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, reset)
                    peer.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        with warnings.catch_warnings(record=True, action="always") as warned:
            failed = attempt(server, HOST="127.0.0.1", PORT=str(listening.getsockname()[1]))
            gc.collect()
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert failed is not None
    assert failed.step is Step.CONNECTION
    assert [str(warning.message) for warning in warned] == []
