"""CREATE SOURCE ... FROM KAFKA: what stands behind KAFKA, up to the envelope."""

from __future__ import annotations

from ....errors import SqlSyntaxError, Unsupported
from ...syntax.source_statements import (
    Included,
    KafkaOptionValue,
    KafkaSourceClause,
    KafkaSourceOption,
    MessageFormat,
)
from .schema_clauses import SchemaClauseParser

_OPTIONS = (
    "TOPIC METADATA REFRESH INTERVAL",
    "GROUP ID PREFIX",
    "START OFFSET",
    "START TIMESTAMP",
    "TOPIC",
)
"""Those of more words first."""
_FORMATS = ("json", "text", "bytes", "csv", "avro", "protobuf")
_PARTS = ("key", "partition", "offset", "timestamp", "headers")


class KafkaSourceParser(SchemaClauseParser):
    def kafka_source(self) -> KafkaSourceClause:
        """`CONNECTION c (option, ...) {FORMAT f | KEY FORMAT f VALUE FORMAT f} [INCLUDE part [AS name], ...] [ENVELOPE e]`"""
        position = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        options = self.options_once(self._kafka_source_option)
        key = None
        if self.accept_words("key", "format"):
            key = self._message_format()
            self.expect_words("value")
        self.expect_words("format")
        value = self._message_format()
        included = self.comma_list(self._included) if self.accept_words("include") else ()
        envelope, inline = self._message_envelope()
        return KafkaSourceClause(connection, options, key, value, included, envelope, inline, position)

    def _kafka_source_option(self) -> KafkaSourceOption:
        position = self.token.position
        for name in _OPTIONS:
            if self.accept_words(*name.lower().split()):
                break
        else:
            raise SqlSyntaxError(
                f"KAFKA sources have no option {self.token.value.upper()}",
                hint=f"Options are {', '.join(_OPTIONS)}.",
                position=position,
            )
        self.accept_symbol("=")
        value: KafkaOptionValue
        if name == "START OFFSET":
            value = self.parenthesised(self._signed) if self.at_symbol("(") else (self._signed(),)
        elif name == "START TIMESTAMP":
            value = self._signed()
        else:
            value = self.string() if not self.at_identifier() else self.label()
        return KafkaSourceOption(name, value, position)

    def _signed(self) -> int:
        negative = self.accept_symbol("-")
        return -self.integer() if negative else self.integer()

    def _message_format(self) -> MessageFormat:
        position = self.token.position
        kind = self.label()
        if kind not in _FORMATS:
            raise Unsupported(
                f"FORMAT {kind.upper()} of messages is not supported",
                hint=f"Formats are {', '.join(name.upper() for name in _FORMATS)}.",
                position=position,
            )
        if kind == "avro":
            return MessageFormat(kind, position, schema=self.registry_clause())
        if kind == "protobuf":
            return MessageFormat(kind, position, schema=self.message_clause())
        if kind != "csv":
            return MessageFormat(kind, position)
        columns, delimiter = None, ","
        if self.accept_words("with"):
            if self.at_word("header"):
                raise Unsupported(
                    "messages have no header",
                    hint="FORMAT CSV WITH n COLUMNS, or a list of columns behind the source's name.",
                    position=self.token.position,
                )
            columns = self.integer()
            if self.accept_any("columns", "column") is None:
                self.fail()
        if self.accept_words("delimited"):
            self.expect_words("by")
            delimiter = self.string()
        return MessageFormat(kind, position, columns, delimiter)

    def _included(self) -> Included:
        position = self.token.position
        if self.accept_words("header"):
            header = self.string()
            self.expect_words("as")
            alias = self.identifier()
            return Included("header", alias, position, header, self.accept_words("bytes"))
        part = self.accept_any(*_PARTS)
        if part is None:
            raise SqlSyntaxError(
                f"INCLUDE {self.token.value.upper()} is nothing that a message has",
                hint="INCLUDE takes KEY, PARTITION, OFFSET, TIMESTAMP, HEADERS and HEADER 'name' AS column.",
                position=position,
            )
        return Included(part, self.identifier() if self.accept_words("as") else None, position)

    def _message_envelope(self) -> tuple[str, str | None]:
        if not self.accept_words("envelope"):
            return "none", None
        position = self.token.position
        word = self.label()
        if word not in ("none", "upsert", "debezium"):
            raise Unsupported(
                f"ENVELOPE {word.upper()} of KAFKA sources is not supported",
                hint="Envelopes are NONE, UPSERT and DEBEZIUM.",
                position=position,
            )
        if word != "upsert" or not self.accept_symbol("("):
            return word, None
        self.expect_words("value", "decoding", "errors")
        self.accept_symbol("=")
        in_parentheses = self.accept_symbol("(")
        self.expect_words("inline")
        name = self.identifier() if self.accept_words("as") else "error"
        if in_parentheses:
            self.expect_symbol(")")
        self.expect_symbol(")")
        return word, name
