"""A SELECT between its first word and ORDER BY: the select list, and the clauses behind FROM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from ....errors import Unsupported
from ....expr.text.keywords import NEEDS_AS
from ...syntax import ast
from ..lexer import TokenKind
from .from_item import JOIN_WORDS, FromItemParser

_BEHIND_GROUP_BY = frozenset(
    (
        "as", "except", "fetch", "for", "having", "intersect", "into", "limit", "offset", "on", "order", "qualify", "returning", "union",
        "window", "with",
    )
)  # fmt: skip

T = TypeVar("T")


class SelectParser(FromItemParser):
    def from_first(self) -> ast.SelectBody:
        """`FROM ... [SELECT ...]`, without SELECT all columns."""
        position = self.advance().position
        from_items = self.comma_list(self.from_item)
        if self.at_word("select"):
            return self.select(from_items)
        star = ast.SelectItem(ast.Star((), position), None)
        return self._clauses((star,), False, (), from_items, position)

    def select(self, from_items: tuple[ast.FromItem, ...] = ()) -> ast.SelectBody:
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
            token.kind is TokenKind.NAME and token.value not in NEEDS_AS and token.value not in JOIN_WORDS
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
