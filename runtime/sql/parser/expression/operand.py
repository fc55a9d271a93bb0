"""What operators stand between: constants, names, calls, subqueries, CASE, casts, arrays, lists and maps; with their subscripts and `::`."""

from __future__ import annotations

from dataclasses import replace

from ....errors import SqlSyntaxError, Unsupported
from ....expr.text.keywords import RESERVED, TYPE_OR_FUNCTION
from ...syntax import ast
from ...syntax.types import REFUSED_NAMES, TYPE_NAMES
from ..lexer import TokenKind
from .function import FunctionParser

VALUE_FUNCTIONS = {
    "current_date",
    "current_time",
    "current_timestamp",
    "localtime",
    "localtimestamp",
    "current_user",
    "current_role",
    "session_user",
    "user",
    "current_catalog",
    "current_schema",
}


CLOCK_FUNCTIONS = {"current_time", "current_timestamp", "localtime", "localtimestamp"}
"""Of these, the ones that take a precision: how many digits of a second to give."""


class OperandParser(FunctionParser):
    def query(self) -> ast.Query:
        raise AssertionError("a QueryParser parses queries")

    def at_query(self, ahead: int = 0) -> bool:
        """Whether a query stands next, behind any number of opening parentheses."""
        while self.at_symbol("(", ahead):
            ahead += 1
        token = self.peek(ahead)
        return token.kind is TokenKind.NAME and token.value in ("select", "with", "values", "table", "from")

    def closed_query(self) -> ast.Query | None:
        """A query and `)`, if that stands next; otherwise nothing is consumed.

        Parentheses may open a query or an expression that begins with a subquery: only its end tells.
        """
        if not self.at_query():
            return None
        certain, saved = not self.at_symbol("("), self.index
        try:
            query = self.nested(self.query)
            self.expect_symbol(")")
            return query
        except SqlSyntaxError:
            if certain:
                raise
            self.index = saved
            return None

    def operand(self) -> ast.Expression:
        """With what stands behind it: subscripts and `::`."""
        return self.postfix(self._primary())

    def postfix(self, operand: ast.Expression) -> ast.Expression:
        subscripted = False
        while True:
            position = self.token.position
            if self.accept_symbol("::"):
                operand = ast.Cast(operand, self.type_name(), position)
                subscripted = False
            elif self.accept_symbol("["):
                operand = self._subscript(operand, position, further=subscripted)
                subscripted = True
            else:
                return operand

    def _subscript(self, operand: ast.Expression, position: int, further: bool) -> ast.Expression:
        """`[i]`, `[i:j]`, `[:j]`, `[i:]` or `[:]`, behind the bracket."""
        index = None if self.at_symbol(":") else self.expression()
        upper, sliced = None, self.accept_symbol(":")
        if sliced and not self.at_symbol("]"):
            upper = self.expression()
        self.expect_symbol("]")
        return ast.Subscript(operand, index, position, sliced, upper, further)

    def _primary(self) -> ast.Expression:
        token = self.token
        match token.kind:
            case TokenKind.INTEGER:
                self.advance()
                return ast.Integer(int(token.value), token.position)
            case TokenKind.DECIMAL:
                self.advance()
                return ast.Decimal(token.value, token.position)
            case TokenKind.STRING:
                self.advance()
                return ast.String(token.value, token.position)
            case TokenKind.PARAMETER:
                self.advance()
                return ast.Parameter(int(token.value), token.position)
            case TokenKind.OPERATOR if token.value == "(":
                return self._group()
            case TokenKind.OPERATOR if token.value == "*":
                self.advance()
                return ast.Star((), token.position)
            case TokenKind.NAME:
                return self._word()
            case TokenKind.QUOTED:
                return self._name()
        return self.fail()

    def _group(self) -> ast.Expression:
        position = self.token.position
        self.expect_symbol("(")
        query = self.closed_query()
        if query is not None:
            return ast.Subquery("scalar", query, position)
        items = self.comma_list(self.expression)
        self.expect_symbol(")")
        if len(items) > 1:
            return ast.Row(items, position)
        found = items[0]
        while self.accept_symbol("."):
            if self.accept_symbol("*"):
                return ast.AllFields(found, position)
            found = ast.Field(found, self.label(), position)
        return found

    def _word(self) -> ast.Expression:
        token = self.token
        word, position = token.value, token.position
        match word:
            case "null":
                self.advance()
                return ast.Null(position)
            case "true" | "false":
                self.advance()
                return ast.Boolean(word == "true", position)
            case "default":
                self.advance()
                return ast.Default(position)
            case "case":
                return self.nested(self._case)
            case "cast":
                return self._cast()
            case "try_cast" if self.at_symbol("(", 1):
                return self._try_cast()
            case "exists" if self.at_symbol("(", 1):
                self.advance()
                self.expect_symbol("(")
                query = self.nested(self.query)
                self.expect_symbol(")")
                return ast.Subquery("exists", query, position)
            case "array":
                return self._array("array")
            case "list" if self.at_symbol("[", 1) or (self.at_symbol("(", 1) and self.at_query(2)):
                return self._array("list")
            case "map" if self.at_symbol("[", 1) or (self.at_symbol("(", 1) and self.at_query(2)):
                return self._map()
            case "row" if self.at_symbol("(", 1):
                self.advance()
                return ast.Row(self.parenthesised(self.expression), position)
            case "interval" if self.peek().kind is TokenKind.STRING:
                return self._interval()
            case "interval" if self.at_symbol("(", 1) and self.peek(4).kind is TokenKind.STRING:
                type_name = self.type_name()
                return ast.Cast(ast.String(self.string(), position), type_name, position)
            case _ if word in VALUE_FUNCTIONS and not self.at_symbol("(", 1):
                self.advance()
                return ast.Function((word,), (), position)
            case _ if word in CLOCK_FUNCTIONS:
                self.advance()
                self.expect_symbol("(")
                digits = ast.Integer(self.integer(), position)
                self.expect_symbol(")")
                return ast.Function((word,), (digits,), position)
        following = self.peek()
        if following.kind is TokenKind.STRING and (
            word in TYPE_NAMES or word in REFUSED_NAMES or word == "char"
        ):
            type_name = self.type_name()
            if type_name.name in ("character", "nchar"):  # of any length here
                type_name = replace(type_name, name="bpchar")
            return ast.Cast(ast.String(self.string(), following.position), type_name, position)
        if word == "double" and following.value == "precision" and self.peek(2).kind is TokenKind.STRING:
            type_name = self.type_name()
            return ast.Cast(ast.String(self.string(), position), type_name, position)
        typed = word in ("timestamp", "time") and following.value in ("with", "without", "(")
        if typed or self._at_modified():
            type_name = self.type_name()
            return ast.Cast(ast.String(self.string(), position), type_name, position)
        return self._name()

    def _at_modified(self) -> bool:
        """Whether a constant of a type with modifiers stands next: `numeric(3, 1) '1.25'`, `time(0) '12:00'`."""
        if self.token.value not in (*TYPE_NAMES, "char") or not self.at_symbol("(", 1):
            return False
        ahead = 2
        while self.peek(ahead).kind is TokenKind.INTEGER and self.at_symbol(",", ahead + 1):
            ahead += 2
        if self.peek(ahead).kind is not TokenKind.INTEGER or not self.at_symbol(")", ahead + 1):
            return False
        following = self.peek(ahead + 2)
        if self.token.value in ("timestamp", "time") and following.value in ("with", "without"):
            following = self.peek(ahead + 5)
        return following.kind is TokenKind.STRING

    def _interval(self) -> ast.Expression:
        """`INTERVAL '1 day'`, `INTERVAL '1' DAY`, `INTERVAL '1:30' HOUR TO MINUTE`."""
        position = self.advance().position
        at = self.token.position
        written = ast.String(self.string(), at)
        fields, modifiers = self.interval_fields()
        type_name = ast.TypeName("interval", modifiers, 0, position, fields)
        return ast.Cast(written, type_name, position)

    def _name(self) -> ast.Expression:
        token = self.token
        callable_name = token.kind is TokenKind.NAME and self.at_symbol("(", 1)
        allowed = token.kind is TokenKind.QUOTED or token.value not in RESERVED
        if callable_name and token.value in ("left", "right", "current_schema", "any_value", "user"):
            allowed = True
        if not allowed or (
            token.value in TYPE_OR_FUNCTION and not callable_name and token.kind is TokenKind.NAME
        ):
            self.fail()
        parts = [self.advance().value]
        while self.accept_symbol("."):
            if self.accept_symbol("*"):
                return ast.Star(tuple(parts), token.position)
            parts.append(self.label())
        if self.at_symbol("("):
            return self.function(tuple(parts), token.position)
        if len(parts) == 2 and parts[0] == "pg_catalog" and self.token.kind is TokenKind.STRING:
            type_name = ast.TypeName(parts[1], (), 0, token.position)
            return ast.Cast(ast.String(self.string(), token.position), type_name, token.position)
        return ast.Name(tuple(parts), token.position)

    def _case(self) -> ast.Expression:
        position = self.advance().position
        operand = None if self.at_word("when") else self.expression()
        branches: list[tuple[ast.Expression, ast.Expression]] = []
        while self.accept_words("when"):
            condition = self.expression()
            self.expect_words("then")
            branches.append((condition, self.expression()))
        if not branches:
            self.fail()
        otherwise = self.expression() if self.accept_words("else") else None
        self.expect_words("end")
        return ast.Case(operand, tuple(branches), otherwise, position)

    def _cast(self) -> ast.Expression:
        position = self.advance().position
        self.expect_symbol("(")
        arg = self.expression()
        self.expect_words("as")
        type_name = self.type_name()
        self.expect_symbol(")")
        return ast.Cast(arg, type_name, position)

    def _try_cast(self) -> ast.Expression:
        """`TRY_CAST(a AS type)`; without AS a call of a function of that name."""
        position, start = self.token.position, self.index
        self.index += 2
        arg = None if self.at_symbol(")") else self.expression()
        if arg is None or not self.accept_words("as"):
            self.index = start
            return self._name()
        type_name = self.type_name()
        self.expect_symbol(")")
        return ast.Cast(arg, type_name, position, attempt=True)

    def _array(self, word: str) -> ast.Expression:
        """`ARRAY` or `LIST`, of elements or of a query's rows."""
        position = self.advance().position
        if self.accept_symbol("("):
            query = self.nested(self.query)
            self.expect_symbol(")")
            return ast.Subquery(word, query, position)
        self.expect_symbol("[")
        if self.at_symbol("[") and word == "array":
            raise Unsupported("arrays of several dimensions are not supported", position=position)
        return self._elements(position, word == "list")

    def _elements(self, position: int, of_list: bool) -> ast.Array:
        """What stands in brackets, behind the first; in a list, brackets are lists."""
        items: tuple[ast.Expression, ...] = ()
        if not self.at_symbol("]"):
            items = self.comma_list(self._list_element if of_list else self.expression)
        self.expect_symbol("]")
        return ast.Array(items, position, of_list)

    def _map(self) -> ast.Expression:
        position = self.advance().position
        if self.accept_symbol("("):
            query = self.nested(self.query)
            self.expect_symbol(")")
            return ast.Subquery("map", query, position)
        self.expect_symbol("[")
        return self._pairs(position)

    def _pairs(self, position: int) -> ast.Map:
        """What stands in the brackets of a map, behind the first; a value in brackets is a map."""
        pairs: tuple[tuple[ast.Expression, ast.Expression], ...] = ()
        if not self.at_symbol("]"):
            pairs = self.comma_list(self._pair)
        self.expect_symbol("]")
        return ast.Map(pairs, position)

    def _pair(self) -> tuple[ast.Expression, ast.Expression]:
        key = self.expression()
        self.expect_symbol("=>")
        position = self.token.position
        if self.accept_symbol("["):
            return key, self.nested(lambda: self._pairs(position))
        return key, self.expression()

    def _list_element(self) -> ast.Expression:
        position = self.token.position
        if self.accept_symbol("["):
            return self.nested(lambda: self._elements(position, True))
        return self.expression()
