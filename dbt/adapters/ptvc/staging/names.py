"""Where staged objects are: in a schema beside that of their place, under the names that they will have there.

So a query that names a relation's columns by the relation (`orders.id`) reads the staged one, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

Name = tuple[str | None, str | None]
"""Schema and identifier."""


def renamed_schema(sql: str, old: str, new: str) -> str:
    """`sql` with a schema's name wherever the other one is."""
    return re.sub(rf"(?<![\w$]){re.escape(old)}(?![\w$])", lambda _: new, sql)


class Reference:
    """How a query names a relation of a staging schema, or what is a part of it, quoted or not."""

    def __init__(self, staging: str, *identifiers: str) -> None:
        schema, names = re.escape(staging), map(re.escape, identifiers)
        named = "|".join(rf'"{name}"|{name}(?![\w$])' for name in names)
        self._pattern = re.compile(rf'(?<![\w$"])("?){schema}("?\s*\.\s*)({named})')

    def is_in(self, sql: str) -> bool:
        return self._pattern.search(sql) is not None

    def moved(self, sql: str, schema: str) -> str:
        """`sql` with the relation of the same name in `schema` instead."""
        return self._pattern.sub(lambda found: f"{found[1]}{schema}{found[2]}{found[3]}", sql)


class StagedNames:
    """Which relations a `ref` finds in another schema now, since this run has staged them."""

    def __init__(self) -> None:
        self._schemas: dict[Name, str] = {}

    def add(self, name: Name, schema: str) -> None:
        self._schemas[name] = schema

    def schema_of(self, name: Name) -> str | None:
        return self._schemas.get(name)

    def remove(self, names: Iterable[Name]) -> None:
        for name in names:
            self._schemas.pop(name, None)


REFERENCES = StagedNames()
"""dbt makes the relation of a `ref` by the class alone, and has one adapter of a type in a process."""
