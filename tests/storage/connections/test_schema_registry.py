"""A schema registry, tried over HTTP and over TLS with certificates of the test's own."""

from __future__ import annotations

import base64
from time import monotonic

import pytest
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed, Step
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef, Value
from ptvc.storage.connections.validation import validate
from servers.certificates import Authority
from servers.ports import free_port

from .outside import registry, silence

PASSWORD = "pässword-of-the-registry"
CREDENTIALS: dict[str, Value] = {"USERNAME": "ann", "PASSWORD": SecretRef("u1")}


def attempt(secrets: dict[str, bytes] | None = None, seconds: float = 10, **values: Value) -> None:
    named = {name.replace("_", " "): value for name, value in values.items()}
    options = ConnectionOptions(ConnectionKind.CONFLUENT_SCHEMA_REGISTRY, named)
    options.check()
    validate(options, secrets or {"u1": PASSWORD.encode()}, Addresses(), monotonic() + seconds)


def failure(
    secrets: dict[str, bytes] | None = None, seconds: float = 10, **values: Value
) -> ConnectionFailed:
    with pytest.raises(ConnectionFailed) as failed:
        attempt(secrets, seconds, **values)
    error = failed.value
    told = f"{error.message} {error.detail} {error.hint}"
    assert PASSWORD not in told
    assert base64.b64encode(f"ann:{PASSWORD}".encode()).decode() not in told
    return error


def test_over_http() -> None:
    with registry() as found:
        attempt(URL=f"http://localhost:{found.port}/prefix/")
        assert "Authorization" not in found.requests[0]
        assert found.requests[0]["Host"] == f"localhost:{found.port}"
        found.authorization = "Basic " + base64.b64encode(f"ann:{PASSWORD}".encode()).decode()
        attempt(URL=f"http://localhost:{found.port}/prefix", **CREDENTIALS)
        error = failure({"u1": b"wrong"}, URL=f"http://localhost:{found.port}/prefix", **CREDENTIALS)
        assert (error.step, error.sqlstate) == (Step.AUTHENTICATION, "28000")
        assert "authentication failed (HTTP status 401)" in error.message


def test_what_is_no_registry() -> None:
    with registry() as found:
        url = f"http://127.0.0.1:{found.port}/prefix"
        assert "HTTP status 404" in failure(URL=f"http://127.0.0.1:{found.port}").message
        found.body = {"hello": "world"}
        assert "no list of subjects" in failure(URL=url).message
        found.body = b"<html>"
        assert "no list of subjects" in failure(URL=url).message
        found.status, found.location = 302, "http://169.254.169.254/latest"
        error = failure(URL=url, **CREDENTIALS)
        assert (error.step, error.hint) == (
            Step.ANSWER,
            "A redirection is not followed: name where it leads.",
        )


def test_what_does_not_answer() -> None:
    error = failure(URL=f"http://127.0.0.1:{free_port()}")
    assert (error.step, "connection refused" in error.message) == (Step.CONNECTION, True)
    with silence() as port:
        error = failure(seconds=0.3, URL=f"http://127.0.0.1:{port}")
        assert (error.step, "does not answer in time" in error.message) == (Step.CONNECTION, True)
        error = failure(seconds=0.3, URL=f"https://127.0.0.1:{port}")
        assert error.step is Step.CONNECTION


def test_over_tls_with_an_authority_of_its_own() -> None:
    authority = Authority()
    with registry(authority.certify("localhost", "127.0.0.1")) as found:
        url = f"https://localhost:{found.port}/prefix"
        attempt(URL=url, SSL_CERTIFICATE_AUTHORITY=authority.certificate)
        attempt({"u1": authority.certificate.encode()}, URL=url, SSL_CERTIFICATE_AUTHORITY=SecretRef("u1"))
        for error in (failure(URL=url), failure(URL=url, SSL_CERTIFICATE_AUTHORITY=Authority().certificate)):
            assert (error.step, error.sqlstate) == (Step.TLS, "08P01")
            assert "its certificate is not accepted" in error.message
            assert error.detail is not None
        assert len(found.requests) == 2
    with registry(authority.certify("elsewhere.example")) as found:
        error = failure(
            URL=f"https://localhost:{found.port}/prefix", SSL_CERTIFICATE_AUTHORITY=authority.certificate
        )
        assert (error.step, found.requests) == (Step.TLS, [])
        assert "localhost" in str(error.detail)


def test_with_a_certificate_of_the_client() -> None:
    authority = Authority()
    mine = authority.certify("ann")
    with registry(authority.certify("localhost"), authority) as found:
        url = f"https://localhost:{found.port}/prefix"
        given: dict[str, Value] = {"SSL_CERTIFICATE_AUTHORITY": authority.certificate}
        assert failure(URL=url, **given).step in (Step.TLS, Step.ANSWER)
        given |= {"SSL_CERTIFICATE": mine.certificate, "SSL_KEY": SecretRef("u1")}
        attempt({"u1": mine.key.encode()}, URL=url, **given)
        error = failure({"u1": b"no key"}, URL=url, **given)
        assert (error.step, "SSL KEY" in error.message) == (Step.TLS, True)
        assert error.__context__ is None or "no key" not in str(error.__context__)


def test_tls_where_there_is_none() -> None:
    with registry() as found:
        assert failure(URL=f"https://localhost:{found.port}/prefix").step is Step.TLS
