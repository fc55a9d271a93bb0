"""An S3 of the test run's own: moto's, in a process of its own, on a free port of the loopback or another address, with faults on demand.

Faults are said beforehand, one for each of the next requests (None for one that goes well), or drawn with a seed:

- `unavailable`: 503 SlowDown, and nothing is done
- `lost_request`: the connection is cut, and nothing is done
- `lost_reply`: it is done, and the connection is cut
- `late`: it is done, and the answer comes after `LATE_S`
- `cut`: it is done, and half of the answer comes
- `conflict`: 409, as for a conditional write while another one is under way, and nothing is done

`python s3_server.py HOST` serves until its standard input ends, and prints its port first.
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from random import Random
from time import sleep
from typing import Any
from urllib.parse import quote, urlencode
from urllib.request import ProxyHandler, Request, build_opener

CREDENTIALS = {"AWS_ACCESS_KEY_ID": "testing", "AWS_SECRET_ACCESS_KEY": "testing-secret"}
FAULTS = ("unavailable", "lost_request", "lost_reply", "cut")
LATE_S = 1.5
PAGE = 7
"""Names in one answer to who lists; S3 itself gives a thousand."""
_CONTROL = "/-/faults"
_HEADERS = {
    "X-Without-Faults": "1",
    "Content-Type": "application/octet-stream",
    # Nobody checks the signature, but it is somebody's.
    "Authorization": "AWS4-HMAC-SHA256 Credential=testing/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=0",
}
_REFUSALS = {"unavailable": "503 SlowDown", "conflict": "409 ConditionalRequestConflict"}


class S3Server:
    """The server, as tests see it.  What they do here goes around the faults."""

    def __init__(self, port: int, host: str = "127.0.0.1") -> None:
        self.endpoint = f"http://{host}:{port}"
        self._buckets = count(1)

    def bucket(self) -> str:
        """A new bucket."""
        name = f"bucket-{next(self._buckets)}"
        self._ask("PUT", f"/{name}")
        return name

    def url(self, bucket: str, prefix: str = "") -> str:
        slash = "/" if prefix else ""
        return f"s3://{bucket}{slash}{prefix}?" + urlencode(
            {"endpoint": self.endpoint, "region": "us-east-1"}
        )

    def write(self, bucket: str, name: str, data: bytes) -> None:
        self._ask("PUT", f"/{bucket}/{quote(name)}", data)

    def read(self, bucket: str, name: str) -> bytes:
        return self._ask("GET", f"/{bucket}/{quote(name)}")

    def delete(self, bucket: str, name: str) -> None:
        self._ask("DELETE", f"/{bucket}/{quote(name)}")

    def names(self, bucket: str) -> list[str]:
        """Of the objects in a bucket, a thousand at most."""
        listed = self._ask("GET", f"/{bucket}?list-type=2&max-keys=1000").decode()
        return re.findall(r"<Key>(.*?)</Key>", listed)

    def fail(self, *faults: str | None) -> None:
        """One for each of the next requests; the same again takes back what has not come about."""
        self._control({"next": faults})

    def fail_at_random(self, rate: float, seed: int) -> None:
        self._control({"rate": rate, "seed": seed})

    def served(self) -> int:
        """Requests so far."""
        return int(json.loads(self._ask("GET", _CONTROL))["served"])

    def waiting(self) -> bool:
        """Whether an answer is being held back."""
        return bool(json.loads(self._ask("GET", _CONTROL))["waiting"])

    def _control(self, what: dict[str, Any]) -> None:
        self._ask("POST", _CONTROL, json.dumps(what).encode())

    def _ask(self, method: str, path: str, data: bytes | None = None) -> bytes:
        request = Request(self.endpoint + path, data, _HEADERS, method=method)
        with build_opener(ProxyHandler({})).open(request, timeout=30) as answer:
            body: bytes = answer.read()
        return body


@contextmanager
def running_s3(host: str = "127.0.0.1") -> Iterator[S3Server]:
    """A server, and credentials for it in the environment; both are gone on exit."""
    command = [sys.executable, __file__, host]
    pages = {"MOTO_S3_DEFAULT_MAX_KEYS": str(PAGE)}
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **pages}
    )
    assert process.stdout is not None
    before = {name: os.environ.get(name) for name in CREDENTIALS}
    os.environ.update(CREDENTIALS)
    try:
        line = process.stdout.readline()
        assert line, "moto's server did not start"
        yield S3Server(int(line), host)
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        process.kill()
        process.communicate()


Start = Callable[..., Any]


class _Faulty:
    """In front of the application, in the server's process."""

    def __init__(self, application: Callable[[dict[str, Any], Start], Iterable[bytes]]) -> None:
        self._application = application
        self._lock = threading.Lock()
        self._next: list[str | None] = []
        self._random, self._rate = Random(0), 0.0
        self._served = self._waiting = 0

    def __call__(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        if environ["PATH_INFO"] == _CONTROL:
            return self._controlled(environ, start)
        if "HTTP_X_WITHOUT_FAULTS" in environ:
            return self._application(environ, start)
        match fault := self._fault():
            case "unavailable" | "conflict":
                code = _REFUSALS[fault].split()[1]
                body = f"<?xml version='1.0'?><Error><Code>{code}</Code></Error>".encode()
                start(_REFUSALS[fault], [("Content-Length", str(len(body)))])
                return [body]
            case "lost_request":
                _hang_up(environ)
                return []
        answer: Sequence[bytes] = list(self._application(environ, start))
        match fault:
            case "lost_reply":
                _hang_up(environ)
            case "late":
                self._waiting += 1
                sleep(LATE_S)
                self._waiting -= 1
            case "cut":
                return _half(environ, b"".join(answer))
        return answer

    def _fault(self) -> str | None:
        with self._lock:
            self._served += 1
            if self._next:
                return self._next.pop(0)
            return self._random.choice(FAULTS) if self._random.random() < self._rate else None

    def _controlled(self, environ: dict[str, Any], start: Start) -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "POST":
            what = json.loads(environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"])))
            with self._lock:
                self._next = list(what.get("next", ()))
                self._random, self._rate = Random(what.get("seed", 0)), what.get("rate", 0.0)
        body = json.dumps({"served": self._served, "waiting": self._waiting}).encode()
        start("200 OK", [("Content-Length", str(len(body)))])
        return [body]


def _half(environ: dict[str, Any], data: bytes) -> Iterator[bytes]:
    yield data[: len(data) // 2]
    _hang_up(environ)


def _hang_up(environ: dict[str, Any]) -> None:
    environ["werkzeug.socket"].shutdown(socket.SHUT_RDWR)


def main() -> None:
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    server = make_server(
        sys.argv[1], 0, _Faulty(DomainDispatcherApplication(create_backend_app)), threaded=True
    )
    sys.stderr = open(os.devnull, "w")  # noqa: SIM115  # it says every request
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(server.port, flush=True)
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    main()
