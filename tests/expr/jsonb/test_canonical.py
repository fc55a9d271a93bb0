"""The quick way to a canonical text against the one over documents, which PostgreSQL has seen (`test_documents`)."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.expr.datetimes.datetime_input import InputError
from ptvc.expr.jsonb.canonical import canonical
from ptvc.expr.jsonb.document import encode, in_order, parse

NUMBERS = (
    "0", "-0", "-0.0", "0.00", "-0.50", "1.50", "12", "1e2", "1E-2", "-1.5e+3", "1e-7", "0.0000001", "1e300",
    "9" * 40, "-" + "9" * 40 + ".0", "1." + "0" * 1200, "1e-16380", "1e131071", "1e131072", "1e-16384", "1.", "01", "-", "1e",
)  # fmt: skip
STRINGS = (
    '""', '"a"', '"é€😀"', '"\\n\\t\\"\\\\"', '"\\u00e9"', '"\\ud83d\\ude00"', '"\\ud83d"', '"\\u0000"', '"\\\\u0000"', '"\\\\u00001.5"',
    '"\t"', '"1.5"', '"e"', '"-0"', '"\\/"', '"\\x"', '"',
)  # fmt: skip
WORDS = ("true", "false", "null", "NaN", "Infinity", "-Infinity", "nul", "")
KEYS = ('"a"', '"b"', '"aa"', '"é"', '"zz"', '"a b"', '"\\n"', '""', '"id"', '"name"')
SPACES = ("", "", "", " ", "\n", "\t \r", "\v")


def drawn(random: Random, depth: int = 0) -> str:
    """A text that is JSON, or nearly so."""

    def space() -> str:
        return random.choice(SPACES[: 3 if random.random() < 0.8 else None])

    def listed(items: list[str]) -> str:
        return ",".join(space() + item + space() for item in items)

    kind = random.random()
    if depth < 3 and kind < 0.4:
        count = random.randrange(5)
        members = [
            f"{random.choice(KEYS)}{space()}:{space()}{drawn(random, depth + 1)}" for _ in range(count)
        ]
        return "{" + listed(members) + "}"
    if depth < 3 and kind < 0.55:
        return "[" + listed([drawn(random, depth + 1) for _ in range(random.randrange(4))]) + "]"
    if random.random() < 0.03:
        return random.choice((*WORDS, *NUMBERS, *STRINGS))
    return random.choice((*NUMBERS[:14], *STRINGS[:6], *WORDS[:3]))


def by_document(text: str) -> str:
    try:
        return encode(in_order(parse(text)))
    except InputError as error:
        return f"{error.sqlstate} {error.message}"


def quickly(text: str) -> str:
    try:
        return canonical(text)
    except InputError as error:
        return f"{error.sqlstate} {error.message}"


@pytest.mark.parametrize("seed", range(5))
def test_random_texts(seed: int) -> None:
    random = Random(seed)
    texts = [random.choice(SPACES) + drawn(random) + random.choice(SPACES) for _ in range(4_000)]
    assert {text: quickly(text) for text in texts} == {text: by_document(text) for text in texts}


@pytest.mark.parametrize(
    "text", [*NUMBERS, *STRINGS, *WORDS, "[" * 251 + "]" * 251, "[" * 250 + "]" * 250, "[" * 2000]
)
def test_each(text: str) -> None:
    for written in (text, f" {text}\n", f"[{text}]", f'{{"b": {text}, "a": {text}, "b": 1}}', f"{text}1"):
        assert quickly(written) == by_document(written)


def test_long_texts() -> None:
    for count in (1, 1_000, 2_000, 5_000):
        text = '{"b": 1.50, "a": [' + ", ".join(["-0.0"] * count) + "]}"
        assert canonical(text) == by_document(text)


@pytest.mark.parametrize(
    "number", ["1e131072", "1e-16384", "[1e999999]", '{"b": {"c": -1e999999}}', "1" * 131073]
)
def test_a_number_that_a_later_value_replaces_is_an_overflow_too(number: str) -> None:
    for text in (f'{{"a": {number}, "a": 1}}', f'[0, {{"a": {{"b": 1.5, "b": {number}, "b": 2}}}}]'):
        assert quickly(text) == by_document(text) == "22003 value overflows numeric format"


@pytest.mark.parametrize(
    "number", ["1e99999999999999999999", "-0e-99999999999999999999", '{"a": [1e+99999999999999999999]}']
)
def test_an_exponent_that_no_number_has_is_an_overflow(number: str) -> None:
    """As in PostgreSQL, of a zero as well; Python's Decimal has another error for it."""
    for read in (quickly, by_document):
        assert read(number) == "22003 value overflows numeric format"
