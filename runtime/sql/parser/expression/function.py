"""Calls and types: functions with their special syntax, type names."""

from __future__ import annotations

from dataclasses import replace

from ....errors import SqlSyntaxError, Unsupported
from ....expr.text.keywords import RESERVED
from ...syntax import ast
from ..lexer import TokenKind
from .window import WindowParser

LIKE_LEVEL = 5
"""The precedence of LIKE, IN and BETWEEN: what stands beside such a word binds more tightly."""

INTERVAL_FIELDS = ("year", "month", "day", "hour", "minute", "second")
_INTERVAL_PARTS = ("years", "months", "weeks", "days", "hours", "mins", "secs")
_RANGES = frozenset(
    [("year", "month")]
    + [(a, b) for i, a in enumerate(INTERVAL_FIELDS[2:]) for b in INTERVAL_FIELDS[3 + i :]]
)

_TWO_WORD_TYPES = {"double": "precision", "character": "varying", "char": "varying"}


class FunctionParser(WindowParser):
    def _binary(self, minimum: int) -> ast.Expression:
        raise AssertionError("an ExpressionParser parses expressions")

    # --- functions ---

    def function(self, name: tuple[str, ...], position: int) -> ast.Expression:
        special = self._special_function(name[-1], position) if len(name) == 1 else None
        if special is not None:
            return special
        self.expect_symbol("(")
        star = distinct = False
        args: tuple[ast.Expression, ...] = ()
        order_by: tuple[ast.SortKey, ...] = ()
        if self.at_symbol("*") and self.at_symbol(")", 1):
            self.advance()
            star = True
        elif self.at_symbol(")"):
            args = self._interval_parts() if name[-1] == "make_interval" else ()
        else:
            distinct = self.accept_words("distinct")
            if not distinct:
                self.accept_words("all")
            if name[-1] == "make_interval":
                args = self._interval_parts()
            else:
                args = self.comma_list(self._argument)
            order_by = self.order_by()
        self.expect_symbol(")")
        if name[-1] == "age" and len(args) == 1 and isinstance(args[0], ast.Null | ast.String):
            raise SqlSyntaxError("function age(unknown) is not unique", sqlstate="42725", position=position)
        if name[-1] == "age" and len(args) == 1:  # up to the beginning of this day
            args = (ast.Function(("current_date",), (), position), *args)
        within = self._within_group(distinct=distinct, ordered=bool(order_by))
        condition = None
        if self.at_word("filter") and self.at_symbol("(", 1):
            self.advance()
            self.expect_symbol("(")
            self.expect_words("where")
            condition = self.expression()
            self.expect_symbol(")")
        nulls = self.null_treatment()
        return ast.Function(
            name, args, position, star, distinct, order_by, condition, self.over(), within, nulls
        )

    def _argument(self) -> ast.Expression:
        if self.at_word("variadic"):
            raise Unsupported("VARIADIC is not supported", position=self.token.position)
        if self.at_symbol("=>", 1) or self.at_symbol(":=", 1):
            position = self.token.position
            name = self.label()
            self.advance()
            return ast.NamedArgument(name, self.expression(), position)
        found = self.expression()
        return replace(found, argument=True) if isinstance(found, ast.Star) else found

    def _interval_parts(self) -> tuple[ast.Expression, ...]:
        """make_interval's arguments, by position or by name (`days => 3`), 0 where there is none."""
        given: dict[str, ast.Expression] = {}

        def argument() -> None:
            token = self.token
            if self.at_symbol("=>", 1):
                name = self.label()
                self.expect_symbol("=>")
            else:
                name = _INTERVAL_PARTS[len(given)] if len(given) < len(_INTERVAL_PARTS) else ""
            if name not in _INTERVAL_PARTS or name in given:
                raise SqlSyntaxError(
                    "function make_interval has no such arguments", sqlstate="42883", position=token.position
                )
            given[name] = self.expression()

        if not self.at_symbol(")"):
            self.comma_list(argument)
        return tuple(given.get(name, ast.Integer(0, self.token.position)) for name in _INTERVAL_PARTS)

    def _within_group(self, *, distinct: bool, ordered: bool) -> tuple[ast.SortKey, ...]:
        if not self.at_word("within", "group"):
            return ()
        position = self.token.position
        if ordered:
            raise SqlSyntaxError("cannot use multiple ORDER BY clauses with WITHIN GROUP", position=position)
        if distinct:
            raise SqlSyntaxError("cannot use DISTINCT with WITHIN GROUP", position=position)
        self.expect_words("within", "group")
        self.expect_symbol("(")
        keys = self.order_by()
        if not keys:
            self.fail()
        self.expect_symbol(")")
        return keys

    def _special_function(self, name: str, position: int) -> ast.Expression | None:
        """Functions with a syntax of their own."""
        if name == "extract":
            self.expect_symbol("(")
            token = self.advance()
            if token.kind not in (TokenKind.NAME, TokenKind.STRING, TokenKind.QUOTED):
                self.index -= 1
                self.fail()
            self.expect_words("from")
            arg = self.expression()
            self.expect_symbol(")")
            return ast.Function(("extract",), (ast.String(token.value, token.position), arg), position)
        if name == "position":
            self.expect_symbol("(")
            needle = self._binary(LIKE_LEVEL + 1)
            self.expect_words("in")
            haystack = self._binary(LIKE_LEVEL + 1)
            self.expect_symbol(")")
            return ast.Function(("position",), (haystack, needle), position)
        if name == "trim":
            return self._trim(position)
        if name == "normalize":
            return self._normalize(position)
        if name in ("substring", "overlay"):
            return self._substring(name, position)
        return None

    def _normalize(self, position: int) -> ast.Expression:
        self.expect_symbol("(")
        args: tuple[ast.Expression, ...] = (self.expression(),)
        if self.accept_symbol(","):
            form = self.accept_any("nfc", "nfd", "nfkc", "nfkd")
            if form is None:
                self.fail()
            args = (*args, ast.String(form.upper(), position))
        self.expect_symbol(")")
        return ast.Function(("normalize",), args, position)

    def _trim(self, position: int) -> ast.Expression:
        self.expect_symbol("(")
        side = self.accept_any("both", "leading", "trailing") or "both"
        function = {"both": "btrim", "leading": "ltrim", "trailing": "rtrim"}[side]
        if self.accept_words("from"):
            args = self.comma_list(self.expression)
        else:
            args = self.comma_list(self.expression)
            if self.accept_words("from"):
                args = (*self.comma_list(self.expression), *args)
        self.expect_symbol(")")
        return ast.Function((function,), args, position)

    def _substring(self, name: str, position: int) -> ast.Expression:
        self.expect_symbol("(")
        args = [self.expression()]
        if name == "overlay" and self.accept_words("placing"):
            args.append(self.expression())
        start: ast.Expression | None = None
        count: ast.Expression | None = None
        while (word := self.accept_any("from", "for")) is not None:
            if word == "from":
                start = self.expression()
            else:
                count = self.expression()
        if start is not None or count is not None:
            args.append(start if start is not None else ast.Integer(1, position))
            if count is not None:
                args.append(count)
        else:
            while self.accept_symbol(","):
                args.append(self.expression())
        self.expect_symbol(")")
        return ast.Function((name,), tuple(args), position)

    # --- types ---

    def type_name(self) -> ast.TypeName:
        type_ = self._map_type() if self.at_word("map") and self.at_symbol("[", 1) else self._plain_type()
        while self.accept_words("list"):
            type_ = ast.TypeName("list", (), 0, type_.position, element=type_)
        return type_

    def _map_type(self) -> ast.TypeName:
        """`map[text => T]`: keys are texts."""
        position = self.advance().position
        self.expect_symbol("[")
        key = self.type_name()
        if key != ast.TypeName("text", (), 0, key.position):
            raise Unsupported("keys of maps must be of type text", position=key.position)
        self.expect_symbol("=>")
        element = self.nested(self.type_name)
        self.expect_symbol("]")
        return ast.TypeName("map", (), 0, position, element=element)

    def _plain_type(self) -> ast.TypeName:
        position = self.token.position
        quoted = self.token.kind is TokenKind.QUOTED
        if self.token.kind is TokenKind.NAME and self.token.value in RESERVED:
            self.fail()
        name = self.label()
        schema: tuple[str, ...] = ()
        while self.accept_symbol("."):
            schema, name = (*schema, name), self.label()
        if schema and schema[-1] in ("pg_catalog", "mz_catalog"):
            schema = ()
        second = _TWO_WORD_TYPES.get(name)
        if second is not None and self.accept_words(second):
            name = f"{name} {second}"
        if name == "char" and not quoted:  # "char" is a type of its own
            name = "character"
        modifiers: tuple[int, ...] = ()
        if self.at_symbol("("):
            if name in ("timestamp", "time"):  # whose digits are one number, and not of any type
                self.advance()
                modifiers = (self.integer(),)
                self.expect_symbol(")")
            else:
                modifiers = self.parenthesised(self._modifier)
        if name in ("timestamp", "time"):
            if self.accept_words("with", "time", "zone"):
                name += "tz"
            else:
                self.accept_words("without", "time", "zone")
        fields: tuple[str, ...] = ()
        if name == "interval" and not modifiers:
            fields, modifiers = self.interval_fields()
        dimensions = 0
        while self.accept_symbol("["):
            if self.token.kind is TokenKind.INTEGER:
                self.advance()
            self.expect_symbol("]")
            dimensions += 1
        if self.accept_words("array"):
            dimensions += 1
        return ast.TypeName(name, modifiers, dimensions, position, fields, schema=schema)

    def interval_fields(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """`DAY`, `DAY TO SECOND(3)`, ...: what an interval is restricted to, nothing for all fields; and the precision."""
        first = self.accept_any(*INTERVAL_FIELDS)
        if first is None:
            return (), ()
        fields: tuple[str, ...] = (first,)
        if self.accept_words("to"):
            last = self.accept_any(*INTERVAL_FIELDS)
            if last is None or (first, last) not in _RANGES:
                self.fail()
            fields = (first, last)
        if fields[-1] == "second" and self.at_symbol("("):
            return fields, self.parenthesised(self._modifier)
        return fields, ()

    def _modifier(self) -> int:
        sign = -1 if self.accept_symbol("-") else 1
        return sign * self.integer()
