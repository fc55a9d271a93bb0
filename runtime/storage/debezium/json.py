"""Change events in JSON: `{"before": ..., "after": ..., "op": ...}`, alone or as the `payload` beside a `schema`.

The fields of `after` are read as FORMAT JSON reads those of an object.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ...repr.batch import Mask
from ...repr.schema import Column, Schema
from ...repr.types import BOOL, TEXT
from ..decode import WHOLE_RECORD
from ..decode_json import JsonDecoder
from ..formats.contract import DecodedPayloads, PayloadErrors
from ..formats.payload_lines import Reasons, decoded_payloads, lines_of, nullable
from ..formats.payloads import ErrorParts
from ..lines import Lines
from .contract import DecodedEvents, check_available, check_operations

_PAYLOAD = "payload"
_OP, _PRESENT = "\0op", "\0present"
"""Columns beside those of a row, of names that no column has."""


class DebeziumJson:
    """Events as rows of `schema`."""

    def __init__(self, schema: Schema) -> None:
        self.schema = nullable(schema)
        extended = (*self.schema.columns, Column(_OP, TEXT), Column(_PRESENT, BOOL))
        self._extended = Schema(extended)
        self._decoder = _EventDecoder(self._extended)

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedEvents:
        width = len(self.schema)
        lines = lines_of(payloads)
        found = self._decoder.read(lines, Reasons(self._extended, lines))
        columns, ops, present = found.columns[:width], found.columns[width], found.columns[width + 1]
        errors = ErrorParts()
        # An operation that is no text is an error of the event, not of a column.
        places = np.where(found.errors.columns >= width, WHOLE_RECORD, found.errors.columns)
        errors.add_all(
            PayloadErrors(found.errors.rows, places, found.errors.sqlstates, found.errors.messages)
        )
        readable = np.ones(len(payloads), np.bool_)
        readable[found.errors.rows[places == WHOLE_RECORD]] = False
        there: Mask = present.fill_null(False).to_numpy(zero_copy_only=False)
        check_operations(ops, there, readable, errors)
        check_available(self.schema, columns, errors)
        return DecodedEvents(DecodedPayloads(columns, errors.finish()), there)


class DebeziumJsonKey:
    """Keys of change events: an object, alone or as the `payload` beside a `schema`."""

    def __init__(self, schema: Schema) -> None:
        self.schema = nullable(schema)
        self._decoder = _KeyDecoder(self.schema)

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        lines = lines_of(payloads)
        return decoded_payloads(self._decoder.read(lines, Reasons(self.schema, lines)))


class _KeyDecoder(JsonDecoder):
    """A key of which a column is called `payload` is alone."""

    def _explicit(self, fields: list[pa.Field]) -> pa.Schema:
        if _PAYLOAD in self._schema.names:
            return pa.schema(fields)
        return pa.schema([*fields, pa.field(_PAYLOAD, pa.struct(fields))])

    def _fields(self, table: pa.Table) -> list[pa.Array]:
        bare = super()._fields(table)
        if _PAYLOAD in self._schema.names:
            return bare
        payload = table.column(_PAYLOAD).combine_chunks()
        if payload.null_count == len(payload):
            return bare
        framed = payload.is_valid()
        return [pc.if_else(framed, *pair) for pair in zip(payload.flatten(), bare, strict=True)]

    def _record(self, found: dict[str, Any]) -> dict[str, Any] | tuple[str, str]:
        payload = found.get(_PAYLOAD)
        if payload is None or _PAYLOAD in self._schema.names:
            return found
        if not isinstance(payload, dict):
            return "22023", 'the "payload" of a key is no object'
        return payload


class _EventDecoder(JsonDecoder):
    """Reads rows where events have them."""

    def _explicit(self, fields: list[pa.Field]) -> pa.Schema:
        event = [pa.field("after", pa.struct(fields[:-2])), pa.field("op", pa.string())]
        return pa.schema([*event, pa.field("payload", pa.struct(event))])

    def _fields(self, table: pa.Table) -> list[pa.Array]:
        bare = [table.column(name).combine_chunks() for name in ("after", "op")]
        payload = table.column("payload").combine_chunks()
        framed = payload.is_valid()
        if pc.all(framed, min_count=0).as_py():
            after, op = payload.flatten()
        elif pc.any(framed).as_py():
            after, op = (pc.if_else(framed, *pair) for pair in zip(payload.flatten(), bare, strict=True))
        else:
            after, op = bare
        return [*after.flatten(), op, after.is_valid()]

    def _inexact(self, columns: list[pa.Array], lines: Lines) -> Mask:
        """One without an operation may be no event at all."""
        doubtful: Mask = columns[-2].is_null().to_numpy(zero_copy_only=False)
        return doubtful | super()._inexact(columns, lines)

    def _record(self, found: dict[str, Any]) -> dict[str, Any] | tuple[str, str]:
        event = found
        if "payload" in found:
            event = found["payload"]
            if event is None:  # with a schema, or without: there is nothing
                return {_PRESENT: False}
        if not isinstance(event, dict) or not ("after" in event or "op" in event):
            return "22023", 'the value is no change event of Debezium: it has neither "after" nor "op"'
        after, op = event.get("after"), event.get("op")
        if not isinstance(after, dict | None):
            return "22023", 'the "after" of a change event is neither an object nor null'
        return {**(after or {}), _OP: op, _PRESENT: after is not None}
