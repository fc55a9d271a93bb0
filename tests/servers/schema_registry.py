"""A schema registry in the test's process, of the routes that readers and writers of messages use.

It can be stopped and started again at the same port, with what it knew.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote
from uuid import NAMESPACE_URL, uuid5

Answer = tuple[int, Any]
_NO_SCHEMA: Answer = (404, {"error_code": 40403, "message": "Schema not found"})


class SchemaRegistry:
    """`asked` are the paths of all requests; `interfere` may answer in its place.  `refused` are subjects that take no further schema,
    and what is said of it then; `levels` the compatibility that was set for subjects."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.interfere: Answer | None = None
        self.refused: dict[str, str] = {}
        self.levels: dict[str, str] = {}
        self._schemas: dict[int, dict[str, Any]] = {}
        self._versions: dict[str, list[int]] = {}
        self._lock = threading.Lock()
        self._server: ThreadingHTTPServer | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def register(
        self,
        subject: str,
        schema: Any,
        references: Sequence[tuple[str, str, int]] = (),
        kind: str | None = None,
    ) -> int:
        """The id; a schema that is known keeps its own.  References are name, subject and version."""
        known: dict[str, Any] = {"schema": schema if isinstance(schema, str) else json.dumps(schema)}
        if references:
            known["references"] = [
                {"name": name, "subject": of, "version": version} for name, of, version in references
            ]
        if kind is not None:
            known["schemaType"] = kind
        with self._lock:
            id_ = next((i for i, other in self._schemas.items() if other == known), len(self._schemas) + 1)
            self._schemas[id_] = known
            versions = self._versions.setdefault(subject, [])
            if id_ not in versions:
                versions.append(id_)
            return id_

    @staticmethod
    def guid(id_: int) -> str:
        """Of the schema of that id."""
        return str(uuid5(NAMESPACE_URL, f"schema {id_}"))

    def versions(self, subject: str) -> list[tuple[int, Any]]:
        """Ids and schemas, the first one first."""
        return [(i, json.loads(self._schemas[i]["schema"])) for i in self._versions.get(subject, ())]

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Answer:
        self.asked.append(path)
        if self.interfere is not None:
            return self.interfere
        match method, [unquote(part) for part in path.split("?")[0].strip("/").split("/")]:
            case "GET", ["subjects"]:
                return 200, sorted(self._versions)
            case "GET", ["schemas", "ids", id_]:
                found = self._schemas.get(int(id_))
                return (200, found) if found else _NO_SCHEMA
            case "GET", ["schemas", "guids", guid]:
                named = next((known for i, known in self._schemas.items() if self.guid(i) == guid), None)
                return (200, named) if named else _NO_SCHEMA
            case "GET", ["subjects", subject, "versions", version]:
                return self._version(subject, version)
            case "POST", ["subjects", subject, "versions"] if subject in self.refused:
                return 409, {"error_code": 409, "message": self.refused[subject]}
            case "POST", ["subjects", subject, "versions"]:
                names = [(r["name"], r["subject"], r["version"]) for r in body.get("references", ())]
                id_ = self.register(subject, body["schema"], names, body.get("schemaType"))
                return 200, {"id": id_, "guid": self.guid(id_)}
            case "GET", ["config", subject]:
                if subject not in self.levels:
                    return 404, {"error_code": 40408, "message": "No compatibility of its own"}
                return 200, {"compatibilityLevel": self.levels[subject]}
            case "PUT", ["config", subject]:
                self.levels[subject] = body["compatibility"]
                return 200, body
            case _:
                return 404, {"error_code": 404, "message": "HTTP 404 Not Found"}

    def _version(self, subject: str, version: str) -> Answer:
        versions = self._versions.get(subject)
        if versions is None:
            return 404, {"error_code": 40401, "message": "Subject not found"}
        number = len(versions) if version == "latest" else int(version)
        if not 1 <= number <= len(versions):
            return 404, {"error_code": 40402, "message": "Version not found"}
        id_ = versions[number - 1]
        return 200, {"subject": subject, "version": number, "id": id_, **self._schemas[id_]}

    def start(self) -> None:
        registry = self

        class Handler(BaseHTTPRequestHandler):
            def _answer(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length)) if length else {}
                status, said = registry.answer(self.command, self.path, body)
                content = said if isinstance(said, bytes) else json.dumps(said).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = do_PUT = _answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        class Server(ThreadingHTTPServer):
            daemon_threads = True
            allow_reuse_address = True

        self._server = Server(("127.0.0.1", self.port), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True
        ).start()

    def stop(self) -> None:
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None


@contextmanager
def schema_registry() -> Iterator[SchemaRegistry]:
    registry = SchemaRegistry()
    registry.start()
    try:
        yield registry
    finally:
        registry.stop()


def main() -> None:
    """Serves until standard input ends, and prints where: `python -m servers.schema_registry`, in this folder's parent."""
    with schema_registry() as registry:
        print(registry.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
