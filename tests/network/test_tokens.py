"""Tokens that are good, and those that are not."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from ptvc.clock import SystemClock
from ptvc.errors import InvalidParameter
from ptvc.network.issuer import Issuer
from ptvc.network.tokens import ALGORITHMS, LEEWAY_S, BadToken, TokenRules, Tokens
from servers.token_issuer import TokenIssuer, new_key, public, rsa_key

RULES = TokenRules(("ptvc", "other"), "sub", {"etl@example.com": "loader"})


def role_of(issuer: TokenIssuer, token: str, rules: TokenRules = RULES) -> str:
    return asyncio.run(Tokens(Issuer(issuer.url, issuer.root), rules).role_of(token))


def test_names_are_roles_or_stand_for_some(issuer: TokenIssuer) -> None:
    assert role_of(issuer, issuer.token()) == "ann"
    assert role_of(issuer, issuer.token(aud=["x", "other"])) == "ann"
    assert role_of(issuer, issuer.token(sub="etl@example.com")) == "loader"
    by_name = TokenRules(("ptvc",), "preferred_username", {})
    assert role_of(issuer, issuer.token(preferred_username="bob"), by_name) == "bob"


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_algorithms(issuer: TokenIssuer, algorithm: str) -> None:
    issuer.keys = {"k": new_key(algorithm)}
    assert role_of(issuer, issuer.token("k", algorithm)) == "ann"
    issuer.published = [public(issuer.keys["k"], "k", alg=algorithm)]
    assert role_of(issuer, issuer.token("k", algorithm)) == "ann"


NOW = SystemClock().now_ms() // 1000
WRONG = {
    "it has expired": {"exp": NOW - LEEWAY_S - 5},
    "its time has not come": {"nbf": NOW + 3600},
    "it is for another audience": {"aud": "elsewhere"},
    "it is of another issuer": {"iss": "https://evil.example.com"},
    'it has no claim "sub" that is a name': {"sub": ""},
}


@pytest.mark.parametrize("said", WRONG)
def test_claims_that_are_wrong(issuer: TokenIssuer, said: str) -> None:
    with pytest.raises(BadToken) as raised:
        role_of(issuer, issuer.token(**WRONG[said]))
    assert raised.value.message == said


@pytest.mark.parametrize("claim", ["exp", "aud", "iss"])
def test_claims_that_must_be_there(issuer: TokenIssuer, claim: str) -> None:
    with pytest.raises(BadToken, match="does not say until when it is, for whom, or by whom"):
        role_of(issuer, issuer.token(**{claim: None}))


def test_clocks_may_differ_a_little(issuer: TokenIssuer) -> None:
    now = SystemClock().now_ms() // 1000
    assert role_of(issuer, issuer.token(exp=now - 5, nbf=now + 5)) == "ann"


def test_an_address_must_be_verified(issuer: TokenIssuer) -> None:
    rules = TokenRules(("ptvc",), "email", {"ann@example.com": "ann"})
    good = issuer.token(email="ann@example.com", email_verified=True)
    assert role_of(issuer, good, rules) == "ann"
    for more in ({}, {"email_verified": False}, {"email_verified": "true"}):
        with pytest.raises(BadToken, match="verified"):
            role_of(issuer, issuer.token(email="ann@example.com", **more), rules)


def test_another_s_signature(issuer: TokenIssuer) -> None:
    with pytest.raises(BadToken, match="not what its issuer has signed"):
        role_of(issuer, issuer.token(key=new_key()))
    head, body, signature = issuer.token().split(".")
    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    other = encoded({**claims, "sub": "ptvc"})
    with pytest.raises(BadToken, match="not what its issuer has signed"):
        role_of(issuer, f"{head}.{other}.{signature}")


def encoded(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def test_no_signature_and_a_public_key_as_a_secret(issuer: TokenIssuer) -> None:
    claims = issuer.token().split(".")[1]
    none = f"{encoded({'alg': 'none', 'kid': 'first'})}.{claims}."
    pem = issuer.keys["first"].public_key()
    secret = pem.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    signed = f"{encoded({'alg': 'HS256', 'kid': 'first', 'typ': 'JWT'})}.{claims}"
    signature = base64.urlsafe_b64encode(hmac.digest(secret, signed.encode(), hashlib.sha256)).decode()
    for token in (none, f"{signed}.{signature.rstrip('=')}"):
        with pytest.raises(BadToken, match="not signed by an algorithm that is taken"):
            role_of(issuer, token)
    assert issuer.asked == []


@pytest.mark.filterwarnings("ignore:The RSA key")
def test_keys_that_are_not_fit(issuer: TokenIssuer) -> None:
    short, curve, rsa = rsa_key(1024), new_key("ES384"), new_key("RS256")
    issuer.keys = {"short": short, "curve": curve, "rsa": rsa}
    secret = {"kty": "oct", "kid": "secret", "k": "c2VjcmV0"}
    issuer.published = [
        public(short, "short"),
        public(curve, "curve"),
        public(rsa, "rsa", alg="PS256"),
        secret,
        {"kty": "RSA", "kid": "broken", "n": "!", "e": "AQAB"},
    ]
    with pytest.raises(BadToken, match="its key is too short"):
        role_of(issuer, issuer.token("short", "RS256"))
    for kid, algorithm, key in (
        ("curve", "ES256", new_key()),
        ("rsa", "RS256", rsa),
        ("rsa", "ES256", new_key()),
        ("secret", "ES256", new_key()),
    ):
        with pytest.raises(BadToken, match="its key is for another algorithm"):
            role_of(issuer, issuer.token(kid, algorithm, key))
    with pytest.raises(BadToken, match="its key is none"):
        role_of(issuer, issuer.token("broken", "RS256", rsa))


def test_keys_that_are_not_there(issuer: TokenIssuer) -> None:
    with pytest.raises(BadToken, match="no such key"):
        role_of(issuer, issuer.token("unknown", key=new_key()))
    with pytest.raises(BadToken, match="does not name its key"):
        role_of(issuer, issuer.token(None))


@pytest.mark.parametrize(
    "token", ["", "x", "a.b.c", "a.b", "....", "e30.e30.e30", "W10.W10.W10", "\N{SNOWMAN}.x.y"]
)
def test_what_is_no_token(issuer: TokenIssuer, token: str) -> None:
    with pytest.raises(BadToken):
        role_of(issuer, token)
    assert issuer.asked == []


def test_an_audience_must_be_given() -> None:
    with pytest.raises(InvalidParameter, match="oidc_audience"):
        TokenRules((), "sub", {})
    with pytest.raises(InvalidParameter, match="oidc_authentication_claim"):
        TokenRules(("ptvc",), "", {})
