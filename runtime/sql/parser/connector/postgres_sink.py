"""CREATE SINK ... INTO POSTGRES: what stands behind POSTGRES."""

from __future__ import annotations

from ....errors import RedundantOption, SqlSyntaxError, Unsupported
from ...syntax import ast
from ...syntax.sink_statements import PostgresSinkClause
from .kafka_sink import KafkaSinkParser


class PostgresSinkParser(KafkaSinkParser):
    def postgres_sink(self) -> PostgresSinkClause:
        """`CONNECTION c (TABLE [schema.]name) [KEY (column, ...) [NOT ENFORCED]] ENVELOPE UPSERT|NONE [WITH (SNAPSHOT = ...)]`"""
        position = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        tables = self.parenthesised(self._table_option)
        if len(tables) > 1:
            raise RedundantOption("table", position=tables[1].position)
        key = self.sink_key()
        envelope = self._postgres_sink_envelope()
        return PostgresSinkClause(connection, tables[0], key, envelope, self.snapshot(), position)

    def _table_option(self) -> ast.Name:
        position = self.token.position
        if not self.accept_words("table"):
            raise SqlSyntaxError(
                f"unrecognized option of a PostgreSQL sink: {self.token.value.upper()}",
                hint="Its option is TABLE: (TABLE schema.name).",
                position=position,
            )
        self.accept_symbol("=")
        name = self.object_name()
        if len(name.parts) > 2:
            raise SqlSyntaxError(
                "TABLE takes a name, and the schema before it",
                hint="The database is the connection's.",
                position=position,
            )
        return name

    def _postgres_sink_envelope(self) -> str:
        position = self.token.position
        hint = "ENVELOPE UPSERT keeps the rows by their key, ENVELOPE NONE writes a row for each change."
        if not self.accept_words("envelope"):
            raise SqlSyntaxError("ENVELOPE clause is required", hint=hint, position=position)
        word = self.label()
        if word not in ("upsert", "none"):
            raise Unsupported(
                f"ENVELOPE {word.upper()} is not supported for PostgreSQL sinks", hint=hint, position=position
            )
        return word
