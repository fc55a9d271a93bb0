"""The state of exact float sums, also of products: per group, the limbs that are not zero (see `float_sum`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class Gained:
    """What one sum gains: in segment `place[i]`, at limb `limbs[i]`, `values[i]`."""

    place: Indices
    limbs: Ints
    values: Ints

    def totals(self) -> tuple[int, Ints]:
        """The lowest limb, and what each segment gains from there: int64[limbs, segments up to the last]."""
        first = int(self.limbs.min())
        sums = np.zeros((int(self.limbs.max()) - first + 1, int(self.place.max()) + 1), np.int64)
        np.add.at(sums, (self.limbs - first, self.place), self.values)
        return first, sums


class FloatSums:
    """All float sums of one reduction.  A code is the limb, plus the limbs that all sums before this one may have (LIMBS each; twice as many
    for products)."""

    def __init__(self, floats: tuple[FloatSum, ...]) -> None:
        self.floats = floats
        widths = [LIMBS if f.factor is None else 2 * LIMBS for f in floats]
        self.bases: Ints = np.concatenate(([0], np.cumsum(np.array(widths, np.int64))))

    def schema(self, keys: tuple[Column, ...]) -> Schema:
        """Of rows (group, code, sum)."""
        return Schema((*keys, Column("code", INT8, False), Column("sum", INT8, False)))

    def of(self, number: int, codes: Ints) -> Indices:
        """Which codes are of the sum `number`."""
        return np.flatnonzero((codes >= self.bases[number]) & (codes < self.bases[number + 1]))

    def fed(self, feeds: Sequence[Feed]) -> dict[int, Gained]:
        """By the number of the sum."""
        gained = {}
        for float_sum, values, place, diffs in feeds:
            found = pieces_of(values)
            number = self.floats.index(float_sum)
            gained[number] = Gained(place[found.rows], found.limbs, found.values * diffs[found.rows])
        return gained

    def summed(self, gained: dict[int, Gained]) -> tuple[Indices, Ints, Ints]:
        """The segments, codes and sums of all limbs that are not zero."""
        found: list[tuple[Indices, Ints, Ints]] = []
        for number, some in gained.items():
            if len(some.place):
                first, sums = some.totals()
                limb, segment = np.nonzero(sums)
                found.append((segment, limb + (first + self.bases[number]), sums[limb, segment]))
        if not found:
            nothing = np.zeros(0, np.int64)
            return nothing, nothing, nothing
        segments, codes, values = (np.concatenate(some) for some in zip(*found, strict=True))
        return segments, codes, values

    def joined(
        self, gained: dict[int, Gained], place: Indices, codes: Ints, values: Ints
    ) -> dict[int, Gained]:
        """With what `summed` has told of other rows, in the segments `place`."""
        out = {}
        for number, some in gained.items():
            at = self.of(number, codes)
            out[number] = Gained(
                np.concatenate((some.place, place[at])),
                np.concatenate((some.limbs, codes[at] - self.bases[number])),
                np.concatenate((some.values, values[at])),
            )
        return out


class FloatState:
    """The spine's rows have a multiplicity of zero: a row lives as long as its sum is not."""

    def __init__(self, keys: tuple[Column, ...], floats: tuple[FloatSum, ...]) -> None:
        self.sums = FloatSums(floats)
        self._keys = len(keys)
        self.spine = Spine(self.sums.schema(keys), tuple(range(self._keys)), (self._keys + 1,))

    def step(
        self, gained: dict[int, Gained], heads: tuple[pa.Array, ...], segments: Segments
    ) -> dict[FloatSum, ExactSums]:
        """The sums before and after each of s segments, 2 s of them."""
        matches = self.spine.probe(heads, segments.hashes)
        old_codes = fixed(matches.rows.columns[self._keys])
        old_sums = fixed(matches.rows.columns[self._keys + 1])
        out: dict[FloatSum, ExactSums] = {}
        changes: list[tuple[Indices, Ints, Ints]] = []
        for number, found in gained.items():
            float_sum, base = self.sums.floats[number], self.sums.bases[number]
            unit = UNIT if float_sum.factor is None else 2 * UNIT
            mine = self.sums.of(number, old_codes)
            limbs = np.concatenate((old_codes[mine] - base, found.limbs))
            if not len(limbs):
                out[float_sum] = ExactSums(np.zeros((1, 2 * len(segments.starts)), np.int64), 0, unit)
                continue
            first = int(limbs.min())
            width = int(limbs.max()) - first + 1
            before = np.zeros((width, segments.groups), np.int64)
            np.add.at(before, (limbs[: len(mine)] - first, matches.probe[mine]), old_sums[mine])
            deltas = np.zeros((width, len(segments.starts)), np.int64)
            np.add.at(deltas, (found.limbs - first, found.place), found.values)
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
