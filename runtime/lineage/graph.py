"""Lineage of many relations: each column by the names of its relation and itself, and what is above and below it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, order=True)
class Name:
    """A column.  `relation` is whatever tells relations apart."""

    relation: str
    column: str


@dataclass(frozen=True, slots=True, order=True)
class Edge:
    """An input, and how it counts."""

    name: Name
    kinds: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class RelationLineage:
    """`columns` by name, in their order."""

    columns: Mapping[str, tuple[Edge, ...]]
    rows: tuple[Edge, ...] = ()

    @property
    def inputs(self) -> list[str]:
        """The relations that it reads, by what is known of their columns."""
        edges = (*self.rows, *(edge for edges in self.columns.values() for edge in edges))
        return sorted({edge.name.relation for edge in edges})


@dataclass(frozen=True, slots=True)
class Graph:
    """`relations` that are computed; one that is only read has no entry."""

    relations: Mapping[str, RelationLineage]
    _below: dict[Name, list[tuple[Name, Edge]]] = field(default_factory=dict)
    _rows_below: dict[Name, list[tuple[str, Edge]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for relation, found in self.relations.items():
            for column, edges in found.columns.items():
                for edge in edges:
                    self._below.setdefault(edge.name, []).append((Name(relation, column), edge))
            for edge in found.rows:
                self._rows_below.setdefault(edge.name, []).append((relation, edge))

    def upstream(self, name: Name) -> tuple[Edge, ...]:
        """What the column is made of."""
        found = self.relations.get(name.relation)
        return () if found is None else found.columns.get(name.column, ())

    def downstream(self, name: Name) -> list[tuple[Name, Edge]]:
        """The columns that are made of it, each with how."""
        return self._below.get(name, [])

    def rows_downstream(self, name: Name) -> list[tuple[str, Edge]]:
        """The relations whose rows depend on it."""
        return self._rows_below.get(name, [])

    def all_upstream(self, name: Name) -> Iterator[tuple[Name, Edge]]:
        """Every edge above the column, the nearer ones first: of which column, and the input."""
        yield from _walk(name, lambda at: [(at, edge, edge.name) for edge in self.upstream(at)])

    def all_downstream(self, name: Name) -> Iterator[tuple[Name, Edge]]:
        """Every edge below the column, the nearer ones first."""
        yield from _walk(name, lambda at: [(made, edge, made) for made, edge in self.downstream(at)])


def _walk(start: Name, edges: Callable[[Name], list[tuple[Name, Edge, Name]]]) -> Iterator[tuple[Name, Edge]]:
    seen, pending = {start}, deque([start])
    while pending:
        for of, edge, following in edges(pending.popleft()):
            yield of, edge
            if following not in seen:
                seen.add(following)
                pending.append(following)
