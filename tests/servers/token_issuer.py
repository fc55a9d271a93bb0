"""An issuer of tokens in the test's process: HTTPS, OpenID's discovery, and keys that may change.

`answers` may be set to say something else at a path.
"""

from __future__ import annotations

import json
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import ECAlgorithm, OKPAlgorithm, RSAAlgorithm
from ptvc.clock import SystemClock

from .certificates import Authority

DISCOVERY, KEYS = "/.well-known/openid-configuration", "/keys"
Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey


@cache
def rsa_key(bits: int = 2048) -> rsa.RSAPrivateKey:
    """One for all, as it takes a while to find."""
    return rsa.generate_private_key(65537, bits)


def new_key(algorithm: str = "ES256") -> Private:
    """But of RSA, which has one for all."""
    curves: dict[str, ec.EllipticCurve] = {
        "ES256": ec.SECP256R1(),
        "ES384": ec.SECP384R1(),
        "ES512": ec.SECP521R1(),
    }
    if algorithm in curves:
        return ec.generate_private_key(curves[algorithm])
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    return rsa_key()


def public(key: Private, name: str, **more: Any) -> dict[str, Any]:
    """As a JSON web key."""
    if isinstance(key, rsa.RSAPrivateKey):
        found = RSAAlgorithm.to_jwk(key.public_key(), as_dict=True)
    elif isinstance(key, ec.EllipticCurvePrivateKey):
        found = ECAlgorithm.to_jwk(key.public_key(), as_dict=True)
    else:
        found = OKPAlgorithm.to_jwk(key.public_key(), as_dict=True)
    return {**found, "kid": name, **more}


class TokenIssuer:
    """`root` is a file with the authority of its certificate; `asked` are the paths of all requests."""

    def __init__(self, directory: Path) -> None:
        authority = Authority()
        made = authority.certify("localhost", "127.0.0.1")
        self.root = directory / "issuer-root.pem"
        self.root.write_text(authority.certificate)
        files = directory / "issuer.pem", directory / "issuer.key"
        for file, text in zip(files, (made.certificate, made.key), strict=True):
            file.touch(mode=0o600)
            file.write_text(text)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*files)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self.url = f"https://localhost:{self._server.server_address[1]}"
        self.asked: list[str] = []
        self.keys: dict[str, Private] = {"first": new_key()}
        self.published: list[dict[str, Any]] | None = None
        """In place of the keys."""
        self.answers: dict[str, tuple[int, dict[str, str], bytes]] = {}

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def token(
        self, kid: str | None = "first", algorithm: str = "ES256", key: Any = None, **claims: Any
    ) -> str:
        """As it gives them to `ann`, for `ptvc`, for ten minutes; a claim that is None is left out."""
        now = SystemClock().now_ms() // 1000
        given = {"iss": self.url, "aud": "ptvc", "sub": "ann", "iat": now, "exp": now + 600, **claims}
        headers = {} if kid is None else {"kid": kid}
        return jwt.encode(
            {name: value for name, value in given.items() if value is not None},
            self.keys[kid or "first"] if key is None else key,
            algorithm,
            headers=headers,
        )

    def answer(self, path: str) -> tuple[int, dict[str, str], bytes]:
        self.asked.append(path)
        if path in self.answers:
            return self.answers[path]
        if path == DISCOVERY:
            return 200, {}, json.dumps({"issuer": self.url, "jwks_uri": self.url + KEYS}).encode()
        if path == KEYS:
            keys = [public(key, name) for name, key in self.keys.items()]
            return 200, {}, json.dumps({"keys": self.published or keys}).encode()
        return 404, {}, b""


def _handler(issuer: TokenIssuer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = issuer.answer(self.path)
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


@contextmanager
def issuing(directory: Path) -> Iterator[TokenIssuer]:
    issuer = TokenIssuer(directory)
    issuer.start()
    try:
        yield issuer
    finally:
        issuer.stop()
