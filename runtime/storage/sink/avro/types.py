"""Which Avro type values of each SQL type are written as, and the schemas of rows.

| SQL                                            | Avro                                                        |
|------------------------------------------------|-------------------------------------------------------------|
| boolean, real, double precision, bytea         | boolean, float, double, bytes                               |
| smallint, integer, uint2; bigint, uint4, oid   | int; long                                                   |
| uint8, mz_timestamp                            | decimal(20, 0)                                              |
| numeric(p, s); of scale s; of any              | decimal(p, s); (38, s); (76, 38)                            |
| date, time                                     | date, time-micros                                           |
| timestamp, timestamp with time zone            | timestamp-micros                                            |
| text and its like, uuid                        | string                                                      |
| json, jsonb                                    | string, with the name that Debezium has for JSON            |
| array, list of T; map                          | array of null and T; map of null and T                      |

A column that may be NULL is a union of null and its type.  Names that Avro does not allow are spelled with `_`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ....errors import InvalidParameter, Unsupported
from ....repr.schema import Column, Schema
from ....repr.types import NUMERIC_MAX_PRECISION, SEQUENCES, UNCONSTRAINED_SCALE, Kind, ScalarType

ROW = "row"
"""The record of a row within a change."""
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_JSON_NAME = "io.debezium.data.Json"
_PLAIN = {
    Kind.BOOL: "boolean",
    Kind.INT2: "int",
    Kind.INT4: "int",
    Kind.UINT2: "int",
    Kind.INT8: "long",
    Kind.UINT4: "long",
    Kind.OID: "long",
    Kind.FLOAT4: "float",
    Kind.FLOAT8: "double",
    Kind.BYTEA: "bytes",
}
_LOGICAL = {
    Kind.DATE: ("int", "date"),
    Kind.TIME: ("long", "time-micros"),
    Kind.TIMESTAMP: ("long", "timestamp-micros"),
    Kind.TIMESTAMPTZ: ("long", "timestamp-micros"),
    Kind.UUID: ("string", "uuid"),
}
UNSIGNED_DIGITS = 20
"""Of what has 64 bits and no sign."""


@dataclass(frozen=True, slots=True)
class RowType:
    """The record of a row: `positions` of a relation's columns, of which those in `required` are never NULL."""

    schema: Schema
    positions: tuple[int, ...]
    required: frozenset[int]

    def nullable(self, position: int) -> bool:
        return position not in self.required

    @property
    def columns(self) -> list[Column]:
        return [self.schema[position] for position in self.positions]

    def record(self, full_name: str, *, null_defaults: bool) -> dict[str, Any]:
        """Its schema.  Raises Unsupported or InvalidParameter for columns that have none, by their names."""
        _check_names(self.columns)
        fields = [
            _field(
                field_name(self.schema[position].name),
                written_type(self.schema[position].type, self.schema[position].name),
                nullable=self.nullable(position),
                null_default=null_defaults,
            )
            for position in self.positions
        ]
        return _record(full_name, fields)


def change_record(row: RowType, full_name: str, *, null_defaults: bool) -> dict[str, Any]:
    """The schema of a row before and after; the row's record is in the namespace of `full_name`."""
    if full_name.rpartition(".")[2] == ROW:
        raise InvalidParameter(
            f'AVRO VALUE FULLNAME cannot be "{full_name}"', hint=f'"{ROW}" is the record of a row within it.'
        )
    inner = row.record(ROW, null_defaults=null_defaults)
    fields = [
        _field(name, type_, nullable=True, null_default=null_defaults)
        for name, type_ in (("before", inner), ("after", ROW))
    ]
    return _record(full_name, fields)


def schema_text(schema: dict[str, Any]) -> str:
    """The same for the same schema, so that a registry knows it again."""
    return json.dumps(schema, separators=(",", ":"))


def check_full_name(name: str) -> None:
    """InvalidParameter for what is no name of a record."""
    if not all(map(_NAME.fullmatch, name.split("."))):
        raise InvalidParameter(
            f'"{name}" is no full name of Avro',
            hint="It has words of letters, digits and _ with a dot between two, such as com.example.Order.",
        )


def written_type(type_: ScalarType, column: str) -> Any:
    """The schema of values that are not NULL.  Unsupported names the column."""
    kind = type_.kind
    if kind in _PLAIN:
        return _PLAIN[kind]
    if kind in _LOGICAL:
        plain, logical = _LOGICAL[kind]
        return {"type": plain, "logicalType": logical}
    if kind in (Kind.UINT8, Kind.MZ_TIMESTAMP):
        return _decimal(UNSIGNED_DIGITS, 0)
    if kind is Kind.NUMERIC:
        if type_.scale is None:
            return _decimal(NUMERIC_MAX_PRECISION + UNCONSTRAINED_SCALE, UNCONSTRAINED_SCALE)
        return _decimal(type_.precision or NUMERIC_MAX_PRECISION, type_.scale)
    if kind in (Kind.JSON, Kind.JSONB):
        return {"type": "string", "connect.name": _JSON_NAME}
    if type_.is_string_category:
        return "string"
    if kind in SEQUENCES or kind is Kind.MAP:
        assert type_.element is not None
        inner = ["null", written_type(type_.element, column)]
        return {"type": "map", "values": inner} if kind is Kind.MAP else {"type": "array", "items": inner}
    raise Unsupported(
        f'column "{column}" is of type {type_}, which a sink in AVRO does not write',
        hint="Write column::text or to_jsonb(column) in a view.",
    )


def field_name(column: str) -> str:
    """What Avro does not allow in it is `_`."""
    name = re.sub(r"[^A-Za-z0-9_]", "_", column)
    return f"_{name}" if not name or name[0].isdigit() else name


def _check_names(columns: Iterable[Column]) -> None:
    known: dict[str, str] = {}
    for column in columns:
        name = field_name(column.name)
        if (other := known.setdefault(name, column.name)) != column.name:
            raise InvalidParameter(
                f'columns "{other}" and "{column.name}" have one name in Avro, "{name}"',
                hint="Give them other names in a view: Avro has letters, digits and _ only.",
            )


def _decimal(precision: int, scale: int) -> dict[str, Any]:
    return {"type": "bytes", "logicalType": "decimal", "precision": precision, "scale": scale}


def _field(name: str, type_: Any, *, nullable: bool, null_default: bool) -> dict[str, Any]:
    if not nullable:
        return {"name": name, "type": type_}
    return {"name": name, "type": ["null", type_]} | ({"default": None} if null_default else {})


def _record(full_name: str, fields: Sequence[dict[str, Any]]) -> dict[str, Any]:
    namespace, _, name = full_name.rpartition(".")
    return (
        {"type": "record", "name": name}
        | ({"namespace": namespace} if namespace else {})
        | {"fields": list(fields)}
    )
