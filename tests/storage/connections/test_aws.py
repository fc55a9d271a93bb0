"""S3, tried: moto's, and answers that moto does not give, as S3 words them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from threading import Thread
from time import monotonic
from typing import Any

import pytest
from ptvc.errors import PtvcError
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed, Step
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef
from ptvc.storage.connections.validation import validate
from servers.certificates import Authority
from servers.ports import free_port
from servers.s3_server import S3Server

from .outside import registry, silence

KEY = "hunter2-secret-access-key"


def attempt(endpoint: str, seconds: float = 10) -> None:
    options = ConnectionOptions(
        ConnectionKind.AWS,
        {"ENDPOINT": endpoint, "ACCESS KEY ID": "AKIA", "SECRET ACCESS KEY": SecretRef("u1")},
    )
    options.check()
    validate(options, {"u1": KEY.encode()}, Addresses(), monotonic() + seconds)


def failure(endpoint: str, seconds: float = 10) -> ConnectionFailed:
    with pytest.raises(ConnectionFailed) as failed:
        attempt(endpoint, seconds)
    assert KEY not in f"{failed.value.message} {failed.value.detail}"
    return failed.value


@contextmanager
def answering(status: int, code: str) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            text = f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{KEY}</Message></Error>".encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_server_that_knows_the_key(s3: S3Server) -> None:
    attempt(s3.endpoint)


@pytest.mark.parametrize(("status", "code"), [(404, "NoSuchBucket"), (403, "AccessDenied")])
def test_what_a_known_key_is_told(status: int, code: str) -> None:
    with answering(status, code) as endpoint:
        attempt(endpoint)


@pytest.mark.parametrize("code", ["InvalidAccessKeyId", "SignatureDoesNotMatch", "ExpiredToken"])
def test_what_an_unknown_key_is_told(code: str) -> None:
    with answering(403, code) as endpoint:
        error = failure(endpoint)
    assert (error.step, error.sqlstate) == (Step.AUTHENTICATION, "28000")
    assert error.message.endswith(f"authentication failed ({code})")


def test_what_is_no_s3() -> None:
    with answering(500, "InternalError") as endpoint:
        assert failure(endpoint).step is Step.ANSWER
    with answering(200, "NotAList") as endpoint:
        assert failure(endpoint).step is Step.ANSWER
    with answering(301, "PermanentRedirect") as endpoint:
        assert failure(endpoint).step is Step.ANSWER
    with registry(Authority().certify("localhost")) as found:
        error = failure(f"https://localhost:{found.port}")
        assert (error.step, error.detail) == (Step.TLS, "UnknownIssuer")
    with silence() as port:
        assert failure(f"http://127.0.0.1:{port}", seconds=1).step is Step.CONNECTION
    error = failure(f"http://127.0.0.1:{free_port()}")
    assert (error.step, "connection refused" in error.message) == (Step.CONNECTION, True)
    assert failure("http://169.254.169.254").step is Step.POLICY


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "obstore", None)
    with pytest.raises(PtvcError, match="need the package obstore") as refused:
        attempt("http://127.0.0.1:1")
    assert refused.value.hint == "pip install 'dbt-ptvc[s3]', and start the runtime again."
