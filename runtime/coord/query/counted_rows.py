"""`count(*)` of a whole collection from what is known of its parts: none of its rows is read.

```
Reduce[count(*)](Get t)  ──>  Constant (10000000)
```
"""

from __future__ import annotations

from collections.abc import Callable

from ...expr.evaluate import can_fail
from ...expr.tree.relation import Aggregate, Changes, Constant, Get, Map, Project, Reduce, Relation
from ...transform.rewrite import bottom_up


def with_counts(relation: Relation, known: Callable[[Get], int | None]) -> Relation:
    """`relation` with literal rows in the place of counts of whole collections; itself if there are none, or none is `known`."""

    def counted(node: Relation) -> Relation:
        if not isinstance(node, Reduce) or (read := _counted(node)) is None:
            return node
        count = known(read)
        if count is None:
            return node
        shown = node.scalar or count > 0
        return Constant(((count,) * len(node.aggregates),) if shown else (), node.schema)

    return bottom_up(relation, counted)


def _counted(node: Reduce) -> Get | None:
    """The collection all rows of which `node` counts, and does nothing else."""
    if node.keys or not node.aggregates or not all(map(_is_count, node.aggregates)):
        return None
    below = node.input
    while isinstance(below, Map | Project):
        if isinstance(below, Map) and any(map(can_fail, below.scalars)):
            return None
        below = below.input
    return below if isinstance(below, Get) and not isinstance(below, Changes) else None


def _is_count(aggregate: Aggregate) -> bool:
    return aggregate.function == "count" and not (aggregate.scalars or aggregate.direct or aggregate.distinct)
