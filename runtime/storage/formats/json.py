"""FORMAT JSON: a payload is a JSON text, whole as `jsonb`, or an object whose fields are columns by name."""

from __future__ import annotations

import pyarrow as pa

from ...repr.schema import Schema
from ..decode_json import JsonDecoder
from .contract import DecodedPayloads
from .payload_lines import Reasons, decoded_payloads, lines_of, nullable
from .text import decode_typed


class JsonFields:
    """An object's fields as files of JSON lines have them: other fields are ignored, missing ones are NULL."""

    def __init__(self, schema: Schema) -> None:
        self.schema = nullable(schema)
        self._decoder = JsonDecoder(self.schema)

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        lines = lines_of(payloads)
        return decoded_payloads(self._decoder.read(lines, Reasons(self.schema, lines)))


class JsonDocument:
    """Any JSON text, in one column of type `jsonb`."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        return decode_typed(payloads, self.schema[0].type)
