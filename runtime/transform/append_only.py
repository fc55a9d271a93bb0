"""Append-only relations: rows come and never go.

A relation is append-only when no multiplicity in it ever falls: once the updates of a row at a time are added up, none
of them is negative.  That begins with collections that only ever append, which the caller names from the catalog, and
goes on through whatever is linear and adds nothing negative:

| append-only over append-only inputs               | never                                                       |
|---------------------------------------------------|-------------------------------------------------------------|
| constants, map, filter, projection, table functions | a bound on the time that a row outlives (`mz_now() < ...`)  |
| UNION ALL                                         | EXCEPT, INTERSECT (negations)                               |
| inner and semi joins                              | outer and anti joins: a match takes rows away               |
| DISTINCT, grouping without aggregates             | aggregates, windows: a new row changes what others are      |
| OFFSET without LIMIT                              | LIMIT: a new row takes the place of another                 |
| the guard of a scalar subquery                    | recursion, where a loop may take back what it said          |

Errors are left out of this: they come and go as ever, and no operator counts on theirs to stay.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import assert_never

from ..expr.temporal import reads_now
from ..expr.tree.relation import (
    AssertSingle,
    Constant,
    Distinct,
    Filter,
    FlatMap,
    Get,
    GlobalId,
    Join,
    JoinKind,
    LetRec,
    LocalGet,
    Map,
    Negate,
    Project,
    Reduce,
    Relation,
    Threshold,
    TopK,
    Union,
    Window,
)
from ..expr.tree.scalar import NowCompare, Scalar
from .facts import conjuncts

Origins = frozenset[GlobalId] | None
"""The collections that an append-only relation comes from; None for any other relation."""


class AppendOnly:
    """Which relations are append-only when the objects `collections` are; each node is looked at once, by identity."""

    def __init__(self, collections: AbstractSet[GlobalId]) -> None:
        self._collections = collections
        self._known: dict[int, tuple[Relation, Origins]] = {}

    def holds(self, relation: Relation) -> bool:
        return self._origins(relation) is not None

    def origins(self, relation: Relation) -> tuple[GlobalId, ...]:
        """The collections that make an append-only relation one, in order; none for a constant or another relation."""
        return tuple(sorted(self._origins(relation) or ()))

    def _origins(self, relation: Relation) -> Origins:
        found = self._known.get(id(relation))
        if found is None:
            found = relation, self._derived(relation)
            self._known[id(relation)] = found  # keeps the relation, so that its id stays its own
        return found[1]

    def _derived(self, relation: Relation) -> Origins:
        match relation:
            case Get(id=id_):
                return frozenset((id_,)) if id_ in self._collections else None
            case Constant():
                return frozenset()
            case (
                Map(input=child)
                | Project(input=child)
                | FlatMap(input=child)
                | Distinct(input=child)
                | Threshold(input=child)
                | AssertSingle(input=child)
            ):
                return self._origins(child)
            case Filter(input=child, predicates=predicates):
                return self._origins(child) if _never_end(predicates) else None
            case TopK(input=child, limit=limit):
                return self._origins(child) if limit is None else None
            case Reduce(input=child, aggregates=aggregates, scalar=scalar):
                return self._origins(child) if not aggregates and not scalar else None
            case Join(kind=JoinKind.INNER | JoinKind.SEMI, left=left, right=right, residual=residual):
                return self._all((left, right)) if _never_end(residual) else None
            case Union(inputs=children):
                return self._all(children)
            case Join() | Window() | Negate() | LocalGet() | LetRec():
                return None
            case _:
                assert_never(relation)

    def _all(self, relations: Iterable[Relation]) -> Origins:
        found: frozenset[GlobalId] = frozenset()
        for relation in relations:
            origins = self._origins(relation)
            if origins is None:
                return None
            found |= origins
        return found


def _never_end(predicates: Iterable[Scalar]) -> bool:
    """Whether what holds once holds for good: bounds on the time are lower ones."""
    return all(
        not reads_now(predicate) or (isinstance(predicate, NowCompare) and predicate.operator in ("ge", "gt"))
        for predicate in conjuncts(predicates)
    )
