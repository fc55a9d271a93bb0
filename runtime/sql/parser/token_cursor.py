"""A cursor over tokens: what every part of the parser is built from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NoReturn, Protocol, TypeVar

from ...errors import PtvcError, RedundantOption, SqlSyntaxError
from ...expr.text.keywords import RESERVED, TYPE_OR_FUNCTION
from ...interrupt import check_interrupt
from .lexer import Token, TokenKind

MAX_DEPTH = 200
"""How deep parentheses, subqueries and CASEs may nest."""

T = TypeVar("T")


class NamedOption(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def position(self) -> int: ...


N = TypeVar("N", bound=NamedOption)


def each_once(options: Iterable[N]) -> tuple[N, ...]:
    """The options; 42601 if one of a name that came before is among them."""
    found: dict[str, N] = {}
    for option in options:
        if option.name in found:
            raise RedundantOption(option.name, position=option.position)
        found[option.name] = option
    return tuple(found.values())


class Cursor:
    """`token` is the next one.  Methods named `accept_*` consume on success only; `expect_*` raise 42601."""

    def __init__(self, text: str, tokens: list[Token]) -> None:
        self.text = text
        self.tokens = tokens
        self.index = 0
        self.depth = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.index]

    def peek(self, ahead: int = 1) -> Token:
        return self.tokens[min(self.index + ahead, len(self.tokens) - 1)]

    def advance(self) -> Token:
        check_interrupt()
        token = self.tokens[self.index]
        if token.kind is not TokenKind.END:
            self.index += 1
        return token

    def at_word(self, *words: str) -> bool:
        """Whether the next tokens are these keywords, in order."""
        index = self.index
        for word in words:  # never past the END token, which is no name
            token = self.tokens[index]
            if token.value != word or token.kind is not TokenKind.NAME:
                return False
            index += 1
        return True

    def at_any(self, *words: str) -> bool:
        return self.token.kind is TokenKind.NAME and self.token.value in words

    def accept_words(self, *words: str) -> bool:
        if not self.at_word(*words):
            return False
        self.index += len(words)
        return True

    def accept_any(self, *words: str) -> str | None:
        if not self.at_any(*words):
            return None
        return self.advance().value

    def expect_words(self, *words: str) -> None:
        for word in words:
            if not self.accept_words(word):
                self.fail()

    def at_symbol(self, symbol: str, ahead: int = 0) -> bool:
        token = self.peek(ahead) if ahead else self.tokens[self.index]
        return token.value == symbol and token.kind is TokenKind.OPERATOR

    def accept_symbol(self, symbol: str) -> bool:
        token = self.tokens[self.index]
        if token.value != symbol or token.kind is not TokenKind.OPERATOR:
            return False
        self.index += 1
        return True

    def expect_symbol(self, symbol: str) -> None:
        if not self.accept_symbol(symbol):
            self.fail()

    def fail(self) -> NoReturn:
        token = self.token
        if token.kind is TokenKind.END:
            raise SqlSyntaxError("syntax error at end of input", position=token.position)
        raise SqlSyntaxError(
            f'syntax error at or near "{self.text[token.start : token.end]}"', position=token.position
        )

    def nested(self, parse: Callable[[], T]) -> T:
        """`parse()`, one level deeper; 54001 beyond `MAX_DEPTH`."""
        if self.depth >= MAX_DEPTH:
            raise PtvcError(
                "stack depth limit exceeded",
                sqlstate="54001",
                hint=f"The statement nests more than {MAX_DEPTH} levels; use common table expressions.",
                position=self.token.position,
            )
        self.depth += 1
        try:
            return parse()
        finally:
            self.depth -= 1

    # --- names and lists ---

    def at_identifier(self) -> bool:
        """Whether a column or table name stands next."""
        token = self.token
        if token.kind is TokenKind.QUOTED:
            return True
        return (
            token.kind is TokenKind.NAME
            and token.value not in RESERVED
            and token.value not in TYPE_OR_FUNCTION
        )

    def identifier(self) -> str:
        if not self.at_identifier():
            self.fail()
        return self.advance().value

    def label(self) -> str:
        """A name after AS or a dot: any word at all."""
        if self.token.kind not in (TokenKind.NAME, TokenKind.QUOTED):
            self.fail()
        return self.advance().value

    def qualified(self) -> tuple[str, ...]:
        parts = [self.identifier()]
        while self.accept_symbol("."):
            parts.append(self.label())
        return tuple(parts)

    def comma_list(self, parse: Callable[[], T]) -> tuple[T, ...]:
        items = [parse()]
        while self.accept_symbol(","):
            check_interrupt()
            items.append(parse())
        return tuple(items)

    def parenthesised(self, parse: Callable[[], T]) -> tuple[T, ...]:
        """`(item, ...)`"""
        self.expect_symbol("(")
        items = self.comma_list(parse)
        self.expect_symbol(")")
        return items

    def options_once(self, parse: Callable[[], N]) -> tuple[N, ...]:
        """`(option, ...)`, each name once."""
        return each_once(self.parenthesised(parse))

    def string(self) -> str:
        if self.token.kind is not TokenKind.STRING:
            self.fail()
        return self.advance().value

    def integer(self) -> int:
        if self.token.kind is not TokenKind.INTEGER:
            self.fail()
        return int(self.advance().value)
