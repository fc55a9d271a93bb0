"""Reads of stored collections get the columns that the query looks at, no others: the rest is not decoded.

```
Project[2](Filter[#5 > 0](Get t: 8 columns))  ──>  Project[0](Filter[#1 > 0](Get t: columns 2 and 5))
```

Looked at is what stands in the chain of Map, Filter and Project directly above a read; what stands above the chain has no
column too many (`narrow_columns`).  A collection that is read in several places is read once, with what any of them needs.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..expr.tree.relation import Filter, Get, GlobalId, Map, Project, Relation
from ..expr.tree.relation_tree import inputs, with_inputs
from ..expr.tree.scalar import Scalar, columns_of, remap
from .rewrite import projected

Columns = tuple[int, ...]
Places = Mapping[int, int]
"""Where a column is: its position before, and then."""


def narrow_reads(relation: Relation) -> tuple[Relation, dict[GlobalId, Columns]]:
    """`relation` over narrower collections, and which columns of each collection it reads, in ascending order; those of
    which it reads all are missing."""
    reads = _Reads()
    reads.see_whole(relation)
    narrow = {
        id_: tuple(sorted(read)) for id_, read in reads.columns.items() if len(read) < reads.widths[id_]
    }
    if not narrow:
        return relation, {}
    places = {id_: {column: place for place, column in enumerate(read)} for id_, read in narrow.items()}
    return _Narrowing(places).whole(relation), narrow


class _Reads:
    """Which columns are looked at.  What stands in several places is the same object: it is seen once."""

    def __init__(self) -> None:
        self.columns: dict[GlobalId, set[int]] = {}
        self.widths: dict[GlobalId, int] = {}
        self._seen: set[int] = set()

    def see_whole(self, node: Relation) -> None:
        if id(node) not in self._seen:
            self._seen.add(id(node))
            self._see(node, set(range(len(node.schema))))

    def _see(self, node: Relation, needed: set[int]) -> None:
        match node:
            case Get(id=id_, schema=schema):
                self.columns.setdefault(id_, set()).update(needed)
                self.widths[id_] = len(schema)
            case Filter(input=child, predicates=predicates):
                self._see(child, needed | _read(predicates))
            case Project(input=child, indices=indices):
                self._see(child, {indices[column] for column in needed})
            case Map(input=child, scalars=scalars):
                width = len(child.schema)
                self._see(child, {column for column in needed if column < width} | _read(scalars))
            case _:
                for child in inputs(node):
                    self.see_whole(child)


def _read(scalars: tuple[Scalar, ...]) -> set[int]:
    return {column for scalar in scalars for column in columns_of(scalar)}


class _Narrowing:
    """`places` says of each collection that becomes narrower where its columns are then."""

    def __init__(self, places: Mapping[GlobalId, Places]) -> None:
        self._places = places
        self._done: dict[int, Relation] = {}

    def whole(self, node: Relation) -> Relation:
        """The relation with the columns that it had."""
        found = self._done.get(id(node))
        if found is None:
            if isinstance(node, Get | Filter | Project | Map):
                moved, places = self._chain(node)
                at = [places[column] for column in range(len(node.schema))]
                found = projected(moved, at, node.schema.names)
            else:
                found = with_inputs(node, tuple(self.whole(child) for child in inputs(node)))
            self._done[id(node)] = found
        return found

    def _chain(self, node: Relation) -> tuple[Relation, Places]:
        """The chain that begins here, and where those of its columns are that anybody looks at."""
        match node:
            case Get(id=id_, schema=schema) if (places := self._places.get(id_)) is not None:
                return Get(id_, schema.project(places)), places
            case Filter(input=child, predicates=predicates):
                below, places = self._chain(child)
                return Filter(below, _move(predicates, places)), places
            case Project(input=child, indices=indices):
                below, places = self._chain(child)
                there = [place for place, index in enumerate(indices) if index in places]
                names = [node.schema.names[place] for place in there]
                found = projected(below, [places[indices[place]] for place in there], names)
                return found, {place: position for position, place in enumerate(there)}
            case Map(input=child, scalars=scalars, names=names):
                below, places = self._chain(child)
                width, base = len(child.schema), len(below.schema)
                added = {width + i: base + i for i in range(len(scalars))}
                return Map(below, _move(scalars, places), names), {**places, **added}
            case Get():
                return node, _same(node)
            case _:
                return self.whole(node), _same(node)


def _same(node: Relation) -> Places:
    return {column: column for column in range(len(node.schema))}


def _move(scalars: tuple[Scalar, ...], places: Places) -> tuple[Scalar, ...]:
    return tuple(remap(scalar, places.__getitem__) for scalar in scalars)
