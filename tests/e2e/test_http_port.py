"""`--http-port`, as its user meets it: where it is said, and what is said when it cannot be had."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from ptvc import server
from ptvc.directory import RuntimeInfo
from ptvc.errors import PtvcError


def refused(directory: Path, *options: str, code: int = 1) -> str:
    """What `ptvc serve` says as it ends."""
    command = [sys.executable, "-m", "ptvc", "serve", "--path", str(directory), "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr
    return done.stderr


@pytest.mark.slow
def test_a_port_that_is_taken(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = refused(tmp_path / "e", "--http-port", str(port))
    assert f"cannot listen on 127.0.0.1:{port}: Address already in use" in said
    assert "Traceback" not in said
    assert RuntimeInfo.read(tmp_path / "e") is None
    assert {path.name for path in (tmp_path / "e").iterdir()} == {"lock", "log"}  # nothing was begun
    assert not (tmp_path / "e" / "log" / "driver.log").exists()


@pytest.mark.slow
def test_a_port_that_is_none(tmp_path: Path) -> None:
    said = refused(tmp_path / "e", "--http-port", "70000", code=2)
    assert "--http-port" in said
    assert "65535" in said


def test_without_the_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "HTTP_PACKAGES", ("uvicorn", "no_such_package"))
    with pytest.raises(PtvcError, match="no_such_package, which is not installed") as raised:
        server._check_http()
    assert raised.value.hint == "Install them with: pip install 'dbt-ptvc[http]'"


@pytest.mark.slow
def test_up_and_status_say_where_it_is(tmp_path: Path) -> None:
    path = ["--path", str(tmp_path / "e")]
    try:
        up = said(["up", *path, "--http-port", "0"])
        info = RuntimeInfo.read(tmp_path / "e")
        assert info is not None
        assert info.http_port is not None
        assert f"http://127.0.0.1:{info.http_port}" in up
        assert f"http://127.0.0.1:{info.http_port}" in said(["status", *path])
        connection = http.client.HTTPConnection("127.0.0.1", info.http_port, timeout=30)
        connection.request("GET", "/api/readyz")
        assert connection.getresponse().read() == b"ready\n"
        connection.close()
    finally:
        said(["down", *path])
    assert RuntimeInfo.read(tmp_path / "e") is None


def said(arguments: list[str]) -> str:
    """What the command prints, as if lines were endless."""
    command = [sys.executable, "-m", "ptvc", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.replace("\n", "")
