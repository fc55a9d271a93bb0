"""Queries: SELECT, VALUES, TABLE, set operations, WITH, FROM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ...errors import SqlSyntaxError, Unsupported
from ...expr.text.keywords import NEEDS_AS
from ..syntax import ast
from .expression import VALUE_FUNCTIONS, ExpressionParser
from .group_sizes import GroupSizeParser
from .lexer import TokenKind, tokenize

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
_BEHIND_GROUP_BY = frozenset(
    (
        "as", "except", "fetch", "for", "having", "intersect", "into", "limit", "offset", "on", "order", "qualify", "returning", "union",
        "window", "with",
    )
)  # fmt: skip
_JOIN_WORDS = ("join", "inner", "left", "right", "full", "cross", "natural")


T = TypeVar("T")


class QueryParser(ExpressionParser, GroupSizeParser):
    def query_as_of(self) -> tuple[ast.Query, ast.AsOf | None]:
        """A whole query, and when it is to be read."""
        return self._query(), self.as_of()

    def as_of(self) -> ast.AsOf | None:
        if not self.at_as_of():
            return None
        position = self.token.position
        self.expect_words("as", "of")
        at_least = self.accept_words("at")
        if at_least:
            self.expect_words("least")
        return ast.AsOf(self.expression(), at_least, position)

    def query(self) -> ast.Query:
        query = self._query()
        if self.at_as_of():
            raise SqlSyntaxError(
                "AS OF is not allowed here",
                hint="It stands at the end of a whole SELECT, which is read once.",
                position=self.token.position,
            )
        return query

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

    def _query(self) -> ast.Query:
        start = self.token.start
        with_tables: tuple[ast.CommonTable, ...] = ()
        recursion: ast.Recursion | None = None
        recursive = self.at_word("with", "recursive")
        if self.at_word("with", "mutually", "recursive"):
            recursion = self._mutually_recursive()
        elif self.at_word("with"):
            with_tables = self._with()
            if self.at_any("insert", "update", "delete", "merge"):
                raise Unsupported(
                    f"WITH in front of {self.token.value.upper()} is not supported",
                    hint="WITH may stand in the query of INSERT, and in derived tables.",
                    position=self.token.position,
                )
        body = self.nested(self._union)
        order_by = self._order_by()
        limit, offset = self._limit()
        if self.at_word("for") and self.peek().value not in ("update", "share", "no", "key"):
            self.advance()
            self.fail()
        if self.at_word("for"):
            raise Unsupported(
                "row locks (FOR UPDATE, FOR SHARE) are not supported", position=self.token.position
            )
        end = self.tokens[self.index - 1].end
        bare = not (with_tables or recursion or order_by) and limit is None and offset is None
        if isinstance(body, ast.Query) and bare:
            return body
        return ast.Query(body, with_tables, order_by, limit, offset, start, end, recursive, recursion)

    def _order_by(self) -> tuple[ast.SortKey, ...]:
        """Of a query, where ALL stands for every column of the select list."""
        if not self.at_word("order", "by", "all"):
            return self.order_by()
        self.index += 2
        star = ast.Star((), self.advance().position)
        return (self.sort_direction(star),)

    def _with(self) -> tuple[ast.CommonTable, ...]:
        self.expect_words("with")
        self.accept_words("recursive")
        return self.comma_list(self._common_table)

    def _mutually_recursive(self) -> ast.Recursion:
        self.expect_words("with", "mutually", "recursive")
        limit: int | None = None
        return_at_limit = False
        if self.accept_symbol("("):
            return_at_limit = self.accept_words("return", "at")
            if not return_at_limit:
                self.accept_words("error", "at")
            self.expect_words("recursion", "limit")
            self.accept_symbol("=")
            position = self.token.position
            limit = self.integer()
            if limit < 1:
                raise SqlSyntaxError("the recursion limit must be greater than zero", position=position)
            self.expect_symbol(")")
        return ast.Recursion(self.comma_list(self._recursive_table), limit, return_at_limit)

    def _recursive_table(self) -> ast.RecursiveTable:
        position = self.token.position
        name = self.identifier()
        columns = self.parenthesised(lambda: (self.identifier(), self.type_name()))
        self.expect_words("as")
        self.expect_symbol("(")
        query = self.nested(self.query)
        self.expect_symbol(")")
        return ast.RecursiveTable(name, columns, query, position)

    def _common_table(self) -> ast.CommonTable:
        position = self.token.position
        name = self.identifier()
        columns = self.parenthesised(self.identifier) if self.at_symbol("(") else ()
        self.expect_words("as")
        if self.accept_words("not"):
            self.expect_words("materialized")
        else:
            self.accept_words("materialized")
        self.expect_symbol("(")
        if self.at_any("insert", "update", "delete", "merge"):
            raise Unsupported("data-modifying WITH is not supported", position=self.token.position)
        query = self.nested(self.query)
        self.expect_symbol(")")
        if self.at_any("search", "cycle"):
            raise Unsupported(
                f"{self.token.value.upper()} of a recursive query is not supported",
                hint="Carry the path or the order as a column of the query.",
                position=self.token.position,
            )
        return ast.CommonTable(name, columns, query, position)

    def _limit(self) -> tuple[ast.Expression | None, ast.Expression | None]:
        limit: ast.Expression | None = None
        offset: ast.Expression | None = None
        seen: set[str] = set()
        while (word := self.accept_any("limit", "offset", "fetch")) is not None:
            clause = "offset" if word == "offset" else "limit"
            if clause in seen:
                raise SqlSyntaxError(
                    f"multiple {clause.upper()} clauses not allowed",
                    position=self.tokens[self.index - 1].position,
                )
            seen.add(clause)
            if word == "limit":
                if not self.accept_words("all"):
                    limit = self.expression()
            elif word == "offset":
                offset = self.expression()
                self.accept_any("row", "rows")
            else:
                limit = self._fetch()
        return limit, offset

    def _fetch(self) -> ast.Expression:
        if self.accept_any("first", "next") is None:
            self.fail()
        position = self.token.position
        count: ast.Expression = ast.Integer(1, position)
        if not self.at_any("row", "rows"):
            count = self._unary()
        if self.accept_any("row", "rows") is None:
            self.fail()
        if self.accept_words("with"):
            raise Unsupported("FETCH ... WITH TIES is not supported", position=position)
        self.expect_words("only")
        return count

    # --- set operations: INTERSECT binds more tightly ---

    def _union(self) -> _Body:
        left = self._intersect()
        while self.at_any("union", "except"):
            left = self._set_operation(left, self._intersect)
        return left

    def _intersect(self) -> _Body:
        left = self._primary_body()
        while self.at_any("intersect"):
            left = self._set_operation(left, self._primary_body)
        return left

    def _set_operation(self, left: _Body, parse: object) -> _Body:
        assert callable(parse)
        token = self.advance()
        every = self.accept_any("all", "distinct") == "all"
        right = parse()
        return ast.SetBody(token.value, every, _as_query(left), _as_query(right), token.position)

    def _primary_body(self) -> _Body:
        token = self.token
        if self.accept_symbol("("):
            query = self.nested(self.query)
            self.expect_symbol(")")
            return query
        match token.value if token.kind is TokenKind.NAME else "":
            case "select":
                return self._select()
            case "from":
                return self._from_first()
            case "values":
                self.advance()
                if self.token.kind is TokenKind.ROWS:
                    return ast.ValuesBody((), token.position, self.advance().rows)
                return ast.ValuesBody(self.value_rows(token.position), token.position)
            case "table":
                self.advance()
                reference = ast.TableRef(self.qualified(), None, (), token.position)
                star = ast.SelectItem(ast.Star((), token.position), None)
                return ast.SelectBody((star,), False, (), (reference,), None, (), None, None, token.position)
        return self.fail()

    def value_rows(self, position: int) -> tuple[tuple[ast.Expression, ...], ...]:
        rows = self.comma_list(lambda: self.parenthesised(self.expression))
        for row in rows:
            if len(row) != len(rows[0]):
                raise SqlSyntaxError("VALUES lists must all be the same length", position=row[0].position)
        return rows

    def _from_first(self) -> ast.SelectBody:
        """`FROM ... [SELECT ...]`, without SELECT all columns."""
        position = self.advance().position
        from_items = self.comma_list(self.from_item)
        if self.at_word("select"):
            return self._select(from_items)
        star = ast.SelectItem(ast.Star((), position), None)
        return self._clauses((star,), False, (), from_items, position)

    def _select(self, from_items: tuple[ast.FromItem, ...] = ()) -> ast.SelectBody:
        """`from_items`: of a FROM in front of it."""
        position = self.advance().position
        distinct = self.accept_words("distinct")
        distinct_on: tuple[ast.Expression, ...] = ()
        if distinct and self.accept_words("on"):
            distinct, distinct_on = False, self.parenthesised(self.expression)
        elif not distinct:
            self.accept_words("all")
        items: tuple[ast.SelectItem, ...] = ()
        if not self._at_end_of_items():
            items = self.comma_list(self.select_item)
        if self.at_word("into"):
            raise Unsupported(
                "SELECT INTO is not supported", hint="Use CREATE TABLE AS.", position=self.token.position
            )
        if not from_items and self.accept_words("from"):
            from_items = self.comma_list(self.from_item)
        return self._clauses(items, distinct, distinct_on, from_items, position)

    def _clauses(
        self,
        items: tuple[ast.SelectItem, ...],
        distinct: bool,
        distinct_on: tuple[ast.Expression, ...],
        from_items: tuple[ast.FromItem, ...],
        position: int,
    ) -> ast.SelectBody:
        """What follows FROM."""
        where = self.expression() if self.accept_words("where") else None
        group_all = self._group_all()
        group_by, group_distinct = ((), False) if group_all else self._group_by()
        having = self.expression() if self.accept_words("having") else None
        windows = self.window_clause()
        qualify = self.expression() if self.accept_words("qualify") else None
        self.group_sizes()
        return ast.SelectBody(
            items,
            distinct,
            distinct_on,
            from_items,
            where,
            group_by,
            having,
            qualify,
            position,
            windows,
            group_distinct,
            group_all,
        )

    def _at_end_of_items(self) -> bool:
        token = self.token
        if token.kind is TokenKind.END:
            return True
        if token.kind is TokenKind.OPERATOR:
            return token.value in (")", ";")
        return token.kind is TokenKind.NAME and token.value in (
            "from",
            "where",
            "group",
            "having",
            "window",
            "qualify",
            "order",
            "limit",
            "offset",
            "fetch",
            "union",
            "intersect",
            "except",
        )

    def _group_all(self) -> bool:
        """Consumes `GROUP BY ALL`; with anything to group by behind it, ALL says how grouping sets count."""
        if not self.at_word("group", "by", "all"):
            return False
        following = self.peek(3)
        ends = (
            following.kind is TokenKind.END
            or (following.kind is TokenKind.OPERATOR and following.value in (")", ";"))
            or (following.kind is TokenKind.NAME and following.value in _BEHIND_GROUP_BY)
        )
        self.index += 3 if ends else 0
        return ends

    def select_item(self) -> ast.SelectItem:
        expression = self.expression()
        if isinstance(expression, ast.Star):
            expression = self._modified(expression)
        if self.at_as_of() or self.at_group_sizes():
            return ast.SelectItem(expression, None)
        if self.accept_words("as"):
            return ast.SelectItem(expression, self.label())
        token = self.token
        if token.kind is TokenKind.QUOTED or (
            token.kind is TokenKind.NAME and token.value not in NEEDS_AS and token.value not in _JOIN_WORDS
        ):
            return ast.SelectItem(expression, self.advance().value)
        return ast.SelectItem(expression, None)

    def _modified(self, star: ast.Star) -> ast.Star:
        """`* [EXCLUDE (a, b)] [REPLACE (e AS a)] [RENAME (a AS b)]`; EXCEPT (names) is EXCLUDE (names)."""
        excluded: tuple[ast.Name, ...] = ()
        if self.at_word("exclude") or (
            self.at_word("except") and self.at_symbol("(", 1) and not self.at_query(1)
        ):
            self.advance()
            excluded = self._several(self._column_name)
        replaced = self._several(self._replacement) if self.accept_words("replace") else ()
        renamed = self._several(self._renaming) if self.accept_words("rename") else ()
        return replace(star, excluded=excluded, replaced=replaced, renamed=renamed)

    def _several(self, parse: Callable[[], T]) -> tuple[T, ...]:
        """One, or a list in parentheses."""
        return self.parenthesised(parse) if self.at_symbol("(") else (parse(),)

    def _column_name(self) -> ast.Name:
        position = self.token.position
        return ast.Name(self.qualified(), position)

    def _replacement(self) -> ast.SelectItem:
        expression = self.expression()
        self.expect_words("as")
        return ast.SelectItem(expression, self.label())

    def _renaming(self) -> tuple[ast.Name, str]:
        name = self._column_name()
        self.expect_words("as")
        return name, self.label()

    def _group_by(self) -> tuple[tuple[ast.Expression | ast.GroupingSets, ...], bool]:
        """The elements, and whether equal grouping sets count once."""
        if not self.accept_words("group"):
            return (), False
        self.expect_words("by")
        distinct = self.accept_any("all", "distinct") == "distinct"
        return self.comma_list(self._group_item), distinct

    def _group_item(self) -> ast.Expression | ast.GroupingSets:
        position = self.token.position
        if self.at_symbol("(") and self.at_symbol(")", 1):
            self.advance()
            self.advance()
            return ast.Row((), position)
        if self.at_word("grouping", "sets"):
            self.expect_words("grouping", "sets")
            return ast.GroupingSets("sets", self.parenthesised(self._nested_group_item), position)
        if self.at_any("rollup", "cube") and self.at_symbol("(", 1):
            kind = self.advance().value
            return ast.GroupingSets(kind, self.parenthesised(self.expression), position)
        return self.expression()

    def _nested_group_item(self) -> ast.Expression | ast.GroupingSets:
        return self.nested(self._group_item)

    # --- FROM ---

    def from_item(self) -> ast.FromItem:
        left = self.nested(self._from_primary)
        while self.at_any(*_JOIN_WORDS):
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
        while self.at_any(*_JOIN_WORDS):  # a JOIN b JOIN c ON .. ON ..
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


def spelled_out(body: ast.ValuesBody) -> ast.ValuesBody:
    """The list of rows with an expression for every cell."""
    if (literals := body.literals) is None:
        return body
    tokens = tokenize(literals.text[: literals.end], literals.start, rows=False)
    rows = QueryParser(literals.text, tokens).value_rows(body.position)
    return ast.ValuesBody(rows, body.position)


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
    return ast.DerivedTable(_as_query(body), alias, columns, False, position)


def _looks_left(item: ast.FromItem) -> bool:
    if isinstance(item, ast.JoinedTable):
        return _looks_left(item.left) or _looks_left(item.right)
    return isinstance(item, ast.TableFunction) or (isinstance(item, ast.DerivedTable) and item.lateral)


_Body = ast.SelectBody | ast.ValuesBody | ast.SetBody | ast.Query


def _as_query(body: _Body) -> ast.Query:
    if isinstance(body, ast.Query):
        return body
    return ast.Query(body, (), (), None, None, 0, 0)
