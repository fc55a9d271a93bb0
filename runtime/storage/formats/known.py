"""Formats by the words that name them: the place where another one is added."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ...errors import Unsupported
from ...repr.types import Kind
from ..connections.values import Values
from .contract import PayloadFormat
from .csv import Csv
from .json import JsonDocument, JsonFields
from .options import FormatOptions
from .text import Bytes, Text

Connections = Mapping[str, Values]


def _json(options: FormatOptions, connections: Connections) -> PayloadFormat:
    return JsonFields(options.schema) if options.settings.get("declared") else JsonDocument(options.schema)


def _text(options: FormatOptions, connections: Connections) -> PayloadFormat:
    kind = options.schema[0].type.kind
    if len(options.schema) != 1 or kind is Kind.BYTEA:
        raise Unsupported("FORMAT TEXT makes one column of a type that has text as its input")
    return Text(options.schema)


def _bytes(options: FormatOptions, connections: Connections) -> PayloadFormat:
    if len(options.schema) != 1 or options.schema[0].type.kind is not Kind.BYTEA:
        raise Unsupported("FORMAT BYTES makes one column of type bytea")
    return Bytes(options.schema)


def _csv(options: FormatOptions, connections: Connections) -> PayloadFormat:
    return Csv(options.schema, options.settings)


_FORMATS: Mapping[str, Callable[[FormatOptions, Connections], PayloadFormat]] = {
    "json": _json,
    "text": _text,
    "bytes": _bytes,
    "csv": _csv,
}


def open_format(options: FormatOptions, connections: Connections) -> PayloadFormat:
    """Raises Unsupported or InvalidParameter for columns and settings that do not go together; nothing outside is touched yet.
    `connections` may lack those that the format reads through, as long as it decodes nothing."""
    if (make := _FORMATS.get(options.kind)) is None:
        raise Unsupported(
            f"FORMAT {options.kind.upper()} of messages is not supported",
            hint=f"Formats are {', '.join(name.upper() for name in _FORMATS)}.",
        )
    return make(options, connections)
