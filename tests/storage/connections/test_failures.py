"""What others say is repeated without secrets."""

from __future__ import annotations

import base64
from urllib.parse import quote_plus

import pytest
from ptvc.storage.connections.failures import scrubbed

SECRET = "p&ss wörd/\\'+"


@pytest.mark.parametrize(
    "spelling",
    [
        SECRET,
        repr(SECRET),
        quote_plus(SECRET),
        base64.b64encode(SECRET.encode()).decode(),
        base64.b64encode(SECRET.encode()).decode().rstrip("="),
        SECRET.encode().hex(),
    ],
)
def test_no_spelling_of_a_secret_is_left(spelling: str) -> None:
    assert scrubbed(f"before {spelling} behind", [b"other", SECRET.encode()]).replace("'", "").replace(
        '"', ""
    ) == ("before *** behind")


def test_a_secret_within_another_one() -> None:
    assert scrubbed("abcdef abc", [b"abc", b"abcdef"]) == "*** ***"


def test_a_secret_of_blanks_and_one_that_is_no_text() -> None:
    assert scrubbed("a b c", [b" ", b""]) == "a b c"
    assert scrubbed("a ff00 c", [b"\xff\x00"]) == "a *** c"


def test_a_long_message_is_cut() -> None:
    assert len(scrubbed("x" * 10_000, [])) < 600
