"""CREATE SOURCE ... FROM ICEBERG CATALOG and FROM DELTA: what stands behind it."""

from __future__ import annotations

from dataclasses import replace

from ...syntax.definition_statements import CreateSourceStatement, LakeSourceClause
from .file_source import FileSourceParser


class LakeSourceParser(FileSourceParser):
    def iceberg_source(self, begun: CreateSourceStatement) -> CreateSourceStatement:
        """`CONNECTION c (NAMESPACE 'n', TABLE 't' [, SCAN INTERVAL 'duration']) [USING AWS CONNECTION a] [WHERE (...)] [WITH (...)]`; `begun`
        is what the statement has said so far."""
        position = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        options = self.options()
        return self._lake(begun, LakeSourceClause(connection, options, None, position))

    def delta_source(self, begun: CreateSourceStatement) -> CreateSourceStatement:
        """`(URI 'place' [, SCAN INTERVAL 'duration']) [USING AWS CONNECTION a] [WHERE (...)] [WITH (...)]`"""
        position = self.token.position
        options = self.options()
        return self._lake(begun, LakeSourceClause(None, options, None, position))

    def _lake(self, begun: CreateSourceStatement, clause: LakeSourceClause) -> CreateSourceStatement:
        if self.accept_words("using", "aws", "connection"):
            clause = replace(clause, files=self.object_name())
        where = self.source_where()
        end = self.source_options((), None)
        return replace(
            begun,
            lake=clause,
            retain_history_ms=end.retain_history_ms,
            dead_letters=end.dead_letters,
            where=where,
            excluded=end.excluded,
            retain_rows=end.retain_rows,
        )
