"""Window functions other than aggregates: places among the partition, and values of other rows of it."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from ....errors import Unsupported
from ....expr.columns.row_errors import Evaluated, RowErrors, same_error
from ....expr.tree.scalar import Literal
from ....repr import buffers
from ....repr.batch import Mask
from ...plan import WindowCallOp
from .frames import Frames
from .layout import Ints, Layout
from .numbered import Numbered


def ranking(call: WindowCallOp, lay: Layout) -> Evaluated:
    """row_number, rank, dense_rank, percent_rank, cume_dist, ntile."""
    match call.function:
        case "row_number":
            return Evaluated(pa.array(lay.positions - lay.line_start + lay.places + 1))
        case "rank":
            return Evaluated(pa.array(lay.peer_start - lay.line_start + lay.places + 1))
        case "dense_rank":
            return Evaluated(pa.array(lay.group - lay.group[lay.line_start] + lay.groups_before + 1))
        case "percent_rank":
            others = lay.line_end - lay.line_start - 1
            return Evaluated(pa.array((lay.peer_start - lay.line_start) / np.maximum(others, 1)))
        case "cume_dist":
            return Evaluated(pa.array((lay.peer_end - lay.line_start) / (lay.line_end - lay.line_start)))
        case "ntile":
            return _ntile(call, lay)
        case _:
            raise Unsupported(f"the window function {call.function} is not supported")


def _ntile(call: WindowCallOp, lay: Layout) -> Evaluated:
    """The number of buckets is the first one of the partition that is not NULL; rows before it have no bucket."""
    counts, valid = integers(call.args[0], lay)
    at = np.where(valid, lay.positions, len(lay))
    first = np.minimum.reduceat(at, np.flatnonzero(lay.positions == lay.line_start))
    first = first[np.cumsum(lay.positions == lay.line_start) - 1]
    known = lay.positions >= first
    buckets = counts[np.minimum(first, len(lay) - 1)]
    failed = known & (buckets <= 0)
    divisor = np.maximum(buckets, 1)
    total = lay.line_end - lay.line_start
    number = lay.positions - first
    size, longer = total // divisor, total % divisor
    head = longer * (size + 1)  # rows of the buckets that have one more
    within = np.where(number < head, number // (size + 1), (number - head) // np.maximum(size, 1) + longer)
    tile = np.where(size == 0, number, within) + 1
    values = pa.array(tile.astype(np.int32), mask=~(known & ~failed))
    return Evaluated(
        values, same_error(np.flatnonzero(failed), "22014", "argument of ntile must be greater than zero")
    )


def offset(call: WindowCallOp, lay: Layout) -> Evaluated:
    """lag and lead: (value [, offset [, default]]).  NULL where the offset is NULL."""
    sign = -1 if call.function == "lag" else 1
    distance: Ints | int = 1
    valid: Mask | None = None
    if len(call.args) > 1:
        second = call.args[1]
        if isinstance(second, Literal) and second.value is not None:
            distance = int(second.value)
        else:
            distance, valid = integers(second, lay)
    values = arguments(call.args[0], lay, call)
    if call.ignore_nulls:
        target, inside = _among_present(lay, Numbered.present(values), sign * distance)
    else:
        target = lay.positions + sign * distance
        inside = (target >= lay.line_start) & (target < lay.line_end)
    n = len(lay)
    if len(call.args) < 3:
        found = inside if valid is None else inside & valid
        return Evaluated(values.take(pa.array(np.where(inside, target, 0), mask=~found)))
    defaults = arguments(call.args[2], lay, call)
    chosen = np.where(inside, target, n + lay.positions)
    mask = None if valid is None else ~valid
    return Evaluated(pa.concat_arrays([values, defaults]).take(pa.array(chosen, mask=mask)))


def _among_present(lay: Layout, present: Numbered, steps: Ints | int) -> tuple[Ints, Mask]:
    """The position so many present ones behind each (before it, if negative), and whether its line has that; 0 steps
    lead to the position itself."""
    here = lay.positions
    back = present.before[here] + steps
    ahead = present.before[here + 1] + steps - 1
    number = np.where(np.asarray(steps) < 0, back, ahead)
    inside = (number >= present.before[lay.line_start]) & (number < present.before[lay.line_end])
    still = np.broadcast_to(np.asarray(steps) == 0, here.shape)
    return np.where(still, here, present.position(number)), inside | still


def framed(call: WindowCallOp, lay: Layout, found: Frames) -> Evaluated:
    """first_value, last_value, nth_value."""
    n = len(lay)
    values = arguments(call.args[0], lay, call)
    present = Numbered.present(values) if call.ignore_nulls else None
    intervals = found.intervals if present is None else present.intervals(found)
    target = np.zeros(n, np.int64)
    reached = np.zeros(n, np.bool_)
    failed: RowErrors | None = None
    if call.function == "last_value":
        for start, stop in intervals:
            target = np.where(stop > start, stop - 1, target)
            reached |= stop > start
    else:
        wanted = np.ones(n, np.int64)
        valid = np.ones(n, np.bool_)
        if call.function == "nth_value":
            wanted, valid = integers(call.args[1], lay)
            wrong = valid & (wanted <= 0)
            valid &= ~wrong
            message = "argument of nth_value must be greater than zero"
            failed = same_error(np.flatnonzero(wrong), "22016", message)
        left = wanted - 1
        for start, stop in intervals:
            here = ~reached & (left < stop - start)
            target = np.where(here, start + left, target)
            reached |= here
            left = left - (stop - start)
        reached &= valid
    if present is not None:
        target = present.position(target)
    return Evaluated(values.take(pa.array(np.where(reached, target, 0), mask=~reached)), failed)


def arguments(argument: int | Literal, lay: Layout, call: WindowCallOp) -> pa.Array:
    """An argument of the call's own type, at every position."""
    if isinstance(argument, Literal):
        return pa.array([argument.value], call.type.arrow).take(pa.array(np.zeros(len(lay), np.int64)))
    return lay.column(argument)


def integers(argument: int | Literal, lay: Layout) -> tuple[Ints, Mask]:
    """An integer argument at every position, and where it is not NULL."""
    if isinstance(argument, Literal):
        known = argument.value is not None
        return np.full(len(lay), argument.value if known else 0, np.int64), np.full(len(lay), known)
    column = lay.column(argument)
    valid = buffers.validity(column)
    values = buffers.fixed(column).astype(np.int64)
    if valid is None:
        return values, np.ones(len(lay), np.bool_)
    return np.where(valid, values, 0), valid
