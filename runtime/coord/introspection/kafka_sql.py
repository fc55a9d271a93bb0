"""KAFKA sources as SQL."""

from __future__ import annotations

from collections.abc import Callable

from ...expr.functions.system.system import quote_ident, quote_literal
from ...expr.tree.relation import GlobalId
from ...storage.formats.options import FormatOptions
from ...storage.source.kafka.options import REFRESH_MS, KafkaOptions, Part
from ..catalog.items import AnySource, Source


def kafka_source_sql(
    item: Source, options: KafkaOptions, name_of: Callable[[GlobalId], str], cluster: str
) -> str:
    """What stands behind the name; `name_of` a connection is quoted."""
    parts = [column.part for column in options.columns]
    listed = [
        f"{quote_ident(column.name)} {column.type}{'' if column.nullable else ' NOT NULL'}"
        for column, part in zip(item.read, parts, strict=True)
        if part is Part.VALUE or (part is Part.KEY and _declared(options.key))
    ]
    text = ""
    if _declared(options.value) or _declared(options.key):
        if _declared(options.key):
            keys = [quote_ident(c.name) for c, part in zip(item.read, parts, strict=True) if part is Part.KEY]
            listed.append(f"PRIMARY KEY ({', '.join(keys)})")
        text = f" ({', '.join(listed)})"
    text += f"{cluster} FROM KAFKA CONNECTION {name_of(options.connection)} ({', '.join(_options(options))})"
    value = _format(options.value, "VALUE", name_of)
    if options.key is None:
        text += f" FORMAT {value}"
    else:
        text += f" KEY FORMAT {_format(options.key, 'KEY', name_of)} VALUE FORMAT {value}"
    if included := _included(item, options):
        text += f" INCLUDE {', '.join(included)}"
    text += f" ENVELOPE {envelope_word(item).upper()}"
    if Part.ERROR in parts:
        name = quote_ident(item.read[parts.index(Part.ERROR)].name)
        text += f" (VALUE DECODING ERRORS = (INLINE AS {name}))"
    return text


def envelope_word(item: AnySource) -> str:
    """As its statement names it: change events are kept by key, as with UPSERT."""
    connector = item.connector
    if isinstance(connector, KafkaOptions):
        return str(connector.value.settings.get("envelope", item.envelope.value))
    return item.envelope.value


def _declared(format: FormatOptions | None) -> bool:
    """Whether the statement has listed its columns."""
    return format is not None and bool(format.settings.get("declared"))


def _options(options: KafkaOptions) -> list[str]:
    shown = [f"TOPIC = {_string(options.topic)}"]
    if options.group_id_prefix is not None:
        shown.append(f"GROUP ID PREFIX = {_string(options.group_id_prefix)}")
    if options.start_offsets:
        shown.append(f"START OFFSET = ({', '.join(map(str, options.start_offsets))})")
    if options.start_timestamp is not None:
        shown.append(f"START TIMESTAMP = {options.start_timestamp}")
    if options.refresh_ms != REFRESH_MS:
        shown.append(f"TOPIC METADATA REFRESH INTERVAL = '{options.refresh_ms}ms'")
    return shown


def _format(format: FormatOptions, part: str, name_of: Callable[[GlobalId], str]) -> str:
    text = format.kind.upper()
    if format.kind == "avro":
        assert format.connection is not None
        text += f" USING CONFLUENT SCHEMA REGISTRY CONNECTION {name_of(format.connection)}"
        text += f" {part} STRATEGY INLINE {_string(format.settings['schema'])}"
    if format.kind == "protobuf":
        text += f" MESSAGE {_string(format.settings['message'])} USING SCHEMA {_string(format.settings['schema'])}"
    if format.kind == "csv":
        text += f" WITH {len(format.schema)} COLUMNS"
        if (delimiter := format.settings.get("delimiter", ",")) != ",":
            text += f" DELIMITED BY {_string(delimiter)}"
    return text


def _included(item: Source, options: KafkaOptions) -> list[str]:
    shown = []
    if options.key is not None and not _declared(options.key):
        alias = options.key.schema[0].name
        named = len(options.key.schema) == 1 and alias != "key"
        shown.append(f"KEY AS {quote_ident(alias)}" if named else "KEY")
    for column, part in zip(item.read, options.columns, strict=True):
        match part.part:
            case Part.KEY | Part.VALUE | Part.ERROR:
                continue
            case Part.HEADER:
                raw = " BYTES" if part.raw else ""
                shown.append(f"HEADER {_string(part.name)} AS {quote_ident(column.name)}{raw}")
            case other:
                shown.append(f"{other.value.upper()} AS {quote_ident(column.name)}")
    return shown


def _string(text: str) -> str:
    return quote_literal(text).strip()
