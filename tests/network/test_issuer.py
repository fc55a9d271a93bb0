"""Keys of an issuer: when it is asked, and what it may answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

import pytest
from ptvc.errors import InvalidParameter
from ptvc.network import issuer as module
from ptvc.network.issuer import ASKED_AGAIN_S, KEPT_S, LAST_S, MOST_BYTES, Issuer, IssuerFailed, Key
from servers.token_issuer import DISCOVERY, KEYS, TokenIssuer, new_key, public


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets seconds go by."""
    now = [1_000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])

    def go(seconds: float) -> None:
        now[0] += seconds

    return go


def known(issuer: Issuer, *names: str) -> list[Key | None]:
    async def main() -> list[Key | None]:
        found = [await issuer.key(name) for name in names]
        if issuer._asking is not None:
            await issuer._asking
        return found

    return asyncio.run(main())


def test_keys_are_fetched_once_for_all(issuer: TokenIssuer) -> None:
    asked = Issuer(issuer.url, issuer.root)

    async def main() -> None:
        found = await asyncio.gather(*(asked.key("first") for _ in range(20)))
        assert all(key is not None and key["kid"] == "first" for key in found)

    asyncio.run(main())
    assert issuer.asked == [DISCOVERY, KEYS]


def test_a_key_that_is_new_is_asked_for_but_not_often(
    issuer: TokenIssuer, later: Callable[[float], None]
) -> None:
    asked = Issuer(issuer.url, issuer.root)
    assert known(asked, "first") != [None]
    issuer.keys = {"second": new_key()}
    for _ in range(3):
        assert known(asked, "second", "junk") == [None, None]
    assert len(issuer.asked) == 2
    later(ASKED_AGAIN_S)
    assert known(asked, "second") != [None]
    assert known(asked, "first", *map(str, range(1_000))) == [None] * 1_001
    assert len(issuer.asked) == 4


def test_a_key_that_was_withdrawn_is_forgotten(issuer: TokenIssuer, later: Callable[[float], None]) -> None:
    asked = Issuer(issuer.url, issuer.root)
    assert known(asked, "first") != [None]
    issuer.keys = {"second": new_key()}
    later(KEPT_S + 1)
    assert known(asked, "first") != [None]  # who comes does not wait for the answer, and the next one has it
    assert known(asked, "first", "second")[0] is None


@pytest.mark.parametrize("place", [DISCOVERY, KEYS])
def test_an_answer_that_is_nested_deeply_is_none(issuer: TokenIssuer, place: str) -> None:
    issuer.answers[place] = 200, {}, b"[" * 200_000
    with pytest.raises(IssuerFailed, match="are not known"):
        known(Issuer(issuer.url, issuer.root), "first")


def test_keys_outlast_an_issuer_for_a_day(issuer: TokenIssuer, later: Callable[[float], None]) -> None:
    asked = Issuer(issuer.url, issuer.root)
    assert known(asked, "first") != [None]
    issuer.answers[DISCOVERY] = 503, {}, b""
    for _ in range(23):
        later(3600)
        assert known(asked, "first") != [None]
    later(LAST_S - 23 * 3600 + 1)
    with pytest.raises(IssuerFailed, match=r"the keys of the issuer .* are not known"):
        known(asked, "first")


ELSEWHERE = {"location": "https://localhost:1/"}


@pytest.mark.parametrize(
    ("path", "answer", "said"),
    [
        (DISCOVERY, (404, {}, b""), "404"),
        (DISCOVERY, (302, ELSEWHERE, b""), "302"),
        (DISCOVERY, (200, {}, b"<html>"), "cannot read"),
        (DISCOVERY, (200, {}, b"[]"), "no JSON object"),
        (DISCOVERY, (200, {}, b'{"issuer": "https://evil.example.com"}'), "calls itself"),
        (DISCOVERY, (200, {}, b" " * (MOST_BYTES + 1)), "too much"),
        (KEYS, (200, {}, b'{"keys": 7}'), "are no keys"),
        (KEYS, (302, ELSEWHERE, b""), "302"),
    ],
)
def test_what_is_no_answer(
    issuer: TokenIssuer,
    path: str,
    answer: tuple[int, dict[str, str], bytes],
    said: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    issuer.answers[path] = answer
    with pytest.raises(IssuerFailed, match="are not known"):
        known(Issuer(issuer.url, issuer.root), "first")
    assert said in caplog.text


def test_keys_elsewhere_are_fetched_by_https_only(
    issuer: TokenIssuer, caplog: pytest.LogCaptureFixture
) -> None:
    said = {"issuer": issuer.url, "jwks_uri": issuer.url.replace("https", "http") + KEYS}
    issuer.answers[DISCOVERY] = 200, {}, json.dumps(said).encode()
    with pytest.raises(IssuerFailed):
        known(Issuer(issuer.url, issuer.root), "first")
    assert "has no keys at an https:// URL" in caplog.text


def test_who_is_not_certified_is_not_heard(issuer: TokenIssuer, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(IssuerFailed):
        known(Issuer(issuer.url), "first")
    assert "CERTIFICATE_VERIFY_FAILED" in caplog.text
    assert issuer.asked == []


def test_keys_for_other_things_and_without_names_are_left_out(issuer: TokenIssuer) -> None:
    key = new_key()
    nameless = public(key, "")
    del nameless["kid"]
    issuer.published = [nameless, public(key, "sealing", use="enc"), public(key, "signing", use="sig")]
    asked = Issuer(issuer.url, issuer.root)
    assert [found is not None for found in known(asked, "sealing", "signing")] == [False, True]


@pytest.mark.parametrize("url", ["http://issuer.example.com", "issuer.example.com", "file:///etc"])
def test_an_issuer_is_at_https(url: str) -> None:
    with pytest.raises(InvalidParameter, match="oidc_issuer"):
        Issuer(url)
