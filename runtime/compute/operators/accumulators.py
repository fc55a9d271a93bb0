"""Accumulable aggregates: what is summed per group, and how results are read from the sums.

Aggregates share what they sum.  A `Summand` is a few int64 columns derived from one argument: the occurrences that
are not NULL, the limbs of a number, the occurrences that are TRUE, the counters of NaN and the infinities.  All
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

from ...errors import Unsupported
from ...expr.functions.numeric import divide
from ...expr.row_errors import Evaluated, RowErrors, same_error
from ...repr import buffers
from ...repr.schema import Schema
from ...repr.types import FLOAT4, INT8, Kind, ScalarType, derived_numeric
from ..plan import AggregateOp, ReduceOp
from .float_sum import Floats, Ints
from .limbs import Limbs, from_limbs, limb_count, to_limbs

Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Summand:
    """`kind` is `present`, `limbs`, `true` or `specials` (NaN, +infinity, -infinity) of the input's column
    `argument`; rows `[offset, offset + width)` of the matrix."""

    kind: str
    argument: int
    distinct: bool
    offset: int
    width: int


@dataclass(frozen=True, slots=True)
class FloatSum:
    """A float argument that is summed exactly, outside of the matrix (see `float_sum`)."""

    argument: int
    distinct: bool


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
        if aggregate.argument is None or aggregate.function in ("min", "max"):
            return
        argument, distinct = aggregate.argument, aggregate.distinct
        type_ = self._schema[argument].type
        self._summand("present", argument, distinct)
        if aggregate.function in ("sum", "avg"):
            if type_.is_float:
                self._summand("specials", argument, distinct)
                if (float_sum := FloatSum(argument, distinct)) not in self.floats:
                    self.floats.append(float_sum)
            else:
                self._summand("limbs", argument, distinct)
        elif aggregate.function in ("bool_and", "bool_or", "every"):
            self._summand("true", argument, distinct)
        elif aggregate.function != "count":
            raise Unsupported(
                f"the aggregate {aggregate.function} is not supported",
                hint="Use count, sum, avg, min, max, bool_and or bool_or.",
            )

    def _summand(self, kind: str, argument: int, distinct: bool) -> Summand:
        for known in self.summands:
            if (known.kind, known.argument, known.distinct) == (kind, argument, distinct):
                return known
        width = 1
        if kind == "limbs":
            width = limb_count(self._schema[argument].type)
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
            contribution = _contribution(summand.kind, column)
            out.extend((summand.offset + i, row * weights) for i, row in enumerate(contribution))
        return out

    def finish(
        self, aggregate: AggregateOp, sums: Limbs, rows: Ints, floats: dict[FloatSum, Floats]
    ) -> Evaluated:
        """The aggregate's value for n groups: from the matrix int64[width, n], the groups' multiplicities
        int64[n], and the rounded float sums.  Values of groups that have no rows mean nothing."""
        if aggregate.argument is None:
            return Evaluated(pa.array(rows))
        argument, distinct = aggregate.argument, aggregate.distinct
        present = sums[self._summand("present", argument, distinct).offset]
        if aggregate.function == "count":
            return Evaluated(pa.array(present))
        valid = present != 0
        if aggregate.function in ("bool_and", "bool_or", "every"):
            true = sums[self._summand("true", argument, distinct).offset]
            value = true > 0 if aggregate.function == "bool_or" else true == present
            return Evaluated(pa.array(value, mask=~valid))
        if self._schema[argument].type.is_float:
            return self._finish_float(aggregate, sums, present, valid, floats)
        limbs = self._summand("limbs", argument, distinct)
        return _finish_exact(
            aggregate, self._schema[argument].type, sums[limbs.offset : limbs.offset + limbs.width], present
        )

    def _finish_float(
        self,
        aggregate: AggregateOp,
        sums: Limbs,
        present: Ints,
        valid: Bools,
        floats: dict[FloatSum, Floats],
    ) -> Evaluated:
        assert aggregate.argument is not None
        specials = self._summand("specials", aggregate.argument, aggregate.distinct)
        nan, positive, negative = sums[specials.offset : specials.offset + 3]
        value = floats[FloatSum(aggregate.argument, aggregate.distinct)]
        overflow = np.isinf(value)
        if aggregate.function == "avg":
            with np.errstate(all="ignore"):
                value = value / present
        elif aggregate.type == FLOAT4:
            with np.errstate(over="ignore"):
                value = value.astype(np.float32).astype(np.float64)
            overflow = np.isinf(value)
        special = (nan > 0) | (positive > 0) | (negative > 0)
        if special.any():
            both = (nan > 0) | ((positive > 0) & (negative > 0))
            infinity = np.where(positive > 0, np.inf, -np.inf)
            value = np.where(special, np.where(both, np.nan, infinity), value)
            overflow &= ~special
        overflow &= valid
        if aggregate.type == FLOAT4:
            with np.errstate(over="ignore"):
                value = value.astype(np.float32)
        values = pa.array(value, mask=~(valid & ~overflow))
        return Evaluated(values, _overflow(overflow, "value out of range: overflow"))


def _contribution(kind: str, column: pa.Array) -> Limbs:
    """int64[width, n]: what one occurrence of each value adds."""
    if kind == "limbs":
        return to_limbs(column)
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
