"""The state of exact float sums: per group, the limbs that are not zero (see `float_sum`)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from ...repr.batch import Batch, Indices
from ...repr.buffers import fixed
from ...repr.schema import Column, Schema
from ...repr.types import INT8
from ..spine import Spine
from .accumulators import FloatSum, float_values
from .float_sum import LIMBS, Floats, Ints, pieces, rounded
from .segments import Segments


class FloatState:
    """All float sums of one reduction.  A row of the spine is (group, code, sum): code is the sum's number times
    LIMBS plus the limb.  Its multiplicity is zero: the row lives as long as its sum is not."""

    def __init__(self, keys: tuple[Column, ...], floats: tuple[FloatSum, ...]) -> None:
        self._floats = floats
        self._keys = len(keys)
        columns = (*keys, Column("code", INT8, False), Column("sum", INT8, False))
        self.spine = Spine(Schema(columns), tuple(range(self._keys)), (self._keys + 1,))

    def step(
        self,
        feeds: Sequence[tuple[FloatSum, pa.Array, Indices, Ints]],
        heads: tuple[pa.Array, ...],
        segments: Segments,
    ) -> dict[FloatSum, Floats]:
        """The rounded sums before and after each of s segments: float64[2 s].

        A feed is a sum, the values that it gains, the segment of each, and its multiplicity.
        """
        matches = self.spine.probe(heads, segments.hashes)
        old_codes = fixed(matches.rows.columns[self._keys])
        old_sums = fixed(matches.rows.columns[self._keys + 1])
        out: dict[FloatSum, Floats] = {}
        changes: list[tuple[Indices, Ints, Ints]] = []
        for float_sum, values, place, diffs in feeds:
            number = self._floats.index(float_sum)
            mine = np.flatnonzero(old_codes // LIMBS == number)
            found = pieces(float_values(values))
            limbs = np.concatenate((old_codes[mine] - number * LIMBS, found.limbs))
            if not len(limbs):
                out[float_sum] = np.zeros(2 * len(segments.starts))
                continue
            first = int(limbs.min())
            width = int(limbs.max()) - first + 1
            before = np.zeros((width, segments.groups), np.int64)
            np.add.at(before, (limbs[: len(mine)] - first, matches.probe[mine]), old_sums[mine])
            deltas = np.zeros((width, len(segments.starts)), np.int64)
            np.add.at(deltas, (found.limbs - first, place[found.rows]), found.values * diffs[found.rows])
            after = segments.running(before, deltas)
            stacked = np.concatenate((segments.previous(before, after), after), axis=1)
            out[float_sum] = rounded(stacked.T, first)
            totals = deltas if segments.single else np.add.reduceat(deltas, segments.first, axis=1)
            limb, group = np.nonzero(totals)
            changes.append((group, limb + (first + number * LIMBS), totals[limb, group]))
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
