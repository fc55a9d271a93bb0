"""Outer joins: the pairs, and the rows of a preserved side that are in none, padded with NULLs.

    A left join B  =  A.B  +  (A anti B) x NULLs        and likewise for the right side, or both

Pairs are those of `Join`; rows without a match those of the anti join's rule, by counts that cross zero: a step
costs its delta, its pairs and the rows whose state of being matched changes.  A row with a NULL in its key has no
match (without `null_safe`), so it is padded.  With a residual, being matched is a matter of whole rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ....expr.tree.relation import JoinKind
from ....expr.tree.scalar import Scalar
from ....repr.batch import Batch, Delta, concat_batches
from ....repr.schema import Schema
from ...arrangement import Arrangement, Keyed
from ...run import Run
from ...spine import Spine
from ..base import Operator
from .join import MatchedPairs, padded, padded_left
from .semijoin import Existence, RowExistence


class OuterJoin(Operator):
    """LEFT, RIGHT or FULL, as `kind` says; other arguments as of `Join`.  Columns: left's, then right's."""

    def __init__(
        self,
        kind: JoinKind,
        left: Schema,
        right: Schema,
        left_key: tuple[int, ...],
        right_key: tuple[int, ...],
        residual: Sequence[Scalar] = (),
        null_safe: bool = False,
    ) -> None:
        assert kind in (JoinKind.LEFT, JoinKind.RIGHT, JoinKind.FULL), kind
        self._pairs = MatchedPairs(left, right, left_key, right_key, residual, null_safe)
        super().__init__(
            Schema(
                (left if kind is JoinKind.LEFT else _nullable(left)).columns
                + (right if kind is JoinKind.RIGHT else _nullable(right)).columns
            )
        )
        self._left, self._right = left, right
        self._left_rest: _Unmatched | None = None
        self._right_rest: _Unmatched | None = None
        if kind is not JoinKind.RIGHT:
            columns = tuple(range(len(left)))
            self._left_rest = _Unmatched(left, self._pairs.left, columns, by_row=bool(residual))
        if kind is not JoinKind.LEFT:
            columns = tuple(range(len(left), len(left) + len(right)))
            self._right_rest = _Unmatched(right, self._pairs.right, columns, by_row=bool(residual))

    def spines(self) -> dict[str, Spine]:
        out = self._pairs.spines()
        for side, rest in (("left", self._left_rest), ("right", self._right_rest)):
            if rest is not None:
                out.update({f"{side}_{name}": spine for name, spine in rest.spines().items()})
        return out

    def apply(self, oks: tuple[Batch, ...], lower: int, upper: int) -> Delta:
        left, right = oks
        left_keyed, right_keyed = self._pairs.keyed(left, right)
        lefts = self._before(self._left_rest, self._pairs.left, right)
        rights = self._before(self._right_rest, self._pairs.right, left)
        pairs = self._pairs.update(left_keyed, right_keyed, upper)
        pieces = [pairs.oks]
        if self._left_rest is not None:
            rest = self._left_rest.update(left, left_keyed, right_keyed, lefts, pairs.oks, upper)
            pieces.append(padded(rest, self._right))
        if self._right_rest is not None:
            rest = self._right_rest.update(right, right_keyed, left_keyed, rights, pairs.oks, upper)
            pieces.append(padded_left(self._left, rest))
        return self.delta(concat_batches(self.schema, pieces), pairs.errs)

    @staticmethod
    def _before(rest: _Unmatched | None, rows: Arrangement, other: Batch) -> tuple[Run, ...]:
        """A preserved side as of before the step, if the other side changes in it."""
        return rows.spine.handle() if rest is not None and len(other) else ()


def _nullable(schema: Schema) -> Schema:
    return Schema(tuple(replace(column, nullable=True) for column in schema))


class _Unmatched:
    """The rows of one side that are in no pair.  `columns`: where the side's columns stand in a pair."""

    def __init__(self, schema: Schema, rows: Arrangement, columns: tuple[int, ...], *, by_row: bool) -> None:
        self._columns = columns
        self._by_row = RowExistence(schema) if by_row else None
        self._by_key = Existence(rows, schema.project(rows.spine.key))

    def spines(self) -> dict[str, Spine]:
        if self._by_row is not None:
            return self._by_row.spines()
        return {"matching_keys": self._by_key.spine}

    def update(
        self, delta: Batch, own: Keyed, other: Keyed, before: tuple[Run, ...], pairs: Batch, upper: int
    ) -> Batch:
        """Their updates, from the updates of this side and of the other side in a step up to `upper`, this side's rows as of before
        it, and its updates of the pairs."""
        if self._by_row is not None:
            return self._by_row.update(delta, pairs.select(self._columns), upper, anti=True)
        return self._by_key.update(delta, own, other.batch.with_columns(other.keys), before, upper, anti=True)
