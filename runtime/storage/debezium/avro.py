"""Change events in Avro: a record of which `after` is the row, and `op` what was done."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ...errors import InvalidParameter
from ...repr.schema import Schema
from ..formats.avro.format import RawAvro, parsed, row_columns
from ..formats.avro.schema import NULL, Primitive, Record, Union, nullable_of
from ..formats.avro.types import field_columns, schema_of
from ..formats.contract import DecodedPayloads
from ..formats.payloads import ErrorParts
from ..formats.schemas import Schemas, SchemaText
from .contract import DecodedEvents, check_available, check_operations

_OPERATIONS = (Primitive("string"), Union((NULL, Primitive("string"))), Union((Primitive("string"), NULL)))


class DebeziumAvro:
    """Events as rows of the record `after` of the reader's schema; nothing else of them is read."""

    def __init__(self, reader: SchemaText, schemas: Schemas) -> None:
        envelope, row = _envelope(reader)
        self._raw = RawAvro(envelope, schemas)
        self._has_op = len(envelope.fields) > 1
        self._columns = field_columns(row)
        self._schema = schema_of(self._columns)

    @property
    def schema(self) -> Schema:
        return self._schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedEvents:
        errors = ErrorParts()
        raw = self._raw.decode(payloads, errors)
        readable = raw.is_valid().to_numpy(zero_copy_only=False)
        fields = raw.flatten()
        present = fields[0].is_valid().to_numpy(zero_copy_only=False)
        ops = fields[1] if self._has_op else pa.nulls(len(raw), pa.string())
        check_operations(ops, present, readable, errors)
        columns = row_columns(fields[0], self._columns, errors)
        check_available(self._schema, columns, errors)
        return DecodedEvents(DecodedPayloads(columns, errors.finish()), np.asarray(present))


def _envelope(reader: SchemaText) -> tuple[Record, Record]:
    """What is read of an event, and the record of a row."""
    found = parsed(reader)
    fields = {field.name: field for field in found.fields} if isinstance(found, Record) else {}
    after, op = fields.get("after"), fields.get("op")
    row = None if after is None else nullable_of(after.type)
    if not isinstance(found, Record) or after is None or not isinstance(row, Record):
        raise InvalidParameter(
            "the Avro schema is no envelope of Debezium",
            detail='It has no field "after" that is a record or null.',
            hint="ENVELOPE UPSERT is for values that are rows.",
        )
    read = (after, op) if op is not None and op.type in _OPERATIONS else (after,)
    return Record(found.name, found.aliases, read), row
