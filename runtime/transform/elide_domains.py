"""A correlated subquery is computed for all values that it could be asked for, not for those that the query asks.

Planning joins a subquery with its *domain*: the distinct outer values that it depends on.

```
Join outer, on the domain's columns (NULL = NULL)        Join outer, on those columns
  X                                                        X
  Reduce group=(domain)                         ──>        Reduce group=(u.a)
    Join on (domain = u.a)                                   Filter u.a IS NOT NULL
      Distinct(Project(X)), u                                  u
```

Where equalities cover the domain, what they equal says all that the domain says: groups of other values meet no row
of X.  That spares the state of the distinct values and two arrangements.  What could fail on a value that is not asked
for (a division, or the check for a single row) stands above a semi join with what the domain's values are of, so that no error is new.  And where the
domain is only there to have a row for each value (`count(*)` is 0 where nothing matches), X itself does that:

    Join X, Map(Left join domain, Q)   ──>   Map(Left join X, Q)

A value must be all that there is to its column: -0.0 = 0.0, so floats keep their domain.  The rule looks for what
planning writes, so it comes before all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..expr.tree.relation import (
    AssertSingle,
    Distinct,
    Filter,
    FlatMap,
    Get,
    Join,
    JoinKind,
    Map,
    Project,
    Relation,
    TopK,
)
from ..expr.tree.relation_tree import inputs, with_inputs
from .domain import Elision
from .facts import identical_when_equal
from .push_predicates import push_predicates

_DOMAIN = "?domain"


def elide_domains(relation: Relation) -> Relation:
    return _Rewriter().relation(relation)


class _Rewriter:
    """One pass.  `_done` has what became of each node, by identity: the trees of planning share whole subtrees."""

    def __init__(self) -> None:
        self._done: dict[int, tuple[Relation, Relation]] = {}
        self._domains = 0

    def relation(self, relation: Relation) -> Relation:
        found = self._done.get(id(relation))
        if found is None:
            result = self._join(relation) if isinstance(relation, Join) else None
            if result is None:
                children = inputs(relation)
                new = tuple(map(self.relation, children))
                same = all(a is b for a, b in zip(children, new, strict=True))
                result = relation if same else with_inputs(relation, new)
            found = relation, result
            self._done[id(relation)] = found
        return found[1]

    def _join(self, join: Join) -> Relation | None:
        """The join without its domain, or None when there is none that can be spared."""
        if not join.left_keys or not join.null_safe:
            return None
        if join.kind in (JoinKind.RIGHT, JoinKind.FULL):
            return None
        sources = _sources(join.left)
        domain = _find(join.right, sources)
        if domain is None or not all(identical_when_equal(c.type) for c in domain.schema):
            return None
        self._domains += 1
        hole = Get(f"{_DOMAIN}{self._domains}", domain.schema)
        right = push_predicates(self.relation(_replaced(join.right, domain, hole)))
        outer = replace(join, left=self.relation(join.left), right=right)
        elided = Elision(outer, hole, _asked(join, domain, sources), self.relation(domain.input)).join()
        if elided is None:
            return None
        return _replaced(elided, hole, self.relation(domain))


def _sources(relation: Relation) -> list[tuple[Relation, dict[int, int]]]:
    """The relation and those below that each of its rows comes from, with where its columns come from there."""
    columns = {i: i for i in range(len(relation.schema))}
    found = [(relation, columns)]
    while True:
        match relation:
            case Filter(input=child) | Distinct(input=child) | TopK(input=child) | AssertSingle(input=child):
                relation = child
            case Map(input=child):
                width = len(child.schema)
                relation, columns = child, {i: c for i, c in columns.items() if c < width}
            case Project(input=child, indices=indices):
                relation, columns = child, {i: indices[c] for i, c in columns.items()}
            case FlatMap(input=child, kept=kept):
                relation, columns = child, {i: kept[c] for i, c in columns.items() if c < len(kept)}
            case Join(left=left, kind=kind) if kind not in (JoinKind.RIGHT, JoinKind.FULL):
                width = len(left.schema)
                relation, columns = left, {i: c for i, c in columns.items() if c < width}
            case _:
                return found
        found.append((relation, columns))


def _domain(relation: Relation) -> tuple[Relation, tuple[int, ...]] | None:
    """What the distinct values are of, and which columns of it."""
    if not isinstance(relation, Distinct):
        return None
    if isinstance(relation.input, Project):
        return relation.input.input, relation.input.indices
    return relation.input, tuple(range(len(relation.schema)))


def _find(relation: Relation, sources: Sequence[tuple[Relation, dict[int, int]]]) -> Distinct | None:
    found = _domain(relation)
    if found is not None and any(found[0] is source for source, _ in sources):
        assert isinstance(relation, Distinct)
        return relation
    for child in inputs(relation):
        if (below := _find(child, sources)) is not None:
            return below
    return None


def _replaced(relation: Relation, old: Relation, new: Relation) -> Relation:
    """`new` in every place of `old`; what stands in several places stays one object."""
    done: dict[int, Relation] = {}

    def visit(node: Relation) -> Relation:
        found = done.get(id(node))
        if found is None:
            if node is old or (type(node) is type(old) and node == old):
                return new
            children = inputs(node)
            changed = tuple(map(visit, children))
            same = all(a is b for a, b in zip(children, changed, strict=True))
            found = done[id(node)] = node if same else with_inputs(node, changed)
        return found

    return visit(relation)


def _asked(
    join: Join, domain: Relation, sources: Sequence[tuple[Relation, dict[int, int]]]
) -> dict[int, tuple[int, ...]]:
    """Per column of the domain: the columns of the join's left side whose values are in it."""
    found = _domain(domain)
    assert found is not None
    base, indices = found
    places = next(columns for source, columns in sources if source is base)
    return {
        i: tuple(column for column, source in places.items() if source == index)
        for i, index in enumerate(indices)
    }
