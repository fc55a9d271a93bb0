"""Constraints of a table that a contract asks for, beside those that it has.

A constraint is a name and what follows it in ALTER TABLE ... ADD CONSTRAINT, as the catalog writes it; NOT NULL belongs
to a column and has the column's name.  Two tables that are made from one contract under one name have the same
constraints, so what differs was changed in the project.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

NOT_NULL = "NOT NULL"


def with_not_null(
    columns: Mapping[str, Mapping[str, Any]], constraints: Iterable[Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The columns of a contract, with `not_null` where a constraint of the model asks for it: to dbt, and to PostgreSQL,
    it belongs to a column."""
    found = {
        name: {**column, "constraints": [*column.get("constraints", ())]} for name, column in columns.items()
    }
    for constraint in constraints:
        if str(constraint["type"]) != "not_null":
            continue
        for name in constraint.get("columns") or ():
            if name not in found:
                raise DbtRuntimeError(
                    f'a not_null constraint names column "{name}", which the contract has not; it has {", ".join(found)}.'
                )
            if all(str(other["type"]) != "not_null" for other in found[name]["constraints"]):
                found[name]["constraints"].append({"type": "not_null"})
    return found


@dataclass(frozen=True, slots=True)
class Constraint:
    name: str
    definition: str

    @property
    def quoted(self) -> str:
        return '"' + self.name.replace('"', '""') + '"'

    @property
    def adding(self) -> str:
        """The action of ALTER TABLE that adds it."""
        if self.definition == NOT_NULL:
            return f"alter column {self.quoted} set not null"
        return f"add constraint {self.quoted} {self.definition}"

    @property
    def dropping(self) -> str:
        if self.definition == NOT_NULL:
            return f"alter column {self.quoted} drop not null"
        return f"drop constraint {self.quoted}"


@dataclass(frozen=True, slots=True)
class ConstraintChanges:
    """Actions of ALTER TABLE.  A table that takes all of `drop`, then all of `add`, has the wanted constraints."""

    drop: list[str]
    add: list[str]

    @classmethod
    def between(cls, existing: Iterable[Constraint], wanted: Iterable[Constraint]) -> ConstraintChanges:
        before, after = set(existing), set(wanted)
        return cls(
            drop=[constraint.dropping for constraint in sorted(before - after, key=_order)],
            add=[constraint.adding for constraint in sorted(after - before, key=_reversed_order)],
        )


def _order(constraint: Constraint) -> tuple[bool, str]:
    """NOT NULL goes after the primary key that implies it."""
    return constraint.definition == NOT_NULL, constraint.name


def _reversed_order(constraint: Constraint) -> tuple[bool, str]:
    return constraint.definition != NOT_NULL, constraint.name
