"""EXPLAIN SOURCE: what all that is maintained over a source needs of it, and what nobody does.

Readers are the materialized views, indexes and sinks that read it, through plain views too.  A reader's conditions are those that its optimized plan
has directly above the read, as conjuncts; if it reads the source in several places, those of all of them.  What fails on some rows is left out: a view may
have no error where the source had one.  Comparisons with the time are told apart, and not counted: they are no conditions of a WHERE, but RETAIN ROWS may do
what they do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...expr.evaluate import can_fail
from ...expr.tree.relation import Aggregate, Filter, Get, GlobalId, Map, Project, Reduce, Relation
from ...expr.tree.relation_tree import dependencies, inputs
from ...expr.tree.scalar import And, NowCompare, Scalar, columns_of, remap
from ...repr.schema import Schema
from ...repr.types import INT8
from ...sql.plans.explain_tree import show
from ...transform.narrow_reads import narrow_reads
from ...transform.pipeline import optimize
from ..catalog.catalog import Catalog
from ..catalog.items import Index, Item, MaterializedView, Sink
from ..catalog.views import expand

Conjuncts = tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class SourceReader:
    """`conditions` and `columns` are over those of the source."""

    item: Item
    conditions: Conjuncts
    columns: frozenset[int]


@dataclass(frozen=True, slots=True)
class SourceUse:
    """`conditions` are what all readers have in common, `unread` the columns that none looks at."""

    id: GlobalId
    schema: Schema
    readers: tuple[SourceReader, ...]

    @property
    def conditions(self) -> Conjuncts:
        return tuple(c for c in self._common if not _is_temporal(c))

    @property
    def temporal(self) -> Conjuncts:
        return tuple(filter(_is_temporal, self._common))

    @property
    def _common(self) -> Conjuncts:
        return _common([reader.conditions for reader in self.readers])

    @property
    def unread(self) -> tuple[str, ...]:
        read = {place for reader in self.readers for place in reader.columns}
        return tuple(column.name for place, column in enumerate(self.schema) if place not in read)

    def counts(self) -> Relation:
        """One row: how many rows there are, and on how many the common conditions hold."""
        passing = self.conditions
        held = None if not passing else passing[0] if len(passing) == 1 else And(passing)
        every = Aggregate("count", None, INT8, "rows", nullable=False)
        kept = Aggregate("count", None, INT8, "kept", filter=held, nullable=False)
        return optimize(Reduce(Get(self.id, self.schema), (), (), (every, kept), scalar=True))

    def lines(self, name: str, counts: tuple[int, int], nbytes: int) -> list[str]:
        if not self.readers:
            return [f"Nothing that is maintained reads {name}: {counts[0]} rows, {nbytes} bytes"]
        shown, temporal = (
            " AND ".join(show(condition, self.schema.names) for condition in conditions)
            for conditions in (self.conditions, self.temporal)
        )
        return [
            f"Read by {len(self.readers)}:",
            *(
                f"  {reader.item.kind.value.replace('-', ' ')} {reader.item.full_name}"
                for reader in self.readers
            ),
            f"All want only: {shown}" if shown else "There is no condition that all have",
            *([f"All look at the last while: {temporal}"] if temporal else []),
            f"Nobody looks at: {', '.join(self.unread)}" if self.unread else "Each column is looked at",
            f"Of {counts[0]} rows, {nbytes} bytes, {counts[1]} are wanted",
        ]


def source_use(id: GlobalId, schema: Schema, catalog: Catalog) -> SourceUse:
    return SourceUse(id, schema, tuple(_readers(id, schema, catalog)))


def _readers(id: GlobalId, schema: Schema, catalog: Catalog) -> Iterator[SourceReader]:
    for item in catalog.user_items():
        if isinstance(item, Sink) and item.on == id:
            yield SourceReader(item, (), frozenset(range(len(schema))))
        if not isinstance(item, MaterializedView | Index):
            continue
        expanded = expand(item.relation, catalog)
        if id not in dependencies(expanded):
            continue
        relation = optimize(expanded)
        reads = list(_reads(relation, id, ()))
        if not reads:  # its plan does without
            continue
        _, narrow = narrow_reads(relation)
        columns = frozenset(narrow.get(id, range(len(schema))))
        yield SourceReader(item, _common(reads), columns)


def _reads(relation: Relation, id: GlobalId, above: Conjuncts) -> Iterator[Conjuncts]:
    """The conditions of each place in which the source is read."""
    match relation:
        case Get(id=read):
            if read == id:
                yield tuple(c for c in above if _is_temporal(c) or not can_fail(c))
        case Filter(input=below, predicates=own):
            yield from _reads(below, id, (*above, *_flat(own)))
        case Map(input=below):
            width = len(below.schema)
            yield from _reads(
                below, id, tuple(c for c in above if all(place < width for place in columns_of(c)))
            )
        case Project(input=below, indices=indices):
            yield from _reads(below, id, tuple(remap(c, indices.__getitem__) for c in above))
        case _:
            for below in inputs(relation):
                yield from _reads(below, id, ())


def _is_temporal(condition: Scalar) -> bool:
    return isinstance(condition, NowCompare)


def _flat(predicates: Sequence[Scalar]) -> Iterator[Scalar]:
    for predicate in predicates:
        if isinstance(predicate, And):
            yield from _flat(predicate.args)
        else:
            yield predicate


def _common(lists: Sequence[Conjuncts]) -> Conjuncts:
    """What is in all of them, in the order of the first."""
    return tuple(dict.fromkeys(c for c in lists[0] if all(c in other for other in lists))) if lists else ()
