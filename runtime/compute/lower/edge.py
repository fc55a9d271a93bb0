"""Edges: what lies between two operators of a plan.

Chains of Map, Filter and Project become one Mfp on the edge between two other operators.  While such a chain is
walked it is an `Edge`: a node, the columns computed on top of it, the predicates, and where each column of the
relation is found among them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ...expr.tree.scalar import ColumnRef, Scalar, columns_of, remap
from ..plan import Mfp


@dataclass(slots=True)
class Edge:
    """`columns[i]` says where column i of the relation stands among the node's columns and then `maps`.

    What is equal is known by its text, not by Python's equality, which holds -0.0 and 0.0 equal.
    """

    node: int
    width: int
    columns: list[int]
    maps: list[Scalar] = field(default_factory=list)
    predicates: dict[str, Scalar] = field(default_factory=dict)
    _places: dict[str, int] = field(default_factory=dict)
    """Where each of the maps stands."""

    def place(self, scalar: Scalar) -> int:
        """Where the value of `scalar` (over the relation's columns) stands; computes it if nothing has."""
        here = remap(scalar, self.columns.__getitem__)
        if isinstance(here, ColumnRef):
            return here.index
        place = self._places.setdefault(repr(here), self.width + len(self.maps))
        if place == self.width + len(self.maps):
            self.maps.append(here)
        return place

    def filter(self, predicate: Scalar) -> None:
        here = remap(predicate, self.columns.__getitem__)
        self.predicates.setdefault(repr(here), here)

    def mfp(self) -> Mfp | None:
        """The edge as an operator, without maps that nothing reads; None when it changes nothing."""
        needed = {c for p in self.predicates.values() for c in columns_of(p)} | set(self.columns)
        kept: list[int] = []
        for i in range(len(self.maps) - 1, -1, -1):
            if self.width + i in needed:
                kept.append(i)
                needed |= columns_of(self.maps[i])
        kept.reverse()
        position = {self.width + old: self.width + new for new, old in enumerate(kept)}

        def move(index: int) -> int:
            return position.get(index, index)

        maps = tuple(remap(self.maps[i], move) for i in kept)
        predicates = tuple(remap(p, move) for p in self.predicates.values())
        projection = tuple(map(move, self.columns))
        if not maps and not predicates and projection == tuple(range(self.width)):
            return None
        return Mfp(maps, predicates, projection)
