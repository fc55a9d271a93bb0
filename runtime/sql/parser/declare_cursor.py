"""Cursors: DECLARE, FETCH and MOVE, CLOSE."""

from __future__ import annotations

from ...errors import PtvcError
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.query_statements import SubscribeStatement
from ..syntax.session_statements import CloseStatement, DeclareStatement, FetchStatement
from ..syntax.vocabulary import Direction
from .columns import duration_ms
from .lexer import TokenKind
from .session import SessionParser

_ALONE = {"next": (Direction.FORWARD, 1), "prior": (Direction.FORWARD, -1), "first": (Direction.ABSOLUTE, 1), "last": (Direction.ABSOLUTE, -1)}  # fmt: skip
_COUNTED = {"absolute": Direction.ABSOLUTE, "relative": Direction.RELATIVE}
_COUNTED_OR_ALL = ("forward", "backward")
_OPPOSITES = (("scroll", "no scroll"), ("asensitive", "insensitive"))
MAX_COUNT = 2**31 - 1


class CursorParser(SessionParser):
    def _declare(self) -> st.StatementNode:
        self.expect_words("declare")
        name = self.identifier()
        options: dict[str, int] = {}
        while not self.at_word("cursor"):
            position = self.token.position
            if self.accept_words("no"):
                self.expect_words("scroll")
                options["no scroll"] = position
            else:
                word = self.accept_any("scroll", "binary", "asensitive", "insensitive")
                if word is None:
                    self.fail()
                options[word] = position
        self.expect_words("cursor")
        hold = self.at_word("with")
        if self.accept_any("with", "without") is not None:
            self.expect_words("hold")
        self.expect_words("for")
        query: ast.Query | SubscribeStatement
        as_of: ast.AsOf | None = None
        if self.at_word("subscribe"):
            query = self.subscribe()
        elif self.at_query():
            query, as_of = self.query_as_of()
        else:
            self.fail()
        for one, other in _OPPOSITES:
            if one in options and other in options:
                raise PtvcError(f"cannot specify both {one.upper()} and {other.upper()}", sqlstate="42P11")
        return DeclareStatement(name, query, hold, "binary" in options, options.get("scroll"), as_of)

    def _fetch_or_move(self) -> st.StatementNode:
        move = self.advance().value == "move"
        direction, count = self._direction()
        self.accept_any("from", "in")
        name = self.identifier()
        timeout = self._timeout() if not move and self.accept_words("with") else None
        return FetchStatement(name, direction, count, move, timeout)

    def _timeout(self) -> int:
        """`(TIMEOUT [=] 'duration')`, in milliseconds."""
        self.expect_symbol("(")
        self.expect_words("timeout")
        self.accept_symbol("=")
        position = self.token.position
        timeout = duration_ms(self.string(), position)
        self.expect_symbol(")")
        return timeout

    def _direction(self) -> tuple[Direction, int | None]:
        """Which rows; None is all of them.  Words of directions are names of cursors where nothing follows."""
        if self.accept_words("all"):
            return Direction.FORWARD, None
        if self._at_row_count():
            return Direction.FORWARD, self._row_count()
        word = self.token.value if self.token.kind is TokenKind.NAME else ""
        if self.peek().kind is TokenKind.END or self.at_symbol(";", 1):
            return Direction.FORWARD, 1
        if word in _ALONE:
            self.advance()
            return _ALONE[word]
        if word in _COUNTED:
            self.advance()
            return _COUNTED[word], self._row_count()
        if word not in _COUNTED_OR_ALL:
            return Direction.FORWARD, 1
        self.advance()
        backward = word == "backward"
        if self.accept_words("all"):
            return (Direction.BACKWARD if backward else Direction.FORWARD), None
        count = self._row_count() if self._at_row_count() else 1
        return Direction.FORWARD, -count if backward else count

    def _at_row_count(self) -> bool:
        signed = self.at_symbol("+") or self.at_symbol("-")
        return self.peek(int(signed)).kind is TokenKind.INTEGER

    def _row_count(self) -> int:
        sign = -1 if self.accept_symbol("-") else 1
        if sign > 0:
            self.accept_symbol("+")
        if self.token.kind is TokenKind.INTEGER and int(self.token.value) > MAX_COUNT:
            self.fail()
        return sign * self.integer()

    def _close(self) -> st.StatementNode:
        self.expect_words("close")
        if self.accept_words("all"):
            return CloseStatement(None)
        return CloseStatement(self.identifier())
