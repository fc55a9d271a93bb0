"""Frames as ranges of positions.

The frame of a row is a range `[start, stop)` of its line; with EXCLUDE it is up to three of them, in order.  A RANGE
frame with an offset is found by value: the bounds of all rows are sorted among the order keys of their lines, at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ....expr.columns.row_errors import RowErrors, merge_errors, same_error, select_errors
from ....expr.evaluate import evaluate
from ....expr.registry import resolve_call
from ....expr.tree.relation import OrderBy
from ....expr.tree.scalar import Cast, ColumnRef, Literal
from ....expr.tree.windows import Bound, BoundKind, Exclusion, Frame, FrameUnit
from ....repr import buffers, intervals
from ....repr.order import Key, order_keys
from ....repr.types import NUMERIC, TIMESTAMP, Kind, ScalarType
from .layout import Ints, Layout

Interval = tuple[Ints, Ints]
"""`[start, stop)` at every position; empty where they are equal."""

_MAX = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Frames:
    """`intervals`: disjoint, ascending.  `from_start`: the frame is one interval that begins with the line."""

    intervals: tuple[Interval, ...]
    from_start: bool
    errors: RowErrors | None = None

    def sizes(self) -> Ints:
        total = np.zeros(len(self.intervals[0][0]), np.int64)
        for start, stop in self.intervals:
            total += stop - start
        return total


def frames(frame: Frame, lay: Layout, order: Sequence[OrderBy], types: Sequence[ScalarType]) -> Frames:
    """The frame of every position.  `order` is the window's, `types` those of the batch's columns."""
    start, start_errors = _bound(frame, frame.start, lay, order, types, ending=False)
    stop, stop_errors = _bound(frame, frame.end, lay, order, types, ending=True)
    stop = np.maximum(start, stop)
    errors = merge_errors((start_errors, stop_errors))
    from_start = frame.start.kind is BoundKind.UNBOUNDED_PRECEDING
    if frame.exclusion is Exclusion.NO_OTHERS:
        return Frames(((start, stop),), from_start, errors)
    here = lay.positions
    if frame.exclusion is Exclusion.CURRENT_ROW:
        gap_start, gap_stop = here, here + 1
    else:
        gap_start, gap_stop = lay.peer_start, lay.peer_end
    left = (start, np.clip(gap_start, start, stop))
    right = (np.clip(gap_stop, start, stop), stop)
    if frame.exclusion is not Exclusion.TIES:
        return Frames((left, right), False, errors)
    own = (np.clip(here, start, stop), np.clip(here + 1, start, stop))
    return Frames((left, own, right), False, errors)


def _bound(
    frame: Frame,
    bound: Bound,
    lay: Layout,
    order: Sequence[OrderBy],
    types: Sequence[ScalarType],
    *,
    ending: bool,
) -> tuple[Ints, RowErrors | None]:
    """Where the frame of every position starts, or (`ending`) stops."""
    match bound.kind:
        case BoundKind.UNBOUNDED_PRECEDING:
            return lay.line_start, None
        case BoundKind.UNBOUNDED_FOLLOWING:
            return lay.line_end, None
        case BoundKind.CURRENT:
            if frame.unit is FrameUnit.ROWS:
                return lay.positions + ending, None
            return (lay.peer_end if ending else lay.peer_start), None
    assert bound.offset is not None
    noun = "ending" if ending else "starting"
    offset = bound.offset.value
    if offset is None:
        return lay.line_start, _everywhere(lay, "22004", f"frame {noun} offset must not be null")
    if frame.unit is FrameUnit.RANGE:
        return _by_value(bound, lay, order[0], types[order[0].index], ending=ending)
    if offset < 0:
        return lay.line_start, _everywhere(lay, "22013", f"frame {noun} offset must not be negative")
    distance = min(offset, len(lay) + 1)
    if bound.kind is BoundKind.PRECEDING:
        distance = -distance
    if frame.unit is FrameUnit.ROWS:
        return np.clip(lay.positions + (distance + ending), lay.line_start, lay.line_end), None
    return _by_groups(lay, distance, ending=ending), None


def _everywhere(lay: Layout, sqlstate: str, message: str) -> RowErrors | None:
    return same_error(lay.positions, sqlstate, message)


def _by_groups(lay: Layout, distance: int, *, ending: bool) -> Ints:
    """The start (or the end) of the group of peers `distance` groups away, within the line."""
    groups = len(lay.group_starts) - 1
    wanted = np.clip(lay.group + (distance + ending), 0, groups)
    return np.clip(lay.group_starts[wanted], lay.line_start, lay.line_end)


def _by_value(
    bound: Bound, lay: Layout, order: OrderBy, type_: ScalarType, *, ending: bool
) -> tuple[Ints, RowErrors | None]:
    """RANGE with an offset: the first row that is not before the bound, or the first one behind it."""
    assert bound.offset is not None
    column = lay.column(order.index)
    valid = buffers.validity(column)
    rows = lay.positions if valid is None else np.flatnonzero(valid)
    # A NULL is a peer of NULLs only.
    out = (lay.peer_end if ending else lay.peer_start).copy()
    if not len(rows):
        return out, None
    if _is_invalid(bound.offset):
        message = "invalid preceding or following size in window function"
        return out, same_error(rows, "22013", message)
    values = column if valid is None else column.take(pa.array(rows))
    subtract = (bound.kind is BoundKind.PRECEDING) != order.descending
    if type_.is_integer and type_.kind is not Kind.UINT8:
        keys, targets, errors = _integers(values, int(bound.offset.value), subtract)
    elif type_.kind is Kind.TIME:
        keys, targets, errors = _times(values, bound.offset, subtract)
    elif bound.offset.type.kind is Kind.INTERVAL:
        keys, targets, errors = _moments(values, type_, bound, subtract)
    elif type_.is_float:
        keys, targets, errors = _floats(values, float(bound.offset.value), subtract, order, ending)
    else:
        keys, targets, errors = _numerics(values, type_, bound, subtract)
    if order.descending:
        keys, targets = [~key for key in keys], [~key for key in targets]
    line = lay.line_start[rows]
    before = _ranked(line, keys, targets, after_equals=ending)
    first = rows[np.flatnonzero(np.diff(line, prepend=-1))]  # the first row with a value, of each line
    out[rows] = (
        np.repeat(first, np.diff(np.flatnonzero(np.diff(line, prepend=-1)), append=len(line))) + before
    )
    return out, _at_rows(errors, rows, len(lay))


def _at_rows(errors: RowErrors | None, rows: Ints, length: int) -> RowErrors | None:
    if errors is None:
        return None
    moved = RowErrors(rows[errors.indices], errors.sqlstates, errors.messages)
    return select_errors(moved, np.ones(length, np.bool_))


def _is_invalid(offset: Literal) -> bool:
    if offset.type.kind is Kind.INTERVAL:
        days, rest = intervals.spans(pa.array([offset.value], intervals.ARROW))
        return bool(days[0] < 0 or (days[0] == 0 and rest[0] < 0))
    return bool(offset.value != offset.value or offset.value < 0)


Found = tuple[list[Key], list[Key], RowErrors | None]


def _integers(values: pa.Array, offset: int, subtract: bool) -> Found:
    """Beyond int64 a bound is beyond every value."""
    wide = buffers.fixed(values).astype(np.int64)
    offset = min(offset, _MAX)
    moved = wide - np.int64(offset) if subtract else wide + np.int64(offset)
    beyond = (moved > wide) if subtract else (moved < wide)
    side = np.where(beyond, np.int8(-1 if subtract else 1), np.int8(0))
    return [np.zeros(len(wide), np.int8), wide], [side, np.where(beyond, 0, moved)], None


def _floats(values: pa.Array, offset: float, subtract: bool, order: OrderBy, ending: bool) -> Found:
    wide = buffers.fixed(values).astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        moved = wide - offset if subtract else wide + offset
    # An infinity less an infinity reaches everything.
    everything = np.isnan(moved) & ~np.isnan(wide)
    moved[everything] = np.inf if ending != order.descending else -np.inf
    return list(order_keys(pa.array(wide))), list(order_keys(pa.array(moved))), None


def _numerics(values: pa.Array, type_: ScalarType, bound: Bound, subtract: bool) -> Found:
    assert bound.offset is not None
    wide = Cast(ColumnRef(0, type_), NUMERIC)
    moved = resolve_call("subtract" if subtract else "add", (wide, Cast(bound.offset, NUMERIC)))
    keys = evaluate(wide, (values,), len(values))
    targets = evaluate(Cast(moved, NUMERIC), (values,), len(values))
    errors = merge_errors((keys.errors, targets.errors))
    return _filled(keys.values), _filled(targets.values), errors


def _times(values: pa.Array, offset: Literal, subtract: bool) -> Found:
    """Times of day: of the interval the time alone counts, and a bound may lie beyond the day."""
    micros = intervals.parts(pa.array([offset.value], intervals.ARROW))[2][0]
    wide = buffers.fixed(values)
    return _integers(pa.array(wide), int(min(max(micros, 0), _MAX)), subtract)


def _moments(values: pa.Array, type_: ScalarType, bound: Bound, subtract: bool) -> Found:
    """Dates, as timestamps at midnight, timestamps and intervals; what leaves their range is an error of its row."""
    assert bound.offset is not None
    column = ColumnRef(0, type_)
    wide = Cast(column, TIMESTAMP) if type_.kind is Kind.DATE else column
    moved = resolve_call("subtract" if subtract else "add", (wide, bound.offset))
    keys = evaluate(wide, (values,), len(values))
    targets = evaluate(moved, (values,), len(values))
    errors = merge_errors((keys.errors, targets.errors))
    return _filled(keys.values), _filled(targets.values), errors


def _filled(values: pa.Array) -> list[Key]:
    """Keys as if nothing were NULL: rows without a value have an error instead."""
    keys = order_keys(values)
    return list(keys[1:] if values.null_count else keys)


def _ranked(line: Ints, keys: list[Key], targets: list[Key], *, after_equals: bool) -> Ints:
    """How many of the line's `keys` are below each target (or equal to it, with `after_equals`): int64[n]."""
    n = len(line)
    tag = np.concatenate((np.ones(n, np.int8), np.full(n, 2 if after_equals else 0, np.int8)))
    both = [np.concatenate(pair) for pair in zip(keys, targets, strict=True)]
    order = np.lexsort((tag, *reversed(both), np.concatenate((line, line))))
    is_value = order < n
    seen = np.cumsum(is_value)
    found = np.empty(n, np.int64)
    at = np.flatnonzero(~is_value)
    found[order[at] - n] = seen[at]
    return found - np.searchsorted(line, line, side="left")
