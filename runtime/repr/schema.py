"""The shape of a relation: named, typed columns in order.  A frozen value, serialisable as plain JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import pyarrow as pa

from .types import TEXT, Kind, ScalarType


class Origin(NamedTuple):
    """A column as clients know it: the OID of its relation, and its number there."""

    relation: int
    number: int


NO_ORIGIN = Origin(0, 0)
"""Of a column that is computed."""


@dataclass(frozen=True, slots=True)
class Column:
    """`missing` is, as text, the value of rows that were stored before the column was added; None is NULL.  A
    `dropped` column is stored, and read as NULL whatever was.  `origin` is of a result's columns only: of which column of a
    relation they are."""

    name: str
    type: ScalarType
    nullable: bool = True
    missing: str | None = None
    dropped: bool = False
    origin: Origin = field(default=NO_ORIGIN, compare=False)

    def named(self, name: str) -> Column:
        """The column under another name.  Schemas of deep plans are made of these: `replace` takes eight times longer."""
        return Column(name, self.type, self.nullable, self.missing, self.dropped)

    def or_null(self) -> Column:
        """The column, where an outer join has made its values NULL."""
        return self if self.nullable else Column(self.name, self.type, True, self.missing, self.dropped)


@dataclass(frozen=True, slots=True)
class Schema:
    """Columns in order.  Names may repeat (a SELECT may say `1, 1`); positions are what identifies."""

    columns: tuple[Column, ...]

    def __len__(self) -> int:
        return len(self.columns)

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __getitem__(self, index: int) -> Column:
        return self.columns[index]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def types(self) -> tuple[ScalarType, ...]:
        return tuple(column.type for column in self.columns)

    def project(self, indices: Iterable[int]) -> Schema:
        return Schema(tuple(self.columns[index] for index in indices))

    def arrow(self) -> pa.Schema:
        """Fields are named by position (`c0`, `c1`, ...), since SQL names may repeat."""
        return pa.schema([pa.field(f"c{i}", column.type.arrow) for i, column in enumerate(self.columns)])

    def to_json(self) -> list[dict[str, Any]]:
        return [_column_to_json(column) for column in self.columns]

    @classmethod
    def from_json(cls, columns: list[dict[str, Any]]) -> Schema:
        return cls(
            tuple(
                Column(
                    c["name"],
                    type_from_json(c["type"]),
                    c["nullable"],
                    c.get("missing"),
                    c.get("dropped", False),
                )
                for c in columns
            )
        )


NO_COLUMNS = Schema(())


def _column_to_json(column: Column) -> dict[str, Any]:
    value = {"name": column.name, "type": type_to_json(column.type), "nullable": column.nullable}
    if column.missing is not None:
        value["missing"] = column.missing
    if column.dropped:
        value["dropped"] = True
    return value


def type_to_json(type_: ScalarType) -> dict[str, Any]:
    out: dict[str, Any] = {"kind": type_.kind.value}
    for modifier in ("precision", "scale", "length"):
        if (value := getattr(type_, modifier)) is not None:
            out[modifier] = value
    if type_.element is not None:
        out["element"] = type_to_json(type_.element)
    if type_.kind is Kind.RECORD:
        out["fields"] = [[name, type_to_json(field)] for name, field in type_.fields]
    return out


def type_from_json(value: dict[str, Any]) -> ScalarType:
    element = type_from_json(value["element"]) if "element" in value else None
    fields = tuple((name, type_from_json(field)) for name, field in value.get("fields", ()))
    return ScalarType(
        Kind(value["kind"]), value.get("precision"), value.get("scale"), value.get("length"), element, fields
    )


ERROR_SCHEMA = Schema((Column("sqlstate", TEXT, False), Column("message", TEXT, False)))
"""The rows of every error collection: an error is its code and its message, nothing else, so that it is
deterministic and retracts exactly."""
