"""Columns renamed in the text of a check constraint, which names no other relation's."""

from __future__ import annotations

from ..expr.functions.system import quote_ident
from .lexer import TokenKind, tokenize


def renamed_in_text(text: str, old: str, new: str) -> str:
    """`text` with column `old` called `new`: names of functions and of types stay."""
    tokens = tokenize(text)
    pieces: list[str] = []
    done = 0
    for index, token in enumerate(tokens):
        if token.kind not in (TokenKind.NAME, TokenKind.QUOTED) or token.value != old:
            continue
        before = tokens[index - 1] if index else None
        if before is not None and (before.value == "::" or before.value == "as"):
            continue  # the name of a type
        if tokens[index + 1].value == "(" and tokens[index + 1].kind is TokenKind.OPERATOR:
            continue  # the name of a function
        pieces += [text[done : token.start], quote_ident(new)]
        done = token.end
    return "".join((*pieces, text[done:]))
