"""Sums of floats that are exact, and averages, from what DuckDB adds up.

Floats are multiples of the last bit of the least of them: times a power of two, they are integers, which a HUGEINT holds unless
the greatest is 2^70 times the least.  The sum of the integers is exact, and is rounded once, as in
`operators.reductions.float_sum`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ...expr.functions.numbers.numeric import divide
from ...expr.tree.relation import Aggregate, Filter, Get, Join, JoinKind, Map, Project, Relation
from ...repr.float_facts import FloatFacts
from ...repr.types import INT8, derived_numeric
from ..operators.reductions.float_sum import UNIT, rounded
from .scalars import NotInSql

_SUM_BITS = 126
"""Of a DECIMAL(38, 0)."""

_MANTISSA_BITS = 53
_LIMB_BITS = 32
_MOST_EXPONENT = 1023


@dataclass(frozen=True, slots=True)
class Scale:
    """Values times 2^exponent are integers; the lowest limb of their sum is the `limb`th of all doubles'."""

    exponent: int
    limb: int


UNSCALED = Scale(0, 0)
"""Of integers."""


def scale_of(facts: FloatFacts, rows: int) -> Scale | None:
    """Of sums over so many values, or any of them; None when there is none, as for NaN and infinities."""
    if not facts.finite:
        return None
    if not np.isfinite(facts.least):
        return Scale(0, -UNIT // _LIMB_BITS)  # zeros
    last_bit = int(np.frexp(facts.least)[1]) - _MANTISSA_BITS
    limb = max(last_bit - UNIT, 0) // _LIMB_BITS
    exponent = -UNIT - _LIMB_BITS * limb
    bits = int(np.frexp(facts.greatest)[1]) + exponent + (rows + 1).bit_length()
    return Scale(exponent, limb) if bits <= _SUM_BITS and exponent <= _MOST_EXPONENT else None


def source(relation: Relation, index: int) -> tuple[Get, int]:
    """Where the values of a column come from, or some more: a collection, or something that computes them."""
    match relation:
        case Filter(input=child):
            return source(child, index)
        case Project(input=child, indices=indices):
            return source(child, indices[index])
        case Map(input=child) if index < len(child.schema):
            return source(child, index)
        case Join(left=left, right=right, kind=kind):
            if index < len(left.schema):
                return source(left, index)
            assert kind not in (JoinKind.SEMI, JoinKind.ANTI)
            return source(right, index - len(left.schema))
        case Get():
            return relation, index
        case _:
            raise NotInSql("floats that are computed")


def finished(aggregate: Aggregate, scale: Scale, sums: pa.Array, counts: pa.Array) -> pa.Array:
    """The aggregate of each group, from decimal128(38, 0)[n] and int64[n]."""
    present = counts.to_numpy()
    assert aggregate.argument is not None
    if not aggregate.argument.type.is_float:
        return divide(sums, pa.array(present, mask=present == 0), (derived_numeric(0), INT8)).values
    value = rounded(_limbs(sums), scale.limb)
    if aggregate.function == "avg":
        with np.errstate(all="ignore"):
            value = value / present
    return pa.array(value, mask=present == 0)


def _limbs(sums: pa.Array) -> npt.NDArray[np.int64]:
    """int64[n, 4]: in base 2^32, least significant first; of NULLs anything."""
    words = np.frombuffer(sums.buffers()[1], np.int64)[
        2 * sums.offset : 2 * (sums.offset + len(sums))
    ].reshape(-1, 2)
    low = np.int64(0xFFFF_FFFF)
    shift = np.int64(_LIMB_BITS)
    return np.stack(
        (words[:, 0] & low, (words[:, 0] >> shift) & low, words[:, 1] & low, words[:, 1] >> shift), axis=1
    )
