"""INSERT ... ON CONFLICT and MERGE."""

from __future__ import annotations

from ...errors import SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.data_statements import ConflictClause, MergeAction, MergeClause, MergeStatement, Target
from .declare_cursor import CursorParser

_ACTIONS = MergeAction


class MergeParser(CursorParser):
    def conflict(self) -> ConflictClause | None:
        """`ON CONFLICT [(column, ...) | ON CONSTRAINT name] DO NOTHING | DO UPDATE SET ... [WHERE ...]`"""
        position = self.token.position
        if not self.accept_words("on", "conflict"):
            return None
        columns: tuple[ast.Name, ...] | None = None
        constraint: ast.Name | None = None
        if self.accept_words("on", "constraint"):
            constraint = self.one_name()
        elif self.at_symbol("("):
            columns = self.parenthesised(self._arbiter_column)
            if self.at_word("where"):
                raise Unsupported(
                    "ON CONFLICT of a partial index is not supported", position=self.token.position
                )
        self.expect_words("do")
        if self.accept_words("nothing"):
            return ConflictClause(columns, constraint, (), None, position)
        self.expect_words("update", "set")
        assignments = self.assignments()
        where = self.expression() if self.accept_words("where") else None
        return ConflictClause(columns, constraint, assignments, where, position)

    def _arbiter_column(self) -> ast.Name:
        if self.at_symbol("("):
            raise Unsupported("ON CONFLICT of an expression is not supported", position=self.token.position)
        return self.one_name()

    def assignments(self) -> tuple[tuple[ast.Name, ast.Expression], ...]:
        """What follows SET."""
        return tuple(pair for pairs in self.comma_list(self._assignment) for pair in pairs)

    def _assignment(self) -> tuple[tuple[ast.Name, ast.Expression], ...]:
        if self.at_symbol("("):
            names = self.parenthesised(self.one_name)
            self.expect_symbol("=")
            self.accept_words("row")
            value = self.expression()
            values = value.items if isinstance(value, ast.Row) else (value,)
            if isinstance(value, ast.Subquery) and len(names) > 1:
                raise Unsupported("assignment of a subquery's row is not supported", position=value.position)
            if len(values) != len(names):
                self.fail()
            return tuple(zip(names, values, strict=True))
        name = self.one_name()
        if self.at_symbol("."):
            raise SqlSyntaxError(
                f'column "{name.parts[-1]}" of the table does not exist',
                sqlstate="42703",
                hint="SET takes names of columns without the table's.",
                position=name.position,
            )
        self.expect_symbol("=")
        return ((name, self.expression()),)

    def target(self) -> Target:
        """The table that is written, and its alias."""
        self.accept_words("only")
        name = self.object_name()
        if self.accept_words("as"):
            return Target(name, self.identifier())
        if self.at_identifier() and not self.at_any("set", "returning", "values"):
            return Target(name, self.identifier())
        return Target(name, None)

    def merge(self) -> st.StatementNode:
        position = self.token.position
        self.expect_words("merge", "into")
        target = self.target()
        self.expect_words("using")
        source = self.from_item()
        self.expect_words("on")
        on = self.expression()
        clauses = [self._when()]
        while self.at_word("when"):
            clauses.append(self._when())
        if self.at_word("returning"):
            raise Unsupported(
                "RETURNING of MERGE is not supported", hint="Read the table.", position=self.token.position
            )
        return MergeStatement(target, source, on, tuple(clauses), position)

    def _when(self) -> MergeClause:
        position = self.token.position
        self.expect_words("when")
        negated = self.accept_words("not")
        self.expect_words("matched")
        in_target = in_source = True
        if negated:
            in_target = False
            if self.accept_words("by"):
                in_target = self.accept_words("source")
                in_source = not in_target
                if not in_target:
                    self.expect_words("target")
        condition = self.expression() if self.accept_words("and") else None
        self.expect_words("then")
        at = self.token.position
        action = _ACTIONS.NOTHING
        assignments: tuple[tuple[ast.Name, ast.Expression], ...] = ()
        columns: tuple[ast.Name, ...] | None = None
        values: tuple[ast.Expression, ...] | None = None
        if self.accept_words("do"):
            self.expect_words("nothing")
        elif in_target and self.accept_words("delete"):
            action = _ACTIONS.DELETE
        elif in_target and self.accept_words("update"):
            self.expect_words("set")
            action, assignments = _ACTIONS.UPDATE, self.assignments()
        elif not in_target and self.accept_words("insert"):
            action = _ACTIONS.INSERT
            columns, values = self._inserted()
            if values is not None and columns is not None and len(values) != len(columns):
                more = (
                    "expressions than target columns"
                    if len(values) > len(columns)
                    else "target columns than expressions"
                )
                raise SqlSyntaxError(f"INSERT has more {more}", position=at)
        else:
            self.fail()
        return MergeClause(in_target, in_source, condition, action, assignments, columns, values, position)

    def _inserted(self) -> tuple[tuple[ast.Name, ...] | None, tuple[ast.Expression, ...] | None]:
        columns = self.parenthesised(self.one_name) if self.at_symbol("(") else None
        if self.at_word("overriding"):
            raise Unsupported("OVERRIDING is not supported", position=self.token.position)
        if self.accept_words("default", "values"):
            return columns, None
        self.expect_words("values")
        return columns, self.parenthesised(self.expression)
