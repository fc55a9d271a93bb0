"""The domain of a correlated query: the distinct outer values that it depends on, from a relation with as few nodes as may be.

```
select list: (SELECT ... a.x), (SELECT ... a.x)         the second one's domain
  LEFT JOIN first query, over Distinct(Project(a))          Distinct(Project(a)), not of the join: the same values
    a
```

A relation is a tree, and the outer relation stands in it twice: once for its rows, and once for the domain.  If each query's domain
were of all that stands before it, queries side by side would double the tree, each: ten of them a thousand times.  So a domain is taken
from below what only adds columns.  From below what drops rows, conditions that stand before, it is taken where the tree would have more
than MOST_NODES without that: then the query is computed for values that nobody asks for, too.  As in PostgreSQL, in which order conditions
are looked at is not said.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...expr.tree.relation import Distinct, Filter, Join, JoinKind, Map, Project, Relation
from ...expr.tree.relation_tree import walk
from ..scalars import build

MOST_NODES = 200


@dataclass(frozen=True, slots=True)
class _Below:
    """An input, where the columns stand in it, and whether it has rows that are dropped above."""

    relation: Relation
    places: Sequence[int]
    drops: bool


class Domains:
    """Of the queries of one statement."""

    def __init__(self) -> None:
        self._attached: dict[int, tuple[Relation, Relation]] = {}

    def attached(self, result: Relation, left: Relation) -> None:
        """`result` has every row of `left`, whose columns stand first, with further columns."""
        self._attached[id(result)] = result, left  # it keeps the result, whose identity is the key

    def of(self, relation: Relation, places: Sequence[int]) -> Distinct:
        """All values that the columns at `places` have together; they may be more."""
        while (below := self._below(relation, places)) is not None:
            if below.drops and _is_small(relation):
                break
            relation, places = below.relation, below.places
        return Distinct(build.project(relation, places))

    def _below(self, relation: Relation, places: Sequence[int]) -> _Below | None:
        """An input that has these columns already."""
        left: Relation | None = None
        right: Relation | None = None
        drops = False
        if (known := self._attached.get(id(relation))) is not None:
            _, left = known
        else:
            match relation:
                case Project(input=child, indices=indices):
                    return _Below(child, [indices[place] for place in places], False)
                case Filter(input=child):
                    return _Below(child, places, True)
                case Map(input=child) | Join(left=child, kind=JoinKind.LEFT):
                    left = child
                case Join(left=child, kind=JoinKind.SEMI | JoinKind.ANTI):
                    left, drops = child, True
                case Join(left=child, right=right, kind=JoinKind.INNER):
                    left, drops = child, True
                case _:
                    return None
        width = len(left.schema)
        if max(places) < width:
            return _Below(left, places, drops)
        if right is not None and min(places) >= width:
            return _Below(right, [place - width for place in places], drops)
        return None


def _is_small(relation: Relation) -> bool:
    return all(number < MOST_NODES for number, _ in enumerate(walk(relation)))
