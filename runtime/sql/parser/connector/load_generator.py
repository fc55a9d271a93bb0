"""CREATE SOURCE ... FROM LOAD GENERATOR: what stands behind the words."""

from __future__ import annotations

from ...syntax import ast
from ...syntax.definition_statements import ColumnDefinition, CreateSourceStatement
from .source_options import SourceOptionsParser


class LoadGeneratorParser(SourceOptionsParser):
    def load_generator(
        self,
        name: ast.Name,
        columns: tuple[ColumnDefinition, ...],
        cluster: ast.Name | None,
        if_not_exists: bool,
        position: int,
    ) -> CreateSourceStatement:
        """`kind [(option, ...)] [FOR ...] [EXPOSE PROGRESS AS name] [WHERE (condition)] [WITH (...)]`"""
        kind = "key_value" if self.accept_words("key", "value") else self.label()
        generator = self.options() if self.at_symbol("(") else ()
        if kind == "key_value" and self.accept_words("include", "key"):
            self.expect_words("envelope", "upsert")  # which is what its changes amount to
        tables = self.source_tables()
        progress, letters = self.tables_beside()
        where = self.source_where()
        end = self.source_options(generator, letters)
        return CreateSourceStatement(
            name,
            columns,
            (),
            cluster,
            None,
            end.options,
            "",
            (),
            (),
            "none",
            if_not_exists,
            position,
            end.retain_history_ms,
            kind,
            tables,
            progress,
            dead_letters=end.dead_letters,
            where=where,
            excluded=end.excluded,
            retain_rows=end.retain_rows,
        )
