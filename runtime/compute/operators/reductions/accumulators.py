"""Accumulable aggregates: what is summed per group, and how results are read from the sums.

Aggregates share what they sum.  A `Summand` is a few int64 columns derived from one argument: the occurrences that
are not NULL, the limbs of a number or of its square, the occurrences that are TRUE, counters of bits, of NaN and of the
infinities.  All
summands of a reduction side by side are a matrix int64[width, n]; a group's state is one such column, and so is
what a row adds to it.  `count(*)` needs none: it is the multiplicity of the group's row.

A summand over a DISTINCT argument is fed when the count of a value crosses zero, the others by every row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ....errors import Unsupported
from ....expr.columns.row_errors import Evaluated, RowErrors, same_error
from ....expr.functions.numbers.numeric import divide
from ....repr import buffers
from ....repr.batch import Indices
from ....repr.schema import Schema
from ....repr.types import FLOAT4, INT8, Kind, ScalarType, derived_numeric
from ...plan import WHOLE_GROUP, AggregateOp, ReduceOp
from .bits import (
    BITS,
    SCALE_COLUMNS,
    bit_columns,
    bit_counts,
    bit_result,
    largest_scale,
    scale_counts,
)
from .float_sum import ExactSums, Floats, Ints, integers
from .limb_products import square_limbs, squares
from .limbs import Limbs, from_limbs, limb_count, to_limbs
from .moments import REGRESSIONS, VARIANCES, Pairs, float_variance, numeric_variance, regression

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Summand:
    """`kind` is `present`, `limbs`, `squares`, `true`, `bits`, `scales` (digits after the point) or `specials`
    (NaN, +infinity, -infinity) of the input's column `argument`; rows `[offset, offset + width)` of the matrix."""

    kind: str
    argument: int
    distinct: bool
    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class FloatSum:
    """A float argument that is summed exactly, outside of the matrix (see `float_sum`); its products with the
    column `factor`, where there is one."""

    argument: int
    distinct: bool
    factor: int | None = None


class Accumulators:
    """The summands of one reduction.

    `sources` are what feeds them: None for the rows as they are, else a DISTINCT argument's position.
    """

    def __init__(self, op: ReduceOp, schema: Schema) -> None:
        self.summands: list[Summand] = []
        self.floats: list[FloatSum] = []
        self._schema = schema
        self.width = 0
        for aggregate in op.aggregates:
            self._plan(aggregate)
        self.sources: tuple[int | None, ...] = tuple(
            dict.fromkeys(s.argument if s.distinct else None for s in self.summands)
        )

    def _plan(self, aggregate: AggregateOp) -> None:
        if aggregate.argument is None or aggregate.function in ("min", "max", *WHOLE_GROUP):
            return
        argument, distinct = aggregate.argument, aggregate.distinct
        type_ = self._schema[argument].type
        self._summand("present", argument, distinct)
        if aggregate.function in ("sum", "avg"):
            if type_.is_float:
                self._summand("specials", argument, distinct)
                self._float_sum(argument, distinct)
            else:
                self._summand("limbs", argument, distinct)
        elif aggregate.function in VARIANCES:
            if type_.is_float:
                self._summand("specials", argument, distinct)
                self._float_sum(argument, distinct)
                self._float_sum(argument, distinct, argument)
            else:
                self._summand("limbs", argument, distinct)
                self._summand("squares", argument, distinct)
                if _is_open(type_):
                    self._summand("scales", argument, distinct)
        elif aggregate.function in REGRESSIONS:
            for column in (argument, *aggregate.rest):
                self._summand("specials", column, distinct)
            for float_sum in _pair_sums(aggregate).values():
                self._float_sum(float_sum.argument, distinct, float_sum.factor)
        elif aggregate.function in BITS:
            self._summand("bits", argument, distinct)
        elif aggregate.function in ("bool_and", "bool_or", "every"):
            self._summand("true", argument, distinct)
        elif aggregate.function != "count":
            raise Unsupported(
                f"the aggregate {aggregate.function} is not supported",
                hint="docs/sql/functions.md lists the aggregates.",
            )

    def _float_sum(self, argument: int, distinct: bool, factor: int | None = None) -> None:
        float_sum = FloatSum(argument, distinct, factor)
        if float_sum not in self.floats:
            self.floats.append(float_sum)

    def _summand(self, kind: str, argument: int, distinct: bool) -> Summand:
        for known in self.summands:
            if (known.kind, known.argument, known.distinct) == (kind, argument, distinct):
                return known
        width = 1
        if kind == "limbs":
            width = limb_count(self._schema[argument].type)
        elif kind == "squares":
            width = square_limbs(self._schema[argument].type)
        elif kind == "scales":
            width = SCALE_COLUMNS
        elif kind == "bits":
            width = bit_columns(self._schema[argument].type)
        elif kind == "specials":
            width = 3
        summand = Summand(kind, argument, distinct, self.width, width)
        self.summands.append(summand)
        self.width += width
        return summand

    def feed(
        self, source: int | None, columns: Mapping[int, pa.Array], weights: Ints
    ) -> list[tuple[int, Ints]]:
        """What `n` rows add: (row of the matrix, int64[n]) pairs.

        `columns` are the arguments by position in the input; `weights` int64[n] are the multiplicities.
        """
        out: list[tuple[int, Ints]] = []
        for summand in self.summands:
            if (summand.argument if summand.distinct else None) != source:
                continue
            column = columns[summand.argument]
            if summand.kind == "present" and not column.null_count:
                out.append((summand.offset, weights))
                continue
            added = contribution(summand.kind, column)
            out.extend((summand.offset + i, row * weights) for i, row in enumerate(added))
        return out

    def float_feeds(
        self, source: int | None, columns: Mapping[int, pa.Array], place: Indices, weights: Ints
    ) -> list[tuple[FloatSum, tuple[pa.Array, ...], Indices, Ints]]:
        """As `feed`, for the float sums: what `FloatState.step` takes.  `place` are the segments of the rows."""
        return [
            (f, tuple(columns[i] for i in (f.argument, f.factor) if i is not None), place, weights)
            for f in self.floats
            if (f.argument if f.distinct else None) == source
        ]

    def finish(
        self, aggregate: AggregateOp, sums: Limbs, rows: Ints, floats: dict[FloatSum, ExactSums]
    ) -> Evaluated:
        """The aggregate's value for n groups: from the matrix int64[width, n], the groups' multiplicities
        int64[n], and the float sums.  Values of groups that have no rows mean nothing."""
        if aggregate.argument is None:
            return Evaluated(pa.array(rows))
        argument, distinct = aggregate.argument, aggregate.distinct
        present = sums[self._summand("present", argument, distinct).offset]
        if aggregate.function in ("count", "regr_count"):
            return Evaluated(pa.array(present))
        if aggregate.function in REGRESSIONS:
            return self._finish_pairs(aggregate, sums, present, floats)
        type_ = self._schema[argument].type
        if aggregate.function in VARIANCES:
            if type_.is_float:
                total = floats[FloatSum(argument, distinct)]
                products = floats[FloatSum(argument, distinct, argument)]
                special, _ = self._specials(sums, argument, distinct)
                return float_variance(aggregate.function, present, total, products, special)
            total_ = integers(self._rows(sums, "limbs", argument, distinct))
            squares_ = integers(self._rows(sums, "squares", argument, distinct))
            shown = None
            if _is_open(type_):
                shown = 2 * largest_scale(self._rows(sums, "scales", argument, distinct))
            return numeric_variance(aggregate.function, present, total_, squares_, type_, shown)
        if aggregate.function in BITS:
            counts = self._rows(sums, "bits", argument, distinct)
            return Evaluated(bit_result(aggregate.function, counts, present, type_))
        valid = present != 0
        if aggregate.function in ("bool_and", "bool_or", "every"):
            true = sums[self._summand("true", argument, distinct).offset]
            value = true > 0 if aggregate.function == "bool_or" else true == present
            return Evaluated(pa.array(value, mask=~valid))
        if type_.is_float:
            return self._finish_float(aggregate, sums, present, valid, floats)
        return _finish_exact(aggregate, type_, self._rows(sums, "limbs", argument, distinct), present)

    def _rows(self, sums: Limbs, kind: str, argument: int, distinct: bool) -> Limbs:
        summand = self._summand(kind, argument, distinct)
        return sums[summand.offset : summand.offset + summand.width]

    def _specials(self, sums: Limbs, argument: int, distinct: bool) -> tuple[Bools, Floats]:
        """Where a value is a NaN or an infinity, and what the sum is there."""
        nan, positive, negative = self._rows(sums, "specials", argument, distinct) > 0
        total = np.where(nan | (positive & negative), np.nan, np.where(positive, np.inf, -np.inf))
        return nan | positive | negative, total

    def _finish_pairs(
        self, aggregate: AggregateOp, sums: Limbs, present: Ints, floats: dict[FloatSum, ExactSums]
    ) -> Evaluated:
        assert aggregate.argument is not None
        special_y, total_y = self._specials(sums, aggregate.argument, aggregate.distinct)
        special_x, total_x = self._specials(sums, aggregate.rest[0], aggregate.distinct)
        exact = {name: floats[f] for name, f in _pair_sums(aggregate).items()}
        return regression(aggregate.function, Pairs(present, exact, special_x, special_y, total_x, total_y))

    def _finish_float(
        self,
        aggregate: AggregateOp,
        sums: Limbs,
        present: Ints,
        valid: Bools,
        floats: dict[FloatSum, ExactSums],
    ) -> Evaluated:
        assert aggregate.argument is not None
        value = floats[FloatSum(aggregate.argument, aggregate.distinct)].rounded
        overflow = np.isinf(value)
        if aggregate.function == "avg":
            with np.errstate(all="ignore"):
                value = value / present
        elif aggregate.type == FLOAT4:
            with np.errstate(over="ignore"):
                value = value.astype(np.float32).astype(np.float64)
            overflow = np.isinf(value)
        special, total = self._specials(sums, aggregate.argument, aggregate.distinct)
        if special.any():
            value = np.where(special, total, value)
            overflow &= ~special
        overflow &= valid
        if aggregate.type == FLOAT4:
            with np.errstate(over="ignore"):
                value = value.astype(np.float32)
        values = pa.array(value, mask=~(valid & ~overflow))
        return Evaluated(values, _overflow(overflow, "value out of range: overflow"))


def contribution(kind: str, column: pa.Array) -> Limbs:
    """int64[width, n]: what one occurrence of each value adds."""
    if kind == "limbs":
        return to_limbs(column)
    if kind == "squares":
        return squares(column)
    if kind == "bits":
        return bit_counts(column)
    if kind == "scales":
        return scale_counts(column)
    if kind == "present":
        valid = buffers.validity(column)
        present = np.ones(len(column), np.bool_) if valid is None else valid
        return present.astype(np.int64)[None, :]
    if kind == "true":
        true = buffers.fixed(column)
        valid = buffers.validity(column)
        if valid is not None:
            true = true & valid
        return true.astype(np.int64)[None, :]
    values = float_values(column)
    return np.stack((np.isnan(values), values == np.inf, values == -np.inf)).astype(np.int64)


def _is_open(type_: ScalarType) -> bool:
    """A numeric without a scale."""
    return type_.kind is Kind.NUMERIC and type_.scale is None


def _pair_sums(aggregate: AggregateOp) -> dict[str, FloatSum]:
    """The sums of an aggregate of two arguments (y, x), by their names in `moments`."""
    assert aggregate.argument is not None
    column = {"y": aggregate.argument, "x": aggregate.rest[0]}
    return {
        name: FloatSum(column[name[0]], aggregate.distinct, column[name[1]] if len(name) == 2 else None)
        for name in REGRESSIONS[aggregate.function]
    }


def float_values(column: pa.Array) -> Floats:
    """float64[n]; NULL is 0."""
    values: Floats = buffers.fixed(column).astype(np.float64)
    valid = buffers.validity(column)
    if valid is not None:
        values[~valid] = 0.0
    return values


def _overflow(mask: Bools, message: str) -> RowErrors | None:
    if not mask.any():
        return None
    return same_error(np.flatnonzero(mask), "22003", message)


def _finish_exact(aggregate: AggregateOp, argument: ScalarType, limbs: Limbs, present: Ints) -> Evaluated:
    """sum or avg of integers or numerics."""
    valid = present != 0
    if aggregate.function == "sum":
        values, overflow = from_limbs(limbs, aggregate.type, valid)
        return Evaluated(values, _overflow(overflow, "value overflows numeric format"))
    type_ = argument if argument.kind is Kind.NUMERIC else derived_numeric(0)
    total, overflow = from_limbs(limbs, type_, valid)
    count = pa.array(present, mask=~valid) if not valid.all() else pa.array(present)
    quotient = divide(total, count, (type_, INT8))
    if not overflow.any():
        return quotient
    return Evaluated(quotient.values, _overflow(overflow, "value overflows numeric format"))
