"""Aggregates over frames.

Sums, counts and whatever else is read from accumulators: running sums of the accumulators along all lines, whose
difference at the two ends of a frame is what the frame adds up to.  Integers do not lose anything by that, and floats
are summed limb by limb, so a frame's sum is exact, whatever else is in the line.

min and max: ranks of the values; a frame that begins (or ends) with its line has the running extreme, any other is
covered by two overlapping blocks of a power of two.

array_agg, string_agg: see `collected`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....expr.columns.row_errors import Evaluated
from ....expr.tree.scalar import Literal
from ....repr import buffers
from ....repr.order import dense_ranks
from ....repr.schema import Column, Schema
from ....repr.types import ScalarType
from ...plan import WHOLE_GROUP, AggregateOp, ReduceOp, WindowCallOp
from ..reductions.accumulators import Accumulators, FloatSum
from ..reductions.float_state import pieces_of
from ..reductions.float_sum import UNIT, ExactSums, Pieces
from .collected import collected
from .frames import Frames, Interval
from .layout import Ints, Layout


def aggregate(
    call: WindowCallOp,
    lay: Layout,
    found: Frames,
    types: tuple[ScalarType, ...],
    before: Ints | None = None,
) -> Evaluated:
    """The aggregate `call` over the frame of every position; `types` are those of the batch's columns.

    `before` int64[width, n] are the accumulators of what stands before the line, of a frame that begins with the
    partition.
    """
    if not call.args:
        return Evaluated(pa.array(found.sizes() + lay.places if found.from_start else found.sizes()))
    columns = tuple(_argument(argument, lay) for argument in call.args)
    if call.function in WHOLE_GROUP:
        return Evaluated(collected(call, columns, found))
    if call.function in ("min", "max"):
        return Evaluated(_extreme(columns[0], lay, found, call.function == "min"))
    return WindowSums(call, types).over(columns, found, before)


def _argument(argument: int | Literal, lay: Layout) -> pa.Array:
    if isinstance(argument, Literal):
        column = pa.array([argument.value], argument.type.arrow)
        return column.take(pa.array(np.zeros(len(lay), np.int64)))
    return lay.column(argument)


class WindowSums:
    """The accumulators of one aggregate; `types` are those of the input's columns."""

    def __init__(self, call: WindowCallOp, types: tuple[ScalarType, ...]) -> None:
        arguments = range(len(call.args))
        self._aggregate = AggregateOp(call.function, 0, call.type, rest=tuple(arguments[1:]))
        schema = Schema(
            tuple(Column("argument", types[arg] if isinstance(arg, int) else arg.type) for arg in call.args)
        )
        self._accumulators = Accumulators(ReduceOp(0, (self._aggregate,)), schema)

    @property
    def width(self) -> int:
        return self._accumulators.width

    @property
    def exact(self) -> bool:
        """Whether the accumulators are all that the aggregate needs: not so for floats."""
        return not self._accumulators.floats

    def contributions(self, columns: tuple[pa.Array, ...], weights: Ints) -> Ints:
        """What each of n values adds, as often as `weights` int64[n] says: int64[width, n]."""
        matrix = np.zeros((self.width, len(weights)), np.int64)
        for row, values in self._accumulators.feed(None, dict(enumerate(columns)), weights):
            matrix[row] = values
        return matrix

    def over(self, columns: tuple[pa.Array, ...], found: Frames, before: Ints | None = None) -> Evaluated:
        """The aggregate over every frame.  `before` int64[width, n] is what stands before a frame that begins
        with its line, where that is not the whole partition."""
        n = len(columns[0])
        ones = np.ones(n, np.int64)
        sums = _between(_cumulative(self.contributions(columns, ones)), found)
        if before is not None:
            sums = sums + before
        floats: dict[FloatSum, ExactSums] = {}
        feeds = self._accumulators.float_feeds(None, dict(enumerate(columns)), np.arange(n), ones)
        for float_sum, values, _, _ in feeds:
            floats[float_sum] = _exact_sums(float_sum, pieces_of(values), n, found)
        return self._accumulators.finish(self._aggregate, sums, found.sizes(), floats)


def _cumulative(values: Ints) -> Ints:
    """Running sums, a zero in front: int64[..., n + 1]."""
    running = np.zeros((*values.shape[:-1], values.shape[-1] + 1), np.int64)
    np.cumsum(values, axis=-1, out=running[..., 1:])
    return running


def _exact_sums(float_sum: FloatSum, parts: Pieces, n: int, found: Frames) -> ExactSums:
    """The sums of doubles (or products) over every frame, limb by limb; the limbs that occur are few."""
    unit = UNIT if float_sum.factor is None else 2 * UNIT
    if not len(parts.limbs):
        return ExactSums(np.zeros((1, n), np.int64), 0, unit)
    first = int(parts.limbs.min())
    limbs = np.zeros((int(parts.limbs.max()) - first + 1, n), np.int64)
    np.add.at(limbs, (parts.limbs - first, parts.rows), parts.values)
    return ExactSums(_between(_cumulative(limbs), found), first, unit)


def _between(running: Ints, found: Frames) -> Ints:
    """Differences of running sums int64[..., n + 1] at the ends of every frame, over all of its intervals."""
    total = np.zeros((*running.shape[:-1], running.shape[-1] - 1), np.int64)
    for start, stop in found.intervals:
        total += running[..., stop] - running[..., start]
    return total


# --- min and max ---


def _extreme(column: pa.Array, lay: Layout, found: Frames, lowest: bool) -> pa.Array:
    n = len(column)
    ranks = dense_ranks((column,), n)
    nothing = np.int64(n if lowest else -1)
    valid = buffers.validity(column)
    if valid is not None:
        ranks = np.where(valid, ranks, nothing)
    least = np.full(n, nothing)
    for interval in found.intervals:
        least = (np.minimum if lowest else np.maximum)(least, _over(ranks, interval, lay, lowest, nothing))
    some = least != nothing
    place = np.zeros(n + 1, np.int64)
    place[ranks] = np.arange(n)
    return column.take(pa.array(place[np.where(some, least, 0)], mask=~some))


def _over(ranks: Ints, interval: Interval, lay: Layout, lowest: bool, nothing: np.int64) -> Ints:
    """The least (greatest) rank of every interval, `nothing` for those that are empty."""
    start, stop = interval
    n = len(ranks)
    some = stop > start
    if (start == lay.line_start)[some].all():
        running = _running(ranks, lay.line_start, lowest)
        return np.where(some, running[np.maximum(stop, 1) - 1], nothing)
    if (stop == lay.line_end)[some].all():
        backwards = _running(ranks[::-1], (n - lay.line_end)[::-1], lowest)[::-1]
        return np.where(some, backwards[np.minimum(start, n - 1)], nothing)
    return _by_blocks(ranks, start, stop, some, np.minimum if lowest else np.maximum, nothing)


def _running(ranks: Ints, line: Ints, lowest: bool) -> Ints:
    """Running extremes along each line; `line` ascends from line to line."""
    shift = line * np.int64(len(ranks) + 2)
    if lowest:  # later lines lie below all earlier ones
        least: Ints = np.minimum.accumulate(ranks - shift) + shift
        return least
    greatest: Ints = np.maximum.accumulate(ranks + shift) - shift
    return greatest


def _by_blocks(
    ranks: Ints,
    start: Ints,
    stop: Ints,
    some: npt.NDArray[np.bool_],
    choose: Callable[[Ints, Ints], Ints],
    nothing: np.int64,
) -> Ints:
    """`table[i]` is the extreme of the block `[i, i + size)`, for one size after the other."""
    n = len(ranks)
    out = np.full(n, nothing)
    length = np.where(some, stop - start, 0)
    level = np.frexp(np.maximum(length, 1).astype(np.float64))[1] - 1  # 2^level <= length < 2^(level + 1)
    table = ranks
    for exponent in range(int(level.max(initial=0)) + 1):
        size = 1 << exponent
        mine = np.flatnonzero(some & (level == exponent))
        out[mine] = choose(table[start[mine]], table[stop[mine] - size])
        if len(table) <= size:
            break
        table = choose(table[:-size], table[size:])
    return out
