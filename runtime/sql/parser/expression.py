"""Expressions: precedence climbing by PostgreSQL's table.

From weakest: OR, AND, NOT, IS, comparisons (not associative), BETWEEN IN LIKE, other operators, + -, * / %, ^,
AT TIME ZONE, COLLATE, unary minus, subscripts, `::`, dots.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import SqlSyntaxError, Unsupported
from ...expr.text.keywords import RESERVED, TYPE_OR_FUNCTION
from ..syntax import ast
from ..syntax.types import REFUSED_NAMES, TYPE_NAMES
from .function import LIKE_LEVEL, FunctionParser
from .lexer import TokenKind

_IS, _COMPARE, _LIKE, _OTHER, _ADD, _MULTIPLY, _POWER, _ZONE, _COLLATE, _UNARY = range(3, 13)
assert _LIKE == LIKE_LEVEL
_COMPARISONS = {"=", "<", ">", "<=", ">=", "<>", "!="}
_PRECEDENCE = {"+": _ADD, "-": _ADD, "*": _MULTIPLY, "/": _MULTIPLY, "%": _MULTIPLY, "^": _POWER}
_NOT_OPERATORS = {"(", ")", ",", ";", ".", "[", "]", ":", "::", ":=", "..", "=>"}
_NEVER_PREFIX = _NOT_OPERATORS | _COMPARISONS | {"*", "/", "%", "^"}
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


class ExpressionParser(FunctionParser):
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

    # --- operands ---

    def _unary(self) -> ast.Expression:
        token = self.token
        if token.kind is TokenKind.OPERATOR and token.value in ("-", "+"):
            self.advance()
            following = self.token
            if token.value == "-" and following.kind is TokenKind.INTEGER and not self.at_symbol("::", 1):
                # A literal with its sign, so that -2147483648 is an integer.
                self.advance()
                return self._postfix(ast.Integer(-int(following.value), token.position))
            arg = self.nested(lambda: self._binary(_UNARY))
            if token.value == "-" and isinstance(arg, ast.Integer):
                return ast.Integer(-arg.value, token.position)
            return ast.Operator(token.value, (arg,), token.position)
        if token.kind is TokenKind.OPERATOR and token.value not in _NEVER_PREFIX:
            self.advance()
            arg = self.nested(lambda: self._binary(_OTHER + 1))
            return ast.Operator(token.value, (arg,), token.position)
        return self._postfix(self._primary())

    def _postfix(self, operand: ast.Expression) -> ast.Expression:
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
