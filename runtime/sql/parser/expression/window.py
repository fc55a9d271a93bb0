"""Windows: OVER, the WINDOW clause, frames; and sort keys."""

from __future__ import annotations

from ....errors import PtvcError, Unsupported
from ...syntax import ast
from ..token_cursor import Cursor

_UNITS = ("rows", "range", "groups")


class WindowParser(Cursor):
    def expression(self) -> ast.Expression:
        raise AssertionError("an ExpressionParser parses expressions")

    def null_treatment(self) -> str | None:
        """`IGNORE NULLS` or `RESPECT NULLS`, if it stands next, and OVER behind it."""
        if not (self.at_word("ignore", "nulls", "over") or self.at_word("respect", "nulls", "over")):
            return None
        word = self.advance().value
        self.advance()
        return word

    def over(self) -> ast.Window | None:
        """`OVER name` or `OVER (definition)`, if it stands next."""
        if not self.accept_words("over"):
            return None
        if self.at_symbol("("):
            return self._window()
        position = self.token.position
        return ast.Window((), (), name=self.identifier(), copied=False, position=position)

    def window_clause(self) -> tuple[ast.NamedWindow, ...]:
        """`WINDOW name AS (definition), ...`, if it stands next."""
        return self.comma_list(self._named_window) if self.accept_words("window") else ()

    def _named_window(self) -> ast.NamedWindow:
        position = self.token.position
        name = self.identifier()
        self.expect_words("as")
        return ast.NamedWindow(name, self._window(), position)

    def _window(self) -> ast.Window:
        position = self.token.position
        self.expect_symbol("(")
        name: str | None = None
        if self.at_identifier() and not self.at_word("partition") and not self.at_any(*_UNITS):
            name = self.identifier()
        partition: tuple[ast.Expression, ...] = ()
        if self.accept_words("partition"):
            self.expect_words("by")
            partition = self.comma_list(self.expression)
        order = self.order_by()
        frame = self._frame() if self.at_any(*_UNITS) else None
        self.expect_symbol(")")
        return ast.Window(partition, order, frame, name, True, position)

    def _frame(self) -> ast.FrameClause:
        token = self.advance()
        between = self.accept_words("between")
        start = self._bound()
        end = ast.FrameBound("current row", None, start.position)
        if between:
            self.expect_words("and")
            end = self._bound()
        _check_bounds(start, end, between)
        return ast.FrameClause(token.value, start, end, self._exclusion(), token.position)

    def _bound(self) -> ast.FrameBound:
        position = self.token.position
        if self.accept_words("current", "row"):
            return ast.FrameBound("current row", None, position)
        offset: ast.Expression | None = None
        prefix = ""
        if self.at_word("unbounded", "preceding") or self.at_word("unbounded", "following"):
            self.advance()
            prefix = "unbounded "
        else:
            offset = self.expression()
        word = self.accept_any("preceding", "following")
        if word is None:
            self.fail()
        return ast.FrameBound(prefix + word, offset, position)

    def _exclusion(self) -> str:
        if not self.accept_words("exclude"):
            return "no others"
        for words in (("current", "row"), ("group",), ("ties",), ("no", "others")):
            if self.accept_words(*words):
                return " ".join(words)
        return self.fail()

    def order_by(self) -> tuple[ast.SortKey, ...]:
        if not self.accept_words("order"):
            return ()
        self.expect_words("by")
        return self.comma_list(self._sort_key)

    def _sort_key(self) -> ast.SortKey:
        expression = self.expression()
        if self.accept_words("using"):
            raise Unsupported(
                "ORDER BY ... USING is not supported", hint="Write ASC or DESC.", position=self.token.position
            )
        return self.sort_direction(expression)

    def sort_direction(self, expression: ast.Expression) -> ast.SortKey:
        """What stands behind a sort key."""
        descending = self.accept_any("asc", "desc") == "desc"
        nulls_first = descending
        if self.accept_words("nulls"):
            word = self.accept_any("first", "last")
            if word is None:
                self.fail()
            nulls_first = word == "first"
        return ast.SortKey(expression, descending, nulls_first)


def _check_bounds(start: ast.FrameBound, end: ast.FrameBound, between: bool) -> None:
    """Refuses what PostgreSQL's grammar does."""
    message, position = None, start.position
    if start.kind == "unbounded following":
        message = "frame start cannot be UNBOUNDED FOLLOWING"
    elif end.kind == "unbounded preceding":
        message, position = "frame end cannot be UNBOUNDED PRECEDING", end.position
    elif start.kind == "current row" and end.kind == "preceding":
        message, position = "frame starting from current row cannot have preceding rows", end.position
    elif start.kind == "following" and not between:
        message = "frame starting from following row cannot end with current row"
    elif start.kind == "following" and end.kind in ("preceding", "current row"):
        message, position = "frame starting from following row cannot have preceding rows", end.position
    if message is not None:
        raise PtvcError(message, sqlstate="42P20", position=position)
