"""Constraints of a table that a contract asks for, beside those that it has.

A constraint is a name and what follows it in ALTER TABLE ... ADD CONSTRAINT, as the catalog writes it; NOT NULL belongs
to a column and has the column's name.  Two tables that are made from one contract under one name have the same
constraints, so what differs was changed in the project.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

NOT_NULL = "NOT NULL"


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
