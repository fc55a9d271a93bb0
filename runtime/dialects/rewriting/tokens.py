"""Tokens of both texts, each by its own lexer, and where the parts of a query are among them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ...sql.parser.lexer import TokenKind, tokenize
from ..reading import DIALECTS


@dataclass(frozen=True, slots=True)
class Token:
    """`key`: what is compared, the text with names and keywords in small letters."""

    raw: str
    key: str
    start: int
    end: int


_QUOTES = "'\"`$"


def _token(raw: str, start: int) -> Token:
    key = raw if any(quote in raw for quote in _QUOTES) else raw.lower()
    return Token(raw, key, start, start + len(raw))


def original(text: str, dialect: str) -> list[Token]:
    """A keyword of several words is as many tokens."""
    found = []
    for token in DIALECTS[dialect]().tokenize(text):
        raw = text[token.start : token.end + 1]
        if any(quote in raw for quote in _QUOTES):
            found.append(_token(raw, token.start))
        else:
            found += [_token(word[0], token.start + word.start()) for word in re.finditer(r"\S+", raw)]
    return found


def translated_tokens(sql: str) -> list[Token]:
    return [
        _token(sql[one.start : one.end], one.start)
        for one in tokenize(sql, rows=False)
        if one.kind is not TokenKind.END
    ]


_BEHIND_ITEMS = frozenset(
    [
        "from",
        "where",
        "group",
        "having",
        "qualify",
        "order",
        "limit",
        "offset",
        "union",
        "intersect",
        "except",
    ]
)


def select_items(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where the items of the select lists are that stand in no parentheses."""
    found: list[tuple[int, int]] = []
    depth, first, listing = 0, None, False
    for at, token in enumerate(tokens):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(token.key, 0)
        outside = depth == 0 and token.key not in (")", "]")
        ends = token.key == "," or (token.key in _BEHIND_ITEMS and tokens[at - 1].key != "*")
        if outside and listing and ends:
            if first is not None:
                found.append((first.start, tokens[at - 1].end))
            first, listing = None, token.key == ","
        elif outside and token.key == "select":
            first, listing = None, True
        elif listing and first is None and not (outside and token.key in ("distinct", "all")):
            first = token
    if listing and first is not None:
        found.append((first.start, tokens[-1].end))
    return found


def with_bodies(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where the queries of the WITH that the text begins with are, without their parentheses."""
    if not tokens or tokens[0].key != "with":
        return []
    found: list[tuple[int, int]] = []
    depth, start = 0, 0
    for at, token in enumerate(tokens):
        if token.key == "(":
            depth += 1
            if depth == 1 and tokens[at - 1].key == "as":
                start = token.end
        elif token.key == ")":
            depth -= 1
            if depth == 0 and start:
                found.append((start, token.start))
                start = 0
                if at + 1 < len(tokens) and tokens[at + 1].key != ",":
                    break
    return found
