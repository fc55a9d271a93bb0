"""What all that is maintained over a source needs of it.

Readers are the materialized views, indexes and sinks that read it, through plain views too.  A reader's conditions are those that its optimized plan
has directly above the read, as conjuncts; if it reads the source in several places, those of all of them.  What may fail on some row is left out.  What
stands beside that may be no condition of the source: without the rows on which it does not hold, a reader would not tell an error that it tells now.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from ....expr.evaluate import can_fail
from ....expr.tree.relation import Filter, Get, GlobalId, Map, Project, Relation
from ....expr.tree.relation_tree import dependencies, inputs
from ....expr.tree.scalar import And, NowCompare, Scalar, columns_of, remap
from ....repr.schema import Schema
from ....transform.narrow_reads import narrow_reads
from ....transform.pipeline import optimize
from ...catalog.catalog import Catalog
from ...catalog.items import Index, Item, MaterializedView, Sink
from ...catalog.views import expand

Conjuncts = tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class ReadPlace:
    """A place in which the source is read: the `conditions` there, and those of them that leave out no row of which an error is told.
    `fails`: some condition above may fail, and filters that stand above each other become one."""

    conditions: Conjuncts = ()
    safe: Conjuncts = ()
    fails: bool = False

    def only(self, keep: Callable[[Scalar], bool]) -> ReadPlace:
        return replace(
            self, conditions=tuple(filter(keep, self.conditions)), safe=tuple(filter(keep, self.safe))
        )

    def moved(self, places: Sequence[int]) -> ReadPlace:
        """Below a projection."""
        conditions, safe = (
            tuple(remap(c, places.__getitem__) for c in each) for each in (self.conditions, self.safe)
        )
        return replace(self, conditions=conditions, safe=safe)


@dataclass(frozen=True, slots=True)
class SourceReader:
    """`reads` are the places in which it reads the source, `columns` those at which it looks; all is over what is stored."""

    item: Item
    reads: tuple[ReadPlace, ...]
    columns: frozenset[int]


@dataclass(frozen=True, slots=True)
class SourceUse:
    """`schema` is that of what is stored."""

    id: GlobalId
    schema: Schema
    readers: tuple[SourceReader, ...]

    @property
    def conditions(self) -> Conjuncts:
        """What all readers have in common."""
        return tuple(c for c in self._common if not isinstance(c, NowCompare))

    @property
    def temporal(self) -> Conjuncts:
        """The comparisons with the time that all have."""
        return tuple(c for c in self._common if isinstance(c, NowCompare))

    @property
    def _common(self) -> Conjuncts:
        return _common([place.conditions for reader in self.readers for place in reader.reads])

    @property
    def safe_reads(self) -> list[Conjuncts]:
        """The safe conditions of each place."""
        return [place.safe for reader in self.readers for place in reader.reads]

    def failing(self, condition: Scalar) -> list[Item]:
        """The readers in which something that may fail stands beside it."""
        return [
            reader.item
            for reader in self.readers
            if any(condition not in place.safe for place in reader.reads)
        ]

    @property
    def unread(self) -> tuple[int, ...]:
        """The places of the columns that none looks at."""
        read = {place for reader in self.readers for place in reader.columns}
        return tuple(place for place in range(len(self.schema)) if place not in read)


def source_use(id: GlobalId, schema: Schema, catalog: Catalog) -> SourceUse:
    return SourceUse(id, schema, tuple(_readers(id, schema, catalog)))


def _readers(id: GlobalId, schema: Schema, catalog: Catalog) -> Iterator[SourceReader]:
    for item in catalog.user_items():
        if isinstance(item, Sink) and id in item.uses:
            yield SourceReader(item, (ReadPlace(),), frozenset(range(len(schema))))
        if not isinstance(item, MaterializedView | Index):
            continue
        expanded = expand(item.relation, catalog)
        if id not in dependencies(expanded):
            continue
        relation = optimize(expanded)
        reads = tuple(_reads(relation, id, ReadPlace()))
        if not reads:  # its plan does without
            continue
        _, narrow = narrow_reads(relation)
        columns = frozenset(narrow.get(id, range(len(schema))))
        yield SourceReader(item, reads, columns)


def _reads(relation: Relation, id: GlobalId, above: ReadPlace) -> Iterator[ReadPlace]:
    """Each place in which the source is read, below these conditions."""
    match relation:
        case Get(id=read):
            if read == id:
                yield above
        case Filter(input=below, predicates=own):
            flat = tuple(flat_conjuncts(own))
            conditions = tuple(c for c in flat if isinstance(c, NowCompare) or not can_fail(c))
            failing = any(map(_fails, flat))
            safe = () if failing else above.safe
            place = ReadPlace(
                (*above.conditions, *conditions), (*safe, *_safe(flat, above.fails)), above.fails or failing
            )
            yield from _reads(below, id, place)
        case Map(input=below, scalars=scalars):
            width = len(below.schema)
            kept = above.only(lambda c: all(place < width for place in columns_of(c)))
            if any(map(can_fail, scalars)):
                kept = replace(kept, safe=())
            yield from _reads(below, id, kept)
        case Project(input=below, indices=indices):
            yield from _reads(below, id, above.moved(indices))
        case _:
            for below in inputs(relation):
                yield from _reads(below, id, ReadPlace())


def _safe(conjuncts: Conjuncts, fails: bool) -> Iterator[Scalar]:
    """Those that leave out no row on which another one fails, or what stands above, if that `fails`.  Where one is FALSE, errors of
    others are not told; where it is NULL, they are.  Bounds on the time are looked at last, of rows on which all else holds."""
    for conjunct in conjuncts:
        others = [other for other in conjuncts if other is not conjunct]
        failing = fails or any(map(_fails, others))
        if isinstance(conjunct, NowCompare):
            # It may fail of a time that is too far ahead, of which no row is too old.
            bounds = [other.bound for other in others if isinstance(other, NowCompare)]
            if not failing and not any(map(can_fail, bounds)):
                yield conjunct
        elif not can_fail(conjunct) and not (failing and conjunct.nullable):
            yield conjunct


def _fails(condition: Scalar) -> bool:
    """Whether it may, of what is looked at before bounds on the time are."""
    return not isinstance(condition, NowCompare) and can_fail(condition)


def flat_conjuncts(predicates: Sequence[Scalar]) -> Iterator[Scalar]:
    for predicate in predicates:
        if isinstance(predicate, And):
            yield from flat_conjuncts(predicate.args)
        else:
            yield predicate


def _common(lists: Sequence[Conjuncts]) -> Conjuncts:
    """What is in all of them, in the order of the first."""
    return tuple(dict.fromkeys(c for c in lists[0] if all(c in other for other in lists))) if lists else ()
