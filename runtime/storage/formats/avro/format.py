"""FORMAT AVRO with a registry of schemas: a payload begins with a zero byte and the id of the schema that it was written with, or with a one
and its GUID.

Each id's payloads are read together, as the reader's schema, which is fixed when the source is made: the columns do not change when
others begin to write with a newer schema.
"""

from __future__ import annotations

from uuid import UUID

import numpy as np
import pyarrow as pa

from ....errors import InvalidParameter, PtvcError
from ....repr.batch import Indices
from ....repr.schema import Column, Schema
from ...decode import WHOLE_RECORD
from ..contract import DecodedPayloads
from ..payloads import MALFORMED, ErrorParts, framed
from ..schemas import AVRO, Schemas, SchemaText
from .cursor import Ints, Payloads
from .decoder import RawDecoder
from .nodes import raw_type
from .schema import Record, Type, nullable_of, parse
from .schema import self_contained as without_references
from .types import FieldColumn, field_columns, schema_of, sql_type
from .values import sql_values


class RawAvro:
    """Payloads of any schemas as raw values of one; those of ids that are not known, or of schemas that are none, are in error."""

    def __init__(self, reader: Type, schemas: Schemas) -> None:
        self._reader = reader
        self._schemas = schemas
        self._decoders: dict[int | UUID, RawDecoder | str] = {}

    def decode(self, payloads: pa.LargeBinaryArray, errors: ErrorParts) -> pa.Array:
        """The raw values, NULL for those in error."""
        frame = framed(payloads, errors)
        buffer = Payloads(frame.data)
        parts: list[pa.Array] = []
        rows: list[Indices] = [np.flatnonzero(~frame.sound)]
        for id_ in np.unique(frame.ids[frame.sound]).tolist():
            of_id = np.flatnonzero(frame.sound & (frame.ids == id_))
            rows.append(of_id)
            schema = frame.schema_of(id_)
            parts.append(self._of_id(schema, buffer, frame.starts[of_id], frame.ends[of_id], of_id, errors))
        if len(parts) == 1 and not len(rows[0]):
            return parts[0]
        parts.insert(0, pa.nulls(len(rows[0]), raw_type(self._reader)))
        order = np.concatenate(rows)
        back = np.empty(len(order), np.int64)
        back[order] = np.arange(len(order))
        return pa.concat_arrays(parts).take(pa.array(back))

    def _of_id(
        self, id_: int | UUID, buffer: Payloads, starts: Ints, ends: Ints, rows: Indices, errors: ErrorParts
    ) -> pa.Array:
        decoder = self._decoder(id_)
        if isinstance(decoder, str):
            errors.add(rows, WHOLE_RECORD, MALFORMED, [decoder] * len(rows))
            return pa.nulls(len(rows), raw_type(self._reader))
        found = decoder.decode(buffer, starts, ends)
        errors.add(
            rows[found.bad], WHOLE_RECORD, MALFORMED, [f"Avro, schema {id_}: {r}" for r in found.reasons]
        )
        return found.values

    def _decoder(self, id_: int | UUID) -> RawDecoder | str:
        """What reads payloads of the id, or why they cannot be read."""
        known = self._decoders.get(id_)
        if known is not None:
            return known
        text = self._schemas.schema(id_)
        if text is None:
            # Not kept: who wrote it may have been ahead of this registry.
            return f"there is no schema {id_} in the registry"
        made: RawDecoder | str
        try:
            made = RawDecoder(parsed(text), self._reader)
        except PtvcError as error:
            made = f"schema {id_} of the registry cannot be used: {error.message}"
        self._decoders[id_] = made
        return made


def parsed(schema: SchemaText) -> Type:
    """Raises InvalidParameter or Unsupported."""
    if schema.kind != AVRO:
        raise InvalidParameter(f"it is a schema of {schema.kind}, not of {AVRO}")
    return parse(schema.text, schema.references)


def self_contained(schema: SchemaText) -> str:
    """The schema as a text without references.  Raises as `parsed`."""
    parsed(schema)
    return without_references(schema.text, schema.references)


class AvroFormat:
    """Payloads as rows of the reader's schema: a record's fields, or one column `name` of what is no record."""

    def __init__(self, reader: SchemaText, schemas: Schemas, name: str) -> None:
        self._reader = parsed(reader)
        self._raw = RawAvro(self._reader, schemas)
        self._columns: tuple[FieldColumn, ...] | None = None
        if isinstance(self._reader, Record):
            self._columns = field_columns(self._reader)
            self._schema = schema_of(self._columns)
        else:
            nullable = nullable_of(self._reader) is not None
            self._schema = Schema((Column(name, sql_type(self._reader, name), nullable),))

    @property
    def schema(self) -> Schema:
        return self._schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        errors = ErrorParts()
        raw = self._raw.decode(payloads, errors)
        if self._columns is None:
            found = sql_values(raw, self._reader)
            errors.add_values(0, found.errors)
            return DecodedPayloads((found.values,), errors.finish())
        return DecodedPayloads(row_columns(raw, self._columns, errors), errors.finish())


def row_columns(
    raw: pa.StructArray, columns: tuple[FieldColumn, ...], errors: ErrorParts
) -> tuple[pa.Array, ...]:
    """The columns of raw records; NULL where there is no record."""
    fields = raw.flatten()
    values: list[pa.Array] = []
    for index, column in enumerate(columns):
        part = fields[column.field]
        if column.branch is not None:
            part = part.flatten()[column.branch]
        found = sql_values(part, column.type)
        errors.add_values(index, found.errors)
        values.append(found.values)
    return tuple(values)
