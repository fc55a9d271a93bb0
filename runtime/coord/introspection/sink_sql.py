"""What of a sink stands behind INTO, as SHOW CREATE SINK has it."""

from __future__ import annotations

from collections.abc import Sequence

from ...expr.functions.system.system import quote_ident, quote_literal
from ...storage.sink.kafka.options import KafkaSinkOptions
from ..catalog.items import Connection, Sink

_OPTIONS = {
    "TOPIC": "topic",
    "COMPRESSION TYPE": "compression",
    "TRANSACTIONAL ID PREFIX": "transactional_id_prefix",
    "PROGRESS GROUP ID PREFIX": "progress_group_id_prefix",
    "TOPIC PARTITION COUNT": "partition_count",
    "TOPIC REPLICATION FACTOR": "replication_factor",
}


def kafka_sink_sql(
    options: KafkaSinkOptions, connection: Connection, sink: Sink, names: Sequence[str]
) -> str:
    """`names` are those of the columns that it reads.  Options as they are unless given are left out."""
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
    through = f"{quote_ident(connection.schema_name)}.{quote_ident(connection.name)}"
    text = f" INTO KAFKA CONNECTION {through} ({', '.join(given)})"
    if sink.key:
        text += f" KEY ({', '.join(quote_ident(names[index]) for index in sink.key)})"
    if options.headers is not None:
        text += f" HEADERS {quote_ident(names[options.headers])}"
    text += (
        f" FORMAT {options.format.upper()}"
        if options.key_format == options.format or not sink.key
        else f" KEY FORMAT {options.key_format.upper()} VALUE FORMAT {options.format.upper()}"
    )
    text += f" ENVELOPE {sink.envelope.value.upper()}"
    return text if options.snapshot else f"{text} WITH (SNAPSHOT = false)"


def _literal(value: str | int) -> str:
    return str(value) if isinstance(value, int) else quote_literal(value).strip()
