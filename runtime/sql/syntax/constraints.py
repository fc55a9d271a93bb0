"""Constraints of a table: what holds for its rows at every commit.

A **key** (PRIMARY KEY, UNIQUE) says that no two rows agree on its columns; unless with NULLS NOT DISTINCT, a row
with a NULL among them agrees with none.  A **check** is an expression over one row that is nowhere FALSE.  NOT NULL
is part of a column's type.  Columns are positions in the table's schema; a constraint's name is unique in its table.
"""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from ...expr.tree.codec import scalar_from_json, scalar_to_json
from ...expr.tree.scalar import Scalar


class ConstraintKind(enum.Enum):
    """Values are those of pg_constraint.contype."""

    PRIMARY_KEY = "p"
    UNIQUE = "u"
    CHECK = "c"


@dataclass(frozen=True, slots=True)
class Constraint:
    """`columns` are a key's, or those that `check` reads, which `text` has as SQL.  `oid` is 0 until the table is in the catalog."""

    name: str
    kind: ConstraintKind
    columns: tuple[int, ...]
    nulls_distinct: bool = True
    check: Scalar | None = None
    oid: int = 0
    text: str = ""

    @property
    def is_key(self) -> bool:
        return self.kind is not ConstraintKind.CHECK

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "kind": self.kind.value,
            "columns": list(self.columns),
            "nulls_distinct": self.nulls_distinct,
            "check": scalar_to_json(self.check) if self.check is not None else None,
            "oid": self.oid,
            "text": self.text,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Constraint:
        check = value["check"]
        return cls(
            value["name"],
            ConstraintKind(value["kind"]),
            tuple(value["columns"]),
            value["nulls_distinct"],
            scalar_from_json(check) if check is not None else None,
            value["oid"],
            value["text"],
        )


def generated_name(parts: tuple[str, ...], suffix: str, taken: Collection[str]) -> str:
    """PostgreSQL's name for a constraint without one: `table_column_suffix`, with a number if that is taken."""
    base = "_".join((*parts, suffix))
    name, number = base, 0
    while name in taken:
        number += 1
        name = f"{base}{number}"
    return name
