"""Which SQL type values of an Avro type have.

| Avro                               | SQL                                                      |
|------------------------------------|----------------------------------------------------------|
| boolean, int, long, float, double  | boolean, integer, bigint, real, double precision         |
| string, enum                       | text                                                     |
| bytes, fixed                       | bytea                                                    |
| decimal(p, s)                      | numeric(p, s); numeric, where p is more than 38          |
| date, time-*, uuid                 | date, time, uuid                                         |
| timestamp-*, local-timestamp-*     | timestamp                                                |
| Debezium's Json, ZonedTimestamp    | jsonb, timestamp with time zone                          |
| array of T, map of T               | T list, map[text => T]                                   |
| record                             | jsonb; none, if it contains itself                       |
| union of null and T                | T                                                        |
| other union                        | of a field: a column per branch; elsewhere jsonb         |

A record is no column of a collection, so it is a document: what `to_jsonb` makes of a row with these columns.
"""

from __future__ import annotations

from dataclasses import dataclass

from ....errors import Unsupported
from ....repr.schema import Column, Schema
from ....repr.types import (
    BOOL,
    BYTEA,
    DATE,
    FLOAT4,
    FLOAT8,
    INT4,
    INT8,
    JSONB,
    NUMERIC,
    NUMERIC_MAX_PRECISION,
    TEXT,
    TIME,
    TIMESTAMP,
    TIMESTAMPTZ,
    UNCONSTRAINED_SCALE,
    UUID,
    Kind,
    ScalarType,
    list_of,
    map_of,
)
from .schema import NULL, Again, Array, Enum, Fixed, Logical, Map, Primitive, Record, Type, Union, nullable_of

PRIMITIVE = {
    "boolean": BOOL,
    "int": INT4,
    "long": INT8,
    "float": FLOAT4,
    "double": FLOAT8,
    "bytes": BYTEA,
    "string": TEXT,
}
_ALIKE = (frozenset(("int", "long")), frozenset(("float", "double")))


def sql_type(type_: Type, field: str) -> ScalarType:
    """The type of values in `field`, of which an Unsupported speaks."""
    match type_:
        case Primitive(kind="null"):
            raise Unsupported(f'field "{field}" of the Avro schema is of type null only', hint=_WITHOUT)
        case Primitive(logical=Logical() as logical) | Fixed(logical=Logical() as logical):
            return _logical_type(logical, field)
        case Primitive(kind=kind):
            return PRIMITIVE[kind]
        case Fixed():
            return BYTEA
        case Enum():
            return TEXT
        case Array(items=items):
            return list_of(sql_type(items, field))
        case Map(values=values):
            return map_of(sql_type(values, field))
        case Record(fields=fields):
            for inner in fields:
                sql_type(inner.type, f"{field}.{inner.name}")
            return JSONB
        case Again(name=name):
            raise Unsupported(
                f'field "{field}" of the Avro schema has a record "{name}" that contains itself',
                hint=_WITHOUT,
            )
        case Union() if (inner_type := nullable_of(type_)) is not None:
            return sql_type(inner_type, field)
        case Union():
            for branch in branches_of(type_, field):
                sql_type(branch, field)
            return JSONB


_WITHOUT = "Give a schema to read with that leaves it out: VALUE STRATEGY INLINE '...'."


def _logical_type(logical: Logical, field: str) -> ScalarType:
    match logical.name:
        case "decimal" if logical.precision <= NUMERIC_MAX_PRECISION:
            return ScalarType(Kind.NUMERIC, logical.precision, logical.scale)
        case "decimal" if logical.scale <= UNCONSTRAINED_SCALE:
            return NUMERIC
        case "decimal":
            raise Unsupported(
                f'field "{field}" of the Avro schema is a decimal of {logical.scale} digits behind the point',
                detail=f"numeric has {UNCONSTRAINED_SCALE} at most.",
                hint=_WITHOUT,
            )
        case "date":
            return DATE
        case "uuid":
            return UUID
        case "time-millis" | "time-micros":
            return TIME
        case "json":
            return JSONB
        case "zoned-timestamp":
            return TIMESTAMPTZ
        case _:
            return TIMESTAMP


def branches_of(union: Union, field: str) -> tuple[Type, ...]:
    """Its branches but for null; Unsupported if a value does not say which one it is of."""
    kinds = {branch.kind for branch in union.branches if isinstance(branch, Primitive)}
    for pair in _ALIKE:
        if pair <= kinds:
            raise Unsupported(
                f'field "{field}" of the Avro schema is a union of {" and ".join(sorted(pair))}',
                hint=f"Give a schema to read with that has {max(pair, key=len)} only: VALUE STRATEGY INLINE '...'.",
            )
    return tuple(branch for branch in union.branches if branch != NULL)


@dataclass(frozen=True, slots=True)
class FieldColumn:
    """A column: field number `field` of the record, and of that, if it is a union of several, branch number `branch`."""

    column: Column
    type: Type
    field: int
    branch: int | None = None


def field_columns(record: Record) -> tuple[FieldColumn, ...]:
    """The columns of a record's fields, in order.  A union of several types has one per type: `name1`, `name2`, ..."""
    found: list[FieldColumn] = []
    for number, field in enumerate(record.fields):
        type_ = field.type
        inner = nullable_of(type_)
        if isinstance(type_, Union) and inner is None:
            branches = branches_of(type_, field.name)
            for i, branch in enumerate(branches):
                name = f"{field.name}{i + 1}" if len(branches) > 1 else field.name
                nullable = len(type_.branches) > 1
                column = Column(name, sql_type(branch, field.name), nullable)
                found.append(FieldColumn(column, branch, number, i))
        else:
            column = Column(field.name, sql_type(type_, field.name), inner is not None)
            found.append(FieldColumn(column, inner or type_, number))
    names = [item.column.name for item in found]
    for name in names:
        if names.count(name) > 1:
            raise Unsupported(f'the Avro schema makes two columns "{name}"', hint=_WITHOUT)
    return tuple(found)


def schema_of(columns: tuple[FieldColumn, ...]) -> Schema:
    return Schema(tuple(item.column for item in columns))
