"""What definitions are made of: names, column lists with constraints, option lists."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from ...errors import SqlSyntaxError, Unsupported
from ..syntax import ast
from ..syntax.definition_statements import ColumnDefinition, ConstraintDefinition, Option, OptionValue
from .constraints import KEYS_HINT, ConstraintParser
from .lexer import TokenKind

_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-zA-Z]*)\s*")
_UNITS_MS = {
    "": 1, "ms": 1, "millisecond": 1, "milliseconds": 1, "s": 1000, "sec": 1000, "secs": 1000, "second": 1000,
    "seconds": 1000, "m": 60_000, "min": 60_000, "mins": 60_000, "minute": 60_000, "minutes": 60_000,
    "h": 3_600_000, "hour": 3_600_000, "hours": 3_600_000, "d": 86_400_000, "day": 86_400_000,
    "days": 86_400_000,
}  # fmt: skip
_OTHER_NAMES = {"retain_history_for": "retain_history", "delimited_by": "delimiter"}
"""Of options."""
_SERIAL = frozenset({"serial", "serial2", "serial4", "serial8", "smallserial", "bigserial"})


def duration_ms(text: str, position: int) -> int:
    """Milliseconds in `1h`, `30 seconds`, `250ms`; 22007 for anything else."""
    match = _DURATION.fullmatch(text)
    if match is None or (unit := _UNITS_MS.get(match.group(2).lower())) is None:
        raise SqlSyntaxError(
            f'invalid duration "{text}"',
            sqlstate="22007",
            hint="Write for example '1s', '5 min' or '1h'.",
            position=position,
        )
    return round(float(match.group(1)) * unit)


class ColumnsParser(ConstraintParser):
    def unsupported(self, words: int) -> NoReturn:
        raise AssertionError("the statement parser refuses")

    def if_not_exists(self) -> bool:
        if self.accept_words("if"):
            self.expect_words("not", "exists")
            return True
        return False

    def object_name(self) -> ast.Name:
        position = self.token.position
        return ast.Name(self.qualified(), position)

    def one_name(self) -> ast.Name:
        position = self.token.position
        return ast.Name((self.identifier(),), position)

    def in_cluster(self) -> ast.Name | None:
        return self.one_name() if self.accept_words("in", "cluster") else None

    def _column_names(self) -> tuple[str, ...]:
        return self.parenthesised(self.identifier) if self.at_symbol("(") else ()

    def _definitions(self) -> tuple[tuple[ColumnDefinition, ...], tuple[ConstraintDefinition, ...]]:
        """After `(`: columns and constraints, to the closing parenthesis."""
        columns: list[ColumnDefinition] = []
        constraints: list[ConstraintDefinition] = []
        while True:
            if self.at_constraint():
                constraints.append(self.table_constraint())
            else:
                column, own = self.definition()
                columns.append(column)
                constraints.extend(own)
            if not self.accept_symbol(","):
                break
        self.expect_symbol(")")
        return tuple(columns), tuple(constraints)

    def definition(self) -> tuple[ColumnDefinition, list[ConstraintDefinition]]:
        """`name type [constraint ...]`"""
        position = self.token.position
        column = self.one_name()
        type_name = self.type_name()
        if type_name.name in _SERIAL and not type_name.schema:
            raise Unsupported(
                f"columns of type {type_name.name} are not supported",
                hint=KEYS_HINT,
                position=type_name.position,
            )
        nullable: bool | None = None
        default: ast.Expression | None = None
        constraints: list[ConstraintDefinition] = []
        while True:
            at = self.token.position
            name = self._constraint_name()
            self.refuse_constraint()
            if self.at_any("not", "null"):
                wanted = not self.accept_words("not")
                self.expect_words("null")
                if nullable not in (None, wanted):
                    raise SqlSyntaxError(
                        f'conflicting NULL/NOT NULL declarations for column "{column.parts[-1]}"', position=at
                    )
                nullable = wanted
            elif self.accept_words("default"):
                if default is not None:
                    raise SqlSyntaxError(
                        f'multiple default values specified for column "{column.parts[-1]}"', position=at
                    )
                default = self._binary(3)
            elif (constraint := self.column_constraint(column)) is not None:
                constraints.append(replace(constraint, name=name))
            elif name is None and self.accept_words("collate"):
                self.label()
            elif name is not None:
                self.fail()
            else:
                not_null = nullable is False
                return ColumnDefinition(column.parts[-1], type_name, not_null, default, position), constraints

    def retention(self) -> int:
        """Behind RETAIN HISTORY: `[=] FOR 'duration'`, in milliseconds."""
        self.accept_symbol("=")
        self.accept_words("for")
        position = self.token.position
        return duration_ms(self.string(), position)

    def options(self) -> tuple[Option, ...]:
        """`(NAME OF SEVERAL WORDS [=] value, ...)`, each name once; names are joined by `_`."""
        return self.options_once(self.option)

    def option(self) -> Option:
        position = self.token.position
        words = [self.label()]
        while self.token.kind is TokenKind.NAME and not self.at_any("true", "false", "on", "off"):
            words.append(self.advance().value)
        self.accept_symbol("=")
        name = "_".join(words)
        return Option(_OTHER_NAMES.get(name, name), self.option_value(), position)

    def option_value(self) -> OptionValue | tuple[str, ...]:
        token = self.token
        if token.kind is TokenKind.STRING:
            return self.advance().value
        if token.kind is TokenKind.INTEGER:
            return int(self.advance().value)
        if token.kind is TokenKind.DECIMAL:
            return float(self.advance().value)
        if self.at_symbol(",") or self.at_symbol(")"):
            return True
        if self.at_symbol("("):
            return self.parenthesised(self.label)
        word = self.label()
        return {"true": True, "on": True, "false": False, "off": False}.get(word, word)
