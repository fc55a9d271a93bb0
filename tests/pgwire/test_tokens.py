"""Tokens in place of passwords, at the listener: inside of TLS, for roles that there are."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import psycopg
import pytest
from ptvc.clock import SystemClock
from ptvc.network.attempts import FREE_ATTEMPTS
from ptvc.network.certificates import Certificates
from ptvc.network.issuer import Issuer
from ptvc.network.tokens import TokenRules, Tokens
from ptvc.pgwire.listener import Limits
from ptvc.pgwire.passwords import of_roles, of_tokens
from ptvc.pgwire.scram import ScramSecret, new_secret
from servers.token_issuer import TokenIssuer, issuing

from .conftest import Server
from .raw import Raw, message, startup
from .test_tls import Site

SECRET = new_secret("secret", salt=b"0123456789abcdef")
MakeServer = Callable[..., Server]
BY_TOKEN = "-c oidc_auth_enabled=true"


class Roles:
    """`ann` has a password too, `bob` has none."""

    asks_passwords = True

    def secret(self, user: str) -> ScramSecret | None:
        return SECRET if user == "ann" else None

    def knows(self, user: str) -> bool:
        return user in ("ann", "bob")


@pytest.fixture
def issuer(tmp_path: Path) -> Iterator[TokenIssuer]:
    with issuing(tmp_path) as issuer:
        yield issuer


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


@pytest.fixture
def server(make_server: MakeServer, site: Site, issuer: TokenIssuer) -> Server:
    tokens = Tokens(Issuer(issuer.url, issuer.root), TokenRules(("ptvc",), "sub", {"etl": "bob"}))
    return make_server(
        Limits(failed_login_seconds=0.3),
        passwords=of_roles(Roles()),
        certificates=Certificates(site.files),
        token_role=of_tokens(tokens, Roles()),
    )


def connect(server: Server, site: Site, password: str, user: str = "ann", **more: Any) -> None:
    given = {"options": f"'{BY_TOKEN}'", "user": user, "password": password, "port": server.port, **more}
    with psycopg.connect(site.client(**given, dbname="ptvc"), autocommit=True) as db:
        assert db.execute("select 1").fetchone() == (1,)


@pytest.mark.parametrize("negotiation", ["postgres", "direct"])
def test_a_token_is_the_password(server: Server, site: Site, issuer: TokenIssuer, negotiation: str) -> None:
    connect(server, site, issuer.token(), sslnegotiation=negotiation)
    connect(server, site, issuer.token(sub="bob"), "bob")
    connect(server, site, issuer.token(sub="etl"), "bob")
    assert "oidc_auth_enabled" not in server.store.opened[-1][2]  # it is no setting
    long = issuer.token(groups=["g" * 40] * 150)
    assert len(long) > 8_000
    connect(server, site, long)


def test_a_password_is_as_good_as_before(server: Server, site: Site) -> None:
    connect(server, site, "secret", options="''", channel_binding="require")


def test_asyncpg(server: Server, site: Site, issuer: TokenIssuer) -> None:
    asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")

    async def main() -> None:
        db = await asyncpg.connect(
            host="127.0.0.1",
            port=server.port,
            user="ann",
            password=issuer.token(),
            database="ptvc",
            ssl=ssl.create_default_context(cafile=str(site.root)),
            server_settings={"oidc_auth_enabled": "on"},
        )
        assert await db.fetchval("echo $1::bigint, $2::bigint", 7, None) == 7
        await db.close()

    asyncio.run(main())


def test_tokens_that_are_not_good(server: Server, site: Site, issuer: TokenIssuer) -> None:
    now = SystemClock().now_ms() // 1000
    for user, token, said in (
        ("ann", issuer.token(exp=now - 100), "it has expired"),
        ("ann", issuer.token(sub="bob"), "it is another user's"),
        ("eve", issuer.token(sub="eve"), "there is no such role"),
        ("ptvc", issuer.token(sub="ptvc"), "there is no such role"),
        ("ann", "secret", "it is not a token"),
        ("ann", issuer.token().replace(".", ". "), "it is not a token"),
    ):
        with pytest.raises(psycopg.OperationalError) as raised:
            connect(server, site, f"'{token}'", user)
        assert f'token authentication failed for user "{user}"' in str(raised.value)
        assert f"Of the token: {said}." in str(raised.value)
        assert token not in str(raised.value)


def test_an_issuer_that_is_away(server: Server, site: Site, issuer: TokenIssuer) -> None:
    token = issuer.token()
    issuer.answers["/keys"] = 503, {}, b""
    for _ in range(FREE_ATTEMPTS + 3):  # nobody is slowed down for that
        with pytest.raises(psycopg.OperationalError, match=r"the keys of the issuer .* are not known"):
            connect(server, site, token)
    assert len(server.listener._access.attempts) == 0


def test_wrong_tokens_are_slowed_down(server: Server, site: Site, issuer: TokenIssuer) -> None:
    for _ in range(FREE_ATTEMPTS + 1):
        with pytest.raises(psycopg.OperationalError, match="token authentication failed"):
            connect(server, site, "wrong")
    started = monotonic()
    connect(server, site, issuer.token())
    assert monotonic() - started >= 0.3


def test_a_token_is_never_asked_for_in_plain(server: Server) -> None:
    with Raw(server.port) as client:
        client.send(startup(user="ann", options=BY_TOKEN))
        error = client.error()
        assert (error["C"], error["M"]) == ("28000", "tokens are taken inside of TLS only")


def test_where_no_tokens_are_taken(make_server: MakeServer, site: Site) -> None:
    server = make_server(passwords=of_roles(Roles()), certificates=Certificates(site.files))
    with pytest.raises(psycopg.OperationalError, match="this server takes no tokens"):
        connect(server, site, "secret")
    connect(server, site, "secret", options="'-c oidc_auth_enabled=off'")


def test_a_value_that_is_none(server: Server) -> None:
    with Raw(server.port) as client:
        client.send(startup(user="ann", oidc_auth_enabled="perhaps"))
        assert client.error()["C"] == "22023"
    with Raw(server.port) as client:
        client.send(startup(user="ann") + message(b"p", b"x\0"))
        assert client.read()[0] == b"R"
        assert client.error()["C"] == "08P01"
