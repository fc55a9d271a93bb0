"""A REST catalog of Iceberg, as far as a sink asks it: over a SQL catalog in a directory, on a port of this machine."""

from __future__ import annotations

import json
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from pyiceberg import exceptions
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.table import CommitTableRequest, Table


@dataclass
class RestCatalogServer:
    """`lose` says of a commit that was made whether its answer is lost; `token` is what clients have to show."""

    port: int
    warehouse: str
    token: str
    lose: Callable[[], bool] = lambda: False
    commits: int = 0
    config: dict[str, str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@contextmanager
def iceberg_rest(directory: Path, token: str) -> Iterator[RestCatalogServer]:
    warehouse = f"file://{directory}/warehouse"
    catalog = SqlCatalog("rest", uri=f"sqlite:///{directory}/rest.db", warehouse=warehouse)
    lock = threading.Lock()

    class Handler(_Handler):
        def answered(self, method: str, path: list[str], body: Any) -> tuple[int, Any]:
            if self.headers.get("Authorization") != f"Bearer {token}":
                return 401, _error(401, "NotAuthorizedException", "not authorized")
            with lock:
                return _answer(server_, catalog, method, path, body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server_ = RestCatalogServer(server.server_port, warehouse, token)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server_
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        catalog.engine.dispose()


class _Handler(BaseHTTPRequestHandler, ABC):
    @abstractmethod
    def answered(self, method: str, path: list[str], body: Any) -> tuple[int, Any]:
        """The status and the body of the answer."""

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        path = [unquote(part) for part in self.path.partition("?")[0].strip("/").split("/")]
        status, answer = self.answered(self.command, path, body)
        data = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    do_GET = do_POST = do_HEAD = do_DELETE = _serve

    def log_message(self, *args: Any) -> None:
        """Nothing is printed."""


def _answer(
    server: RestCatalogServer, catalog: SqlCatalog, method: str, path: list[str], body: Any
) -> tuple[int, Any]:
    try:
        match method, path[1:]:
            case "GET", ["config"]:
                return 200, {"defaults": {}, "overrides": server.config}
            case "GET", ["namespaces"]:
                return 200, {"namespaces": [list(name) for name in catalog.list_namespaces()]}
            case "POST", ["namespaces"]:
                catalog.create_namespace(tuple(body["namespace"]))
                return 200, {"namespace": body["namespace"], "properties": {}}
            case (("GET" | "HEAD"), ["namespaces", name]):
                if not catalog.namespace_exists(name):
                    return 404, _error(404, "NoSuchNamespaceException", name)
                return 200, {"namespace": [name], "properties": {}}
            case "GET", ["namespaces", name, "tables"]:
                found = catalog.list_tables(name)
                return 200, {"identifiers": [{"namespace": list(n[:-1]), "name": n[-1]} for n in found]}
            case "POST", ["namespaces", name, "tables"]:
                made = catalog.create_table(
                    (name, body["name"]),
                    Schema.model_validate(body["schema"]),
                    partition_spec=PartitionSpec.model_validate(body.get("partition-spec") or {"fields": []}),
                    properties=body.get("properties") or {},
                )
                return 200, _loaded(made)
            case "GET", ["namespaces", name, "tables", table]:
                return 200, _loaded(catalog.load_table((name, table)))
            case "POST", ["namespaces", name, "tables", table]:
                request = CommitTableRequest.model_validate(body)
                there = catalog.load_table((name, table))
                done = catalog.commit_table(there, request.requirements, request.updates)
                server.commits += 1
                if server.lose():
                    return 502, _error(502, "BadGateway", "the answer got lost")
                return 200, done.model_dump(mode="json", by_alias=True)
            case "POST", ["transactions", "commit"]:
                (change,) = body[
                    "table-changes"
                ]  # as of DuckDB; of several they would not be one commit here
                there = catalog.load_table((*change["identifier"]["namespace"], change["identifier"]["name"]))
                request = CommitTableRequest.model_validate(change)
                catalog.commit_table(there, request.requirements, request.updates)
                server.commits += 1
                return 204, None
    except exceptions.NamespaceAlreadyExistsError as error:
        return 409, _error(409, "AlreadyExistsException", str(error))
    except (exceptions.NoSuchTableError, exceptions.NoSuchNamespaceError) as error:
        return 404, _error(404, "NoSuchTableException", str(error))
    except exceptions.CommitFailedException as error:
        return 409, _error(409, "CommitFailedException", str(error))
    return 404, _error(404, "NotFound", "/".join(path))


def _loaded(table: Table) -> dict[str, Any]:
    metadata = table.metadata.model_dump(mode="json", by_alias=True)
    return {"metadata-location": table.metadata_location, "metadata": metadata, "config": {}}


def _error(code: int, kind: str, message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "code": code}}
