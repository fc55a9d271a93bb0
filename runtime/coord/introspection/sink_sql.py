"""What of a sink stands behind INTO, as SHOW CREATE SINK has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...expr.functions.system.system import quote_ident, quote_literal
from ...expr.tree.relation import GlobalId
from ...storage.sink.kafka.options import AvroOptions, KafkaSinkOptions
from ..catalog.items import Sink

_OPTIONS = {
    "TOPIC": "topic",
    "COMPRESSION TYPE": "compression",
    "TRANSACTIONAL ID PREFIX": "transactional_id_prefix",
    "PROGRESS GROUP ID PREFIX": "progress_group_id_prefix",
    "TOPIC PARTITION COUNT": "partition_count",
    "TOPIC REPLICATION FACTOR": "replication_factor",
}


def kafka_sink_sql(
    options: KafkaSinkOptions, name_of: Callable[[GlobalId], str], sink: Sink, names: Sequence[str]
) -> str:
    """`names` are those of the columns that it reads, `name_of` a connection is quoted.  Options as they are unless given are left
    out."""
    usual = KafkaSinkOptions("", "")
    given = []
    for option, field in _OPTIONS.items():
        value = getattr(options, field)
        if value != getattr(usual, field):
            given.append(f"{option} = {_literal(value)}")
    if options.transaction_timeout_ms != usual.transaction_timeout_ms:
        given.append(f"TRANSACTION TIMEOUT = '{options.transaction_timeout_ms} ms'")
    if options.partition_by_sql is not None:
        given.append(f"PARTITION BY = {options.partition_by_sql}")
    if options.topic_config:
        pairs = ", ".join(f"{_literal(k)} => {_literal(v)}" for k, v in options.topic_config.items())
        given.append(f"TOPIC CONFIG = MAP[{pairs}]")
    text = f" INTO KAFKA CONNECTION {name_of(options.connection)} ({', '.join(given)})"
    if sink.key:
        text += f" KEY ({', '.join(quote_ident(names[index]) for index in sink.key)})"
    if options.headers is not None:
        text += f" HEADERS {quote_ident(names[options.headers])}"
    text += _formats(options, name_of) if sink.key else f" FORMAT {_value_format(options, name_of)}"
    text += f" ENVELOPE {sink.envelope.value.upper()}"
    return text if options.snapshot else f"{text} WITH (SNAPSHOT = false)"


def _formats(options: KafkaSinkOptions, name_of: Callable[[GlobalId], str]) -> str:
    """Of keys and values: one where they are of one kind, and in Avro of one registry and with the same defaults."""
    key, value = options.key_avro, options.value_avro
    if key is None and value is None and options.key_format == options.format:
        return f" FORMAT {options.format.upper()}"
    if (
        key is not None
        and value is not None
        and (key.connection, key.null_defaults) == (value.connection, value.null_defaults)
    ):
        given = [*_avro_options(key, "KEY"), *_avro_options(value, "VALUE"), *_null_defaults(value)]
        return f" FORMAT {_avro(value, given, name_of)}"
    return f" KEY FORMAT {_key_format(options, name_of)} VALUE FORMAT {_value_format(options, name_of)}"


def _key_format(options: KafkaSinkOptions, name_of: Callable[[GlobalId], str]) -> str:
    if (avro := options.key_avro) is None:
        return options.key_format.upper()
    return _avro(avro, [*_avro_options(avro, "KEY"), *_null_defaults(avro)], name_of)


def _value_format(options: KafkaSinkOptions, name_of: Callable[[GlobalId], str]) -> str:
    if (avro := options.value_avro) is None:
        return options.format.upper()
    return _avro(avro, [*_avro_options(avro, "VALUE"), *_null_defaults(avro)], name_of)


def _avro(avro: AvroOptions, given: Sequence[str], name_of: Callable[[GlobalId], str]) -> str:
    return f"AVRO USING CONFLUENT SCHEMA REGISTRY CONNECTION {name_of(avro.connection)} ({', '.join(given)})"


def _avro_options(avro: AvroOptions, part: str) -> list[str]:
    shown = [f"AVRO {part} FULLNAME = {_literal(avro.name)}"]
    if avro.compatibility is not None:
        shown.append(f"{part} COMPATIBILITY LEVEL = {_literal(avro.compatibility)}")
    return shown


def _null_defaults(avro: AvroOptions) -> list[str]:
    return ["NULL DEFAULTS = true"] if avro.null_defaults else []


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else quote_literal(value).strip()
