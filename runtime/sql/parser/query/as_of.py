"""AS OF behind a query: when it is to be read."""

from __future__ import annotations

from ...syntax import ast
from ..expression import ExpressionParser
from ..lexer import TokenKind

_BEHIND_ALIASES = frozenset(
    [
        "cross",
        "except",
        "fetch",
        "for",
        "from",
        "full",
        "group",
        "having",
        "inner",
        "intersect",
        "into",
        "join",
        "left",
        "limit",
        "natural",
        "offset",
        "on",
        "order",
        "qualify",
        "returning",
        "right",
        "set",
        "tablesample",
        "union",
        "using",
        "where",
        "window",
        "with",
    ]
)


class AsOfParser(ExpressionParser):
    def as_of(self) -> ast.AsOf | None:
        if not self.at_as_of():
            return None
        position = self.token.position
        self.expect_words("as", "of")
        at_least = self.accept_words("at")
        if at_least:
            self.expect_words("least")
        return ast.AsOf(self.expression(), at_least, position)

    def at_as_of(self) -> bool:
        """Whether `AS OF` and a time stand next; `AS of` with anything else behind it gives the name "of"."""
        if not self.at_word("as", "of"):
            return False
        token = self.peek(2)
        match token.kind:
            case TokenKind.END:
                return False
            case TokenKind.NAME:
                return token.value not in _BEHIND_ALIASES
            case TokenKind.OPERATOR if token.value == "(":  # perhaps names of columns
                named = self.peek(3).kind in (TokenKind.NAME, TokenKind.QUOTED)
                return not (named and (self.at_symbol(",", 4) or self.at_symbol(")", 4)))
            case TokenKind.OPERATOR:
                return token.value in ("-", "+")
        return True
