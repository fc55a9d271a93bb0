"""Which columns a name may mean: those of the relations in FROM, and names that the select list gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from .values import Value

V = TypeVar("V")

Columns = Mapping[str, Value]
"""By name, as PostgreSQL has it; `sql` of a value is that name in quotes where it needs them."""


@dataclass(slots=True)
class Scope:
    """`relations`: by alias; None where the columns are not known.  `aliases`: of the select list, as far as it has been read.
    `ignores_case`: whether the dialect compares names without their case."""

    ignores_case: bool
    outer: Scope | None = None
    relations: dict[str, Columns | None] = field(default_factory=dict)
    merged: set[str] = field(default_factory=set)
    aliases: dict[str, Value] = field(default_factory=dict)

    def relation(self, name: str) -> Columns | None:
        """The columns of what is called so, here or outside; None if they are not known."""
        found = _get(self.relations, name, self.ignores_case)
        if found is None and self.outer is not None and not self.has_relation(name):
            return self.outer.relation(name)
        return found

    def has_relation(self, name: str) -> bool:
        return any(_same(name, known, self.ignores_case) for known in self.relations)

    def known(self) -> bool:
        """Whether all columns here are known."""
        return all(columns is not None for columns in self.relations.values())

    def column(self, name: str) -> Value | None:
        """The column of that name of the relations here, if one of them is known to have it."""
        for columns in self.relations.values():
            found = column_of(columns, name, self.ignores_case)
            if found is not None:
                return found
        return None

    def alias(self, name: str) -> Value | None:
        return _get(self.aliases, name, self.ignores_case)

    def all_columns(self) -> Iterator[Columns | None]:
        yield from self.relations.values()


def column_of(columns: Columns | None, name: str, ignores_case: bool) -> Value | None:
    return None if columns is None else _get(columns, name, ignores_case)


def _get(mapping: Mapping[str, V], name: str, ignores_case: bool) -> V | None:
    exact = mapping.get(name)
    if exact is not None or not ignores_case:
        return exact
    return next((value for known, value in mapping.items() if _same(known, name, True)), None)


def _same(one: str, other: str, ignores_case: bool) -> bool:
    return one.lower() == other.lower() if ignores_case else one == other
