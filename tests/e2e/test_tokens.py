"""A runtime that takes tokens, as its operator sets it up: the first role comes by one, and gives others theirs."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psql import PSQL
from ptvc import server
from ptvc.config import Settings
from ptvc.errors import PtvcError
from servers.certificates import Authority
from servers.token_issuer import TokenIssuer, issuing

from .runtime_process import Runtime
from .test_tls import write_certificate


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_a_runtime_that_takes_tokens(tmp_path: Path) -> None:
    authority = Authority()
    root = tmp_path / "root.pem"
    root.write_text(authority.certificate)
    names = tmp_path / "names"
    names.write_text("admin@example.com = ptvc\n")
    with issuing(tmp_path) as issuer:
        settings = (
            f"oidc_issuer={issuer.url}",
            "oidc_audience=other, ptvc",
            f"oidc_ca_file={issuer.root}",
            f"oidc_names_file={names}",
        )
        outside = ("--host", "0.0.0.0", *write_certificate(authority, tmp_path))
        runtime = Runtime(tmp_path / "e", settings, outside)
        runtime.start()
        try:
            _use(runtime, issuer, root)
        finally:
            runtime.stop()


def _use(runtime: Runtime, issuer: TokenIssuer, root: Path) -> None:
    place = f"host=127.0.0.1 port={runtime.port} dbname=ptvc sslmode=verify-full sslrootcert={root}"
    by_token = f"{place} options='-c oidc_auth_enabled=true'"
    with pytest.raises(psycopg.OperationalError, match="there is no such role"):
        psycopg.connect(
            by_token, user="ann", password=issuer.token()
        )  # not the first role under another name
    admin = issuer.token(sub="admin@example.com")
    with psycopg.connect(by_token, user="ptvc", password=admin, autocommit=True) as db:
        assert db.execute("SHOW oidc_issuer").fetchone() == (issuer.url,)
        db.execute("CREATE ROLE ann LOGIN PASSWORD 'secret'")
        db.execute("CREATE ROLE group_of_some")
    with psycopg.connect(by_token, user="ann", password=issuer.token(), autocommit=True) as db:
        assert db.execute("SELECT current_user").fetchone() == ("ann",)
    with pytest.raises(psycopg.OperationalError, match="not permitted to log in"):
        psycopg.connect(by_token, user="group_of_some", password=issuer.token(sub="group_of_some"))
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(place, user="ann", password=issuer.token())
    psql = [PSQL, f"{by_token} user=ann password={issuer.token()}", "-Atc", "SELECT 1"]
    assert subprocess.run(psql, capture_output=True, text=True, check=True, timeout=60).stdout == "1\n"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        (["oidc_issuer=http://issuer.example.com", "oidc_audience=a"], 'setting "oidc_issuer" cannot be'),
        (["oidc_issuer=https://issuer.example.com"], 'setting "oidc_audience" is not given'),
        (
            ["oidc_issuer=https://i.example.com", "oidc_audience=a", "oidc_ca_file=/none"],
            'setting "oidc_ca_file" cannot be',
        ),
        (
            ["oidc_issuer=https://i.example.com", "oidc_audience=a", "oidc_names_file=/none"],
            'cannot read "/none"',
        ),
    ],
    ids=["issuer", "audience", "authorities", "names"],
)
def test_what_cannot_be_is_refused(settings: list[str], said: str) -> None:
    with pytest.raises(PtvcError, match=said):
        server.tokens_of(Settings().with_assignments(settings))


def test_without_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "OIDC_PACKAGES", ("no_such_package",))
    with pytest.raises(PtvcError, match="oidc_issuer needs no_such_package") as raised:
        server.tokens_of(Settings(oidc_issuer="https://issuer.example.com"))
    assert raised.value.hint == "Install them with: pip install 'dbt-ptvc[oidc]'"


def test_nothing_of_it_is_imported_where_it_is_not_wanted() -> None:
    command = [sys.executable, "-c", "import sys, ptvc.server; print('jwt' in sys.modules)"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "False\n"
