"""What window functions mean, at one time: row by row, by SQL's definitions."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from ptvc.expr.tree import relation as r
from ptvc.expr.tree import scalar as s
from ptvc.expr.tree.windows import BoundKind, Exclusion, FrameUnit

Row = tuple[Any, ...]
Compare = Callable[[Row, Row], int]
Scalar = Callable[[s.Scalar, Row], Any]


class Partition:
    """The rows of one partition in order; `peers` compares by the window's order alone."""

    def __init__(self, rows: list[Row], node: r.Window, peers: Compare, scalar: Scalar) -> None:
        self.rows = rows
        self.node = node
        self.scalar = scalar
        self.peers = peers
        self.groups: list[int] = []
        for i, row in enumerate(rows):
            same = i > 0 and peers(rows[i - 1], row) == 0
            self.groups.append(self.groups[-1] if same else (self.groups[-1] + 1 if i else 0))

    def value(self, call: r.WindowCall, i: int, aggregate: Callable[..., Any]) -> Any:
        rows, groups = self.rows, self.groups
        n = len(rows)
        args = [self.scalar(arg, rows[i]) for arg in call.args]
        match call.function:
            case "row_number":
                return i + 1
            case "rank":
                return groups.index(groups[i]) + 1
            case "dense_rank":
                return groups[i] + 1
            case "percent_rank":
                return groups.index(groups[i]) / (n - 1) if n > 1 else 0.0
            case "cume_dist":
                return sum(g <= groups[i] for g in groups) / n
            case "ntile":
                size, longer = divmod(n, args[0])
                sizes = [size + (k < longer) for k in range(args[0])]
                return next(k + 1 for k in range(args[0]) if i < sum(sizes[: k + 1]))
            case "lag" | "lead":
                distance = args[1] if len(args) > 1 else 1
                if distance is None:
                    return None
                steps = -distance if call.function == "lag" else distance
                at = self.skipping(call, i, steps) if call.ignore_nulls else i + steps
                if 0 <= at < n:
                    return self.scalar(call.args[0], rows[at])
                return args[2] if len(args) > 2 else None
        frame = [j for j in range(n) if self.in_frame(call.frame, i, j)]
        if call.ignore_nulls:
            frame = [j for j in frame if self.scalar(call.args[0], rows[j]) is not None]
        match call.function:
            case "first_value":
                return self.scalar(call.args[0], rows[frame[0]]) if frame else None
            case "last_value":
                return self.scalar(call.args[0], rows[frame[-1]]) if frame else None
            case "nth_value":
                place = args[1]
                if place is None or place > len(frame):
                    return None
                return self.scalar(call.args[0], rows[frame[place - 1]])
            case "array_agg" | "string_agg":
                return self.collected(call, [rows[j] for j in frame])
        return aggregate(call, [rows[j] for j in frame])

    def collected(self, call: r.WindowCall, frame: list[Row]) -> Any:
        counted = [row for row in frame if call.filter is None or self.scalar(call.filter, row) is True]
        values = [tuple(self.scalar(arg, row) for arg in call.args) for row in counted]
        if call.function == "array_agg":
            return tuple(value for (value,) in values) or None
        values = [pair for pair in values if pair[0] is not None]
        text = "".join((delimiter or "") + value for value, delimiter in values)
        return text[len(values[0][1] or "") :] if values else None

    def skipping(self, call: r.WindowCall, i: int, steps: int) -> int:
        """The row so many steps away, rows on which the argument is NULL not counted; -1: there is none."""
        at = i
        while steps and 0 <= at < len(self.rows):
            at += sign(steps)
            if 0 <= at < len(self.rows) and self.scalar(call.args[0], self.rows[at]) is not None:
                steps -= sign(steps)
        return at if at < len(self.rows) else -1

    def in_frame(self, frame: Any, i: int, j: int) -> bool:
        if self.before_start(frame, i, j) or self.behind_end(frame, i, j):
            return False
        same = self.groups[i] == self.groups[j]
        match frame.exclusion:
            case Exclusion.CURRENT_ROW:
                return i != j
            case Exclusion.GROUP:
                return not same
            case Exclusion.TIES:
                return i == j or not same
        return True

    def before_start(self, frame: Any, i: int, j: int) -> bool:
        kind, offset = frame.start.kind, frame.start.offset
        if kind is BoundKind.UNBOUNDED_PRECEDING:
            return False
        if kind is BoundKind.CURRENT:
            return j < i if frame.unit is FrameUnit.ROWS else self.groups[j] < self.groups[i]
        distance = offset.value if kind is BoundKind.FOLLOWING else -offset.value
        return self.at(frame.unit, i, j, distance) < 0

    def behind_end(self, frame: Any, i: int, j: int) -> bool:
        kind, offset = frame.end.kind, frame.end.offset
        if kind is BoundKind.UNBOUNDED_FOLLOWING:
            return False
        if kind is BoundKind.CURRENT:
            return j > i if frame.unit is FrameUnit.ROWS else self.groups[j] > self.groups[i]
        distance = offset.value if kind is BoundKind.FOLLOWING else -offset.value
        return self.at(frame.unit, i, j, distance) > 0

    def at(self, unit: FrameUnit, i: int, j: int, distance: Any) -> int:
        """Whether row j is before (-1), at or behind (1) what is `distance` from row i."""
        if unit is FrameUnit.ROWS:
            return sign(j - (i + distance))
        if unit is FrameUnit.GROUPS:
            return sign(self.groups[j] - (self.groups[i] + distance))
        (key,) = self.node.order
        mine, other = self.rows[i][key.index], self.rows[j][key.index]
        if mine is None or other is None:
            return sign(self.groups[j] - self.groups[i])
        direction = -1 if key.descending else 1
        return direction * sign(other - (mine + direction * distance))


def sign(x: Any) -> int:
    return (x > 0) - (x < 0)


def window(
    node: r.Window,
    rows: dict[Row, int],
    comparison: Callable[[Sequence[r.OrderBy]], Compare],
    scalar: Scalar,
    aggregate: Callable[[r.Aggregate, Sequence[tuple[Row, int]]], Any],
) -> list[tuple[Row, int]]:
    """The rows of a Window; `comparison` is the total order, the other two the reference's own."""
    partitions: defaultdict[Row, list[Row]] = defaultdict(list)
    for row, n in rows.items():
        partitions[tuple(row[i] for i in node.partition)] += [row] * n

    def over(call: r.WindowCall, frame: list[Row]) -> Any:
        argument = call.args[0] if call.args else None
        as_aggregate = r.Aggregate(call.function, argument, call.type, "", filter=call.filter)
        return aggregate(as_aggregate, [(row, 1) for row in frame])

    def peers(a: Row, b: Row) -> int:
        kept = tuple(a[key.index] for key in node.order), tuple(b[key.index] for key in node.order)
        keys = [r.OrderBy(i, k.descending, k.nulls_first) for i, k in enumerate(node.order)]
        return comparison(keys)(*(tuple(_unsigned(v) for v in row) for row in kept))

    out = []
    for members in partitions.values():
        ordered = sorted(members, key=functools.cmp_to_key(comparison(node.order)))
        partition = Partition(ordered, node, peers, scalar)
        out += [
            (row + tuple(partition.value(call, i, over) for call in node.calls), 1)
            for i, row in enumerate(ordered)
        ]
    return out


def _unsigned(value: Any) -> Any:
    return 0.0 if isinstance(value, float) and value == 0 and math.copysign(1, value) < 0 else value
