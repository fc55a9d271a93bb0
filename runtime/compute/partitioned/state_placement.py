"""Where the rows of each spine lie when a plan runs in parts: by which of their columns, as those of the operator's input.

```
Join by customer, rows of the left side lie by customer      spine `left`: whole rows         by the hash of column #1, its key: a range of each run
Reduce by (customer, segment), which did not move them       spine `groups`: key, sums        by the hash of column #0: to be computed again
```

So what `n` parts have saved can be had by `m`: each knows what of a run is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ...expr.tree.relation import JoinKind
from ..checkpoint import SPLIT_KEYS
from ..plan import (
    ArrangeOp,
    AssertSingleOp,
    DataflowPlan,
    DistinctOp,
    JoinOp,
    Node,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TopKOp,
    WindowOp,
)
from ..run_store import StateId
from ..spine import Spine
from .placement import Columns, Division, Placements, arriving

FIRST: Columns = ()
"""All rows are in the first part."""


def state_placement(division: Division, spines: Mapping[StateId, Spine]) -> dict[StateId, Columns | None]:
    """By which columns of its own the rows of each spine of the plan lie.  FIRST: all are in the first part; None: they may be anywhere.
    Without the keys that are split: of these no other number of parts begins with.

    What the plan has no node for, as the errors that were put out, is in the first part.
    """
    nodes = division.plan.nodes
    return {
        id_: _lies(nodes[id_[0]], id_[1], division, spine) if id_[0] < len(nodes) else FIRST
        for id_, spine in spines.items()
        if id_[1] != SPLIT_KEYS
    }


def _lies(node: Node, name: str, division: Division, spine: Spine) -> Columns | None:
    inputs = arriving(node, [division.placements[i] for i in node.inputs])
    side, columns = _origin(node, name, division.plan)
    found = list(_within(inputs[side], columns))
    if FIRST in found:
        return FIRST
    if spine.key in found:
        return spine.key  # a range of each run, without looking at its rows
    if not found:
        assert isinstance(node.op, TemporalFilterOp), f"{name} of {node}: nobody knows where its rows lie"
        return None  # what waits there adds up wherever it comes out
    return min(found, key=lambda columns: (len(columns), columns))


def _within(lies: Placements, columns: Columns) -> Iterable[Columns]:
    """As positions in `columns`, those lists of columns that are all among these."""
    return (tuple(map(columns.index, by)) for by in lies if set(by) <= set(columns))


def _origin(node: Node, name: str, plan: DataflowPlan) -> tuple[int, Columns]:
    """The input that the rows of an operator's spine come from, and which columns of it their first columns are."""
    widths = [len(schema) for schema in plan.input_schemas(node)]
    match node.op:
        case JoinOp() as op:
            return _of_join(op, name, widths)
        case ReduceOp(keys=keys):
            return 0, tuple(range(keys))
        case TopKOp(group=group):
            return 0, group if name == "bars" else tuple(range(widths[0]))
        case WindowOp(partition=partition):
            return 0, partition if name == "blocks" else tuple(range(widths[0]))
        case AssertSingleOp(group=group):
            return 0, group
        case DistinctOp() | ThresholdOp() | ArrangeOp() | TemporalFilterOp():
            return 0, tuple(range(widths[0]))
        case _:
            raise AssertionError(f"{type(node.op).__name__} has no state that is divided")


def _of_join(op: JoinOp, name: str, widths: list[int]) -> tuple[int, Columns]:
    left, right = (tuple(range(width)) for width in widths)
    match name:
        case "left" | "left_rows" | "left_matched":
            return 0, left
        case "right" | "right_rows" | "right_matched":
            return 1, right
        case "rows" | "matched" if op.kind in (JoinKind.SEMI, JoinKind.ANTI):
            return 0, left
        case "right_keys" | "left_matching_keys":  # the keys that the right side has
            return 1, op.right_key
        case "right_matching_keys":
            return 0, op.left_key
        case _:
            raise AssertionError(f'a join has no state "{name}"')
