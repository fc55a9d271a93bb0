"""Queries: WITH, set operations, VALUES, TABLE, ORDER BY, LIMIT; and when they are to be read."""

from __future__ import annotations

from ....errors import SqlSyntaxError, Unsupported
from ...syntax import ast
from ..lexer import TokenKind, tokenize
from .select import SelectParser


class QueryParser(SelectParser):
    def query_as_of(self) -> tuple[ast.Query, ast.AsOf | None]:
        """A whole query, and when it is to be read."""
        return self._query(), self.as_of()

    def query(self) -> ast.Query:
        query = self._query()
        if self.at_as_of():
            raise SqlSyntaxError(
                "AS OF is not allowed here",
                hint="It stands at the end of a whole SELECT, which is read once.",
                position=self.token.position,
            )
        return query

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
                return self.select()
            case "from":
                return self.from_first()
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


def spelled_out(body: ast.ValuesBody) -> ast.ValuesBody:
    """The list of rows with an expression for every cell."""
    if (literals := body.literals) is None:
        return body
    tokens = tokenize(literals.text[: literals.end], literals.start, rows=False)
    rows = QueryParser(literals.text, tokens).value_rows(body.position)
    return ast.ValuesBody(rows, body.position)


_Body = ast.SelectBody | ast.ValuesBody | ast.SetBody | ast.Query


def _as_query(body: _Body) -> ast.Query:
    if isinstance(body, ast.Query):
        return body
    return ast.Query(body, (), (), None, None, 0, 0)
