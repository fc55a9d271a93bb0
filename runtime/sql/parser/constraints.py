"""Constraints as CREATE TABLE and ALTER TABLE write them, for a column and for a table."""

from __future__ import annotations

from ...errors import SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax.constraints import ConstraintKind
from ..syntax.definition_statements import ConstraintDefinition
from .query import QueryParser

_REFUSED = ("references", "foreign", "exclude", "like", "generated")
KEYS_HINT = "Have the values computed by who inserts them, or by a DEFAULT such as gen_random_uuid()."


class ConstraintParser(QueryParser):
    def at_constraint(self) -> bool:
        """Whether a constraint of a table stands next, rather than a column."""
        return (
            self.at_word("primary")
            or (self.at_word("unique") and (self.at_symbol("(", 1) or self.peek().value == "nulls"))
            or (self.at_word("check") and self.at_symbol("(", 1))
            or self.at_any("constraint", "foreign", "like")
            or (self.at_word("exclude") and (self.at_symbol("(", 1) or self.peek().value == "using"))
        )

    def table_constraint(self) -> ConstraintDefinition:
        """`[CONSTRAINT name] PRIMARY KEY (...) | UNIQUE [NULLS [NOT] DISTINCT] (...) | CHECK (...)`."""
        position = self.token.position
        name = self._constraint_name()
        self.refuse_constraint()
        if self.accept_words("check"):
            return self._check(name, position, None)
        kind, nulls_distinct = self._key()
        if self.at_word("using"):
            raise Unsupported("constraints USING an index are not supported", position=self.token.position)
        columns = self.parenthesised(self._key_column)
        if self.at_any("include", "with", "using"):
            raise Unsupported(
                f"{self.token.value.upper()} of a constraint is not supported", position=self.token.position
            )
        self.constraint_attributes()
        return ConstraintDefinition(name, kind, columns, nulls_distinct, None, position)

    def column_constraint(self, column: ast.Name) -> ConstraintDefinition | None:
        """PRIMARY KEY, UNIQUE or CHECK behind a column's type, its name read before; None when none stands next."""
        position = self.token.position
        if self.accept_words("check"):
            return self._check(None, position, column)
        if self.at_word("primary") or self.at_word("unique"):
            kind, nulls_distinct = self._key()
            self.constraint_attributes()
            return ConstraintDefinition(None, kind, (column,), nulls_distinct, None, position)
        return None

    def refuse_constraint(self) -> None:
        """Raises 0A000 at a constraint that is not enforced here."""
        if self.at_any(*_REFUSED):
            word = self.token.value.upper()
            if word == "GENERATED":
                raise Unsupported(
                    "columns that are GENERATED are not supported",
                    hint=KEYS_HINT,
                    position=self.token.position,
                )
            if word == "LIKE":
                raise Unsupported("LIKE in CREATE TABLE is not supported", position=self.token.position)
            what = "FOREIGN KEY" if word in ("REFERENCES", "FOREIGN") else word
            raise Unsupported(
                f"{what} is not supported: it would not be enforced",
                hint="NOT NULL, PRIMARY KEY, UNIQUE, CHECK and DEFAULT are.",
                position=self.token.position,
            )

    def constraint_attributes(self) -> None:
        """What may follow a constraint; only what is so anyway is accepted."""
        while True:
            position = self.token.position
            if (
                self.accept_words("not", "deferrable")
                or self.accept_words("initially", "immediate")
                or self.accept_words("enforced")
            ):
                continue
            if self.at_any("deferrable", "initially") or self.at_word("not", "enforced"):
                raise Unsupported("constraints are enforced, and not deferrable", position=position)
            if self.at_word("not", "valid") or self.at_word("no", "inherit"):
                raise Unsupported(
                    f"{self.token.value.upper()} {self.peek().value.upper()} is not supported",
                    position=position,
                )
            return

    def _constraint_name(self) -> str | None:
        return self.identifier() if self.accept_words("constraint") else None

    def _key(self) -> tuple[ConstraintKind, bool]:
        if self.accept_words("primary"):
            self.expect_words("key")
            return ConstraintKind.PRIMARY_KEY, True
        self.expect_words("unique")
        if self.accept_words("nulls", "not", "distinct"):
            return ConstraintKind.UNIQUE, False
        self.accept_words("nulls", "distinct")
        return ConstraintKind.UNIQUE, True

    def _key_column(self) -> ast.Name:
        position = self.token.position
        name = ast.Name((self.identifier(),), position)
        if self.at_word("without", "overlaps"):
            raise Unsupported("WITHOUT OVERLAPS is not supported", position=self.token.position)
        return name

    def _check(self, name: str | None, position: int, column: ast.Name | None) -> ConstraintDefinition:
        self.expect_symbol("(")
        if self.at_symbol(")"):
            raise SqlSyntaxError('syntax error at or near ")"', position=self.token.position)
        start = self.token.start
        expression = self.expression()
        text = self.text[start : self.tokens[self.index - 1].end]
        self.expect_symbol(")")
        self.constraint_attributes()
        columns = () if column is None else (column,)
        return ConstraintDefinition(name, ConstraintKind.CHECK, columns, True, expression, position, text)
