"""ALTER TABLE: what follows the table's name, and RENAME COLUMN of views."""

from __future__ import annotations

from typing import NoReturn

from ...errors import Unsupported
from ..syntax import ast
from ..syntax import statements as st
from ..syntax.definition_statements import (
    AddColumn,
    AddConstraint,
    AlterRetentionStatement,
    AlterTableStatement,
    DropColumn,
    DropConstraint,
    RenameColumn,
    RenameConstraint,
    SetDefault,
    SetNotNull,
    TableAction,
)
from ..syntax.vocabulary import ObjectKind
from .lexer import TokenKind
from .merge import MergeParser

RETAINING = (ObjectKind.TABLE, ObjectKind.MATERIALIZED_VIEW, ObjectKind.SOURCE, ObjectKind.INDEX)
RELATIONS = (ObjectKind.TABLE, ObjectKind.VIEW, ObjectKind.MATERIALIZED_VIEW)
MOVABLE = (
    *RELATIONS,
    ObjectKind.SOURCE,
    ObjectKind.SINK,
    ObjectKind.TYPE,
    ObjectKind.SECRET,
    ObjectKind.CONNECTION,
)
_HINT = (
    "ALTER TABLE can ADD and DROP columns and constraints, RENAME tables, columns and constraints, and SET and DROP a column's "
    "DEFAULT and NOT NULL."
)


class AlterTableParser(MergeParser):
    def if_exists(self) -> bool:
        if self.accept_words("if"):
            self.expect_words("exists")
            return True
        return False

    def alter_retention(self, kind: ObjectKind, name: ast.Name, if_exists: bool) -> st.StatementNode:
        """`SET (RETAIN HISTORY FOR duration)` or `RESET (RETAIN HISTORY)`"""
        word = self.advance().value
        self.expect_symbol("(")
        if not self.accept_words("retain", "history"):
            raise Unsupported(
                f'ALTER {kind.value} ... {word.upper()} of option "{self.token.value}" is not supported',
                hint="RETAIN HISTORY is the one that can be altered.",
                position=self.token.position,
            )
        retain = self.retention() if word == "set" else None
        self.expect_symbol(")")
        return AlterRetentionStatement(kind, name, retain, if_exists)

    def alter_relation(self, kind: ObjectKind, name: ast.Name, if_exists: bool) -> st.StatementNode:
        """`action, ...`"""
        if self.accept_words("rename"):
            actions: tuple[TableAction, ...] = (self._rename(kind),)
        elif kind is ObjectKind.TABLE:
            actions = self.comma_list(self._action)
        else:
            self._refuse(kind)
        return AlterTableStatement(kind, name, actions, if_exists)

    def _rename(self, kind: ObjectKind) -> TableAction:
        if kind is ObjectKind.TABLE and self.accept_words("constraint"):
            name = self.one_name()
            self.expect_words("to")
            return RenameConstraint(name, self.identifier())
        self.accept_words("column")
        name = self.one_name()
        self.expect_words("to")
        return RenameColumn(name, self.identifier())

    def _action(self) -> TableAction:
        if self.at_word("add"):
            self.advance()
            if self.at_constraint():
                return AddConstraint(self.table_constraint())
            self.accept_words("column")
            if_not_exists = False
            if self.accept_words("if"):
                self.expect_words("not", "exists")
                if_not_exists = True
            column, constraints = self.definition()
            return AddColumn(column, tuple(constraints), if_not_exists)
        if self.accept_words("drop"):
            if not self.accept_words("constraint"):
                self.accept_words("column")
                if_exists = self.if_exists()
                name = self.one_name()
                return DropColumn(name, if_exists, self.accept_any("cascade", "restrict") == "cascade")
            if_exists = self.if_exists()
            name = self.one_name()
            self.accept_any("cascade", "restrict")
            return DropConstraint(name, if_exists)
        if self.accept_words("alter"):
            self.accept_words("column")
            return self._alter_column()
        return self._refuse(ObjectKind.TABLE)

    def _alter_column(self) -> TableAction:
        column = self.one_name()
        word = self.accept_any("set", "drop")
        if word is not None and self.accept_words("not", "null"):
            return SetNotNull(column, word == "set")
        if word is not None and self.accept_words("default"):
            return SetDefault(column, self.expression() if word == "set" else None)
        return self._refuse(ObjectKind.TABLE, "ALTER COLUMN")

    def _refuse(self, kind: ObjectKind, what: str | None = None) -> NoReturn:
        if self.token.kind is not TokenKind.NAME:
            self.fail()
        shown = f"{kind.value} ... {what or self.token.value.upper()}"
        hint = (
            _HINT
            if kind is ObjectKind.TABLE
            else "RENAME, RENAME COLUMN and SWAP WITH are, and APPLY REPLACEMENT of materialized views."
        )
        raise Unsupported(f"ALTER {shown} is not supported yet", hint=hint, position=self.token.position)
