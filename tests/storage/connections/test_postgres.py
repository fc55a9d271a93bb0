"""A real PostgreSQL that asks for a password, tried."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from time import monotonic

import pytest
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed, Step
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef, Value
from ptvc.storage.connections.postgres import settings
from ptvc.storage.connections.secret_files import secret_files
from ptvc.storage.connections.validation import validate
from ptvc.storage.connections.values import Values
from servers.certificates import Authority
from servers.mysql_servers import server_of

from .outside import postgres_with_passwords, silence

PASSWORD = "hunter2-of-postgres"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with postgres_with_passwords("ann", PASSWORD) as port:
        yield port


def attempt(password: bytes | None = PASSWORD.encode(), seconds: float = 20, **values: Value) -> None:
    given: dict[str, Value] = {"HOST": "localhost", "DATABASE": "postgres", "USER": "ann"}
    given |= {name.replace("_", " "): value for name, value in values.items()}
    if password is not None:
        given["PASSWORD"] = SecretRef("u1")
    options = ConnectionOptions(ConnectionKind.POSTGRES, given)
    options.check()
    validate(options, {"u1": password or b""}, Addresses(), monotonic() + seconds)


def failure(
    password: bytes | None = PASSWORD.encode(), seconds: float = 20, **values: Value
) -> ConnectionFailed:
    with pytest.raises(ConnectionFailed) as failed:
        attempt(password, seconds, **values)
    error = failed.value
    told = f"{error.message} {error.detail} {error.hint}"
    assert PASSWORD not in told
    if password:
        assert password.decode() not in told
    return error


def test_the_right_password(port: int) -> None:
    attempt(PORT=str(port))
    attempt(PORT=str(port), SSL_MODE="disable", HOST="127.0.0.1")


@pytest.mark.parametrize("password", [b"wrong-password", None])
def test_a_wrong_password_or_none(
    port: int, password: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the process's own environment has is not tried instead."""
    (tmp_path / "pgpass").write_text(f"*:*:*:*:{PASSWORD}\n")
    (tmp_path / "pgpass").chmod(0o600)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "pgpass"))
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    error = failure(password, PORT=str(port))
    assert (error.step, error.sqlstate) == (Step.AUTHENTICATION, "28000")
    assert f"PostgreSQL at localhost:{port}: authentication failed" in error.message


def test_a_database_that_is_not_there(port: int) -> None:
    error = failure(PORT=str(port), DATABASE="nowhere")
    assert (error.step, 'database "nowhere" does not exist' in str(error.detail)) == (Step.ANSWER, True)


@pytest.mark.parametrize("mode", ["require", "verify-full"])
def test_tls_where_the_server_has_none(port: int, mode: str) -> None:
    error = failure(PORT=str(port), SSL_MODE=mode)
    assert (error.step, error.sqlstate) == (Step.TLS, "08P01")


@pytest.mark.parametrize("mode", ["prefer", "require", "disable"])
def test_a_server_of_another_kind(mode: str) -> None:
    with server_of("mariadb") as server:
        error = failure(PORT=str(server.port), SSL_MODE=mode)
    assert error.step is Step.ANSWER
    assert error.message.endswith("what answers is no PostgreSQL")


def test_what_does_not_answer() -> None:
    with silence() as port:
        begun = monotonic()
        error = failure(PORT=str(port), seconds=2)
        assert error.step is Step.CONNECTION
        assert monotonic() - begun < 10


def test_settings_have_files_for_what_libpq_takes_from_files() -> None:
    authority = Authority()
    mine = authority.certify("ann")
    options = ConnectionOptions(
        ConnectionKind.POSTGRES,
        {
            "HOST": "db.example",
            "DATABASE": "d",
            "USER": SecretRef("u2"),
            "SSL MODE": "verify-full",
            "SSL CERTIFICATE AUTHORITY": authority.certificate,
            "SSL CERTIFICATE": mine.certificate,
            "SSL KEY": SecretRef("u1"),
        },
    )
    values = Values(options, {"u1": mine.key.encode(), "u2": b"ann"})
    assert mine.key not in repr(values)
    with secret_files() as files:
        found = settings(values, files, "10.0.0.1")
        assert Path(found["sslkey"]).read_text() == mine.key
        assert Path(found["sslkey"]).stat().st_mode & 0o777 == 0o600
        assert Path(found["sslrootcert"]).read_text() == authority.certificate
        assert Path(found["sslcert"]).read_text() == mine.certificate
    assert not Path(found["sslkey"]).exists()
    assert (found["host"], found["hostaddr"], found["user"]) == ("db.example", "10.0.0.1", "ann")
    assert (found["password"], found["passfile"], found["sslmode"]) == ("", "/dev/null", "verify-full")
