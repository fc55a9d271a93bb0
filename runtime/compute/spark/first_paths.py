"""The path of a delta join that a job's rows take.

In a first step all but one path of a delta join look up what is not there yet (`plan.silent_at_first`), and the remaining one, which
looks up everything as of after the step, has all of the join's rows.  As the plan is lowered, that is the path of the input that is
written last, be it the largest.  Which path it is does not matter to rows or state: so it is the one along which the fewest rows are
taken to go.

```
customer: before before         customer: before before
orders:   after  before   ──>   orders:   after  after      few orders, after a semi join
lineitem: after  after          lineitem: before before
```

What is looked up in vain is not exchanged for it.

How many rows a look-up finds is estimated as if its key were one of the smaller collection, before that was filtered.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...expr.tree.relation import GlobalId, JoinKind
from ..lower.delta_paths import FILTERED, passing
from ..plan import (
    ArrangeOp,
    DataflowPlan,
    Import,
    JoinOp,
    LookupOp,
    Mfp,
    Node,
    ReduceOp,
    UnionOp,
    silent_at_first,
)


@dataclass(frozen=True, slots=True)
class _Size:
    """About how many rows there are, and how many there were before they were filtered."""

    rows: float
    base: float


@dataclass(frozen=True, slots=True)
class _Path:
    """`start` and `sides` are nodes of inputs: where it starts, and what its `lookups`, in order, look up."""

    start: int
    lookups: tuple[Node, ...]
    sides: tuple[int, ...]


def first_paths(plan: DataflowPlan, rows: Mapping[GlobalId, int]) -> DataflowPlan:
    """The plan for a first step only, over imports of so many rows: other lookups are as of before it."""
    joins = [found for node in plan if isinstance(node.op, UnionOp) and (found := _paths(plan, node))]
    if not joins:
        return plan
    sizes: list[_Size] = []
    for node in plan:
        sizes.append(_size(node, [sizes[i] for i in node.inputs], rows))
    times_used = Counter(lookup.id for paths in joins for path in paths for lookup in path.lookups)
    before: dict[int, bool] = {}
    for paths in joins:
        if all(times_used[lookup.id] == 1 for path in paths for lookup in path.lookups):
            chosen = min(paths, key=lambda path: _rows(plan, path, sizes))
            for path in paths:
                before |= {lookup.id: path is not chosen for lookup in path.lookups}
    nodes = [
        replace(node, op=replace(node.op, before=before[node.id]))
        if isinstance(node.op, LookupOp) and node.id in before
        else node
        for node in plan
    ]
    silent = silent_at_first(replace(plan, nodes=tuple(nodes)))
    nodes = [replace(node, exchange=(None, None)) if node.id in silent else node for node in nodes]
    return replace(plan, nodes=tuple(nodes))


def _paths(plan: DataflowPlan, union: Node) -> tuple[_Path, ...]:
    """The paths of a delta join, from the union of what they find; none if that is not what the node is, or if it cannot
    be told which input a look-up is of."""
    paths = [_path(plan, arm) for arm in union.inputs]
    starts = {path.start for path in paths if path is not None}
    found = tuple(
        path
        for path in paths
        if path is not None and len(path.sides) == len(paths) - 1 and {path.start, *path.sides} == starts
    )
    return found if len(found) == len(starts) == len(paths) > 1 else ()


def _path(plan: DataflowPlan, arm: int) -> _Path | None:
    at, start = plan.nodes[arm], arm
    lookups: list[Node] = []
    while isinstance(at.op, Mfp | LookupOp):
        if isinstance(at.op, LookupOp):
            lookups.insert(0, at)
            start = at.inputs[0]
        at = plan.nodes[at.inputs[0]]
    sides = []
    for lookup in lookups:
        arranged = plan.nodes[lookup.inputs[1]]
        if not isinstance(arranged.op, ArrangeOp) or arranged.op.index is not None:
            return None  # an index has rows that the input, which is filtered, has not
        sides.append(arranged.inputs[0])
    return _Path(start, tuple(lookups), tuple(sides))


def _rows(plan: DataflowPlan, path: _Path, sizes: list[_Size]) -> float:
    """About how many rows go along a path."""
    origins = [path.start] * len(plan.nodes[path.start].schema)
    stream = total = sizes[path.start].rows
    for lookup, side in zip(path.lookups, path.sides, strict=True):
        assert isinstance(lookup.op, LookupOp)
        held = sizes[side]
        keys = min(held.base, *(sizes[origins[column]].base for column in lookup.op.key))
        stream *= held.rows / max(keys, 1)
        total += stream
        origins += [side] * len(plan.nodes[side].schema)
    return total


def _size(node: Node, inputs: list[_Size], rows: Mapping[GlobalId, int]) -> _Size:
    match node.op:
        case Import(id=id_):
            return _Size(rows[id_], rows[id_])
        case ReduceOp(keys=0):
            return _Size(1, 1)
        case Mfp(predicates=predicates):
            return _Size(inputs[0].rows * passing(predicates), inputs[0].base)
        case JoinOp(kind=JoinKind.SEMI):
            left, right = inputs
            return _Size(left.rows * FILTERED * right.rows / max(right.base, 1), left.base)
        case JoinOp(kind=JoinKind.ANTI):
            return _Size(inputs[0].rows * FILTERED, inputs[0].base)
        case _:
            return max(inputs, key=lambda size: size.rows, default=_Size(1, 1))
