"""Broadcast: inputs of few rows that every part has whole, so that the rows which are joined with them need not move.

```
orders by customer ─ Lookup customers ─ Lookup nations      where customers lie: each part has all nations
nations            ─ Lookup customers ─ Lookup orders       in each part over those that lie there, by whatever columns
```

A join is linear in each side: over parts of one side, each with all of the other, the pairs of all parts together are those of the
whole.  Of an outer, semi or anti join the side may be in parts whose rows come out whether they match or not.  What is made of such inputs
alone, each part makes for itself.  Nobody else may take these rows, as they would count once for each part: inputs of which a union, a
reduction or the output has some are not broadcast.

Which they are is chosen once, when a dataflow begins with nothing, by how many rows they have then.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...expr.tree.relation import GlobalId
from ..plan import ArrangeOp, DataflowPlan, FlatMapOp, Import, JoinOp, LookupOp, Mfp, NegateOp, Node
from ..spark.hot_keys import DEALT

MOST_ROWS = 10_000
"""An input of more rows is not broadcast: each part holds them, and takes in all that changes of them."""

MANY_ROWS = 100_000
"""Nor is any, unless another has so many,"""

WORTH = 100
"""and so many times more: one that is empty yet, or small beside small ones, may be the largest one day."""


def few_of(rows: Sequence[int]) -> tuple[int, ...]:
    """The positions of the inputs to be broadcast, of those with so many rows."""
    most = max(rows, default=0)
    if most < MANY_ROWS:
        return ()
    return tuple(at for at, count in enumerate(rows) if 0 < count <= MOST_ROWS and count * WORTH <= most)


@dataclass(frozen=True, slots=True)
class Broadcast:
    """Of a plan: the `imports` that all parts have whole, and the `nodes` whose rows all parts have, as they are made of these alone.  Nodes that are
    `beside` take all rows where these are, as what they meet there is everywhere."""

    imports: frozenset[GlobalId] = frozenset()
    nodes: frozenset[int] = frozenset()
    beside: frozenset[int] = frozenset()


NO_BROADCAST = Broadcast()


def broadcast(plan: DataflowPlan, imports: Iterable[GlobalId]) -> Broadcast:
    """With those of the imports that can be."""
    chosen = frozenset(imports)
    while chosen:
        nodes, counted = _everywhere(plan, chosen)
        if not counted:
            return Broadcast(chosen, nodes, _beside(plan, nodes))
        chosen -= counted
    return NO_BROADCAST


def _everywhere(
    plan: DataflowPlan, imports: frozenset[GlobalId]
) -> tuple[frozenset[int], frozenset[GlobalId]]:
    """The nodes whose rows are in all parts if the imports are; and imports of which some would be counted once for each part."""
    made_of: dict[int, frozenset[GlobalId]] = {}
    for node in plan:
        whole = [i for i in node.inputs if i in made_of]
        if isinstance(node.op, Import) and node.op.id in imports:
            made_of[node.id] = frozenset((node.op.id,))
        elif whole and not _takes(node, whole):
            return frozenset(), made_of[whole[0]]
        elif whole and len(whole) == len(node.inputs):
            made_of[node.id] = frozenset().union(*(made_of[i] for i in whole))
    return frozenset(made_of), made_of.get(plan.output, frozenset())


def _takes(node: Node, whole: Sequence[int]) -> bool:
    """Whether a node may take rows that are in all parts as these inputs, the only ones or beside others."""
    match node.op:
        case Mfp() | FlatMapOp() | NegateOp() | LookupOp():
            return True
        case ArrangeOp(index=index):
            return index is None
        case JoinOp(kind=kind):
            parts = [side for side, i in enumerate(node.inputs) if i not in whole]
            return all(side in DEALT[kind] for side in parts)
        case _:
            return False


def kept_beside(plan: DataflowPlan, broadcast: Broadcast, node: Node) -> frozenset[GlobalId]:
    """The imports for which all rows stay that the node takes: those that it meets, or that are to be looked up in it."""
    readers = (n for n in plan if isinstance(n.op, LookupOp) and n.inputs[1] == node.id)
    met = {*node.inputs, *(reader.inputs[0] for reader in readers)} & broadcast.nodes
    found: set[GlobalId] = set()
    while met:
        at = plan.nodes[met.pop()]
        if isinstance(at.op, Import):
            found.add(at.op.id)
        met.update(at.inputs)
    return frozenset(found)


def _beside(plan: DataflowPlan, nodes: frozenset[int]) -> frozenset[int]:
    streams: dict[int, list[int]] = {}
    for node in plan:
        if isinstance(node.op, LookupOp):
            stream, arranged = node.inputs
            streams.setdefault(arranged, []).append(stream)
    found = set()
    for node in plan:
        match node.op:
            case JoinOp() | LookupOp() if not nodes.isdisjoint(node.inputs):
                found.add(node.id)
            case ArrangeOp() if node.id in nodes or nodes.issuperset(streams.get(node.id, (node.id,))):
                found.add(node.id)
    return frozenset(found)
