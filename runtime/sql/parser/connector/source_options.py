"""CREATE SOURCE, of any connector: the tables that it makes, and the options at the end of the statement."""

from __future__ import annotations

from ....errors import SqlSyntaxError, Unsupported
from ...syntax import ast
from ...syntax.definition_statements import DeadLettersClause, Option, SourceTableName
from ..columns import duration_ms
from ..type import TypeParser

_RETENTION = ("retain_history", "retain_history_for")
_ON_ERROR = "on_error"


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

    def source_options(
        self, options: tuple[Option, ...], letters: DeadLettersClause | None
    ) -> tuple[tuple[Option, ...], int | None, DeadLettersClause | None]:
        """Of the options of the format, and those at the end of the statement: RETAIN HISTORY, and the others; and whether there
        are dead letters, which may have a name already."""
        last = self.parenthesised(self.source_option) if self.accept_words("with") else ()
        asked = [option for option in (*options, *last) if option.name == _ON_ERROR]
        if letters is not None and not asked:
            raise SqlSyntaxError(
                "DEAD LETTERS AS needs WITH (ON ERROR = DEAD LETTER)", position=letters.position
            )
        if asked and letters is None:
            letters = DeadLettersClause(None, asked[0].position)
        for option in last:
            if option.name not in (*_RETENTION, _ON_ERROR):
                raise Unsupported(
                    f'source option "{option.name}" is not supported here',
                    hint="RETAIN HISTORY FOR and ON ERROR = DEAD LETTER are; those of the format stand behind it.",
                    position=option.position,
                )
        retained = [option for option in (*options, *last) if option.name in _RETENTION]
        others = tuple(option for option in options if option.name not in (*_RETENTION, _ON_ERROR))
        if not retained:
            return others, None, letters
        return others, duration_ms(str(retained[-1].value), retained[-1].position), letters

    def source_option(self) -> Option:
        position = self.token.position
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
