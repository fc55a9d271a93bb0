"""What connections lead to, in the test's process: a schema registry over HTTP and HTTPS, and a PostgreSQL that asks for passwords."""

from __future__ import annotations

import json
import socket
import ssl
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from oracle import postgres_server
from servers.certificates import Authority, Certified
from servers.postgres_listening import create_user, listen


class Registry:
    """A schema registry that knows one route; `requests` are the headers that came."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[dict[str, str]] = []
        self.status = 200
        self.body: Any = ["a-value"]
        self.location: str | None = None
        self.authorization: str | None = None
        """What must be said; None: nothing."""


@contextmanager
def registry(certified: Certified | None = None, authority: Authority | None = None) -> Iterator[Registry]:
    """Over HTTPS with a certificate; with an authority too, clients need one of its certificates."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found.requests.append(dict(self.headers))
            refused = found.authorization not in (None, self.headers.get("Authorization"))
            status = 401 if refused else found.status
            said = {"error_code": status, "message": str(self.headers)} if refused else found.body
            body = said if isinstance(said, bytes) else json.dumps(said).encode()
            self.send_response(status if self.path == "/prefix/subjects" else 404)
            if found.location is not None:
                self.send_header("Location", found.location)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: Any, client_address: Any) -> None:
            pass  # a client that does not trust it hangs up

    server = Server(("127.0.0.1", 0), Handler)
    if certified is not None:
        server.socket = _context(certified, authority).wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
    found = Registry(server.server_address[1])
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _context(certified: Certified, authority: Authority | None) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = Path(folder) / "certificate.pem", Path(folder) / "key.pem"
        certificate.write_text(certified.certificate)
        key.write_text(certified.key)
        context.load_cert_chain(certificate, key)
    if authority is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=authority.certificate)
    return context


@contextmanager
def silence() -> Iterator[int]:
    """The port of something that accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@contextmanager
def postgres_with_passwords(user: str, password: str) -> Iterator[int]:
    """The port of a real PostgreSQL on the loopback, in which the user has that password (SCRAM-SHA-256)."""
    with postgres_server() as server:
        create_user(server.get_uri(), user, password)
        yield listen(server).port
