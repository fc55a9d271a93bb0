"""How far a change of one row reaches in a window's output.

| function                                     | a change concerns                                                |
|----------------------------------------------|------------------------------------------------------------------|
| lag, lead; frames within some rows           | rows so near to it, before and behind                            |
| row_number, rank, dense_rank; sums from the  | what is *carried* on to later rows: the number of rows, of groups |
| start of the partition                       | of peers, the sum; and so nothing, if that stays as it is        |
| everything else                              | the partition                                                    |

A window whose functions all are of the first two kinds can be kept in blocks (see `window_blocks`).
"""

from __future__ import annotations

from dataclasses import dataclass

from ....expr.tree.scalar import Literal
from ....expr.tree.windows import FRAMED, OFFSET, RANKING, Bound, BoundKind, Exclusion, FrameUnit
from ....repr.types import ScalarType
from ...plan import WHOLE_GROUP, WindowCallOp, WindowOp
from .aggregates import WindowSums


@dataclass(frozen=True, slots=True)
class Reach:
    """`rows`: so many rows before and behind a changed one are enough to see which others change, and to compute
    them.  `carries_rows`, `carries_groups`: the number of rows, of groups of peers, is carried on to later rows.
    `sums`: the accumulators that are, by their call."""

    rows: int
    carries_rows: bool
    carries_groups: bool
    sums: tuple[tuple[int, WindowSums], ...]

    @property
    def carries(self) -> bool:
        return self.carries_rows or self.carries_groups or bool(self.sums)

    @property
    def width(self) -> int:
        return sum(sums.width for _, sums in self.sums)


def reach_of(op: WindowOp, types: tuple[ScalarType, ...]) -> Reach | None:
    """The reach of all calls together; None when a change concerns the whole partition."""
    if not op.order:
        return None
    before = behind = 0
    carries_rows = carries_groups = False
    sums: list[tuple[int, WindowSums]] = []
    for i, call in enumerate(op.calls):
        if call.function in RANKING:
            if call.function not in ("row_number", "rank", "dense_rank"):
                return None
            carries_groups |= call.function == "dense_rank"
            carries_rows |= call.function != "dense_rank"
            continue
        if call.ignore_nulls or (
            call.function in WHOLE_GROUP and call.frame.start.kind is BoundKind.UNBOUNDED_PRECEDING
        ):
            return None
        near = _offset(call) if call.function in OFFSET else _frame(call)
        if near is None:
            return None
        before, behind = max(before, near[0]), max(behind, near[1])
        if call.function not in OFFSET and call.frame.start.kind is BoundKind.UNBOUNDED_PRECEDING:
            if not call.args:
                carries_rows = True
                continue
            accumulators = _accumulators(call, types)
            if accumulators is None:
                return None
            sums.append((i, accumulators))
    return Reach(before + behind, carries_rows, carries_groups, tuple(sums))


def _offset(call: WindowCallOp) -> tuple[int, int] | None:
    distance = call.args[1] if len(call.args) > 1 else None
    if distance is None:
        steps = 1
    elif isinstance(distance, Literal):
        steps = int(distance.value or 0)
    else:
        return None
    steps = -steps if call.function == "lead" else steps
    return max(steps, 0), max(-steps, 0)


def _frame(call: WindowCallOp) -> tuple[int, int] | None:
    """Rows before and behind a row that its frame may hold, what is carried apart."""
    frame = call.frame
    carried = frame.start.kind is BoundKind.UNBOUNDED_PRECEDING
    if carried and (call.function in FRAMED or frame.exclusion is not Exclusion.NO_OTHERS):
        return None
    start = (0, 0) if carried else _bound(frame.start, frame.unit)
    end = _bound(frame.end, frame.unit)
    if start is None or end is None:
        return None
    return max(start[0], end[0]), max(start[1], end[1])


def _bound(bound: Bound, unit: FrameUnit) -> tuple[int, int] | None:
    if bound.kind is BoundKind.CURRENT:
        return 0, 0
    if bound.offset is None or unit is not FrameUnit.ROWS:
        return None
    rows = bound.offset.value
    if rows is None or rows < 0:
        return None
    return (rows, 0) if bound.kind is BoundKind.PRECEDING else (0, rows)


def _accumulators(call: WindowCallOp, types: tuple[ScalarType, ...]) -> WindowSums | None:
    if call.function in ("min", "max"):
        return None
    accumulators = WindowSums(call, types)
    return accumulators if accumulators.exact else None
