"""The state of exact float sums, also of products: per group, the limbs that are not zero (see `float_sum`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ....repr.batch import Batch, Indices
from ....repr.buffers import fixed
from ....repr.schema import Column, Schema
from ....repr.types import INT8
from ...spine import Spine
from ..segments import Segments
from .accumulators import FloatSum, float_values
from .float_sum import LIMBS, UNIT, ExactSums, Ints, Pieces, pieces
from .limb_products import product_pieces

Feed = tuple[FloatSum, tuple[pa.Array, ...], Indices, Ints]
"""A sum, the columns whose values (one column) or products (two) it gains, each one's segment and multiplicity."""


class FloatState:
    """All float sums of one reduction.  A row of the spine is (group, code, sum): a code is the limb, plus the
    limbs that all sums before this one may have (LIMBS each; twice as many for products).  Its multiplicity is zero: the row lives as long as its sum is not."""

    def __init__(self, keys: tuple[Column, ...], floats: tuple[FloatSum, ...]) -> None:
        self._floats = floats
        self._keys = len(keys)
        widths = np.array([LIMBS if f.factor is None else 2 * LIMBS for f in floats])
        self._bases: Ints = np.concatenate(([0], np.cumsum(widths)))
        columns = (*keys, Column("code", INT8, False), Column("sum", INT8, False))
        self.spine = Spine(Schema(columns), tuple(range(self._keys)), (self._keys + 1,))

    def step(
        self,
        feeds: Sequence[Feed],
        heads: tuple[pa.Array, ...],
        segments: Segments,
    ) -> dict[FloatSum, ExactSums]:
        """The sums before and after each of s segments, 2 s of them."""
        matches = self.spine.probe(heads, segments.hashes)
        old_codes = fixed(matches.rows.columns[self._keys])
        old_sums = fixed(matches.rows.columns[self._keys + 1])
        out: dict[FloatSum, ExactSums] = {}
        changes: list[tuple[Indices, Ints, Ints]] = []
        for float_sum, values, place, diffs in feeds:
            number = self._floats.index(float_sum)
            base = self._bases[number]
            unit = UNIT if float_sum.factor is None else 2 * UNIT
            mine = np.flatnonzero((old_codes >= base) & (old_codes < self._bases[number + 1]))
            found = pieces_of(values)
            limbs = np.concatenate((old_codes[mine] - base, found.limbs))
            if not len(limbs):
                out[float_sum] = ExactSums(np.zeros((1, 2 * len(segments.starts)), np.int64), 0, unit)
                continue
            first = int(limbs.min())
            width = int(limbs.max()) - first + 1
            before = np.zeros((width, segments.groups), np.int64)
            np.add.at(before, (limbs[: len(mine)] - first, matches.probe[mine]), old_sums[mine])
            deltas = np.zeros((width, len(segments.starts)), np.int64)
            np.add.at(deltas, (found.limbs - first, place[found.rows]), found.values * diffs[found.rows])
            after = segments.running(before, deltas)
            stacked = np.concatenate((segments.previous(before, after), after), axis=1)
            out[float_sum] = ExactSums(stacked, first, unit)
            totals = deltas if segments.single else np.add.reduceat(deltas, segments.first, axis=1)
            limb, group = np.nonzero(totals)
            changes.append((group, limb + (first + base), totals[limb, group]))
        self._insert(changes, heads, segments)
        return out

    def _insert(
        self, changes: list[tuple[Indices, Ints, Ints]], heads: tuple[pa.Array, ...], segments: Segments
    ) -> None:
        if not changes:
            return
        group = np.concatenate([change[0] for change in changes])
        index = pa.array(group)
        columns = (
            *(head.take(index) for head in heads),
            pa.array(np.concatenate([change[1] for change in changes])),
            pa.array(np.concatenate([change[2] for change in changes])),
        )
        zeros = np.zeros(len(group), np.int64)
        self.spine.insert(Batch(columns, zeros.astype(np.uint64), zeros), segments.hashes[group])


def pieces_of(columns: tuple[pa.Array, ...]) -> Pieces:
    """One occurrence of each value of a column, or of each product of two."""
    values = [float_values(column) for column in columns]
    return pieces(values[0]) if len(values) == 1 else product_pieces(values[0], values[1])
