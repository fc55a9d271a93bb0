"""CREATE SOURCE ... FROM FILE and FROM S3: where the files are, and what all files have."""

from __future__ import annotations

from dataclasses import replace

from ...syntax import ast
from ...syntax.definition_statements import CreateSourceStatement, S3SourceClause
from .file_format import FileFormatParser

_FORMATS = ("json", "csv", "parquet", "avro")


class FileSourceParser(FileFormatParser):
    def file_source(self, begun: CreateSourceStatement) -> CreateSourceStatement:
        """`'path' FORMAT f ...`; `begun` is what the statement has said so far."""
        return self._files(replace(begun, path=self.string()))

    def s3_source(self, begun: CreateSourceStatement) -> CreateSourceStatement:
        """`CONNECTION c (URI 's3://bucket/prefix' [, PATTERN 'glob'] [, SCAN INTERVAL 'duration']) FORMAT f ...`"""
        position = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        options = self.options()
        return self._files(replace(begun, s3=S3SourceClause(connection, options, position)))

    def _files(self, begun: CreateSourceStatement) -> CreateSourceStatement:
        """`FORMAT f [WITH (...)] [KEY (...)] [ENVELOPE e] [DEAD LETTERS AS name] [WHERE (...)] [WITH (...)]`"""
        format_, options = self.file_format(_FORMATS)
        key: tuple[ast.Name, ...] = ()
        if self.accept_words("key"):
            key = self.parenthesised(self.one_name)
        envelope = self.file_envelope() or "none"
        _, letters = self.tables_beside(progress=False)
        where = self.source_where()
        end = self.source_options(options, letters)
        return replace(
            begun,
            format=format_,
            options=end.options,
            key=key,
            envelope=envelope,
            retain_history_ms=end.retain_history_ms,
            dead_letters=end.dead_letters,
            where=where,
            excluded=end.excluded,
            retain_rows=end.retain_rows,
        )
