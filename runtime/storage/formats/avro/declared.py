"""Columns that a statement lists, as fields of what a file was written with.

The schema to read with follows from both: each column is the field of its name, with the field's own type, or the one that the column's
type asks for and Avro's rules allow, and all other fields are passed over.  A column that may be NULL has NULL as its default.  Where
Avro's type and the column's still differ, values are converted, if none of them can be lost by that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from ....errors import DatatypeMismatch, InvalidParameter, UndefinedColumn
from ....expr.functions.json.build import to_json
from ....repr.schema import Column, Schema
from ....repr.types import NESTED, Kind, ScalarType
from ...decode import WHOLE_RECORD
from ...decode_parquet import converted, readable
from ..contract import DecodedPayloads
from ..payloads import MALFORMED, ErrorParts, extents
from .cursor import Ints, Payloads
from .decoder import RawDecoder
from .format import row_columns
from .resolution import PROMOTIONS
from .schema import NULL, Logical, Primitive, Record, Type, Union, nullable_of, parse
from .types import PRIMITIVE, FieldColumn, sql_type

_INSTANTS = ("timestamp-millis", "timestamp-micros")


class DeclaredColumns:
    """What reads records that were written with a schema (`text`, JSON) as the columns of `schema`.

    Raises InvalidParameter and Unsupported for a schema that is none, or that cannot be read, UndefinedColumn for one that lacks a column,
    DatatypeMismatch for one whose type a column has not.
    """

    def __init__(self, text: str, schema: Schema, key: Sequence[int] = ()) -> None:
        writer = parse(text)
        if not isinstance(writer, Record):
            raise InvalidParameter("it has no records: its schema is another type")
        self.writer = writer
        self._schema = schema
        found = [_field_of(column, writer) for column in schema]
        missing = [
            column.name
            for index, column in enumerate(schema)
            if found[index] is None and (not column.nullable or index in key or not any(found))
        ]
        if missing:
            raise UndefinedColumn(
                f'it has no field "{missing[0]}"',
                detail=f"It has: {', '.join(field.name for field in writer.fields)}.",
            )
        self._places = [index for index, field in enumerate(found) if field is not None]
        self._made = [field for field in found if field is not None]
        reader, self._columns = _reader(writer, self._made)
        self._raw = RawDecoder(writer, reader)

    @property
    def schema(self) -> Schema:
        return self._schema

    def decode(self, payloads: pa.LargeBinaryArray) -> DecodedPayloads:
        """Records, each a payload."""
        data, starts, ends = extents(payloads)
        errors = ErrorParts()
        columns = self.columns(Payloads(data), starts, ends, errors)
        return DecodedPayloads(columns, errors.finish())

    def columns(
        self, payloads: Payloads, starts: Ints, ends: Ints, errors: ErrorParts
    ) -> tuple[pa.Array, ...]:
        """Of records that lie so in the payloads."""
        found = self._raw.decode(payloads, starts, ends)
        errors.add(found.bad, WHOLE_RECORD, MALFORMED, [f"Avro: {reason}" for reason in found.reasons])
        parts = ErrorParts()
        made = row_columns(found.values, self._columns, parts)
        wrong = parts.finish()
        places = np.array(self._places, np.int64)
        errors.add_all(replace(wrong, columns=places[wrong.columns]))
        columns = [pa.nulls(len(starts), column.type.arrow) for column in self._schema]
        for place, field, values in zip(self._places, self._made, made, strict=True):
            columns[place] = self._converted(values, field, place, errors)
        return tuple(columns)

    def _converted(self, values: pa.Array, field: _Field, place: int, errors: ErrorParts) -> pa.Array:
        """Values of the SQL type that Avro's type has as those of the column."""
        column = self._schema[place]
        if field.sql_type == column.type:
            return values
        if column.type.kind is Kind.JSONB:
            return to_json(values, field.sql_type)
        if column.type.kind is Kind.TIMESTAMPTZ:
            return values.view(column.type.arrow)
        return converted(values, column, place, _Reasons(errors))


@dataclass(frozen=True, slots=True)
class _Reasons:
    """Errors of single values among those of payloads."""

    parts: ErrorParts

    def add(self, row: int, column: int, sqlstate: str, reason: str) -> None:
        self.parts.add(np.array([row]), column, sqlstate, [reason])


@dataclass(frozen=True, slots=True)
class _Field:
    """Field number `number` of the writer, or branch number `branch` of that; it is read as `type`, whose values have `sql_type`."""

    number: int
    type: Type
    sql_type: ScalarType
    branch: int | None = None
    nullable: bool = False


def _field_of(column: Column, writer: Record) -> _Field | None:
    """The field for a column; None: there is none of its name.  Raises DatatypeMismatch, Unsupported, InvalidParameter."""
    named = []
    for number, field in enumerate(writer.fields):
        type_, inner = field.type, nullable_of(field.type)
        if field.name == column.name:
            named.append(_Field(number, inner or type_, column.type, nullable=inner is not None))
        if isinstance(type_, Union) and inner is None:
            branches = [branch for branch in type_.branches if branch != NULL]
            named += [
                _Field(number, branch, column.type, place)
                for place, branch in enumerate(branches)
                if column.name == f"{field.name}{place + 1}" and len(branches) > 1
            ]
    if not named:
        return None
    if len(named) > 1:
        raise InvalidParameter(f'its schema makes two columns "{column.name}"')
    (found,) = named
    if isinstance(found.type, Union):
        present = [branch for branch in found.type.branches if branch != NULL]
        if len(present) < 2:  # a union of one type alone
            found = replace(found, type=present[0] if present else NULL, branch=0)
    field = writer.fields[found.number]
    read = _read_as(found.type, column, field.name, promoted=found.branch is None)
    if read is None:
        raise DatatypeMismatch(
            f'column "{column.name}" is {sql_type(found.type, field.name)} and cannot be read as {column.type}',
            hint="Declare the column with a type that holds all values of the file's, and cast in a view.",
        )
    return replace(found, type=read[0], sql_type=read[1])


def _read_as(type_: Type, column: Column, field: str, *, promoted: bool) -> tuple[Type, ScalarType] | None:
    """The Avro type that the writer's is read as, and the SQL type of its values; None: they are none of the column."""
    made = sql_type(type_, field)
    wanted = column.type
    if made == wanted:
        return type_, made
    if promoted and isinstance(type_, Primitive) and type_.logical is None:
        for kind in PROMOTIONS.get(type_.kind, ()):
            if PRIMITIVE[kind] == wanted:
                return Primitive(kind), wanted
    if wanted.kind is Kind.JSONB:
        return (type_, made) if made.kind in NESTED else None
    if wanted.kind is Kind.TIMESTAMPTZ:
        logical = type_.logical if isinstance(type_, Primitive) else None
        instant = isinstance(logical, Logical) and logical.name in _INSTANTS and wanted.precision is None
        return (type_, made) if instant else None
    return (type_, made) if _convertible(made, column) else None


def _convertible(made: ScalarType, column: Column) -> bool:
    """Whether values of the one SQL type are values of the column's, but for integers that are too large."""
    wanted = column.type
    match made.kind:
        case Kind.TEXT:
            return wanted.kind is Kind.VARCHAR and wanted.length is None
        case Kind.NUMERIC if wanted.kind is Kind.NUMERIC and made.precision is not None:
            assert made.scale is not None, "it has both"
            return wanted.scale is None or readable(pa.decimal128(made.precision, made.scale), column)
        case Kind.INT4 | Kind.INT8 | Kind.FLOAT4 | Kind.TIMESTAMP:
            return readable(made.arrow, column)
        case _:
            return False


def _reader(writer: Record, made: Sequence[_Field]) -> tuple[Record, tuple[FieldColumn, ...]]:
    """The schema to read with, and the columns of its fields."""
    numbers = sorted({field.number for field in made})
    types: dict[int, Type] = {}
    for field in made:
        written = writer.fields[field.number].type
        if field.branch is not None or isinstance(field.type, Union):
            types[field.number] = written
        else:
            types[field.number] = Union((NULL, field.type)) if field.nullable else field.type
    fields = tuple(replace(writer.fields[number], type=types[number]) for number in numbers)
    columns = tuple(
        FieldColumn(Column("", field.sql_type), field.type, numbers.index(field.number), field.branch)
        for field in made
    )
    return Record(writer.name, writer.aliases, fields), columns
