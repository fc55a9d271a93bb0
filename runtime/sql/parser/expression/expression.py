"""Expressions: precedence climbing by PostgreSQL's table.

From weakest: OR, AND, NOT, IS, comparisons (not associative), BETWEEN IN LIKE, other operators, + -, * / %, ^,
AT TIME ZONE, COLLATE, unary minus, subscripts, `::`, dots.
"""

from __future__ import annotations

from ....errors import SqlSyntaxError, Unsupported
from ...syntax import ast
from ..lexer import TokenKind
from .function import LIKE_LEVEL
from .operand import OperandParser

_IS, _COMPARE, _LIKE, _OTHER, _ADD, _MULTIPLY, _POWER, _ZONE, _COLLATE, _UNARY = range(3, 13)
assert _LIKE == LIKE_LEVEL
_COMPARISONS = {"=", "<", ">", "<=", ">=", "<>", "!="}
_PRECEDENCE = {"+": _ADD, "-": _ADD, "*": _MULTIPLY, "/": _MULTIPLY, "%": _MULTIPLY, "^": _POWER}
_NOT_OPERATORS = {"(", ")", ",", ";", ".", "[", "]", ":", "::", ":=", "..", "=>"}
_NEVER_PREFIX = _NOT_OPERATORS | _COMPARISONS | {"*", "/", "%", "^"}


class ExpressionParser(OperandParser):
    def expression(self) -> ast.Expression:
        return self.nested(self._or)

    def _or(self) -> ast.Expression:
        return self._logical("or", lambda: self._logical("and", self._not))

    def _logical(self, word: str, parse: object) -> ast.Expression:
        assert callable(parse)
        position = self.token.position
        args: list[ast.Expression] = [parse()]
        while self.accept_words(word):
            args.append(parse())
        return args[0] if len(args) == 1 else ast.Logical(word, tuple(args), position)

    def _not(self) -> ast.Expression:
        negations, position = 0, self.token.position
        while self.accept_words("not"):
            negations += 1
        arg = self._binary(_IS)
        for _ in range(negations):
            arg = ast.Not(arg, position)
        return arg

    def _binary(self, minimum: int) -> ast.Expression:
        left = self._unary()
        compared = False
        while True:
            position = self.token.position
            precedence, symbol = self._infix()
            if precedence < minimum:
                return left
            if precedence == _COMPARE and compared:
                self.fail()
            compared = precedence == _COMPARE
            if symbol is None:
                left = self._postfix_word(left, precedence, position)
                continue
            self._skip_operator()
            if self.at_any("any", "some", "all"):
                left = self._quantified(symbol, left, position)
            else:
                left = ast.Operator(symbol, (left, self._binary(precedence + 1)), position)

    def _infix(self) -> tuple[int, str | None]:
        """The next infix operator: its precedence (0: none) and symbol (None for words)."""
        token = self.token
        if token.kind is TokenKind.OPERATOR:
            if token.value in _NOT_OPERATORS:
                return 0, None
            symbol = "<>" if token.value == "!=" else token.value
            if symbol in _COMPARISONS:
                return _COMPARE, symbol
            return _PRECEDENCE.get(symbol, _OTHER), symbol
        if token.kind is not TokenKind.NAME:
            return 0, None
        word = token.value
        if word == "not":
            word = self.peek().value
            return (_LIKE, None) if word in ("like", "ilike", "in", "between", "similar") else (0, None)
        if word in ("is", "isnull", "notnull"):
            return _IS, None
        if word in ("like", "ilike", "in", "between", "similar", "overlaps"):
            return _LIKE, None
        if word == "operator" and self.at_symbol("(", 1):
            return _OTHER, self._operator_symbol()
        if word == "at" and self.peek().value in ("time", "local"):
            return _ZONE, None
        if word == "collate":
            return _COLLATE, None
        return 0, None

    def _operator_symbol(self) -> str:
        ahead = 2
        while self.peek(ahead).kind in (TokenKind.NAME, TokenKind.QUOTED) and self.at_symbol(".", ahead + 1):
            ahead += 2
        token = self.peek(ahead)
        if token.kind is not TokenKind.OPERATOR or not self.at_symbol(")", ahead + 1):
            self.fail()
        return token.value

    def _skip_operator(self) -> None:
        if self.advance().kind is TokenKind.NAME:  # OPERATOR(schema.symbol)
            while not self.accept_symbol(")"):
                self.advance()

    def _quantified(self, symbol: str, left: ast.Expression, position: int) -> ast.Expression:
        every = self.advance().value == "all"
        self.expect_symbol("(")
        right: ast.Expression | ast.Query
        right = self.query() if self.at_query() else self.expression()
        self.expect_symbol(")")
        return ast.Quantified(symbol, left, every, right, position)

    def _postfix_word(self, left: ast.Expression, precedence: int, position: int) -> ast.Expression:
        if precedence == _COLLATE:
            return self._collate(left, position)
        if precedence == _ZONE:
            self.expect_words("at")
            if self.accept_words("local"):  # sessions are in UTC
                return ast.Function(("timezone",), (ast.String("UTC", position), left), position)
            self.expect_words("time", "zone")
            return ast.Function(("timezone",), (self._binary(_ZONE + 1), left), position)
        if precedence == _IS:
            return self._is(left, position)
        negated = self.accept_words("not")
        word = self.advance().value
        if word == "between":
            return self._between(left, negated, position)
        if word == "in":
            return self._in(left, negated, position)
        if word == "overlaps":
            return self._overlaps(left, position)
        if word == "similar":
            if not self.accept_words("to"):
                raise Unsupported(
                    "substring(... SIMILAR ...) is not supported",
                    hint="Use substring(text from 'regular expression').",
                    position=position,
                )
            similar: tuple[ast.Expression, ...] = (self._binary(_LIKE + 1),)
            if self.accept_words("escape"):
                similar = (*similar, self._binary(_LIKE + 1))
            regex = ast.Function(("similar_to_escape",), similar, position)
            return ast.Operator("!~" if negated else "~", (left, regex), position)
        symbol = ("!" if negated else "") + ("~~" if word == "like" else "~~*")
        if self.at_any("any", "some", "all") and self.at_symbol("(", 1):
            return self._quantified(symbol, left, position)
        pattern = self._binary(_LIKE + 1)
        if self.accept_words("escape"):
            pattern = ast.Function(("like_escape",), (pattern, self._binary(_LIKE + 1)), position)
        return ast.Operator(symbol, (left, pattern), position)

    def _collate(self, left: ast.Expression, position: int) -> ast.Expression:
        self.expect_words("collate")
        name = self.label()
        while self.accept_symbol("."):
            name = self.label()
        if name.lower() not in ("default", "c", "posix", "ucs_basic"):
            raise Unsupported(
                f'collation "{name}" is not supported',
                hint='Text is ordered by collation "C".',
                position=position,
            )
        return left

    def _is(self, left: ast.Expression, position: int) -> ast.Expression:
        word = self.advance().value
        if word in ("isnull", "notnull"):
            return ast.Is(left, "null", word == "notnull", position)
        negated = self.accept_words("not")
        if self.accept_words("distinct", "from"):
            return ast.DistinctFrom(left, self._binary(_IS + 1), negated, position)
        if self.accept_words("json"):
            return self._is_json(left, negated, position)
        form = self.accept_any("nfc", "nfd", "nfkc", "nfkd")
        if form is not None or self.accept_words("normalized"):
            if form is not None:
                self.expect_words("normalized")
            forms = () if form is None else (ast.String(form.upper(), position),)
            test = ast.Function(("is_normalized",), (left, *forms), position)
            return ast.Not(test, position) if negated else test
        what = self.accept_any("null", "true", "false", "unknown")
        if what is None:
            self.fail()
        return ast.Is(left, what, negated, position)

    def _is_json(self, left: ast.Expression, negated: bool, position: int) -> ast.Expression:
        kind = self.accept_any("value", "array", "object", "scalar") or "value"
        unique = self.accept_words("with", "unique")
        if unique or self.accept_words("without", "unique"):
            self.accept_words("keys")
        options = (ast.String(kind, position), ast.Boolean(unique, position))
        test = ast.Function(("is json",), (left, *options), position)
        return ast.Not(test, position) if negated else test

    def _between(self, left: ast.Expression, negated: bool, position: int) -> ast.Expression:
        if self.accept_words("symmetric"):
            raise Unsupported("BETWEEN SYMMETRIC is not supported", position=position)
        self.accept_words("asymmetric")
        low, high = self.between_bounds()
        if negated:
            below = ast.Operator("<", (left, low), position)
            return ast.Logical("or", (below, ast.Operator(">", (left, high), position)), position)
        above = ast.Operator(">=", (left, low), position)
        return ast.Logical("and", (above, ast.Operator("<=", (left, high), position)), position)

    def between_bounds(self) -> tuple[ast.Expression, ast.Expression]:
        low = self._binary(_LIKE + 1)
        self.expect_words("and")
        return low, self._binary(_LIKE + 1)

    def _overlaps(self, left: ast.Expression, position: int) -> ast.Expression:
        right = self._binary(_LIKE + 1)
        for side, row in (("left", left), ("right", right)):
            if not isinstance(row, ast.Row) or len(row.items) != 2:
                raise SqlSyntaxError(
                    f"wrong number of parameters on {side} side of OVERLAPS expression", position=position
                )
        assert isinstance(left, ast.Row)
        assert isinstance(right, ast.Row)
        return ast.Function(("overlaps",), (*left.items, *right.items), position)

    def _in(self, left: ast.Expression, negated: bool, position: int) -> ast.Expression:
        if self.token.kind is TokenKind.ROWS:
            return ast.InList(left, (), negated, position, self.advance().rows)
        self.expect_symbol("(")
        query = self.closed_query()
        if query is not None:
            return ast.InQuery(left, query, negated, position)
        items = self.comma_list(self.expression)
        self.expect_symbol(")")
        return ast.InList(left, items, negated, position)

    def _unary(self) -> ast.Expression:
        token = self.token
        if token.kind is TokenKind.OPERATOR and token.value in ("-", "+"):
            self.advance()
            following = self.token
            if token.value == "-" and following.kind is TokenKind.INTEGER and not self.at_symbol("::", 1):
                # A literal with its sign, so that -2147483648 is an integer.
                self.advance()
                return self.postfix(ast.Integer(-int(following.value), token.position))
            arg = self.nested(lambda: self._binary(_UNARY))
            if token.value == "-" and isinstance(arg, ast.Integer):
                return ast.Integer(-arg.value, token.position)
            return ast.Operator(token.value, (arg,), token.position)
        if token.kind is TokenKind.OPERATOR and token.value not in _NEVER_PREFIX:
            self.advance()
            arg = self.nested(lambda: self._binary(_OTHER + 1))
            return ast.Operator(token.value, (arg,), token.position)
        return self.operand()
