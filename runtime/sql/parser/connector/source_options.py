"""CREATE SOURCE, of any connector: the tables that it makes, and the options at the end of the statement."""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import SqlSyntaxError, Unsupported
from ...syntax import ast
from ...syntax.definition_statements import DeadLettersClause, Option, RetainRowsClause, SourceTableName
from ..columns import duration_ms
from ..token_cursor import each_once
from ..type import TypeParser

_RETENTION = "retain_history"
_ON_ERROR = "on_error"
_EXCLUDE = "exclude_columns"
_RETAIN_ROWS = "retain_rows"
_OF_SOURCES = (_RETENTION, _ON_ERROR, _EXCLUDE, _RETAIN_ROWS)


@dataclass(frozen=True, slots=True)
class SourceEnd:
    """Options of the format, those of any source, and whether there are dead letters, which may have a name."""

    options: tuple[Option, ...]
    retain_history_ms: int | None
    dead_letters: DeadLettersClause | None
    excluded: tuple[ast.Name, ...]
    retain_rows: RetainRowsClause | None


class SourceOptionsParser(TypeParser):
    def tables_beside(self, *, progress: bool = True) -> tuple[ast.Name | None, DeadLettersClause | None]:
        """`[EXPOSE PROGRESS AS name] [DEAD LETTERS AS name]`, in any order"""
        exposed, letters = None, None
        while True:
            position = self.token.position
            if progress and exposed is None and self.accept_words("expose", "progress", "as"):
                exposed = self.object_name()
            elif letters is None and self.accept_words("dead", "letters", "as"):
                letters = DeadLettersClause(self.object_name(), position)
            else:
                return exposed, letters

    def source_tables(self) -> tuple[SourceTableName, ...] | None:
        """`FOR ALL TABLES`: (), or `FOR TABLES (reference [AS name], ...)`"""
        if not self.accept_words("for"):
            return None
        if self.accept_words("all", "tables"):
            return ()
        self.expect_words("tables")
        return self.parenthesised(self._source_table)

    def _source_table(self) -> SourceTableName:
        reference = self.object_name()
        return SourceTableName(reference, self.object_name() if self.accept_words("as") else None)

    def source_options(self, options: tuple[Option, ...], letters: DeadLettersClause | None) -> SourceEnd:
        """`[WITH (option, ...)]` at the end of the statement, where `options` stood behind the format; `letters` has their name."""
        last = self.parenthesised(self.source_option) if self.accept_words("with") else ()
        every = {option.name: option for option in each_once((*options, *last))}
        asked = every.get(_ON_ERROR)
        if letters is not None and asked is None:
            raise SqlSyntaxError(
                "DEAD LETTERS AS needs WITH (ON ERROR = DEAD LETTER)", position=letters.position
            )
        if asked is not None and letters is None:
            letters = DeadLettersClause(None, asked.position)
        for option in last:
            if option.name not in _OF_SOURCES:
                raise Unsupported(
                    f'source option "{option.name}" is not supported here',
                    hint="RETAIN HISTORY FOR, RETAIN ROWS FOR, EXCLUDE COLUMNS and ON ERROR = DEAD LETTER are; those of the format stand behind it.",
                    position=option.position,
                )
        others = tuple(option for option in options if option.name not in _OF_SOURCES)
        retained, rows = every.get(_RETENTION), every.get(_RETAIN_ROWS)
        retain = None if retained is None else duration_ms(str(retained.value), retained.position)
        return SourceEnd(others, retain, letters, _excluded(every.get(_EXCLUDE)), _retained_rows(rows))

    def retained_rows(self) -> RetainRowsClause | None:
        """`RETAIN ROWS FOR 'duration' BY column`, if that stands next"""
        if not self.accept_words("retain", "rows"):
            return None
        self.expect_words("for")
        position = self.token.position
        duration = duration_ms(self.string(), position)
        self.expect_words("by")
        return RetainRowsClause(duration, self.one_name(), position)

    def source_option(self) -> Option:
        position = self.token.position
        if (retained := self.retained_rows()) is not None:
            return Option(_RETAIN_ROWS, retained, position)
        if not self.accept_words("on", "error"):
            return self.option()
        self.accept_symbol("=")
        if not self.accept_words("dead", "letter"):
            raise SqlSyntaxError(
                f"ON ERROR = {self.token.value.upper()} is nothing that a source does",
                hint="ON ERROR = DEAD LETTER is; without it a record in error is an error of the source.",
                position=self.token.position,
            )
        return Option(_ON_ERROR, True, position)


def _excluded(option: Option | None) -> tuple[ast.Name, ...]:
    if option is None:
        return ()
    if not isinstance(option.value, tuple):
        raise SqlSyntaxError(
            "EXCLUDE COLUMNS takes a list of columns", hint="EXCLUDE COLUMNS (a, b)", position=option.position
        )
    return tuple(ast.Name((name,), option.position) for name in option.value)


def _retained_rows(option: Option | None) -> RetainRowsClause | None:
    if option is None:
        return None
    if isinstance(option.value, RetainRowsClause):
        return option.value
    raise SqlSyntaxError(
        "RETAIN ROWS takes a duration and a column",
        hint="RETAIN ROWS FOR '1 day' BY time",
        position=option.position,
    )
