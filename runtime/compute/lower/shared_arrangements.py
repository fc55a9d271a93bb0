"""Which inputs of a join are arranged already, by an index.

An index on plain columns of a stored object is that object arranged by them.  A join can look an input up there when the
input is the object itself, filtered and projected, and the join's key is the index's: the rows found are filtered and
projected then.  Filters must be unable to fail, as they are tried on rows that are found, again and again, while an
error of the input exists once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...expr.evaluate import can_fail
from ...expr.temporal import reads_now
from ...expr.tree.relation import Filter, Get, GlobalId, Project, Relation
from ...expr.tree.scalar import ColumnRef, Scalar, remap
from ...repr.schema import Schema
from ...transform.multi_join import MultiJoin


@dataclass(frozen=True, slots=True)
class IndexKey:
    """`index` has the rows of the stored object `on` by its columns `key`."""

    index: GlobalId
    on: GlobalId
    key: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Bare:
    """A relation that is the object `id`, of that schema: rows that pass `predicates`, of them the `columns`."""

    id: GlobalId
    schema: Schema
    columns: tuple[int, ...]
    predicates: tuple[Scalar, ...]


def bare(relation: Relation) -> Bare | None:
    """The relation as that, if it is so simple."""
    match relation:
        case Get(id=id, schema=schema):
            return Bare(id, schema, tuple(range(len(schema))), ())
        case Project(input=child, indices=indices):
            below = bare(child)
            if below is None:
                return None
            return Bare(below.id, below.schema, tuple(below.columns[i] for i in indices), below.predicates)
        case Filter(input=child, predicates=predicates):
            below = bare(child)
            if below is None or any(can_fail(p) or reads_now(p) for p in predicates):
                return None
            moved = tuple(remap(p, below.columns.__getitem__) for p in predicates)
            return Bare(below.id, below.schema, below.columns, (*below.predicates, *moved))
        case _:
            return None


class SharedInputs:
    """Of a multi-join: which inputs are bare, and by which classes indexes have them."""

    def __init__(self, join: MultiJoin, indexes: Iterable[IndexKey]) -> None:
        self.bare: dict[int, Bare] = {}
        self._found: dict[tuple[int, tuple[int, ...]], IndexKey] = {}
        indexes = tuple(indexes)
        if not indexes:
            return
        for i, relation in enumerate(join.inputs):
            if (source := bare(relation)) is None:
                continue
            self.bare[i] = source
            classes: dict[int, int] = {}
            for c, members in enumerate(join.classes):
                if isinstance(member := members.get(i), ColumnRef):
                    classes.setdefault(source.columns[member.index], c)
            for index in indexes:
                if index.on == source.id and all(column in classes for column in index.key):
                    self._found.setdefault((i, tuple(classes[column] for column in index.key)), index)

    def index(self, input: int, key: Sequence[int]) -> IndexKey | None:
        """The index that has the input by these classes, in this order."""
        return self._found.get((input, tuple(key)))

    def keys(self) -> dict[int, list[tuple[int, ...]]]:
        """By input: the classes that indexes have it by."""
        keys: dict[int, list[tuple[int, ...]]] = {}
        for i, key in self._found:
            keys.setdefault(i, []).append(key)
        return keys

    def __bool__(self) -> bool:
        return bool(self._found)
