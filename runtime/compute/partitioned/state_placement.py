"""Where the rows of each spine lie when a plan runs in parts: by which of their columns, as those of the operator's input.

```
Join by customer, rows of the left side lie by customer      spine `left`: whole rows         by the hash of column #1, its key: a range of each run
Reduce by (customer, segment), which did not move them       spine `groups`: key, sums        by the hash of column #0: to be computed again
Reduce by nation, its DISTINCT customers counted in place    spine `distinct_1`: key, value   by the hash of column #1, as before they would move
Arrange of nations that are broadcast                        spine `rows`: whole rows         by nothing: each part has all
```

So what `n` parts have saved can be had by `m`: each knows what of a run is its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ...expr.tree.relation import JoinKind
from ..checkpoint import SPLIT_KEYS
from ..plan import (
    ArrangeOp,
    AssertSingleOp,
    DataflowPlan,
    DistinctOp,
    DividedIterateOp,
    IterateOp,
    JoinOp,
    Node,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TopKOp,
    WindowOp,
)
from ..run_store import INDEX_RUNS, StateId
from ..spine import Spine
from .loop_placement import Columns, inside
from .placement import Division, Placements, arriving

FIRST: Columns = ()
"""All rows are in the first part."""

EVERYWHERE: Columns = (-1,)
"""All rows are in each part, and saved by the first."""


def state_placement(division: Division, spines: Mapping[StateId, Spine]) -> dict[StateId, Columns | None]:
    """By which columns of its own the rows of each spine of the plan lie, or FIRST, or EVERYWHERE; None: they may be anywhere.
    Without the keys that are split: of these no other number of parts begins with.

    What no operator has, as the errors that were put out, is in the first part, but for the rows of an index, which lie by its key.
    """
    return {id_: _lies_at(*id_, division, spine) for id_, spine in spines.items() if id_[1] != SPLIT_KEYS}


def everywhere(division: Division, spines: Iterable[StateId]) -> frozenset[StateId]:
    """Those of the spines of which each part has all rows."""
    return frozenset(id_ for id_ in spines if _is_everywhere(*id_, division))


def _is_everywhere(number: int, name: str, division: Division) -> bool:
    if number not in division.broadcast.beside or name == SPLIT_KEYS:
        return False
    node = division.plan.nodes[number]
    side, _ = _origin(node, name, division.plan)
    return node.inputs[side] in division.broadcast.nodes


def _lies_at(number: int, name: str, division: Division, spine: Spine) -> Columns | None:
    if number >= division.operators:
        return division.index_key if name == INDEX_RUNS and division.index_key is not None else FIRST
    if _is_everywhere(number, name, division):
        return EVERYWHERE
    node = division.plan.nodes[number]
    match node.op:
        case DividedIterateOp() as op:
            return _lies_inside(op, name, division.inside[node.id], spine)
        case IterateOp():
            return FIRST
        case _:
            lies = [division.placements[i] for i in node.inputs]
            if node.id in division.in_place and isinstance(node.op, ReduceOp):
                kind, _, argument = name.partition("_")
                if kind == "distinct":
                    return _least(lies[0], spine, (*range(node.op.keys), int(argument)))
            inputs = arriving(node, lies)
            return _lies(node, name, inputs, division.plan, spine)


def _lies_inside(
    op: DividedIterateOp, name: str, placements: Sequence[Placements], spine: Spine
) -> Columns | None:
    """Of a spine inside a loop: it is called by a node and the name of that node's spine, or by what is held of a binding."""
    first, _, rest = name.partition("_")
    match first:
        case "errors":
            return spine.key  # each with the part that its hash says
        case "excess":
            return _least(placements[op.results[int(rest)]], spine, tuple(range(len(spine.schema))))
        case _:
            node, graph = op.nodes[int(first)], inside(op)
            moved = replace(node, exchange=op.moves[node.id])
            inputs = arriving(moved, [placements[i] for i in node.inputs])
            if rest.startswith("input_"):  # of an operator that is computed anew, iteration by iteration
                at = int(rest.removeprefix("input_"))
                width = len(graph.input_schemas(node)[at])
                return _least(inputs[at], spine, tuple(range(width)))
            return _lies(node, rest, inputs, graph, spine)


def _lies(
    node: Node, name: str, inputs: Sequence[Placements], plan: DataflowPlan, spine: Spine
) -> Columns | None:
    side, columns = _origin(node, name, plan)
    by = _least(inputs[side], spine, columns)
    # What waits in a temporal filter adds up wherever it comes out.
    assert by is not None or isinstance(node.op, TemporalFilterOp), (
        f"{name} of {node}: nobody knows where its rows lie"
    )
    return by


def _least(lies: Placements, spine: Spine, columns: Columns) -> Columns | None:
    """The fewest columns of a spine by which its rows lie, whose first columns are these of what lies so."""
    found = list(_within(lies, columns))
    if FIRST in found:
        return FIRST
    if spine.key in found:
        return spine.key  # a range of each run, without looking at its rows
    return min(found, key=lambda columns: (len(columns), columns), default=None)


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
