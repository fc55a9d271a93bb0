"""Items of FROM: tables, derived tables, functions, joins, and their aliases."""

from __future__ import annotations

from collections.abc import Callable

from ....errors import Unsupported
from ...syntax import ast
from ..expression import VALUE_FUNCTIONS
from ..lexer import TokenKind
from .as_of import AsOfParser
from .group_sizes import GroupSizeParser

JOIN_WORDS = ("join", "inner", "left", "right", "full", "cross", "natural")


class FromItemParser(AsOfParser, GroupSizeParser):
    def from_item(self) -> ast.FromItem:
        left = self.nested(self._from_primary)
        while self.at_any(*JOIN_WORDS):
            left = self._join(left)
        return left

    def _join(self, left: ast.FromItem) -> ast.FromItem:
        position = self.token.position
        natural = self.accept_words("natural")
        kind = self.accept_any("inner", "left", "right", "full", "cross") or "inner"
        if kind in ("left", "right", "full"):
            self.accept_words("outer")
        self.expect_words("join")
        right = self.nested(self._from_primary)
        if kind == "cross" or natural:
            return ast.JoinedTable(kind, left, right, None, None, natural, position)
        while self.at_any(*JOIN_WORDS):  # a JOIN b JOIN c ON .. ON ..
            right = self._join(right)
        if self.accept_words("using"):
            names = self.parenthesised(self.identifier)
            named = self.at_word("as") and not self.at_as_of()
            alias = self.identifier() if named and self.accept_words("as") else None
            return ast.JoinedTable(kind, left, right, None, names, False, position, alias)
        self.expect_words("on")
        return ast.JoinedTable(kind, left, right, self.expression(), None, False, position)

    def _from_primary(self) -> ast.FromItem:
        position = self.token.position
        lateral = self.accept_words("lateral")
        if self.at_symbol("("):
            self.advance()
            query = self.closed_query()
            if query is not None:
                alias, columns = self._table_alias()
                return ast.DerivedTable(query, alias, columns, lateral, position)
            item = self.from_item()
            self.expect_symbol(")")
            if not isinstance(item, ast.JoinedTable):
                self.fail()
            alias, columns = self._table_alias()
            return item if alias is None else _named(item, alias, columns, position)
        if self.at_word("rows", "from") and self.at_symbol("(", 2):
            self.index += 2
            return self._table_function(self.parenthesised(self._function_in_from), position)
        if self.token.kind is TokenKind.NAME and self.token.value in VALUE_FUNCTIONS:
            call = self._word()
            assert isinstance(call, ast.Function)
            return self._table_function((call,), position)
        only = self.accept_words("only")
        name = self.qualified()
        if name == ("changes",) and self.at_symbol("(") and not only:
            return self._changes(position)
        if self.at_symbol("(") and not only:
            return self._table_function((self._call(name, position),), position)
        self.accept_symbol("*")
        alias, columns = self._table_alias()
        if self.at_word("tablesample"):
            raise Unsupported("TABLESAMPLE is not supported", position=self.token.position)
        return ast.TableRef(name, alias, columns, position)

    def _changes(self, position: int) -> ast.TableRef:
        """`CHANGES(name [BETWEEN time AND time])`, behind its first word"""
        self.expect_symbol("(")
        name = self.qualified()
        bounds: tuple[ast.Expression, ...] = ()
        if self.accept_words("between"):
            bounds = self.between_bounds()
        self.expect_symbol(")")
        alias, columns = self._table_alias()
        return ast.TableRef(name, alias or "changes", columns, position, bounds)

    def _function_in_from(self) -> ast.Function:
        position = self.token.position
        return self._call(self.qualified(), position)

    def _call(self, name: tuple[str, ...], position: int) -> ast.Function:
        function = self.function(name, position)
        if not isinstance(function, ast.Function):
            self.fail()
        return function

    def _table_function(self, functions: tuple[ast.Function, ...], position: int) -> ast.TableFunction:
        ordinality = self.accept_words("with", "ordinality")
        if self.at_word("as") and self.at_symbol("(", 1):
            raise self._defined_columns()
        alias, columns = self._table_alias(self._column_alias)
        return ast.TableFunction(functions, ordinality, alias, columns, position)

    def _column_alias(self) -> str:
        name = self.identifier()
        if not self.at_symbol(",") and not self.at_symbol(")"):
            raise self._defined_columns()
        return name

    def _defined_columns(self) -> Unsupported:
        return Unsupported(
            "column definition lists are not supported",
            hint="Name the columns alone and cast them; for documents, take jsonb_array_elements(d) AS x(v) and (v ->> 'a')::int.",
            position=self.token.position,
        )

    def _table_alias(self, column: Callable[[], str] | None = None) -> tuple[str | None, tuple[str, ...]]:
        if self.at_as_of() or self.at_group_sizes():
            return None, ()
        if self.accept_words("as"):
            alias: str | None = self.identifier()
        elif self.at_identifier() and not self.at_any(*self.not_aliases):
            alias = self.identifier()
        else:
            return None, ()
        columns = self.parenthesised(column or self.identifier) if self.at_symbol("(") else ()
        return alias, columns

    not_aliases: tuple[str, ...] = ("set", "returning", "qualify", "envelope", "into")


def _named(join: ast.JoinedTable, alias: str, columns: tuple[str, ...], position: int) -> ast.DerivedTable:
    """A join under one name: its tables have none outside, so it is the query of all its columns."""
    if _looks_left(join):
        raise Unsupported(
            "an alias of a join of LATERAL items or table functions is not supported",
            hint="Make the join a derived table: (SELECT * FROM ...) AS alias.",
            position=position,
        )
    star = ast.SelectItem(ast.Star((), position), None)
    body = ast.SelectBody((star,), False, (), (join,), None, (), None, None, position)
    return ast.DerivedTable(ast.Query(body, (), (), None, None, 0, 0), alias, columns, False, position)


def _looks_left(item: ast.FromItem) -> bool:
    if isinstance(item, ast.JoinedTable):
        return _looks_left(item.left) or _looks_left(item.right)
    return isinstance(item, ast.TableFunction) or (isinstance(item, ast.DerivedTable) and item.lateral)
