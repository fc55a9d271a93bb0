"""Where FORMAT AVRO and FORMAT PROTOBUF have their schemas from."""

from __future__ import annotations

from ....errors import Unsupported
from ...syntax.schema_clauses import LATEST, MessageClause, RegistryClause, SchemaStrategy
from ..type import TypeParser


class SchemaClauseParser(TypeParser):
    def registry_clause(self) -> RegistryClause:
        """`USING CONFLUENT SCHEMA REGISTRY CONNECTION c [KEY STRATEGY s] [VALUE STRATEGY s]`"""
        self.expect_words("using")
        if self.at_word("schema"):
            raise Unsupported(
                "FORMAT AVRO USING SCHEMA is not supported",
                hint="FORMAT AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION c VALUE STRATEGY INLINE '...' gives the schema to read with.",
                position=self.token.position,
            )
        self.expect_words("confluent", "schema", "registry", "connection")
        connection = self.object_name()
        key = self._strategy() if self.accept_words("key", "strategy") else LATEST
        value = self._strategy() if self.accept_words("value", "strategy") else LATEST
        return RegistryClause(connection, key, value)

    def _strategy(self) -> SchemaStrategy:
        if self.accept_words("latest"):
            return LATEST
        if self.accept_words("id"):
            return SchemaStrategy(id=self.integer())
        self.expect_words("inline")
        return SchemaStrategy(text=self.string())

    def message_clause(self) -> MessageClause:
        """`MESSAGE 'package.Message' USING SCHEMA '...'`"""
        position = self.token.position
        if self.at_word("using"):
            raise Unsupported(
                "FORMAT PROTOBUF USING CONFLUENT SCHEMA REGISTRY is not supported",
                hint="FORMAT PROTOBUF MESSAGE 'package.Message' USING SCHEMA '...' takes a descriptor set in hexadecimal, and payloads "
                "with a registry's frame.",
                position=position,
            )
        self.expect_words("message")
        message = self.string()
        self.expect_words("using", "schema")
        return MessageClause(message, self.string())
