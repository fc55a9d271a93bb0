"""CREATE SINK ... INTO KAFKA: what stands behind KAFKA."""

from __future__ import annotations

from ....errors import SqlSyntaxError, Unsupported
from ...syntax import ast
from ...syntax.sink_statements import (
    KafkaSinkClause,
    KafkaSinkOption,
    KafkaSinkValue,
    RegistryOption,
    SinkFormat,
)
from ..type import TypeParser

_NAMES = (
    "PROGRESS GROUP ID PREFIX",
    "TOPIC METADATA REFRESH INTERVAL",
    "TOPIC PARTITION COUNT",
    "TOPIC REPLICATION FACTOR",
    "TRANSACTIONAL ID PREFIX",
    "TRANSACTION TIMEOUT",
    "COMPRESSION TYPE",
    "PARTITION BY",
    "TOPIC CONFIG",
    "LEGACY IDS",
    "TOPIC",
)
"""Of options, those of more words first."""
_REGISTRY_NAMES = (
    "AVRO KEY FULLNAME",
    "AVRO VALUE FULLNAME",
    "KEY COMPATIBILITY LEVEL",
    "VALUE COMPATIBILITY LEVEL",
    "NULL DEFAULTS",
)
_FORMATS = ("json", "text", "bytes", "avro")


class KafkaSinkParser(TypeParser):
    def kafka_sink(self) -> KafkaSinkClause:
        """`CONNECTION c (option, ...) [KEY (column, ...) [NOT ENFORCED]] [HEADERS column] FORMAT ... ENVELOPE ... [WITH (...)]`"""
        position = self.token.position
        self.expect_words("connection")
        connection = self.object_name()
        options = self.options_once(self._kafka_sink_option)
        key = self.sink_key()
        headers = self.one_name() if self.accept_words("headers") else None
        key_format, format_ = self._sink_formats()
        key = key or self.sink_key()  # where sinks INTO FILE have it
        envelope = self._kafka_sink_envelope()
        return KafkaSinkClause(
            connection,
            options,
            key,
            headers,
            key_format,
            format_,
            envelope,
            self.snapshot(),
            position,
        )

    def _kafka_sink_option(self) -> KafkaSinkOption:
        position = self.token.position
        for name in _NAMES:
            if self.accept_words(*name.lower().split()):
                break
        else:
            raise SqlSyntaxError(
                f"unrecognized option of a Kafka sink: {self.token.value.upper()}",
                hint=f"Options are {', '.join(reversed(_NAMES[2:-2]))} and TOPIC.",
                position=position,
            )
        self.accept_symbol("=")
        start = self.token.start
        value: KafkaSinkValue
        if name == "PARTITION BY" or self.at_word("map"):
            value = self.expression()
        else:
            found = self.option_value()
            value = found if isinstance(found, str | int) and not isinstance(found, bool) else str(found)
        return KafkaSinkOption(name, value, self.text[start : self.tokens[self.index - 1].end], position)

    def sink_key(self) -> tuple[ast.Name, ...]:
        """`KEY (column, ...) [NOT ENFORCED]`, which is looked at as it is written all the same; KEY FORMAT is something else."""
        if not self.at_word("key") or self.at_word("key", "format"):
            return ()
        self.advance()
        key = self.parenthesised(self.one_name)
        self.accept_words("not", "enforced")
        return key

    def _sink_formats(self) -> tuple[SinkFormat | None, SinkFormat]:
        """Of the key, if it has one of its own, and of the value."""
        key_format = None
        if self.accept_words("key"):
            key_format = self._sink_format()
            self.expect_words("value")
        return key_format, self._sink_format()

    def _sink_format(self) -> SinkFormat:
        self.expect_words("format")
        position = self.token.position
        word = self.label()
        if word not in _FORMATS:
            raise Unsupported(
                f"FORMAT {word.upper()} is not supported for Kafka sinks",
                hint="Formats are JSON, TEXT, BYTES and AVRO.",
                position=position,
            )
        if word != "avro":
            return SinkFormat(word, position)
        self.expect_words("using", "confluent", "schema", "registry", "connection")
        registry = self.object_name()
        options = self.options_once(self._registry_option) if self.at_symbol("(") else ()
        return SinkFormat(word, position, registry, options)

    def _registry_option(self) -> RegistryOption:
        position = self.token.position
        for name in _REGISTRY_NAMES:
            if self.accept_words(*name.lower().split()):
                break
        else:
            if self.at_word("doc", "on"):
                raise Unsupported(
                    "option DOC ON is not supported",
                    hint="The schemas of sinks have no documentation in them.",
                    position=position,
                )
            raise SqlSyntaxError(
                f"unrecognized option of FORMAT AVRO: {self.token.value.upper()}",
                hint=f"Options are {', '.join(_REGISTRY_NAMES[:-1])} and {_REGISTRY_NAMES[-1]}.",
                position=position,
            )
        self.accept_symbol("=")
        value = self.option_value()
        return RegistryOption(name, value if isinstance(value, bool) else str(value), position)

    def _kafka_sink_envelope(self) -> str:
        position = self.token.position
        if not self.accept_words("envelope"):
            raise SqlSyntaxError(
                "ENVELOPE clause is required", hint="Write ENVELOPE UPSERT or DEBEZIUM.", position=position
            )
        word = self.label()
        if word not in ("upsert", "debezium"):
            raise Unsupported(
                f"ENVELOPE {word.upper()} is not supported for Kafka sinks",
                hint="Envelopes are UPSERT and DEBEZIUM.",
                position=position,
            )
        return word

    def snapshot(self) -> bool:
        """`WITH (SNAPSHOT [=] boolean)`"""
        snapshot = True
        if self.accept_words("with"):
            for option in self.options():
                if option.name != "snapshot":
                    raise Unsupported(
                        f'sink option "{option.name}" is not supported',
                        hint="SNAPSHOT is.",
                        position=option.position,
                    )
                if not isinstance(option.value, bool):
                    raise SqlSyntaxError("option SNAPSHOT takes true or false", position=option.position)
                snapshot = option.value
        return snapshot
