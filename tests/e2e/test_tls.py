"""A runtime that listens beyond the loopback: what it demands before it does, and of those who come."""

from __future__ import annotations

import http.client
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from ptvc.directory import RuntimeInfo
from servers.certificates import Authority

from .runtime_process import Runtime


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_runtime_that_others_reach(tmp_path: Path) -> None:
    authority = Authority()
    root = tmp_path / "root.pem"
    root.write_text(authority.certificate)
    options = write_certificate(authority, tmp_path)
    outside = ("--host", "0.0.0.0", *options)

    inside = Runtime(tmp_path / "e")
    refusing = Runtime(tmp_path / "e", options=outside)
    with pytest.raises(AssertionError, match="the runtime did not start"):
        refusing.start()
    refusing.process.wait(60)
    refusing._close()
    assert "refusing to listen on 0.0.0.0: no role has a password" in refusing.log()

    inside.start()
    inside.run("ALTER ROLE ptvc PASSWORD 'secret'", "CREATE ROLE ann LOGIN", "CREATE TABLE t (a int)")
    inside.stop()

    runtime = Runtime(tmp_path / "e", options=(*outside, "--http-port", "0"))
    runtime.start()
    try:
        place = f"host=127.0.0.1 port={runtime.port} dbname=ptvc sslrootcert={root}"
        for negotiation in ("postgres", "direct"):
            bound = f"{place} sslmode=verify-full channel_binding=require sslnegotiation={negotiation}"
            with psycopg.connect(f"{bound} user=ptvc password=secret", autocommit=True) as db:
                assert db.pgconn.ssl_in_use
                db.execute("INSERT INTO t SELECT generate_series(1, 100000)")
                assert db.execute("SELECT count(*) > 0 FROM t").fetchone() == (True,)
                assert db.execute(
                    "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
                ).fetchone() == (
                    True,
                    "TLSv1.3",
                )
        with pytest.raises(psycopg.OperationalError, match="by TLS only"):
            psycopg.connect(f"{place} sslmode=disable user=ptvc password=secret")
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(f"{place} sslmode=require user=ptvc password=wrong")
        psql = ["psql", f"{place} sslmode=verify-full user=ptvc password=secret", "-Atc", "SELECT 1"]
        assert subprocess.run(psql, capture_output=True, text=True, check=True, timeout=60).stdout == "1\n"

        info = RuntimeInfo.read(tmp_path / "e")
        assert info is not None
        assert (info.host, info.http_scheme) == ("127.0.0.1", "https")
        assert info.http_port is not None
        before = served_by(info.http_port, root)
        write_certificate(authority, tmp_path)
        runtime.process.send_signal(signal.SIGHUP)
        runtime.eventually(lambda: served_by(info.http_port or 0, root) != before)
        with psycopg.connect(f"{place} sslmode=verify-full user=ptvc password=secret") as db:
            assert db.pgconn.ssl_in_use
        plain = http.client.HTTPConnection("127.0.0.1", info.http_port, timeout=30)
        plain.request("GET", "/api/livez")
        with pytest.raises((http.client.HTTPException, ConnectionError)):
            plain.getresponse()
        plain.close()
    finally:
        runtime.stop()


def served_by(port: int, root: Path) -> bytes | None:
    """The certificate that HTTPS shows, behind an answer."""
    connection = http.client.HTTPSConnection(
        "127.0.0.1", port, timeout=30, context=ssl.create_default_context(cafile=str(root))
    )
    try:
        connection.request("GET", "/api/livez")
        assert isinstance(connection.sock, ssl.SSLSocket)
        shown = connection.sock.getpeercert(binary_form=True)
        assert connection.getresponse().read() == b"alive\n"
        return shown
    finally:
        connection.close()


def write_certificate(authority: Authority, directory: Path) -> tuple[str, ...]:
    made = authority.certify("localhost", "127.0.0.1")
    files = directory / "cert.pem", directory / "key.pem"
    for file, text in zip(files, (made.certificate, made.key), strict=True):
        file.touch(mode=0o600)
        file.write_text(text)
    return "--tls-cert", str(files[0]), "--tls-key", str(files[1])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "refusing to listen on 0.0.0.0 without TLS"),
        (["--tls-cert", "cert.pem"], "--tls-cert and --tls-key go together"),
        (["--tls-client-ca", "ca.pem"], "clients show certificates to a server that has one"),
        (["--tls-mode", "require"], "--tls-mode means nothing without a certificate"),
        (["--tls-cert", "cert.pem", "--tls-key", "key.pem"], 'cannot read "cert.pem"'),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    command = [sys.executable, "-m", "ptvc", "serve", "--path", str(tmp_path / "e"), "--port", "0", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert done.returncode == 1, done.stderr
    assert said in done.stderr
    assert "Traceback" not in done.stderr
