"""Connections to Iceberg's catalogs are tried."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import psycopg
import pytest
from ptvc.storage.connections.addresses import Addresses
from ptvc.storage.connections.failures import ConnectionFailed
from ptvc.storage.connections.options import ConnectionKind, ConnectionOptions, SecretRef, Value
from ptvc.storage.connections.validation import validate
from servers.iceberg_rest import iceberg_rest
from servers.ports import free_port

from .outside import postgres_with_passwords

SECRET = SecretRef("u1")


def attempt(values: dict[str, Value], secret: bytes = b"") -> None:
    options = ConnectionOptions(ConnectionKind.ICEBERG_CATALOG, values)
    options.check()
    validate(options, {"u1": secret}, Addresses(), monotonic() + 10)


def test_a_server(tmp_path: Path) -> None:
    with iceberg_rest(tmp_path, "let me in") as server:
        rest: dict[str, Value] = {"CATALOG TYPE": "rest", "URL": server.url, "TOKEN": SECRET}
        attempt(rest, b"let me in")
        with pytest.raises(ConnectionFailed, match="authentication failed") as failed:
            attempt(rest, b"hunter2")
        assert failed.value.sqlstate == "28000"
        assert "hunter2" not in f"{failed.value.message} {failed.value.detail}"
    with pytest.raises(ConnectionFailed, match="connection refused"):
        attempt({"CATALOG TYPE": "rest", "URL": f"http://127.0.0.1:{free_port()}"})


def test_a_server_that_sends_its_clients_elsewhere(tmp_path: Path) -> None:
    with iceberg_rest(tmp_path, "t") as server:
        server.config = {"uri": "http://169.254.169.254/latest"}
        with pytest.raises(ConnectionFailed, match="are not allowed"):
            attempt({"CATALOG TYPE": "rest", "URL": server.url, "TOKEN": SECRET}, b"t")


def test_a_database_in_a_file(tmp_path: Path) -> None:
    local: dict[str, Value] = {"CATALOG TYPE": "sql", "WAREHOUSE": f"file://{tmp_path}/lake"}
    attempt({**local, "URL": f"sqlite:///{tmp_path}/c.db"})
    with pytest.raises(ConnectionFailed, match="does not answer as a catalog does"):
        attempt({**local, "URL": f"sqlite:///{tmp_path}/nowhere/c.db"})


def test_a_postgresql(tmp_path: Path) -> None:
    with postgres_with_passwords("ann", "secret") as port:
        where = f"host=127.0.0.1 port={port} user=ann password=secret dbname=postgres"
        with psycopg.connect(where, autocommit=True) as db:
            db.execute("CREATE SCHEMA ann")  # which comes first in the search path of its owner
        database: dict[str, Value] = {
            "CATALOG TYPE": "sql",
            "URL": f"postgresql://ann@127.0.0.1:{port}/postgres",
            "WAREHOUSE": f"file://{tmp_path}/lake",
            "CREDENTIAL": SECRET,
        }
        attempt(database, b"secret")
        with pytest.raises(ConnectionFailed, match="authentication failed") as failed:
            attempt(database, b"hunter2")
        assert "hunter2" not in f"{failed.value.message} {failed.value.detail}"
