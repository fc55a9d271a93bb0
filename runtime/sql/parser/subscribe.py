"""SUBSCRIBE: what is followed, from when and until when, and the form of the changes."""

from __future__ import annotations

from ...errors import InvalidParameter
from ..syntax import ast
from ..syntax.query_statements import SubscribeStatement
from .columns import ColumnsParser

_OPTIONS = ("snapshot", "progress")


class SubscribeParser(ColumnsParser):
    def subscribe(self) -> SubscribeStatement:
        position = self.token.position
        self.expect_words("subscribe")
        self.accept_words("to")
        query = self._followed()
        form = self._form()
        options = self._subscribe_options() if self.accept_words("with") else {}
        as_of = self.as_of()
        up_to = None
        if self.accept_words("up"):
            self.expect_words("to")
            up_to = self.expression()
        if form is None:
            form = self._form()
        order, envelope, key = form or ((), "none", ())
        return SubscribeStatement(
            query,
            options.get("snapshot", True),
            options.get("progress", False),
            as_of,
            up_to,
            order,
            envelope,
            key,
            position,
        )

    def _followed(self) -> ast.Query:
        if self.at_symbol("("):
            self.advance()
            if not self.at_query():
                self.fail()
            query = self.query()
            self.expect_symbol(")")
            return query
        position = self.token.position
        relation = ast.TableRef(self.qualified(), None, (), position)
        star = ast.SelectItem(ast.Star((), position), None)
        body = ast.SelectBody((star,), False, (), (relation,), None, (), None, None, position)
        return ast.Query(body, (), (), None, None, 0, 0)

    def _form(self) -> tuple[tuple[ast.SortKey, ...], str, tuple[ast.Name, ...]] | None:
        """`WITHIN TIMESTAMP ORDER BY column, ...`, or `ENVELOPE UPSERT | DEBEZIUM (KEY (column, ...))`"""
        if self.accept_words("within"):
            self.expect_words("timestamp")
            if not self.at_word("order"):
                self.fail()
            return self.order_by(), "none", ()
        if not self.accept_words("envelope"):
            return None
        envelope = self.accept_any("upsert", "debezium")
        if envelope is None:
            self.fail()
        self.expect_symbol("(")
        self.expect_words("key")
        key = self.parenthesised(self.one_name)
        self.expect_symbol(")")
        return (), envelope, key

    def _subscribe_options(self) -> dict[str, bool]:
        found: dict[str, bool] = {}
        for option in self.options():
            if option.name not in _OPTIONS:
                raise InvalidParameter(
                    f'SUBSCRIBE option "{option.name}" not recognized',
                    hint="Options are SNAPSHOT and PROGRESS.",
                    position=option.position,
                )
            value = {"true": True, "false": False}.get(str(option.value).lower())
            if value is None:
                raise InvalidParameter(
                    f'SUBSCRIBE option "{option.name}" is true or false, not "{option.value}"',
                    position=option.position,
                )
            found[option.name] = value
        return found
