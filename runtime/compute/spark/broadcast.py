"""Broadcast: the few rows of one side of a join go to all partitions, and the many of the other stay where they are.

```
many   read here ──────────────┐                      partition 0: many[0] x few
few    read here ── to all ────┴─ join                partition 1: many[1] x few
```

It saves the exchange of the many rows, and the levels of a chain of such joins are one.  So it does where rows lie by the key already,
as those of a grouping do that are joined by what they were grouped by.  How many rows an input has at most is
known of what is read, and passed on by operators that add none.

The sides are those that may be dealt out for a hot key (`hot_keys`), by the same reasons.  A row and its retraction may lie in two
places, which does no harm where matches are a matter of the key: each counts whole.  Of an outer, semi or anti join with further
conditions the matches of equal rows are counted together; so its rows stay only where equal ones are in one place already, by
an exchange before.  Of state that was sent everywhere, the partition that a key belongs to writes the one copy.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from ...expr.tree.relation import GlobalId, JoinKind
from ..operators.joins.arrange import ARRANGED
from ..plan import (
    EVERYWHERE,
    ArrangeOp,
    AssertSingleOp,
    ConstantOp,
    DataflowPlan,
    DistinctOp,
    Import,
    JoinOp,
    LookupOp,
    Mfp,
    NegateOp,
    Node,
    ReduceOp,
    TemporalFilterOp,
    ThresholdOp,
    TopKOp,
    UnionOp,
    WindowOp,
)
from .hot_keys import COPIES, DEALT, splittable

MOST_ROWS = 250_000
"""No more are sent to all partitions: each holds them in memory."""

WORTH = 2
"""Sent everywhere they have to be so many times fewer than the rows that stay."""


FEW_PARTITIONS = 4
"""Up to so many, a join does without the exchange of a side that lies by its keys, and so without the splitting of hot ones."""

Places = tuple[int, ...] | None

_LEFT_STAYS = (JoinKind.INNER, JoinKind.LEFT, JoinKind.SEMI, JoinKind.ANTI)
"""Kinds whose rows have the left row's columns as they were."""


@dataclass(frozen=True, slots=True)
class _Size:
    """`most` rows at most (None: nobody knows), and `about` so many, to compare with."""

    most: int | None
    about: int


def broadcast(
    plan: DataflowPlan, rows: Mapping[GlobalId, int], partitions: int
) -> tuple[DataflowPlan, dict[int, frozenset[str]]]:
    """The plan with other exchanges, over imports of so many rows; and by node which spines hold what was sent everywhere."""
    if partitions == 1:
        return plan, {}
    sizes: list[_Size] = []
    for node in plan:
        sizes.append(_size(node, [sizes[i] for i in node.inputs], rows))
    looked_up = _looked_up(plan, sizes, partitions)
    nodes: list[Node] = []
    copies: dict[int, frozenset[str]] = {}
    together: list[Places] = []
    placed: list[Places] = []
    for node in plan:
        exchange = node.exchange
        match node.op:
            case ArrangeOp() if node.id in looked_up:
                exchange = (EVERYWHERE,)
                copies[node.id] = frozenset((ARRANGED,))
            case LookupOp() if node.inputs[1] in looked_up:
                exchange = (None, None)
            case JoinOp() as op:
                known = [together[i] is not None for i in node.inputs]
                stays = _stays(op, [sizes[i] for i in node.inputs], known, partitions)
                if stays is not None:
                    exchange = (None, EVERYWHERE) if stays == 0 else (EVERYWHERE, None)
                    copies[node.id] = frozenset(COPIES[stays])
        if partitions <= FEW_PARTITIONS or not isinstance(node.op, JoinOp):
            exchange = tuple(
                None if by is not None and placed[i] == by else by
                for i, by in zip(node.inputs, exchange, strict=True)
            )
        nodes.append(replace(node, exchange=exchange))
        placed.append(_placed(nodes[-1], [placed[i] for i in node.inputs]))
        widths = [len(plan.nodes[i].schema) for i in node.inputs]
        together.append(_together(nodes[-1], [together[i] for i in node.inputs], widths))
    return replace(plan, nodes=tuple(nodes)), copies


def _stays(op: JoinOp, sizes: list[_Size], together: list[bool], partitions: int) -> int | None:
    """The side of a join whose rows stay where they are, if the other is small enough.  `together`: whether equal rows of a side
    are in one place."""
    by_row = bool(op.residual) and op.kind is not JoinKind.INNER
    fitting = [
        side
        for side in DEALT[op.kind]
        if _is_small(sizes[1 - side], sizes[side].about, partitions) and (together[side] or not by_row)
    ]
    return max(fitting, key=lambda side: sizes[side].about, default=None)


def _together(node: Node, inputs: list[Places], widths: list[int]) -> Places:
    """Where the columns are by which the rows of a node lie, so that equal ones are in one place; None when they need not be.

    It holds with hot keys as well: the rows of such a key lie by one whole side of the pair.
    """
    by = node.exchange[0] if node.exchange else None
    match node.op:
        case Mfp(projection=projection) if (places := inputs[0]) is not None and set(places) <= set(
            projection
        ):
            return tuple(projection.index(column) for column in places)
        case JoinOp(kind=kind, left_key=left_key) if kind in _LEFT_STAYS:
            if by is EVERYWHERE:
                return None if inputs[1] is None else tuple(widths[0] + column for column in inputs[1])
            return inputs[0] if by is None else left_key
        case ReduceOp(keys=keys):
            return tuple(range(keys))
        case DistinctOp() | ThresholdOp() | TopKOp() if by is not EVERYWHERE:
            return inputs[0] if by is None else by
        case LookupOp() if by is not EVERYWHERE:
            return inputs[0] if by is None else by
        case _:
            return None


def _placed(node: Node, inputs: list[Places]) -> Places:
    """The columns whose hash says where each row of a node lies, as after an exchange by them; None if that is not known."""
    by = node.exchange[0] if node.exchange else None
    lies = inputs[0] if by is None and inputs else by
    if not isinstance(lies, tuple):
        return None
    match node.op:
        case Mfp(projection=projection):
            return tuple(map(projection.index, lies)) if set(lies) <= set(projection) else None
        case ReduceOp(keys=keys):
            return lies if all(column < keys for column in lies) else None
        case JoinOp(kind=kind):
            # A hot key's rows lie elsewhere.
            return lies if kind in _LEFT_STAYS and not splittable(node) else None
        case (
            DistinctOp() | ThresholdOp() | TopKOp() | ArrangeOp() | LookupOp() | NegateOp() | AssertSingleOp()
        ):
            return lies
        case UnionOp():
            return lies if all(other == lies for other in inputs) else None
        case _:
            return None


def _looked_up(plan: DataflowPlan, sizes: list[_Size], partitions: int) -> set[int]:
    """The arrangements that are sent everywhere: small beside the largest collection of the plan."""
    largest = max((size.about for size in sizes), default=0)
    found = {
        node.id
        for node in plan
        if isinstance(node.op, ArrangeOp) and _is_small(sizes[node.id], largest, partitions)
    }
    for node in plan:
        read = node.inputs[:1] if isinstance(node.op, LookupOp) else node.inputs
        found.difference_update(read)  # as a collection each row counts once
    return found - {plan.output}


def _is_small(size: _Size, beside: int, partitions: int) -> bool:
    most = size.most
    return most is not None and most <= MOST_ROWS and most * partitions * WORTH <= beside


def _size(node: Node, inputs: list[_Size], rows: Mapping[GlobalId, int]) -> _Size:
    match node.op:
        case Import(id=id_):
            return _Size(rows[id_], rows[id_])
        case ConstantOp(rows=constants):
            return _Size(len(constants), len(constants))
        case ReduceOp(keys=0):
            return _Size(1, 1)
        case (
            Mfp() | NegateOp() | ArrangeOp() | ReduceOp() | DistinctOp() | TopKOp() | WindowOp() | ThresholdOp()
            | AssertSingleOp() | TemporalFilterOp()
        ):  # fmt: skip
            return inputs[0]
        case JoinOp(kind=JoinKind.SEMI | JoinKind.ANTI):
            return inputs[0]
        case UnionOp():
            known = [size.most for size in inputs if size.most is not None]
            most = sum(known) if len(known) == len(inputs) else None
            return _Size(most, sum(size.about for size in inputs))
        case JoinOp(kind=JoinKind.INNER):
            left, right = inputs
            most = None if left.most is None or right.most is None else left.most * right.most
            return _Size(most, max(left.about, right.about))
        case _:
            return _Size(None, max((size.about for size in inputs), default=0))
