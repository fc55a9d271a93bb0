"""Columns renamed in the text of an expression that names no other relation's: a check, the key of an index."""

from __future__ import annotations

from collections.abc import Mapping

from ...expr.functions.system.system import quote_ident
from ..parser.lexer import Token, TokenKind, tokenize


def renamed_in_text(text: str, old: str, new: str) -> str:
    """`text` with column `old` called `new`: names of functions and of types stay."""
    return all_renamed_in_text(text, {old: new})


def all_renamed_in_text(text: str, names: Mapping[str, str]) -> str:
    """`text` with every column called what `names` says, all at once."""
    if not names:
        return text
    tokens = tokenize(text)
    pieces: list[str] = []
    done = 0
    for index, token in enumerate(tokens):
        if token.kind not in (TokenKind.NAME, TokenKind.QUOTED) or token.value not in names:
            continue
        before = tokens[index - 1] if index else None
        if before is not None and (before.value == "::" or before.value == "as"):
            continue  # the name of a type
        if tokens[index + 1].value == "(" and tokens[index + 1].kind is TokenKind.OPERATOR:
            continue  # the name of a function
        pieces += [text[done : token.start], quote_ident(names[token.value])]
        done = token.end
    return "".join((*pieces, text[done:]))


def without_parentheses(text: str) -> str:
    """`text` without parentheses around all of it."""
    while (tokens := tokenize(text)) and _opens(tokens[0]) and _closing(tokens) == len(tokens) - 2:
        text = text[tokens[0].end : tokens[-2].start].strip()
    return text


def _opens(token: Token) -> bool:
    return token.kind is TokenKind.OPERATOR and token.value == "("


def _closing(tokens: list[Token]) -> int:
    """Where the parenthesis is closed that the first token opens."""
    depth = 0
    for index, token in enumerate(tokens):
        if token.kind is TokenKind.OPERATOR and token.value in "()":
            depth += 1 if token.value == "(" else -1
            if depth == 0:
                return index
    return -1
