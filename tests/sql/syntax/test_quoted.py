"""Strings and comments of any length: the same as read character by character, wherever the slices end."""

from __future__ import annotations

from random import Random

import pytest
from ptvc.errors import PtvcError, QueryCanceled
from ptvc.interrupt import Interrupt, interruptible
from ptvc.sql.parser.lexer import TokenKind, tokenize
from ptvc.sql.syntax import quoted
from ptvc.sql.syntax.quoted import SLICE, between_quotes, doubled, end_of_block, end_of_line, find


def the_string(sql: str) -> str:
    tokens = tokenize(sql)
    assert [token.kind for token in tokens] == [TokenKind.STRING, TokenKind.END]
    assert (tokens[0].start, tokens[0].end) == (0, len(sql))
    return tokens[0].value


@pytest.mark.parametrize("seed", range(20))
def test_strings_of_many_slices(seed: int) -> None:
    random = Random(seed)
    parts = ["x" * random.choice([0, 1, 63, 64, 65, SLICE - 1, SLICE, SLICE + 1]) for _ in range(4)]
    parts += ["'" * random.choice([1, 2, 4095, 4096, 4097, 9000]) for _ in range(3)]
    parts += ["\n--/*é😀"] * 2
    random.shuffle(parts)
    value = "".join(parts)
    written = value.replace("'", "''")
    assert the_string(f"'{written}'") == value
    assert the_string(f"$a${value}$a$") == value
    escaped = value.replace("\\", "\\\\").replace("\n", "\\n").replace("é", "\\xc3\\xa9")
    escaped = escaped.replace("😀", "\\uD83D\\uDE00").replace("'", "\\'" if seed % 2 else "''")
    assert the_string(f"E'{escaped}'") == value


@pytest.mark.parametrize("shift", range(-13, 14))
def test_an_escape_at_the_end_of_a_slice(shift: int) -> None:
    before = "x" * (SLICE + shift)
    for written, value in [
        ("\\uD83D\\uDE00", "😀"),
        ("\\xc3\\xa9", "é"),
        ("\\\\''\\'", "\\''"),
        ("\\101", "A"),
    ]:
        assert the_string(f"E'{before}{written}y'") == before + value + "y"
        units = "\\n" * (4096 + shift)
        assert the_string(f"E'{units}{written}'") == "\n" * (4096 + shift) + value


def test_strings_on_several_lines() -> None:
    assert the_string("'a'\n 'b''' -- c\n 'd'") == "ab'd"
    assert the_string("E'a\\n'\n'b\\n'") == "a\nb\n"  # the second line has escapes, too, as in PostgreSQL
    assert the_string("E'\\xc3'\n'\\xa9'") == "é"


@pytest.mark.parametrize(
    ("sql", "sqlstate"),
    [
        ("'" + "x" * (2 * SLICE), "42601"),
        ("'" + "x" * SLICE + "'" * 2, "42601"),
        ("E'" + "x" * SLICE + "\\", "42601"),
        ('"' + "x" * SLICE, "42601"),
        ('"' + "x" * SLICE + '"', "42622"),
        ("$$" + "x" * SLICE + "$", "42601"),
        ("/*" + "x" * SLICE + "/**/", "42601"),
        ("x" * (2 * SLICE), "42622"),
        ("1" * (2 * SLICE), "22003"),
        ("1_" * SLICE, "22003"),
        ("E'" + "x" * SLICE + "\\xc3'", "22021"),
        ("E'" + "x" * SLICE + "\\u0000'", "42601"),
    ],
    ids=lambda value: value[:10],
)
def test_refused(sql: str, sqlstate: str) -> None:
    with pytest.raises(PtvcError) as caught:
        tokenize(sql)
    assert (caught.value.sqlstate, caught.value.position) == (sqlstate, 1)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("shift", range(-3, 4))
def test_ends(shift: int) -> None:
    before = "x" * (SLICE + shift)
    assert find(before + "$a$", "$a$", 0) == len(before)
    assert find(before, "$a$", 0) == -1
    assert end_of_line(before + "\r\n", 0) == len(before)
    assert end_of_line(before, 0) == len(before)
    assert end_of_block(before + "/*" + before + "*/*/ rest", 0) == 2 * len(before) + 6
    assert end_of_block(before + "/* */", 0) is None
    span = between_quotes(before + "''y'", 0, doubled("'"))
    assert span is not None
    assert span.end == len(before) + 3
    assert max(b - a for a, b in zip(span.bounds, span.bounds[1:], strict=False)) <= SLICE


def test_nested_comments_take_time_in_proportion() -> None:
    depth = 100_000  # of which each looked for the end of all others
    assert [token.kind for token in tokenize("/*" * depth + "*/" * depth)] == [TokenKind.END]


def test_reading_is_cancelled() -> None:
    interrupt = Interrupt()
    interrupt.set()
    with interruptible(interrupt):
        for sql in ("'" + "x" * SLICE + "'", "/*" + "x" * SLICE + "*/", " " * SLICE, "a " * 10_000):
            with pytest.raises(QueryCanceled):
                tokenize(sql)


class _Late(Interrupt):
    """Set behind the first look at it."""

    def __init__(self) -> None:
        self.looks = 0

    @property
    def error(self) -> PtvcError | None:  # type: ignore[override]
        self.looks += 1
        return QueryCanceled("canceled late") if self.looks > 1 else None


@pytest.mark.parametrize(
    ("before", "after"), [("'", "'"), ("E'", "'"), ('"', '"'), ("$$", "$$"), ("/*", "*/"), ("--", "\n")]
)
def test_one_long_token_is_cancelled_between_its_slices(before: str, after: str) -> None:
    with interruptible(_Late()), pytest.raises(QueryCanceled, match="late"):
        tokenize(before + "x" * (2 * SLICE) + after)


def test_slices_are_what_the_patterns_say() -> None:
    assert quoted._UNITS * quoted._RUN == SLICE
